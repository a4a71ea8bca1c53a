// The credentials of a merchant's account at Adyen, and the address of its API.

import { z } from 'zod'
import { apiUrl, secret } from '../../vendor-wire/wire.ts'
import type { AnswerEnvironment } from '../environment.ts'

export const adyenCredentials = z
  .strictObject({
    api_key: secret,
    merchant_account: secret.regex(/^[A-Za-z0-9_-]*$/, 'must be letters, digits, dashes and underscores'),
    /** The webhook's key, as the Customer Area shows it. */
    hmac_key: secret.regex(/^([0-9a-f]{2})+$/i, 'must be hexadecimal digits'),
    /** The company's own part of the live address. An account of the sandbox has none. */
    live_prefix: secret.regex(/^[a-z0-9-]+$/i, 'must be letters, digits and dashes').optional(),
    notice_user: secret.regex(/^[^:]*$/, 'must not hold a colon').optional(),
    notice_password: secret.optional(),
    api_url: apiUrl,
  })
  .superRefine(({ notice_user, notice_password }, { addIssue }) => {
    if ((notice_user === undefined) === (notice_password === undefined)) return
    const [lacking, present_field] =
      notice_user === undefined ? ['notice_user', 'notice_password'] : ['notice_password', 'notice_user']
    addIssue({ code: 'custom', path: [lacking], message: `is required beside ${present_field}` })
  })

export type AdyenCredentials = z.infer<typeof adyenCredentials>

/** An account of the sandbox has no prefix. */
export function isOfSandbox({ live_prefix }: Pick<AdyenCredentials, 'live_prefix'>): boolean {
  return live_prefix === undefined
}

/** The environment behind an address of Adyen's own; nothing for another one. */
export function environmentAt(url: string): AnswerEnvironment {
  const [, host = ''] = /^https:\/\/([^/:]+)/.exec(url) ?? []
  if (/-test\.adyen\.com$/.test(host)) return { environment: 'sandbox' }
  return /-live\.adyen(payments)?\.com$/.test(host) ? { environment: 'live' } : {}
}

const version = 'v72'

/** The API's address, with its version and without a final slash. The prefix decides whether the account is live. */
export function apiUrlOf({ live_prefix, api_url }: Pick<AdyenCredentials, 'live_prefix' | 'api_url'>): string {
  if (api_url !== undefined) return api_url.replace(/\/+$/, '')
  if (live_prefix === undefined) return `https://checkout-test.adyen.com/${version}`
  return `https://${live_prefix}-checkout-live.adyenpayments.com/checkout/${version}`
}
