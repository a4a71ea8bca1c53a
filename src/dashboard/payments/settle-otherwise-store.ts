// The SQL of refunds that failed and were settled another way.

import type { JournalLine } from '../../audit/journal.ts'
import { rowIf } from '../../database/driver/rows.ts'
import type { AnySql } from '../../database/open.ts'

export type Settlement = { at: Date; amount: number }

/** Writes when and how much of a refund was settled otherwise, or null where that is taken back, with its line. */
export async function saveSettlement(
  tx: AnySql,
  { merchant_id, refund_id }: { merchant_id: string; refund_id: string },
  { otherwise, line }: { otherwise: Settlement | null; line: JournalLine },
): Promise<void> {
  await tx`
    with refund as (
      update refunds set otherwise_at = ${otherwise?.at ?? null}, otherwise_amount = ${otherwise?.amount ?? null}
      where merchant_id = ${merchant_id} and refund_id = ${refund_id} returning 1
    )
    insert into journal ${rowIf(tx, line, 'refund')}`
}
