// GET /v1/payments/{payment_id}: the outcome of one confirmed attempt.

import { z } from 'zod'
import { secretKey } from '../../http/access.ts'
import { route } from '../../http/route.ts'
import { timestamp, timestampOrNull } from '../../kernel/values.ts'
import { admitKey } from '../../merchants/admit.ts'
import type { Context } from '../context.ts'
import { anyMetadata } from '../fields.ts'
import { noPayment } from '../payment.ts'
import { viewBasket } from '../purchase.ts'
import { basketView, customerView, declineView, mode, time } from '../views.ts'
import { refundSums } from './owed-refunds.ts'
import { paidOutView, viewPaidOut } from './paid-out.ts'
import { findPayment, type PaymentRead } from './payment-store.ts'

export const paymentView = z
  .object({
    id: z.string(),
    checkout_session_id: z.string().nullable(),
    status: z.enum(['captured', 'held', 'voided', 'pending', 'declined', 'failed']),
    amount: z.int(),
    captured_amount: z.int().optional().meta({
      description: 'what was taken, where that is less than `amount`, which was authorised; else absent',
    }),
    currency: z.string().nullable(),
    mode,
    decline: declineView.nullable(),
    /** Absent unless 3-D Secure gave one of its three outcomes: the absence is meaningful. */
    authentication: z
      .object({
        outcome: z.enum(['Authenticated', 'Attempted', 'Failed']),
        liability_shifted: z.boolean(),
        eci: z.string().nullable(),
      })
      .meta({ title: 'Authentication', note: 'What 3-D Secure found of the cardholder.' })
      .optional(),
    acquirer_transaction_id: z.string().nullable(),
    created_at: time,
    executed_at: time.nullable(),
    amount_verified: z.boolean(),
    capture_state: z.enum(['captured', 'authorised', 'voided']).nullable(),
    ...basketView,
    customer: customerView.nullable(),
    metadata: anyMetadata.meta({ description: 'as sent when the session was created' }),
    order_reference: z.string().nullable(),
    order_reference_captured_payments: z.int().nullable().meta({
      description:
        'captured payments with this order_reference, this one included: 2 or more are almost always a double payment; null without a reference',
    }),
    refunded_amount: z.int().optional().meta({
      description: 'what was refunded, pending refunds included; absent where nothing was',
    }),
    pending_refund_amount: z.int().optional().meta({
      description: 'what of `refunded_amount` is not given back yet; absent where no refund is pending',
    }),
    failed_refund_amount: z.int().optional().meta({
      description:
        'what was to be refunded, failed, and was not given back since; a refund that was tried again counts once; absent where none',
    }),
    payouts: z.array(paidOutView).optional().meta({
      description: 'what its acquirer paid out for it, by the reports that were read; absent where none has it',
    }),
  })
  .meta({ title: 'Payment', note: 'The outcome of one confirmed attempt.' })

export const readPayment = route({
  method: 'GET',
  path: '/v1/payments/{payment_id}',
  tag: 'Payments',
  summary: 'Read a payment',
  access: secretKey('read_transactions'),
  mode: { of: 'reply', unknown: noPayment },
  dialect: 'checkout',
  status: 200,
  reply: paymentView,
  refusals: ['resource_not_found'],
  admit: admitKey,
  handle: async (context: Context, { holder, params }) => {
    const payment = await findPayment(context.sql, holder.merchant_id, params.payment_id!)
    if (!payment) throw noPayment()
    return viewPayment(payment)
  },
})

export function viewPayment(payment: PaymentRead): z.input<typeof paymentView> {
  const { pending_amount, failed_amount } = refundSums(payment)
  return {
    id: payment.payment_id,
    checkout_session_id: payment.session_id,
    status: payment.status,
    amount: payment.amount,
    ...(payment.captured_amount !== null && { captured_amount: payment.captured_amount }),
    currency: payment.currency,
    mode: payment.mode,
    decline: payment.decline,
    ...(payment.authentication === null ? {} : { authentication: payment.authentication }),
    acquirer_transaction_id: payment.acquirer_transaction_id,
    created_at: timestamp(payment.created_at),
    executed_at: timestampOrNull(payment.executed_at),
    amount_verified: payment.amount_verified,
    capture_state: payment.capture_state,
    ...viewBasket(payment.items),
    customer: payment.customer,
    metadata: payment.metadata,
    order_reference: payment.order_reference,
    order_reference_captured_payments: payment.order_reference_captured_payments,
    ...(payment.refunded_amount > 0 && { refunded_amount: payment.refunded_amount }),
    ...(pending_amount > 0 && { pending_refund_amount: pending_amount }),
    ...(failed_amount > 0 && { failed_refund_amount: failed_amount }),
    ...(payment.payouts !== null && { payouts: payment.payouts.map(viewPaidOut) }),
  }
}
