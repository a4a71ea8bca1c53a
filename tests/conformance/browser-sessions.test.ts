// Sessions that a page creates: who may, what is taken, how the amount is verified, and what becomes of it.

import { beforeAll, describe, expect, test } from 'vitest'
import type { Integration } from '../../src/merchants/integration.ts'
import { newestPublishableKey, type SecretKeyRow } from '../../src/merchants/key-store.ts'
import { changeMerchant, createIntegration, withdrawKey, withdrawPublishableKey } from '../../src/merchants/manage.ts'
import { type Answer, type Json, purchase, refusal } from '../support/client.ts'
import { type Account, type AccountOptions, drivenClock, driving, newKey, shop, until } from '../support/service.ts'
import { useService } from '../support/use-service.ts'

const clock = drivenClock()
const pay = 'https://pay.example'
const kiosk = 'https://kiosk.example'
const service = await useService({ clock, pay_url: `${pay}/to` })
const { client } = service
let public_key: string

beforeAll(async () => {
  public_key = service.account.publishable_key!
  await add(service.account, { name: 'kiosk', allowed_origins: [kiosk] })
  await add(service.account, { name: 'page', ...hosted, handle: 'tea', allowed_origins: [shop] })
})

const hosted = { is_hosted_page: true, default_amount: 900, default_currency: 'GBP' }
const add = async ({ merchant_id }: Account, asked: Partial<Integration> & { name: string }) =>
  (await createIntegration(service.operator, merchant_id, asked)).integration

/** Creates from the shop's page, with more or less than a good body. */
const create = (more: object = {}, origin: string | null = shop, key?: string | null) =>
  client.createFrom(origin, { public_key, ...purchase, ...more }, { key })
const createAt = (more: object = {}, origin: string | null = pay, handle = 'tea') =>
  client.createFrom(origin, { ...purchase, ...more }, { handle })
const price_list = [
  { sku: 'tea', name: 'Tea', unit_amount: 850, currency: 'GBP', tax_rate: 2000 },
  { sku: 'cup', name: 'Cup', unit_amount: 1200, currency: 'GBP' },
]
/** Creates as a page of another merchant, whose integration is so. */
async function createAs(asked: AccountOptions, more: object = {}): Promise<[Account, Answer]> {
  const account = await service.newAccount(asked)
  return [account, await create({ public_key: account.publishable_key, ...more })]
}

describe('answers', () => {
  test('from a page: its members and no others', async () => {
    const { status, body, headers } = await create()
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.stringMatching(/^cs_[0-9a-f]{24}$/),
      client_secret: expect.stringMatching(new RegExp(`^${body.id}_secret_[0-9a-f]{64}$`)),
      status: 'requires_payment',
      mode: 'test',
      amount: 4200,
      currency: 'GBP',
      public_key,
      config_url: `/v1/checkout/config/${public_key}`,
      created_at: expect.any(String),
      expires_at: expect.any(String),
      expires_in_seconds: 1800,
      integration: 'default',
      amount_verified: false,
      amount_verification_source: 'none',
    })
    expect(headers.get('rip-idempotent-replayed')).toBe('false')
    expect((await client.readSession(body.id)).body).toMatchObject({
      integration: 'default',
      minted_by: 'client',
      amount_verified: false,
      amount_verification_source: 'none',
      amount_verification_detail: null,
      hold: null,
    })
  })

  test('from a hosted page: of its integration', async () => {
    const { status, body } = await createAt({ amount: null, currency: undefined })
    expect([status, body]).toMatchObject([
      201,
      {
        amount: 900,
        currency: 'GBP',
        integration: 'page',
        public_key,
        amount_verified: true,
        amount_verification_source: 'integration_default',
      },
    ])
    expect((await client.readSession(body.id)).body).toMatchObject({ integration: 'page' })
    expect((await createAt({}, shop)).status).toBe(201)
  })

  test('everything that may be sent', async () => {
    const sent = {
      items: [{ sku: 'tea', quantity: 1 }],
      customer: {
        email: 'ada@example.com',
        name: 'Ada',
        account_id: 'a-1',
        metadata: { a: 'b' },
        account_created: '2024-02-29T23:30:00.123456789-01:00',
      },
      metadata: { cart: '7' },
      order_reference: 'T-1',
      confirmation_url: `${kiosk}/done`,
      integration: 'kiosk',
    }
    const { status, body } = await create(sent, kiosk)
    expect([status, body.integration]).toEqual([201, 'kiosk'])
    const read = (await client.readSession(body.id)).body
    expect(read.customer).toEqual({
      ...sent.customer,
      account_created: '2024-03-01T00:30:00.1234567+00:00',
    })
    expect(read).toMatchObject({ metadata: sent.metadata, integration: 'kiosk' })
    expect((await client.state(body)).body.session.order_reference).toBe('T-1')
  })

  test('empty texts are none', async () => {
    const { body } = await create({
      customer: { email: '', name: '', account_created: '' },
      items: [{ sku: '', name: 'Tea', type: '', quantity: 1 }],
    })
    expect((await client.readSession(body.id)).body).toMatchObject({
      customer: { email: null, name: null, account_created: null },
      items: [{ sku: null, name: 'Tea', type: null }],
    })
    expect((await client.state(body)).body.session.customer_email_required).toBe(true)
  })
})

describe('the door', () => {
  // All of them with a bad body and without an idempotency key, which are told later.
  const bad = { amount: 0, colour: 'red' }
  const unknown = `rip_pk_${'0'.repeat(48)}`

  test.each<[string, object, string | null, string]>([
    ['no key', { public_key: undefined }, shop, '401 unauthorized'],
    ['a key that is no text', { public_key: { a: 1 } }, shop, '401 unauthorized'],
    ['a malformed key', { public_key: 'rip_pk_x' }, shop, '401 unauthorized'],
    ['an unknown key', { public_key: unknown }, shop, '401 unauthorized'],
    ['an unknown key and integration', { public_key: unknown, integration: 'x' }, null, '401 unauthorized'],
    ['an unknown integration', { integration: 'nobody' }, shop, '404 resource_not_found'],
    ['its name in another case', { integration: 'Kiosk' }, kiosk, '404 resource_not_found'],
    ['an integration that is no text', { integration: { toString: 1 } }, shop, '404 resource_not_found'],
    ['no origin', {}, null, '403 origin_not_allowed'],
    ['the origin of nobody', {}, 'null', '403 origin_not_allowed'],
    ['a foreign origin', {}, 'https://evil.example', '403 origin_not_allowed'],
    ['an origin that begins alike', {}, `${shop}.evil.example`, '403 origin_not_allowed'],
    ['another scheme', {}, shop.replace('https', 'http'), '403 origin_not_allowed'],
    ["another integration's origin", {}, kiosk, '403 origin_not_allowed'],
    ["this one's, for another integration", { integration: 'kiosk' }, shop, '403 origin_not_allowed'],
    ["the hosted page's", {}, pay, '403 origin_not_allowed'],
    ["the hosted page's, for its integration", { integration: 'page' }, pay, '400 idempotency_key_missing'],
    ['the default integration by null', { integration: null }, shop, '400 idempotency_key_missing'],
  ])('%s', async (_, more, origin, expected) => {
    expect(refusal(await create({ ...bad, ...more }, origin, null))).toBe(expected)
  })

  test.each([
    ['unknown', 'nobody', pay, '404 handle_not_found'],
    ['malformed', 'Tea', pay, '404 handle_not_found'],
    ['known, from nowhere', 'tea', null, '403 origin_not_allowed'],
    ['known, from elsewhere', 'tea', kiosk, '403 origin_not_allowed'],
    ['known', 'tea', pay, '400 idempotency_key_missing'],
  ])('a handle that is %s', async (_, handle, origin, expected) => {
    const answer = await client.createFrom(origin, bad, { handle, key: null })
    expect(refusal(answer)).toBe(expected)
  })

  test.each(['[]', 'null', '7', '', '{"amount":1', '{"public_key":"a","public_key":"a"}'])(
    'a body that is %s names nobody',
    async (raw) => {
      const headers = { origin: shop, 'rip-idempotency-key': 'k' }
      const answer = await client.send('POST', '/v1/checkout/public/sessions', { headers, raw })
      expect(refusal(answer)).toBe('400 invalid_request')
      expect(answer.body.message).toMatch(/body|public_key is sent twice/)
    },
  )

  test('a key that is revoked', async () => {
    const [account, { status }] = await createAs({})
    expect(status).toBe(201)
    await withdrawPublishableKey(service.operator, account.publishable_key!)
    const refused = await until(
      () => create({ public_key: account.publishable_key }),
      (answer) => answer.status !== 201,
    )
    expect(refusal(refused)).toBe('401 unauthorized')
    // A server session would carry the revoked key to a page that could not load it.
    expect(refusal(await account.client.create())).toBe('401 public_key_missing')
  })

  test('a suspended account is refused before a bad body, after the origin', async () => {
    const account = await service.newAccount()
    await add(account, { name: 'page', ...hosted, handle: 'closed' })
    await changeMerchant(service.operator, account.merchant_id, { status: 'suspended' })
    const { publishable_key } = account
    expect(refusal(await create({ public_key: publishable_key, amount: 0 }))).toBe('403 merchant_not_active')
    expect(refusal(await createAt({ amount: 0 }, pay, 'closed'))).toBe('403 merchant_not_active')
    expect(refusal(await create({ public_key: publishable_key }, kiosk))).toBe('403 origin_not_allowed')
  })
})

describe('idempotency', () => {
  test('a retry gets the first answer, and only from where the first could have come', async () => {
    const first = await create({}, shop, 'retry')
    const again = await create({}, shop, 'retry')
    expect([again.status, again.text]).toEqual([201, first.text])
    expect(again.headers.get('rip-idempotent-replayed')).toBe('true')
    expect(refusal(await create({}, kiosk, 'retry'))).toBe('403 origin_not_allowed')
    expect(refusal(await create({ amount: 1 }, shop, 'retry'))).toBe('409 idempotency_key_reused')
  })

  test('the same key at a handle is used for another route', async () => {
    await create({}, shop, 'both')
    const answer = await client.createFrom(pay, purchase, { handle: 'tea', key: 'both' })
    expect(refusal(answer)).toBe('409 idempotency_key_reused')
  })

  test('a publishable key has keys of its own: neither the server nor another page sees them', async () => {
    const server = await client.create(purchase, 'mine')
    const page = await create({}, shop, 'mine')
    const [other] = await createAs({})
    const theirs = await create({ public_key: other.publishable_key }, shop, 'mine')
    expect([server.status, page.status, theirs.status]).toEqual([201, 201, 201])
    expect(new Set([server, page, theirs].map(({ body }) => body.id)).size).toBe(3)
    const rows = await service.sql`
      select audience from idempotency_keys where key = 'mine' order by audience`
    expect(rows.map(({ audience }) => audience)).toEqual([public_key, other.publishable_key!, 'secret'].sort())
  })

  test('a merchant suspended meanwhile still gets its replay', async () => {
    const account = await service.newAccount()
    const send = () => create({ public_key: account.publishable_key }, shop, 'before')
    const first = await send()
    await changeMerchant(service.operator, account.merchant_id, { status: 'suspended' })
    await until(
      () => create({ public_key: account.publishable_key }),
      ({ status }) => status === 403,
    )
    expect((await send()).text).toBe(first.text)
  })
})

describe('bodies', () => {
  const created = (account_created: unknown) => ({ customer: { account_created } })
  test.each<[string, object]>([
    ['statement_descriptor_suffix', { statement_descriptor_suffix: 'TEA' }],
    ['minted_by', { minted_by: 'server' }],
    ['customer.phone', { customer: { phone: '1' } }],
    ['items[0].price', { items: [{ sku: 'tea', quantity: 1, price: 1 }] }],
    ['amount', { amount: 0 }],
    ['amount', { amount: null }],
    ['currency', { currency: 'XYZ' }],
    ['customer.account_created', created('2024-01-01')],
    ['customer.account_created', created('2024-01-01T00:00:00')],
    ['customer.account_created', created('2023-02-29T00:00:00Z')],
    ['customer.account_created', created(1_700_000_000)],
    ['customer.account_created', created('yesterday')],
    ['customer.account_created', created('9999-12-31T23:59:59-12:00')],
    ['confirmation_url', { confirmation_url: `${kiosk}/` }],
    ['confirmation_url', { confirmation_url: 'javascript:alert(1)' }],
  ])('refused: %s %j', async (field, more) => {
    for (const answer of [await create(more), await createAt({ currency: 'EUR', ...more })]) {
      expect(refusal(answer)).toBe('400 invalid_request')
      expect(answer.body.message.startsWith(field)).toBe(true)
    }
  })

  test.each([{ public_key: 'x' }, { integration: 'page' }])('refused at a handle: %j', async (more) => {
    const answer = await createAt(more)
    expect(refusal(answer)).toBe('400 invalid_request')
    expect(answer.body.message).toContain(Object.keys(more)[0])
  })

  test.each([
    ['order_reference', { order_reference: '4242424242424242' }, 'card_data_rejected'],
    ['customer.account_id', { customer: { account_id: '4242424242424242' } }, 'card_data_rejected'],
    ['metadata', { metadata: { a: 'x'.repeat(8192) } }, 'metadata_too_large'],
  ])('refused: %s by a code of its own', async (_, more, code) => {
    expect(refusal(await create(more))).toBe(`400 ${code}`)
  })
})

describe('the amount', () => {
  test.each<[string, Partial<Integration>, object, Json]>([
    [
      'of a price list',
      { price_list },
      { amount: undefined, currency: undefined, items: [{ sku: 'tea', quantity: 2 }] },
      {
        amount: 1700,
        currency: 'GBP',
        basket_total: 1700,
        tax_total: null,
        amount_verified: true,
        amount_verification_source: 'price_list',
        items: [{ name: null, unit_amount: 850, tax_rate: 2000, tax_amount: null }],
      },
    ],
    [
      'of the default',
      { default_amount: 500, default_currency: 'EUR' },
      { amount: undefined, currency: undefined },
      { amount: 500, currency: 'EUR', amount_verification_source: 'integration_default' },
    ],
    [
      'that does not fit the list',
      { price_list },
      {
        items: [
          { sku: 'tea', quantity: 1 },
          { sku: 'cup', quantity: 1 },
        ],
      },
      {
        amount: 4200,
        amount_verified: false,
        amount_verification_source: 'mismatch',
        amount_verification_detail: 'the amount is 4200 and the items come to 2050',
      },
    ],
  ])('%s', async (_, integration, more, expected) => {
    const [account, answer] = await createAs({ integration }, more)
    expect(answer.status, answer.text).toBe(201)
    expect((await account.client.readSession(answer.body.id)).body).toMatchObject(expected)
  })

  test('a piano at the price of tea, all of it tax, is reported and charged as tea', async () => {
    const piano = { sku: 'tea', name: 'Grand piano', tax_rate: 100_000, tax_amount: 850 }
    for (const unit_amount of [undefined, 850]) {
      const more = { amount: 850, items: [{ ...piano, quantity: 1, unit_amount }] }
      const [account, { body }] = await createAs({ integration: { price_list } }, more)
      expect(body.amount_verification_source).toBe('price_list')
      await account.client.present(body)
      const confirmed = await account.client.confirm(body, { customer: { email: 'a@b.example' } })
      expect(confirmed.body.status).toBe('captured')
      const { payment_id } = confirmed.body
      const line = { sku: 'tea', name: 'Tea', unit_amount: 850, tax_rate: 2000, tax_amount: null }
      const told = { amount: 850, items: [line], basket_total: 850, tax_total: null }
      expect((await account.client.readPayment(payment_id)).body).toMatchObject(told)
      const [event] = await service.sql<{ body: string }[]>`
        select body from events where payment_id = ${payment_id}`
      expect(JSON.parse(event!.body).data).toMatchObject(told)
    }
  })

  test.each<[string, Partial<Integration>, object, string]>([
    ['no currency', {}, { currency: undefined }, '400 currency_required'],
    ['neither', {}, { amount: undefined, currency: undefined }, '400 invalid_request'],
    ['none to check', { require_verified_amount: true }, {}, '422 amount_unverified'],
    ['a mismatch', { require_verified_amount: true, price_list }, {}, '422 amount_unverified'],
    [
      'a bad address first',
      { require_verified_amount: true },
      { confirmation_url: 'https://b.example/' },
      '400 invalid_request',
    ],
  ])('refused: %s', async (_, integration, more, expected) => {
    const [account, answer] = await createAs({ integration }, more)
    expect(refusal(answer)).toBe(expected)
    const [row] = await service.sql`
      select count(*)::int from sessions where merchant_id = ${account.merchant_id}`
    expect(row!.count).toBe(0)
  })
})

describe('what becomes of it', () => {
  test.each<[string, Partial<Integration>, string, Json]>([
    ['nothing to check against', {}, 'held', { reason: 'no_price_list', detail: null }],
    [
      'a mismatch',
      { price_list },
      'held',
      {
        reason: 'mismatch',
        detail: 'the amount came without items to check against the price list',
      },
    ],
    ['a verified one', { default_amount: 4200, default_currency: 'GBP' }, 'captured', null],
  ])('%s', async (_, integration, status, hold) => {
    const [{ client: theirs }, { body: session }] = await createAs({ integration })
    expect((await theirs.present(session)).status).toBe(200)
    const { body } = await driving(clock, theirs.confirm(session))
    expect(body.status).toBe(status)
    const read = (await theirs.readSession(session.id)).body
    expect(read).toMatchObject({
      status: 'succeeded',
      minted_by: 'client',
      integration: 'default',
      amount_verified: status === 'captured',
      amount_verification_detail: hold?.detail ?? null,
      hold: hold && { status: 'pending_review', ...hold },
    })
    expect((await theirs.readPayment(body.payment_id)).body).toMatchObject({
      status,
      amount_verified: status === 'captured',
    })
  })
})

describe('mode', () => {
  type KeyPast = `${SecretKeyRow['mode']} ${'usable' | 'revoked' | 'expired'}`
  const acquiring_profile = { acquirer: 'x', descriptor_name: 'TEA', mcc: '5499', country: 'GB' }
  const live = { live: true, live_enabled: true, acquiring_profile }
  test.each<[string, AccountOptions, string]>([
    ['live', { merchant: live }, 'live'],
    ['an integration for tests', { merchant: live, integration: { mode_setting: 'test' } }, 'test'],
    ['a key whose secret key is for tests', { merchant: live, key: { mode: 'test_only' } }, 'test'],
    ['one for live, and live', { merchant: live, key: { mode: 'live_only' } }, 'live'],
    ['one for live, and a test account', { key: { mode: 'live_only' } }, '403 key_live_only'],
    ['no profile', { merchant: { ...live, acquiring_profile: null } }, '422 acquiring_profile_incomplete'],
  ])('%s', async (_, asked, expected) => {
    const [, answer] = await createAs(asked)
    expect(answer.body.mode ?? refusal(answer)).toBe(expected)
  })

  test('a key of several minds decides nothing', async () => {
    const account = await service.newAccount({ key: { mode: 'live_only' } })
    await newKey(service.operator, account.merchant_id, { mode: 'test_only' })
    const answer = await create({ public_key: account.publishable_key })
    expect(answer.body.mode).toBe('test')
  })

  test.each<[string, KeyPast[], string]>([
    ['the only key, for tests, is revoked', ['test_only revoked'], 'test'],
    ['the only key, for tests, has expired', ['test_only expired'], 'test'],
    ['the only key, for any mode, is revoked', ['any revoked'], 'live'],
    ['the last key was for tests', ['any revoked', 'test_only revoked'], 'test'],
    ['the last key was for any mode', ['test_only revoked', 'any revoked'], 'live'],
    ['the last to expire was for tests', ['any revoked', 'test_only expired'], 'test'],
    ['a key for tests was revoked, and one is left', ['test_only revoked', 'any usable'], 'live'],
    ['a key for tests has expired, and one is left', ['test_only expired', 'any usable'], 'live'],
    ['a key for tests is all that is left', ['any revoked', 'test_only usable'], 'test'],
    ['a key for tests is all that has not expired', ['any expired', 'test_only usable'], 'test'],
    ['no secret key', [], 'live'],
  ])('%s', async (_, pasts, expected) => {
    const account = await service.newAccount({ merchant: live, key: { pair: false } })
    for (const past of pasts) {
      const [mode, end] = past.split(' ') as [SecretKeyRow['mode'], string]
      const expires_at = end === 'expired' ? new Date(clock.now().getTime() + 1000) : null
      const { key } = await newKey(service.operator, account.merchant_id, { mode, expires_at })
      await clock.advance(1000)
      if (end === 'revoked') await withdrawKey(service.operator, key.key_id)
    }
    const public_key = await newestPublishableKey(service.sql, account.merchant_id)
    expect((await create({ public_key })).body.mode).toBe(expected)
  })

  test('as a key expires, and as one is revoked', async () => {
    const expires_at = new Date(clock.now().getTime() + 60_000)
    const key = { mode: 'test_only', expires_at } as const
    const account = await service.newAccount({ merchant: live, key })
    const { key: rest } = await newKey(service.operator, account.merchant_id)
    const mode = async () => (await client.send('GET', `/v1/checkout/config/${account.publishable_key}`)).body?.mode
    const answer = await create({ public_key: account.publishable_key })
    expect(answer.body.mode).toBe('live')
    await withdrawKey(service.operator, rest.key_id)
    await until(mode, (told) => told === 'test')
    await clock.advance(90_000)
    expect(await mode()).toBe('test')
  })

  test('live creates are limited, and the refusal can be read by the page', async () => {
    const [account] = await createAs({ merchant: live })
    const send = () => create({ public_key: account.publishable_key })
    for (let count = 1; count < 20; count++) expect((await send()).status).toBe(201)
    const refused = await send()
    expect(refusal(refused)).toBe('429 rate_limit_exceeded')
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(refused.headers.get('access-control-allow-origin')).toBe(shop)
  })
})
