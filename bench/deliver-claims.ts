// What a claim costs while an endpoint at rest has very many deliveries waiting in front of those that can go out.

import { openDatabase, type Sql } from '../src/database/open.ts'
import { openWorld } from '../src/outgoing/real-world.ts'
import { type ClaimOrder, claim } from '../src/webhooks/queue/claim-store.ts'
import { commitMany, makePayments, newSeries, type Target } from './deliver-events.ts'
import type { Stage } from './deliver-stage.ts'
import { median, type Table, whole } from './report.ts'

const paused_rows = 100_000
const healthy_rows = 2_000
const sizes = [20, 200]
const target_ms = 10

type Claimer = { sql: Sql; close(): Promise<void> }

export async function deliverClaims(stage: Stage): Promise<Table[]> {
  const { sql, answering, data_dir } = stage
  const rows: string[][] = []
  const measureAll = async (claimer: Claimer, inFront: number, plans: string) => {
    for (const size of sizes) {
      await putHealthy(sql, answering)
      const times = await claimAll(claimer.sql, await orderOf(sql, size))
      rows.push([
        ...[whole(inFront), plans, whole(size), whole(times.length)],
        ...[median(times), Math.max(...times)].map((time) => time.toFixed(1)),
        inFront > 0 ? `median < ${target_ms}` : '',
      ])
    }
  }
  // Nobody else may change what plans are made from meanwhile.
  await sql`truncate webhook_queue`
  await sql`alter table webhook_queue set (autovacuum_enabled = false)`
  const early = await openClaimer(data_dir)
  await claim(early.sql, await orderOf(sql, 1))
  await putPaused(sql, answering[0]!)
  await measureAll(early, paused_rows, 'while it was empty')
  await early.close()
  await sql`analyze webhook_queue`
  const late = await openClaimer(data_dir)
  await claim(late.sql, { ...(await orderOf(sql, 1)), slots: 0 })
  await measureAll(late, paused_rows, 'for these rows')
  await sql`delete from webhook_queue where endpoint_id = ${paused_id}`
  await sql`vacuum webhook_queue`
  await measureAll(late, 0, 'for these rows')
  await late.close()
  await sql`truncate webhook_queue`
  await sql`alter table webhook_queue reset (autovacuum_enabled)`
  const headings = [
    'paused rows in front',
    'plans made',
    'claimed at once',
    'claims',
    'median ms',
    'longest ms',
    'target ms',
  ]
  const notes = [`Behind them ${whole(healthy_rows)} rows of 50 endpoints, claimed until none is left.`]
  return [{ name: 'deliver-claims', headings, rows, notes }]
}

/** One connection, so that each statement is planned once. */
export async function openClaimer(data_dir: string): Promise<Claimer> {
  const { clock, log } = openWorld({ log_level: 'error', clock_offset_seconds: 0 })
  return openDatabase({ url: null, connections_max: 1, data_dir, clock, log })
}

/** Before all others: claims go through the endpoints in the order of their ids. */
const paused_id = `whep_${'0'.repeat(24)}`

async function putPaused(sql: Sql, { merchant_id }: Target): Promise<void> {
  const at = new Date()
  await sql`
    insert into webhook_queue
      (merchant_id, delivery_id, endpoint_id, class, due_at, attempt_number, payment_id, sequence, root_id,
       root_created_at, created_at)
    select ${merchant_id}, d.id, ${paused_id}, 0, d.at, 0, 'pay_' || i, 1, d.id, d.at, d.at
    from generate_series(1, ${paused_rows}) i,
      lateral (select ${at}::timestamptz - i * interval '1 ms' as at) t,
      lateral (select t.at, webhook_id(t.at, 'paused' || i) as id) d`
}

async function putHealthy(sql: Sql, targets: Target[]): Promise<void> {
  const series = newSeries(targets)
  await sql`delete from webhook_queue where endpoint_id <> ${paused_id}`
  await makePayments(sql, series, healthy_rows)
  await commitMany(sql, series, healthy_rows)
}

/** The paused endpoint's breaker is open; all others are trusted with what they have. */
export async function orderOf(sql: Sql, slots: number, now = new Date()): Promise<ClaimOrder> {
  const endpoints = await sql<{ endpoint_id: string }[]>`select endpoint_id from webhook_endpoints`
  const minute_ms = 60_000
  return {
    class: 0,
    rooms: [
      { endpoint_id: paused_id, room: 1, standing: 'shut' },
      ...endpoints.map(({ endpoint_id }) => ({
        endpoint_id,
        room: 4,
        standing: 'trusted' as const,
      })),
    ],
    room: 4,
    slots,
    trusted_slots: slots,
    untrusted_slots: slots,
    new_slots: slots,
    other_slots: slots,
    after_endpoint: '',
    after_trusted: '',
    after_other: '',
    endpoints_max: 500,
    now,
    lease_until: new Date(now.getTime() + minute_ms),
    overdue_before: new Date(now.getTime() - 24 * 60 * minute_ms),
  }
}

/** Claims until there is nothing left; how long each took in milliseconds. */
export async function claimAll(sql: Sql, order: ClaimOrder): Promise<number[]> {
  const times: number[] = []
  for (;;) {
    const started = performance.now()
    const { deliveries } = await claim(sql, order)
    const took = performance.now() - started
    if (deliveries.length === 0) return times
    times.push(took)
  }
}
