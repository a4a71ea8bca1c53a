// Waits grow, end with the last one, and are never quite the same.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nextTryAt } from './backoff.ts'

const now = new Date('2026-09-01T12:00:00Z')
const waits_seconds = [5, 15, 60]

const waitAfter = (tries: number, chance: number, waits = waits_seconds) =>
  (nextTryAt(waits, { tries, now, chance }).getTime() - now.getTime()) / 1000

test.each([
  [0, 0.5, 5],
  [1, 0.5, 5],
  [2, 0.5, 15],
  [3, 0.5, 60],
  [4, 0.5, 60],
  [1_000_000, 0.5, 60],
  [1, 0, 4],
  [3, 0, 48],
  [3, 0.999_999, 72],
])('after %i tries, by chance %d: %d s', (tries, chance, expected) => {
  expect(waitAfter(tries, chance)).toBeCloseTo(expected, 3)
})

test('is a fifth sooner or later than it says, and never shorter for a longer wait', () => {
  const waits = fc.array(fc.integer({ min: 1, max: 86_400 }), { minLength: 1, maxLength: 8 })
  const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
  fc.assert(
    fc.property(waits, fc.nat(20), chance, (list, tries, at) => {
      const sorted = list.toSorted((a, b) => a - b)
      const wait = sorted[Math.min(Math.max(tries, 1), sorted.length) - 1]!
      const waited = waitAfter(tries, at, sorted)
      expect(waited).toBeGreaterThanOrEqual(wait * 0.8 - 0.001)
      expect(waited).toBeLessThanOrEqual(wait * 1.2 + 0.001)
      expect(waitAfter(tries + 1, at, sorted)).toBeGreaterThanOrEqual(waited)
    }),
  )
})
