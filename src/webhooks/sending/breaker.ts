// The circuit breaker of an endpoint: after enough failures nothing is sent for a while, and then one delivery as a
// probe.

/** The results of the last attempts, newest last, and the end of the pause if the breaker is open. */
export type Breaker = {
  recent: readonly boolean[]
  consecutive_failures: number
  open_until_ms: number | null
  /** How often it has reopened since it was last closed. */
  reopen_count: number
  /** When it last opened or closed. */
  changed_ms: number
}

/** The part of a breaker that the database stores. */
export type StoredBreaker = Pick<Breaker, 'open_until_ms' | 'reopen_count' | 'changed_ms'>

export const closedBreaker: Breaker = {
  recent: [],
  consecutive_failures: 0,
  open_until_ms: null,
  reopen_count: 0,
  changed_ms: 0,
}

const consecutive_min = 5
const recent_max = 20
const failed_share = 0.8
const open_ms = 30_000
const longest_open_ms = 15 * 60_000
/** Added or subtracted, so that the probes of several processes and endpoints spread out. */
const spread = 0.2

/** The breaker's state. After its time is over an open breaker is half-open: it lets one attempt through at a time. */
export function breakerState(breaker: Breaker, now_ms: number): 'closed' | 'open' | 'half_open' {
  if (breaker.open_until_ms === null) return 'closed'
  return now_ms < breaker.open_until_ms ? 'open' : 'half_open'
}

export type AttemptEnd = {
  succeeded: boolean
  ended_ms: number
  /** The longest delay of the retry schedule. No delivery waits longer than the schedule allows. */
  open_max_ms: number
}

/** The breaker after an attempt. `chance` is from 0 up to 1. */
export function afterAttempt(breaker: Breaker, attempt: AttemptEnd, chance: number): Breaker {
  const { succeeded, ended_ms } = attempt
  if (succeeded) {
    if (breaker.open_until_ms !== null) {
      return { ...closedBreaker, changed_ms: changeTime(breaker, ended_ms) }
    }
    return { ...breaker, recent: remember(breaker.recent, true), consecutive_failures: 0 }
  }
  const recent = remember(breaker.recent, false)
  const consecutive_failures = breaker.consecutive_failures + 1
  const failed = { ...breaker, recent, consecutive_failures }
  switch (breakerState(breaker, ended_ms)) {
    case 'open':
      // The breaker is open already: the attempt began before it opened, or was the last one of its delivery.
      return failed
    case 'half_open':
      return open(failed, breaker.reopen_count + 1, attempt, chance)
    case 'closed':
      return shouldOpen(failed) ? open(failed, 0, attempt, chance) : failed
  }
}

/** Takes over the state that another process wrote, if it is newer than ours. */
export function adopt(breaker: Breaker, other: StoredBreaker): Breaker {
  if (other.changed_ms <= breaker.changed_ms) return breaker
  if (other.open_until_ms !== null) return { ...breaker, ...other }
  return breaker.open_until_ms === null ? breaker : { ...closedBreaker, ...other }
}

function shouldOpen({ recent, consecutive_failures }: Breaker): boolean {
  const failures = recent.filter((succeeded) => !succeeded).length
  return consecutive_failures >= consecutive_min && failures >= recent.length * failed_share
}

function open(breaker: Breaker, reopen_count: number, { ended_ms, open_max_ms }: AttemptEnd, chance: number): Breaker {
  const length_ms = Math.min(open_ms * 2 ** reopen_count, longest_open_ms, open_max_ms)
  const open_until_ms = ended_ms + Math.round(length_ms * (1 + spread * (2 * chance - 1)))
  return { ...breaker, reopen_count, open_until_ms, changed_ms: changeTime(breaker, ended_ms) }
}

/** Later than the previous change, whatever the clock says, because only the newest state is kept. */
function changeTime(breaker: Breaker, now_ms: number): number {
  return Math.max(now_ms, breaker.changed_ms + 1)
}

function remember(recent: readonly boolean[], succeeded: boolean): boolean[] {
  return [...recent.slice(-(recent_max - 1)), succeeded]
}
