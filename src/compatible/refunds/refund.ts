// A refund in the other platform's words. Its members are all those of that platform's API description 2026-08-26.

import { z } from 'zod'
import { anyMetadata } from '../../payments/fields.ts'
import type { Refund } from '../../payments/refund.ts'
import { refundFailureView } from '../../payments/views.ts'
import { absentMembers, chargeIdOf, nulls, unixSeconds } from '../members.ts'

const absent = [
  'balance_transaction',
  'customer',
  'customer_account',
  'payment_method',
  'receipt_number',
  'source_transfer_reversal',
  'transfer_reversal',
] as const

/**
 * The reasons in the other platform's library 23.1.0. Any other reason, from our own route, is shown only under
 * `ripper`.
 */
export const reasons = ['duplicate', 'fraudulent', 'requested_by_customer'] as const

export const compatibleRefund = z
  .object({
    id: z.string(),
    object: z.literal('refund'),
    amount: z.int(),
    charge: z.string().meta({ description: 'ch_ and the digits of the payment' }),
    created: z.int().meta({ description: 'Unix seconds' }),
    currency: z.string(),
    metadata: anyMetadata,
    payment_intent: z.string(),
    reason: z.enum(reasons).nullable(),
    status: z.enum(['pending', 'succeeded', 'failed']),
    ...nulls(absent),
    failure_reason: z.enum(['declined', 'unknown']).optional().meta({ description: 'only where it failed' }),
    ripper: z.object({
      payment_id: z.string(),
      reason: z.string().nullable(),
      failure: refundFailureView.nullable(),
    }),
  })
  .meta({ title: 'CompatibleRefund', note: 'A refund in the other platform’s words.' })
export type CompatibleRefund = z.infer<typeof compatibleRefund>

export function viewCompatibleRefund(refund: Refund): CompatibleRefund {
  const { failure, payment_id } = refund
  return {
    id: refund.refund_id,
    object: 'refund',
    amount: refund.amount,
    charge: chargeIdOf(refund),
    created: unixSeconds(refund.created_at),
    currency: refund.currency.toLowerCase(),
    metadata: refund.metadata,
    payment_intent: refund.session_id,
    reason: reasons.find((reason) => reason === refund.reason) ?? null,
    status: refund.status,
    ...absentMembers(absent),
    ...(failure && { failure_reason: failure.code === 'refund_refused' ? 'declined' : 'unknown' }),
    ripper: { payment_id, reason: refund.reason, failure },
  }
}
