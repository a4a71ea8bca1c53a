// The SQL of notes on payments, which are lines of the journal.

import type { AnySql } from '../../database/open.ts'
import type { Payment } from '../payment.ts'

/** Of a payment, oldest first. */
export async function listNotes(
  sql: AnySql,
  { merchant_id, session_id, payment_id }: Pick<Payment, 'merchant_id' | 'session_id' | 'payment_id'>,
): Promise<{ actor: string; note: string }[]> {
  return sql<{ actor: string; note: string }[]>`
    select actor, detail->>'note' as note from journal
    where merchant_id = ${merchant_id} and session_id = ${session_id} and subject = ${payment_id}
      and change = 'payment.noted'
    order by entry_id`
}
