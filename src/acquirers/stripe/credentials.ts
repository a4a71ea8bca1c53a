// What a merchant enters for its account at Stripe, and where that API is.

import { z } from 'zod'
import { apiUrl, secret } from '../credential-fields.ts'

export const stripeCredentials = z.strictObject({
  /** `sk_…`, or a restricted key `rk_…`. It says itself whether it is one of the sandbox. */
  secret_key: secret,
  /** Of the webhook endpoint: `whsec_…`. */
  webhook_secret: secret,
  api_url: apiUrl,
})

export type StripeCredentials = z.infer<typeof stripeCredentials>

/** Without a slash at its end. */
export function apiUrlOf({ api_url = 'https://api.stripe.com' }: StripeCredentials): string {
  return api_url.replace(/\/+$/, '')
}

export function isOfSandbox({ secret_key }: StripeCredentials): boolean {
  return /^[sr]k_test_/.test(secret_key)
}
