// POST /v1/payment_intents: a session, created in the other platform's words.

import { z } from 'zod'
import { bearerKey } from '../../http/access.ts'
import { currency } from '../../http/currency.ts'
import type { FormRules } from '../../http/form.ts'
import { type Route, route } from '../../http/route.ts'
import { validate } from '../../http/validate.ts'
import { Refusal } from '../../kernel/errors.ts'
import type { Context } from '../../payments/context.ts'
import { amount, email, metadata, nullIfEmpty, optionalText, reference } from '../../payments/fields.ts'
import { customerOf, descriptorSuffix } from '../../payments/purchase.ts'
import { clientSecretOf } from '../../payments/sessions/client-secret.ts'
import { type Purchase, sessionLine } from '../../payments/sessions/new-session.ts'
import {
  admitServer,
  newServerSession,
  placeOf,
  serverSessionRefusals,
} from '../../payments/sessions/server-session.ts'
import type { Address } from '../addresses.ts'
import { expandOf } from '../expand.ts'
import { explain } from '../faults.ts'
import { only_automatic, withoutEffectless } from '../unsupported.ts'
import { intentParts } from './expand-intents.ts'
import { paymentIntent, viewIntent } from './intent.ts'

export const createIntentAt = (address: Address): Route<Context> =>
  route({
    method: 'POST',
    ...address,
    tag: 'Compatible',
    summary: 'Create a payment intent',
    access: bearerKey('create_payments'),
    mode: 'handler',
    dialect: 'compatible',
    idempotency: 'compatible',
    query: z.strictObject({}),
    body: z.preprocess(withoutEffectless, intentCreate),
    body_kind: 'basket',
    form: intentForm,
    explain,
    status: 200,
    reply: paymentIntent,
    refusals: serverSessionRefusals,
    admit: admitServer,
    handle: async (context: Context, { body, holder: key, request_id, now, recordReply }) => {
      const place = await placeOf(context, key)
      const reference_key = place.integration?.order_reference_metadata_key ?? null
      const session = newServerSession(context, place, {
        purchase: purchaseOf(body, reference_key),
        now,
      })
      const client_secret = clientSecretOf(context.keyring, session.session_id)
      const rows = { session, rules: place.integration, payment: null, hold: null, step: null }
      const reply = viewIntent(rows, { now, client_secret })
      const line = sessionLine(context, session, { actor: `key ${key.key_id}`, request_id })
      await context.insertSession({ session, key: recordReply(reply), line })
      return reply
    },
  })

/** Clients of the other platform send an empty text for null, for every parameter. */
const captureMethod = z
  .preprocess(nullIfEmpty, z.literal('automatic', only_automatic).nullish())
  .optional()
  .meta({ type: ['string', 'null'], enum: ['automatic', null] })

/** The body that creates a payment intent, and the purchase that it describes. */
export const intentCreate = z
  .strictObject({
    amount,
    currency,
    metadata: metadata.nullish(),
    receipt_email: email.nullish().meta({ description: 'where it is empty the checkout asks for it' }),
    description: optionalText(8192).meta({ description: 'kept as metadata.description' }),
    statement_descriptor_suffix: descriptorSuffix.nullish(),
    capture_method: captureMethod,
    expand: expandOf(intentParts),
  })
  .meta({ title: 'PaymentIntentCreate', note: 'The body that creates a session as a payment intent.' })
type IntentCreate = z.output<typeof intentCreate>

const intentForm: FormRules = { integers: ['amount'], maps: ['metadata'] }

/**
 * The purchase in a body. The metadata value under `reference_key` is the order reference. Throws a refusal that names the
 * parameter if the metadata as a whole or that value is wrong.
 */
function purchaseOf(body: IntentCreate, reference_key: string | null): Purchase {
  const metadata = metadataOf(body)
  const { amount, currency, receipt_email, statement_descriptor_suffix } = body
  return {
    amount,
    currency,
    items: null,
    customer: receipt_email ? customerOf({ email: receipt_email }) : null,
    metadata,
    statement_descriptor_suffix,
    order_reference: orderReferenceOf(metadata, reference_key),
  }
}

const withMetadata = z.object({ metadata })

function metadataOf({ metadata, description }: IntentCreate): Record<string, string> {
  const own = metadata ?? {}
  if (!description) return own
  if (Object.hasOwn(own, 'description') && own.description !== description) {
    throw new Refusal(
      'invalid_request',
      'description is kept as metadata[description], which has another value. Send one of them.',
      { field: 'description' },
    )
  }
  return validate(withMetadata, { metadata: { ...own, description } }, explain).metadata
}

function orderReferenceOf(metadata: Record<string, string>, key: string | null): string | null {
  if (key === null || !Object.hasOwn(metadata, key)) return null
  return validate(reference, metadata[key], (issue) => explain({ ...issue, path: ['metadata', key] }))
}
