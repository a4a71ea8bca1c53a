// The credentials of a merchant's account at Checkout.com, and the address of its API.

import { z } from 'zod'
import { apiUrl, secret } from '../../vendor-wire/wire.ts'
import type { AnswerEnvironment } from '../environment.ts'

export const checkoutCredentials = z.strictObject({
  secret_key: secret,
  /** The key of the workflow's webhook action. */
  signature_key: secret,
  processing_channel_id: secret.optional(),
  /** The account's own part of the vendor's address. */
  prefix: secret.regex(/^(pl-)?[a-z0-9]+$/, 'must be lower case letters and digits, pl- before them or not').optional(),
  api_url: apiUrl,
})

export type CheckoutCredentials = z.infer<typeof checkoutCredentials>

/** A key shows whether it belongs to the sandbox. */
export function isOfSandbox({ secret_key }: Pick<CheckoutCredentials, 'secret_key'>): boolean {
  return secret_key.startsWith('sk_sbox_')
}

/** A live key has no prefix that a made-up one could not have. */
export function environmentShown(credentials: CheckoutCredentials): 'sandbox' | null {
  return isOfSandbox(credentials) ? 'sandbox' : null
}

/** The environment behind an address of Checkout.com's own; nothing for another one. */
export function environmentAt(url: string | undefined): AnswerEnvironment {
  const [, , sandbox] = /^https:\/\/([^/]+\.)?api\.(sandbox\.)?checkout\.com(\/|$)/.exec(url ?? '') ?? ['', '', null]
  return sandbox === null ? {} : { environment: sandbox === undefined ? 'live' : 'sandbox' }
}

/** The API's address, without a final slash. */
export function apiUrlOf({ secret_key, prefix, api_url }: CheckoutCredentials): string {
  if (api_url !== undefined) return api_url.replace(/\/+$/, '')
  const host = isOfSandbox({ secret_key }) ? 'api.sandbox.checkout.com' : 'api.checkout.com'
  return `https://${prefix === undefined ? '' : `${prefix}.`}${host}`
}
