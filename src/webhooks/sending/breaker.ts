// The circuit breaker of an endpoint: after enough failures nothing is sent for a while, then one delivery to see.

/** How the last attempts went, newest last, and, where it is open, until when. */
export type Breaker = {
  recent: readonly boolean[]
  consecutive_failures: number
  open_until_ms: number | null
  /** How often it has opened again since it was last closed. */
  reopen_count: number
  /** When it last opened or closed. */
  changed_ms: number
}

/** What is kept of a breaker in the database. */
export type SeenBreaker = Pick<Breaker, 'open_until_ms' | 'reopen_count' | 'changed_ms'>

export const closed_breaker: Breaker = {
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
/** Added or taken, so that the probes of several processes and endpoints spread. */
const spread = 0.2

/** May something be sent? Open, it lets one attempt at a time through once its time is over: half-open. */
export function stateOf(breaker: Breaker, now_ms: number): 'closed' | 'open' | 'half_open' {
  if (breaker.open_until_ms === null) return 'closed'
  return now_ms < breaker.open_until_ms ? 'open' : 'half_open'
}

export type AttemptEnd = {
  succeeded: boolean
  ended_ms: number
  /** The longest delay of the retry schedule: nothing waits for longer than it might have anyway. */
  open_max_ms: number
}

/** After an attempt. `chance` is from 0 up to 1. */
export function afterAttempt(breaker: Breaker, attempt: AttemptEnd, chance: number): Breaker {
  const { succeeded, ended_ms } = attempt
  if (succeeded) {
    if (breaker.open_until_ms !== null) {
      return { ...closed_breaker, changed_ms: changeTime(breaker, ended_ms) }
    }
    return { ...breaker, recent: remember(breaker.recent, true), consecutive_failures: 0 }
  }
  const recent = remember(breaker.recent, false)
  const consecutive_failures = breaker.consecutive_failures + 1
  const failed = { ...breaker, recent, consecutive_failures }
  switch (stateOf(breaker, ended_ms)) {
    case 'open':
      // An attempt that was under way when it opened, or a last one: it is open already.
      return failed
    case 'half_open':
      return open(failed, breaker.reopen_count + 1, attempt, chance)
    case 'closed':
      return shouldOpen(failed) ? open(failed, 0, attempt, chance) : failed
  }
}

/** What another process learned, where it is newer than what is known here. */
export function adopt(breaker: Breaker, seen: SeenBreaker): Breaker {
  if (seen.changed_ms <= breaker.changed_ms) return breaker
  if (seen.open_until_ms !== null) return { ...breaker, ...seen }
  return breaker.open_until_ms === null ? breaker : { ...closed_breaker, ...seen }
}

function shouldOpen({ recent, consecutive_failures }: Breaker): boolean {
  const failures = recent.filter((succeeded) => !succeeded).length
  return consecutive_failures >= consecutive_min && failures >= recent.length * failed_share
}

function open(
  breaker: Breaker,
  reopen_count: number,
  { ended_ms, open_max_ms }: AttemptEnd,
  chance: number,
): Breaker {
  const length_ms = Math.min(open_ms * 2 ** reopen_count, longest_open_ms, open_max_ms)
  const open_until_ms = ended_ms + Math.round(length_ms * (1 + spread * (2 * chance - 1)))
  return { ...breaker, reopen_count, open_until_ms, changed_ms: changeTime(breaker, ended_ms) }
}

/** After the change before it, whatever the clock of whoever saw that: only the newest is kept. */
function changeTime(breaker: Breaker, now_ms: number): number {
  return Math.max(now_ms, breaker.changed_ms + 1)
}

function remember(recent: readonly boolean[], succeeded: boolean): boolean[] {
  return [...recent.slice(-(recent_max - 1)), succeeded]
}
