// A process's clock that a test sets, beside one that nobody sets, and a database's that stands for both.

import { setImmediate } from 'node:timers/promises'
import type { Sql } from '../../src/database/open.ts'
import type { Clock, SteadyClock } from '../../src/kernel/world.ts'
import { manualClock } from './clock.ts'

export type SetClock = {
  /** Sleeps end by `pass` alone. */
  clock: Clock
  steady: SteadyClock
  /** So far ahead of the true time. */
  set(ahead_ms: number): void
  /** Time passes for the world, the clock in its machine goes on, and what nobody sets stands still. */
  sleepMachine(duration_ms: number): void
  trueTime(): Date
  /** Both clocks move on, and whoever sleeps so long awakes. */
  pass(duration_ms: number): Promise<void>
  /** Whoever sleeps so long awakes, and no time passes: for a real database, whose clock is the real one. */
  wake(duration_ms: number): Promise<void>
}

/** `by_itself` is the machine's time; otherwise time passes by `pass` alone. */
export function setClock(passing: 'by_itself' | 'by_pass' = 'by_itself'): SetClock {
  const sleeps = manualClock()
  let ahead_ms = 0
  let passed_ms = 0
  let slept_ms = 0
  // Whole, so that sums and differences are exact: 60 s are 60 s whenever they begin.
  const begun = { wall_ms: Date.now(), steady_ms: Math.round(performance.now()) }
  const wallMs = () => (passing === 'by_itself' ? Date.now() : begun.wall_ms)
  const steadyMs = () => (passing === 'by_itself' ? performance.now() : begun.steady_ms)
  const true_ms = () => wallMs() + passed_ms + slept_ms
  return {
    clock: { now: () => new Date(true_ms() + ahead_ms), sleep: sleeps.sleep },
    steady: { elapsed_ms: () => steadyMs() + passed_ms },
    trueTime: () => new Date(true_ms()),
    sleepMachine(duration_ms) {
      slept_ms += duration_ms
    },
    set(now_ahead_ms) {
      ahead_ms = now_ahead_ms
    },
    async pass(duration_ms) {
      passed_ms += duration_ms
      await sleeps.advance(duration_ms)
      await setImmediate()
    },
    wake: sleeps.advance,
  }
}

/** The clock of a database that answers at once, and counts how often it was asked. */
export type SetDatabaseClock = {
  sql: Sql
  asked(): number
  /** What happens between its look at the clock and the answer; a failure is the statement's. */
  onAnswer: () => void | Promise<void>
}

/** Its clock has the true time. */
export function databaseOf({ trueTime }: SetClock): SetDatabaseClock {
  let count = 0
  const database: SetDatabaseClock = {
    sql: (async () => {
      count += 1
      const at = trueTime()
      await database.onAnswer()
      return [{ at }]
    }) as unknown as Sql,
    asked: () => count,
    onAnswer: () => {},
  }
  return database
}
