// A bell in this process: rung by whoever has brought something about, heard by whoever waits for it.

import type { Clock } from './world.ts'

export type Bell = {
  ring(): void
  /** What rang before counts no more. */
  still(): void
  /** Until it rings, or so long. Ends at once where it rang since it was stilled. */
  wait(clock: Clock, at_most_ms: number): Promise<void>
}

/** Rings for whoever waits, and for whoever comes to wait after it rang. */
export function openBell(): Bell {
  let rung = false
  let wakeUp: () => void = () => {}
  return {
    ring() {
      rung = true
      wakeUp()
    },
    still() {
      rung = false
    },
    async wait(clock, at_most_ms) {
      if (rung) return
      const awake = new AbortController()
      wakeUp = () => awake.abort()
      await clock.sleep(at_most_ms, awake.signal).catch(() => {})
      wakeUp = () => {}
    },
  }
}
