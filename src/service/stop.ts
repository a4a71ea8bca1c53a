// Ends a process in order and in time. A part that does not end by then is named in the log and left to the next
// process.

import type { World } from '../kernel/world.ts'
import { atMost } from '../webhooks/sending/patience.ts'

/** A part to end, with its name for the log. */
export type Stoppable = { name: string; end(): Promise<void> }

export type Stopping = {
  /** Runs before any part is ended. */
  drain: { seconds: number; over(): Promise<void> }
  /** Parts of one step are ended together. */
  steps: readonly (readonly Stoppable[])[]
}

/**
 * The time for everything after the drain. A charge may take 30 s, and a statement on a silent database 20 to 22 s
 * before and after it. Operators are advised to allow 90 s, so that this limit comes first.
 */
export const stop_limit_ms = 80_000

/** Resolves with whether every part ended. If not, the process must end all the same. */
export async function stopInOrder(
  { clock, log }: Pick<World, 'clock' | 'log'>,
  { drain, steps }: Stopping,
): Promise<boolean> {
  log.info({ drain_seconds: drain.seconds }, 'stopping')
  const openParts = new Set(steps.flat().map(({ name }) => name))
  let has_failed = false
  // A part that fails to end does not keep the others from it.
  const end = async (part: Stoppable) => {
    try {
      await part.end()
    } catch (error) {
      has_failed = true
      log.error({ part: part.name, error: (error as Error).message }, 'stop failed')
    }
    openParts.delete(part.name)
  }
  const endAll = async () => {
    await end({ name: 'drain', end: drain.over })
    for (const step of steps) await Promise.all(step.map(end))
  }
  await atMost(clock, drain.seconds * 1000 + stop_limit_ms, endAll())
  if (openParts.size > 0) {
    const fields = { left: [...openParts], limit_seconds: stop_limit_ms / 1000 }
    log.error(fields, 'stopped without waiting any longer')
    return false
  }
  if (!has_failed) log.info({}, 'stopped')
  return !has_failed
}
