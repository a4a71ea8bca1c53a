// The SQL for operators only: everything about a delivery, and dead letters.

import type { InOtherWords } from '../../context.ts'
import { by, firstFromCells, fromCells } from '../../database/cells/cells.ts'
import type { Sql } from '../../database/open.ts'
import type { EventFormat, StoredEventType } from '../../kernel/values.ts'
import type { DeliveryAttempt, DeliveryKey, ReplayStanding } from '../delivery.ts'
import { eventAndEndpoint } from '../queue/queue-store.ts'

/**
 * The merchant of a delivery, for a caller that knows only the delivery: one look-up by key for each merchant that ever
 * had an endpoint.
 */
export async function findDeliveryKey(whole: Sql, delivery_id: string): Promise<DeliveryKey | undefined> {
  const [row] = await fromCells(
    whole,
    (sql) => sql<DeliveryKey[]>`
    select found.* from (select distinct merchant_id from webhook_endpoints) m cross join lateral (
      (select q.merchant_id, q.delivery_id from webhook_queue q
        where q.merchant_id = m.merchant_id and q.delivery_id = ${delivery_id} offset 0)
      union all
      (select d.merchant_id, d.delivery_id from webhook_deliveries d
        where d.merchant_id = m.merchant_id and d.delivery_id = ${delivery_id} offset 0)
    ) found limit 1`,
  )
  return row
}

/** A delivery, settled or still queued. */
export type DeliveryRecord = DeliveryKey & {
  endpoint_id: string
  endpoint_url: string
  endpoint_status: 'active' | 'disabled'
  payment_id: string
  sequence: number
  event_type: StoredEventType
  event_id: string
  /** The event's own body; `sentBodyOf` is what its endpoint gets. */
  body: string
  event_format: EventFormat
  compatible_version: string | null
  /** Null until it is settled. */
  settled_as: 'succeeded' | 'dead_lettered' | null
  settled_at: Date | null
  /** The newest attempt that has a row. */
  last_attempt_id: string | null
  /** When the attempt under way began. */
  attempted_at: Date | null
  /** Null once it is settled. While an attempt is under way, the time at which it counts as lost. */
  due_at: Date | null
  breaker_open_until: Date | null
  replay_of: string | null
  root_id: string
  root_created_at: Date
  created_at: Date
}

/** The body that every attempt sends, in the words of the endpoint. */
export async function sentBodyOf(
  { sql, inOtherWords }: { sql: Sql; inOtherWords: InOtherWords },
  delivery: DeliveryRecord,
): Promise<string> {
  if (delivery.event_format === 'ripper') return delivery.body
  const [words] = await inOtherWords(sql, [delivery])
  return words!()
}

export async function findDeliveryRecord(
  sql: Sql,
  { merchant_id, delivery_id }: DeliveryKey,
): Promise<DeliveryRecord | undefined> {
  const [row] = await sql<DeliveryRecord[]>`
    select p.*, e.url as endpoint_url, e.status as endpoint_status, e.event_format, e.compatible_version, ev.type as event_type, ev.event_id, ev.body,
      h.open_until as breaker_open_until
    from (
      select merchant_id, delivery_id, endpoint_id, payment_id, sequence, null::text as settled_as,
        null::timestamptz as settled_at, coalesce(last_attempt_id, pending_id) as last_attempt_id,
        case when attempt_id is not null then attempted_at end as attempted_at, due_at,
        replay_of, root_id, root_created_at, created_at
      from webhook_queue where merchant_id = ${merchant_id} and delivery_id = ${delivery_id}
      union all
      select merchant_id, delivery_id, endpoint_id, payment_id, sequence, status, settled_at, last_attempt_id,
        null, null, replay_of, root_id, root_created_at, created_at
      from webhook_deliveries where merchant_id = ${merchant_id} and delivery_id = ${delivery_id}
    ) p
    ${eventAndEndpoint(sql, sql`p`)}
    left join lateral (
      select open_until from webhook_endpoint_health h
      where h.merchant_id = p.merchant_id and h.endpoint_id = p.endpoint_id offset 0) h on true`
  return row
}

/** A delivery that is not settled, as its newest attempt is listed; `attempt_id` is null where none has a row yet. */
export type WaitingDelivery = Omit<DeliveryAttempt, 'attempt_id'> & ReplayStanding & { attempt_id: string | null }

/** The deliveries that are not settled, newest first: behind one, or from the newest on. */
export async function listWaiting(
  sql: Sql,
  { merchant_id, behind }: { merchant_id: string; behind: string | null },
  limit: number,
): Promise<WaitingDelivery[]> {
  return sql<WaitingDelivery[]>`
    select q.merchant_id, q.delivery_id, q.endpoint_id, q.payment_id, q.replay_of, q.root_created_at,
      e.url as endpoint_url, ev.type as event_type, a.attempt_id, coalesce(a.attempt_number, 0) as attempt_number,
      coalesce(a.status, 'pending') as status, coalesce(a.occurred_at, q.created_at) as occurred_at,
      a.response_status_code, a.response_body, a.next_retry_at,
      false as endpoint_is_active, false as is_being_replayed
    from (
      select * from webhook_queue
      where merchant_id = ${merchant_id} ${behind === null ? sql`` : sql`and delivery_id < ${behind}`}
      order by delivery_id desc limit ${limit}
    ) q
    ${eventAndEndpoint(sql, sql`q`)}
    left join lateral (
      select attempt_id, attempt_number, status, occurred_at, response_status_code, response_body, next_retry_at
      from webhook_attempts
      where merchant_id = q.merchant_id and attempt_id = coalesce(q.last_attempt_id, q.pending_id) offset 0) a on true
    order by q.delivery_id desc`
}

/** An attempt with what the API does not show: why there was no answer, and how long it took. */
export type AttemptDetail = Omit<DeliveryAttempt, 'merchant_id'> & {
  duration_ms: number | null
  failure: string | null
}

/** An attempt and the earlier ones of the same delivery, oldest first: each is found by the key in the next. */
export async function listChain(
  sql: Sql,
  { merchant_id, attempt_id }: { merchant_id: string; attempt_id: string },
): Promise<AttemptDetail[]> {
  return sql<AttemptDetail[]>`
    with recursive chain as (
      select a.*, 1 as step from webhook_attempts a
      where a.merchant_id = ${merchant_id} and a.attempt_id = ${attempt_id}
      union all
      select before.* from chain cross join lateral (
        select a.*, chain.step + 1 from webhook_attempts a
        where a.merchant_id = chain.merchant_id and a.attempt_id = chain.previous_attempt_id offset 0) before
    )
    select attempt_id, delivery_id, endpoint_id, endpoint_url, payment_id, event_type, attempt_number, replay_of,
      root_created_at, status, occurred_at, duration_ms, response_status_code, response_body, failure, next_retry_at
    from chain order by step desc`
}

/** An event with the possible ids of its deliveries to past and present endpoints. */
export type EventWithDeliveries = {
  event_id: string
  payment_id: string
  type: StoredEventType
  sequence: number
  created_at: Date
  delivery_ids: string[]
}

/** The events about these payments and refunds, in their order. */
export async function listEventsWithDeliveries(
  sql: Sql,
  { merchant_id, subjects }: { merchant_id: string; subjects: string[] },
): Promise<EventWithDeliveries[]> {
  return sql<EventWithDeliveries[]>`
    select e.event_id, e.payment_id, e.type, e.sequence, e.created_at, array(
      select webhook_id(e.created_at, e.event_id || w.endpoint_id) from webhook_endpoints w
      where w.merchant_id = e.merchant_id order by w.created_at, w.endpoint_id
    ) as delivery_ids
    from events e where e.merchant_id = ${merchant_id} and e.payment_id = any(${subjects})
    order by e.created_at, e.payment_id, e.sequence`
}

/** The subject of an event. Events have no index by their id, so this reads through the merchant's. */
export async function findSubjectOfEvent(
  sql: Sql,
  { merchant_id, event_id }: { merchant_id: string; event_id: string },
): Promise<string | undefined> {
  const [row] = await sql<{ payment_id: string }[]>`
    select payment_id from events where merchant_id = ${merchant_id} and event_id = ${event_id}`
  return row?.payment_id
}

/** `status` is null until it is settled. */
export type ReplaySummary = {
  delivery_id: string
  status: 'succeeded' | 'dead_lettered' | null
  created_at: Date
}

/** The replays of a delivery, oldest first. */
export async function listReplays(
  sql: Sql,
  { merchant_id, delivery_id, root_id }: DeliveryKey & { root_id: string },
): Promise<ReplaySummary[]> {
  return sql<ReplaySummary[]>`
    select delivery_id, status, created_at from webhook_deliveries
    where merchant_id = ${merchant_id} and root_id = ${root_id} and replay_of is not null
      and replay_of = ${delivery_id}
    union all
    select q.delivery_id, null, q.created_at from (
      select active_replay from webhook_deliveries
      where merchant_id = ${merchant_id} and delivery_id = ${delivery_id} offset 0
    ) d cross join lateral (
      select delivery_id, created_at from webhook_queue
      where merchant_id = ${merchant_id} and delivery_id = d.active_replay offset 0) q
    order by delivery_id`
}

/** Dead letters whose last attempt has an id after `after` and before `below`. */
export type DeadLetters = {
  merchant_id: string
  /** Null for every endpoint. */
  endpoint_id: string | null
  after: string
  below: string
}

/** `was_replayed`: the same event was replayed later, so this row is not its last result. */
export type DeadLetter = {
  last_attempt_id: string
  delivery_id: string
  was_replayed: boolean
}

export async function countDeadLetters(sql: Sql, which: DeadLetters): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from (${deadAttempts(sql, which)}) a`
  return row!.count
}

/** The first dead letters, in the order in which they were given up. */
export async function listDeadLetters(sql: Sql, which: DeadLetters, limit: number): Promise<DeadLetter[]> {
  return sql<DeadLetter[]>`
    select a.attempt_id as last_attempt_id, a.delivery_id, coalesce(d.was_replayed, false) as was_replayed
    from (${deadAttempts(sql, which)} order by attempt_id limit ${limit}) a
    left join lateral (${replayedLater(sql)}) d on true
    order by a.attempt_id`
}

/** Whether the delivery of an attempt `a`, or a later one of the same event, was replayed. */
export function replayedLater(sql: Sql) {
  return sql`
    select exists (
      select 1 from webhook_deliveries later
      where later.merchant_id = d.merchant_id and later.root_id = d.root_id and later.replay_of is not null
        and (later.delivery_id > d.delivery_id
          or later.active_replay is not null and later.delivery_id <> d.delivery_id)
    ) or exists (
      select 1 from webhook_deliveries root
      where root.merchant_id = d.merchant_id and root.delivery_id = d.root_id
        and root.active_replay is not null and root.delivery_id <> d.delivery_id
    ) as was_replayed, d.active_replay is not null as is_being_replayed
    from webhook_deliveries d
    where d.merchant_id = a.merchant_id and d.delivery_id = a.delivery_id offset 0`
}

/** How many deliveries of each merchant became dead letters since an id and were not replayed, counted up to `most`. */
export async function countUnreplayed(
  whole: Sql,
  { from, most }: { from: string; most: number },
): Promise<{ merchant_id: string; count: number }[]> {
  type Row = { merchant_id: string; count: number }
  const compare = by<Row>(
    ({ count }) => -count,
    ({ merchant_id }) => merchant_id,
  )
  return firstFromCells(
    whole,
    { compare, limit: Infinity },
    (sql) => sql<Row[]>`
    select m.merchant_id, left_dead.count from (select distinct merchant_id from webhook_endpoints) m
    cross join lateral (
      select count(*)::int as count from (
        select merchant_id, delivery_id from webhook_attempts
        where merchant_id = m.merchant_id and status = 'dead_lettered' and attempt_id >= ${from}
        order by attempt_id desc limit ${most}) a
      left join lateral (${replayedLater(sql)}) d on true
      where not coalesce(d.was_replayed or d.is_being_replayed, false)) left_dead
    where left_dead.count > 0 order by left_dead.count desc, m.merchant_id`,
  )
}

function deadAttempts(sql: Sql, { merchant_id, endpoint_id, after, below }: DeadLetters) {
  return sql`
    select merchant_id, attempt_id, delivery_id from webhook_attempts
    where merchant_id = ${merchant_id} and status = 'dead_lettered' and attempt_id > ${after} and attempt_id < ${below}
      ${endpoint_id === null ? sql`` : sql`and endpoint_id = ${endpoint_id}`}`
}
