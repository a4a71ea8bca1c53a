// POST /v1/checkout/sessions, field by field: what is taken, what is refused and by which words.

import { describe, expect, test } from 'vitest'
import { type Json, purchase, refusal, wordsOf } from '../support/client.ts'
import { shop } from '../support/service.ts'
import { useService } from '../support/use-service.ts'

const service = await useService()
const { client } = service

const item = { name: 'Tea', quantity: 2, unit_amount: 850 }
const items = (...lines: object[]) => ({ items: lines })
const line = (more: object) => items({ ...item, ...more })
const entries = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 'v']))
const card = '4242 4242-4242 4242'
const long = 'x'.repeat(65)
const longest = `${'a'.repeat(242)}@tea.example`

// By the field that the message names: what is sent besides a good body.
const invalid: Record<string, object[]> = {
  amount: [undefined, null, 0, -1, 42.5, '4200', 100_000_000_000].map((amount) => ({ amount })),
  currency: [undefined, 'GB', '826', 'ABC', 'XAU', 826].map((currency) => ({ currency })),
  items: [
    { items: {} },
    { items: Array(101).fill(item) },
    items(item, { ...item, kind: 'discount', unit_amount: 851 }),
  ],
  'items[0]': [items({ quantity: 1 }), items({ quantity: 1, sku: '', name: '' })],
  'items[1]': [{ items: [item, 3] }],
  'items[0].kind': ['gift', ''].map((kind) => line({ kind })),
  'items[0].name': [
    items({ sku: 'a', quantity: 1, unit_amount: 1 }),
    items({ sku: 'a', name: '', quantity: 1, unit_amount: 1 }),
    line({ name: 'x'.repeat(201) }),
  ],
  'items[0].sku': [line({ sku: 'x'.repeat(201) })],
  'items[0].quantity': [undefined, 0, 1.5, 1_000_001].map((quantity) => line({ quantity })),
  'items[0].unit_amount': [-1, 99_999_999_999].map((unit_amount) => line({ unit_amount })),
  'items[0].tax_amount': [-1, 1701].map((tax_amount) => line({ tax_amount })),
  'items[0].tax_rate': [0.2, 100_001].map((tax_rate) => line({ tax_rate })),
  'items[0].type': [line({ type: 'x'.repeat(33) })],
  'items[1].unit_amount': [items(item, { ...item, kind: 'discount', unit_amount: -5 })],
  customer: [{ customer: [] }],
  'customer.email': ['ada', 'ada@tea', 'ada@tea.', 'a@b@tea.example', `${'a'.repeat(250)}@b.cd`, ' '].map((email) => ({
    customer: { email },
  })),
  'customer.name': [7, 'x'.repeat(201)].map((name) => ({ customer: { name } })),
  'customer.account_id': ['', long, 'a\tb'].map((account_id) => ({ customer: { account_id } })),
  metadata: [{ metadata: [] }],
  'metadata.a': [{ metadata: { a: 1 } }],
  statement_descriptor_suffix: [{ statement_descriptor_suffix: 1 }],
  order_reference: ['', long, 'a\u0085b'].map((order_reference) => ({ order_reference })),
  confirmation_url: [
    '',
    '/done',
    'http://shop.example/',
    'https://evil.example/',
    `${shop}:8443/`,
    'https://a@shop.example/',
    `${shop}/#x`,
    'https://127.0.0.1/',
    `${shop}/?payment_id=1`,
    `${shop}/?order_reference=1`,
  ].map((confirmation_url) => ({ confirmation_url })),
  colour: [{ colour: 'red' }],
  basket_total: [{ basket_total: 1 }],
  'items[2].colour': [items(item, item, { ...item, colour: 1 })],
  'customer.phone': [{ customer: { phone: '1' } }],
}
const too_large: Record<string, object[]> = {
  metadata: [
    { metadata: entries(51) },
    { metadata: { k: 'x'.repeat(8192) } },
    { metadata: { k: 'é'.repeat(4096) } },
    { amount: 0, metadata: entries(51) },
  ],
  'customer.metadata': [{ customer: { metadata: entries(51) } }, { customer: { metadata: { k: 'x'.repeat(8192) } } }],
  statement_descriptor_suffix: [{ statement_descriptor_suffix: '😀'.repeat(23) }],
}
const card_data: Record<string, object[]> = {
  order_reference: [
    { order_reference: 'A4242424242424242B' },
    { order_reference: `no ${card}` },
    { order_reference: '４２４２４２４２４２４２４２４２' },
    { amount: 0, metadata: entries(51), order_reference: card },
  ],
  'customer.account_id': [{ customer: { account_id: card } }],
}

const refused = Object.entries({
  invalid_request: invalid,
  metadata_too_large: too_large,
  card_data_rejected: card_data,
}).flatMap(([code, fields]) =>
  Object.entries(fields).flatMap(([field, bodies]) =>
    bodies.map((more): [string, string, object] => [code, field, more]),
  ),
)

describe('refused, naming the field and no value', () => {
  test.each(refused)('%s: %s %j', async (code, field, more) => {
    const answer = await client.create({ ...purchase, ...more })
    expect(refusal(answer)).toBe(`400 ${code}`)
    expect(answer.body.message.startsWith(`${field}`)).toBe(true)
    expect(wordsOf(answer)).not.toMatch(/4242|４２|evil|xxx/)
  })

  test.each([
    ['a list', '[]'],
    ['null', 'null'],
    ['text', '"x"'],
    ['nothing', ''],
    ['a number', '7'],
  ])('a body that is %s', async (_, raw) => {
    const headers = {
      ...client.withKey,
      'rip-idempotency-key': 'k',
      'content-type': 'application/json',
    }
    const answer = await client.send('POST', '/v1/checkout/sessions', { headers, raw })
    expect(refusal(answer)).toBe('400 invalid_request')
    expect(answer.body.message).toMatch(/body/)
  })
})

// What is sent besides a good body | what the session then reads as.
const taken: [string, object, Json][] = [
  ['least amount', { amount: 1 }, { amount: 1 }],
  ['most amount', { amount: 99_999_999_999 }, { amount: 99_999_999_999 }],
  ['amount in another spelling', { amount: 4.2e3 }, { amount: 4200 }],
  ['currency in lower case', { currency: 'jpy' }, { currency: 'JPY' }],
  ['no items', { items: [] }, { items: null, basket_total: null, tax_total: null }],
  [
    'null fields',
    { items: null, customer: null, metadata: null, order_reference: null },
    { items: null, customer: null, metadata: {} },
  ],
  [
    'a basket that does not sum to the amount',
    items(
      { ...item, tax_amount: 100, tax_rate: 2000, type: 'x'.repeat(32) },
      { kind: 'shipping', name: 'Post', quantity: 1, unit_amount: 300 },
      { kind: 'fee', sku: 'f', name: 'Wrap', quantity: 1, unit_amount: 0, tax_amount: 0 },
      { kind: 'discount', name: 'Less', quantity: 1, unit_amount: 2000 },
    ),
    { basket_total: 0, tax_total: 100 },
  ],
  [
    'a line without a price',
    items({ sku: 'tea', quantity: 3 }),
    {
      items: [
        {
          kind: 'product',
          sku: 'tea',
          name: null,
          quantity: 3,
          unit_amount: null,
          tax_amount: null,
          tax_rate: null,
          type: null,
        },
      ],
      basket_total: null,
      tax_total: null,
    },
  ],
  [
    'empty texts, which are none',
    {
      customer: { email: '', name: '' },
      items: [
        { sku: '', name: 'Tea', quantity: 1, type: '' },
        { sku: 'tea', name: '', quantity: 1 },
      ],
      statement_descriptor_suffix: '',
    },
    {
      customer: { email: null, name: null },
      items: [
        { sku: null, name: 'Tea', type: null },
        { sku: 'tea', name: null, type: null },
      ],
    },
  ],
  ['the longest email', { customer: { email: longest } }, { customer: { email: longest } }],
  [
    'the most of each',
    line({
      sku: 'x'.repeat(200),
      name: 'x'.repeat(200),
      quantity: 1_000_000,
      unit_amount: 99_999,
      tax_rate: 100_000,
      type: 'x'.repeat(32),
    }),
    { basket_total: 99_999_000_000 },
  ],
  ['100 lines', { items: Array(100).fill(item) }, { basket_total: 170_000 }],
  ['50 entries', { metadata: entries(50) }, { metadata: entries(50) }],
  ['8192 bytes', { metadata: { kk: 'é'.repeat(4095) } }, { metadata: { kk: 'é'.repeat(4095) } }],
  [
    'two budgets',
    { metadata: { a: 'x'.repeat(8191) }, customer: { metadata: { b: 'y'.repeat(8191) } } },
    {
      metadata: { a: 'x'.repeat(8191) },
      customer: {
        email: null,
        name: null,
        account_created: null,
        account_id: null,
        metadata: { b: 'y'.repeat(8191) },
      },
    },
  ],
  ['metadata that looks like a card', { metadata: { [card]: card } }, { metadata: { [card]: card } }],
  [
    '64 characters',
    { customer: { account_id: 'x'.repeat(64) } },
    {
      customer: {
        email: null,
        name: null,
        account_created: null,
        account_id: 'x'.repeat(64),
        metadata: null,
      },
    },
  ],
  ['digits that are no card', { order_reference: '1234567890123' }, {}],
  ['22 characters', { statement_descriptor_suffix: '😀'.repeat(22) }, {}],
  ['confirmation_url', { confirmation_url: `${shop}/done?a=1` }, {}],
]

test.each(taken)('taken: %s', async (_, more, expected) => {
  const created = await client.create({ ...purchase, ...more })
  expect(`${created.status} ${created.text.slice(0, 3)}`).toBe('201 {"i')
  const read = await client.readSession(created.body.id)
  expect(read.body).toMatchObject(expected)
})

test('the answer has its members and no others', async () => {
  const { status, body } = await client.create()
  expect(status).toBe(201)
  const { publishable_key } = service.account
  const created = new Date(body.created_at).getTime()
  expect(body).toEqual({
    id: expect.stringMatching(/^cs_[0-9a-f]{24}$/),
    client_secret: expect.stringMatching(new RegExp(`^${body.id}_secret_[0-9a-f]{64}$`)),
    status: 'requires_payment',
    mode: 'test',
    amount: 4200,
    currency: 'GBP',
    public_key: publishable_key,
    config_url: `/v1/checkout/config/${publishable_key}`,
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}\+00:00$/),
    expires_at: new Date(created + 1_800_000).toISOString().replace('Z', '0000+00:00'),
    expires_in_seconds: 1800,
  })
  expect(publishable_key).toMatch(/^rip_pk_[0-9a-f]{48}$/)
})

test('metadata comes back exactly, whatever its keys', async () => {
  const metadata = '{"b":"1","10":"2","2":"3","__proto__":"4","constructor":"5","":"6"}'
  const answer = await client.send('POST', '/v1/checkout/sessions', {
    headers: {
      ...client.withKey,
      'rip-idempotency-key': 'proto',
      'content-type': 'application/json',
    },
    raw: `{"amount":1,"currency":"GBP","metadata":${metadata},"customer":{"metadata":${metadata}}}`,
  })
  expect(answer.status).toBe(201)
  const { text } = await client.readSession(answer.body.id)
  const read: Json = JSON.parse(text)
  for (const object of [read.metadata, read.customer.metadata]) {
    expect(Object.entries(object).sort()).toEqual(Object.entries(JSON.parse(metadata)).sort())
  }
})
