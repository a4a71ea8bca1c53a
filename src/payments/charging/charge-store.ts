// The SQL of charging before the acquirer is called, and in its place. One statement each.

import type { JournalLine } from '../../audit/journal.ts'
import { rowIf } from '../../database/driver/rows.ts'
import type { AnySql, Sql } from '../../database/open.ts'
import { isInExpectedState } from '../acquirer-operations/operation-store.ts'
import { chargeRows, settledAttempt } from '../acquirer-operations/outcome-store.ts'
import type { Attempt } from '../attempt.ts'
import type { Operation } from '../operation.ts'
import type { ChargeOutcome } from '../outcome.ts'
import type { Payment } from '../payment.ts'
import { lockActiveLink } from '../payment-links/link-store.ts'
import type { Session } from '../session.ts'
import { isUnpaidAsRead } from '../sessions/session-store.ts'
import type { VaultCard } from '../vault-card.ts'

/** Everything that is written down before the acquirer is called. */
export type ChargeIntent = {
  session: Session
  attempt: Attempt
  payment: Payment
  operation: Operation & { payer: object | null }
  journal: JournalLine
}

export type ChargeCard = VaultCard & { sealed_code: Buffer | null }

/**
 * Commits the intent to charge: operation, pending payment, session `processing`. Returns the card, still sealed. Returns
 * undefined, with nothing written, if the session or attempt has changed since it was read, or if the card is gone. Throws
 * `session_expired` if the payment link of the session is over.
 */
export async function beginCharge(sql: Sql, intent: ChargeIntent): Promise<ChargeCard | undefined> {
  const { merchant_id, payment_link_id } = intent.session
  if (payment_link_id === null) return insertCharge(sql, intent)
  return sql.begin(async (tx) => {
    await lockActiveLink(tx, { merchant_id, payment_link_id }, intent.payment.created_at)
    return insertCharge(tx, intent)
  })
}

async function insertCharge(sql: AnySql, intent: ChargeIntent): Promise<ChargeCard | undefined> {
  const { session: s, attempt: a, payment, operation, journal } = intent
  const [row] = await sql<ChargeCard[]>`
    with card as (
      select c.*, v.sealed_code from vault.cards c
      left join vault.security_codes v using (merchant_id, card_reference)
      where c.merchant_id = ${a.merchant_id} and c.card_reference = ${a.card_reference}
    ), locked as (
      select 1 from sessions where ${isUnpaidAsRead(sql, s)} and exists (select 1 from card) for update
    ), attempt as (
      update attempts set phase = 'charging', payment_id = ${payment.payment_id}
      where ${stillAuthenticating(sql, a)} and exists (select 1 from locked)
      returning 1
    ), session as (
      update sessions set status = 'processing', payment_id = ${payment.payment_id},
        answer_by = ${operation.answer_by}, customer = ${s.customer as never}
      where merchant_id = ${s.merchant_id} and session_id = ${s.session_id}
        and exists (select 1 from attempt)
    ), payment as (insert into payments ${rowIf(sql, payment, 'attempt')}
    ), operation as (insert into acquirer_operations ${rowIf(sql, operation, 'attempt')}
    ), journal as (insert into journal ${rowIf(sql, journal, 'attempt')})
    select card.* from card, attempt`
  return row
}

/**
 * Stores the acquirer's name for the authorisation. From now on the charge counts as just sent. Returns false, with nothing
 * written, if the reconciler has begun to look for its answer.
 */
export async function savePrepared(
  sql: Sql,
  { merchant_id, operation_id, last_sent_at }: Operation,
  prepared: Operation,
): Promise<boolean> {
  const { handle, answer_by } = prepared
  const rows = await sql`
    with gate as (
      update acquirer_operations set handle = ${handle}, last_sent_at = ${prepared.last_sent_at},
        answer_by = ${answer_by}, next_check_at = ${answer_by}
      where merchant_id = ${merchant_id} and operation_id = ${operation_id}
        and ${isInExpectedState(sql, { sending: last_sent_at })} returning 1
    )
    select 1 from gate`
  return rows.length > 0
}

/**
 * Writes a decline that the acquirer was never asked about. Returns false, with nothing written, if the attempt has moved on.
 */
export async function saveUncharged(sql: Sql, declined: ChargeOutcome, now: Date): Promise<boolean> {
  const { session, attempt, journal } = declined
  const rows = await sql`
    with locked as (select 1 from sessions where ${isUnpaidAsRead(sql, session)} for update),
    gate as (
      update attempts set ${settledAttempt(sql, declined, now)}
      where ${stillAuthenticating(sql, attempt)} and exists (select 1 from locked) returning 1
    ), ${chargeRows(sql, declined)}, journal as (insert into journal ${rowIf(sql, journal, 'gate')})
    select 1 from gate`
  return rows.length > 0
}

/**
 * Nobody has confirmed or superseded the attempt meanwhile. This holds only as the condition of an update of the attempt
 * itself: a statement reads a row again after waiting for its lock, but does not repeat its other look-ups.
 */
function stillAuthenticating(sql: AnySql, attempt: Attempt) {
  return sql`
    merchant_id = ${attempt.merchant_id} and attempt_id = ${attempt.attempt_id}
    and phase = 'authenticating'`
}
