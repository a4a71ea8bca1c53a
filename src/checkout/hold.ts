// A hold: an authorised payment that waits for a decision because its amount could not be verified.

import type { Integration } from '../merchants/integration.ts'
import { timestamp, timestampOrNull } from '../values.ts'
import type { Payment } from './payment.ts'
import type { Session } from './session.ts'

type OperationRefusal = {
  kind: string
  sequence: number
  reason: string
  decline_code: string | null
  at: string
}

export type Hold = {
  merchant_id: string
  payment_id: string
  status: 'pending_review' | 'escalated' | 'captured' | 'voided'
  reason: 'no_price_list' | 'mismatch'
  detail: string | null
  deadline: Date
  decided_by: 'merchant' | 'rules' | null
  decided_at: Date | null
  operation_refusal: OperationRefusal | null
}

export function openHold(
  session: Pick<Session, 'amount_verification_source' | 'amount_verification_detail'>,
  payment: Pick<Payment, 'merchant_id' | 'payment_id' | 'created_at'>,
  rules: Pick<Integration, 'review_window_seconds'>,
): Hold {
  return {
    merchant_id: payment.merchant_id,
    payment_id: payment.payment_id,
    status: 'pending_review',
    reason: session.amount_verification_source === 'mismatch' ? 'mismatch' : 'no_price_list',
    detail: session.amount_verification_detail,
    deadline: new Date(payment.created_at.getTime() + rules.review_window_seconds * 1000),
    decided_by: null,
    decided_at: null,
    operation_refusal: null,
  }
}

/** The hold object of sessions, payments and events. */
export function viewHold(hold: Hold) {
  return {
    status: hold.status,
    reason: hold.reason,
    detail: hold.detail,
    deadline: timestamp(hold.deadline),
    decided_by: hold.decided_by,
    decided_at: timestampOrNull(hold.decided_at),
    operation_refusal: hold.operation_refusal,
  }
}
