// Waiting that ends.

import type { Clock } from '../../kernel/world.ts'

/** Waits for work, but not for longer than this. Work that fails in time fails here. */
export async function atMost(
  clock: Clock,
  limit_ms: number,
  work: Promise<unknown>,
): Promise<void> {
  const over = new AbortController()
  const limit = clock.sleep(limit_ms, over.signal).catch(() => {})
  try {
    await Promise.race([work, limit])
  } finally {
    over.abort()
  }
}
