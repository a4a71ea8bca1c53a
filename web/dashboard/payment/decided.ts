// A payment that somebody decides about, and what may be decided.

import type { Others } from './other-payments.tsx'

export type Decided = {
  id: string
  amount: number
  currency: string | null
  order_reference: string | null
  customer_email: string | null
  /** What is left to refund, as far as the person may. */
  refundable_amount?: number
  /** Whether more is left than the person may refund. */
  is_refund_limited?: boolean
  /** What was given back of it another way. */
  otherwise_amount?: number
  other_payments?: Others
}

export const decisions = ['capture', 'void', 'escalate', 'refund'] as const
export type Decision = (typeof decisions)[number]
