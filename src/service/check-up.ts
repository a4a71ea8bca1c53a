// The doctor's look at the whole installation, for the dashboard: one at a time, and kept for half a minute.

import type { CheckUp } from '../context.ts'
import type { Clock } from '../kernel/world.ts'

export const check_up_kept_ms = 30_000

/** Runs the check only if the last one is older. Simultaneous callers wait for the same one. */
export function openCheckUp(
  { clock }: { clock: Pick<Clock, 'now'> },
  examine: () => Promise<CheckUp['checks']>,
): () => Promise<CheckUp> {
  let last: CheckUp | null = null
  let runningLook: Promise<CheckUp> | null = null
  const look = async (): Promise<CheckUp> => {
    const looked_at = clock.now()
    last = { looked_at, checks: await examine() }
    return last
  }
  return async () => {
    if (runningLook) return runningLook
    if (last && clock.now().getTime() - last.looked_at.getTime() < check_up_kept_ms) return last
    runningLook = look().finally(() => {
      runningLook = null
    })
    return runningLook
  }
}
