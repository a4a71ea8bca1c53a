// A bell in this process: code that causes something rings it, and code that waits for it wakes.

import type { Clock } from './world.ts'

export type Bell = {
  ring(): void
  /** Forgets earlier rings. */
  still(): void
  /** Waits until the bell rings, or for this long. Returns at once if it rang since `still`. */
  wait(clock: Clock, at_most_ms: number): Promise<void>
}

/** Wakes everything that waits, and the next wait that begins. */
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
  /** Calls every listener of this bell. */
  ring(name: string): void
  ringAll(): void
  /** Returns the function that removes the listener. */
  hear(name: string, listener: () => void): () => void
}

export function openBells(): Bells {
  const listenersByName = new Map<string, Set<() => void>>()
  return {
    ring(name) {
      for (const listener of listenersByName.get(name) ?? []) listener()
    },
    ringAll() {
      for (const listeners of listenersByName.values()) for (const listener of listeners) listener()
    },
    hear(name, listener) {
      const listeners = listenersByName.get(name) ?? new Set()
      listenersByName.set(name, listeners.add(listener))
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0 && listenersByName.get(name) === listeners) listenersByName.delete(name)
      }
    },
  }
}
