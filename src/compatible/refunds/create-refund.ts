// POST /v1/refunds: refunds the payment of an intent, in the other platform's words.

import { z } from 'zod'
import type { Sql } from '../../database/open.ts'
import { bearerKey, type SessionHolder } from '../../http/access.ts'
import { keyRules } from '../../http/idempotency.ts'
import type { ObjectPlace } from '../../http/only-mode.ts'
import { type Route, route } from '../../http/route.ts'
import { Refusal } from '../../kernel/errors.ts'
import type { Mode, SessionId } from '../../kernel/values.ts'
import { admitKey } from '../../merchants/admit.ts'
import type { Context } from '../../payments/context.ts'
import { amount, metadata, must, nullIfEmpty } from '../../payments/fields.ts'
import type { PaymentKey } from '../../payments/payment.ts'
import { modeOfPayment, modeOfSession } from '../../payments/reading/mode-store.ts'
import { refundPayment } from '../../payments/refunds/refund-payment.ts'
import { refundBegunUnder, refundRefusals } from '../../payments/refunds/refund-routes.ts'
import { findSession } from '../../payments/sessions/session-store.ts'
import type { Address } from '../addresses.ts'
import { noChargeAt } from '../charges/read-charge.ts'
import { explain } from '../faults.ts'
import { findCharge } from '../intents/intent-store.ts'
import { noIntentAt } from '../intents/read-intent.ts'
import { isCharge, paymentIdOf } from '../members.ts'
import { compatibleRefund, reasons, viewCompatibleRefund } from './refund.ts'

const intentText = z.string(must('be text')).min(1, must('not be empty'))

const refundCreate = z
  .strictObject({
    payment_intent: intentText.optional().meta({ description: 'the id of the session that was paid' }),
    charge: intentText.optional().meta({ description: 'latest_charge of a payment intent, in place of its id' }),
    amount: amount.optional().meta({ description: 'all that is left by default' }),
    reason: z
      .preprocess(nullIfEmpty, z.enum(reasons, must(`be one of ${reasons.join(', ')}`)).nullish())
      .optional()
      .meta({ type: ['string', 'null'], enum: [...reasons, null] }),
    metadata: metadata.nullish(),
  })
  .meta({ title: 'CompatibleRefundCreate', note: 'The body that refunds a payment intent.' })

export const createRefundAt = (address: Address): Route<Context> =>
  route({
    method: 'POST',
    ...address,
    tag: 'Compatible',
    summary: 'Refund a payment intent',
    access: bearerKey('refund_payments'),
    mode: { of: modeOfRefunded, unknown: ({ body }) => (namesIn(body).charge === undefined ? noIntent() : noCharge()) },
    dialect: 'compatible',
    idempotency: 'compatible',
    query: z.strictObject({}),
    body: refundCreate,
    form: { integers: ['amount'], maps: ['metadata'] },
    explain,
    status: 200,
    reply: compatibleRefund,
    refusals: [...refundRefusals, 'metadata_too_large'],
    admit: admitKey,
    handle: async (context: Context, { body, holder, request_id, reserveKey }) => {
      const payment = await paymentOf(context, holder, body)
      const refund = await refundPayment(context, payment, {
        amount: body.amount ?? null,
        reason: body.reason ?? null,
        metadata: body.metadata ?? {},
        accept_dispute: false,
        cause: { actor: `key ${holder.key_id}`, request_id },
        key: reserveKey(),
      })
      return viewCompatibleRefund(refund)
    },
    resume: async (context: Context, { body, holder, key, audience, now }) => {
      const payment = await paymentOf(context, holder, body)
      const rules = keyRules.compatible
      const repeat = { key, audience, now, rules }
      return viewCompatibleRefund(await refundBegunUnder(context, payment, repeat))
    },
  })

/**
 * The newest payment of an intent, or that of a charge. Throws `invalid_request` unless the body names one of them,
 * `resource_not_found`, or `payment_not_refundable` if the intent has no payment yet.
 */
async function paymentOf(
  { sql }: Pick<Context, 'sql'>,
  { merchant_id }: Pick<SessionHolder, 'merchant_id'>,
  { payment_intent, charge }: z.output<typeof refundCreate>,
): Promise<PaymentKey> {
  if (charge !== undefined) {
    if (payment_intent !== undefined) throw new Refusal('invalid_request', either, { field: 'charge' })
    const payment = { merchant_id, payment_id: paymentIdOf(charge) }
    const row = await findCharge(sql, payment)
    if (!row || !isCharge(row)) throw noCharge()
    return payment
  }
  if (payment_intent === undefined) {
    throw new Refusal('invalid_request', either, { ...intentField, platform_code: 'parameter_missing' })
  }
  const session = isSessionId(payment_intent)
    ? await findSession(sql, { merchant_id, session_id: payment_intent })
    : undefined
  if (!session) throw noIntent()
  const { payment_id } = session
  if (payment_id !== null) return { merchant_id, payment_id }
  throw new Refusal('payment_not_refundable', 'Nobody has paid this payment intent.', intentField)
}

/** The mode of the payment in the body; null if it names none. */
async function modeOfRefunded(sql: Sql, { merchant_id, body }: ObjectPlace): Promise<Mode | null> {
  const { payment_intent: session_id, charge } = namesIn(body)
  if (typeof charge === 'string')
    return modeOfPayment(sql, { merchant_id, params: { payment_id: paymentIdOf(charge) } })
  if (typeof session_id !== 'string' || !isSessionId(session_id)) return null
  return modeOfSession(sql, { merchant_id, session_id })
}

function namesIn(body: unknown): Partial<Record<'payment_intent' | 'charge', unknown>> {
  return (body ?? {}) as Partial<Record<string, unknown>>
}

const either = 'Send payment_intent, the id of the session that was paid, or its charge.'
const intentField = { field: 'payment_intent' }

export const noIntent = () => noIntentAt(intentField.field)
export const noCharge = () => noChargeAt('charge')

function isSessionId(text: string): text is SessionId {
  return /^cs_[0-9a-f]{24}$/.test(text)
}
