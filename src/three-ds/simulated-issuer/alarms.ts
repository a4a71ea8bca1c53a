// The waits of this process, at most one for each challenge.

import type { World } from '../../kernel/world.ts'

export type Alarms = {
  /** Acts after this time, unless another alarm is set for the same challenge before. A failure is logged. */
  set(id: string, duration_ms: number, act: () => Promise<unknown>): void
  cancel(id: string): void
  close(): void
}

/** Beyond this number no alarm is set. */
export const alarms_max = 10_000

export function openAlarms({ clock, log }: Pick<World, 'clock' | 'log'>): Alarms {
  const waiting = new Map<string, AbortController>()
  let is_closed = false

  function cancel(id: string): void {
    waiting.get(id)?.abort()
    waiting.delete(id)
  }

  return {
    set(id, duration_ms, act) {
      cancel(id)
      if (is_closed || waiting.size >= alarms_max) return
      const alarm = new AbortController()
      waiting.set(id, alarm)
      clock.sleep(duration_ms, alarm.signal).then(
        () => {
          waiting.delete(id)
          act().catch((error: Error) => {
            log.warn({ error: error.message }, 'simulated challenge left to another try')
          })
        },
        // Aborted: something else happened in time.
        () => {},
      )
    },
    cancel,
    close() {
      is_closed = true
      for (const id of waiting.keys()) cancel(id)
    },
  }
}
