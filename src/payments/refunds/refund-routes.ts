// POST and GET /v1/payments/{payment_id}/refunds, GET /v1/refunds/{refund_id}: a merchant refunds a captured payment.

import { z } from 'zod'
import { secretKey } from '../../http/access.ts'
import { type KeyRules, keyRules, stillRunning } from '../../http/idempotency.ts'
import { route } from '../../http/route.ts'
import { Refusal } from '../../kernel/errors.ts'
import { admitKey } from '../../merchants/admit.ts'
import { writerBy } from '../../merchants/write-as.ts'
import type { Context } from '../context.ts'
import { amount, optionalText } from '../fields.ts'
import { noPayment, type PaymentKey } from '../payment.ts'
import { modeOfPayment } from '../reading/mode-store.ts'
import { findPayment } from '../reading/payment-store.ts'
import { findRefund, findRefundByKey, listRefunds } from '../reading/refund-store.ts'
import { type Refund, viewRefund } from '../refund.ts'
import { refundView } from '../views.ts'
import { type PersonWish, refundPayment } from './refund-payment.ts'

export const refundCreate = z
  .strictObject({
    // No null: a number that went wrong is one in JSON, and must not refund everything.
    amount: amount.optional().meta({ description: 'in minor units; all that is left by default' }),
    reason: optionalText(255).meta({ description: 'your own words, which come back' }),
    accept_dispute: z
      .boolean()
      .optional()
      .meta({ description: 'true to refund although a dispute of the payment is open or lost' }),
  })
  .meta({ title: 'RefundCreate', note: 'The body that refunds a captured payment.' })

/** Every code that a refund may be refused with. */
export const refundRefusals = [
  'resource_not_found',
  'payment_not_refundable',
  'refund_exceeds_captured',
  'payment_disputed',
] as const

export const createRefund = refundRecord(refundCreate, () => null)

/** `personOf` makes of a holder and a body what applies to people alone. */
export function refundRecord<Wish extends z.ZodType<z.output<typeof refundCreate>>>(
  wish: Wish,
  personOf: (holder: unknown, body: z.output<Wish>) => PersonWish | null,
) {
  return route({
    method: 'POST',
    path: '/v1/payments/{payment_id}/refunds',
    tag: 'Refunds',
    summary: 'Refund a captured payment',
    access: secretKey('refund_payments'),
    mode: { of: modeOfPayment, unknown: noPayment },
    dialect: 'checkout',
    idempotency: 'required',
    body: wish,
    body_optional: true,
    status: 201,
    reply: refundView,
    refusals: refundRefusals,
    admit: admitKey,
    handle: async (context: Context, { body, holder, params, request_id, reserveKey }) => {
      const which = { merchant_id: holder.merchant_id, payment_id: params.payment_id! }
      const refund = await refundPayment(context, which, {
        amount: body.amount ?? null,
        reason: body.reason ?? null,
        metadata: {},
        accept_dispute: body.accept_dispute ?? false,
        cause: writerBy(holder, request_id),
        key: reserveKey(),
        person: personOf(holder, body),
      })
      return viewRefund(refund)
    },
    resume: async (context: Context, { holder, params, key, audience, now }) => {
      const which = { merchant_id: holder.merchant_id, payment_id: params.payment_id! }
      return viewRefund(await refundBegunUnder(context, which, { key, audience, now }))
    },
  })
}

export const listPaymentRefunds = route({
  method: 'GET',
  path: '/v1/payments/{payment_id}/refunds',
  tag: 'Refunds',
  summary: 'List the refunds of a payment',
  access: secretKey('read_transactions'),
  mode: { of: modeOfPayment, unknown: noPayment },
  dialect: 'checkout',
  status: 200,
  reply: z
    .object({ refunds: z.array(refundView) })
    .meta({ title: 'RefundList', note: 'All refunds of a payment, newest first.' }),
  refusals: ['resource_not_found'],
  admit: admitKey,
  handle: async ({ sql }: Context, { holder, params }) => {
    const which = { merchant_id: holder.merchant_id, payment_id: params.payment_id! }
    const refunds = await listRefunds(sql, which)
    if (refunds.length === 0 && !(await findPayment(sql, which.merchant_id, which.payment_id))) {
      throw noPayment()
    }
    return { refunds: refunds.map(viewRefund) }
  },
})

export const readRefund = route({
  method: 'GET',
  path: '/v1/refunds/{refund_id}',
  tag: 'Refunds',
  summary: 'Read a refund',
  access: secretKey('read_transactions'),
  mode: { of: 'reply', unknown: noRefund },
  dialect: 'checkout',
  status: 200,
  reply: refundView,
  refusals: ['resource_not_found'],
  admit: admitKey,
  handle: async ({ sql }: Context, { holder, params }) => {
    const which = { merchant_id: holder.merchant_id, refund_id: params.refund_id! }
    const refund = await findRefund(sql, which)
    if (!refund) throw noRefund()
    return viewRefund(refund)
  },
})

function noRefund(): Refusal {
  return new Refusal('resource_not_found', 'There is no refund with this id.')
}

/**
 * The refund of an earlier request with the same idempotency key, as it is now. That request may still run, or may have died
 * before it could answer.
 */
export async function refundBegunUnder(
  { sql }: Pick<Context, 'sql'>,
  which: PaymentKey,
  repeat: { key: string; audience: string; now: Date; rules?: KeyRules },
): Promise<Refund> {
  const { key, audience, now, rules = keyRules.required } = repeat
  const refund = await findRefundByKey(sql, which, { key, audience })
  if (!refund || (refund.state === 'sent' && refund.answer_by > now)) throw stillRunning(rules)
  return refund
}
