// Reads the facts for the checks of ongoing work.

import { sealed_after_ms } from '../../audit/seal-journal.ts'
import { listComparisons } from '../../checkout/acquirer-comparison/comparison-store.ts'
import { countOpenFindings } from '../../checkout/acquirer-operations/finding-store.ts'
import { countBlockedAddresses, listBraked } from '../../checkout/limits/payer.ts'
import { listGivenUp } from '../../checkout/notices/notice-store.ts'
import { listBrakes } from '../../checkout/orphans/orphan-brake-store.ts'
import { countUnsettled } from '../../checkout/orphans/orphan-store.ts'
import { listUnanswered } from '../../checkout/reading/operator-store.ts'
import { countReceipts } from '../../checkout/receipts/receipt-store.ts'
import { agesDue } from '../../checkout/sessions/purge-sessions.ts'
import { listDuePurges, type PurgeAge } from '../../checkout/sessions/session-purge-store.ts'
import type { Config } from '../../config/config.ts'
import { fromCells } from '../../database/cells/cells.ts'
import type { Sql } from '../../database/open.ts'
import { listUnnamedProxies } from '../../database/presence/presence-store.ts'
import { idsFrom } from '../../kernel/ids.ts'
import { countUnreplayed } from '../../webhooks/deliveries/operator-store.ts'
import {
  countEndpoints,
  listEndpointTroubles,
  listOverdueHolds,
  listUnsealed,
  oldestLookDue,
  rows_max,
} from './doctor-store.ts'
import type { WorkFacts } from './work.ts'

const hour_ms = 3600 * 1000
const week_ms = 7 * 24 * hour_ms
/** One failure is no problem yet, because the next attempt may arrive. */
const failures_min = 3
/** The rules act every second, but an acquirer may take longer. */
const hold_slack_ms = 5 * 60_000
const waiting_max = 1_000
/** The job deletes everything that is due every ten minutes. */
const purge_slack_ms = 24 * hour_ms

export async function readWork(
  { unpaid_sessions_days }: Pick<Config, 'unpaid_sessions_days'>,
  sql: Sql,
  now: Date,
): Promise<WorkFacts> {
  const ago = (ms: number) => new Date(now.getTime() - ms)
  const troubles = await listEndpointTroubles(sql, { now, from: idsFrom(ago(hour_ms)) })
  const which = { merchant_id: null, waiting_for_person: true, now, limit: waiting_max }
  const due = troubles.map(({ oldest_due_at }) => oldest_due_at).filter((at) => at !== null)
  const orphans = await countUnsettled(sql, { acquirer: null, now })
  const [oldest_due_at] = due.sort((a, b) => a.getTime() - b.getTime())
  return {
    endpoints: await countEndpoints(sql),
    open_breakers: troubles.filter(({ breaker_is_open }) => breaker_is_open),
    failing: troubles
      .filter(({ failed, has_recovered }) => failed >= failures_min && !has_recovered)
      .map(({ endpoint_id, failed: count }) => ({ endpoint_id, count })),
    oldest_due_at: oldest_due_at ?? null,
    dead_lettered: await countUnreplayed(sql, { from: idsFrom(ago(24 * hour_ms)), most: rows_max }),
    waiting_for_person: (await listUnanswered(sql, which)).map(({ payment_id }) => payment_id),
    notices_given_up: await fromCells(sql, (cell) => listGivenUp(cell, { after: ago(week_ms), limit: rows_max })),
    oldest_look_due_at: await oldestLookDue(sql, now),
    orphans_held_back: orphans.held_back,
    orphans_unreversed: orphans.unreversed,
    brakes_pulled: await listBrakes(sql, { acquirer: null, released_too: false }),
    findings_open: await countOpenFindings(sql),
    comparisons: await listComparisons(sql),
    overdue_holds: await listOverdueHolds(sql, ago(hold_slack_ms)),
    oldest_receipt_at: await oldestReceiptAt(sql),
    braked: await listBraked(sql, { now, limit: rows_max }),
    blocked_addresses: await countBlockedAddresses(sql, { now, limit: rows_max }),
    unnamed_proxies: await listUnnamedProxies(sql, rows_max),
    unpurged: await unpurged(sql, agesDue(ago(purge_slack_ms), unpaid_sessions_days)),
    // An hour more than the job can need.
    unsealed: await listUnsealed(sql, idsFrom(ago(sealed_after_ms + hour_ms))),
    now,
  }
}

async function unpurged(sql: Sql, ages: PurgeAge[]): Promise<string[]> {
  const due = await fromCells(sql, (cell) => listDuePurges(cell, ages, rows_max))
  return [...new Set(due.map(({ merchant_id }) => merchant_id))]
}

async function oldestReceiptAt(sql: Sql): Promise<Date | null> {
  const waiting = await fromCells(sql, async (cell) => [(await countReceipts(cell)).oldest])
  const times = waiting.filter((at) => at !== null)
  return times.sort((a, b) => a.getTime() - b.getTime())[0] ?? null
}
