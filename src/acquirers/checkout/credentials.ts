// What a merchant enters for its account at Checkout.com, and where that account's API is.

import { z } from 'zod'

/** Goes into a header: nothing but visible ASCII. */
const token = z.string().regex(/^[\x21-\x7e]{1,255}$/, 'must be visible ASCII characters')

export const checkoutCredentials = z.strictObject({
  secret_key: token,
  /** Of the workflow's webhook action. */
  signature_key: z.string().min(1).max(255),
  processing_channel_id: token.optional(),
  /** The account's own part of the address. */
  prefix: z
    .string()
    .regex(/^(pl-)?[a-z0-9]+$/, 'must be lower-case letters and digits, after pl- or not')
    .optional(),
  api_url: z.url({ protocol: /^https?$/, error: 'must be a URL' }).optional(),
})

export type CheckoutCredentials = z.infer<typeof checkoutCredentials>

/** Without a slash at its end. A key says whether it is one of the sandbox. */
export function apiUrlOf({ secret_key, prefix, api_url }: CheckoutCredentials): string {
  if (api_url !== undefined) return api_url.replace(/\/+$/, '')
  const host = secret_key.startsWith('sk_sbox_') ? 'api.sandbox.checkout.com' : 'api.checkout.com'
  return `https://${prefix === undefined ? '' : `${prefix}.`}${host}`
}
