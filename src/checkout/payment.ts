// A payment: one confirmed attempt, and what became of it. conclude.ts decides how it ends.

import type { Decline } from '../acquirers/acquirer.ts'
import type { Mode, PaymentId } from '../kernel/values.ts'
import type { Attempt, Authentication } from './attempt.ts'
import type { Session } from './session.ts'

export type PaymentStatus = 'pending' | 'captured' | 'held' | 'voided' | 'declined' | 'failed'

export type Payment = {
  merchant_id: string
  payment_id: PaymentId
  session_id: string
  attempt_id: string
  status: PaymentStatus
  capture_state: 'captured' | 'authorised' | 'voided' | null
  amount: number
  currency: string
  mode: Mode
  decline: Decline | null
  authentication: Authentication | null
  acquirer: string | null
  acquirer_transaction_id: string | null
  amount_verified: boolean
  order_reference: string | null
  created_at: Date
  executed_at: Date | null
}

export type PaymentKey = Pick<Payment, 'merchant_id'> & { payment_id: string }

/** A payment as confirm opens it: nothing is known yet but what is asked. */
export function openPayment(
  session: Session,
  attempt: Attempt,
  opened: { payment_id: PaymentId; authentication: Authentication | null; at: Date },
): Payment {
  return {
    merchant_id: session.merchant_id,
    payment_id: opened.payment_id,
    session_id: session.session_id,
    attempt_id: attempt.attempt_id,
    status: 'pending',
    capture_state: null,
    amount: session.amount,
    currency: session.currency,
    mode: session.mode,
    decline: null,
    authentication: opened.authentication,
    acquirer: null,
    acquirer_transaction_id: null,
    amount_verified: session.amount_verified,
    order_reference: session.order_reference,
    created_at: opened.at,
    executed_at: null,
  }
}
