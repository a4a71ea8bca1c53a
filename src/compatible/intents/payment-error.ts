// Translates a decline from our terms to the last payment error in the other platform's terms: by its library 23.1.0,
// and by docs.stripe.com/declines/codes of 2026-11.

import { z } from 'zod'
import type { Session } from '../../payments/session.ts'

export const paymentError = z.object({
  type: z.enum(['card_error', 'api_error']).meta({ description: 'api_error where the provider failed' }),
  code: z.string(),
  decline_code: z.string().optional(),
  message: z.string(),
})
type PaymentError = z.infer<typeof paymentError>

// Declines with a code of their own on the other platform. All others have the code `card_declined`.
const codes = new Map<string, string>(
  Object.entries({
    authentication_failed: 'payment_intent_authentication_failure',
    authentication_canceled: 'payment_intent_authentication_failure',
    authentication_timeout: 'payment_intent_authentication_failure',
    authentication_unavailable: 'payment_intent_authentication_failure',
    authentication_rejected: 'payment_intent_authentication_failure',
    expired_card: 'expired_card',
    incorrect_cvc: 'incorrect_cvc',
    processing_error: 'processing_error',
  }),
)

// Decline codes that the other platform spells differently.
const declineCodes = new Map<string, string>(
  Object.entries({
    card_declined: 'generic_decline',
    suspected_fraud: 'fraudulent',
    blocked: 'fraudulent',
    issuer_unavailable: 'issuer_not_available',
  }),
)

export function paymentErrorOf(decline: NonNullable<Session['last_decline']>): PaymentError {
  const message = decline.reason ?? 'The payment was not successful.'
  if (decline.category === 'provider_error') {
    return { type: 'api_error', code: 'processing_error', message }
  }
  const code = codes.get(decline.code)
  if (code !== undefined) return { type: 'card_error', code, message }
  const decline_code = declineCodes.get(decline.code) ?? decline.code
  return { type: 'card_error', code: 'card_declined', decline_code, message }
}
