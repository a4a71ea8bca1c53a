// Reads the database's clock. Only this file does so: everywhere else times are arguments.

import type { Clock, SteadyClock } from '../../kernel/world.ts'
import type { Sql } from '../open.ts'
import { type ClockReading, type ClockSkew, judgeSkew, type SkewVerdict, skewOf } from './clock-skew.ts'

/** `offset_seconds`: the deliberate shift of the clock. */
export type Clocks = { clock: Pick<Clock, 'now'>; steady: SteadyClock; offset_seconds: number }

/** Throws if the database cannot be reached. */
export async function readClocks(sql: Sql, clocks: Clocks): Promise<ClockReading> {
  const { clock, steady, offset_seconds } = clocks
  const nowMs = () => clock.now().getTime() - offset_seconds * 1000
  const [begun_ms, asked_ms] = [steady.elapsed_ms(), nowMs()]
  const [row] = await sql<{ at: Date }[]>`select clock_timestamp() as at`
  const [ended_ms, answered_ms] = [steady.elapsed_ms(), nowMs()]
  const round_trip_ms = ended_ms - begun_ms
  return { asked_ms, answered_ms, round_trip_ms, database_ms: row!.at.getTime() }
}

/** The first reading is usually slow, because it has to make a connection. */
const readings_max = 5

/** For a command, which compares only once: repeats an unclear reading a few times. */
export async function compareClocks(sql: Sql, clocks: Clocks): Promise<{ skew: ClockSkew; verdict: SkewVerdict }> {
  for (let reading = 1; ; reading++) {
    const skew = skewOf(await readClocks(sql, clocks))
    const verdict = judgeSkew(skew)
    if (verdict !== 'unclear' || reading === readings_max) return { skew, verdict }
  }
}
