// What Checkout.com takes, member by member: whatever is not here is refused, so that a wrong spelling is seen at once.

import { z } from 'zod'

const reference = z.string().min(1).max(80)
const amount = z.int().min(1).max(999_999_999)
const currency = z.string().regex(/^[A-Z]{3}$/)
const metadata = z.record(z.string().max(100), z.string().max(255)).refine((fields) => Object.keys(fields).length <= 20)

const card = z.strictObject({
  type: z.literal('card'),
  number: z.string().regex(/^\d{13,19}$/),
  expiry_month: z.int().min(1).max(12),
  expiry_year: z.int().min(2000).max(2100),
  cvv: z
    .string()
    .regex(/^\d{3,4}$/)
    .optional(),
  name: z.string().min(1).max(255).optional(),
})

const threeDs = z.union([
  z.strictObject({ enabled: z.literal(false) }),
  z.strictObject({
    enabled: z.literal(true),
    eci: z.string().regex(/^0[0-7]$/),
    cryptogram: z.string().regex(/^[A-Za-z0-9+/]{27}=$/),
    xid: z.string().min(1).max(50).optional(),
    version: z.enum(['1.0.0', '2.1.0', '2.2.0', '2.3.0', '2.3.1']),
    status: z.enum(['Y', 'N', 'U', 'A', 'C', 'D', 'R', 'I']),
  }),
])

const payment = z
  .strictObject({
    source: card,
    amount,
    currency,
    capture: z.boolean().optional(),
    payment_type: z.literal('Regular').optional(),
    merchant_initiated: z.boolean().optional(),
    reference,
    '3ds': threeDs.optional(),
    billing_descriptor: z.strictObject({ name: z.string().min(1).max(25), city: z.string().min(1).max(13) }).optional(),
    metadata: metadata.optional(),
    processing_channel_id: z
      .string()
      .regex(/^pc_[a-z0-9]{26}$/)
      .optional(),
  })
  // American Express cuts what is longer.
  .refine((body) => !/^3[47]/.test(body.source.number) || body.reference.length <= 30)

const capture = z.strictObject({
  amount: amount.optional(),
  capture_type: z.enum(['Final', 'NonFinal']).optional(),
  reference: reference.optional(),
})

const bare = z.strictObject({ reference: reference.optional() })
const refund = z.strictObject({ amount: amount.optional(), reference: reference.optional() })

const search = z.strictObject({
  query: z.string().max(1024).optional(),
  limit: z.int().min(1).max(1000).optional(),
  from: z.iso.datetime().optional(),
  to: z.iso.datetime().optional(),
})

export const bodies = { payment, captures: capture, voids: bare, reversals: bare, refunds: refund }
export const searchBody = search

export const listQuery = z.strictObject({
  reference,
  limit: z
    .string()
    .regex(/^([1-9]\d?|100)$/)
    .optional(),
  skip: z.string().regex(/^\d+$/).optional(),
})

export type PaymentBody = z.infer<typeof payment>
export type SearchBody = z.infer<typeof search>
export type SettlePath = Exclude<keyof typeof bodies, 'payment'>
export type SettleBody = z.infer<typeof capture>

const headers = new Set([
  ...['authorization', 'accept', 'content-type', 'content-length', 'cko-idempotency-key'],
  ...['host', 'connection', 'user-agent', 'transfer-encoding'],
  // What the vendor's own library adds.
  ...['cache-control', 'pragma', 'accept-encoding', 'accept-language', 'sec-fetch-mode'],
])

/** The first header that nobody asked for; null where all are known. */
export function strangeHeader(names: string[]): string | null {
  return names.find((name) => !headers.has(name)) ?? null
}
