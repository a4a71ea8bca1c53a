// Ends a process in order, and within a time: what does not end by then is named, and left to the next process.

import { atMost } from './webhooks/patience.ts'
import type { World } from './world.ts'

/** What is ended before the next: its name is for the log. */
export type Step = { name: string; end(): Promise<void> }

export type Stopping = {
  /** What goes on before anything is ended. */
  drain: { seconds: number; over(): Promise<void> }
  steps: readonly Step[]
}

/**
 * After the drain. A charge may take 30 s, and a statement on which a database falls silent 20 to 22 s, before and after it.
 * Who stops services is told to allow 90 s, so that this comes before the power is cut.
 */
export const stop_limit_ms = 80_000

/** Resolves with whether all has ended. Where it has not, the process must end all the same. */
export async function stopInOrder(
  { clock, log }: Pick<World, 'clock' | 'log'>,
  { drain, steps }: Stopping,
): Promise<boolean> {
  log.info({ drain_seconds: drain.seconds }, 'stopping')
  const left = steps.map(({ name }) => name)
  const endAll = async () => {
    for (const { end } of steps) {
      await end()
      left.shift()
    }
  }
  try {
    await drain.over()
    await atMost(clock, stop_limit_ms, endAll())
  } catch (error) {
    log.error({ error: (error as Error).message, left }, 'stop failed')
    return false
  }
  if (left.length > 0) {
    log.error({ left, limit_seconds: stop_limit_ms / 1000 }, 'stopped without waiting any longer')
    return false
  }
  log.info({}, 'stopped')
  return true
}
