// The SQL that reads payments.

import type { Sql } from '../database/open.ts'
import type { Payment } from './payment.ts'
import type { Customer, Item } from './purchase.ts'

/** A payment with what its session bought, and how often its order was paid. */
export type PaymentRead = Payment & {
  items: Item[] | null
  customer: Customer | null
  /** Captured payments of the merchant that share the order reference; null without one. */
  order_reference_captured_payments: number | null
}

export async function findPayment(
  sql: Sql,
  merchantId: string,
  paymentId: string,
): Promise<PaymentRead | undefined> {
  const [row] = await sql<PaymentRead[]>`
    select p.*, s.items, s.customer,
      case when p.order_reference is not null then (
        select count(*) from payments o where o.merchant_id = p.merchant_id
          and o.order_reference = p.order_reference and o.status = 'captured'
      ) end as order_reference_captured_payments
    from payments p join sessions s using (merchant_id, session_id)
    where p.merchant_id = ${merchantId} and p.payment_id = ${paymentId}`
  return row
}
