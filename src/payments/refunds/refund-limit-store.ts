// The SQL of support's limits: up to how much of a payment they may refund, by currency.

import { insertLine } from '../../audit/journal-store.ts'
import type { AnySql, Sql } from '../../database/open.ts'
import { Refusal } from '../../kernel/errors.ts'
import { refundSums } from '../reading/owed-refunds.ts'
import type { PaymentRead } from '../reading/payment-store.ts'

/** `amount` is in minor units. */
export type RefundLimit = { currency: string; amount: number }

/** By currency. */
export async function listRefundLimits(sql: Sql, merchant_id: string): Promise<RefundLimit[]> {
  return sql<RefundLimit[]>`
    select currency, amount from support_refund_limits
    where merchant_id = ${merchant_id} order by currency`
}

/** 0 where support may refund nothing of the currency. */
export async function findRefundLimit(
  sql: AnySql,
  { merchant_id, currency }: { merchant_id: string; currency: string },
): Promise<number> {
  const [row] = await sql<{ amount: number }[]>`
    select amount from support_refund_limits
    where merchant_id = ${merchant_id} and currency = ${currency}`
  return row?.amount ?? 0
}

/** How much more of a payment support may give back: what a person gave back another way counts as refunds do. */
export function leftOfLimit(limit: number, payment: PaymentRead): number {
  return limit - payment.refunded_amount - refundSums(payment).otherwise_amount
}

/** Throws `refund_limit_exceeded` where more of the payment would be given back than support may of one. */
export async function refuseBeyond(sql: AnySql, payment: PaymentRead, amount: number): Promise<void> {
  const limit = await findRefundLimit(sql, payment)
  if (amount <= leftOfLimit(limit, payment)) return
  const words =
    limit === 0
      ? `Support has no limit in ${payment.currency}, so it may not refund.`
      : 'That is more of the payment than support may refund.'
  throw new Refusal('refund_limit_exceeded', words, { field: 'amount' })
}

/**
 * Sets the limit of a currency, or drops it where the amount is null, with its line of the journal. `lineOf` makes that of
 * the limit before it: 0 without one.
 */
export async function setRefundLimit(
  tx: AnySql,
  { merchant_id, currency, amount }: { merchant_id: string; currency: string; amount: number | null },
  lineOf: (before: number) => Parameters<typeof insertLine>[1],
): Promise<void> {
  // One after the other, so that each line has what was there before. Their times are of the requests.
  await tx`select 1 from merchants where merchant_id = ${merchant_id} for no key update`
  const before = await findRefundLimit(tx, { merchant_id, currency })
  if (amount === null) {
    await tx`
      delete from support_refund_limits
      where merchant_id = ${merchant_id} and currency = ${currency}`
  } else {
    await tx`
      insert into support_refund_limits (merchant_id, currency, amount)
      values (${merchant_id}, ${currency}, ${amount})
      on conflict (merchant_id, currency) do update set amount = excluded.amount`
  }
  await insertLine(tx, lineOf(before))
}
