// How long to wait before a repeated try: longer each time, and with jitter.

/** At most this share of a wait is added or subtracted, so that requests that failed together are not repeated together. */
const jitter_share = 0.2

/**
 * When to try again after `tries` failures. The last of `waits_seconds` applies to all later tries; `chance` is from 0 up to 1.
 */
export function nextTryAt(
  waits_seconds: readonly number[],
  { tries, now, chance }: { tries: number; now: Date; chance: number },
): Date {
  const wait_seconds = waits_seconds[Math.min(Math.max(tries, 1), waits_seconds.length) - 1]!
  const factor = 1 - jitter_share + 2 * jitter_share * chance
  return new Date(now.getTime() + Math.round(wait_seconds * factor * 1000))
}
