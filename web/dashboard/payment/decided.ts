// A payment that somebody decides about, and what may be decided.

import type { Difference } from '../parts/difference.ts'
import type { Others } from './other-payments.tsx'

export type Decided = {
  id: string
  amount: number
  currency: string | null
  order_reference: string | null
  customer_email: string | null
  /** What is left to refund, whoever may. */
  left_amount?: number
  /** And as far as the person may. */
  refundable_amount?: number
  /** What was given back of it another way. */
  otherwise_amount?: number
  /** A dispute of it is open or lost, so that a refund may give the money back a second time. */
  is_disputed?: boolean
  other_payments?: Others
  /** That its order was paid several times, or another payment of it was given back. */
  order_words?: string | null
  /** What the acquirer's record says otherwise. */
  differences?: Difference[]
}

export const decisions = ['capture', 'void', 'escalate', 'refund'] as const
export type Decision = (typeof decisions)[number]

/** The routes whose answers are old once money was given back, or it was said so. */
export const routesOfRefunds = [
  'GET /{merchant_id}/payments/{payment_id}',
  'GET /{merchant_id}/payments/{payment_id}/timeline',
  'GET /{merchant_id}/payments/{payment_id}/refunds',
] as const
