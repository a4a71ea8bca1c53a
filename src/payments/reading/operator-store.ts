// The SQL that only operators need: the merchant of a payment, the holds, and the unanswered operations.

import { by, firstFromCells, fromCells, reachOf } from '../../database/cells/cells.ts'
import type { Sql } from '../../database/open.ts'
import type { Hold } from '../hold.ts'
import type { Operation, UnansweredOperation } from '../operation.ts'
import type { Payment, PaymentKey } from '../payment.ts'
import type { Session } from '../session.ts'

/** The merchant of a payment. It takes one look-up by key for each merchant, unless a merchant is named. */
export async function findPaymentKey(
  whole: Sql,
  { payment_id, merchant_id }: { payment_id: string; merchant_id: string | null },
): Promise<PaymentKey | undefined> {
  const [row] = await fromCells(
    await reachOf(whole, merchant_id),
    (sql) => sql<PaymentKey[]>`
      select found.* from merchants m cross join lateral (
        select merchant_id, payment_id from payments
        where merchant_id = m.merchant_id and payment_id = ${payment_id} offset 0
      ) found
      ${merchant_id === null ? sql`` : sql`where m.merchant_id = ${merchant_id}`} limit 1`,
  )
  return row
}

/** A hold with its payment, and its capture or void that is under way or unanswered. */
export type HoldWithPayment = Hold &
  Pick<Payment, 'session_id' | 'amount' | 'currency' | 'mode' | 'order_reference' | 'customer_email' | 'created_at'> &
  Pick<Session, 'settlement' | 'answer_by'> & {
    operation_kind: Operation['kind'] | null
    operation_asked_by: Operation['asked_by']
    operation_sent_at: Date | null
    operation_state: Operation['state'] | null
  }

/** A merchant's holds: waiting ones by their deadline, then decided ones, the newest first. */
export async function listHolds(
  sql: Sql,
  which: { merchant_id: string; statuses: Hold['status'][]; limit: number },
): Promise<HoldWithPayment[]> {
  const { merchant_id, statuses, limit } = which
  const decided = statuses.some((status) => status === 'captured' || status === 'voided')
  // The index of waiting holds keeps this fast, however many were decided.
  const waiting = decided ? sql`` : sql`and decided_at is null`
  const order = sql`order by h.decided_at desc nulls first, h.deadline, h.payment_id`
  return sql<HoldWithPayment[]>`
    select h.*, p.session_id, p.amount, p.currency, p.mode, p.order_reference, p.customer_email, p.created_at, s.settlement, s.answer_by,
      o.kind as operation_kind, o.asked_by as operation_asked_by, o.sent_at as operation_sent_at,
      o.state as operation_state
    from (
      select * from holds h
      where merchant_id = ${merchant_id} and status = any(${statuses}::text[]) ${waiting} ${order} limit ${limit}
    ) h
    join payments p on p.merchant_id = h.merchant_id and p.payment_id = h.payment_id
    join sessions s on s.merchant_id = p.merchant_id and s.session_id = p.session_id
    left join acquirer_operations o on o.merchant_id = h.merchant_id and o.operation_id = h.operation_id
    ${order}`
}

/** An unanswered operation, with its payment. */
export type OperationWithPayment = UnansweredOperation &
  Pick<Payment, 'session_id' | 'mode' | 'order_reference' | 'customer_email'>

/** The operations whose answer counts as lost, oldest first. `merchant_id` is null for all merchants. */
export async function listUnanswered(
  whole: Sql,
  which: { merchant_id: string | null; waiting_for_person: boolean; now: Date; limit: number },
): Promise<OperationWithPayment[]> {
  const { merchant_id, waiting_for_person, now, limit } = which
  const compare = by<OperationWithPayment>(
    ({ sent_at }) => sent_at,
    ({ operation_id }) => operation_id,
  )
  return firstFromCells(whole, { compare, limit }, (sql) => {
    const of = merchant_id === null ? sql`` : sql`and merchant_id = ${merchant_id}`
    const waiting = waiting_for_person ? sql`and waits_for_person_since is not null` : sql``
    const order = sql`order by o.sent_at, o.operation_id`
    return sql<OperationWithPayment[]>`
      select o.*, p.session_id, p.mode, p.order_reference, p.customer_email from (
        select * from acquirer_operations o
        where state in ('sent', 'unknown', 'reversing', 'accepted') and (state <> 'sent' or answer_by <= ${now}) ${of} ${waiting}
        ${order} limit ${limit}
      ) o
      join payments p on p.merchant_id = o.merchant_id and p.payment_id = o.payment_id
      ${order}`
  })
}
