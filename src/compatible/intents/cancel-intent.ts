// POST /v1/payment_intents/{session_id}/cancel: releases what is held, and ends what is unpaid, in the other platform's words.

import { z } from 'zod'
import { retryRaces } from '../../database/retry-races.ts'
import { bearerKey, type SecretKey } from '../../http/access.ts'
import type { KeyRow, ReservedKey } from '../../http/idempotency.ts'
import { type Route, route } from '../../http/route.ts'
import { Refusal } from '../../kernel/errors.ts'
import { admitKey } from '../../merchants/admit.ts'
import type { Context } from '../../payments/context.ts'
import { must, nullIfEmpty } from '../../payments/fields.ts'
import { decideHold } from '../../payments/holds/decide-hold.ts'
import { modeOfSessionAt } from '../../payments/reading/mode-store.ts'
import { cancellationReasons, type Session } from '../../payments/session.ts'
import { endLapsed, endSession } from '../../payments/sessions/end-session.ts'
import type { Address } from '../addresses.ts'
import { expandOf } from '../expand.ts'
import { explain } from '../faults.ts'
import { readDecided } from './capture-intent.ts'
import { intentParts } from './expand-intents.ts'
import { type IntentRows, intentStateOf, type PaymentIntent, paymentIntent, viewIntent } from './intent.ts'
import { type IntentPlace, intentOrRefuse, noIntent, readIntent } from './read-intent.ts'

export const intentCancel = z
  .strictObject({
    cancellation_reason: z
      .preprocess(
        nullIfEmpty,
        z.enum(cancellationReasons, must(`be one of ${cancellationReasons.join(', ')}`)).nullish(),
      )
      .optional()
      .meta({ type: ['string', 'null'], enum: [...cancellationReasons, null] }),
    expand: expandOf(intentParts),
  })
  .meta({ title: 'PaymentIntentCancel', note: 'The body that cancels a payment intent.' })
type IntentCancel = z.output<typeof intentCancel>

export const cancelIntentAt = ({ path, alias_of }: Address): Route<Context> =>
  route({
    method: 'POST',
    path: `${path}/{session_id}/cancel`,
    alias_of: alias_of && `${alias_of}/{session_id}/cancel`,
    tag: 'Compatible',
    summary: 'Cancel a payment intent',
    access: bearerKey('create_payments'),
    mode: { of: modeOfSessionAt, unknown: noIntent },
    dialect: 'compatible',
    idempotency: 'compatible',
    query: z.strictObject({}),
    body: intentCancel,
    body_optional: true,
    form: { integers: [], maps: [] },
    explain,
    status: 200,
    reply: paymentIntent,
    unknownId: noIntent,
    refusals: [
      ...(['resource_not_found', 'session_completed', 'session_processing', 'session_expired'] as const),
      ...(['hold_already_decided', 'operation_refused'] as const),
    ],
    admit: admitKey,
    handle: async (context: Context, { body, holder, params, request_id, recordReply, reserveKey }) => {
      const place = { merchant_id: holder.merchant_id, session_id: params.session_id! }
      return cancel(context, place, { body, holder, request_id, recordReply, reserveKey })
    },
    // Only a void reserves a key: the end of a session is answered in its own statement.
    resume: readDecided,
  })

type Cancel = {
  body: IntentCancel
  holder: SecretKey
  request_id: string
  recordReply(reply: PaymentIntent): KeyRow | null
  reserveKey(): ReservedKey | null
}

async function cancel(context: Context, place: IntentPlace, request: Cancel): Promise<PaymentIntent> {
  const { body, holder, request_id, recordReply, reserveKey } = request
  const { sql } = context
  const cancellation = body.cancellation_reason ?? 'canceled'
  const cause = { actor: `key ${holder.key_id}` as const, request_id }
  const end = await retryRaces('the session', async () => {
    const rows = await intentOrRefuse(sql, place)
    // Read after the session: the process may have stood still since the request came.
    const now = context.world.clock.now()
    if (!(await endLapsed(sql, rows.session, { now, key: null }))) return null
    if (refuseUnlessCancelable(rows, now) === 'held') return { held: rows.payment!.payment_id }
    const view = (session: Session) => viewIntent({ ...rows, session }, { now })
    const keyFor = (session: Session) => recordReply(view(session))
    const session = await endSession(context, rows.session, { cancellation, cause, keyFor })
    return session && view(session)
  })
  if (!('held' in end)) return end
  const payment = { merchant_id: place.merchant_id, payment_id: end.held }
  await decideHold(context, payment, { kind: 'void', asked_by: 'merchant', cancellation, cause, key: reserveKey() })
  return readIntent(context, place, body.expand)
}

/** What is to be done to cancel it. */
function refuseUnlessCancelable(rows: IntentRows, now: Date): 'held' | 'unpaid' {
  const { status } = intentStateOf(rows, now)
  const words = `A payment intent whose status is ${status} cannot be canceled`
  switch (status) {
    case 'requires_capture':
      return 'held'
    case 'succeeded':
      throw new Refusal('session_completed', `${words}: refund it by POST /v1/refunds.`)
    case 'processing':
      throw new Refusal('session_processing', `${words}: wait for its outcome.`)
    case 'canceled':
      throw new Refusal(
        rows.payment?.status === 'voided' ? 'hold_already_decided' : 'session_expired',
        `${words}: nothing can be paid by it any more.`,
      )
    default:
      if (rows.session.checkout_session_id === null) return 'unpaid'
      throw new Refusal(
        'invalid_request',
        `This payment intent is that of a Checkout Session: expire that by POST /v1/checkout/sessions/${rows.session.checkout_session_id}/expire.`,
        { field: 'intent' },
      )
  }
}
