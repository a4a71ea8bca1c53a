// What this process knows about one endpoint: how many attempts it may have under way, and whether it answers reliably.

import type { Standing } from '../queue/claim-store.ts'
import {
  type AttemptEnd,
  adopt,
  afterAttempt,
  type Breaker,
  breakerState,
  closedBreaker,
  type StoredBreaker,
} from './breaker.ts'

export type Lane = {
  /** Attempts that may be under way at once. */
  window: number
  /** Attempts under way by id, with the time at which they began. */
  under_way: Map<string, { began_ms: number; is_retry: boolean }>
  /** Moving average of the time to an answer; null before the first one. */
  answer_ms: number | null
  /** It answered the last attempt with 2xx. */
  is_well: boolean
  breaker: Breaker
  /** The receiver requested a rest until then. */
  resting_until_ms: number
  last_used_ms: number
}

export const first_window = 4
/**
 * The limit for all processes together. Each process has an equal share, and at least one. The same is true of the
 * windows below.
 */
export const window_max = 64
/** Attempts of overdue deliveries, while nothing else may pass. */
const overdue_window = 16
export const new_window = 1
/** An endpoint that fails or is slow must leave room for others like it. */
const other_window_max = 8
const slow_answer_ms = 1_000
const slow_under_way_ms = 500
const newest_weight = 0.2
/** The longest rest that a receiver can request: it holds up all deliveries of its endpoint. */
export const rest_max_ms = 15 * 60_000

export function newLane(): Lane {
  return {
    window: first_window,
    under_way: new Map(),
    answer_ms: null,
    is_well: false,
    breaker: closedBreaker,
    resting_until_ms: 0,
    last_used_ms: 0,
  }
}

function shareOf(window: number, processes: number): number {
  return Math.max(1, Math.floor(window / processes))
}

/**
 * How many more attempts this process may begin if `processes` deliver. Retries get half of the window, so that new
 * events find room.
 */
export function roomOf(lane: Lane, is_retry: boolean, now_ms: number, processes = 1): number {
  const { size } = lane.under_way
  if (isNew(lane)) return Math.max(0, new_window - size)
  if (isShut(lane, now_ms)) return Math.max(0, shareOf(overdue_window, processes) - size)
  // Half-open: one probe.
  if (breakerState(lane.breaker, now_ms) === 'half_open') return size === 0 ? 1 : 0
  const most = answersSoon(lane, now_ms) ? window_max : other_window_max
  const window = Math.min(lane.window, shareOf(most, processes))
  const free_slots = window - size
  if (!is_retry) return Math.max(0, free_slots)
  const retries = [...lane.under_way.values()].filter(({ is_retry }) => is_retry).length
  return Math.max(0, Math.min(free_slots, Math.max(1, Math.floor(window / 2)) - retries))
}

/** An endpoint that answers quickly may use any free slot. A new endpoint gets one attempt until it has answered. */
export function laneStanding(lane: Lane, now_ms: number): Standing {
  if (isShut(lane, now_ms)) return 'shut'
  if (isNew(lane)) return 'new'
  return answersSoon(lane, now_ms) ? 'trusted' : 'other'
}

function isNew(lane: Lane): boolean {
  return lane.answer_ms === null && lane.breaker.open_until_ms === null
}

function isShut(lane: Lane, now_ms: number): boolean {
  return now_ms < lane.resting_until_ms || breakerState(lane.breaker, now_ms) === 'open'
}

function answersSoon(lane: Lane, now_ms: number): boolean {
  if (!lane.is_well || lane.answer_ms === null || lane.answer_ms > slow_answer_ms) return false
  // Entries are in the order in which they began: the first is the oldest.
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

export type AttemptResult = AttemptEnd & {
  attempt_id: string
  /** This machine caused the failure, so it says nothing about the endpoint. */
  is_our_fault: boolean
  rest_seconds: number
}

/**
 * Notes how an attempt ended. Returns whether the lane was full for its kind, so that more deliveries may wait. While
 * it is full, the window grows by one with each success; each failure halves it. After an open breaker it begins at one
 * and doubles, so that a recovering endpoint is not overrun.
 */
export function end(lane: Lane, attempt: AttemptResult, chance: number, processes = 1): { was_full: boolean } {
  const { succeeded, ended_ms } = attempt
  const began = lane.under_way.get(attempt.attempt_id)!
  const was_full = roomOf(lane, began.is_retry, ended_ms, processes) === 0
  lane.under_way.delete(attempt.attempt_id)
  lane.last_used_ms = ended_ms
  if (attempt.is_our_fault) return { was_full }
  const took_ms = ended_ms - began.began_ms
  lane.answer_ms = lane.answer_ms === null ? took_ms : lane.answer_ms + (took_ms - lane.answer_ms) * newest_weight
  const was_open = lane.breaker.open_until_ms !== null
  lane.breaker = afterAttempt(lane.breaker, attempt, chance)
  lane.is_well = succeeded
  if (attempt.rest_seconds > 0) {
    const rest_ms = Math.min(attempt.rest_seconds * 1000, rest_max_ms)
    lane.resting_until_ms = Math.max(lane.resting_until_ms, ended_ms + rest_ms)
  }
  const share = shareOf(window_max, processes)
  if (was_open) lane.window = 1
  else if (!succeeded) lane.window = Math.max(1, Math.floor(Math.min(lane.window, share) / 2))
  else if (was_full) {
    const next_window = lane.window < first_window ? lane.window * 2 : lane.window + 1
    lane.window = Math.min(share, next_window)
  }
  return { was_full }
}

/**
 * Takes over a breaker's state that another process wrote. That process sends the probe first, and this one waits
 * `longer_ms` more.
 */
export function hear(lane: Lane, state: StoredBreaker, longer_ms: number): void {
  const { open_until_ms } = state
  const was_open = lane.breaker.open_until_ms !== null
  const later = open_until_ms === null ? state : { ...state, open_until_ms: open_until_ms + longer_ms }
  lane.breaker = adopt(lane.breaker, later)
  if (was_open && lane.breaker.open_until_ms === null) lane.window = 1
}

/** Whether the lane is like that of a new endpoint, so that claims need not know it. */
export function isQuiet(lane: Lane, now_ms: number): boolean {
  const idle_ms = now_ms - lane.last_used_ms
  return (
    lane.under_way.size === 0 &&
    lane.breaker.open_until_ms === null &&
    (isNew(lane) || (laneStanding(lane, now_ms) === 'other' && idle_ms > quiet_ms))
  )
}

const quiet_ms = 10 * 60_000
