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

/** A bell for each name, such as a merchant's id. */
export type Bells = {
  /** Calls whoever hears this one. */
  ring(name: string): void
  /** Returns what ends it. */
  hear(name: string, listener: () => void): () => void
}

export function openBells(): Bells {
  const heard = new Map<string, Set<() => void>>()
  return {
    ring(name) {
      for (const listener of heard.get(name) ?? []) listener()
    },
    hear(name, listener) {
      const listeners = heard.get(name) ?? new Set()
      heard.set(name, listeners.add(listener))
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0 && heard.get(name) === listeners) heard.delete(name)
      }
    },
  }
}
