// Clocks that go wrong: each process's may drift and jump, some seconds or days, ahead and back, and is put right again.

import type { Clock } from '../../src/kernel/world.ts'
import type { Chance } from './chance.ts'
import type { Faults } from './faults.ts'
import type { Owner, Scheduler } from './scheduler.ts'

/** How a process's clock stands to the world's time. */
export type Skew = {
  ahead_ms: number
  /** Since when by more than is allowed. */
  wrong_since_ms: number | null
}

/** A process, as far as its clock goes. */
type WithClock = { skew: Skew }

/** By so much a clock may differ from the database's without anybody having to do anything. */
const allowed_ms = 2_000
/** A process finds out within so long that its clock is wrong, and begins no more jobs. */
const found_out_ms = 5_000

/** What a job sent may still arrive. */
const on_its_way_ms = 30_000

const [second, minute, day] = [1_000, 60_000, 86_400_000]
const far_ms = [5 * second, 45 * second, 3 * minute, 40 * minute, day, 6 * day]

export type Clocks = {
  /** The skew that a process starts with. */
  begin(): Skew
  set(process: WithClock, ahead_ms: number): void
  /** A job goes on in a process; the function that is returned ends it. */
  work(process: WithClock): () => void
  /** Whether a job went on then that could not know yet that its clock was wrong. */
  wasDeceived(at_ms: number): boolean
  /** The same, of a job whose own clock said that time. */
  wasDeceivedWhen(clock_ms: number): boolean
  /** By how much two clocks of this world have differed at most. */
  differenceMs(): number
}

export function openClocks(chance: Chance, nowMs: () => number): Clocks {
  const differs = chance.often(0.4)
  let [least_ms, most_ms] = [0, 0]
  const wrongs: { skew: Skew; since_ms: number; ahead_ms: number }[] = []
  const jobs: { skew: Skew; from_ms: number; until_ms: number }[] = []
  const note = (ahead_ms: number) => {
    least_ms = Math.min(least_ms, ahead_ms)
    most_ms = Math.max(most_ms, ahead_ms)
    return ahead_ms
  }
  const wasDeceived = (at_ms: number) =>
    jobs.some(
      ({ skew, from_ms, until_ms }) =>
        from_ms <= at_ms &&
        at_ms <= until_ms + on_its_way_ms &&
        wrongs.some(
          (wrong) => wrong.skew === skew && wrong.since_ms <= until_ms && from_ms <= wrong.since_ms + found_out_ms,
        ),
    )
  const within = () => chance.below(2 * allowed_ms + 1) - allowed_ms
  return {
    begin: () => ({ ahead_ms: note(differs ? within() : 0), wrong_since_ms: null }),
    set({ skew }, ahead_ms) {
      skew.ahead_ms = note(ahead_ms)
      const is_wrong = Math.abs(ahead_ms) > allowed_ms
      if (is_wrong && skew.wrong_since_ms === null) wrongs.push({ skew, since_ms: nowMs(), ahead_ms })
      skew.wrong_since_ms = is_wrong ? (skew.wrong_since_ms ?? nowMs()) : null
    },
    work({ skew }) {
      const job = { skew, from_ms: nowMs(), until_ms: Number.POSITIVE_INFINITY }
      jobs.push(job)
      return () => {
        job.until_ms = nowMs()
      }
    },
    wasDeceived,
    wasDeceivedWhen: (clock_ms) => wrongs.some(({ ahead_ms }) => wasDeceived(clock_ms - ahead_ms)),
    differenceMs: () => most_ms - least_ms,
  }
}

/** Whether a process with this clock still begins jobs. */
export function mayWork({ wrong_since_ms }: Skew, now_ms: number): boolean {
  return wrong_since_ms === null || now_ms - wrong_since_ms < found_out_ms
}

type Turning = {
  clock: Clock
  scheduler: Scheduler
  chance: Chance
  faults: Faults
  town: { processes(): readonly (WithClock & { name: string })[] }
  clocks: Clocks
  outside: Owner
}

/** Goes on beside the lives. */
export async function turnClocks(stage: Turning, during_ms: number): Promise<void> {
  const { clock, scheduler, faults, town, clocks, outside } = stage
  const chance = stage.chance.fork('clocks')
  const until_ms = scheduler.now().getTime() + during_ms
  while (scheduler.now().getTime() < until_ms) {
    await clock.sleep(chance.below(20_000))
    const process = chance.pick(town.processes())
    const ahead_ms = process && turned(process.skew.ahead_ms, faults, chance)
    if (ahead_ms === null || ahead_ms === undefined) continue
    const set = () => clocks.set(process, ahead_ms)
    await scheduler.effect(outside, `${process.name} is ahead by ${ahead_ms} ms`, set)
    if (Math.abs(ahead_ms) <= allowed_ms) continue
    await clock.sleep(chance.pick([10, 40, 120, 1_200]) * second)
    await scheduler.effect(outside, `${process.name} is put right`, () => clocks.set(process, 0))
  }
}

/** Where a clock goes now; null where it goes on. */
function turned(ahead_ms: number, faults: Faults, chance: Chance): number | null {
  const fate = faults.happens('clock: drifts', 'clock: far ahead', 'clock: far back')
  if (fate === null) return null
  if (fate === 'clock: far ahead') return chance.pick(far_ms)
  if (fate === 'clock: far back') return -chance.pick(far_ms)
  const drifted_ms = ahead_ms + chance.below(1_001) - 500
  return Math.max(-allowed_ms, Math.min(allowed_ms, drifted_ms))
}
