// How a charge or a decision ends: the rows, the event and the line of the journal. Decides without any effect.

import type { AuthoriseAnswer, Decline } from '../acquirers/acquirer.ts'
import { type JournalChange, type JournalLine, journalLine } from '../audit/journal.ts'
import type { Ids } from '../kernel/ids.ts'
import { type Account, integrationOf } from '../merchants/directory.ts'
import { confirmationUrlIn, type HoldRules } from '../merchants/integration.ts'
import type { Writer } from '../merchants/write-as.ts'
import { type CompatibleEvent, compatibleEvent } from '../webhooks/queue/compatible-event.ts'
import type { Attempt } from './attempt.ts'
import { boundOutcome } from './bound-money.ts'
import { paidEvent } from './checkout-event.ts'
import { resultOf } from './confirm-result.ts'
import { type Event, eventOf } from './event.ts'
import { type Decision, decideHold, endOfDecision, type Hold, newHold } from './hold.ts'
import type { Operation } from './operation.ts'
import { type Payment, partOf } from './payment.ts'
import { type Session, statusAfterDecline } from './session.ts'
import { withoutShift } from './three-ds-states.ts'
import type { Change } from './whole-payment.ts'

/** The rows that the end of a charge writes, without those of its operation. */
export type ChargeOutcome = {
  kind: 'charge'
  session: Session
  attempt: Attempt
  payment: Payment
  hold: Hold | null
  event: Event
  /** Tells in the other platform's words alone that the session is over, or that its Checkout Session is complete; else null. */
  compatible: CompatibleEvent | null
  journal: JournalLine
}

export type Declined = Extract<AuthoriseAnswer, { result: 'declined' }>

/** The author of a change. */
export type Cause = Writer & {
  request_id: string | null
  /** Remarks of the person or job that decided, kept in the journal. */
  note?: object
  /** A person says what the acquirer did. The acquirer itself has not, and the person may be wrong. */
  by_person?: true
}

/** The end of an authorisation. An approval that took no money yet is held; it is never captured by guessing. */
export function conclude(
  { session, payment }: Omit<Change, 'hold'>,
  answer: AuthoriseAnswer,
  rules: HoldRules,
  now: Date,
): Change {
  const { acquirer_transaction_id } = answer
  if (answer.result !== 'approved') {
    const status = answer.result
    return refused({ session, payment: { ...payment, acquirer_transaction_id } }, status, answer.decline)
  }
  const paidSession = { ...session, status: 'succeeded' as const, settlement: null, answer_by: null }
  const { authentication: claim } = payment
  const authentication = answer.liability_shifted === false ? withoutShift(claim) : claim
  if (answer.captured) {
    const captured = { status: 'captured', capture_state: 'captured', executed_at: now } as const
    return {
      payment: { ...payment, acquirer_transaction_id, authentication, ...captured },
      session: paidSession,
      hold: null,
    }
  }
  return {
    payment: { ...payment, acquirer_transaction_id, authentication, status: 'held', capture_state: 'authorised' },
    session: paidSession,
    hold: newHold(session, payment, rules, now, answer.expires_at),
  }
}

/**
 * A held payment whose capture or void was approved. The session stays succeeded; the payment shows which of the two it was.
 */
export function decide(
  { session, payment, hold }: Change & { hold: Hold },
  operation: Pick<Operation, 'asked_by' | 'amount'> & { kind: Decision },
  now: Date,
): Change & { hold: Hold } {
  const end = endOfDecision[operation.kind]
  const executed_at = end === 'captured' ? now : payment.executed_at
  const captured_amount = end === 'captured' ? partOf(payment, operation.amount) : null
  return {
    session: { ...session, settlement: null, answer_by: null },
    payment: { ...payment, status: end, capture_state: end, executed_at, captured_amount },
    hold: decideHold(hold, operation, now),
  }
}

/** A decline, or an error that moved nothing: the session goes on while attempts are left and fraud is not suspected. */
export function refused(
  { session, payment }: Omit<Change, 'hold'>,
  status: 'declined' | 'failed',
  decline: Decline,
): Change {
  return {
    payment: { ...payment, status, decline },
    session: {
      ...session,
      status: statusAfterDecline(session, decline),
      payment_id: payment.payment_id,
      last_decline: decline,
      settlement: null,
      answer_by: null,
    },
    hold: null,
  }
}

type ChargeEnd = {
  change: Change
  attempt: Attempt
  account: Account
  /** Null for a decline that the acquirer was never asked about. */
  operation: Pick<Operation, 'operation_id'> | null
  cause: Cause
  /** The same time for everything that is written. */
  at: Date
}

/** The event is among the rows: a change cannot be saved without the event that reports it. */
export function chargeOutcome(ids: Ids, { change, attempt, account, operation, cause, at }: ChargeEnd): ChargeOutcome {
  const { session, payment, hold } = change
  const integration = integrationOf(account, session.integration_id)
  const confirmation_url = session.confirmation_url ?? confirmationUrlIn(integration, session.mode)
  const result = resultOf({ session: { ...session, confirmation_url }, attempt, payment, at })
  const event = eventOf(change, { event_id: ids.event(at), sequence: 1, at })
  return {
    kind: 'charge',
    session,
    payment,
    hold,
    attempt: { ...attempt, payment_id: payment.payment_id, result },
    event,
    compatible:
      session.status === 'declined'
        ? canceledOf(ids, session, { payment, cause, at })
        : paidEvent(ids, change, { ...toldBy(cause), at, is_decision: false }),
    // The event stream finds the event by this line, written in the same statement: same payment, with the event's type as
    // `change`.
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

/** The author, without what judges a person. */
export function toldBy({ actor, request_id }: Pick<Cause, 'actor' | 'request_id'>) {
  return { actor, request_id }
}

/** What a payment intent shows of its session, but for the email. */
const shownMembers = [
  'session_id',
  'mode',
  'status',
  'amount',
  'currency',
  'metadata',
  'statement_descriptor_suffix',
  'amount_verified',
  'last_decline',
  'settlement',
  'answer_by',
  'created_at',
  'expires_at',
  'cancellation',
] as const satisfies (keyof Session)[]

/** The event of a session that ended without a payment. Its rows are frozen as the payment intent shows them. */
export function canceledOf(
  ids: Ids,
  session: Session,
  { payment, cause, at }: { payment: Payment | null; cause: Pick<Cause, 'actor' | 'request_id'>; at: Date },
): CompatibleEvent {
  const { merchant_id, session_id, mode } = session
  const { actor, request_id } = cause
  const { payment_id, status, created_at } = payment ?? {}
  const shown = Object.fromEntries(shownMembers.map((name) => [name, session[name]]))
  const { email = null } = session.customer ?? {}
  return compatibleEvent(ids, {
    ...{ merchant_id, subject: session_id, session_id, mode, actor, request_id, at },
    ...{ type: 'payment_intent.canceled', sequence: 1 },
    data: {
      session: { ...shown, customer: email && { email } },
      payment: payment && { payment_id, status, created_at },
    },
  })
}

/** A line about a payment, or about a refund in its place. */
export function lineOf(
  ids: Ids,
  payment: Pick<Payment, 'merchant_id' | 'session_id'> & { payment_id: string },
  cause: Cause,
  line: Pick<JournalChange, 'change' | 'detail' | 'at'>,
): JournalLine {
  const { merchant_id, session_id, payment_id } = payment
  const { actor, request_id, note } = cause
  // Members of a note must not replace the bound ones.
  const detail = { ...note, ...line.detail }
  const whose = { merchant_id, session_id, subject: payment_id, actor, request_id }
  return journalLine(ids, { ...whose, ...line, detail })
}
