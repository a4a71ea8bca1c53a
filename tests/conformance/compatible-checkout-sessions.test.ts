// The routes of Checkout Sessions: what a create takes, as JSON and as a form, what it refuses and says instead, lines, pages, expand, and
// that all of it is as the other platform describes it.

import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { advisedNames } from '../../src/compatible/checkout-sessions/checkout-advice.ts'
import { liveMerchant } from '../support/both-modes.ts'
import { checkouts, cup, openCheckouts, order } from '../support/checkout-sessions.ts'
import { type Json, visa } from '../support/client.ts'
import { fault, formType } from '../support/compatible.ts'
import { drivenClock, newKey, shop as origin } from '../support/service.ts'
import { useService } from '../support/use-service.ts'

const clock = drivenClock()
const service = await useService({ clock })
const price_list = [
  { sku: 'tea', name: 'Breakfast tea', unit_amount: 850, currency: 'GBP', image_url: 'https://shop.example/tea.png' },
  { sku: 'tea', name: 'Frühstückstee', unit_amount: 990, currency: 'EUR' },
  { sku: 'pot', name: 'Teapot', unit_amount: 4200, currency: 'EUR' },
]
const account = await service.newAccount({
  integration: { allowed_origins: [origin], price_list, default_currency: 'GBP' },
})
const shop = openCheckouts(service, account)
const made = async (more: object = {}): Promise<Json> => {
  const { status, body, text } = await shop.create(more)
  expect(status, text).toBe(200)
  return body
}
const bracketed = (value: unknown, name = ''): [string, string][] =>
  value !== null && typeof value === 'object'
    ? Object.entries(value).flatMap(([key, each]) => bracketed(each, name ? `${name}[${key}]` : key))
    : [[name, String(value ?? '')]]
const asForm = (body: object, headers: object = {}, more = '') =>
  account.client.send('POST', checkouts, {
    raw: new URLSearchParams(bracketed(body)).toString() + more,
    headers: { ...shop.bearer, ...formType, ...headers },
  })
const seconds = () => Math.floor(clock.now().getTime() / 1000)
const data = (product_data: object = {}, more: object = {}) => ({
  price_data: { currency: 'gbp', unit_amount: 100, product_data: { name: 'Cup', ...product_data }, ...more },
  quantity: 1,
})

describe('a create', () => {
  const whole = {
    ...order,
    cancel_url: `${origin}/basket?id=7`,
    client_reference_id: 'W-1',
    metadata: { a: '1', 'b[c]': '2' },
    payment_intent_data: { metadata: { d: '3' } },
    locale: 'de',
    payment_method_types: ['card'],
    ui_mode: 'hosted',
    submit_type: 'book',
    customer_creation: 'if_required',
    automatic_tax: { enabled: false },
    invoice_creation: { enabled: false },
    allow_promotion_codes: false,
    billing_address_collection: 'auto',
    phone_number_collection: { enabled: false },
    line_items: [
      data(
        { description: 'Blue', images: ['https://shop.example/a.png'], metadata: { sku: '9' } },
        { tax_behavior: 'inclusive' },
      ),
      { price: 'tea', quantity: 2 },
    ],
    expand: ['line_items'],
  }

  test('takes the same as JSON and as a form', async () => {
    const [one, other] = [await shop.create(whole), await asForm(whole)]
    expect([one.status, other.status]).toEqual([200, 200])
    const stripped = ({ id, url, line_items, ...rest }: Json) => {
      expect(url).toContain(id)
      return {
        ...rest,
        lines: line_items.data.map(({ id: _, price, ...line }: Json) => ({
          ...line,
          price: { ...price, id: 0, product: 0 },
        })),
      }
    }
    expect(stripped(other.body)).toEqual(stripped(one.body))
    expect(one.body).toMatchObject({
      amount_total: 1800,
      currency: 'gbp',
      ui_mode: 'hosted_page',
      locale: 'de',
      metadata: { a: '1', 'b[c]': '2' },
      cancel_url: `${origin}/basket?id=7`,
      success_url: order.success_url,
    })
    const session = (await shop.open(one.body.id))!
    expect((await account.client.readSession(session.id)).body).toMatchObject({
      metadata: { d: '3' },
      items: [
        { sku: null, name: 'Cup' },
        { sku: 'tea', name: 'Breakfast tea', unit_amount: 850, quantity: 2 },
      ],
    })
  })

  test.each([
    [
      'a list has all of its goods in another currency',
      [
        { price: 'tea', quantity: 1 },
        { price: 'pot', quantity: 1 },
      ],
      'eur',
      5190,
    ],
    ['the integration’s own comes first', [{ price: 'tea', quantity: 1 }], 'gbp', 850],
    ['a line’s own decides', [{ price: 'tea', quantity: 1 }, data({}, { currency: 'EUR' })], 'eur', 1090],
    ['a hundred lines', Array.from({ length: 100 }, () => data()), 'gbp', 10_000],
    ['one that costs nothing', [data({}, { unit_amount: 0 }), cup], 'gbp', 4200],
  ] as const)('sells: %s', async (_, line_items, currency, amount_total) => {
    expect(await made({ line_items })).toMatchObject({ currency, amount_total, amount_subtotal: amount_total })
    const { status, body } = await asForm({ ...order, line_items })
    expect([status, body.amount_total]).toEqual([200, amount_total])
  })

  test.each([
    ['long ones', { client_reference_id: 'x'.repeat(200) }, null],
    ['with control characters', { client_reference_id: 'a\u0007' }, null],
    ['short ones', { client_reference_id: 'order 7' }, 'order 7'],
  ])('echoes references, %s', async (_, more, order_reference) => {
    const { id, client_reference_id } = await made(more)
    expect(client_reference_id).toBe(more.client_reference_id)
    const session = (await shop.open(id))!
    expect((await account.client.state(session)).body.session.order_reference).toBe(order_reference)
  })

  test.each([
    ['http://127.0.0.1:9/x?a=1&order_reference=2'],
    ['http://localhost'],
    [`${origin}/{CHECKOUT_SESSION_ID}/done?payment_id={CHECKOUT_SESSION_ID}`],
    [`${origin}/ö?x=[1]`],
  ])('sends shoppers to %s', async (success_url) => {
    const { id, ...body } = await made({ success_url })
    expect(body.success_url).toBe(success_url)
    const session = (await shop.open(id))!
    await account.client.present(session)
    const { confirmation_url } = (await account.client.confirm(session)).body
    expect(confirmation_url).toBe(success_url.replaceAll('{CHECKOUT_SESSION_ID}', id))
  })

  test.each([29 * 60, 30 * 60, 24 * 3600])('ends in %s seconds', async (ahead) => {
    const expires_at = seconds() + ahead
    expect((await made({ expires_at })).expires_at).toBe(expires_at)
  })

  const bad = '400 invalid_request_error'
  const rows: [string, object, string][] = [
    ['no mode', { mode: undefined }, `${bad} parameter_missing mode`],
    ['a subscription', { mode: 'subscription' }, `${bad} invalid_request mode`],
    ['no lines', { line_items: undefined }, `${bad} parameter_missing line_items`],
    ['an empty list', { line_items: [] }, `${bad} invalid_request line_items`],
    ['101 lines', { line_items: Array.from({ length: 101 }, () => cup) }, `${bad} invalid_request line_items`],
    ['lines that are none', { line_items: 'cup' }, `${bad} invalid_request line_items`],
    ['no quantity', { line_items: [{ price: 'tea' }] }, `${bad} parameter_missing line_items[0][quantity]`],
    ['no cup', { line_items: [{ ...cup, quantity: 0 }] }, `${bad} invalid_request line_items[0][quantity]`],
    ['half a cup', { line_items: [{ ...cup, quantity: 0.5 }] }, `${bad} invalid_request line_items[0][quantity]`],
    ['no price', { line_items: [cup, { quantity: 1 }] }, `${bad} invalid_request line_items[1][price_data]`],
    ['two prices', { line_items: [{ ...cup, price: 'tea' }] }, `${bad} invalid_request line_items[0][price_data]`],
    [
      'an unknown price',
      { line_items: [{ price: 'price_1', quantity: 1 }] },
      `${bad} resource_missing line_items[0][price]`,
    ],
    [
      'a price in another currency',
      { line_items: [cup, { price: 'pot', quantity: 1 }] },
      `${bad} resource_missing line_items[1][price]`,
    ],
    [
      'two currencies',
      { line_items: [cup, data({}, { currency: 'eur' })] },
      `${bad} invalid_request line_items[1][price_data][currency]`,
    ],
    [
      'no currency',
      { line_items: [data({}, { currency: undefined })] },
      `${bad} parameter_missing line_items[0][price_data][currency]`,
    ],
    [
      'no name',
      { line_items: [data({ name: undefined })] },
      `${bad} parameter_missing line_items[0][price_data][product_data][name]`,
    ],
    [
      'a negative price',
      { line_items: [data({}, { unit_amount: -1 })] },
      `${bad} invalid_request line_items[0][price_data][unit_amount]`,
    ],
    ['nothing to pay', { line_items: [data({}, { unit_amount: 0 })] }, `${bad} invalid_request line_items`],
    [
      'a line of too much',
      { line_items: [{ ...data({}, { unit_amount: 99_999_999_999 }), quantity: 2 }] },
      `${bad} invalid_request line_items[0][price_data][unit_amount]`,
    ],
    [
      'lines of too much',
      { line_items: [data({}, { unit_amount: 99_999_999_999 }), cup] },
      `${bad} invalid_request line_items[1]`,
    ],
    ['no success_url', { success_url: undefined }, `${bad} parameter_missing success_url`],
    ['another origin', { success_url: 'https://other.example/' }, `${bad} invalid_request success_url`],
    ['no address', { success_url: '/done' }, `${bad} invalid_request success_url`],
    ['a script', { cancel_url: 'javascript:alert(1)' }, `${bad} invalid_request cancel_url`],
    ['a fragment', { success_url: `${origin}/#done` }, `${bad} invalid_request success_url`],
    ['a local fragment', { success_url: 'http://localhost/#done' }, `${bad} invalid_request success_url`],
    ['a user', { cancel_url: origin.replace('://', '://u:p@') }, `${bad} invalid_request cancel_url`],
    ['another machine', { cancel_url: 'http://localhost.example/' }, `${bad} invalid_request cancel_url`],
    ['the id as host', { success_url: 'https://{CHECKOUT_SESSION_ID}.example/' }, `${bad} invalid_request success_url`],
    ['an email that is none', { customer_email: 'ada' }, `${bad} email_invalid customer_email`],
    ['a card number', { client_reference_id: visa }, `${bad} card_data_rejected client_reference_id`],
    ['a long reference', { client_reference_id: 'x'.repeat(201) }, `${bad} invalid_request client_reference_id`],
    ['numbers as metadata', { metadata: { a: 1 } }, `${bad} invalid_request metadata[a]`],
    [
      'much metadata of the payment',
      { payment_intent_data: { metadata: { a: 'x'.repeat(8200) } } },
      `${bad} metadata_too_large payment_intent_data[metadata]`,
    ],
    ['a language of no page', { locale: 'tlh' }, `${bad} invalid_request locale`],
    ['too soon', { expires_at: () => seconds() + 29 * 60 - 1 }, `${bad} invalid_request expires_at`],
    ['too late', { expires_at: () => seconds() + 24 * 3600 + 1 }, `${bad} invalid_request expires_at`],
    ['other methods', { payment_method_types: ['card', 'ideal'] }, `${bad} invalid_request payment_method_types[1]`],
    ['its elements', { ui_mode: 'elements' }, `${bad} invalid_request ui_mode`],
    ['customers', { customer_creation: 'always' }, `${bad} invalid_request customer_creation`],
    ['taxes', { automatic_tax: { enabled: true } }, `${bad} invalid_request automatic_tax[enabled]`],
    ['codes', { allow_promotion_codes: true }, `${bad} invalid_request allow_promotion_codes`],
    ['addresses', { billing_address_collection: 'required' }, `${bad} invalid_request billing_address_collection`],
    [
      'phone numbers',
      { phone_number_collection: { enabled: true } },
      `${bad} invalid_request phone_number_collection[enabled]`,
    ],
    [
      'a blank name',
      { line_items: [data({ name: ' \u00a0 ' })] },
      `${bad} invalid_request line_items[0][price_data][product_data][name]`,
    ],
    [
      'a product of the other platform in place of its name',
      { line_items: [data({}, { product_data: undefined, product: 'prod_1' })] },
      `${bad} invalid_request line_items[0][price_data][product]`,
    ],
    [
      'a price in fractions',
      { line_items: [data({}, { unit_amount: undefined, unit_amount_decimal: '1.5' })] },
      `${bad} invalid_request line_items[0][price_data][unit_amount_decimal]`,
    ],
    ['what is unknown', { colour: 'blue' }, `${bad} parameter_unknown colour`],
    [
      'what is unknown in a line',
      { line_items: [{ ...cup, colour: 1 }] },
      `${bad} parameter_unknown line_items[0][colour]`,
    ],
    ['an expansion', { expand: ['customer'] }, `${bad} parameter_unknown expand`],
  ]
  test.each(rows)('refuses %s', async (_, more, expected) => {
    const body = Object.fromEntries(
      Object.entries(more).map(([key, each]) => [key, typeof each === 'function' ? each() : each]),
    )
    const code = / (card_data_rejected|metadata_too_large) /.exec(expected)?.[1] ?? 'invalid_request'
    expect(fault(await shop.create(body))).toBe(`${expected} ${code}`)
  })

  test('takes the entries of a list without numbers, each until a member comes again', async () => {
    const line = (name: string, quantity: number) => [
      `line_items[][quantity]=${quantity}`,
      ...['currency]=gbp', 'unit_amount]=100', `product_data][name]=${name}`].map(
        (each) => `line_items[][price_data][${each}`,
      ),
      ...['a', 'b'].map((each) => `line_items[][price_data][product_data][images][]=https://shop.example/${each}.png`),
    ]
    const { line_items: _, ...rest } = order
    const { status, body, text } = await asForm(rest, {}, ['', ...line('Cup', 2), ...line('Pot', 3)].join('&'))
    expect(status, text).toBe(200)
    const { data } = (await shop.get(`${checkouts}/${body.id}/line_items`)).body
    expect(data.map(({ description, quantity }: Json) => [description, quantity])).toEqual([
      ['Cup', 2],
      ['Pot', 3],
    ])
  })

  test.each([
    ['line_items[0][price_data][unit_amount]=1', 'twice'],
    ['line_items[]=1&line_items[][quantity]=1', 'must be'],
    ['line_items=1', 'twice'],
    ['line_items[0=1', 'not a parameter'],
    ['line_items[0]x[a]=1', 'do not match'],
    [`a${'[b]'.repeat(20)}=1`, 'nests too deep'],
    ['metadata[a][b]=1', 'is an object of texts'],
    ['__proto__[x]=1', 'not a parameter'],
  ])('refuses the form %s', async (more, words) => {
    const { status, body } = await asForm(order, {}, `&${more}`)
    expect([status, body.error.message]).toEqual([400, expect.stringContaining(words)])
  })

  test('in live mode to no shop on this machine', async () => {
    const live = await service.newAccount({ merchant: liveMerchant })
    const answer = await openCheckouts(service, live).create()
    expect(fault(answer)).toBe(`${bad} invalid_request success_url invalid_request`)
  })

  test.each(['any', 'live_only'] as const)('in the mode of the integration that it makes: a key %s', async (mode) => {
    const bare = await service.newAccount({ merchant: liveMerchant, integration: null })
    const { secret_key } = await newKey(service.operator, bare.merchant_id, { mode, pair: true })
    const own = openCheckouts(service, { ...bare, secret_key })
    const refused = await own.create({ success_url: `${origin}/done` })
    const rows = await service.sql`select integration_id from integrations where merchant_id = ${bare.merchant_id}`
    const [{ integration_id }] = rows as unknown as [{ integration_id: string }]
    expect(refused.body.error.message).toBe(
      "success_url must be on one of the default integration's allowed origins; this adds one: " +
        `ripper integration update ${integration_id} --add-origin ORIGIN (such as https://shop.example).`,
    )
    await service.sql`update integrations set allowed_origins = ${[origin]} where integration_id = ${integration_id}`
    await clock.advance(60_000)
    const { body } = await own.create({ success_url: `${origin}/done` })
    expect(body).toMatchObject({ id: expect.stringMatching(/^cs_live_/), livemode: true })
  })

  test('once under a key', async () => {
    const headers = { 'idempotency-key': 'once' }
    const [first, again] = [await shop.create({}, headers), await shop.create({}, headers)]
    expect(again.text).toBe(first.text)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(fault(await shop.create({ locale: 'de' }, headers))).toContain('409')
  })

  test('makes a default integration where there is none, once', async () => {
    const bare = await service.newAccount({ integration: null })
    const own = openCheckouts(service, bare)
    const answers = await Promise.all([1, 2, 3].map(() => own.create()))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    const rows = await service.sql`select name, is_default from integrations where merchant_id = ${bare.merchant_id}`
    expect(rows).toEqual([{ name: 'default', is_default: true }])
  })
})

describe('a read', () => {
  test('shows its address to keys that may send shoppers there', async () => {
    const { id, url } = await made()
    expect((await shop.read(id)).url).toBe(url)
    const { secret_key } = await newKey(service.operator, account.merchant_id, { permissions: ['read_transactions'] })
    const headers = { authorization: `Bearer ${secret_key}` }
    const { body } = await account.client.send('GET', `${checkouts}/${id}`, { headers })
    expect(body).toEqual({ ...(await shop.read(id)), url: null })
    expect(fault(await account.client.send('POST', `${checkouts}/${id}/expire`, { headers, body: {} }))).toContain(
      '403',
    )
  })

  test('is the merchant’s own, and neither kind of session is found as the other', async () => {
    const { id } = await made()
    const native = (await account.client.create()).body
    const missing = '404 invalid_request_error resource_missing session resource_not_found'
    const other = openCheckouts(service, await service.newAccount())
    for (const [from, path] of [
      [other, id],
      [other, `${id}/line_items`],
      [shop, native.id],
      [shop, `${native.id}/line_items`],
      [shop, `cs_test_${'0'.repeat(56)}`],
      [shop, '%00'],
    ] as const) {
      expect([path, fault(await from.get(`${checkouts}/${path}`))]).toEqual([path, missing])
    }
    for (const [from, path] of [
      [other, id],
      [shop, native.id],
    ] as const) {
      expect(fault(await from.expire(path))).toBe(missing)
    }
    const natively = await account.client.readSession(id)
    expect([natively.status, natively.body.error]).toEqual([404, 'resource_not_found'])
    const state = await account.client.state({ id, client_secret: `${id}_secret_${'0'.repeat(64)}` })
    expect(state.status).toBe(401)
  })

  test('of its lines, page by page', async () => {
    const { id } = await made({ line_items: ['A', 'B', 'C'].map((name) => data({ name })) })
    const lines = async (query = '') => (await shop.get(`${checkouts}/${id}/line_items${query}`)).body
    const all = await lines()
    expect(all).toMatchObject({ object: 'list', url: `${checkouts}/${id}/line_items`, has_more: false })
    const ids = all.data.map((line: Json) => line.id)
    expect(all.data.map(({ description, amount_total }: Json) => [description, amount_total])).toEqual([
      ['A', 100],
      ['B', 100],
      ['C', 100],
    ])
    for (const [query, expected, has_more] of [
      ['?limit=2', [0, 1], true],
      [`?limit=2&starting_after=${ids[1]}`, [2], false],
      [`?ending_before=${ids[2]}`, [0, 1], false],
      [`?limit=1&ending_before=${ids[2]}`, [1], true],
    ] as const) {
      const page = await lines(query)
      expect([query, page.data.map((line: Json) => line.id), page.has_more]).toEqual([
        query,
        expected.map((at) => ids[at]),
        has_more,
      ])
    }
    expect((await lines('?starting_after=li_1')).error).toMatchObject({
      code: 'resource_missing',
      param: 'starting_after',
    })
  })
})

describe('a list', async () => {
  const own = await service.newAccount()
  const lister = openCheckouts(service, own)
  const made: Json[] = []
  for (const _ of [1, 2, 3]) {
    made.push((await lister.create()).body)
    await clock.advance(1000)
  }
  const session = (await lister.open(made[1].id))!
  await own.client.present(session)
  await own.client.confirm(session)
  await lister.expire(made[2].id)
  await own.client.create()

  test.each([
    ['', [2, 1, 0], false],
    ['limit=2', [2, 1], true],
    [`starting_after=${made[2].id}`, [1, 0], false],
    [`ending_before=${made[0].id}`, [2, 1], false],
    [`limit=1&ending_before=${made[0].id}`, [1], true],
    ['status=open', [0], false],
    ['status=complete', [1], false],
    ['status=expired', [2], false],
    [`status=open&starting_after=${made[1].id}`, [0], false],
    [`payment_intent=${session.id}`, [1], false],
    ['payment_intent=cs_x', [], false],
    [`created[gt]=${made[0].created}`, [2, 1], false],
    [`created=${made[1].created}`, [1], false],
  ] as const)('%s', async (query, expected, has_more) => {
    const { body } = await lister.get(`${checkouts}?${query}`)
    const ids = expected.map((at) => made[at].id)
    expect([body.data.map(({ id }: Json) => id), body.has_more, body.url]).toEqual([ids, has_more, checkouts])
    for (const each of body.data) expect(each).toEqual(await lister.read(each.id))
  })

  test('expands, and so does a read', async () => {
    const parts = ['line_items', 'payment_intent', 'payment_intent.latest_charge']
    const query = (prefix: string) => parts.map((part, at) => `expand[${at}]=${prefix}${part}`).join('&')
    const { data: all } = (await lister.get(`${checkouts}?${query('data.')}`)).body
    const one = (await lister.get(`${checkouts}/${made[1].id}?${query('')}`)).body
    expect(all[1]).toEqual(one)
    expect(one.payment_intent.latest_charge).toMatchObject({ object: 'charge', payment_intent: session.id })
    expect(one.line_items.data).toHaveLength(1)
    expect(all[0].payment_intent).toBeNull()
  })

  test.each([
    ['customer=cus_1', 'parameter_unknown customer'],
    ['status=paid', 'invalid_request status'],
    ['starting_after=cs_test_x', 'resource_missing starting_after'],
    ['limit=0', 'parameter_invalid_integer limit'],
  ])('refuses %s', async (query, expected) => {
    expect(fault(await lister.get(`${checkouts}?${query}`))).toContain(`400 invalid_request_error ${expected} `)
  })
})

test('the payment intent of an open one is not canceled: its page would make the next', async () => {
  const { id } = await made()
  const session = (await shop.open(id))!
  const answer = await shop.post(`/v1/payment_intents/${session.id}/cancel`, {})
  expect(fault(answer)).toBe('400 invalid_request_error invalid_request intent invalid_request')
  expect(answer.body.error.message).toContain(`${checkouts}/${id}/expire`)
  expect((await shop.read(id)).status).toBe('open')
})

test('each parameter of the other platform is taken, or says what to do instead', () => {
  const names = readFileSync(new URL('../support/fixtures/checkout-parameters.txt', import.meta.url), 'utf8')
    .trim()
    .split('\n')
  expect(names.length).toBeGreaterThan(60)
  const taken = [
    ...[
      'mode',
      'success_url',
      'cancel_url',
      'customer_email',
      'client_reference_id',
      'metadata',
      'locale',
      'expires_at',
    ],
    ...['expand', 'payment_method_types', 'ui_mode', 'submit_type', 'customer_creation', 'billing_address_collection'],
    ...['phone_number_collection', 'automatic_tax', 'invoice_creation', 'allow_promotion_codes'],
    ...['line_items[][price]', 'line_items[][quantity]', 'line_items[][price_data][currency]'],
    ...['line_items[][price_data][unit_amount]', 'line_items[][price_data][tax_behavior]'],
    ...['name', 'description', 'images', 'metadata'].map((name) => `line_items[][price_data][product_data][${name}]`),
    'payment_intent_data[metadata]',
  ]
  expect(names.filter((name) => !taken.includes(name) && !advisedNames.includes(name))).toEqual([])
})
