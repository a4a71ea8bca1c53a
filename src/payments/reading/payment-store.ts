// The SQL that reads payments.

import { withDates } from '../../database/driver/rows.ts'
import type { AnySql, Sql } from '../../database/open.ts'
import { attemptTimes } from '../attempt.ts'
import type { Hold } from '../hold.ts'
import type { Operation } from '../operation.ts'
import type { Payment, PaymentKey } from '../payment.ts'
import type { Customer, Item } from '../purchase.ts'
import { type Session, sessionTimes } from '../session.ts'
import type { OtherPayment } from '../views.ts'
import type { WholePayment } from '../whole-payment.ts'
import { otherPayments, paidPayments } from './other-payment-store.ts'
import { type RefundState, refundStates } from './owed-refunds.ts'
import { type PaidOut, paidOut } from './paid-out.ts'

/** A payment with its session's purchase, and how often its order was paid. */
export type PaymentRead = Payment & {
  items: Item[] | null
  customer: Customer | null
  metadata: Record<string, string>
  /** How many captured payments of the merchant share order reference and mode; null without an order reference. */
  order_reference_captured_payments: number | null
  /** Null for a payment of which no refund was ever begun. */
  refunds: RefundState[] | null
  /** Null where no report of a payout has it. */
  payouts: PaidOut[] | null
}

export async function findPayment(
  sql: AnySql,
  merchant_id: string,
  payment_id: string,
): Promise<PaymentRead | undefined> {
  const [row] = await sql<PaymentRead[]>`${readsOf(sql, merchant_id, payment_id)}`
  return row
}

/**
 * With its refunds, locked: until the transaction ends none begins or fails, and none is settled another way. One that is pending
 * may succeed meanwhile, but it counts as given back already.
 */
export async function lockPayment(
  tx: AnySql,
  { merchant_id, payment_id }: PaymentKey,
): Promise<PaymentRead | undefined> {
  await tx`select 1 from payments where merchant_id = ${merchant_id} and payment_id = ${payment_id} for update`
  // The statement that waited for the row would see the refunds as they were before.
  return findPayment(tx, merchant_id, payment_id)
}

function readsOf(sql: AnySql, merchant_id: string, payment_id: string) {
  return sql`
    select p.*, s.items, s.customer, s.metadata,
      case when p.order_reference is not null then (
        select count(*) from payments o where o.merchant_id = p.merchant_id
          and o.order_reference = p.order_reference and o.status = 'captured' and o.mode = p.mode
      ) end as order_reference_captured_payments,
      ${refundStates(sql, sql`p`)} as refunds, ${paidOut(sql, sql`p`)} as payouts
    from payments p join sessions s using (merchant_id, session_id)
    where p.merchant_id = ${merchant_id} and p.payment_id = ${payment_id}`
}

/** A payment with its hold, and the facts that show whether an answer is missing, as they were at one moment. */
export type PaymentWithHold = {
  payment: PaymentRead
  /** Null if the payment was never held. */
  hold: Hold | null
  /** The hold's capture or void without an answer yet; null if there is none. */
  operation: Pick<Operation, 'kind' | 'asked_by' | 'sent_at' | 'state'> | null
  session: Pick<Session, 'settlement' | 'answer_by' | 'amount_verification_source' | 'payment_link_id'>
  other_payments: OtherPayment[]
  /** How many payments of its order are captured and have money left. */
  order_paid_payments: number
}

export async function findPaymentWithHold(
  sql: Sql,
  { merchant_id, payment_id }: PaymentKey,
): Promise<PaymentWithHold | undefined> {
  const [row] = await sql<(PaymentRead & PaymentWithHold['session'] & Omit<PaymentWithHold, 'payment' | 'session'>)[]>`
    select r.*, s.settlement, s.answer_by, s.amount_verification_source, s.payment_link_id, row_to_json(h) as hold, row_to_json(o) as operation,
      ${otherPayments(sql, sql`r`)}, ${paidPayments(sql, sql`r`)}
    from (${readsOf(sql, merchant_id, payment_id)}) r
    join sessions s on s.merchant_id = r.merchant_id and s.session_id = r.session_id
    left join holds h on h.merchant_id = r.merchant_id and h.payment_id = r.payment_id
    left join lateral (
      select kind, asked_by, sent_at, state from acquirer_operations
      where merchant_id = h.merchant_id and operation_id = h.operation_id) o on true`
  if (!row) return undefined
  const { hold, operation, settlement, answer_by, amount_verification_source, payment_link_id, ...rest } = row
  const { other_payments, order_paid_payments, ...payment } = rest
  return {
    payment,
    hold: hold && withDates(hold, holdTimes),
    operation: operation && withDates(operation, ['sent_at']),
    session: { settlement, answer_by, amount_verification_source, payment_link_id },
    other_payments,
    order_paid_payments,
  }
}

export async function findWholePayment(
  sql: Sql,
  { merchant_id, payment_id }: PaymentKey,
): Promise<WholePayment | undefined> {
  const [row] = await sql<WholePayment[]>`
    select row_to_json(p) as payment, row_to_json(s) as session, row_to_json(a) as attempt,
      (select row_to_json(h) from holds h
        where h.merchant_id = p.merchant_id and h.payment_id = p.payment_id) as hold,
      (select json_build_object('reference', o.operation_id, 'handle', o.handle,
          'acquirer_transaction_id', o.acquirer_transaction_id)
        from acquirer_operations o where o.merchant_id = p.merchant_id
        and o.payment_id = p.payment_id and o.kind = 'authorise'
        order by o.sequence desc limit 1) as authorisation
    from payments p
    join sessions s on s.merchant_id = p.merchant_id and s.session_id = p.session_id
    join attempts a on a.merchant_id = p.merchant_id and a.attempt_id = p.attempt_id
    where p.merchant_id = ${merchant_id} and p.payment_id = ${payment_id}`
  if (!row) return undefined
  return {
    authorisation: row.authorisation,
    payment: withDates(row.payment, ['created_at', 'executed_at']),
    session: withDates(row.session, sessionTimes),
    attempt: withDates(row.attempt, attemptTimes),
    hold: row.hold && withDates(row.hold, holdTimes),
  }
}

const holdTimes = ['deadline', 'decided_at', 'escalate_at', 'rules_at'] satisfies (keyof Hold)[]
