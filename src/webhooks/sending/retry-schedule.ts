// When a delivery is tried again, and when it becomes a dead letter.

/** Seconds after each failed attempt: n delays make n + 1 attempts. */
export type RetrySchedule = readonly number[]

const hour = 3600

/** Up to this share of a delay is added to it, so that deliveries that failed together are not retried together. */
const jitter_share = 0.2
/** The longest rest that a receiver can request. */
const retry_after_max_seconds = 24 * hour

export function attemptsMax(schedule: RetrySchedule): number {
  return schedule.length + 1
}

/**
 * When the attempt after a failed one is due, or null after the last one. `chance` is from 0 up to 1. Only 429 and 503
 * may request a rest, and only a longer one than ours.
 */
export function nextRetryAt(
  attempt: {
    attempt_number: number
    ended_at: Date
    response_status_code: number | null
    retry_after_seconds: number | null
  },
  schedule: RetrySchedule,
  chance: number,
): Date | null {
  const delay = schedule[attempt.attempt_number - 1]
  if (delay === undefined) return null
  const seconds = Math.max(delay * (1 + jitter_share * chance), restOf(attempt))
  return new Date(attempt.ended_at.getTime() + Math.round(seconds * 1000))
}

/** The rest in seconds that a receiver requested, or 0. */
export function restOf(answer: { response_status_code: number | null; retry_after_seconds: number | null }): number {
  if (answer.response_status_code !== 429 && answer.response_status_code !== 503) return 0
  return Math.min(answer.retry_after_seconds ?? 0, retry_after_max_seconds)
}

/**
 * How long a breaker may hold a delivery back: the whole schedule at its slowest, and a day. After that the delivery is
 * overdue: its attempts are made on schedule even while the breaker is open, so that it is given up in the end.
 */
export function breakerPatienceMs(schedule: RetrySchedule): number {
  const seconds = schedule.reduce((sum, delay) => sum + delay, 0) * (1 + jitter_share) + 24 * hour
  return seconds * 1000
}
