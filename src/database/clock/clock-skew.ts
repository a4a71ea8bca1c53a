// How far the process's clock is from the database's: what a reading of both shows, within which error, and in words.

/** Leases and deadlines allow for processes whose clocks differ by seconds; what is further off may cost money. */
export const clock_skew_max_ms = 2_000
/** What is further off would give sessions and deadlines times that nobody expects: such a process changes nothing. */
const far_off_ms = 60_000
/** A reading that is known so well may be judged even where the bound lies within its error. */
const error_max_ms = 250
/** Clocks that are set right bit by bit move by 30 ms a minute. */
const jump_max_ms = 1_000

/** Both clocks, read once. Times are milliseconds since 1970; an offset that is meant is taken off. */
export type ClockReading = {
  /** The process's clock before the question and after the answer. */
  asked_ms: number
  answered_ms: number
  /** By a clock that nobody sets. */
  round_trip_ms: number
  database_ms: number
}

/** `ahead_ms`: of the process's clock before the database's, negative where it is behind. `error_ms`: either way. */
export type ClockSkew = { ahead_ms: number; error_ms: number }

/** `unclear`: the answer took so long that the bound lies within the error. The reading has to be taken again. */
export type SkewVerdict = 'right' | 'wrong' | 'unclear'

/** The database was asked somewhere between question and answer. A clock that is set meanwhile makes for an error, too. */
export function skewOf(reading: ClockReading): ClockSkew {
  const { asked_ms, answered_ms, round_trip_ms, database_ms } = reading
  const set_by_ms = Math.abs(answered_ms - asked_ms - round_trip_ms)
  return {
    ahead_ms: (asked_ms + answered_ms) / 2 - database_ms,
    error_ms: round_trip_ms / 2 + set_by_ms,
  }
}

/** A clock is wrong where that is beyond doubt: a slow answer is no skew. */
export function judgeSkew({ ahead_ms, error_ms }: ClockSkew): SkewVerdict {
  const off_ms = Math.abs(ahead_ms)
  if (off_ms - error_ms > clock_skew_max_ms) return 'wrong'
  return off_ms + error_ms <= clock_skew_max_ms || error_ms <= error_max_ms ? 'right' : 'unclear'
}

/** Whether it is so wrong that requests must change nothing by it. */
export function isFarOff({ ahead_ms, error_ms }: ClockSkew): boolean {
  return Math.abs(ahead_ms) - error_ms > far_off_ms
}

/** What the process's clock and the one that nobody sets showed at the same moment. */
export type ClockPair = { wall_ms: number; steady_ms: number }

/**
 * Whether the process's clock was set in between. A process that was stopped finds both clocks moved alike; a machine that
 * slept may not, and then only has to compare again.
 */
export function hasJumped(before: ClockPair, now: ClockPair): boolean {
  const drift_ms = now.wall_ms - before.wall_ms - (now.steady_ms - before.steady_ms)
  return Math.abs(drift_ms) > jump_max_ms
}

/** `5 s ahead of`, `2.4 s behind`. */
export function skewWords(ahead_ms: number): string {
  const seconds = Math.abs(ahead_ms) / 1000
  const rounded = seconds < 10 ? Math.round(seconds * 10) / 10 : Math.round(seconds)
  return `${rounded} s ${ahead_ms > 0 ? 'ahead of' : 'behind'}`
}

/** What is wrong with a clock: which way, and by how much. */
export function faultWords({ ahead_ms }: ClockSkew): string {
  const allowed = `${clock_skew_max_ms / 1000} s are allowed`
  return `the clock of this process is ${skewWords(ahead_ms)} the database's (${allowed})`
}
