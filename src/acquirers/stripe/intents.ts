// PaymentIntents, refunds and errors of Stripe: only the members that we rely on, validated before they are read.

import { z } from 'zod'
import { expiryOf } from '../answers.ts'
import type { AnswerEnvironment } from '../environment.ts'
import type { WireAnswer } from '../wire.ts'

const text = z.string().nullish().default(null)
const count = z.int().nonnegative()
const metadata = z.record(z.string(), z.unknown()).nullish().default(null)

/** The issuer's and the network's advice. If it is malformed, the decline stays readable. */
const advice = text.catch(null)
const reason = { code: text, decline_code: text, message: text, advice_code: advice, network_advice_code: advice }

const error = z.object({
  type: z.string(),
  ...reason,
  payment_intent: z.object({ id: z.string(), status: z.string() }).nullish().default(null),
})

const intent = z.object({
  id: z.string().regex(/^pi_\w{1,250}$/),
  status: z.string(),
  amount: count,
  currency: z.string(),
  amount_capturable: count.nullish().default(null),
  amount_received: count.nullish().default(null),
  capture_method: text,
  cancellation_reason: text,
  created: count,
  livemode: z.boolean().nullish().catch(null),
  metadata,
  last_payment_error: z.object(reason).nullish().default(null),
  /** An object only if the request asked to expand it. */
  latest_charge: z
    .union([
      z.string(),
      z.object({
        refunded: z.boolean().nullish().default(null),
        amount_refunded: count.nullish().default(null),
        /** If they are malformed, the intent stays readable. */
        payment_method_details: z
          .object({
            card: z
              .object({
                three_d_secure: z.object({ result: text }).nullish(),
                /** In seconds. */
                capture_before: count.nullish().catch(null),
              })
              .nullish(),
          })
          .nullish()
          .catch(null),
      }),
    ])
    .nullish()
    .default(null),
})

const refund = z.object({
  id: z.string().regex(/^\w{1,255}$/),
  status: text,
  amount: count,
  currency: z.string(),
  metadata,
  failure_reason: text,
})

const page = z.object({ data: z.array(z.unknown()), has_more: z.boolean() })

export type TheirError = z.infer<typeof error>
/** Why a card was declined. */
export type TheirReason = Pick<TheirError, 'code' | 'decline_code' | 'message'> &
  Partial<Pick<TheirError, 'advice_code' | 'network_advice_code'>>
export type TheirIntent = z.infer<typeof intent>
export type TheirRefund = z.infer<typeof refund>

export function intentIn(json: unknown): TheirIntent | null {
  return intent.safeParse(json).data ?? null
}

export function refundIn(json: unknown): TheirRefund | null {
  return refund.safeParse(json).data ?? null
}

export function pageIn(json: unknown): z.infer<typeof page> | null {
  return page.safeParse(json).data ?? null
}

/** Null if the body is no error of Stripe's, such as a proxy's. */
export function errorIn({ json }: WireAnswer): TheirError | null {
  return error.safeParse(json?.error).data ?? null
}

/** Whether the object has our mark. */
export function isMarked({ metadata }: { metadata: Record<string, unknown> | null }, installation: string): boolean {
  return metadata?.ripper_installation === installation
}

/** Whether the intent was ever approved. A cancelled intent that names a charge was, unless it names an error as well. */
export function wasApproved({ status, latest_charge, last_payment_error }: TheirIntent): boolean {
  if (status === 'requires_capture' || status === 'succeeded') return true
  return status === 'canceled' && latest_charge !== null && last_payment_error === null
}

/** Nothing moves in the sandbox. */
export function environmentOf({ livemode }: Pick<TheirIntent, 'livemode'>): AnswerEnvironment {
  return livemode == null ? {} : { environment: livemode ? 'live' : 'sandbox' }
}

/** Whether Stripe says that the issuer is not liable: it used no 3-D Secure data, or they came to nothing. */
export function isNotShifted(intent: TheirIntent): boolean {
  const threeDs = cardOf(intent)?.three_d_secure
  if (threeDs === undefined) return false
  return threeDs === null || (threeDs.result !== null && !shifting.has(threeDs.result))
}

const shifting = new Set(['authenticated', 'attempt_acknowledged'])

/** When Stripe lets go by itself what is reserved. */
export function expiryIn(intent: TheirIntent): { expires_at?: Date } {
  const seconds = cardOf(intent)?.capture_before
  return seconds == null ? {} : expiryOf(new Date(intent.created * 1000), new Date(seconds * 1000))
}

function cardOf({ latest_charge: charge }: TheirIntent) {
  return typeof charge === 'object' ? charge?.payment_method_details?.card : null
}

/** How much of what was approved a capture of a part gave free; 0 where nothing was captured. */
export function releasedOf({ status, amount, amount_received }: Pick<TheirIntent, ReceivedMember>): number {
  return status === 'succeeded' && amount_received !== null ? Math.max(amount - amount_received, 0) : 0
}

export type ReceivedMember = 'status' | 'amount' | 'amount_received'

/**
 * The refunds of what was captured; newest first, as Stripe lists them. It lists what a capture of a part gave free as well, as the
 * first refund of all: github.com/woocommerce/woocommerce-gateway-stripe/issues/1073.
 */
export function refundsOfCapture(intent: Pick<TheirIntent, ReceivedMember>, refunds: TheirRefund[]): TheirRefund[] {
  const released_amount = releasedOf(intent)
  const first = refunds.at(-1)
  const is_release =
    released_amount > 0 && first?.amount === released_amount && first.metadata?.ripper_reference === undefined
  return is_release ? refunds.slice(0, -1) : refunds
}

/** Whether the refund was or is being carried out. */
export function isGiven({ status }: TheirRefund): boolean {
  return status === 'succeeded' || status === 'pending' || status === 'requires_action'
}
