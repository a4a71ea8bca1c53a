// The SQL that lists payments, newest first, along one index.

import type { AnySql, Fragment, Sql } from '../../database/open.ts'
import type { FoundRows } from '../../http/list-page.ts'
import { millisecondsOf } from '../../kernel/ids.ts'
import type { Mode } from '../../kernel/values.ts'
import type { PaymentStatus } from '../payment.ts'
import { counted_max, looks_max, type SpanFilters } from './list-filters.ts'
import { refundStates } from './owed-refunds.ts'
import { paidOut } from './paid-out.ts'
import type { PaymentRead } from './payment-store.ts'

export type PaymentFilters = SpanFilters & {
  merchant_id: string
  status: PaymentStatus | undefined
  /** In lower case. */
  customer_email: string | undefined
  card_last4: string | undefined
  order_reference: string | undefined
  /** In minor units. */
  amount: number | undefined
  currency: string | undefined
  decline_code: string | undefined
  /** Whether something was refunded, pending refunds included. */
  refunded: boolean | undefined
  /** By which its shopper came. */
  payment_link_id?: string
}

type Row = PaymentRead & { place: number; is_match: boolean }

/**
 * Rows behind a position; null is the beginning. Filters without an index are applied to the rows that an index gives. Without
 * a mode each mode is gone through by itself, half as far, since no index has both in one order.
 */
export async function listPayments(
  sql: Sql,
  filters: PaymentFilters,
  /** Without payouts, `payouts` is null: each payment's are looked up by themselves. */
  { behind, limit, has_payouts = true }: { behind: string | null; limit: number; has_payouts?: boolean },
): Promise<FoundRows<PaymentRead>> {
  const modes = filters.mode ? [filters.mode] : (['test', 'live'] as const)
  const looks = looks_max / modes.length
  const [first, second] = modes.map((mode) => lookAt(sql, filters, { mode, behind, looks, limit }))
  const found = await sql<Row[]>`
    select r.*, s.items, s.customer, s.metadata,
      case when r.order_reference is not null then (
        select count(*) filter (where o.status = 'captured') from (
          select status from payments o where o.merchant_id = r.merchant_id and o.mode = r.mode
            and o.order_reference = r.order_reference
          ${newest(sql)} limit ${counted_max}) o
      ) end as order_reference_captured_payments,
      ${refundStates(sql, sql`r`)} as refunds, ${has_payouts ? paidOut(sql, sql`r`) : sql`null`} as payouts
    from (
      select * from (${second ? sql`${first!} union all ${second}` : first!}) both_modes
      ${newest(sql)} limit ${limit}
    ) r
    cross join lateral (
      select items, customer, metadata from sessions
      where merchant_id = r.merchant_id and session_id = r.session_id offset 0) s
    order by r.created_at desc, r.payment_id desc`
  // What is older than the end of one mode's look may be missing in it.
  const end = found.findIndex(({ place }) => place === looks)
  const whole = end === -1 ? found : found.slice(0, end + 1)
  return {
    rows: whole.filter(({ is_match }) => is_match),
    ended_at: end === -1 ? null : positionOfPayment(found[end]!),
  }
}

/** The newest payments of a mode that match, and the last one that was looked at. */
function lookAt(
  sql: AnySql,
  filters: PaymentFilters,
  look: { mode: Mode; behind: string | null; looks: number; limit: number },
): Fragment {
  const { indexed, rest } = conditionsOf(sql, filters)
  return sql`(
    select * from (
      select l.*, row_number() over (${newest(sql)})::int as place, (${rest}) as is_match
      from (
        select * from payments
        where merchant_id = ${filters.merchant_id} and mode = ${look.mode} ${indexed} ${spanOf(sql, filters, look.behind)}
        ${newest(sql)} limit ${look.looks}
      ) l
    ) n
    where is_match or place = ${look.looks}
    ${newest(sql)} limit ${look.limit})`
}

const newest = (sql: AnySql) => sql`order by created_at desc, payment_id desc`

/** Of a payment in the list: its time, then the digits of its id. */
export function positionOfPayment({ created_at, payment_id }: Pick<PaymentRead, 'created_at' | 'payment_id'>): string {
  return created_at.getTime().toString(16).padStart(12, '0') + payment_id.slice('pay_'.length)
}

function spanOf(sql: AnySql, { created_from, created_before }: PaymentFilters, behind: string | null): Fragment {
  const from = created_from ? sql`and created_at >= ${created_from}` : sql``
  const before = created_before ? sql`and created_at < ${created_before}` : sql``
  if (behind === null) return sql`${from} ${before}`
  const at = new Date(millisecondsOf(behind))
  return sql`${from} ${before} and (created_at, payment_id) < (${at}, ${`pay_${behind.slice(12)}`})`
}

/** `indexed`: the one condition, of those asked for, that leads to the fewest rows by an index. `rest`: all others. */
function conditionsOf(sql: AnySql, filters: PaymentFilters): { indexed: Fragment; rest: Fragment } {
  const { status, customer_email, card_last4, order_reference } = filters
  const { amount, currency, decline_code, refunded } = filters
  const { merchant_id, payment_link_id } = filters
  const conditions = [
    payment_link_id !== undefined &&
      sql`and payment_id in (
        select payment_id from sessions
        where merchant_id = ${merchant_id} and payment_link_id = ${payment_link_id} and payment_id is not null)`,
    order_reference !== undefined && sql`and order_reference = ${order_reference}`,
    customer_email !== undefined && sql`and customer_email = ${customer_email}`,
    // As the partial index has it.
    refunded === true && sql`and refunded_amount > 0`,
    status !== undefined && status !== 'captured' && isOf(sql, status),
    card_last4 !== undefined && sql`and card_last4 = ${card_last4}`,
    status === 'captured' && isOf(sql, status),
    refunded === false && sql`and refunded_amount = 0`,
    amount !== undefined && sql`and amount = ${amount}`,
    currency !== undefined && sql`and currency = ${currency}`,
    decline_code !== undefined && sql`and decline->>'code' = ${decline_code}`,
  ].map((condition) => condition || null)
  const index = conditions.slice(0, has_index).findIndex((condition) => condition !== null)
  const rest = conditions.filter((condition, at) => condition !== null && at !== index)
  return {
    indexed: conditions[index] ?? sql``,
    rest: rest.reduce((all: Fragment, each) => sql`${all} ${each!}`, sql`true`),
  }
}

/** So many of the conditions, the first ones, have an index. */
const has_index = 6

/** The status is part of the text: the partial index serves only a statement that names a status. */
function isOf(sql: AnySql, status: PaymentStatus): Fragment {
  switch (status) {
    case 'pending':
      return sql`and status = 'pending'`
    case 'captured':
      return sql`and status = 'captured'`
    case 'held':
      return sql`and status = 'held'`
    case 'voided':
      return sql`and status = 'voided'`
    case 'declined':
      return sql`and status = 'declined'`
    case 'failed':
      return sql`and status = 'failed'`
  }
}
