// What Stripe takes, member by member: whatever is not here is refused, so that a wrong spelling is seen at once. Each shape is held
// against the types of Stripe's own library, so that no member is taken that it does not know.

import type Stripe from 'stripe'
import { z } from 'zod'

const digits = z
  .string()
  .regex(/^\d{1,12}$/)
  .transform(Number)
// Twelve digits for most cards: docs.stripe.com/currencies, 2026-11.
const amount = digits.refine((value) => value >= 1)
const id = z.string().min(1).max(255)
const metadata = z.record(z.string().max(40), z.string().max(500))
const page = {
  limit: digits.refine((value) => value >= 1 && value <= 100).optional(),
  starting_after: id.optional(),
}

/** A shape whose members are all the vendor's: any other is an error of the compiler. */
const judged =
  <Params>() =>
  <Shape extends { [Name in keyof Params]?: z.ZodType }>(
    shape: Shape & Record<Exclude<keyof Shape, keyof Params>, never>,
  ) =>
    z.strictObject<Shape>(shape)

const card = judged<Stripe.PaymentMethodCreateParams.Card>()({
  number: z.string().regex(/^\d{13,19}$/),
  exp_month: digits.refine((value) => value >= 1 && value <= 12),
  exp_year: digits.refine((value) => value >= 2000 && value <= 2100),
  cvc: z
    .string()
    .regex(/^\d{3,4}$/)
    .optional(),
})

type ThreeDSecure = Stripe.PaymentIntentConfirmParams.PaymentMethodOptions.Card.ThreeDSecure

const threeDSecure = judged<ThreeDSecure>()({
  cryptogram: z.string().regex(/^[A-Za-z0-9+/]{27}=$/),
  transaction_id: z.string().min(1).max(50),
  version: z.enum(['1.0.2', '2.1.0', '2.2.0', '2.3.0', '2.3.1']),
  electronic_commerce_indicator: z.enum(['01', '02', '05', '06', '07']).optional(),
  ares_trans_status: z.enum(['A', 'C', 'I', 'N', 'R', 'U', 'Y']).optional(),
})

export const bodies = {
  method: judged<Stripe.PaymentMethodCreateParams>()({
    type: z.literal('card'),
    card,
    billing_details: z.strictObject({ name: z.string().min(1).max(255) }).optional(),
  }),
  intent: judged<Stripe.PaymentIntentCreateParams>()({
    amount,
    currency: z.string().regex(/^[a-z]{3}$/),
    payment_method: id,
    allowed_payment_method_types: z.strictObject({ 0: z.literal('card') }),
    capture_method: z.enum(['automatic', 'manual']).optional(),
    metadata: metadata.optional(),
  }),
  confirm: judged<Stripe.PaymentIntentConfirmParams>()({
    error_on_requires_action: z.literal('true').optional(),
    expand: z.strictObject({ 0: z.literal('latest_charge') }).optional(),
    payment_method_options: z.strictObject({ card: z.strictObject({ three_d_secure: threeDSecure }) }).optional(),
  }),
  capture: judged<Stripe.PaymentIntentCaptureParams>()({
    amount_to_capture: amount.optional(),
    metadata: metadata.optional(),
  }),
  cancel: judged<Stripe.PaymentIntentCancelParams>()({
    cancellation_reason: z.enum(['duplicate', 'fraudulent', 'requested_by_customer', 'abandoned']).optional(),
  }),
  refund: judged<Stripe.RefundCreateParams>()({
    payment_intent: id,
    amount: amount.optional(),
    metadata: metadata.optional(),
  }),
}

export const queries = {
  intents: judged<Stripe.PaymentIntentListParams>()({
    ...page,
    created: z.strictObject({ gte: digits.optional(), lte: digits.optional() }).optional(),
    expand: z.strictObject({ 0: z.literal('data.latest_charge') }).optional(),
  }),
  refunds: judged<Stripe.RefundListParams>()({ ...page, payment_intent: id.optional() }),
  intent: z.strictObject({ expand: z.strictObject({ 0: z.literal('latest_charge') }).optional() }),
}

export type Bodies = { [Name in keyof typeof bodies]: z.output<(typeof bodies)[Name]> }
export type Queries = { [Name in keyof typeof queries]: z.output<(typeof queries)[Name]> }

type Nested = { [name: string]: string | Nested }

/** `card[exp_month]=12` as members of members. */
export function nestedIn(text: string): Nested {
  const root: Nested = {}
  for (const [name, value] of new URLSearchParams(text)) {
    const path = name.replaceAll(']', '').split('[')
    let at = root
    for (const part of path.slice(0, -1)) {
      at[part] ??= {}
      at = at[part] as Nested
    }
    at[path.at(-1)!] = value
  }
  return root
}

const headers = new Set([
  ...['authorization', 'accept', 'content-type', 'content-length', 'idempotency-key'],
  ...['stripe-version', 'host', 'connection', 'user-agent', 'transfer-encoding'],
  // What the vendor's own library adds.
  ...['x-stripe-client-user-agent', 'x-stripe-client-telemetry', 'accept-encoding'],
])

/** The first header that nobody asked for; null where all are known. */
export function strangeHeader(names: string[]): string | null {
  return names.find((name) => !headers.has(name)) ?? null
}
