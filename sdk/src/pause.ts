// Waiting, which a signal can end.

import { setTimeout } from 'node:timers/promises'

/** Throws the signal's reason where it ends the wait. */
export async function pause(duration_ms: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await setTimeout(duration_ms, undefined, { signal })
  } catch (error) {
    throw signal?.aborted ? signal.reason : error
  }
}
