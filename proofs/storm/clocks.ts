// Processes whose clocks are wrong from their start, and what a balancer knows of them: it asks `/readyz` and nothing else.

import { realClock } from '../../tests/support/world.ts'
import type { Chance } from '../simulate/chance.ts'
import type { Command, Crew } from './crew.ts'

const day_seconds = 24 * 3600
/** By how much, ahead or behind: a moment, an hour, days beyond the deadline of a hold, and beyond the life of a key. */
const wrong_by_seconds = [45, -45, 3_600, -3_600, 6 * day_seconds, -3 * day_seconds, 40 * day_seconds]

/** The environment of such a process, another one each time that it is started. */
export function wrongClocks(chance: Chance): Record<Command, () => Record<string, string>> {
  const own = (command: Command) => {
    const draws = chance.fork(command)
    return () => ({ STORM_CLOCK_AHEAD_MS: String(draws.pick(wrong_by_seconds) * 1000) })
  }
  return { serve: own('serve'), worker: own('worker') }
}

const asked_every_ms = 300

/** Shoppers are sent to a service with a wrong clock only while it says that it is ready. Goes on until it is called off. */
export function watchReady(crew: Crew): { end(): Promise<void> } {
  const over = new AbortController()
  const watching = (async () => {
    while (!over.signal.aborted) {
      const wrong = crew.running('serve').filter(({ is_wrong }) => is_wrong)
      await Promise.all(
        wrong.map(async (member) => {
          member.is_ready = await isReady(member.said!.base_url!)
        }),
      )
      await realClock.sleep(asked_every_ms)
    }
  })()
  return {
    async end() {
      over.abort()
      await watching
    },
  }
}

async function isReady(base_url: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(2_000)
    const { status } = await fetch(`${base_url}/readyz`, { signal })
    return status === 200
  } catch {
    return false
  }
}
