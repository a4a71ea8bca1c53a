// The SQL of what the dashboard shows of deliveries beyond the API: each is looked up by key, for the rows of one page.

import type { Fragment, Sql } from '../../database/open.ts'
import type { Mode } from '../../kernel/values.ts'
import { replayedLater, type WaitingDelivery } from '../../webhooks/deliveries/operator-store.ts'
import type { DeliveryStatus } from '../../webhooks/delivery.ts'

export type DeliveryFacts = {
  failure: string | null
  /** Null where the event is gone. */
  mode: Mode | null
  about: {
    payment_id: string
    order_reference: string | null
    amount: number
    currency: string | null
  } | null
  /** Of a dead letter: the newest replay of the same event, whatever was replayed. */
  replay: { status: DeliveryStatus; response_status_code: number | null } | null
  /** Whether a later attempt of the same delivery succeeded. */
  succeeded_later: boolean
  /** Of the newest attempt of a delivery that is not settled, or of one without any: when the next is due, and until when its endpoint is paused. */
  waiting: { due_at: string; held_until: string | null; is_under_way: boolean } | null
}

type Row = Pick<WaitingDelivery, 'attempt_id' | 'delivery_id' | 'endpoint_id' | 'payment_id' | 'event_type' | 'status'>

/** In the order of the rows. */
export async function readDeliveryFacts(sql: Sql, merchant_id: string, rows: Row[]): Promise<DeliveryFacts[]> {
  const keys = rows.map(({ attempt_id, delivery_id, endpoint_id, payment_id, event_type, status }, place) => {
    return { place, merchant_id, attempt_id, delivery_id, endpoint_id, payment_id, event_type, status }
  })
  return sql<DeliveryFacts[]>`
    select attempt.failure, about.body->>'mode' as mode,
      case when about.payment_id is not null then json_build_object(
        'payment_id', about.payment_id,
        -- A refund's event names its payment alone.
        'order_reference', coalesce(about.whole->>'order_reference', (
          select order_reference from payments
          where merchant_id = a.merchant_id and payment_id = about.payment_id)),
        'amount', (about.whole->>'amount')::bigint, 'currency', about.whole->>'currency') end as about,
      case
        when a.status <> 'dead_lettered' then null
        when d.active_replay is not null then json_build_object('status', 'pending', 'response_status_code', null)
        when later.status is not null then json_build_object(
          'status', later.status, 'response_status_code', later.response_status_code)
      end as replay,
      coalesce(a.status = 'failed' and d.status = 'succeeded', false) as succeeded_later,
      case when q.due_at is not null then json_build_object('due_at', q.due_at, 'held_until', h.open_until,
        'is_under_way', q.attempt_id is not null) end as waiting
    from json_to_recordset(${keys as never}::json) as a (
      place integer, merchant_id text, attempt_id text, delivery_id text, endpoint_id text, payment_id text,
      event_type text, status text)
    left join lateral (
      select failure from webhook_attempts
      where merchant_id = a.merchant_id and attempt_id = a.attempt_id offset 0) attempt on true
    left join lateral (
      -- An event of the other platform's alone has its payment, if there was any, and its session as members.
      select d.body, coalesce(d.body->'session', d.body) as whole,
        coalesce(d.body->>'payment_id', d.body->'payment'->>'payment_id') as payment_id
      from (
        select e.body::json->'data' as body from events e
        where e.merchant_id = a.merchant_id and e.payment_id = a.payment_id and e.type = a.event_type limit 1) d
    ) about on true
    left join lateral (
      select root_id, active_replay, status from webhook_deliveries
      where merchant_id = a.merchant_id and delivery_id = a.delivery_id offset 0) d on true
    left join lateral (
      select r.status, (
        select response_status_code from webhook_attempts last
        where last.merchant_id = a.merchant_id and last.attempt_id = r.last_attempt_id) as response_status_code
      from webhook_deliveries r
      where r.merchant_id = a.merchant_id and r.root_id = d.root_id and r.replay_of is not null
        and r.delivery_id > a.delivery_id
      order by r.delivery_id desc limit 1) later on true
    left join lateral (
      select due_at, attempt_id from webhook_queue
      where merchant_id = a.merchant_id and delivery_id = a.delivery_id
        and a.attempt_id is not distinct from coalesce(last_attempt_id, pending_id) offset 0) q on true
    left join lateral (
      select open_until from webhook_endpoint_health
      where merchant_id = a.merchant_id and endpoint_id = a.endpoint_id offset 0) h on q.due_at is not null
    order by a.place`
}

/** Of so many deliveries of a class the oldest is looked for. */
const waiting_max = 1_000

/** Since when the oldest delivery of an endpoint `e` has waited, from its creation on: a first one that is due, or any that failed. */
export function oldestWaiting(sql: Sql, now: Date): Fragment {
  return sql`(
    select to_timestamp(('x' || left(min(w.delivery_id), 12))::bit(48)::bigint / 1000.0)
    from (values (0), (1)) k (class) cross join lateral (
      select q.delivery_id from webhook_queue q
      where q.class = k.class and q.endpoint_id = e.endpoint_id and (k.class = 1 or q.due_at <= ${now})
      order by q.class, q.endpoint_id, q.due_at limit ${waiting_max}) w)`
}

type NextDelivery = {
  endpoint_id: string
  /** What would be claimed next: whoever wants to know whether the receiver is back sends that one. */
  delivery_id: string
  oldest_at: Date | null
}

/** Of each endpoint for which something waits. */
export async function listNextDeliveries(sql: Sql, merchant_id: string, now: Date): Promise<Map<string, NextDelivery>> {
  const rows = await sql<NextDelivery[]>`
    select e.endpoint_id, next.delivery_id, ${oldestWaiting(sql, now)} as oldest_at
    from webhook_endpoints e cross join lateral (
      select oldest.delivery_id from (values (0), (1)) k (class) cross join lateral (
        select q.delivery_id, q.due_at from webhook_queue q
        where q.class = k.class and q.endpoint_id = e.endpoint_id and q.attempt_id is null
        order by q.class, q.endpoint_id, q.due_at limit 1) oldest
      order by k.class limit 1) next
    where e.merchant_id = ${merchant_id} and e.status = 'active'`
  return new Map(rows.map((next) => [next.endpoint_id, next]))
}

/**
 * How many deliveries of each active endpoint were given up since an id and were not replayed since, counted up to `most` attempts.
 */
export async function countGivenUp(
  sql: Sql,
  { merchant_id, from, most }: { merchant_id: string; from: string; most: number },
): Promise<Map<string, number>> {
  const rows = await sql<{ endpoint_id: string; count: number }[]>`
    select a.endpoint_id, count(*)::int as count from (
      select merchant_id, delivery_id, endpoint_id from webhook_attempts
      where merchant_id = ${merchant_id} and status = 'dead_lettered' and attempt_id >= ${from}
      order by attempt_id desc limit ${most}) a
    join webhook_endpoints e on e.merchant_id = ${merchant_id} and e.endpoint_id = a.endpoint_id and e.status = 'active'
    left join lateral (${replayedLater(sql)}) d on true
    where not coalesce(d.was_replayed or d.is_being_replayed, false)
    group by a.endpoint_id`
  return new Map(rows.map(({ endpoint_id, count }) => [endpoint_id, count]))
}
