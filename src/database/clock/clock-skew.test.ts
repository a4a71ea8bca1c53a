// When a clock counts as wrong, depending on the error of the reading.

import { expect, test } from 'vitest'
import { faultWords, hasJumped, judgeSkew, type SkewVerdict, skewOf } from './clock-skew.ts'

const noon_ms = Date.parse('2026-09-01T12:00:00Z')
const day_ms = 86_400_000

/** A reading with the process's clock ahead. The database read its clock `asked_after_ms` after the question was sent. */
function reading(ahead_ms: number, round_trip_ms: number, asked_after_ms = round_trip_ms / 2) {
  const asked_ms = noon_ms + ahead_ms
  const answered_ms = asked_ms + round_trip_ms
  return { asked_ms, answered_ms, round_trip_ms, database_ms: noon_ms + asked_after_ms }
}

test.each<[string, ReturnType<typeof reading>, SkewVerdict]>([
  ['the same time', reading(0, 2), 'right'],
  ['two seconds ahead', reading(2_000, 0), 'right'],
  ['more', reading(2_001, 0), 'wrong'],
  ['two seconds behind', reading(-2_000, 0), 'right'],
  ['more', reading(-2_001, 0), 'wrong'],
  ['45 s ahead', reading(45_000, 2), 'wrong'],
  ['45 s behind', reading(-45_000, 2), 'wrong'],
  ['six days', reading(6 * day_ms, 2), 'wrong'],
  ['a slow answer, read at its beginning', reading(0, 15_000, 0), 'unclear'],
  ['a slow answer, read at its end', reading(0, 15_000, 15_000), 'unclear'],
  ['a slow answer that proves it right', reading(0, 3_000), 'right'],
  ['a slow answer, and a clock that may be right', reading(1_900, 3_000), 'unclear'],
  ['a slow answer that proves it wrong', reading(45_000, 15_000, 0), 'wrong'],
  ['so near the bound that it does not matter', reading(1_900, 500), 'right'],
  ['near the bound, and less well known', reading(1_900, 502), 'unclear'],
  ['beyond it, and not beyond doubt', reading(2_100, 502), 'unclear'],
  ['set while it was read', { ...reading(0, 2), answered_ms: noon_ms + 6 * day_ms }, 'unclear'],
  ['set back while it was read', { ...reading(0, 2), answered_ms: noon_ms - 9_000 }, 'unclear'],
])('%s', (_, clockReading, expected) => {
  expect(judgeSkew(skewOf(clockReading))).toBe(expected)
})

test.each<[string, number, number, boolean]>([
  ['both go on alike', 60_000, 60_000, false],
  ['the process was stopped for an hour', 3_600_000, 3_600_000, false],
  ['set right bit by bit', 60_030, 60_000, false],
  ['set ahead', 7_001, 5_000, true],
  ['set back', 2_999, 5_000, true],
  ['the machine slept', 3_600_000, 5, true],
])('two clocks: %s', (_, wall_ms, steady_ms, expected) => {
  const before = { wall_ms: noon_ms, steady_ms: 70 }
  const now = { wall_ms: noon_ms + wall_ms, steady_ms: 70 + steady_ms }
  expect(hasJumped(before, now)).toBe(expected)
})

test.each([
  [45_000, '45 s ahead of'],
  [-45_499, '45 s behind'],
  [-2_260, '2.3 s behind'],
  [6 * day_ms, '518400 s ahead of'],
])('%d ms in words', (ahead_ms, words) => {
  const fault_words = faultWords({ ahead_ms, error_ms: 1 })
  expect(fault_words).toBe(`the clock of this process is ${words} the database's (2 s are allowed)`)
})
