// Why there is no button to refund, where the limit of the role is what takes it away.

import type { Payment } from '../client/answers.ts'
import { say } from '../words.ts'
import { takenOf } from './taken.ts'

export function RefundNote({ payment }: { payment: Payment }) {
  const { status, currency, refunded_amount = 0, refund_max, refund_limit } = payment
  const is_refundable = status === 'captured' && refunded_amount < takenOf(payment)
  if (!is_refundable || refund_limit === null || refund_max > 0) return null
  return (
    <p className="hint">
      {refund_limit === 0 ? say('no_refund_limit_yet', { currency: currency ?? '' }) : say('refund_limited')}
    </p>
  )
}
