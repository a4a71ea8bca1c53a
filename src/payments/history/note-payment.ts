// A note on a payment, by a person at any time: a line of its journal, and so of its timeline. Nothing else changes.

import { insertLine } from '../../audit/journal-store.ts'
import type { AnySql } from '../../database/open.ts'
import { Refusal } from '../../kernel/errors.ts'
import { beginAs } from '../../merchants/write-as.ts'
import type { Context } from '../context.ts'
import { type Cause, lineOf } from '../outcome.ts'
import { noPayment, type Payment, type PaymentKey } from '../payment.ts'
import { lockPayment } from '../reading/payment-store.ts'

/** Of one payment. */
export const notes_max = 50

/**
 * The same words by the same author as the newest note are that note, sent again. Throws `resource_not_found`, or `invalid_request`
 * where the payment has as many notes as may be.
 */
export async function notePayment(
  { sql, ids }: Pick<Context, 'sql' | 'ids'>,
  key: PaymentKey,
  { cause, note, now }: { cause: Cause; note: string; now: Date },
): Promise<void> {
  await beginAs(sql, cause, async (tx) => {
    const payment = await lockPayment(tx, key)
    if (!payment) throw noPayment()
    const notes = await listNotes(tx, payment)
    const newest = notes.at(-1)
    if (newest?.actor === cause.actor && newest.note === note) return
    if (notes.length >= notes_max) {
      const words = `A payment has at most ${notes_max} notes.`
      throw new Refusal('invalid_request', words, { field: 'note', fault: 'too_many', bound: notes_max })
    }
    await insertLine(tx, lineOf(ids, payment, cause, { change: 'payment.noted', detail: { note }, at: now }))
  })
}

/** Of a payment, oldest first. */
async function listNotes(
  sql: AnySql,
  { merchant_id, session_id, payment_id }: Pick<Payment, 'merchant_id' | 'session_id' | 'payment_id'>,
): Promise<{ actor: string; note: string }[]> {
  return sql<{ actor: string; note: string }[]>`
    select actor, detail->>'note' as note from journal
    where merchant_id = ${merchant_id} and session_id = ${session_id} and subject = ${payment_id}
      and change = 'payment.noted'
    order by entry_id`
}
