// What this process knows of one endpoint: how much may be under way there at once, and whether it can be trusted to answer.

import type { Standing } from '../queue/claim-store.ts'
import { type AttemptEnd, afterAttempt, type Breaker, closed_breaker, stateOf } from './breaker.ts'

export type Lane = {
  /** Attempts that may be under way at once. */
  window: number
  /** Attempts under way, by id, with when they began. */
  under_way: Map<string, { began_ms: number; is_retry: boolean }>
  /** Moving average of how long an answer takes; null before the first. */
  answer_ms: number | null
  /** It answered the last attempt with 2xx. */
  is_well: boolean
  breaker: Breaker
  /** The receiver asked for a rest until then. */
  resting_until_ms: number
  last_used_ms: number
}

export const first_window = 4
export const window_max = 64
/** Of deliveries that are overdue, while nothing else passes. */
const overdue_window = 16
export const new_window = 1
/** Who fails or is slow must leave room for others of the kind. */
const other_window_max = 8
const slow_answer_ms = 1_000
const slow_under_way_ms = 500
const newest_weight = 0.2
/** A rest that a receiver asks for holds up all of its endpoint, but not for longer than this. */
export const rest_max_ms = 15 * 60_000

export function newLane(): Lane {
  return {
    window: first_window,
    under_way: new Map(),
    answer_ms: null,
    is_well: false,
    breaker: closed_breaker,
    resting_until_ms: 0,
    last_used_ms: 0,
  }
}

/** How many attempts more may begin. Retries have half of the window, so that new events find room. */
export function roomOf(lane: Lane, isRetry: boolean, now_ms: number): number {
  const { size } = lane.under_way
  if (isNew(lane)) return Math.max(0, new_window - size)
  if (isShut(lane, now_ms)) return Math.max(0, overdue_window - size)
  // Half-open: one, to see.
  if (stateOf(lane.breaker, now_ms) === 'half_open') return size === 0 ? 1 : 0
  const window = answersSoon(lane, now_ms) ? lane.window : Math.min(lane.window, other_window_max)
  const left = window - size
  if (!isRetry) return Math.max(0, left)
  const retries = [...lane.under_way.values()].filter(({ is_retry }) => is_retry).length
  return Math.max(0, Math.min(left, Math.max(1, Math.floor(window / 2)) - retries))
}

/** Who answers, and soon, is trusted with any free slot. Of who was never heard one answer is waited for. */
export function standingOf(lane: Lane, now_ms: number): Standing {
  if (isShut(lane, now_ms)) return 'shut'
  if (isNew(lane)) return 'new'
  return answersSoon(lane, now_ms) ? 'trusted' : 'other'
}

function isNew(lane: Lane): boolean {
  return lane.answer_ms === null && lane.breaker.open_until_ms === null
}

function isShut(lane: Lane, now_ms: number): boolean {
  return now_ms < lane.resting_until_ms || stateOf(lane.breaker, now_ms) === 'open'
}

function answersSoon(lane: Lane, now_ms: number): boolean {
  if (!lane.is_well || lane.answer_ms === null || lane.answer_ms > slow_answer_ms) return false
  // In order of their beginning: the first is the oldest.
  const [oldest] = lane.under_way.values()
  return oldest === undefined || now_ms - oldest.began_ms <= slow_under_way_ms
}

export function begin(
  lane: Lane,
  { attempt_id, is_retry }: { attempt_id: string; is_retry: boolean },
  now_ms: number,
): void {
  lane.under_way.set(attempt_id, { began_ms: now_ms, is_retry })
  lane.last_used_ms = now_ms
}

export type EndedAttempt = AttemptEnd & {
  attempt_id: string
  /** What went wrong was this machine's fault: it says nothing of the endpoint. */
  is_our_fault: boolean
  rest_seconds: number
}

/**
 * Notes how an attempt ended, and tells whether there was no room for another of its kind, so that more may wait. The
 * window grows by one with each success while it is full, halves with each failure, and begins at one after a breaker was
 * open, then doubles: who comes back is not overrun.
 */
export function end(lane: Lane, attempt: EndedAttempt, chance: number): { was_full: boolean } {
  const { succeeded, ended_ms } = attempt
  const began = lane.under_way.get(attempt.attempt_id)!
  const was_full = roomOf(lane, began.is_retry, ended_ms) === 0
  lane.under_way.delete(attempt.attempt_id)
  lane.last_used_ms = ended_ms
  if (attempt.is_our_fault) return { was_full }
  const took_ms = ended_ms - began.began_ms
  lane.answer_ms =
    lane.answer_ms === null ? took_ms : lane.answer_ms + (took_ms - lane.answer_ms) * newest_weight
  const wasOpen = lane.breaker.open_until_ms !== null
  lane.breaker = afterAttempt(lane.breaker, attempt, chance)
  lane.is_well = succeeded
  if (attempt.rest_seconds > 0) {
    const rest_ms = Math.min(attempt.rest_seconds * 1000, rest_max_ms)
    lane.resting_until_ms = Math.max(lane.resting_until_ms, ended_ms + rest_ms)
  }
  if (wasOpen) lane.window = 1
  else if (!succeeded) lane.window = Math.max(1, Math.floor(lane.window / 2))
  else if (was_full) {
    const grown = lane.window < first_window ? lane.window * 2 : lane.window + 1
    lane.window = Math.min(window_max, grown)
  }
  return { was_full }
}

/** Nothing is known of it that a claim would have to know: it is like one that was never heard of. */
export function isQuiet(lane: Lane, now_ms: number): boolean {
  const idle_ms = now_ms - lane.last_used_ms
  return (
    lane.under_way.size === 0 &&
    lane.breaker.open_until_ms === null &&
    (isNew(lane) || (standingOf(lane, now_ms) === 'other' && idle_ms > quiet_ms))
  )
}

const quiet_ms = 10 * 60_000
