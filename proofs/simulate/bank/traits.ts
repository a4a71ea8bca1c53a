// What kind of bank a world has: the seed decides. The plain one does everything at once and keeps every promise of the port.

import type { Chance } from '../chance.ts'

export type Traits = {
  /** By how much its clock is ahead of the world's; what it lists bears its times. */
  clock_ahead_ms: number
  /** See Acquirer: 0 where a reversal fences its reference. */
  late_approval_ms: number
  /** Whether references are forgotten once `reference_life_ms` is over. */
  forgets: boolean
  /** An authorisation is listed at most so long after it was approved. */
  lists_after_ms: number
  /** So long a second charge of a card, for the same amount and shop, is declined; 0 for never. */
  finds_duplicates_ms: number
  /** What is only reserved expires after so long; null for never. */
  lapses_after_ms: number | null
  /** So long it does not say what came of a capture, void or reversal that it has accepted; 0 where it says so at once. */
  settles_after_ms: number
  /** How often somebody acts on an authorisation in the bank's portal. */
  portal: number
}

export const plain: Traits = {
  clock_ahead_ms: 0,
  late_approval_ms: 0,
  forgets: false,
  lists_after_ms: 0,
  finds_duplicates_ms: 0,
  lapses_after_ms: null,
  settles_after_ms: 0,
  portal: 0,
}

const minute_ms = 60_000
const hour_ms = 60 * minute_ms

/** A sweep looks back for ten minutes: what is listed later only the daily comparison finds. */
export const swept_ms = 10 * minute_ms

export function traitsOf(chance: Chance): Traits {
  return {
    clock_ahead_ms: chance.pick([0, 0, -1, 1]) * (2_000 + chance.below(58_000)),
    late_approval_ms: chance.pick([0, 0, 10 * minute_ms]),
    forgets: chance.often(0.5),
    lists_after_ms: chance.pick([0, 0, 5 * minute_ms, 25 * minute_ms]),
    finds_duplicates_ms: chance.pick([0, 0, 0, 5 * minute_ms]),
    lapses_after_ms: chance.pick([null, null, hour_ms, 20 * hour_ms, 72 * hour_ms]),
    portal: chance.pick([0, 0.3]),
    settles_after_ms: chance.pick([0, 0, 20_000, 5 * minute_ms]),
  }
}
