import { expect, test } from 'vitest'
import { clock, secondsUntil } from './countdown.ts'

test.each([
  [0, '0:00'],
  [9, '0:09'],
  [65, '1:05'],
  [120, '2:00'],
  [1800, '30:00'],
])('%i seconds read %s', (seconds, text) => {
  expect(clock(seconds)).toBe(text)
})

test.each([
  ['a second has begun', 10_000, 9_999, 1],
  ['whole seconds', 120_000, 0, 120],
  ['the very end', 5000, 5000, 0],
  ['past the end', 5000, 9000, 0],
])('%s', (_, deadline_ms, now_ms, seconds) => {
  expect(secondsUntil(deadline_ms, now_ms)).toBe(seconds)
})
