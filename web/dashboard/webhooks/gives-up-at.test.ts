// When a failed delivery can be replayed: after the attempts that are left.

import { expect, test } from 'vitest'
import type { Delivery } from '../client/answers.ts'
import { givesUpAt } from './gives-up-at.ts'

const now = new Date('2026-09-01T12:00:00Z')
const delays_seconds = [5, 30, 120]
const failed = (attempt_number: number, next_retry_at: string | null) =>
  ({
    status: next_retry_at ? 'failed' : 'dead_lettered',
    attempt_number,
    next_retry_at,
  }) as Delivery

test.each([
  [1, '2026-09-01T12:00:05Z', '2026-09-01T12:02:35.000Z'],
  [2, '2026-09-01T12:00:30Z', '2026-09-01T12:02:30.000Z'],
  // The next attempt is the last.
  [3, '2026-09-01T12:02:00Z', '2026-09-01T12:02:00.000Z'],
])('attempt %i, the next one at %s: given up at %s', (attempt_number, next, given_up) => {
  const delivery = failed(attempt_number, next)
  expect(givesUpAt(delivery, delays_seconds, now)?.toISOString()).toBe(given_up)
})

test('nothing is said of what was tried since, or is over', () => {
  expect(givesUpAt(failed(1, '2026-09-01T11:59:00Z'), delays_seconds, now)).toBeNull()
  expect(givesUpAt(failed(4, null), delays_seconds, now)).toBeNull()
})
