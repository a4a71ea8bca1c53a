// What a payment is now. Its status stays `captured` after refunds, while people want to know of them first.

import type { PaymentRow } from '../client/answers.ts'
import { takenOf } from './taken.ts'

export type PaymentState = PaymentRow['status'] | 'refunding' | 'refunded' | 'part_refunded'

/** A refund's status in the same words. */
export const refundStates = { succeeded: 'refunded', pending: 'refunding', failed: 'refund_failed' } as const

export function stateOf(
  payment: Pick<PaymentRow, 'status' | 'amount' | 'refunded_amount' | 'pending_refund_amount'>,
): PaymentState {
  const { status, refunded_amount = 0, pending_refund_amount = 0 } = payment
  if (status !== 'captured' || refunded_amount === 0) return status
  if (pending_refund_amount > 0) return 'refunding'
  return refunded_amount < takenOf(payment) ? 'part_refunded' : 'refunded'
}
