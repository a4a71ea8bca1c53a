// Which acquirer charges a payment: the simulator in test mode, in live mode the one that the merchant's profile names.

import type { Mode } from '../values.ts'
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

function missing(name: string): Acquirer {
  const refuse = async () => {
    throw new NotSent(`no acquirer connection named ${name}`)
  }
  return {
    name,
    authorise: refuse,
    capture: refuse,
    void: refuse,
    reverse: refuse,
    lookUp: refuse,
    listAuthorisations: refuse,
  }
}
