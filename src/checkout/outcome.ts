// From a decided change to everything that is written and answered of it: event, journal line, confirm result.

import { type Actor, type JournalChange, type JournalLine, journalLine } from '../audit/journal.ts'
import type { Ids } from '../kernel/ids.ts'
import { timestamp } from '../kernel/values.ts'
import { type Account, integrationOf } from '../merchants/directory.ts'
import { confirmationUrlIn } from '../merchants/integration.ts'
import type { Attempt } from './attempt.ts'
import { boundOutcome } from './bound-money.ts'
import type { Change } from './conclude.ts'
import { type Event, eventOf } from './event.ts'
import type { Hold } from './hold.ts'
import type { FoundAs, Operation } from './operation.ts'
import type { Orphan } from './orphan.ts'
import type { Payment } from './payment.ts'
import { attemptsLeft, type Session } from './session.ts'
import type { ConfirmResult } from './views.ts'

/** All rows that one decision writes, in one statement. */
export type Outcome = {
  session: Session
  attempt: Attempt
  payment: Payment
  hold: Hold | null
  event: Event
  journal: JournalLine
  /** The authorisation, where a person gave it up though the acquirer might hold it: it is reversed if so. */
  orphan?: Orphan | null | undefined
  /** The answered operation, or null for a decline that the acquirer was never asked about. */
  operation: AnsweredOperation | null
}

export type AnsweredOperation = Pick<Operation, 'operation_id' | 'state'> & {
  answer: object
  /** What it must be found as: an answer is recorded once. */
  from: FoundAs
}

/** In whose name something changes. */
export type Cause = {
  actor: Actor
  request_id: string | null
  /** What whoever decided had to say: kept in the journal. */
  note?: object
}

type DecidedChange = {
  change: Change
  attempt: Attempt
  account: Account
  operation: Outcome['operation']
  cause: Cause
  /** The one time of all that is written. */
  at: Date
}

/** All rows of an outcome, the event among them: a change cannot be saved without the event that tells of it. */
export function outcomeOf(ids: Ids, decided: DecidedChange): Outcome {
  const { change, attempt, account, operation, cause, at } = decided
  const { session, payment, hold } = change
  const integration = integrationOf(account, session.integration_id)
  const confirmation_url = session.confirmation_url ?? confirmationUrlIn(integration, session.mode)
  const result = resultOf({ session: { ...session, confirmation_url }, attempt, payment, at })
  const event = eventOf(change, { event_id: ids.event(), sequence: 1, at })
  return {
    session,
    payment,
    hold,
    operation,
    attempt: { ...attempt, payment_id: payment.payment_id, result },
    event,
    // The stream of events finds the event by this line: of its payment, with its type as the change, in its statement.
    journal: lineOf(ids, payment, cause, {
      change: `payment.${payment.status}`,
      detail: {
        attempt_id: attempt.attempt_id,
        ...(operation && { operation_id: operation.operation_id }),
        ...(payment.decline && { decline_code: payment.decline.code }),
        ...(hold && { hold_reason: hold.reason }),
        ...boundOutcome(payment, event),
      },
      at,
    }),
  }
}

/** A line about a payment. */
export function lineOf(
  ids: Ids,
  payment: Pick<Payment, 'merchant_id' | 'session_id' | 'payment_id'>,
  cause: Cause,
  told: Pick<JournalChange, 'change' | 'detail' | 'at'>,
): JournalLine {
  const { merchant_id, session_id, payment_id } = payment
  const { actor, request_id, note } = cause
  // What somebody notes must not stand in place of what is bound.
  const detail = { ...note, ...told.detail }
  const whose = { merchant_id, session_id, subject: payment_id, actor, request_id }
  return journalLine(ids, { ...whose, ...told, detail })
}

/** The confirm answer that an attempt has: recorded, or `processing` while its charge is under way. */
export function recordedResult(session: Session, attempt: Attempt): ConfirmResult | null {
  if (attempt.result) return attempt.result as ConfirmResult
  return attempt.phase === 'charging' ? resultOf({ session, attempt, payment: null }) : null
}

/** The confirm answer; without a payment's outcome it is `processing`. */
export function resultOf({
  session,
  attempt,
  payment,
  at = null,
}: {
  session: Session
  attempt: Attempt
  payment: Payment | null
  /** When its outcome was decided. */
  at?: Date | null
}): ConfirmResult {
  const payment_id = payment?.payment_id ?? session.payment_id!
  const paid = payment?.status === 'captured' || payment?.status === 'held'
  return {
    status: statusOf(payment),
    session_id: session.session_id,
    payment_id,
    attempt: { id: attempt.attempt_id, number: attempt.number },
    decline: payment?.decline ?? null,
    attempts_left: attemptsLeft(session),
    order_reference: session.order_reference,
    confirmation_url: paid ? confirmationUrl(session, payment_id) : null,
    paid_at: paid && at ? timestamp(at) : null,
  }
}

function statusOf(payment: Payment | null): ConfirmResult['status'] {
  switch (payment?.status) {
    case 'captured':
    case 'held':
    case 'declined':
    case 'failed':
      return payment.status
    default:
      return 'processing'
  }
}

/**
 * The merchant's address with our parameters behind it. What it has already stays as it is: only its server knows how it is
 * read.
 */
function confirmationUrl(session: Session, paymentId: string): string | null {
  const { confirmation_url, order_reference } = session
  if (confirmation_url === null) return null
  const joint = !confirmation_url.includes('?') ? '?' : /[?&]$/.test(confirmation_url) ? '' : '&'
  const reference =
    order_reference === null ? '' : `&order_reference=${encodeURIComponent(order_reference)}`
  return `${confirmation_url}${joint}payment_id=${paymentId}${reference}`
}
