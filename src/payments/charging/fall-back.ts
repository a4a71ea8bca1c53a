// A second try for a charge that was declined softly: at the acquirer that the merchant's profile names as its fallback, as an
// operation of its own. Only a decline that came in time is followed by one, so at most one acquirer can hold the money.

import type { AuthoriseAnswer, AuthoriseRequest } from '../../acquirers/acquirer.ts'
import type { JournalLine } from '../../audit/journal.ts'
import { rowIf } from '../../database/driver/rows.ts'
import { isLockTimeout, isRetriable, isStoreUnavailable } from '../../database/failures.ts'
import type { Sql } from '../../database/open.ts'
import { fallbackAcquirer } from '../../merchants/account-connection.ts'
import { endOperation } from '../acquirer-operations/operation-store.ts'
import type { ChargeCase } from '../acquirer-operations/outcome-by-kind.ts'
import { moneyOf } from '../bound-money.ts'
import type { Context } from '../context.ts'
import { newOperation, type Operation } from '../operation.ts'
import { type Declined, lineOf } from '../outcome.ts'
import type { Session } from '../session.ts'

/** A later decline ends the charge: the shopper waits for the second answer as well. */
const decided_within_ms = 10_000

/**
 * Begins the second charge and returns it. Null if the answer ends the charge: it is no decline that may be tried elsewhere, the
 * merchant has no fallback, the answer came late, or the charge went to the fallback already.
 */
export async function fallBack<Sent extends ChargeCase>(
  context: Context,
  subject: Sent,
  { request, answer }: { request: AuthoriseRequest; answer: AuthoriseAnswer },
): Promise<Sent | null> {
  const { operation, account, session } = subject
  const acquirer = fallbackAcquirer(account, session.mode)
  if (acquirer === null || acquirer === operation.acquirer || operation.sequence > 1) return null
  // A result of 3-D Secure was made for the first acquirer, and may not shift liability at another.
  if (request.three_ds !== null) return null
  if (answer.result !== 'declined' || answer.may_retry_elsewhere !== true) return null
  const now = context.world.clock.now()
  const age_ms = now.getTime() - operation.last_sent_at.getTime()
  if (age_ms < 0 || age_ms > decided_within_ms) return null
  return begin(context, subject, { acquirer, answer, now })
}

async function begin<Sent extends ChargeCase>(
  { sql, ids, world }: Context,
  subject: Sent,
  { acquirer, answer, now: at }: { acquirer: string; answer: Declined; now: Date },
): Promise<Sent | null> {
  const { session, attempt, cause, payer, operation: declined } = subject
  const payment = { ...subject.payment, acquirer }
  const operation_id = ids.operation(at)
  const operation = newOperation(payment, { operation_id, kind: 'authorise', sequence: 2, at })
  const declined_operation_id = declined.operation_id
  const journal = lineOf(ids, payment, cause, {
    change: 'charge.begun',
    detail: {
      attempt_id: attempt.attempt_id,
      operation_id,
      acquirer,
      ...moneyOf(payment),
      declined_operation_id,
      decline_code: answer.decline.code,
    },
    at,
  })
  const rows = { declined, answer, session, operation: { ...operation, payer }, journal, at }
  try {
    if (!(await beginFallback(sql, rows))) return null
  } catch (error) {
    // The decline is recorded instead. If the second charge was written all the same, it was not sent and will fail.
    if (!isRetriable(error) && !isStoreUnavailable(error) && !isLockTimeout(error)) throw error
    const fields = { operation_id: declined.operation_id, error: (error as Error).message }
    world.log.warn(fields, 'the charge was not sent to the fallback acquirer')
    return null
  }
  const { answer_by } = operation
  return {
    ...subject,
    session: { ...session, answer_by },
    payment,
    operation,
    declined_before: answer,
  }
}

/**
 * The payment is the next acquirer's from now on. The card is kept, since the next charge needs it. False, with nothing written,
 * if the first charge is not waiting for this answer any more.
 */
async function beginFallback(
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
