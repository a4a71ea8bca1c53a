// Sums up in the log what others can bring about as often as they like: a line for each would fill the disk.

import type { Clock } from '../kernel/world.ts'

export const told_every_ms = 60_000

export type Tally = {
  count(): void
  /** Tells what is left now. A count that comes later is told at once. */
  close(): void
}

/** The first is told at once, with what comes after it once a minute: how many there were since. */
export function openTally(clock: Pick<Clock, 'sleep'>, tell: (times: number) => void): Tally {
  const over = new AbortController()
  let times = 0
  let is_telling = false

  async function tellOn(): Promise<void> {
    is_telling = true
    while (times > 0) {
      tell(times)
      times = 0
      await clock.sleep(told_every_ms, over.signal).catch(() => {})
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
