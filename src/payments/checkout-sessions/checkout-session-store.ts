// The SQL of Checkout Sessions. A change of one locks its newest session first, and then the Checkout Session itself.

import type { JournalLine } from '../../audit/journal.ts'
import { columnNames, rowIf } from '../../database/driver/rows.ts'
import type { AnySql, Fragment, Sql } from '../../database/open.ts'
import { type KeyRow, KeyTakenError } from '../../http/idempotency.ts'
import { type GateResult, gateResult, hasPassed, insertKey, insertKeyIfOpen } from '../../http/key-gate.ts'
import type { Mode } from '../../kernel/values.ts'
import { type CompatibleEvent, compatibleEventRows, withoutShopper } from '../../webhooks/queue/compatible-event.ts'
import {
  type CheckoutSession,
  type CheckoutSessionKey,
  checkout_sessions_max,
  checkoutSessionColumns,
  type StandingCheckout,
} from '../checkout-session.ts'
import { looks_max } from '../reading/list-filters.ts'
import type { Session } from '../session.ts'
import { endUnpaid, isUnpaidAsRead } from '../sessions/session-store.ts'

export type NewCheckoutSession = { checkout: CheckoutSession; key: KeyRow | null; line: JournalLine }

/** Throws KeyTakenError, and inserts nothing, if the key exists. */
export async function insertCheckoutSession(sql: Sql, { checkout, key, line }: NewCheckoutSession): Promise<void> {
  const rows = await sql`
    with key as (${insertKey(sql, key)}), line as (insert into journal ${rowIf(sql, line, 'key')})
    insert into checkout_sessions ${rowIf(sql, checkout, 'key')} returning 1`
  if (rows.length === 0) throw new KeyTakenError()
}

/** Whether nothing can be paid by the session `s` any more; one that was purged, or never made, is over, too. */
function isOver(sql: Sql, now: Date): Fragment {
  return sql`(s.session_id is null or s.status = 'declined'
    or s.status = 'requires_payment' and (s.cancellation is not null or s.expires_at <= ${now}))`
}

/**
 * What a Checkout Session is: a payment that was made or is under way decides before its end does, and its end before the sessions that
 * its page may still make.
 */
function checkoutStatusAt(sql: Sql, now: Date): Fragment {
  return sql`case
    when s.status = 'succeeded' then 'complete'
    when s.status = 'processing' then 'open'
    when c.expired_at is not null or c.expires_at <= ${now} then 'expired'
    when s.status = 'declined' and s.last_decline->>'category' = 'fraud' then 'expired'
    when c.session_count >= ${checkout_sessions_max}::integer and ${isOver(sql, now)} then 'expired'
    else 'open' end`
}

/** The Checkout Sessions of `rows`, a relation with their columns, as they stand. */
function standing(sql: Sql, rows: Fragment, now: Date): Fragment {
  return sql`
    select c.*, ${checkoutStatusAt(sql, now)} as status, coalesce(p.status = 'captured', false) as is_paid,
      s.status as session_status, s.expires_at as session_expires_at, ${isOver(sql, now)} as is_session_over,
      coalesce(s.customer->>'email', c.customer_email) as email
    from (${rows}) c
    left join sessions s on s.merchant_id = c.merchant_id and s.session_id = c.session_id
    left join payments p on p.merchant_id = s.merchant_id and p.payment_id = s.payment_id`
}

export async function findCheckoutSession(
  sql: Sql,
  { merchant_id, checkout_session_id }: CheckoutSessionKey,
  now: Date,
): Promise<StandingCheckout | undefined> {
  const row = sql`
    select ${columnNames(sql, checkoutSessionColumns)} from checkout_sessions
    where merchant_id = ${merchant_id} and checkout_session_id = ${checkout_session_id}`
  const [checkout] = await sql<StandingCheckout[]>`${standing(sql, row, now)}`
  return checkout
}

export async function findCheckoutMode(
  sql: Sql,
  { merchant_id, checkout_session_id }: CheckoutSessionKey,
): Promise<Mode | null> {
  const [row] = await sql<{ mode: Mode }[]>`
    select mode from checkout_sessions
    where merchant_id = ${merchant_id} and checkout_session_id = ${checkout_session_id}`
  return row?.mode ?? null
}

export type CheckoutFilters = {
  merchant_id: string
  mode: Mode | null
  status: StandingCheckout['status'] | undefined
  /** A session that its page made. */
  session_id: string | undefined
  created_from: Date | undefined
  created_before: Date | undefined
}

type ListPlace = {
  direction: 'older' | 'newer'
  /** The row next to which the page begins. */
  edge: Pick<CheckoutSession, 'created_at' | 'checkout_session_id'> | null
  limit: number
  now: Date
}

/** The next rows in a direction, and the last row that was looked at if the look ended before the merchant's rows did. */
export async function listCheckoutSessions(
  sql: Sql,
  filters: CheckoutFilters,
  place: ListPlace,
): Promise<{ rows: StandingCheckout[]; ended_at: Date | null }> {
  const { direction, limit, now } = place
  const { status } = filters
  const order =
    direction === 'older'
      ? sql`created_at desc, checkout_session_id desc`
      : sql`created_at asc, checkout_session_id asc`
  const looks = status === undefined ? limit : looks_max
  const rows = sql`
    select ${columnNames(sql, checkoutSessionColumns)}, row_number() over (order by ${order})::int as place
    from checkout_sessions where ${isWanted(sql, filters)} ${isBeyond(sql, place)}
    order by ${order} limit ${looks}`
  const found = await sql<(StandingCheckout & { place: number })[]>`
    select * from (${standing(sql, rows, now)}) r
    where ${status === undefined ? sql`true` : sql`(status = ${status} or place = ${looks_max})`}
    order by place limit ${limit}`
  const last = found.at(-1)
  return {
    rows: found.filter((row) => status === undefined || row.status === status),
    ended_at: last?.place === looks_max ? last.created_at : null,
  }
}

function isWanted(sql: Sql, filters: CheckoutFilters): Fragment {
  const { merchant_id, mode, session_id, created_from, created_before } = filters
  const ofSession =
    session_id === undefined
      ? sql``
      : sql`and checkout_session_id = (
          select checkout_session_id from sessions where merchant_id = ${merchant_id} and session_id = ${session_id})`
  return sql`merchant_id = ${merchant_id} ${mode ? sql`and mode = ${mode}` : sql``} ${ofSession}
    ${created_from ? sql`and created_at >= ${created_from}` : sql``}
    ${created_before ? sql`and created_at < ${created_before}` : sql``}`
}

function isBeyond(sql: Sql, { direction, edge }: ListPlace): Fragment {
  if (edge === null) return sql``
  const { created_at, checkout_session_id } = edge
  return direction === 'older'
    ? sql`and (created_at, checkout_session_id) < (${created_at}::timestamptz, ${checkout_session_id}::text)`
    : sql`and (created_at, checkout_session_id) > (${created_at}::timestamptz, ${checkout_session_id}::text)`
}

/** The newest session, if no payment of it is made or under way. */
function lockUnpaid(sql: Sql, { merchant_id, session_id }: CheckoutSession, more = sql``): Fragment {
  return sql`
    select 1 from sessions s where merchant_id = ${merchant_id} and session_id = ${session_id}
      and status in ('requires_payment', 'declined') ${more} for update`
}

/** The Checkout Session has the same newest session as when it was read, and `unpaid` has locked that one, or it was purged. */
function isAsRead(sql: Sql, { merchant_id, checkout_session_id, session_id }: CheckoutSession): Fragment {
  const lock = sql`and (exists (select 1 from unpaid) or not exists (
    select 1 from sessions where merchant_id = ${merchant_id} and session_id = ${session_id}))`
  return sql`merchant_id = ${merchant_id} and checkout_session_id = ${checkout_session_id}
    and session_id is not distinct from ${session_id}::text and expired_at is null ${lock}`
}

/** Ends the newest session. */
function endNewest(sql: Sql, checkout: CheckoutSession, at: Date, gate: Fragment): Fragment {
  return endUnpaid(sql, checkout, { cancellation: 'expired', at, gate })
}

/**
 * Inserts the next session of an open Checkout Session, in place of one that is over. Returns false, with nothing written, if another
 * request was faster or it ended.
 */
export async function insertNextSession(
  sql: Sql,
  checkout: CheckoutSession,
  { session, line, look_at, now }: { session: Session; line: JournalLine; look_at: Date; now: Date },
): Promise<boolean> {
  const rows = await sql`
    with unpaid as (${lockUnpaid(sql, checkout, sql`and ${isOver(sql, now)}`)}
    ), gate as (
      update checkout_sessions set session_id = ${session.session_id}, session_count = session_count + 1,
        look_at = ${look_at}
      where ${isAsRead(sql, checkout)} and expires_at > ${now} and session_count < ${checkout_sessions_max}::integer
      returning 1
    ), over as (${endNewest(sql, checkout, now, sql`select 1 from gate`)}
    ), line as (insert into journal ${rowIf(sql, line, 'gate')})
    insert into sessions ${rowIf(sql, session, 'gate')} returning 1`
  return rows.length > 0
}

/**
 * Ends a Checkout Session that is not paid, with its session. Returns false, with nothing written, if its shopper was faster, or where
 * `session`, its newest one, has changed since it was read. Throws KeyTakenError if the key exists.
 */
export async function expireCheckoutSession(
  sql: Sql,
  checkout: CheckoutSession,
  { key, event, now, session }: { key: KeyRow | null; event: CompatibleEvent; now: Date; session?: Session },
): Promise<boolean> {
  const { merchant_id, checkout_session_id } = checkout
  const rows = await sql<GateResult[]>`
    with unpaid as (${lockUnpaid(sql, checkout, session && sql`and ${isUnpaidAsRead(sql, session)}`)}
    ), gate as (select 1 from checkout_sessions where ${isAsRead(sql, checkout)} for update
    ), key as (${insertKeyIfOpen(sql, key)}
    ), ended as (
      update checkout_sessions set expired_at = ${now}, look_at = null
      where merchant_id = ${merchant_id} and checkout_session_id = ${checkout_session_id} and exists (select 1 from key)
    ), over as (${endNewest(sql, checkout, now, sql`select 1 from key`)}
    ), ${compatibleEventRows(sql, event, 'key')}
    ${gateResult(sql)}`
  return hasPassed(rows)
}

/** Leases those that a process has to look at, the longest due first. One that nothing comes of is due again at `lease_until`. */
export async function claimCheckouts(
  sql: Sql,
  { now, lease_until, limit }: { now: Date; lease_until: Date; limit: number },
): Promise<StandingCheckout[]> {
  const columns = columnNames(sql, checkoutSessionColumns)
  return sql<StandingCheckout[]>`
    with claimed as (
      update checkout_sessions set look_at = ${lease_until}
      where ctid = any(array(
        select ctid from checkout_sessions where look_at <= ${now}
        order by look_at limit ${limit} for update skip locked)) and look_at <= ${now}
      returning ${columns}
    )
    ${standing(sql, sql`select * from claimed`, now)} order by c.created_at, c.checkout_session_id`
}

/** Sets when the next look is, unless something happened since it was read; null for never. */
export async function postponeLook(sql: Sql, checkout: CheckoutSession, look_at: Date | null): Promise<void> {
  const { merchant_id, checkout_session_id } = checkout
  await sql`
    update checkout_sessions set look_at = ${look_at}
    where merchant_id = ${merchant_id} and checkout_session_id = ${checkout_session_id} and look_at = ${checkout.look_at}`
}

/** Writes an event that a process of an earlier release did not; nothing where it is there. */
export async function insertMissingEvent(sql: Sql, event: CompatibleEvent): Promise<void> {
  await sql`with gate as (select 1), ${compatibleEventRows(sql, event)} select 1`
}

/** What the end of a charge means for the Checkout Session of its session: CTEs for a statement with `gate` and `locked`. */
export function checkoutRows(sql: AnySql, { merchant_id, checkout_session_id, status }: Session, at: Date): Fragment {
  if (checkout_session_id === null || status === 'requires_payment') return sql``
  return sql`, checkout as (
    update checkout_sessions set look_at = ${status === 'succeeded' ? null : at}
    where merchant_id = ${merchant_id} and checkout_session_id = ${checkout_session_id} and look_at is not null
      and exists (select 1 from gate) and exists (select 1 from locked))`
}

/**
 * Deletes those that ended unpaid before a time, and returns how many. Their events stay, since deliveries and replays may need them, but
 * say nothing of a shopper any more.
 */
export async function purgeCheckoutSessions(
  sql: Sql,
  { mode, before, limit }: { mode: Mode; before: Date; limit: number },
): Promise<number> {
  const rows = await sql`
    with gone as (
      delete from checkout_sessions where (merchant_id, checkout_session_id) in (
        select merchant_id, checkout_session_id from checkout_sessions
        where expired_at < ${before} and mode = ${mode} order by expired_at limit ${limit})
      returning merchant_id, checkout_session_id
    ), told as (
      update events e set body = ${withoutShopper(sql, 'checkout')} from gone
      where e.merchant_id = gone.merchant_id and e.payment_id = gone.checkout_session_id
    )
    select 1 from gone`
  return rows.length
}
