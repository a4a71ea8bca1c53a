// Which credentials of Checkout.com are accepted, and which address they lead to.

import { expect, test } from 'vitest'
import { apiUrlOf, checkoutCredentials } from './credentials.ts'

const valid = { secret_key: 'sk_abc', signature_key: 'signed' }

test.each([
  [{}, 'https://api.checkout.com'],
  [{ prefix: 'abc123' }, 'https://abc123.api.checkout.com'],
  [{ secret_key: 'sk_sbox_abc' }, 'https://api.sandbox.checkout.com'],
  [{ secret_key: 'sk_sbox_abc', prefix: 'pl-abc' }, 'https://pl-abc.api.sandbox.checkout.com'],
  [{ prefix: 'abc', api_url: 'https://proxy.example/cko/' }, 'https://proxy.example/cko'],
  [{ api_url: 'http://127.0.0.1:4000' }, 'http://127.0.0.1:4000'],
])('%j leads to %s', (change, url) => {
  expect(apiUrlOf(checkoutCredentials.parse({ ...valid, ...change }))).toBe(url)
})

test.each([
  ['an unknown member', { secret_kee: 'x' }, 'secret_kee'],
  ['no secret key', { secret_key: undefined }, 'secret_key'],
  ['no signature key', { signature_key: undefined }, 'signature_key'],
  ['an empty one', { signature_key: '' }, 'signature_key'],
  ['a key that no header takes', { secret_key: 'sk_hidden\nvalue' }, 'secret_key'],
  ['a prefix that is a host', { prefix: 'hidden.example' }, 'prefix'],
  ['an address that is no text', { api_url: 7 }, 'api_url'],
  ['a channel that is no text', { processing_channel_id: 3 }, 'processing_channel_id'],
])('%s is refused by name', (_, change, member) => {
  const { error } = checkoutCredentials.safeParse({ ...valid, ...change })
  expect(error?.message).toContain(member)
  expect(error?.message).not.toContain('hidden')
})
