// When the service gives a delivery up, if every attempt that is left fails.

import type { Delivery } from '../client/answers.ts'

/**
 * Null for an attempt behind which another was made or is due now. `delays_seconds` are those after each failed attempt; the
 * service adds up to a fifth to each, so the time is the earliest one.
 */
export function givesUpAt(
  { status, next_retry_at, attempt_number }: Delivery,
  delays_seconds: readonly number[],
  now: Date,
): Date | null {
  if (status !== 'failed' || next_retry_at === null || new Date(next_retry_at) <= now) return null
  const left_seconds = delays_seconds.slice(attempt_number).reduce((sum, each) => sum + each, 0)
  return new Date(new Date(next_retry_at).getTime() + left_seconds * 1000)
}
