// Decides whether a call may be tried again, and when. Nothing here waits.

import { ApiError, ConnectionError } from './errors.ts'

const delay_first_ms = 500
const delay_max_ms = 8_000
/** If the service asks for a longer wait, the caller gets the error at once. */
const retry_after_max_seconds = 60

const passing_statuses: readonly number[] = [429, 500, 502, 503, 504]

/**
 * The wait before the next try in ms; null if there must be no next try. `tries` is the number of tries so far, `chance` is from
 * 0 to 1, and `key_is_own` is true if the call made its idempotency key itself.
 * Every call of this client is safe to repeat: reads change nothing, and writes carry a key. So only the error decides.
 */
export function delayBeforeRetry(
  error: unknown,
  { tries, retries_max, chance, key_is_own }: RetryState,
): number | null {
  if (tries > retries_max || !isPassing(error, tries > 1 && key_is_own)) return null
  const backoff = Math.min(delay_first_ms * 2 ** (tries - 1), delay_max_ms)
  // From half of the backoff to all of it, so that clients that failed together do not come back together.
  const jittered = backoff * (0.5 + chance / 2)
  const asked_seconds = error instanceof ApiError ? (error.retry_after_seconds ?? 0) : 0
  if (asked_seconds > retry_after_max_seconds) return null
  return Math.max(jittered, asked_seconds * 1000)
}

type RetryState = { tries: number; retries_max: number; chance: number; key_is_own: boolean }

/**
 * Whether waiting may help. A conflict ends by itself only if the first request is still running. `idempotency_key_reused` may mean
 * that, or that the key belongs to another body. It is the former if only this call can have sent the key before.
 */
function isPassing(error: unknown, sent_before: boolean): boolean {
  if (error instanceof ConnectionError) return true
  if (!(error instanceof ApiError) || error.code === 'response_too_large') return false
  if (error.code === 'idempotency_key_reused') return sent_before
  return passing_statuses.includes(error.status) || error.code === 'idempotency_key_in_use'
}

/** The seconds that a Retry-After header asks for, as a number or a date; null if it has neither. */
export function retryAfterSeconds(header: string | null, now: Date): number | null {
  if (header === null) return null
  if (/^\d{1,9}$/.test(header.trim())) return Number(header)
  const at = Date.parse(header)
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - now.getTime()) / 1000))
}
