import { describe, expect, test } from 'vitest'
import type { Good, Pricing } from './context.ts'
import { type Link, type Purchase, queryOf, readLink } from './link.ts'

const good = (sku: string, unit_amount: number, currency = 'GBP'): Good => ({
  sku,
  name: sku,
  unit_amount,
  currency,
})
const list = [good('tea', 850), good('pot', 4200), good('cup:blue', 1200)]
const shop: Pricing = { amount: null, currency: null, price_list: list }
const bare: Pricing = { amount: null, currency: null, price_list: null }
const fixed: Pricing = { amount: 4200, currency: 'GBP', price_list: null }

const nothing: Purchase = {
  amount: null,
  currency: null,
  items: null,
  email: null,
  order_reference: null,
}
const read = (search: string, pricing: Pricing = shop): Link => readLink({ search, hash: '' }, pricing)

describe('a purchase', () => {
  const cases: [string, Pricing, Partial<Purchase>][] = [
    ['?amount=4200&currency=gbp', bare, { amount: 4200, currency: 'GBP' }],
    ['?amount=4200', shop, { amount: 4200 }],
    ['?amount=4200', fixed, { amount: 4200 }],
    ['?amount=99999999999&currency=JPY', bare, { amount: 99_999_999_999, currency: 'JPY' }],
    ['', fixed, {}],
    ['?sku=tea:2&sku=pot', shop, { items: [line('tea', 2), line('pot', 1)] }],
    ['?sku=tea&sku=tea:2', shop, { items: [line('tea', 3)] }],
    ['?sku=cup:blue', shop, { items: [line('cup:blue', 1)] }],
    ['?sku=cup:blue:4', shop, { items: [line('cup:blue', 4)] }],
    ['?sku=tea&amount=800', shop, { amount: 800, items: [line('tea', 1)] }],
    [
      '?sku=seat:2&amount=800&currency=EUR',
      bare,
      {
        amount: 800,
        currency: 'EUR',
        items: [line('seat', 2)],
      },
    ],
    [
      '?amount=1&currency=GBP&email=a%40b.example&order_reference=A%207',
      bare,
      {
        amount: 1,
        currency: 'GBP',
        email: 'a@b.example',
        order_reference: 'A 7',
      },
    ],
    [
      '?amount=1&currency=GBP&email=&order_reference=&utm_source=x',
      bare,
      {
        amount: 1,
        currency: 'GBP',
      },
    ],
  ]
  test.each(cases)('%s', (search, pricing, purchase) => {
    const expected = { ...nothing, ...purchase }
    expect(read(search, pricing)).toEqual({ kind: 'purchase', purchase: expected })
    expect(read(queryOf(expected), pricing)).toEqual({ kind: 'purchase', purchase: expected })
  })
})

function line(sku: string, quantity: number) {
  return { sku, quantity }
}

describe('several currencies', () => {
  const pricing = {
    ...shop,
    price_list: [good('tea', 850), good('tea', 990, 'EUR'), good('pin', 100, 'EUR')],
  }

  test('goods are charged in the one in which all of them have a price', () => {
    expect(read('?sku=tea', pricing)).toMatchObject({ purchase: { currency: 'GBP' } })
    expect(read('?sku=tea&sku=pin', pricing)).toMatchObject({ purchase: { currency: 'EUR' } })
    expect(read('?sku=tea&currency=eur', pricing)).toMatchObject({ purchase: { currency: 'EUR' } })
    expect(read('?sku=tea', { ...pricing, currency: 'EUR' })).toMatchObject({
      purchase: { currency: 'EUR' },
    })
  })

  test('a choice offers one of them', () => {
    const skus = (search: string) =>
      (read(search, pricing) as Extract<Link, { kind: 'choice' }>).goods.map(
        ({ sku, currency }) => `${sku} ${currency}`,
      )
    expect(skus('')).toEqual(['tea GBP'])
    expect(skus('?currency=EUR')).toEqual(['tea EUR', 'pin EUR'])
  })
})

describe('an email', () => {
  test.each([
    ['email=jo%2Btag@b.example', 'jo+tag@b.example'],
    ['email=jo+tag@b.example', 'jo+tag@b.example'],
    ['email=jo%20tag@b.example', 'jo+tag@b.example'],
    ['email=%20jo@b.example%0A', 'jo@b.example'],
    ['email=jo@b.example&email=jo@b.example', 'jo@b.example'],
    ['email=jo@b.example&email=', 'jo@b.example'],
    ['email=jo@b.example&email=ann@b.example', null],
    ['email=nobody', null],
    ['email=jo@b', null],
    [`email=${'a'.repeat(250)}@b.example`, null],
    ['email=', null],
  ])('%s, or the shopper is asked', (query, email) => {
    const link = read(`?amount=1&currency=GBP&${query}`)
    expect(link).toMatchObject({ kind: 'purchase', purchase: { email } })
  })
})

test('a price list and nothing named is a choice', () => {
  expect(read('?locale=de&email=a@b.example')).toEqual({ kind: 'choice', goods: list })
})

describe('a fault names its parameter', () => {
  test.each([
    ['', bare, 'link_nothing'],
    ['?order_reference=A7', { ...bare, price_list: [] }, 'link_nothing'],
    ['?amount=', fixed, 'link_amount'],
    ['?amount=0', shop, 'link_amount'],
    ['?amount=-5', shop, 'link_amount'],
    ['?amount=42.00', shop, 'link_amount'],
    ['?amount=4e3', shop, 'link_amount'],
    ['?amount=100000000000', shop, 'link_amount'],
    ['?amount=1&amount=2', shop, 'link_amount'],
    ['?amount=1&currency=', shop, 'link_currency'],
    ['?amount=1&currency=POUND', shop, 'link_currency'],
    ['?amount=1', bare, 'link_currency_missing'],
    ['?sku=milk', shop, 'link_sku'],
    ['?sku=', shop, 'link_sku'],
    ['?sku=tea', bare, 'link_sku'],
    ['?sku=milk&amount=5', shop, 'link_sku'],
    ['?sku=tea:0', shop, 'link_sku_quantity'],
    ['?sku=tea:100', shop, 'link_sku_quantity'],
    ['?sku=tea:', shop, 'link_sku_quantity'],
    ['?sku=tea:two', shop, 'link_sku_quantity'],
    ['?sku=tea:60&sku=tea:40', shop, 'link_sku_quantity'],
    ['?sku=tea&currency=EUR', shop, 'link_sku_currency'],
    [`?amount=1&order_reference=${'a'.repeat(65)}`, shop, 'link_order_reference'],
    ['?amount=1&order_reference=a%0Ab', shop, 'link_order_reference'],
  ] as [string, Pricing, string][])('%s', (search, pricing, fault) => {
    expect(read(search, pricing)).toEqual({ kind: 'fault', fault })
  })
})

describe('the fragment', () => {
  const session_id = `cs_${'a1'.repeat(12)}`
  const client_secret = `${session_id}_secret_${'0f'.repeat(32)}`

  test('is a client secret, whatever the query says', () => {
    const link = readLink({ search: '?amount=x', hash: `#${client_secret}` }, shop)
    expect(link).toEqual({ kind: 'session', client_secret, session_id })
  })

  test('is a session whose secret the tab keeps', () => {
    const link = readLink({ search: '', hash: `#${session_id}` }, shop)
    expect(link).toEqual({ kind: 'kept_session', session_id })
  })

  test.each(['#_=_', '#top', '#:~:text=pay'])('is not of this page beside a query: %s', (hash) => {
    expect(readLink({ search: '?sku=tea', hash }, shop)).toMatchObject({ kind: 'purchase' })
    expect(readLink({ search: '?utm_source=x', hash }, shop)).toMatchObject({ kind: 'choice' })
  })

  test('that is a damaged secret counts beside a query, too', () => {
    const link = readLink({ search: '?locale=de', hash: `#${client_secret}0` }, shop)
    expect(link).toEqual({ kind: 'fault', fault: 'link_secret' })
  })

  test.each(['#pay', `#${session_id}0`, `#${client_secret}0`, `#x${client_secret}`])('or does not work: %s', (hash) => {
    expect(readLink({ search: '', hash }, shop)).toEqual({ kind: 'fault', fault: 'link_secret' })
  })

  test('or is empty', () => {
    expect(readLink({ search: '', hash: '#' }, shop).kind).toBe('choice')
  })
})
