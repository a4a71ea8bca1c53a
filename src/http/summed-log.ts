// Sums up log lines that strangers can cause at will: a line for each would fill the disk.

import type { Clock } from '../kernel/world.ts'

export const report_interval_ms = 60_000

export type Tally = {
  count(): void
  /** Logs the rest now. A later count is logged at once. */
  close(): void
}

/** Logs the first count at once, and later ones once a minute with their number. */
export function openTally(clock: Pick<Clock, 'sleep'>, tell: (times: number) => void): Tally {
  const over = new AbortController()
  let times = 0
  let is_telling = false

  async function tellOn(): Promise<void> {
    is_telling = true
    while (times > 0) {
      tell(times)
      times = 0
      await clock.sleep(report_interval_ms, over.signal).catch(() => {})
    }
    is_telling = false
  }

  return {
    count() {
      times += 1
      if (!is_telling) void tellOn()
    },
    close: () => over.abort(),
  }
}
