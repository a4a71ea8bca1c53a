// The SQL of payouts and their lines.

import type { AnySql, Sql } from '../database/open.ts'
import { idsFrom, millisecondsOf } from '../kernel/ids.ts'
import type { Mode } from '../kernel/values.ts'
import { takenIn } from '../payments/payment.ts'
import type { Finding, Line, PayoutName } from './line.ts'
import { spelled } from './money.ts'
import type { Payout } from './payout.ts'

/** Whose report it is. */
export type ReportOwner = { merchant_id: string; connection_id: string; acquirer: string; mode: Mode }

/** `paid_amount`: what an earlier report said of it, as SQL spells it. */
export type HeldPayout = { payout_id: string; paid_amount: string | null }

/** The payout of this name, made where it is new. It stays locked until the transaction ends, so that imports take turns. */
export async function holdPayout(
  tx: AnySql,
  { merchant_id, connection_id, mode }: ReportOwner,
  { account, vendor_id, currency }: PayoutName,
  { payout_id, at }: { payout_id: string; at: Date },
): Promise<HeldPayout> {
  const [row] = await tx<HeldPayout[]>`
    insert into payouts as p (merchant_id, payout_id, connection_id, account, vendor_id, mode, currency, created_at)
    values (${merchant_id}, ${payout_id}, ${connection_id}, ${account}, ${vendor_id}, ${mode}, ${currency}, ${at})
    on conflict (merchant_id, connection_id, account, vendor_id, currency) do update set vendor_id = p.vendor_id
    returning payout_id, paid_amount::text as paid_amount`
  return row!
}

export type LineResult = { line: number; is_new: boolean; finding: Finding | null }

/** Matches lines with what was charged and refunded by the connection, and keeps those that are new. */
export async function insertLines(
  tx: AnySql,
  { merchant_id, acquirer, mode }: ReportOwner,
  lines: (Line & { payout_id: string })[],
): Promise<LineResult[]> {
  const rows = lines.map((line) => ({
    payout_id: line.payout_id,
    line_key: line.key,
    line: line.line,
    transaction_id: line.transaction_id,
    type: line.type,
    kind: line.kind,
    gross: spelled(line.gross),
    fee: spelled(line.fee),
    customer_amount: line.customer && spelled(line.customer.amount),
    customer_currency: line.customer?.currency ?? null,
    exchange_rate: line.exchange_rate,
    payment_ref: line.payment_ref,
    refund_ref: line.refund_ref,
    finding: line.finding,
  }))
  return tx<LineResult[]>`
    with given as materialized (
      select * from json_to_recordset(${rows as never}::json) as r (
        payout_id text, line_key text collate "C", line integer, transaction_id text, type text, kind text, gross numeric, fee numeric,
        customer_amount numeric, customer_currency text, exchange_rate numeric, payment_ref text, refund_ref text, finding text)
    ), matched as materialized (
      select g.payout_id, g.line_key, g.line, g.transaction_id, g.type, g.kind, g.gross, g.fee, g.customer_amount,
        g.customer_currency, g.exchange_rate, coalesce(p.payment_id, r.payment_id) as payment_id, r.refund_id,
        case
          when g.finding is not null then g.finding
          when g.payment_ref is null and g.refund_ref is null then
            case when g.kind in ('payment', 'refund', 'dispute') then 'unknown_transaction' end
          when p.payment_id is null and r.payment_id is null then 'unknown_transaction'
          when p.payment_id <> r.payment_id then 'unknown_refund'
          when g.kind = 'payment' and p.status <> 'captured' then 'not_captured'
          when g.kind = 'refund' and r.refund_id is null then 'unknown_refund'
          when g.kind = 'dispute' and not exists (
            select 1 from disputes where merchant_id = ${merchant_id} and payment_id = p.payment_id) then 'unknown_dispute'
          when g.kind = 'refund' and r.status = 'failed' and g.gross < 0 then 'not_refunded'
          when g.customer_amount is null then null
          when g.kind = 'payment' and g.customer_currency <> p.currency then 'amount_not_told'
          when g.kind = 'payment' and abs(g.customer_amount) <> p.taken then 'another_amount'
          when g.kind = 'refund' and g.customer_currency <> r.currency then 'amount_not_told'
          when g.kind = 'refund' and abs(g.customer_amount) <> r.amount then 'another_amount'
        end as finding
      from given g
      left join lateral (
        select payment_id, status, currency, ${takenIn(tx, tx`payments`)} as taken from payments
        where merchant_id = ${merchant_id} and acquirer_transaction_id = g.payment_ref and acquirer = ${acquirer}
          and mode = ${mode}
        order by status = 'captured' desc limit 1
      ) p on true
      left join lateral (
        select f.refund_id, f.payment_id, f.amount, f.currency, f.status from acquirer_operations o
          join refunds f on f.merchant_id = o.merchant_id and f.operation_id = o.operation_id
        where o.merchant_id = ${merchant_id} and coalesce(o.handle, o.acquirer_transaction_id) = g.refund_ref
          and o.acquirer = ${acquirer} and o.acquirer <> 'simulator' and o.kind = 'refund' and f.mode = ${mode}
        limit 1
      ) r on true
    ), inserted as (
      insert into payout_lines
        (merchant_id, payout_id, line_key, line, transaction_id, type, kind, gross, fee, customer_amount, customer_currency,
         exchange_rate, payment_id, refund_id, finding)
      select ${merchant_id}, payout_id, line_key, line, transaction_id, type, kind, gross, fee, customer_amount,
        customer_currency, exchange_rate, payment_id, refund_id, finding
      from matched order by line
      on conflict do nothing
      returning payout_id, line_key, line
    )
    select m.line, i.line_key is not null as is_new,
      case when i.line_key is not null then m.finding
        when l.gross <> m.gross or l.fee <> m.fee then 'differs_from_earlier' end as finding
    from matched m
    left join inserted i on i.payout_id = m.payout_id and i.line_key = m.line_key and i.line = m.line
    left join lateral (
      select gross, fee from payout_lines
      where merchant_id = ${merchant_id} and payout_id = m.payout_id and line_key = m.line_key limit 1
    ) l on true
    order by m.line`
}

/** Counts and sums a payout's lines anew. */
export async function sumPayout(
  tx: AnySql,
  { merchant_id }: Pick<ReportOwner, 'merchant_id'>,
  { payout_id, paid_on, paid_amount }: { payout_id: string; paid_on: string | null; paid_amount: string | null },
): Promise<Payout> {
  await tx`
    update payouts p set gross = s.gross, fee = s.fee, line_count = s.lines, finding_count = s.findings,
      paid_on = coalesce(p.paid_on, ${paid_on}::text::date),
      paid_amount = coalesce(${paid_amount}::text::numeric, p.paid_amount)
    from (
      select coalesce(sum(gross), 0) as gross, coalesce(sum(fee), 0) as fee, count(*)::integer as lines,
        count(finding)::integer as findings
      from payout_lines where merchant_id = ${merchant_id} and payout_id = ${payout_id}
    ) s
    where p.merchant_id = ${merchant_id} and p.payout_id = ${payout_id}`
  return (await findPayout(tx, { merchant_id, payout_id }))!
}

/** A payout's columns as the view has them. Rounded sums: net first, then the fee is what is between. */
export function payoutColumns(sql: AnySql) {
  return sql`p.merchant_id, p.payout_id, p.connection_id, c.label, p.vendor_id, p.mode, p.currency,
    round(p.gross)::bigint as gross, (round(p.gross) - round(p.gross - p.fee))::bigint as fee,
    round(p.gross - p.fee)::bigint as net, round(p.paid_amount)::bigint as paid_amount, p.line_count, p.finding_count,
    p.paid_on::text as paid_on, p.created_at`
}

export async function findPayout(
  sql: AnySql,
  { merchant_id, payout_id }: Pick<Payout, 'merchant_id' | 'payout_id'>,
): Promise<Payout | undefined> {
  const [row] = await sql<Payout[]>`
    select ${payoutColumns(sql)} from payouts p join connections c using (merchant_id, connection_id)
    where p.merchant_id = ${merchant_id} and p.payout_id = ${payout_id}`
  return row
}

export type PayoutFilters = {
  merchant_id: string
  mode: Mode | undefined
  created_from: Date | undefined
  created_before: Date | undefined
}

/** Newest first, behind a position; null is the beginning. */
export async function listPayouts(
  sql: Sql,
  { merchant_id, mode, created_from, created_before }: PayoutFilters,
  { behind, limit }: { behind: string | null; limit: number },
): Promise<Payout[]> {
  const from = created_from ? sql`and created_at >= ${created_from}` : sql``
  const before = created_before ? sql`and created_at < ${created_before}` : sql``
  const next =
    behind === null
      ? sql``
      : sql`and (created_at, payout_id) < (${new Date(millisecondsOf(behind))}, ${`po_${behind.slice(12)}`})`
  const newest = sql`order by created_at desc, payout_id desc limit ${limit}`
  const [first, second] = (mode ? [mode] : (['test', 'live'] as const)).map(
    (each) =>
      sql`(select * from payouts where merchant_id = ${merchant_id} and mode = ${each} ${from} ${before} ${next} ${newest})`,
  )
  return sql<Payout[]>`
    select ${payoutColumns(sql)} from (${second ? sql`${first!} union all ${second}` : first!}) p
      join connections c using (merchant_id, connection_id)
    ${newest}`
}

/** Of a payout in the list: its time, then the digits of its id. */
export function positionOfPayout({ created_at, payout_id }: Pick<Payout, 'created_at' | 'payout_id'>): string {
  return idsFrom(created_at) + payout_id.slice('po_'.length)
}

export type KeptFinding = {
  line: number
  transaction_id: string
  type: string
  payment_id: string | null
  reason: Finding
}

/** The first lines of a payout that do not fit, in the order of the file. */
export async function listFindings(
  sql: Sql,
  { merchant_id, payout_id }: Pick<Payout, 'merchant_id' | 'payout_id'>,
  limit: number,
): Promise<KeptFinding[]> {
  return sql<KeptFinding[]>`
    select line, transaction_id, type, payment_id, finding as reason from payout_lines
    where merchant_id = ${merchant_id} and payout_id = ${payout_id} and finding is not null
    order by line limit ${limit}`
}
