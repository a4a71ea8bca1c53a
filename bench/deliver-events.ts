// The events of the webhook benchmarks, committed as a payment's outcome commits its own: one statement, fan-out
// included. Their payments are there before.

import { randomBytes } from 'node:crypto'
import { rowIf } from '../src/database/driver/rows.ts'
import type { AnySql, Sql } from '../src/database/open.ts'
import { api_version, type EventType, type MerchantId, timestamp } from '../src/kernel/values.ts'
import type { Event } from '../src/payments/event.ts'
import { fanOut } from '../src/webhooks/queue/fan-out.ts'

/** What one endpoint alone is told of: its merchant's events of this type. */
export type Target = { merchant_id: MerchantId; type: EventType }

/** Events with indexes from 0, for these targets in turn. */
export type Series = { name: string; targets: Target[] }

export function newSeries(targets: Target[]): Series {
  return { name: randomBytes(8).toString('hex'), targets }
}

export function targetOf({ targets }: Series, index: number): Target {
  return targets[index % targets.length]!
}

/** Of an event, from the key that its delivery carries: `evt:pay_<series, 16 hex><index, 8 hex>#…`. */
export function indexIn(key: string): number {
  return Number.parseInt(key.slice(24, 32), 16)
}

const paymentId = ({ name }: Series, index: number) => `pay_${name}${index.toString(16).padStart(8, '0')}` as const

/** The event that a merchant is told of, its body some 1.5 KB. */
export function eventOf(series: Series, index: number, at: Date): Event {
  const { merchant_id, type } = targetOf(series, index)
  const payment_id = paymentId(series, index)
  const made = { merchant_id, payment_id, sequence: 1 as const, type, created_at: at }
  const event_id = `evt_${payment_id.slice(4)}`
  const envelope = {
    id: event_id,
    type,
    created: timestamp(at),
    api_version,
    merchant_id,
    sequence: 1,
    data: { payment_id, ...data },
  }
  return { ...made, event_id, body: JSON.stringify(envelope) }
}

const items = Array.from({ length: 8 }, (_, number) => ({
  sku: `tea-${number}`,
  name: 'Breakfast tea, loose leaf, in a tin, 250 g',
  quantity: 2,
  unit_amount: 850,
  tax_rate: 0,
}))

const data = {
  checkout_session_id: 'cs_000000000000000000000000',
  amount: 13_600,
  captured_amount: null,
  currency: 'GBP',
  status: 'captured',
  mode: 'test',
  decline: null,
  metadata: { basket: '7f3a', shop: 'london', campaign: 'autumn', note: 'leave it at the door' },
  amount_verified: true,
  capture_state: 'captured',
  items,
  customer: { email: 'jo@example.com', name: 'Jo March' },
  hold: null,
  order_reference: null,
}

export async function commitEvent(sql: AnySql, event: Event): Promise<void> {
  await sql`
    with gate as (select 1
    ), event as (insert into events ${rowIf(sql, event, 'gate')}
    ), told as (${fanOut(sql, { event, mode: 'test' })})
    select 1 from gate`
}

const batch = 100
const at_once = 4

/** Commits the first events of a series, many in a transaction. */
export async function commitMany(sql: Sql, series: Series, count: number): Promise<void> {
  let next = 0
  const work = async () => {
    while (next < count) {
      const from = next
      next = Math.min(count, from + batch)
      const indexes = Array.from({ length: next - from }, (_, more) => from + more)
      const at = new Date()
      await sql.begin((tx) =>
        Promise.all(indexes.map((index) => commitEvent(tx as AnySql, eventOf(series, index, at)))),
      )
    }
  }
  await Promise.all(Array.from({ length: at_once }, work))
}

/** The payments of the first events of a series, all of one session for each merchant. */
export async function makePayments(sql: Sql, series: Series, count: number): Promise<void> {
  const merchants = series.targets.map(({ merchant_id }) => merchant_id)
  const owners = [...new Set(merchants)]
  const at = new Date()
  await sql`
    insert into sessions
      (merchant_id, session_id, mode, status, amount, currency, metadata, amount_verified, amount_verification_source,
       created_at, expires_at)
    select m, 'cs_of_events', 'test', 'declined', 13600, 'GBP', '{}'::json, true, 'server_minted',
      ${at}::timestamptz, ${at}::timestamptz
    from unnest(${owners}::text[]) m
    on conflict do nothing`
  await sql`
    insert into payments
      (merchant_id, payment_id, session_id, attempt_id, status, decline, amount, currency, mode, amount_verified, created_at)
    select (${merchants}::text[])[1 + i % ${merchants.length}], p.id, 'cs_of_events', p.id, 'declined', '{}'::json,
      13600, 'GBP', 'test', true, ${at}
    from generate_series(0, ${count - 1}) i,
      lateral (select 'pay_' || ${series.name} || lpad(to_hex(i), 8, '0') as id) p`
}
