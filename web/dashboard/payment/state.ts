// What a payment is now. Its status stays `captured` after refunds, while people want to know of them first.

import type { PaymentRow } from '../client/answers.ts'

export type PaymentState = PaymentRow['status'] | 'refunded' | 'part_refunded'

export function stateOf({
  status,
  amount,
  refunded_amount = 0,
}: Pick<PaymentRow, 'status' | 'amount' | 'refunded_amount'>): PaymentState {
  if (status !== 'captured' || refunded_amount === 0) return status
  return refunded_amount < amount ? 'part_refunded' : 'refunded'
}
