// The SQL that reads refunds.

import type { AnySql, Sql } from '../../database/open.ts'
import type { Operation } from '../operation.ts'
import type { PaymentKey } from '../payment.ts'
import type { Refund } from '../refund.ts'

export async function findRefund(
  sql: AnySql,
  { merchant_id, refund_id }: { merchant_id: string; refund_id: string },
): Promise<Refund | undefined> {
  const [row] = await sql<Refund[]>`
    select * from refunds where merchant_id = ${merchant_id} and refund_id = ${refund_id}`
  return row
}

export async function findRefundOfOperation(
  sql: Sql,
  { merchant_id, operation_id }: Pick<Operation, 'merchant_id' | 'operation_id'>,
): Promise<Refund | undefined> {
  const [row] = await sql<Refund[]>`
    select * from refunds where merchant_id = ${merchant_id} and operation_id = ${operation_id}`
  return row
}

/** Whether the refund succeeded before it became what it is now. */
export async function hasSucceeded(
  sql: Sql,
  { merchant_id, refund_id }: Pick<Refund, 'merchant_id' | 'refund_id'>,
): Promise<boolean> {
  const rows = await sql`
    select 1 from events
    where merchant_id = ${merchant_id} and payment_id = ${refund_id} and sequence = 1 and type = 'refund.succeeded'`
  return rows.length > 0
}

/** A payment's refunds, newest first. */
export async function listRefunds(sql: Sql, { merchant_id, payment_id }: PaymentKey): Promise<Refund[]> {
  return sql<Refund[]>`
    select * from refunds where merchant_id = ${merchant_id} and payment_id = ${payment_id}
    order by sequence desc`
}

/** The newest refund of a payment that was begun under an idempotency key, and the state of its operation. */
export async function findRefundByKey(
  sql: Sql,
  { merchant_id, payment_id }: PaymentKey,
  { key, audience }: { key: string; audience: string },
): Promise<(Refund & Pick<Operation, 'state' | 'answer_by'>) | undefined> {
  const [row] = await sql<(Refund & Pick<Operation, 'state' | 'answer_by'>)[]>`
    select r.*, o.state, o.answer_by from acquirer_operations o
    join refunds r on r.merchant_id = o.merchant_id and r.operation_id = o.operation_id
    where o.merchant_id = ${merchant_id} and o.payment_id = ${payment_id} and o.kind = 'refund'
      and o.idempotency_key = ${key}
      -- One of an early release does not say whose the key is.
      and coalesce(o.idempotency_audience, ${audience}) = ${audience}
    order by r.sequence desc limit 1`
  return row
}
