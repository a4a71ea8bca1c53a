// The failover of a storm: the standby falls behind, the first server dies, and the standby is promoted in its place.

import { realClock } from '../../tests/support/world.ts'
import type { Chance } from '../simulate/chance.ts'
import type { Pair } from './pair.ts'

export type FailedOver = {
  /** performance.now(): from when on the standby got nothing, when the first server died, and when the standby served. */
  lag_ms: number
  died_ms: number
  promoted_ms: number
  /** The first of them by the clock. */
  lagged_at: Date
}

type FailOverOptions = {
  pair: Pair
  chance: Chance
  begin_ms: number
  until_ms: number
  /** How many answers clients have had by now. */
  answered(): number
  tell(what: string): void
}

const answers_least = 10
const answers_limit_ms = 8_000

/** Comes at some time in the middle. */
export async function failOver(asked: FailOverOptions): Promise<FailedOver> {
  const { pair, chance, begin_ms, until_ms, tell } = asked
  const length_ms = until_ms - begin_ms
  const at_ms = begin_ms + length_ms * (0.35 + 0.3 * chance.next())
  await realClock.sleep(at_ms - performance.now())
  const lag_ms = performance.now()
  const lagged_at = realClock.now()
  pair.lag()
  tell('the standby falls behind')
  await realClock.sleep(Math.min(1_000 + chance.below(2_000), length_ms / 10))
  // Without an answer meanwhile nothing would be lost.
  const enough = asked.answered() + answers_least
  const late_ms = performance.now() + answers_limit_ms
  while (asked.answered() < enough && performance.now() < late_ms) await realClock.sleep(100)
  tell('the database dies for good')
  const died_ms = performance.now()
  await pair.failOver()
  tell('the standby serves')
  return { lag_ms, lagged_at, died_ms, promoted_ms: performance.now() }
}
