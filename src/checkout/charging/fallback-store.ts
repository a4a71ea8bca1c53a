// The SQL that ends a declined charge and begins the next one of the same payment, in one statement.

import type { JournalLine } from '../../audit/journal.ts'
import { rowIf } from '../../database/driver/rows.ts'
import type { Sql } from '../../database/open.ts'
import { endOperation } from '../asking/answer-store.ts'
import type { Operation } from '../operation.ts'
import type { Declined } from '../outcome.ts'
import type { Session } from '../session.ts'

/**
 * The payment is the next acquirer's from now on. The card is kept, since the next charge needs it. False, with nothing written,
 * if the first charge is not waiting for this answer any more.
 */
export async function beginFallback(
  sql: Sql,
  fallback: {
    declined: Operation
    answer: Declined
    session: Session
    operation: Operation & { payer: object | null }
    journal: JournalLine
    at: Date
  },
): Promise<boolean> {
  const { declined: d, answer, session: s, operation, journal, at } = fallback
  const from = { sending: d.last_sent_at }
  const transaction_id = answer.acquirer_transaction_id
  const end = { state: 'declined', answer, transaction_id, from, at } as const
  const rows = await sql`
    with gate as (${endOperation(sql, d, end)}
    ), session as (
      update sessions set answer_by = ${operation.answer_by}
      where merchant_id = ${s.merchant_id} and session_id = ${s.session_id} and exists (select 1 from gate)
      returning 1
    ), payment as (
      update payments set acquirer = ${operation.acquirer}
      where merchant_id = ${d.merchant_id} and payment_id = ${operation.payment_id}
        and exists (select 1 from session)
      returning 1
    ), journal as (insert into journal ${rowIf(sql, journal, 'payment')}
    ), operation as (insert into acquirer_operations ${rowIf(sql, operation, 'payment')})
    select 1 from payment`
  return rows.length > 0
}
