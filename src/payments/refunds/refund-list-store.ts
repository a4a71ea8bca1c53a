// The SQL that lists refunds, newest first, by their key: ids are in the order of time, those of early releases to the second alone.

import type { AnySql, Fragment, Sql } from '../../database/open.ts'
import type { FoundRows } from '../../http/list-page.ts'
import type { PaymentKey } from '../payment.ts'
import { looks_max, type SpanFilters } from '../reading/list-filters.ts'
import type { Refund, RefundStatus } from '../refund.ts'

export type RefundFilters = SpanFilters & {
  merchant_id: string
  status: RefundStatus | undefined
  refund_id: string | undefined
  search?: RefundSearch | undefined
}

/** A part of the reason, the order, the acquirer's name of it or the name of the key that began it; in any case. */
export type RefundSearch = {
  text: string
  /** The amount that the text may mean. */
  amount: number | undefined
  currency: string | undefined
  /** Whether emails and what people noted are looked through, too. */
  of_shoppers: boolean
  /** Whether the names of people are. */
  of_people: boolean
}

/** A text is looked for in payments, operations and the journal, too: so many refunds of each request. */
const search_looks_max = 1000

/** With the acquirer's own name of the refund, which a shopper's bank may know it by. */
export type NamedRefund = Refund & {
  acquirer_transaction_id: string | null
  /** What a person gave back another way. */
  otherwise_amount: number | null
}

/** `actor` is who began it, as the journal has it. */
export type ListedRefund = NamedRefund & {
  order_reference: string | null
  customer_email: string | null
  actor: string | null
}

export async function listRefundRows(
  sql: Sql,
  filters: RefundFilters,
  { behind, limit }: { behind: string | null; limit: number },
): Promise<FoundRows<ListedRefund>> {
  const { merchant_id, mode, status, refund_id, created_from, created_before, search } = filters
  const looks = search ? search_looks_max : looks_max
  const ofMode = mode ? sql`and mode = ${mode}` : sql``
  const ofStatus = status ? sql`and status = ${status}` : sql``
  const from = created_from ? sql`and created_at >= ${created_from}` : sql``
  const before = created_before ? sql`and created_at < ${created_before}` : sql``
  const isMatch = sql`(n.is_of_span ${search ? hasText(sql, search) : sql``})`
  const refunds = await sql<(ListedRefund & { place: number; is_match: boolean })[]>`
    select r.*, (${lineOfRefund(sql, { of: sql`r`, change: 'refund.begun', at: sql`r.created_at`, of_line: sql`actor` })}) as actor
    from (
      select n.*, o.acquirer_transaction_id, p.order_reference, p.customer_email, ${isMatch} as is_match from (
        select l.*, row_number() over (order by refund_id desc)::int as place,
          (true ${ofMode} ${ofStatus} ${from} ${before}) as is_of_span
        from (
          select * from refunds
          where merchant_id = ${merchant_id} ${idsOf(sql, filters, behind)}
            ${refund_id ? sql`and refund_id = ${refund_id}` : sql``}
          order by refund_id desc limit ${looks}
        ) l
      ) n
      cross join lateral (
        select acquirer_transaction_id from acquirer_operations
        where merchant_id = n.merchant_id and operation_id = n.operation_id offset 0) o
      cross join lateral (
        select order_reference, customer_email from payments
        where merchant_id = n.merchant_id and payment_id = n.payment_id offset 0) p
      where ${isMatch} or n.place = ${looks}
      order by n.refund_id desc limit ${limit}
    ) r
    order by r.refund_id desc`
  const last = refunds.at(-1)
  return {
    rows: refunds.filter(({ is_match }) => is_match),
    ended_at: last?.place === looks ? positionOfRefund(last) : null,
  }
}

/** No text has a line end, so none matches across two of these. */
function hasText(sql: AnySql, { text, amount, currency, of_shoppers, of_people }: RefundSearch): Fragment {
  const of = sql`n`
  const actor = lineOfRefund(sql, { of, change: 'refund.begun', at: sql`n.created_at`, of_line: sql`actor` })
  const noteLine = { of, change: 'refund.settled_otherwise', at: sql`n.otherwise_at`, of_line: sql`detail->>'note'` }
  const ofShoppers = of_shoppers ? sql`, p.customer_email, (${lineOfRefund(sql, noteLine)})` : sql``
  const person = of_people ? sql`union all select name from users where user_id = substr(a.actor, 6)` : sql``
  const author = sql`(
    select k.name from (${actor}) a cross join lateral (
      select name from api_keys where merchant_id = n.merchant_id and key_id = substr(a.actor, 5) ${person}) k)`
  return sql`and (
    strpos(lower(concat_ws(chr(10), n.reason, p.order_reference, o.acquirer_transaction_id, ${author} ${ofShoppers})),
      ${text.toLowerCase()}) > 0
    or n.amount = ${amount ?? null}::bigint and n.currency = coalesce(${currency ?? null}, n.currency))`
}

/** A member of the line of the journal about a refund that was written at that time, to the millisecond: so few are read. */
function lineOfRefund(
  sql: AnySql,
  { of, change, at, of_line }: { of: Fragment; change: string; at: Fragment; of_line: Fragment },
): Fragment {
  const id = (later_ms: number) => sql`lpad(to_hex((extract(epoch from ${at}) * 1000)::bigint + ${later_ms}), 12, '0')`
  return sql`
    select ${of_line} from journal j
    where j.merchant_id = ${of}.merchant_id and j.session_id = ${of}.session_id and j.change = ${change}
      and j.entry_id >= ${id(0)} and j.entry_id < ${id(1)} and j.detail->>'refund_id' = ${of}.refund_id
    limit 1`
}

export function positionOfRefund({ refund_id }: Pick<Refund, 'refund_id'>): string {
  return refund_id.slice('ref_'.length)
}

/** The ids of the seconds in which the span lies, behind a position. */
function idsOf(sql: AnySql, { created_from, created_before }: RefundFilters, behind: string | null) {
  const ends = [behind, created_before && secondOf(created_before, Math.ceil)].filter((end) => end != null)
  const end = ends.sort()[0]
  const from = created_from ? sql`and refund_id >= ${`ref_${secondOf(created_from, Math.floor)}`}` : sql``
  return end === undefined ? from : sql`${from} and refund_id < ${`ref_${end}`}`
}

function secondOf(at: Date, round: (seconds: number) => number): string {
  return round(at.getTime() / 1000)
    .toString(16)
    .padStart(8, '0')
}

/** A payment's refunds, newest first. */
export async function listNamedRefunds(sql: Sql, { merchant_id, payment_id }: PaymentKey): Promise<NamedRefund[]> {
  return sql<NamedRefund[]>`
    select r.*, o.acquirer_transaction_id from refunds r
    join acquirer_operations o on o.merchant_id = r.merchant_id and o.operation_id = r.operation_id
    where r.merchant_id = ${merchant_id} and r.payment_id = ${payment_id}
    order by r.sequence desc`
}
