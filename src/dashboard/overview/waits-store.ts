// The SQL of what waits for somebody at a merchant, and of the health of its webhooks. Each count has an end.

import type { Sql } from '../../database/open.ts'
import type { Mode } from '../../kernel/values.ts'
import { demo_key_name } from '../../merchants/manage.ts'
import { counted_max as payments_of_order_max } from '../../payments/reading/list-filters.ts'
import { hasMoneyLeft, owedRefunds, type RefundedPayment, refundStates } from '../../payments/reading/owed-refunds.ts'
import { oldestWaiting } from '../webhooks/delivery-facts-store.ts'

const counted_max = 1000
const day_ms = 24 * 3_600_000
/** How many of the newest refunds are looked at for those that failed. */
const refunds_max = 2000
/** And how many of the newest payments for orders that were paid twice, of which so many are named. */
const payments_max = 1000
const orders_max = 5

export type WaitingHolds = {
  count: number
  /** How many of them reach their deadline within a day. */
  lapsing: number
  next_deadline: Date | null
  sums: { currency: string; amount: number }[]
}

export type Waits = {
  /** For a judgement of their amount. */
  holds: WaitingHolds
  /** For their goods to leave. */
  to_capture: WaitingHolds
  unknown_outcomes: number
  outcomes_for_person: number
  breakers_open: number
  keys_ending: { key_id: string; name: string | null; expires_at: Date }[]
  brakes_pulled: number
  /** Disputes that need a response. */
  disputes: number
  /** Until when the first of them may be answered. */
  disputes_until: Date | null
  failed_refunds: number
  /** When the oldest of them was begun. */
  failed_refunds_from: Date | null
  orphans_held_back: number
  has_payment: boolean
  has_endpoint: boolean
  has_colleague: boolean
  has_key: boolean
}

export async function readWaits(
  sql: Sql,
  asked: { merchant_id: string; mode: Mode; now: Date; keys_until: Date; failed_from: Date },
): Promise<Waits> {
  const { merchant_id, mode, now, keys_until, failed_from } = asked
  const lapse_before = new Date(now.getTime() + day_ms)
  type Row = Omit<
    Waits,
    'holds' | 'to_capture' | 'keys_ending' | 'failed_refunds' | 'failed_refunds_from' | 'disputes_until'
  > & {
    disputes_until: string | null
    /** Payments with a failed refund. */
    failed: RefundedPayment[]
    waiting: (Omit<WaitingHolds, 'next_deadline'> & { is_to_capture: boolean; next_deadline: string })[]
    keys_ending: { key_id: string; name: string | null; expires_at: string }[]
  }
  const [row] = await sql<Row[]>`
    with hold as materialized (
      select h.deadline, h.reason = 'manual_capture' as is_to_capture, p.amount, p.currency from (
        select merchant_id, payment_id, deadline, reason from holds
        where merchant_id = ${merchant_id} and decided_at is null order by deadline limit ${counted_max}
      ) h
      cross join lateral (
        select amount, currency from payments
        where merchant_id = h.merchant_id and payment_id = h.payment_id and mode = ${mode} offset 0) p
    ), operation as materialized (
      select payment_id, waits_for_person_since from acquirer_operations
      where state in ('sent', 'unknown', 'reversing', 'accepted') and (state <> 'sent' or answer_by <= ${now})
        and merchant_id = ${merchant_id} limit ${counted_max}
    ), failed as materialized (
      select distinct f.payment_id from (
        select mode, payment_id, status, settled_at from refunds
        where merchant_id = ${merchant_id} order by refund_id desc limit ${refunds_max}) f
      where f.mode = ${mode} and f.status = 'failed' and f.settled_at >= ${failed_from} limit ${counted_max}
    ), dispute as materialized (
      select respond_by from disputes
      where merchant_id = ${merchant_id} and closed_at is null and status = 'needs_response' and mode = ${mode}
      limit ${counted_max}
    ), unknown as materialized (
      select o.waits_for_person_since from operation o cross join lateral (
        select 1 from payments p
        where p.merchant_id = ${merchant_id} and p.payment_id = o.payment_id and mode = ${mode} offset 0) p
    )
    select (select coalesce(json_agg(w), '[]') from (
        select is_to_capture, count(*)::int as count, min(deadline) as next_deadline,
          count(*) filter (where deadline < ${lapse_before})::int as lapsing,
          (select json_agg(s) from (
            select currency, sum(amount)::bigint as amount from hold each
            where each.is_to_capture = hold.is_to_capture group by currency order by 2 desc) s) as sums
        from hold group by is_to_capture) w) as waiting,
      (select count(*)::int from dispute) as disputes,
      (select min(respond_by) from dispute) as disputes_until,
      (select count(*)::int from unknown) as unknown_outcomes,
      (select count(waits_for_person_since)::int from unknown) as outcomes_for_person,
      (select count(*)::int from webhook_endpoint_health h
        join webhook_endpoints e on e.merchant_id = h.merchant_id and e.endpoint_id = h.endpoint_id
        where h.merchant_id = ${merchant_id} and h.state = 'open' and e.status = 'active') as breakers_open,
      (select coalesce(json_agg(k order by k.expires_at), '[]') from (
        select key_id, name, expires_at from api_keys
        where merchant_id = ${merchant_id} and revoked_at is null
          and expires_at > ${now} and expires_at < ${keys_until} limit ${counted_max}) k) as keys_ending,
      (select coalesce(json_agg(r), '[]') from failed f cross join lateral (
        select p.amount, ${refundStates(sql, sql`p`)} as refunds from payments p
        where p.merchant_id = ${merchant_id} and p.payment_id = f.payment_id offset 0) r) as failed,
      (select count(*)::int from orphan_brakes where released_at is null) as brakes_pulled,
      (select count(*)::int from orphan_authorisations
        where state = 'found' and next_try_at is null and held_back_at is not null) as orphans_held_back,
      exists (select 1 from payments where merchant_id = ${merchant_id} and mode = ${mode}) as has_payment,
      exists (select 1 from webhook_endpoints where merchant_id = ${merchant_id} and status = 'active') as has_endpoint,
      (select count(*) > 1 from memberships where merchant_id = ${merchant_id})
        or exists (select 1 from sign_in_links
          where merchant_id = ${merchant_id} and purpose = 'invite' and used_at is null and withdrawn_at is null)
        as has_colleague,
      exists (select 1 from api_keys
        where merchant_id = ${merchant_id} and revoked_at is null
          and (made_by is not null or last_used_at is not null or name <> ${demo_key_name})) as has_key`
  const { waiting, keys_ending, failed, disputes_until, ...rest } = row!
  const owed = failed.flatMap(owedRefunds).filter(({ settled_at }) => new Date(settled_at!) >= failed_from)
  const begun_at = owed.map(({ created_at }) => Date.parse(created_at))
  const failed_refunds_from = owed.length > 0 ? new Date(Math.min(...begun_at)) : null
  const ending = keys_ending.map((key) => ({ ...key, expires_at: new Date(key.expires_at) }))
  const waitingFor = (of: boolean): WaitingHolds => {
    const { is_to_capture: _, next_deadline, ...found } = waiting.find((each) => each.is_to_capture === of) ?? none
    return { ...found, next_deadline: next_deadline === null ? null : new Date(next_deadline) }
  }
  return {
    ...rest,
    holds: waitingFor(false),
    to_capture: waitingFor(true),
    keys_ending: ending,
    disputes_until: disputes_until === null ? null : new Date(disputes_until),
    failed_refunds: owed.length,
    failed_refunds_from,
  }
}

const none = { is_to_capture: false, count: 0, lapsing: 0, next_deadline: null, sums: [] }

export type PaidOrder = { order_reference: string; count: number }

/** Orders for which several payments were captured and have money left: the newest of a time, the newest first. */
export async function listPaidTwice(
  sql: Sql,
  { merchant_id, mode, from }: { merchant_id: string; mode: Mode; from: Date },
): Promise<PaidOrder[]> {
  return sql<PaidOrder[]>`
    select d.order_reference, c.count from (
      select distinct order_reference from (
        select merchant_id, payment_id, order_reference, status, amount, captured_amount, refunded_amount, refund_count
        from payments
        where merchant_id = ${merchant_id} and mode = ${mode} and created_at >= ${from}
        order by created_at desc, payment_id desc limit ${payments_max}
      ) n
      where order_reference is not null and status = 'captured' and ${hasMoneyLeft(sql, sql`n`)}
    ) d
    cross join lateral (
      select count(*) filter (where status = 'captured' and ${hasMoneyLeft(sql, sql`o`)})::int as count,
        max(created_at) as newest_at
      from (
        select merchant_id, payment_id, status, amount, captured_amount, refunded_amount, refund_count, created_at
        from payments
        where merchant_id = ${merchant_id} and mode = ${mode} and order_reference = d.order_reference
        order by created_at desc, payment_id desc limit ${payments_of_order_max}
      ) o
    ) c
    where c.count > 1
    order by c.newest_at desc limit ${orders_max}`
}

export type WebhookHealth = {
  delivered: number
  /** Events that have had their minute: settled, or waiting for longer. */
  due: number
  within_minute: number
  /** When the oldest delivery that waits was made. */
  oldest_at: Date | null
}

const punctual_ms = 60_000

/** The newest deliveries since an id, and the oldest one that waits. A replay is no event of its own. */
export async function readWebhookHealth(
  sql: Sql,
  { merchant_id, from, now }: { merchant_id: string; from: string; now: Date },
): Promise<WebhookHealth> {
  const minute_ago = new Date(now.getTime() - punctual_ms)
  const newest = sql`where merchant_id = ${merchant_id} and delivery_id >= ${from} order by delivery_id desc limit ${counted_max}`
  const [row] = await sql<WebhookHealth[]>`
    with recent as materialized (
      select * from (
        (select delivery_id, replay_of, status, settled_at, root_created_at from webhook_deliveries ${newest})
        union all
        (select delivery_id, replay_of, null, null, root_created_at from webhook_queue ${newest})
      ) d order by delivery_id desc limit ${counted_max}
    )
    select count(*) filter (where status = 'succeeded')::int as delivered,
      count(*) filter (where replay_of is null and (status is not null or root_created_at <= ${minute_ago}))::int as due,
      count(*) filter (where replay_of is null and status = 'succeeded'
        and settled_at < root_created_at + interval '1 minute')::int as within_minute,
      (select min(${oldestWaiting(sql, now)}) from webhook_endpoints e
        where e.merchant_id = ${merchant_id} and e.status = 'active') as oldest_at
    from recent`
  return row!
}
