// The SQL of refunds that failed and were settled another way.

import type { JournalLine } from '../../audit/journal.ts'
import { rowIf } from '../../database/driver/rows.ts'
import type { AnySql } from '../../database/open.ts'

export type RefundKey = { merchant_id: string; refund_id: string }

/**
 * Locks the payment of a refund until the transaction ends. Null where there is no such refund.
 */
export async function lockPaymentOf(tx: AnySql, { merchant_id, refund_id }: RefundKey): Promise<string | null> {
  const [row] = await tx<{ payment_id: string }[]>`
    select p.payment_id from payments p
    where p.merchant_id = ${merchant_id} and p.payment_id = (
      select r.payment_id from refunds r where r.merchant_id = ${merchant_id} and r.refund_id = ${refund_id})
    for update`
  return row?.payment_id ?? null
}

/** Writes when and how much of a refund was settled otherwise, or null where that is taken back, with its line. */
export async function saveSettlement(
  tx: AnySql,
  { merchant_id, refund_id }: RefundKey,
  { otherwise, line }: { otherwise: { at: Date; amount: number } | null; line: JournalLine },
): Promise<void> {
  await tx`
    with refund as (
      update refunds set otherwise_at = ${otherwise?.at ?? null}, otherwise_amount = ${otherwise?.amount ?? null}
      where merchant_id = ${merchant_id} and refund_id = ${refund_id} returning 1
    )
    insert into journal ${rowIf(tx, line, 'refund')}`
}
