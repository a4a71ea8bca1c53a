// What a storm's check comes to: every fact that does not hold, and after an asynchronous failover what is gone, by name.

import { type Judgement, judgeHistories } from '../histories/judge.ts'
import { type Checked, faultsOfStorm } from './check.ts'
import { faultsOfUnknown, idsIn, touchedBy, unknownAuthorisations } from './check-lossy.ts'
import type { FailedOver } from './fail-over.ts'
import { historiesOf } from './read-history.ts'

export type Verdict = {
  faults: string[]
  histories: Judgement
  /** What was acknowledged, or authorised at the bank, and is gone with what the standby never got. */
  lost: string[]
  /** How many sessions had something under way then; of those only what is said of `lost` is judged. */
  touched: number
}

export async function judgeWhole(checked: Checked): Promise<Verdict> {
  const { sql } = checked.opened.database
  const histories = judgeHistories(await historiesOf(sql, checked.diary, checked.ahead_ms))
  const found = [...(await faultsOfStorm(checked)), ...histories.faults, ...histories.not_judged]
  return { faults: found, histories, lost: [], touched: 0 }
}

/** `lost` are the answers that were gone before anything was asked for again. */
export async function judgeLossy(checked: Checked, failed_over: FailedOver, lost: string[]): Promise<Verdict> {
  const { opened, diary, market } = checked
  const { sql } = opened.database
  const touched = touchedBy(diary, market.heard, failed_over)
  const unknown = await unknownAuthorisations(sql)
  const since = new Date(failed_over.lagged_at.getTime() - clock_slack_ms)
  const gone = unknown.filter(({ authorised_at }) => authorised_at >= since)
  const excused = new Set([...touched, ...gone.map(({ reference }) => reference)])
  const is_excused = (fault: string) => idsIn(fault).some((id) => excused.has(id))
  const { sessions, keys } = await historiesOf(sql, diary, checked.ahead_ms)
  const histories = judgeHistories({
    sessions: sessions.filter(({ session_id }) => !touched.has(session_id)),
    keys: keys.filter(({ key }) => !idsIn(key).some((id) => touched.has(id))),
  })
  const found = [...(await faultsOfStorm(checked)), ...histories.faults, ...histories.not_judged]
  return {
    histories,
    faults: [...[...found, ...lost].filter((fault) => !is_excused(fault)), ...faultsOfUnknown(unknown)],
    lost: [...lost, ...gone.map(({ reference }) => `the bank authorised ${reference}, of which nothing is known`)],
    touched: [...touched].filter((id) => id.startsWith('cs_')).length,
  }
}

const clock_slack_ms = 2_000
