// Whether a call may be tried again, and when: decisions without waiting.

import { ApiError, ConnectionError } from './errors.ts'

const delay_first_ms = 500
const delay_max_ms = 8_000
/** Whoever is asked to wait for longer is told so, not kept. */
const retry_after_max_seconds = 60

const passing_statuses: readonly number[] = [429, 500, 502, 503, 504]

/**
 * The wait before the next try in ms; null where there must be none. `tries` is how many there were, `chance` from 0 to 1,
 * `key_is_own` where the call made its idempotency key itself.
 * Every call of this client is safe to repeat, a read as it is and a write by its key, so it depends on what came back alone.
 */
export function delayBeforeRetry(
  error: unknown,
  { tries, retries_max, chance, key_is_own }: Try,
): number | null {
  if (tries > retries_max || !isPassing(error, tries > 1 && key_is_own)) return null
  const backoff = Math.min(delay_first_ms * 2 ** (tries - 1), delay_max_ms)
  // From half of it to the whole, so that those who failed together do not come back together.
  const jittered = backoff * (0.5 + chance / 2)
  const asked_seconds = error instanceof ApiError ? (error.retry_after_seconds ?? 0) : 0
  if (asked_seconds > retry_after_max_seconds) return null
  return Math.max(jittered, asked_seconds * 1000)
}

type Try = { tries: number; retries_max: number; chance: number; key_is_own: boolean }

/**
 * A conflict passes only where the first request is still running. `idempotency_key_reused` may mean that, but also that
 * the key belongs to another body, which no waiting mends; unless only this call can have sent it before.
 */
function isPassing(error: unknown, sent_before: boolean): boolean {
  if (error instanceof ConnectionError) return true
  if (!(error instanceof ApiError) || error.code === 'response_too_large') return false
  if (error.code === 'idempotency_key_reused') return sent_before
  return passing_statuses.includes(error.status) || error.code === 'idempotency_key_in_use'
}

/** The seconds that a Retry-After header asks for, which holds a number or a date; null without a usable one. */
export function retryAfterSeconds(header: string | null, now: Date): number | null {
  if (header === null) return null
  if (/^\d{1,9}$/.test(header.trim())) return Number(header)
  const at = Date.parse(header)
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - now.getTime()) / 1000))
}
