// Which acquirer charges a payment: the simulator in test mode, in live mode the one that the merchant's profile names.

import type { Mode } from '../kernel/values.ts'
import { type Acquirer, NotSent } from './acquirer.ts'

/** Live acquirers by the name of their connection. One line each; none is built in yet. */
export const liveAcquirers: Record<string, Acquirer> = {}

/** A connection that is not there is an acquirer to which nothing is ever sent. */
export function acquirerFor(
  { mode, connection }: { mode: Mode; connection: string | null },
  { simulator, live = liveAcquirers }: { simulator: Acquirer; live?: Record<string, Acquirer> },
): Acquirer {
  if (mode === 'test') return simulator
  const name = connection ?? 'none'
  return (Object.hasOwn(live, name) && live[name]) || missing(name)
}

/** Every acquirer that may hold an authorisation of ours, with the mode of its payments. */
export function allAcquirers({
  simulator,
  live = liveAcquirers,
}: {
  simulator: Acquirer
  live?: Record<string, Acquirer>
}): { mode: Mode; acquirer: Acquirer }[] {
  const named = Object.values(live).map((acquirer) => ({ mode: 'live' as const, acquirer }))
  return [{ mode: 'test', acquirer: simulator }, ...named]
}

function missing(name: string): Acquirer {
  const refuse = async () => {
    throw new NotSent(`no acquirer connection named ${name}`)
  }
  return {
    name,
    learned_by: 'reference',
    lists: true,
    safe_window_ms: 300_000,
    reference_life_ms: 24 * 3_600_000,
    late_approval_ms: 0,
    authorise: refuse,
    capture: refuse,
    void: refuse,
    reverse: refuse,
    refund: refuse,
    lookUp: refuse,
    listAuthorisations: refuse,
    notices: null,
  }
}
