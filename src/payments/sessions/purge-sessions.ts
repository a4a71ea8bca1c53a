// The background job that deletes unpaid sessions some days after they ended, because anybody can create them.

import type { Sql } from '../../database/open.ts'
import { type Ids, idsFrom } from '../../kernel/ids.ts'
import type { Mode } from '../../kernel/values.ts'
import type { Clock } from '../../kernel/world.ts'
import { type DuePurge, listDuePurges, mayForgetLines, type PurgeAge, purgePage } from './session-purge-store.ts'

const day_ms = 24 * 3600 * 1000
/** How long unpaid test sessions are kept at most. A shorter time for live sessions applies to them, too. */
const test_days_max = 2
export const default_unpaid_sessions_days = 30
const page_lines = 500

export type PurgeContext = {
  sql: Sql
  world: { clock: Clock }
  ids: Pick<Ids, 'journalEntry'>
  metrics: { sessionsPurged(mode: string, count: number): void }
  /** Days for which unpaid live sessions are kept. */
  unpaid_sessions_days?: number
  stopping?: AbortSignal
}

/**
 * Deletes due sessions, one merchant after another, and returns their number. A failure at one merchant does not stop the
 * others; it is thrown at the end.
 */
export async function purgeSessions(purging: PurgeContext): Promise<number> {
  const { sql, world, unpaid_sessions_days: days = default_unpaid_sessions_days } = purging
  const ages = agesDue(world.clock.now(), days)
  const failures: string[] = []
  const forgets_lines = await mayForgetLines(sql)
  let count = 0
  for (const purge of await listDuePurges(sql, ages, null)) {
    try {
      count += await purgeMerchant(purging, purge, forgets_lines)
    } catch (error) {
      failures.push(`${purge.merchant_id}: ${(error as Error).message}`)
    }
  }
  if (failures.length === 0) return count
  throw new Error(`sessions are not purged: ${failures.slice(0, failures_told_max).join('; ')}`)
}

/** Which sessions are old enough at a given time if live sessions are kept for `days`. */
export function agesDue(at: Date, days: number): PurgeAge[] {
  const keptDays = daysKept(days)
  const below = (mode: Mode) => idsFrom(new Date(at.getTime() - keptDays[mode] * day_ms))
  return [
    { mode: 'test', below: below('test') },
    { mode: 'live', below: below('live') },
  ]
}

/** For how many days unpaid sessions are kept where live ones are kept for `days`. */
export function daysKept(days: number): Record<Mode, number> {
  return { test: Math.min(days, test_days_max), live: days }
}

const failures_told_max = 10

async function purgeMerchant(purging: PurgeContext, purge: DuePurge, forgets_lines: boolean): Promise<number> {
  const { sql, world, ids, metrics, stopping } = purging
  let count = 0
  for (let after: string | null = purge.after; after !== null && !stopping?.aborted; ) {
    const at = world.clock.now()
    const line = { entry_id: ids.journalEntry(at), at }
    const page = await purgePage(sql, { ...purge, after }, { line, forgets_lines }, page_lines)
    metrics.sessionsPurged(purge.mode, page.count)
    count += page.count
    after = page.last
  }
  return count
}
