import { expect, test } from 'vitest'
import { connectors } from './connectors.ts'
import { judgeCredentials } from './judge-credentials.ts'

const files = {
  checkout: {
    secret_key: 'sk_abc',
    signature_key: 'sig_abc',
    processing_channel_id: 'pc_abc',
    prefix: 'pl-vkuhvk4v',
  },
  stripe: { secret_key: 'sk_live_abc', webhook_secret: 'whsec_abc' },
  adyen: {
    api_key: 'AQE.abc',
    merchant_account: 'TeaCOM',
    hmac_key: '44782DEF',
    live_prefix: '1797a841fbb37ca7-Tea',
    notice_user: 'tea',
    notice_password: 'Earl-Grey',
  },
  '3dsecureio': { api_key: 'abc-def' },
  'checkout-sessions': { secret_key: 'sk_abc', signature_key: 'sig_abc' },
}

const judge = (name: string, file: unknown, mode: 'live' | 'sandbox' = 'live') =>
  judgeCredentials(connectors.find((each) => each.name === name)!, { file, mode }, async (url) =>
    url.startsWith('https:') ? null : 'must be an absolute https URL',
  )

test('there is a file for each connector', () => {
  expect(Object.keys(files)).toEqual(connectors.map(({ name }) => name))
})

test.each(Object.entries(files))('%s: a whole file is kept as it is', async (name, file) => {
  expect(await judge(name, file)).toEqual(file)
  const elsewhere = { ...file, api_url: 'https://vendor.example/v1//' }
  expect(await judge(name, elsewhere)).toEqual({ ...file, api_url: 'https://vendor.example/v1' })
})

const { checkout, stripe, adyen } = files
const sandbox = {
  checkout: { ...checkout, secret_key: 'sk_sbox_Oolong' },
  stripe: { ...stripe, secret_key: 'sk_test_Oolong' },
}

test.each([
  ['checkout', checkout, 'sandbox'],
  ['checkout', sandbox.checkout, 'live'],
  ['stripe', stripe, 'sandbox'],
  ['stripe', sandbox.stripe, 'live'],
] as const)('%s: a key of the other environment is refused, but at another address', async (name, file, mode) => {
  await expect(judge(name, file, mode)).rejects.toThrow(`the connection is of mode ${mode}.`)
  const other = mode === 'live' ? 'sandbox' : 'live'
  expect(await judge(name, file, other)).toEqual(file)
  const elsewhere = { ...file, api_url: 'https://vendor.example' }
  expect(await judge(name, elsewhere, mode)).toEqual(elsewhere)
})

test.each([
  ['checkout', checkout, 'https://tea.api.sandbox.checkout.com', 'sandbox'],
  ['checkout', sandbox.checkout, 'https://api.checkout.com', 'live'],
  ['adyen', adyen, 'https://checkout-test.adyen.com/v72', 'sandbox'],
  ['adyen', adyen, 'https://17-Tea-checkout-live.adyenpayments.com/checkout/v72', 'live'],
  // Both environments of Stripe have one address.
  ['checkout-sessions', checkout, 'https://tea.api.sandbox.checkout.com', 'sandbox'],
  ['checkout-sessions', sandbox.checkout, 'https://api.checkout.com', 'live'],
  ['3dsecureio', files['3dsecureio'], 'https://service.sandbox.3dsecure.io', 'sandbox'],
  ['3dsecureio', files['3dsecureio'], 'https://service.3dsecure.io', 'live'],
] as const)('%s: with the address %s', async (name, file, api_url, mode) => {
  const other = mode === 'live' ? 'sandbox' : 'live'
  await expect(judge(name, { ...file, api_url }, other)).rejects.toThrow('api_url leads to')
  expect(await judge(name, { ...file, api_url }, mode)).toEqual({ ...file, api_url })
})

test.each([
  ['checkout', { ...checkout, secret: 'Oolong' }, 'secret: the credentials of checkout have no'],
  ['checkout', { ...checkout, public_key: 1, other: 2 }, 'public_key, other: the credentials'],
  ['checkout', { secret_key: 'sk_Oolong' }, 'signature_key must be text.'],
  ['checkout', { ...checkout, secret_key: '' }, 'secret_key must not be empty.'],
  ['checkout', { ...checkout, secret_key: null }, 'secret_key must be text.'],
  ['checkout', { ...checkout, prefix: 'Oolong.example' }, 'prefix must be lower case letters'],
  ['stripe', { ...stripe, secret_key: 'sk_Oolong\r\nx: y' }, 'secret_key must be of ASCII'],
  ['stripe', { ...stripe, secret_key: 'sk_Oolong '.repeat(200) }, 'secret_key must not be longer'],
  ['stripe', { ...stripe, api_url: 'http://Oolong.example' }, 'api_url must be an absolute https'],
  ['stripe', { ...stripe, api_url: 'https://Oolong.example/?a=b' }, 'api_url must not have a query.'],
  ['stripe', ['sk_Oolong'], 'the credentials of stripe are a JSON object.'],
  ['stripe', null, 'the credentials of stripe are a JSON object.'],
  ['adyen', { ...adyen, hmac_key: 'Oolong' }, 'hmac_key must be hexadecimal digits.'],
  ['adyen', { ...adyen, live_prefix: 'Oolong/../x' }, 'live_prefix must be letters, digits'],
  ['adyen', { ...adyen, notice_user: undefined }, 'notice_user is required beside notice_password.'],
  ['adyen', { ...adyen, notice_password: undefined }, 'notice_password is required beside'],
])('%s: %j is refused, and nothing of it repeated', async (name, file, words) => {
  const error = await judge(name, file).catch((thrown: Error) => thrown)
  expect((error as Error).message).toContain(`Credentials: ${words}`)
  expect((error as Error).message).not.toContain('Oolong')
})
