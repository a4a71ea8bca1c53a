// Which acquirer charges a payment: in live mode a connection, in test mode the simulator unless a connection is named.

import { type Mode, no_acquirer } from '../kernel/values.ts'
import { type Acquirer, NotSent } from './acquirer.ts'

/** For a connection that does not exist, returns an acquirer that never sends anything. */
export function acquirerFor(
  { mode, name }: { mode: Mode; name: string | null },
  { simulator, connected }: { simulator: Acquirer; connected(name: string): Acquirer | null },
): Acquirer {
  const acquirer = name === null ? null : connected(name)
  if (acquirer) return acquirer
  if (mode === 'test' && isSimulated(name, simulator)) return simulator
  return missing(name ?? no_acquirer)
}

/** A connection's name has a colon: what a connection charged is never looked up at the simulator. */
function isSimulated(name: string | null, simulator: Acquirer): boolean {
  if (name === null || name === simulator.name) return true
  return name !== no_acquirer && !name.includes(':')
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
  }
}
