// The answer to a confirm: recorded with the attempt, or made from an outcome.

import { timestamp } from '../kernel/values.ts'
import type { Attempt } from './attempt.ts'
import type { Payment } from './payment.ts'
import { attemptsLeft, type Session } from './session.ts'
import type { ConfirmResult } from './views.ts'

/** The confirm answer of an attempt: as recorded, or `processing` while its charge is under way. */
export function recordedResult(session: Session, attempt: Attempt): ConfirmResult | null {
  if (attempt.result) return attempt.result as ConfirmResult
  return attempt.phase === 'charging' ? resultOf({ session, attempt, payment: null }) : null
}

/** The confirm answer. Without the payment's outcome it is `processing`. */
export function resultOf({
  session,
  attempt,
  payment,
  at = null,
}: {
  session: Session
  attempt: Attempt
  payment: Payment | null
  /** When the outcome was decided. */
  at?: Date | null
}): ConfirmResult {
  const payment_id = payment?.payment_id ?? session.payment_id!
  const is_paid = payment?.status === 'captured' || payment?.status === 'held'
  return {
    status: statusOf(payment),
    session_id: session.session_id,
    payment_id,
    attempt: { id: attempt.attempt_id, number: attempt.number },
    decline: payment?.decline ?? null,
    attempts_left: attemptsLeft(session),
    order_reference: session.order_reference,
    confirmation_url: is_paid ? confirmationUrl(session, payment_id) : null,
    paid_at: is_paid && at ? timestamp(at) : null,
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
 * The merchant's address with our parameters appended. Its own query is not changed, because only the merchant's server knows
 * how it is parsed. A Checkout Session's names that session where its merchant wants it, so nothing is added.
 */
function confirmationUrl(session: Session, payment_id: string): string | null {
  const { confirmation_url, order_reference } = session
  if (confirmation_url === null || session.checkout_session_id !== null) return confirmation_url
  const joint = !confirmation_url.includes('?') ? '?' : /[?&]$/.test(confirmation_url) ? '' : '&'
  const reference = order_reference === null ? '' : `&order_reference=${encodeURIComponent(order_reference)}`
  return `${confirmation_url}${joint}payment_id=${payment_id}${reference}`
}
