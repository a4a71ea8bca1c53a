// What Adyen takes, member by member: whatever is not here is refused, so that a wrong spelling is seen at once. The vendor's own
// types judge what is here.

import type { AdditionalData3DSecure } from '@adyen/api-library/lib/src/typings/checkout/additionalData3DSecure.js'
import type { AdditionalDataCommon } from '@adyen/api-library/lib/src/typings/checkout/additionalDataCommon.js'
import type { CardDetails } from '@adyen/api-library/lib/src/typings/checkout/cardDetails.js'
import type { PaymentCancelRequest } from '@adyen/api-library/lib/src/typings/checkout/paymentCancelRequest.js'
import type { PaymentCaptureRequest } from '@adyen/api-library/lib/src/typings/checkout/paymentCaptureRequest.js'
import type { PaymentMethodsRequest } from '@adyen/api-library/lib/src/typings/checkout/paymentMethodsRequest.js'
import type { PaymentRefundRequest } from '@adyen/api-library/lib/src/typings/checkout/paymentRefundRequest.js'
import type { PaymentRequest } from '@adyen/api-library/lib/src/typings/checkout/paymentRequest.js'
import type { PaymentReversalRequest } from '@adyen/api-library/lib/src/typings/checkout/paymentReversalRequest.js'
import type { StandalonePaymentCancelRequest } from '@adyen/api-library/lib/src/typings/checkout/standalonePaymentCancelRequest.js'
import { z } from 'zod'

/** Their typings are classes with enums; this makes plain JSON of them, still exact in values. */
type Plain<T> = T extends Date
  ? string
  : T extends string
    ? `${T}`
    : T extends (infer U)[]
      ? Plain<U>[]
      : T extends object
        ? { [K in keyof T]: Plain<T[K]> }
        : T

type TheirPayment = Plain<Omit<PaymentRequest, 'paymentMethod' | 'additionalData'>> & {
  paymentMethod: Plain<CardDetails>
  additionalData?: Plain<AdditionalData3DSecure & AdditionalDataCommon> & { manualCapture?: string }
}

const reference = z.string().min(1).max(80)
const merchantAccount = z.string().min(1)
const amount = z.strictObject({
  currency: z.string().regex(/^[A-Z]{3}$/),
  value: z.int().min(1),
})

const card = z.strictObject({
  type: z.literal('scheme'),
  number: z.string().regex(/^\d{13,19}$/),
  expiryMonth: z.string().regex(/^(0[1-9]|1[0-2])$/),
  expiryYear: z.string().regex(/^20\d\d$/),
  cvc: z
    .string()
    .regex(/^\d{3,4}$/)
    .optional(),
  holderName: z.string().min(1).max(255).optional(),
})

const mpi = z.strictObject({
  cavv: z.string().regex(/^[A-Za-z0-9+/]{27}=$/),
  eci: z
    .string()
    .regex(/^0[0-7]$/)
    .optional(),
  dsTransID: z.uuid().optional(),
  threeDSVersion: z.string().regex(/^2\.\d\.\d$/),
  directoryResponse: z.enum(['A', 'C', 'D', 'I', 'N', 'R', 'U', 'Y']),
  authenticationResponse: z.enum(['Y', 'N', 'U', 'A']).optional(),
})

const payment = z
  .strictObject({
    merchantAccount,
    amount,
    reference,
    returnUrl: z.url(),
    paymentMethod: card,
    shopperInteraction: z.literal('Ecommerce'),
    captureDelayHours: z.literal(0).optional(),
    additionalData: z.strictObject({
      executeThreeD: z.literal('false'),
      manualCapture: z.literal('true').optional(),
    }),
    mpiData: mpi.optional(),
    shopperStatement: z.string().min(1).max(22).optional(),
    metadata: z.record(z.string().max(20), z.string().max(80)).refine((pairs) => Object.keys(pairs).length <= 20),
  })
  // Exactly one of them says when it is captured.
  .refine((it) => (it.captureDelayHours === 0) !== (it.additionalData.manualCapture === 'true'))
  // A challenge's end comes with a challenge alone.
  .refine(({ mpiData: it }) => it?.directoryResponse === 'C' || !it?.authenticationResponse)

const bare = z.strictObject({ merchantAccount, reference })
const with_amount = z.strictObject({ merchantAccount, reference, amount })
const cancel = z.strictObject({ merchantAccount, paymentReference: reference, reference })
const methods = z.strictObject({ merchantAccount })

/** By the last part of the path. */
export const bodies = {
  payments: payment satisfies z.ZodType<TheirPayment>,
  captures: with_amount satisfies z.ZodType<Plain<PaymentCaptureRequest>>,
  refunds: with_amount satisfies z.ZodType<Plain<PaymentRefundRequest>>,
  cancels: bare satisfies z.ZodType<Plain<PaymentCancelRequest>>,
  reversals: bare satisfies z.ZodType<Plain<PaymentReversalRequest>>,
  standalone: cancel satisfies z.ZodType<Plain<StandalonePaymentCancelRequest>>,
  paymentMethods: methods satisfies z.ZodType<Plain<PaymentMethodsRequest>>,
}

export type PaymentBody = z.infer<typeof payment>
export type CancelBody = z.infer<typeof cancel>
export type SettlePath = 'captures' | 'cancels' | 'reversals' | 'refunds'
export type SettleBody = z.infer<typeof bare> & { amount?: z.infer<typeof amount> }

const headers = new Set([
  ...['x-api-key', 'accept', 'content-type', 'content-length', 'idempotency-key'],
  ...['host', 'connection', 'user-agent', 'transfer-encoding'],
])

/** The first header that nobody asked for; null where all are known. */
export function strangeHeader(names: string[]): string | null {
  return names.find((name) => !headers.has(name)) ?? null
}
