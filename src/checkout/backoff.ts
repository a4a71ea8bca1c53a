// How long to wait before a repeated try: longer each time, and with jitter.

/** At most this share of a wait is added or subtracted, so that what failed together is not repeated together. */
const jitter_share = 0.2

/**
 * When the try after `tries` failed ones is due. The last of `waits_seconds` holds for all later tries; `chance` is
 * from 0 up to 1.
 */
export function nextTryAt(
  waits_seconds: readonly number[],
  { tries, now, chance }: { tries: number; now: Date; chance: number },
): Date {
  const wait_seconds = waits_seconds[Math.min(Math.max(tries, 1), waits_seconds.length) - 1]!
  const factor = 1 - jitter_share + 2 * jitter_share * chance
  return new Date(now.getTime() + Math.round(wait_seconds * factor * 1000))
}
