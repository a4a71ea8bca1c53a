// The search for orphans goes through what an acquirer holds window by window, oldest first.

/** What an acquirer is asked for in one go. Both times belong to it. */
export type SweepWindow = { since: Date; until: Date }

/** What is younger may belong to a charge that is under way. */
const settling_ms = 2 * 60_000
/** Each sweep looks once more at the end of the last one: clocks differ, and an acquirer's list may lag. */
const overlap_ms = 10 * 60_000
/** So far back goes the first sweep of an acquirer. */
const first_ms = 24 * 3_600_000
/** What an acquirer may have to tell of in one answer. */
const window_ms = 3_600_000
/** Two days a run: after a long outage several runs catch up. */
const windows_max = 48

/** Where the next sweep goes, oldest first. `swept_until` is null where there was none. */
export function windowsToSweep(swept_until: Date | null, now: Date): SweepWindow[] {
  const end_ms = now.getTime() - settling_ms
  // A clock that was put back leaves an end behind that lies ahead.
  const start_ms = swept_until
    ? Math.min(swept_until.getTime(), end_ms) - overlap_ms
    : now.getTime() - first_ms
  const windows: SweepWindow[] = []
  for (let at_ms = start_ms; at_ms < end_ms && windows.length < windows_max; at_ms += window_ms) {
    const until_ms = Math.min(at_ms + window_ms, end_ms)
    windows.push({ since: new Date(at_ms), until: new Date(until_ms) })
  }
  return windows
}

/** Whether nothing is left for the next run. */
export function catchUp(windows: SweepWindow[]): boolean {
  return windows.length < windows_max
}
