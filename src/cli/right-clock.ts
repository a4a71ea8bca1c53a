// Checks the clock of this machine, because commands that move money depend on it.

import { skewWords } from '../database/clock/clock-skew.ts'
import { type Clocks, compareClocks } from '../database/clock/read-clocks.ts'
import type { Sql } from '../database/open.ts'
import { realClock, steadyClock } from '../outgoing/real-world.ts'
import { CommandError } from './terminal/command.ts'

const machine: Clocks = { clock: realClock(), steady: steadyClock, offset_seconds: 0 }

/** Throws a CommandError if the clock is certainly wrong. */
export async function refuseWrongClock(sql: Sql, clocks = machine): Promise<void> {
  const fault = await clockFault(sql, clocks)
  if (fault !== null) throw new CommandError(`${fault} Nothing was done.`)
}

/** Says what is wrong with the clock and what to do. Null if it is right, or if that is uncertain. */
export async function clockFault(sql: Sql, clocks = machine): Promise<string | null> {
  const { skew, verdict } = await compareClocks(sql, clocks)
  if (verdict !== 'wrong') return null
  return `this machine's clock is ${skewWords(skew.ahead_ms)} the database's. Have both machines keep time by NTP.`
}
