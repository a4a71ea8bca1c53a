// Which credentials of Adyen are accepted, and which address they lead to.

import { expect, test } from 'vitest'
import { adyenCredentials, apiUrlOf } from './credentials.ts'

const least = { api_key: 'AQE-key', merchant_account: 'TeaCOM', hmac_key: 'ab'.repeat(32) }

test.each<[string, object, string | null]>([
  ['the least', {}, null],
  ['with all', { live_prefix: '1797a841fbb37ca7-TeaCo', notice_user: 'u', notice_password: 'p' }, null],
  ['an unknown member', { secret: 'x' }, 'secret'],
  ['a key with a line break', { api_key: 'a\nb' }, 'ASCII'],
  ['an HMAC key that is no hexadecimal', { hmac_key: 'xy'.repeat(32) }, 'hexadecimal'],
  ['an odd HMAC key', { hmac_key: 'a'.repeat(63) }, 'hexadecimal'],
  ['a prefix that leads elsewhere', { live_prefix: 'evil.example/' }, 'dashes'],
  ['a user without a password', { notice_user: 'u' }, 'is required beside'],
  ['a password without a user', { notice_password: 'p' }, 'is required beside'],
  ['a user with a colon', { notice_user: 'a:b', notice_password: 'p' }, 'colon'],
])('%s', (_, change, complaint) => {
  const { error } = adyenCredentials.safeParse({ ...least, ...change })
  if (complaint === null) return expect(error).toBeUndefined()
  expect(error?.message).toContain(complaint)
  expect(error?.message).not.toContain('AQE-key')
})

test.each([
  [{}, 'https://checkout-test.adyen.com/v72'],
  [{ live_prefix: '17-Tea' }, 'https://17-Tea-checkout-live.adyenpayments.com/checkout/v72'],
  [{ api_url: 'https://proxy.example/v72/' }, 'https://proxy.example/v72'],
])('%o: %s', (credentials, url) => {
  expect(apiUrlOf(credentials)).toBe(url)
})
