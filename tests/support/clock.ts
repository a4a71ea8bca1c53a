// A clock for tests that stands still until it is moved.

import type { Clock } from '../../src/kernel/world.ts'

export type ManualClock = Clock & {
  /** Moves time on, or back where it is negative, waking sleepers in order of their hour and letting each run before the next. */
  advance(duration_ms: number): Promise<void>
  /** Resolves once somebody sleeps at least so long: the moment to call `advance`. */
  sleepers(minimum_ms?: number): Promise<void>
}

type Sleeper = { wakes_at: number; duration_ms: number; wake: () => void }

export function manualClock(start: Date = new Date('2026-09-01T12:00:00Z')): ManualClock {
  let now = start.getTime()
  const sleeping = new Set<Sleeper>()
  const watching = new Set<() => void>()

  function sleep(duration_ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.reject(signal.reason)
    if (duration_ms <= 0) return settled()
    return new Promise((resolve, reject) => {
      const sleeper: Sleeper = {
        wakes_at: now + duration_ms,
        duration_ms,
        wake() {
          sleeping.delete(sleeper)
          signal?.removeEventListener('abort', abort)
          resolve()
        },
      }
      function abort() {
        sleeping.delete(sleeper)
        reject(signal?.reason)
      }
      signal?.addEventListener('abort', abort, { once: true })
      sleeping.add(sleeper)
      for (const look of watching) look()
    })
  }

  async function advance(duration_ms: number): Promise<void> {
    const end = now + duration_ms
    await settled()
    for (;;) {
      const next = [...sleeping].filter((sleeper) => sleeper.wakes_at <= end).sort((a, b) => a.wakes_at - b.wakes_at)[0]
      if (!next) break
      now = Math.max(now, next.wakes_at)
      next.wake()
      await settled()
    }
    // Somebody else may have moved it further meanwhile. To put it back has to be meant.
    if (duration_ms < 0 || end > now) now = end
  }

  function sleepers(minimum_ms = 0): Promise<void> {
    const found = () => [...sleeping].some((sleeper) => sleeper.duration_ms >= minimum_ms)
    if (found()) return Promise.resolve()
    return new Promise((resolve) => {
      const look = () => {
        if (!found()) return
        watching.delete(look)
        resolve()
      }
      watching.add(look)
    })
  }

  return { now: () => new Date(now), sleep, advance, sleepers }
}

/** One turn of the event loop: every promise that could go on has gone on. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
