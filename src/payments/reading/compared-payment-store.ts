// The SQL that reads payments together with the journal's lines about them, page by page.

import { fromCells } from '../../database/cells/cells.ts'
import type { Fragment, Sql } from '../../database/open.ts'
import { wasPurged } from '../sessions/session-purge-store.ts'
import type { PaymentRows } from './compared-payment.ts'
import type { MoneyFault } from './money-fault.ts'

/** The next payments of a merchant, in the order of their ids. */
export async function readPaymentPage(
  sql: Sql,
  { merchant_id, after }: { merchant_id: string; after: string },
  limit: number,
): Promise<PaymentRows[]> {
  return readRows(
    sql,
    sql`select * from payments where merchant_id = ${merchant_id} and payment_id > ${after}
      order by payment_id limit ${limit}`,
  )
}

/** Reads those of the payments that exist. */
export async function readPayments(sql: Sql, merchant_id: string, payment_ids: string[]): Promise<PaymentRows[]> {
  return readRows(
    sql,
    sql`select * from payments where merchant_id = ${merchant_id} and payment_id = any(${payment_ids})`,
  )
}

async function readRows(sql: Sql, payments: Fragment): Promise<PaymentRows[]> {
  return sql<PaymentRows[]>`
    select (
      select row_to_json(r) from (
        select p.payment_id, p.status, p.capture_state, p.amount, p.captured_amount, p.currency, p.mode,
          p.decline->>'code' as decline_code, p.refunded_amount) r
    ) as payment, (
      select coalesce(json_agg(o order by o.operation_id), '[]') from (
        select operation_id, kind, state, amount, currency from acquirer_operations
        where merchant_id = p.merchant_id and payment_id = p.payment_id offset 0) o
    ) as operations, (
      ${eventsAbout(sql, sql`p.payment_id`)}
    ) as events, (
      select coalesce(json_agg(f order by f.operation_id), '[]') from (
        select refund_id, operation_id, status, amount, currency, mode, (${eventsAbout(sql, sql`refund_id`)}) as events
        from refunds where merchant_id = p.merchant_id and payment_id = p.payment_id offset 0) f
    ) as refunds, (
      select coalesce(json_agg(l order by l.entry_id), '[]') from (
        select entry_id, subject, change, detail from journal
        where merchant_id = p.merchant_id and session_id = p.session_id and change <> 'session.created'
          and (subject = p.payment_id or subject = any(array(
            select refund_id from refunds where merchant_id = p.merchant_id and payment_id = p.payment_id))) offset 0) l
    ) as lines
    from (${payments}) p order by p.payment_id`
}

function eventsAbout(sql: Sql, subject: Fragment): Fragment {
  return sql`
    select coalesce(json_agg(e order by e.sequence), '[]') from (
      select sequence, type, encode(sha256(convert_to(body, 'UTF8')), 'hex') as sha256 from events
      where merchant_id = p.merchant_id and payment_id = ${subject} offset 0) e`
}

/** A line whose row is missing or has another amount. Only sessions are compared here, except purged ones. */
export type UnmatchedLine = Pick<MoneyFault, 'kind' | 'subject' | 'entry_id' | 'differences'>

/** The next lines of a merchant, and which of the lines that begin a session or a payment do not match their row. */
export async function readLinePage(
  sql: Sql,
  { merchant_id, after }: { merchant_id: string; after: string },
  limit: number,
): Promise<{ last: string | null; faults: UnmatchedLine[] }> {
  const [row] = await sql<{ last: string | null; faults: UnmatchedLine[] }[]>`
    with page as materialized (
      select entry_id, subject, change, detail from journal
      where merchant_id = ${merchant_id} and entry_id > ${after} order by entry_id limit ${limit}
    ), lone as (
      select page.entry_id, page.subject, 'payment_removed' as kind, '[]'::json as differences from page
      left join lateral (
        select true as is_there from payments p
        where p.merchant_id = ${merchant_id} and p.payment_id = page.subject offset 0) p on true
      where p.is_there is null and (page.change = 'charge.begun'
        or (page.change = 'payment.declined' and page.detail->>'operation_id' is null))
      union all
      select page.entry_id, page.subject,
        case when s.amount is null then 'session_removed' else 'session_changed' end,
        json_build_array(
          json_build_object('member', 'amount', 'row', s.amount, 'line', page.detail->'amount'),
          json_build_object('member', 'currency', 'row', s.currency, 'line', page.detail->'currency'),
          json_build_object('member', 'mode', 'row', s.mode, 'line', page.detail->'mode'))
      from page left join lateral (
        select amount, currency, mode from sessions s
        where s.merchant_id = ${merchant_id} and s.session_id = page.subject offset 0) s on true
      where page.change = 'session.created'
        and ((s.amount is null and not ${wasPurged(sql, merchant_id)}) or s.amount::text <> page.detail->>'amount'
          or s.currency <> page.detail->>'currency' or s.mode <> page.detail->>'mode')
    )
    select (select max(entry_id) from page) as last,
      (select coalesce(json_agg(lone order by entry_id), '[]') from lone) as faults`
  return row!
}

/**
 * The recently changed payments of all merchants: for each merchant, the payments of its newest lines after a line id. At most
 * `payments` are returned.
 */
export async function listRecentPayments(
  whole: Sql,
  from: string,
  most: { lines: number; payments: number },
): Promise<{ merchant_id: string; payment_id: string }[]> {
  const found = await fromCells(
    whole,
    (sql) => sql<{ merchant_id: string; payment_id: string }[]>`
    select m.merchant_id, recent.payment_id from merchants m cross join lateral (
      select distinct subject as payment_id from (
        select subject, change from journal j
        where j.merchant_id = m.merchant_id and j.entry_id > ${from}
        order by j.entry_id desc limit ${most.lines}) newest
      where change in ('charge.begun', 'refund.begun') or change like 'payment.%'
      union
      select r.payment_id from (
        select subject, change from journal j
        where j.merchant_id = m.merchant_id and j.entry_id > ${from}
        order by j.entry_id desc limit ${most.lines}) newest
      join refunds r on r.merchant_id = m.merchant_id and r.refund_id = newest.subject) recent
    limit ${most.payments}`,
  )
  return found.slice(0, most.payments)
}
