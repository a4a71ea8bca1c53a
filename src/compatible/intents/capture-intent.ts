// POST /v1/payment_intents/{session_id}/capture: captures a held payment, in the other platform's words.

import { z } from 'zod'
import { bearerKey, type SecretKey } from '../../http/access.ts'
import { keyRules } from '../../http/idempotency.ts'
import { type Route, route } from '../../http/route.ts'
import { Refusal } from '../../kernel/errors.ts'
import { admitKey } from '../../merchants/admit.ts'
import type { Context } from '../../payments/context.ts'
import { capturedAmount } from '../../payments/fields.ts'
import { decideHold } from '../../payments/holds/decide-hold.ts'
import { decisionBegunUnder } from '../../payments/holds/hold-routes.ts'
import { modeOfSessionAt } from '../../payments/reading/mode-store.ts'
import type { Address } from '../addresses.ts'
import { expandOf } from '../expand.ts'
import { explain } from '../faults.ts'
import { type Expand, intentParts } from './expand-intents.ts'
import { type IntentRows, intentStateOf, type PaymentIntent, paymentIntent } from './intent.ts'
import { intentOrRefuse, noIntent, readIntent } from './read-intent.ts'

export const intentCapture = z
  .strictObject({
    amount_to_capture: capturedAmount
      .optional()
      .meta({ description: 'what to capture, the whole amount by default; the rest is released' }),
    expand: expandOf(intentParts),
  })
  .meta({ title: 'PaymentIntentCapture', note: 'The body that captures a held payment intent.' })

export const captureIntentAt = ({ path, alias_of }: Address): Route<Context> =>
  route({
    method: 'POST',
    path: `${path}/{session_id}/capture`,
    alias_of: alias_of && `${alias_of}/{session_id}/capture`,
    tag: 'Compatible',
    summary: 'Capture a held payment intent',
    access: bearerKey('decide_holds'),
    mode: { of: modeOfSessionAt, unknown: noIntent },
    dialect: 'compatible',
    idempotency: 'compatible',
    query: z.strictObject({}),
    body: intentCapture,
    body_optional: true,
    form: { integers: ['amount_to_capture'], maps: [] },
    explain,
    status: 200,
    reply: paymentIntent,
    unknownId: noIntent,
    refusals: [
      ...(['resource_not_found', 'session_processing', 'session_completed', 'session_expired'] as const),
      ...(['hold_already_decided', 'operation_refused'] as const),
    ],
    admit: admitKey,
    handle: async (context: Context, { body, holder, params, request_id, now, reserveKey }) => {
      const place = { merchant_id: holder.merchant_id, session_id: params.session_id! }
      const rows = await intentOrRefuse(context.sql, place)
      refuseUnlessHeld(rows, now)
      const payment = { merchant_id: place.merchant_id, payment_id: rows.payment!.payment_id }
      const cause = { actor: `key ${holder.key_id}` as const, request_id }
      await decideHold(context, payment, {
        kind: 'capture',
        amount: body.amount_to_capture,
        amount_field: 'amount_to_capture',
        asked_by: 'merchant',
        cause,
        key: reserveKey(),
      })
      return readIntent(context, place, body.expand)
    },
    resume: readDecided,
  })

type Repeat = {
  body: { expand?: Expand }
  holder: SecretKey
  params: Record<string, string>
  key: string
  audience: string
  now: Date
}

/** The payment intent after the capture or void that a request with the same key has begun. Throws what refused it. */
export async function readDecided(
  context: Context,
  { body, holder, params, key, audience, now }: Repeat,
): Promise<PaymentIntent> {
  const place = { merchant_id: holder.merchant_id, session_id: params.session_id! }
  const { payment } = await intentOrRefuse(context.sql, place)
  const which = { merchant_id: place.merchant_id, payment_id: payment!.payment_id }
  await decisionBegunUnder(context, which, { key, audience, now, rules: keyRules.compatible })
  return readIntent(context, place, body.expand)
}

function refuseUnlessHeld(rows: IntentRows, now: Date): void {
  const { status } = intentStateOf(rows, now)
  if (status === 'requires_capture') return
  const words = `A payment intent whose status is ${status} cannot be captured: only one with requires_capture can.`
  if (rows.hold) throw new Refusal('hold_already_decided', words)
  switch (status) {
    case 'processing':
      throw new Refusal('session_processing', words)
    case 'succeeded':
      throw new Refusal('session_completed', words)
    case 'canceled':
      throw new Refusal('session_expired', words)
    default:
      throw new Refusal('invalid_request', words, { platform_code: 'payment_intent_unexpected_state' })
  }
}
