// From an acquirer's answer to the rows that shall be: the end of a charge, and of the hold on it. Decided without touching anything.

import type { AuthoriseAnswer, Decline } from '../acquirers/acquirer.ts'
import { decideHold, type Hold, type HoldRules, openHold } from './hold.ts'
import type { Operation } from './operation.ts'
import type { Payment } from './payment.ts'
import { type Session, statusAfterDecline } from './session.ts'

/** What a decision writes: the rows as they shall be. The event is told from them. */
export type Change = { payment: Payment; session: Session; hold: Hold | null }

/** The end of an authorisation. An approval that took nothing yet is held; it is never captured by guessing. */
export function conclude(
  { session, payment }: Omit<Change, 'hold'>,
  answer: AuthoriseAnswer,
  rules: HoldRules,
  now: Date,
): Change {
  const { acquirer_transaction_id } = answer
  if (answer.result !== 'approved') {
    const status = answer.result
    return refused(
      { session, payment: { ...payment, acquirer_transaction_id } },
      status,
      answer.decline,
    )
  }
  const paid = { ...session, status: 'succeeded' as const, settlement: null, answer_by: null }
  if (answer.captured) {
    const captured = { status: 'captured', capture_state: 'captured', executed_at: now } as const
    return {
      payment: { ...payment, acquirer_transaction_id, ...captured },
      session: paid,
      hold: null,
    }
  }
  return {
    payment: { ...payment, acquirer_transaction_id, status: 'held', capture_state: 'authorised' },
    session: paid,
    hold: openHold(session, payment, rules, now),
  }
}

/** A held payment whose capture or void was approved. The session stays succeeded: the payment tells which. */
export function decide(
  { session, payment, hold }: Change & { hold: Hold },
  operation: Pick<Operation, 'kind' | 'asked_by'>,
  now: Date,
): Change & { hold: Hold } {
  const decided: Partial<Payment> =
    operation.kind === 'capture'
      ? { status: 'captured', capture_state: 'captured', executed_at: now }
      : { status: 'voided', capture_state: 'voided' }
  return {
    session: { ...session, settlement: null, answer_by: null },
    payment: { ...payment, ...decided },
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
