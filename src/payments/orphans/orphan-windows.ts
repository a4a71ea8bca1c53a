// The search for orphans checks an acquirer's authorisations window by window, oldest first.

/** The times for which an acquirer is asked at once. Both are included. */
export type SweepWindow = { since: Date; until: Date }

/** A younger authorisation may belong to a charge that is under way. */
const settling_ms = 2 * 60_000
/** Each sweep repeats the end of the previous one: clocks differ, and an acquirer's list may lag. */
const overlap_ms = 10 * 60_000
/** How far back the first sweep of an acquirer reaches. */
const first_ms = 24 * 3_600_000
/** The length of time for which an acquirer is asked at once. */
const window_ms = 3_600_000
/** Each run covers two days, so that several runs catch up after a long outage. */
const windows_max = 48

/** The windows of the next sweep, oldest first. `swept_until` is null before the first one. */
export function windowsToSweep(swept_until: Date | null, now: Date): SweepWindow[] {
  const end_ms = now.getTime() - settling_ms
  // A clock that was put back leaves a `swept_until` in the future.
  const start_ms = swept_until ? Math.min(swept_until.getTime(), end_ms) - overlap_ms : now.getTime() - first_ms
  const windows: SweepWindow[] = []
  for (let at_ms = start_ms; at_ms < end_ms && windows.length < windows_max; at_ms += window_ms) {
    const until_ms = Math.min(at_ms + window_ms, end_ms)
    windows.push({ since: new Date(at_ms), until: new Date(until_ms) })
  }
  return windows
}

/** Whether the next run has nothing left to catch up with. */
export function catchUp(windows: SweepWindow[]): boolean {
  return windows.length < windows_max
}
