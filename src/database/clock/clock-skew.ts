// How far the process's clock is from the database's: what a reading of both shows, its error, and its wording.

/** Leases and deadlines allow for clocks that differ by seconds. A larger difference may cost money. */
export const clock_skew_max_ms = 2_000
/** A larger difference would give sessions and deadlines absurd times, so such a process changes nothing. */
const far_off_ms = 60_000
/** A reading with an error this small is judged even if the bound lies within the error. */
const error_max_ms = 250
/** A clock that is corrected gradually moves by 30 ms a minute. */
const jump_max_ms = 1_000

/** Both clocks, read once. Times are milliseconds since 1970. A deliberate offset is already subtracted. */
export type ClockReading = {
  /** The process's clock before the question and after the answer. */
  asked_ms: number
  answered_ms: number
  /** Measured by a steady clock, which is never set. */
  round_trip_ms: number
  database_ms: number
}

/**
 * `ahead_ms`: how far the process's clock is ahead of the database's; negative if it is behind. `error_ms`: in either
 * direction.
 */
export type ClockSkew = { ahead_ms: number; error_ms: number }

/** `unclear`: the answer took so long that the bound lies within the error, so another reading is needed. */
export type SkewVerdict = 'right' | 'wrong' | 'unclear'

/** The database read its clock at some time between question and answer. A clock that was set meanwhile adds to the error. */
export function skewOf(reading: ClockReading): ClockSkew {
  const { asked_ms, answered_ms, round_trip_ms, database_ms } = reading
  const set_by_ms = Math.abs(answered_ms - asked_ms - round_trip_ms)
  return {
    ahead_ms: (asked_ms + answered_ms) / 2 - database_ms,
    error_ms: round_trip_ms / 2 + set_by_ms,
  }
}

/** A clock is wrong only beyond doubt: a slow answer is no skew. */
export function judgeSkew({ ahead_ms, error_ms }: ClockSkew): SkewVerdict {
  const off_ms = Math.abs(ahead_ms)
  if (off_ms - error_ms > clock_skew_max_ms) return 'wrong'
  return off_ms + error_ms <= clock_skew_max_ms || error_ms <= error_max_ms ? 'right' : 'unclear'
}

/** Whether the clock is so wrong that requests must change nothing. */
export function isFarOff({ ahead_ms, error_ms }: ClockSkew): boolean {
  return Math.abs(ahead_ms) - error_ms > far_off_ms
}

/** The process's clock and the steady clock, read at the same moment. */
export type ClockPair = { wall_ms: number; steady_ms: number }

/**
 * Whether the process's clock was set in between. After a pause of the process both clocks have moved alike. After a sleep of
 * the machine they may differ, and the only cost is another comparison.
 */
export function hasJumped(before: ClockPair, now: ClockPair): boolean {
  const drift_ms = now.wall_ms - before.wall_ms - (now.steady_ms - before.steady_ms)
  return Math.abs(drift_ms) > jump_max_ms
}

/** `5 s ahead of`, `2.4 s behind`. */
export function skewWords(ahead_ms: number): string {
  const seconds = Math.abs(ahead_ms) / 1000
  const rounded_seconds = seconds < 10 ? Math.round(seconds * 10) / 10 : Math.round(seconds)
  return `${rounded_seconds} s ${ahead_ms > 0 ? 'ahead of' : 'behind'}`
}

/** Describes the fault of a clock: the direction and the size of the difference. */
export function faultWords({ ahead_ms }: ClockSkew): string {
  const tolerance = `${clock_skew_max_ms / 1000} s are allowed`
  return `the clock of this process is ${skewWords(ahead_ms)} the database's (${tolerance})`
}
