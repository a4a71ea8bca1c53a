// Asks the database for its clock: the one place where it is wanted. Everywhere else times are arguments.

import type { Clock, SteadyClock } from '../../kernel/world.ts'
import type { Sql } from '../open.ts'
import {
  type ClockReading,
  type ClockSkew,
  judgeSkew,
  type SkewVerdict,
  skewOf,
} from './clock-skew.ts'

/** `offset_seconds`: by which the clock is shifted on purpose. */
export type Clocks = { clock: Pick<Clock, 'now'>; steady: SteadyClock; offset_seconds: number }

/** Throws where the database cannot be reached. */
export async function readClocks(sql: Sql, clocks: Clocks): Promise<ClockReading> {
  const { clock, steady, offset_seconds } = clocks
  const nowMs = () => clock.now().getTime() - offset_seconds * 1000
  const [begun_ms, asked_ms] = [steady.elapsed_ms(), nowMs()]
  const [row] = await sql<{ at: Date }[]>`select clock_timestamp() as at`
  const [ended_ms, answered_ms] = [steady.elapsed_ms(), nowMs()]
  const round_trip_ms = ended_ms - begun_ms
  return { asked_ms, answered_ms, round_trip_ms, database_ms: row!.at.getTime() }
}

/** The first has to make a connection, mostly. */
const readings_max = 5

/** For a command, which asks once: reads again while it is unclear, a few times. */
export async function compareClocks(
  sql: Sql,
  clocks: Clocks,
): Promise<{ skew: ClockSkew; verdict: SkewVerdict }> {
  for (let reading = 1; ; reading++) {
    const skew = skewOf(await readClocks(sql, clocks))
    const verdict = judgeSkew(skew)
    if (verdict !== 'unclear' || reading === readings_max) return { skew, verdict }
  }
}
