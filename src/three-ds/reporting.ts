// Logs why a connection's provider cannot be used, since shoppers only see that 3-D Secure is unavailable.

import type { ThreeDsConnection } from './connector.ts'
import { ProviderUnavailable } from './three-ds.ts'

/** Does the work, and throws what it throws. */
export type Reporting = <Result>(step: string, work: () => Promise<Result>) => Promise<Result>

const report_interval_ms = 60_000

/**
 * Logs the first failure of a connection at once. After that, one line a minute shows the newest failure and the number
 * since the last line, because each waiting challenge fails every few seconds. No timer is left behind, so failures
 * after the last line are only counted.
 */
export function openReporting({ name, world }: Pick<ThreeDsConnection<unknown>, 'name' | 'world'>): Reporting {
  let reported_ms: number | null = null
  let times = 0

  function report(step: string, reason: string): void {
    times += 1
    const now_ms = world.clock.now().getTime()
    const since_ms = reported_ms === null ? null : now_ms - reported_ms
    // A clock that was set back must not silence a connection.
    if (since_ms !== null && since_ms >= 0 && since_ms < report_interval_ms) return
    const fields = { connection: name, step, reason, ...(times > 1 && { times }) }
    world.log.error(fields, '3-D Secure provider cannot be used')
    reported_ms = now_ms
    times = 0
  }

  return async (step, work) => {
    try {
      return await work()
    } catch (error) {
      if (error instanceof ProviderUnavailable) report(step, error.message)
      throw error
    }
  }
}
