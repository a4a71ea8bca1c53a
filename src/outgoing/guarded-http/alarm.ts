// A time limit on the service's clock.

import type { Clock } from '../../kernel/world.ts'

/** Calls `ring` when the time is over. Returns the function that cancels it. */
export function alarm(clock: Clock, duration_ms: number, ring: () => void): () => void {
  const off = new AbortController()
  clock.sleep(duration_ms, off.signal).then(ring, () => {})
  return () => off.abort(called_off)
}

// Without a reason of ours each abort would make an exception with its stack.
const called_off = 'called off'
