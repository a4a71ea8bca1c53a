// The SQL of a customer's payments together. A customer is an email address here: it is what payments are found by.

import type { Sql } from '../../database/open.ts'
import type { Mode } from '../../kernel/values.ts'
import { type PaymentStatus, takenIn } from '../../payments/payment.ts'
import { looks_max } from '../../payments/reading/list-filters.ts'

/** Of a currency and state. */
export type CustomerSum = {
  currency: string
  status: PaymentStatus
  count: number
  amount: number
  refunded_amount: number
  first_at: Date
  last_at: Date
}

/** Of the newest payments; `is_whole` is false where there may be more. */
export async function sumPayments(
  sql: Sql,
  { merchant_id, mode, customer_email }: { merchant_id: string; mode: Mode; customer_email: string },
): Promise<{ sums: CustomerSum[]; is_whole: boolean }> {
  const sums = await sql<CustomerSum[]>`
    select currency, status, count(*)::int as count, sum(${takenIn(sql, sql`newest`)})::bigint as amount,
      sum(refunded_amount)::bigint as refunded_amount, min(created_at) as first_at, max(created_at) as last_at
    from (
      select currency, status, amount, captured_amount, refunded_amount, created_at from payments
      where merchant_id = ${merchant_id} and mode = ${mode} and customer_email = ${customer_email}
      order by created_at desc, payment_id desc limit ${looks_max}
    ) newest
    group by currency, status order by currency, status`
  return { sums, is_whole: sums.reduce((all, { count }) => all + count, 0) < looks_max }
}
