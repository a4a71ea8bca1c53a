import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { Ripper } from './ripper.ts'
import { validateId } from './settings.ts'

const key = `rip_sk_${'0'.repeat(48)}`
const base_url = 'https://pay.example'
const send = async () => new Response('{}')

function made(secretKey: unknown, options: unknown): Ripper {
  return new Ripper(secretKey as string, options as { base_url: string })
}

describe('a client is not made with', () => {
  test.each<[string, unknown, unknown, RegExp]>([
    ['no key', undefined, { base_url }, /environment variable/],
    ['an empty key', '', { base_url }, /environment variable/],
    ['a publishable key', `rip_pk_${'0'.repeat(48)}`, { base_url }, /publishable/],
    ['a signing secret', 'rip_whsec_0', { base_url }, /signing secret/],
    ['another system’s key', 'sk_test_123', { base_url }, /must be rip_sk_ followed/],
    ['a line break after it', `${key}\n`, { base_url }, /white space/],
    ['a line break in it', `${key}\nx`, { base_url }, /must be rip_sk_ followed/],
    ['no options', key, undefined, /base_url is required/],
    ['no address', key, {}, /base_url is required/],
    ['half an address', key, { base_url: 'pay.example' }, /absolute/],
    ['another protocol', key, { base_url: 'ftp://pay.example' }, /http or https/],
    ['a password', key, { base_url: 'https://me:hush@pay.example' }, /user information/],
    ['a query', key, { base_url: 'https://pay.example/?a=1' }, /query/],
    ['the version', key, { base_url: 'https://pay.example/v1/' }, /v1/],
    ['no time', key, { base_url, timeout_ms: 0 }, /timeout_ms/],
    ['a text for a time', key, { base_url, timeout_ms: '5' }, /timeout_ms/],
    ['more time than timers have', key, { base_url, timeout_ms: 2 ** 31 }, /timeout_ms/],
    ['half a retry', key, { base_url, retries_max: 0.5 }, /retries_max/],
    ['null for options', key, null, /base_url is required/],
    ['an option spelled otherwise', key, { baseUrl: base_url }, /baseUrl is not an option.*mean base_url/],
    ['an option of a call', key, { base_url, idempotency_key: 'x' }, /There are base_url, /],
    ['a fetch that is none', key, { base_url, fetch: 'x' }, /fetch must be a function/],
  ])('%s', (_, secretKey, options, words) => {
    const make = () => made(secretKey, options)
    expect(make).toThrow(expect.objectContaining({ name: 'UsageError', code: 'wrong_usage' }))
    expect(make).toThrow(words)
    for (const secret of [key, 'hush', 'sk_test_123']) expect(make).not.toThrow(secret)
  })
})

test.each([
  ['http://127.0.0.1:8080', 'http://127.0.0.1:8080/v1/payments/pay_1'],
  ['https://pay.example/', 'https://pay.example/v1/payments/pay_1'],
  ['https://shop.example/ripper/', 'https://shop.example/ripper/v1/payments/pay_1'],
])('below %s', async (address, url) => {
  const urls: unknown[] = []
  const fetch: typeof globalThis.fetch = async (sent) => {
    urls.push(sent)
    return send()
  }
  await new Ripper(key, { base_url: address, fetch }).payments.retrieve('pay_1')
  expect(urls).toEqual([url])
})

test('the key can be read out of nothing', () => {
  const ripper = new Ripper(key, { base_url })
  const shown = inspect(ripper, { depth: Infinity, showHidden: true, getters: true })
  expect(shown).toContain('escalate')
  expect(shown + JSON.stringify(ripper)).not.toContain(key)
})

describe('an id', () => {
  test.each<[Parameters<typeof validateId>[0], string]>([
    ['session', 'cs_0123456789abcdef01234567'],
    ['payment', 'pay_0123456789abcdef01234567'],
    ['endpoint', 'whep_0123456789abcdef01234567'],
    ['delivery', '0199'.repeat(8)],
  ])('of a %s', (kind, id) => {
    expect(validateId(kind, id)).toBe(id)
  })

  test.each<[string, Parameters<typeof validateId>[0], unknown, RegExp]>([
    ['a client secret', 'session', 'cs_1_secret_2', /client secret/],
    ['an object', 'session', { id: 'cs_1' }, /pass its id/],
    ['another kind', 'payment', 'cs_1', /pay_…/],
    ['a way up', 'payment', 'pay_/../x', /pay_…/],
    ['nothing', 'endpoint', undefined, /whep_…/],
    ['a line break', 'endpoint', 'whep_1\n', /whep_…/],
    ['an event id', 'delivery', 'evt:pay_1#payment.held#whep_1', /hexadecimal/],
  ])('is not %s', (_, kind, id, words) => {
    expect(() => validateId(kind, id)).toThrow(words)
    if (typeof id === 'string') expect(() => validateId(kind, id)).not.toThrow(id)
  })
})

describe('before anything is sent', () => {
  const ripper = new Ripper(key, {
    base_url,
    fetch: () => Promise.reject(new Error('it was sent')),
    retries_max: 0,
  })
  const cyclic = { amount: 1, currency: 'GBP', metadata: {} }
  cyclic.metadata = cyclic
  const create = (body: unknown, options?: unknown) => ripper.checkout.sessions.create(body as never, options as never)
  const body = { amount: 1, currency: 'GBP' }
  test.each<[string, () => Promise<unknown>, RegExp?]>([
    ['a body with a BigInt', () => create({ ...body, amount: 1n }), /BigInt/],
    ['a body that holds itself', () => create(cyclic), /contains itself/],
    ['a body that is written as nothing', () => create({ toJSON: () => undefined }), /JSON/],
    ['null for options', () => create(body, null), /options must be an object/],
    ['an option in another spelling', () => create(body, { idempotencyKey: 'x' }), /idempotency_key/],
    ['an option that is none', () => create(body, { retries: 1 }), /There are .*retries_max/],
    ['a signal that is none', () => create(body, { signal: {} }), /AbortSignal/],
    ['null for a query', () => ripper.webhooks.deliveries.list(null as never), /an object/],
    ['a text for a query', () => ripper.webhooks.deliveries.list('x' as never), /an object/],
    ['an object in a query', () => ripper.webhooks.deliveries.list({ limit: Object.create(null) }), /limit must be/],
    ['a body that is none', () => ripper.checkout.sessions.create('x' as never)],
    ['no body', () => ripper.webhooks.endpoints.create(undefined as never)],
    ['a client secret for an id', () => ripper.checkout.sessions.retrieve('cs_1_secret_1')],
    [
      'a key that no header takes',
      () => ripper.checkout.sessions.create({ amount: 1, currency: 'GBP' }, { idempotency_key: 'ä' }),
    ],
    ['an empty key', () => ripper.payments.capture('pay_1', { idempotency_key: '' })],
    ['a time that is none', () => ripper.payments.retrieve('pay_1', { timeout_ms: -1 })],
  ])('%s is refused', async (_, call, words = /./) => {
    await expect(call()).rejects.toMatchObject({
      name: 'UsageError',
      status: null,
      message: expect.stringMatching(words),
    })
  })
})
