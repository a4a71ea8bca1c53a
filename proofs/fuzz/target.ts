// The service that is fuzzed: the real one, with a bank that loses answers as always but not as slowly.

import type { FreshDatabase } from '../../tests/support/database.ts'
import { type Service, startService } from '../../tests/support/service.ts'
import { realClock } from '../../tests/support/world.ts'

const sleep_max_ms = 5

export function startTarget(database?: FreshDatabase): Promise<Service> {
  return startService({
    ...(database && { database }),
    clock: {
      now: realClock.now,
      // Time limits can be called off, and stay; what nothing ends is a simulated bank that keeps silent.
      sleep: (duration_ms, signal) =>
        realClock.sleep(signal ? duration_ms : Math.min(duration_ms, sleep_max_ms), signal),
    },
  })
}
