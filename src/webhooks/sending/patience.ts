// Waiting with a limit.

import type { Clock } from '../../kernel/world.ts'

/** Waits for work, but not longer than this. Rejects if the work fails in that time. */
export async function atMost(clock: Clock, limit_ms: number, work: Promise<unknown>): Promise<void> {
  const over = new AbortController()
  const limit = clock.sleep(limit_ms, over.signal).catch(() => {})
  try {
    await Promise.race([work, limit])
  } finally {
    over.abort()
  }
}
