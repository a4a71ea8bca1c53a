// The body that creates a payment intent, and the purchase that it describes.

import { z } from 'zod'
import { amount, email, metadata, nullIfEmpty, optionalText, reference } from '../checkout/fields.ts'
import { customerOf, descriptorSuffix } from '../checkout/purchase.ts'
import type { Purchase } from '../checkout/sessions/new-session.ts'
import { currency } from '../http/currency.ts'
import type { FormRules } from '../http/form.ts'
import { validate } from '../http/validate.ts'
import { Refusal } from '../kernel/errors.ts'
import { explain } from './faults.ts'
import { only_automatic } from './unsupported.ts'

/** Clients of the other platform send an empty text for null, for every parameter. */
const captureMethod = z
  .preprocess(nullIfEmpty, z.literal('automatic', only_automatic).nullish())
  .optional()
  .meta({ type: ['string', 'null'], enum: ['automatic', null] })

export const intentCreate = z.strictObject({
  amount,
  currency,
  metadata: metadata.nullish(),
  receipt_email: email.nullish().meta({ description: 'where it is empty the checkout asks for it' }),
  description: optionalText(8192).meta({ description: 'kept as metadata.description' }),
  statement_descriptor_suffix: descriptorSuffix.nullish(),
  capture_method: captureMethod,
})
export type IntentCreate = z.output<typeof intentCreate>

export const intentForm: FormRules = { integers: ['amount'], maps: ['metadata'] }

/**
 * The purchase in a body. The metadata value under `reference_key` is the order reference. Throws a refusal that names the
 * parameter if the metadata as a whole or that value is wrong.
 */
export function purchaseOf(body: IntentCreate, reference_key: string | null): Purchase {
  const kept = metadataOf(body)
  const { amount, currency, receipt_email, statement_descriptor_suffix } = body
  return {
    amount,
    currency,
    items: null,
    customer: receipt_email ? customerOf({ email: receipt_email }) : null,
    metadata: kept,
    statement_descriptor_suffix,
    order_reference: orderReferenceOf(kept, reference_key),
  }
}

const withMetadata = z.object({ metadata })

function metadataOf({ metadata: sent, description }: IntentCreate): Record<string, string> {
  const own = sent ?? {}
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

function orderReferenceOf(kept: Record<string, string>, key: string | null): string | null {
  if (key === null || !Object.hasOwn(kept, key)) return null
  return validate(reference, kept[key], (issue) => explain({ ...issue, path: ['metadata', key] }))
}
