// Waits, until the time is over or a signal ends the wait.

import { setTimeout } from 'node:timers/promises'

/** Throws the signal's reason if the signal ends the wait. */
export async function pause(duration_ms: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await setTimeout(duration_ms, undefined, { signal })
  } catch (error) {
    throw signal?.aborted ? signal.reason : error
  }
}
