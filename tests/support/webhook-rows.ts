// A database with rows for the delivery queue, and its statements with little to say: what the queue's tests begin with.

import { afterAll, beforeEach } from 'vitest'
import { journalLine } from '../../src/audit/journal.ts'
import { rowValues } from '../../src/database/driver/rows.ts'
import type { AnySql, Database, Sql } from '../../src/database/open.ts'
import { idsFrom } from '../../src/kernel/ids.ts'
import { findDelivery, insertReplay } from '../../src/webhooks/deliveries/delivery-store.ts'
import type { SettledDelivery } from '../../src/webhooks/delivery.ts'
import { type ClaimOrder, claim } from '../../src/webhooks/queue/claim-store.ts'
import type { ClaimedDelivery } from '../../src/webhooks/queue/claimed-delivery.ts'
import { fanOut, type QueuedEvent } from '../../src/webhooks/queue/fan-out.ts'
import { type Settlement, settleAttempts } from '../../src/webhooks/queue/queue-store.ts'
import { type FreshDatabase, freshDatabase } from './database.ts'
import { countLockWaits } from './lock-waits.ts'
import { until } from './service.ts'

export type Queue = Database & { database: FreshDatabase; drop(): Promise<void> }

/** A database where events need no payments, and endpoints no merchants. Its statements wait for a lock as long as they have to. */
export async function openQueue(): Promise<Queue> {
  const database = await freshDatabase('migrated', 'none')
  const opened = await database.open({ connections_max: 8 })
  await opened.sql`alter table webhook_endpoints drop constraint webhook_endpoints_merchant_id_fkey`
  const drop = async () => {
    await opened.close()
    await database.drop()
  }
  return { ...opened, database, drop }
}

/** The queue of a test file: empty before each test, gone after all. */
export async function useQueue(): Promise<Queue> {
  const queue = await openQueue()
  beforeEach(() => emptyQueue(queue.sql))
  afterAll(() => queue.drop())
  return queue
}

export async function emptyQueue(sql: Sql): Promise<void> {
  await sql`truncate events, webhook_endpoints, webhook_endpoint_health, webhook_queue, webhook_deliveries,
    webhook_attempts, journal`
}

/** One connection, on which every statement is planned when it first runs. */
export function openConnection({ database }: Queue): Promise<Database> {
  return database.open({ connections_max: 1 })
}

export const merchant_id = 'm_a'
export const noon = new Date('2026-09-01T12:00:00.000Z')
/** Seconds after noon. */
export const at = (seconds: number) => new Date(noon.getTime() + seconds * 1000)
export const lease_seconds = 30

/** Writes an endpoint of the merchant `m_a` called `a`, or as is said. */
export async function addEndpoint(sql: AnySql, changes: object = {}): Promise<void> {
  await sql`insert into webhook_endpoints ${rowValues(sql, {
    merchant_id,
    endpoint_id: 'a',
    url: 'https://a.example/',
    event_filter: [],
    status: 'active',
    sealed_secret: Buffer.from('sealed'),
    created_at: at(-3600),
    ...changes,
  })}`
}

export function toldEvent(changes: Partial<QueuedEvent> = {}): QueuedEvent {
  const { payment_id = 'pay_1', sequence = 1 } = changes
  return {
    merchant_id,
    payment_id,
    sequence,
    event_id: `evt_${payment_id}_${sequence}`,
    type: 'payment.captured',
    created_at: at(-1),
    ...changes,
  }
}

/** Writes an event and queues its deliveries, where the gate is open. */
export async function tell(sql: Sql, changes: Partial<QueuedEvent> = {}, isOpen = true) {
  const event = toldEvent(changes)
  await sql`
    with gate as (select 1 where ${isOpen}::boolean
    ), event as (insert into events ${rowValues(sql, { ...event, body: `{"id":"${event.event_id}"}` })}
    ), told as (${fanOut(sql, { event, mode: 'test' })})
    select 1`
  return event
}

/** Queues so many deliveries, due one after the other and the last at noon. Their events are not written. */
export async function fill(
  sql: Sql,
  { count, ...changes }: { count: number; endpoint_id?: string; class?: 0 | 1 },
): Promise<void> {
  const { endpoint_id = 'a', class: queueClass = 0 } = changes
  await sql`
    insert into webhook_queue (merchant_id, delivery_id, endpoint_id, class, due_at, attempt_number, payment_id,
      sequence, root_id, root_created_at, created_at)
    select ${merchant_id}, id, ${endpoint_id}, ${queueClass}, due_at, ${queueClass}, 'pay_' || n, 1, id, due_at, due_at
    from generate_series(1, ${count}::int) n,
      lateral (select ${noon}::timestamptz - n * interval '1 millisecond' + interval '1 millisecond') t (due_at),
      lateral (select webhook_id(due_at, ${`${endpoint_id}${queueClass}`} || n)) d (id)`
}

/** Room for all that is there, at noon. */
export function claimOrder(changes: Partial<ClaimOrder> = {}): ClaimOrder {
  const { now = noon } = changes
  return {
    class: 0,
    rooms: [],
    room: 1_000,
    slots: 1_000,
    trusted_slots: 1_000,
    untrusted_slots: 1_000,
    new_slots: 1_000,
    other_slots: 1_000,
    after_endpoint: '',
    after_trusted: '',
    after_other: '',
    endpoints_max: 500,
    now,
    overdue_before: at(-4 * 24 * 3600),
    lease_until: new Date(now.getTime() + lease_seconds * 1000),
    ...changes,
  }
}

export async function claimed(sql: AnySql, changes: Partial<ClaimOrder> = {}) {
  return (await claim(sql as Sql, claimOrder(changes))).deliveries
}

/** How an attempt ended: well, a second after it was begun, or as is said. */
export function settlementOf(delivery: ClaimedDelivery, changes: Partial<Settlement> = {}): Settlement {
  const { delivery_id, endpoint_id, attempt_id, attempt_number, last_attempt_id } = delivery
  const { pending_id, payment_id, replay_of, root_created_at, event_type, endpoint_url } = delivery
  return {
    merchant_id: delivery.merchant_id,
    delivery_id,
    endpoint_id,
    attempt_id,
    attempt_number,
    last_attempt_id,
    pending_id,
    payment_id,
    replay_of,
    root_created_at,
    event_type,
    endpoint_url,
    status: 'succeeded',
    occurred_at: delivery.attempted_at,
    duration_ms: 1_000,
    response_status_code: 200,
    response_body: 'ok',
    failure: null,
    next_retry_at: null,
    ...changes,
  }
}

/** What a settlement says of an attempt that failed and is tried again, or was the last. */
export function failedUntil(next_retry_at: Date | null): Partial<Settlement> {
  const status = next_retry_at ? 'failed' : 'dead_lettered'
  return { status, next_retry_at, response_status_code: 500, response_body: 'no' }
}

/** An event to the endpoint `a`, whose first attempt is begun at noon, or when it is said. */
export async function begun(sql: Sql, now = noon): Promise<ClaimedDelivery> {
  await addEndpoint(sql)
  await tell(sql, { created_at: at(-1_000) })
  const [delivery] = await claimed(sql, { now })
  return delivery!
}

/** A delivery that was given up, and its replay, accepted at noon and not attempted yet. */
export async function replayed(sql: Sql) {
  const original = await begun(sql)
  const { delivery_id } = original
  await settleAttempts(sql, [settlementOf(original, failedUntil(null))], noon)
  const found = await findDelivery(sql, { merchant_id, delivery_id })
  const given_up = found as SettledDelivery & { endpoint_url: string }
  const tail = delivery_id.slice(13)
  const ids = { delivery_id: `${idsFrom(noon)}8${tail}`, pending_id: `${idsFrom(noon)}0${tail}` }
  const line = journalLine(
    { journalEntry: () => `${idsFrom(noon)}a${tail}` },
    {
      merchant_id,
      session_id: null,
      subject: delivery_id,
      change: 'delivery.replayed',
      detail: {},
      actor: 'operator',
      request_id: null,
      at: noon,
    },
  )
  await insertReplay(sql, given_up, { ...ids, created_at: noon, line }, null)
  return { original, ...ids }
}

export function queueRows(sql: AnySql) {
  return sql`select * from webhook_queue order by delivery_id`
}

export function settledRows(sql: AnySql) {
  return sql`select * from webhook_deliveries order by delivery_id`
}

export function attemptRows(sql: AnySql) {
  return sql`select * from webhook_attempts order by delivery_id, attempt_number, attempt_id`
}

/** How many index entries and rows of the queue the current transaction has read so far. */
export async function queueReads(tx: AnySql): Promise<number> {
  const [row] = await tx<{ count: number }[]>`
    select sum(pg_stat_get_xact_tuples_returned(c.oid))::int as count from pg_class c
    where c.oid = 'webhook_queue'::regclass
      or c.oid in (select indexrelid from pg_index where indrelid = 'webhook_queue'::regclass)`
  return row!.count
}

/** Starts something, and comes back as soon as it waits for a lock or is over. */
export async function runInto<T>(sql: Sql, start: () => Promise<T>): Promise<{ running: Promise<T> }> {
  const waiting = () => countLockWaits(sql)
  const before = await waiting()
  let isOver = false
  const running = start().finally(() => {
    isOver = true
  })
  await until(waiting, (count) => count > before || isOver)
  return { running }
}
