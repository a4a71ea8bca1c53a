// Processes that stand still for a while, as one that is stopped, swapped out or moved to another machine does.

import type { Chance } from './chance.ts'
import type { Faults } from './faults.ts'
import type { Owner, Stall } from './scheduler.ts'
import { intent_mark } from './sql-seam.ts'

/** From and to, seconds: within a window, about as long as one, longer than all of them. */
const durations: [number, number][] = [
  [2, 10],
  [2, 10],
  [10, 45],
  [30, 90],
  [90, 600],
  [600, 2_400],
]

const to_acquirer = /^(authorise|capture|void|reverse|look up|list) /

/** `mayStall` is false for whoever is no process, or where nobody would go on meanwhile. */
export function openStalls(parts: {
  faults: Faults
  chance: Chance
  mayStall(owner: Owner): boolean
  /** Told of one that begins. */
  begun(owner: Owner, duration_ms: number): void
}): Stall {
  const { faults, chance, mayStall, begun } = parts
  return (owner, label) => {
    if (!faults.are_on() || !mayStall(owner)) return null
    const fate = to_acquirer.test(label)
      ? faults.happens('process: stalls at the acquirer', 'process: stalls')
      : label.startsWith(intent_mark)
        ? faults.happens('process: stalls after an intent', 'process: stalls')
        : faults.happens('process: stalls')
    if (fate === null) return null
    const [from, to] = chance.pick(durations)
    const duration_ms = 1_000 * from + chance.below(1_000 * (to - from))
    begun(owner, duration_ms)
    const is_after = fate === 'process: stalls after an intent' || chance.often(0.5)
    return { when: is_after ? 'after' : 'before', duration_ms }
  }
}
