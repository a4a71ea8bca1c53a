// The credentials of a merchant's account at Stripe, and the address of its API.

import { z } from 'zod'
import { apiUrl, secret } from '../../vendor-wire/wire.ts'

export const stripeCredentials = z.strictObject({
  /** `sk_…`, or a restricted key `rk_…`. The key itself shows whether it belongs to the sandbox. */
  secret_key: secret,
  /** The secret of the webhook endpoint: `whsec_…`. */
  webhook_secret: secret,
  api_url: apiUrl,
})

export type StripeCredentials = z.infer<typeof stripeCredentials>

/** The API's address, without a final slash. */
export function apiUrlOf({ api_url = 'https://api.stripe.com' }: StripeCredentials): string {
  return api_url.replace(/\/+$/, '')
}

export function environmentShown({ secret_key }: StripeCredentials): 'live' | 'sandbox' | null {
  const [, environment] = /^[sr]k_(test|live)_/.exec(secret_key) ?? []
  if (environment === undefined) return null
  return environment === 'test' ? 'sandbox' : 'live'
}

export function isOfSandbox({ secret_key }: StripeCredentials): boolean {
  return /^[sr]k_test_/.test(secret_key)
}
