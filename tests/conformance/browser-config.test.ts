// What a checkout is set up from: configuration and methods of a publishable key, and of a hosted page's handle.

import { describe, expect, test } from 'vitest'
import type { Integration } from '../../src/merchants/integration.ts'
import { changeMerchant, createIntegration, withdrawKey, withdrawPublishableKey } from '../../src/merchants/manage.ts'
import { type Answer, bytes, refusal } from '../support/client.ts'
import { type Account, type AccountOptions, newKey, until } from '../support/service.ts'
import { useService } from '../support/use-service.ts'

const service = await useService()
const { client } = service

const get = (path: string, headers: Record<string, string> = {}) => client.send('GET', path, { headers })
const config = (key: string | null, query = '') => get(`/v1/checkout/config/${key}${query}`)
const methods = (key: string | null, query = '') => get(`/v1/checkout/methods/${key}${query}`)
const hosted = (handle: string) => get(`/v1/checkout/handles/${handle}`)

let handles = 0
/** Adds an integration to an account; a hosted-page one gets a handle of its own. */
async function add({ merchant_id }: Account, asked: Partial<Integration> & { name: string }) {
  const rules = { ...(asked.is_hosted_page && { handle: `page-${handles++}` }), ...asked }
  const { integration } = await createIntegration(service.operator, merchant_id, rules, {
    take: ['is_default', 'is_hosted_page'],
  })
  return integration
}
const page = { name: 'page', is_hosted_page: true }

const price_list = [
  { sku: 'tea', name: 'Tea', unit_amount: 850, currency: 'GBP' },
  {
    sku: 'pot',
    name: 'Pot',
    unit_amount: 4200,
    currency: 'GBP',
    tax_rate: 2000,
    image_url: 'https://shop.example/pot.webp',
  },
]
const links = {
  terms_url: 'https://shop.example/terms',
  support_url: 'http://localhost:3000/help',
  back_url: 'https://shop.example/',
}
const cards = [{ type: 'card', brands: ['visa', 'mastercard', 'amex'] }]

describe('bodies', () => {
  test('of the default integration, with nothing set', async () => {
    const { publishable_key } = service.account
    const { status, body, text } = await config(publishable_key)
    const expected = {
      public_key: publishable_key,
      mode: 'test',
      merchant: { name: 'Tea & Sons' },
      integration: { name: 'default' },
      methods: cards,
      pricing: { amount: null, currency: null, require_verified_amount: false, price_list: null },
      customer_email_required: true,
      confirmation_url: null,
      three_ds: { versions: ['2.1.0', '2.2.0'] },
      card_fields_url: `${service.base_url}/card-fields/${publishable_key}`,
      pay_url: null,
      appearance: null,
      links: { terms_url: null, support_url: null, back_url: null },
      receipts_sent: false,
    }
    expect([status, body]).toEqual([200, expected])
    expect(text).toBe(JSON.stringify(expected))
  })

  test('of an integration by its name, with everything set', async () => {
    const account = await service.newAccount()
    const { handle } = await add(account, page)
    await add(account, {
      name: 'Market stall & co',
      default_amount: 900,
      default_currency: 'GBP',
      price_list,
      require_verified_amount: true,
      confirmation_url: 'https://shop.example/done',
      appearance: { accent: '#123456' },
      ...links,
    })
    const { body } = await config(account.publishable_key, '?integration=Market%20stall%20%26%20co')
    expect(body).toEqual({
      ...(await config(account.publishable_key)).body,
      integration: { name: 'Market stall & co' },
      pricing: {
        amount: 900,
        currency: 'GBP',
        require_verified_amount: true,
        price_list: [{ ...price_list[0], tax_rate: null, image_url: null }, price_list[1]],
      },
      confirmation_url: 'https://shop.example/done',
      card_fields_url: `${service.base_url}/card-fields/${account.publishable_key}?integration=Market%20stall%20%26%20co`,
      pay_url: `${service.base_url}/pay/${handle}`,
      appearance: { accent: '#123456' },
      links,
    })
  })

  test('of a hosted page: that of its integration', async () => {
    const account = await service.newAccount()
    const { handle } = await add(account, { ...page, price_list })
    const answer = await hosted(handle!)
    expect(answer.body.pay_url).toBe(`${service.base_url}/pay/${handle}`)
    expect(answer.text).toBe((await config(account.publishable_key, '?integration=page')).text)
  })

  test('of the methods', async () => {
    const { publishable_key } = service.account
    expect((await methods(publishable_key)).body).toEqual({ methods: cards })
    expect((await methods(publishable_key, '?integration=default')).status).toBe(200)
  })

  test('an unknown query parameter changes nothing', async () => {
    const { publishable_key } = service.account
    expect((await config(publishable_key, '?_=1')).text).toBe((await config(publishable_key)).text)
  })
})

describe('caching', () => {
  const reads = async (): Promise<string[]> => {
    const account = await service.newAccount()
    const { handle } = await add(account, page)
    const { publishable_key } = account
    return [`config/${publishable_key}`, `methods/${publishable_key}`, `handles/${handle}`]
  }

  test('five minutes, a strong tag, and 304 for the client that has it', async () => {
    for (const name of await reads()) {
      const path = `/v1/checkout/${name}`
      const { headers } = await get(path)
      const tag = headers.get('etag')!
      expect(tag).toMatch(/^"[\w-]{43}"$/)
      expect(headers.get('cache-control')).toBe('public, max-age=300')
      expect(headers.get('vary')).toBe('Origin')
      const again = await get(path, { 'if-none-match': tag })
      expect([again.status, again.text]).toEqual([304, ''])
      expect(again.headers.get('etag')).toBe(tag)
      expect(again.headers.get('cache-control')).toBe('public, max-age=300')
      expect(again.headers.get('vary')).toBe('Origin')
      expect(again.headers.get('rip-request-id')).toMatch(/^req_[0-9a-f]{24}$/)
    }
  })

  test.each<[string, (tag: string) => string, number]>([
    ['a list', (tag) => `"a,b", ${tag} , "c"`, 304],
    ['a weakened tag', (tag) => `W/${tag}`, 304],
    ['anything', () => ' * ', 304],
    ['another tag', () => '"x"', 200],
    ['no quotes', (tag) => tag.slice(1, -1), 200],
    ['a tag that contains it', (tag) => `"x${tag.slice(1)}`, 200],
    ['nothing', () => '', 200],
  ])('If-None-Match with %s', async (_, sent, status) => {
    const path = `/v1/checkout/config/${service.account.publishable_key}`
    const tag = (await get(path)).headers.get('etag')!
    expect((await get(path, { 'if-none-match': sent(tag) })).status).toBe(status)
  })

  test('a changed setting has another tag', async () => {
    const account = await service.newAccount()
    const path = `/v1/checkout/config/${account.publishable_key}`
    const before = (await get(path)).headers.get('etag')!
    await changeMerchant(service.operator, account.merchant_id, { name: 'Pots & Sons' })
    const after = await until(
      () => get(path, { 'if-none-match': before }),
      ({ status }) => status === 200,
    )
    expect(after.body.merchant.name).toBe('Pots & Sons')
  })

  test('refusals are not kept, even by a client that claims to have them', async () => {
    const answers = [await config('x'), await hosted('nobody')]
    for (const { headers } of answers) {
      expect(headers.get('cache-control')).toBe('no-store')
      expect(headers.get('etag')).toBeNull()
    }
    const claimed = await get('/v1/checkout/handles/nobody', { 'if-none-match': '*' })
    expect(refusal(claimed)).toBe('404 handle_not_found')
  })

  test('the description shows the query, the condition and 304', async () => {
    const { paths } = (await get('/openapi.json')).body
    const described = paths['/v1/checkout/config/{public_key}'].get
    const names = described.parameters.map((each: { in: string; name: string }) => [each.in, each.name])
    expect(names).toEqual([
      ['path', 'public_key'],
      ['query', 'integration'],
      ['header', 'If-None-Match'],
    ])
    expect(described.responses).toHaveProperty('304')
    expect(Object.keys(described.responses['200'].headers)).toEqual(['Rip-Request-Id', 'ETag', 'Cache-Control'])
  })
})

describe('what cannot be used', () => {
  const unknown = `rip_pk_${'0'.repeat(48)}`

  test('is the same 404, byte for byte', async () => {
    const suspended = await service.newAccount()
    await changeMerchant(service.operator, suspended.merchant_id, { status: 'suspended' })
    const revoked = await service.newAccount()
    await withdrawPublishableKey(service.operator, revoked.publishable_key!)
    const bare = await service.newAccount({ integration: null })
    const named = await service.newAccount({ integration: { is_default: false, name: 'web' } })
    const { publishable_key: good, secret_key } = service.account
    const rows: [string | null, string?][] = [
      [unknown],
      [revoked.publishable_key],
      [suspended.publishable_key],
      [bare.publishable_key],
      [named.publishable_key],
      ['x'],
      [secret_key],
      [good!.toUpperCase()],
      [`${good}0`],
      [`${good}%20`],
      ['%27%22%00%F0%9F%8D%B5'],
      ['__proto__'],
      [good, '?integration=nobody'],
      [good, '?integration=Default'],
      [good, '?integration='],
      [good, '?integration=default&integration=default'],
      [good, '?integration=__proto__'],
    ]
    const answers: Answer[] = []
    for (const row of rows) answers.push(await config(...row), await methods(...row))
    expect(new Set(answers.map(bytes)).size).toBe(1)
    expect(refusal(answers[0]!)).toBe('404 resource_not_found')
    expect(answers[0]!.body.message).toMatch(/publishable key/)
    expect((await config(named.publishable_key, '?integration=web')).status).toBe(200)
  })

  test('a revocation is seen', async () => {
    const { publishable_key } = await service.newAccount()
    expect((await config(publishable_key)).status).toBe(200)
    await withdrawPublishableKey(service.operator, publishable_key!)
    const answer = await until(
      () => config(publishable_key),
      ({ status }) => status !== 200,
    )
    expect(refusal(answer)).toBe('404 resource_not_found')
  })

  test('a handle that is unknown, or of no hosted page any more', async () => {
    const account = await service.newAccount()
    const before = await add(account, page)
    const now = await add(account, { ...page, name: 'new page' })
    const unused = await add(account, { name: 'unused', handle: 'unused' })
    for (const handle of [before.handle!, unused.handle!, 'nobody', now.handle!.toUpperCase(), 'x']) {
      expect(refusal(await hosted(handle))).toBe('404 handle_not_found')
    }
    for (const handle of [`${now.handle}%20`, `%20${now.handle}`, '%00', `${now.handle}é`]) {
      expect(refusal(await hosted(handle))).toBe('404 handle_not_found')
    }
    expect((await hosted(now.handle!)).body.integration.name).toBe('new page')
  })

  test('a handle whose merchant has no publishable key any more', async () => {
    const account = await service.newAccount()
    const { handle } = await add(account, page)
    expect((await hosted(handle!)).body.public_key).toBe(account.publishable_key)
    await withdrawPublishableKey(service.operator, account.publishable_key!)
    await until(
      () => hosted(handle!),
      ({ status }) => status === 404,
    )
    const { key } = await newKey(service.operator, account.merchant_id)
    expect((await hosted(handle!)).body.public_key).toBe(key.publishable_key)
  })

  test('a handle of a suspended merchant', async () => {
    const account = await service.newAccount()
    const { handle } = await add(account, page)
    await changeMerchant(service.operator, account.merchant_id, { status: 'suspended' })
    const answer = await until(
      () => hosted(handle!),
      ({ status }) => status !== 200,
    )
    expect(refusal(answer)).toBe('403 merchant_not_active')
  })
})

describe('mode', () => {
  const live = { live: true, live_enabled: true }
  // No Directory Server is configured here, so that what would be live says so.
  const is_live = '503 three_ds_provider_unavailable'
  test.each<[string, AccountOptions, string]>([
    ['a live account', { merchant: live }, is_live],
    ['the account is not live', { merchant: { ...live, live: false } }, 'test'],
    ['the toggle is off', { merchant: { ...live, live_enabled: false } }, 'test'],
    ['the integration is for tests', { merchant: live, integration: { mode_setting: 'test' } }, 'test'],
    ['its one secret key is for tests', { merchant: live, key: { mode: 'test_only' } }, 'test'],
    ['its one secret key is for live', { merchant: live, key: { mode: 'live_only' } }, is_live],
    ['it has no secret key', { merchant: live, key: { pair: false } }, is_live],
  ])('%s', async (_, asked, expected) => {
    const account = await service.newAccount(asked)
    const { handle } = await add(account, {
      ...page,
      mode_setting: asked.integration?.mode_setting ?? 'auto',
    })
    const key = account.publishable_key ?? (await newestKey(account))
    for (const answer of [await config(key), await hosted(handle!)]) {
      expect(answer.body.mode ?? refusal(answer)).toBe(expected)
      if (expected === is_live) expect(answer.headers.get('retry-after')).toBe('2')
    }
    expect((await methods(key)).status).toBe(200)
  })

  async function newestKey({ merchant_id }: Account): Promise<string> {
    const [row] = await service.sql`select publishable_key from publishable_keys
      where merchant_id = ${merchant_id}`
    return row!.publishable_key
  }

  test('a publishable key is for tests while all its secret keys are', async () => {
    const account = await service.newAccount({ merchant: live, key: { mode: 'test_only' } })
    const { publishable_key, merchant_id } = account
    const modeNow = async () => {
      const answer = await config(publishable_key)
      return answer.body.mode ?? refusal(answer)
    }
    expect(await modeNow()).toBe('test')
    const second = await newKey(service.operator, merchant_id, { mode: 'any' })
    await until(modeNow, (mode) => mode === is_live)
    await withdrawKey(service.operator, second.key.key_id)
    await until(modeNow, (mode) => mode === 'test')
    await newKey(service.operator, merchant_id, { mode: 'live_only' })
    await until(modeNow, (mode) => mode === is_live)
  })
})
