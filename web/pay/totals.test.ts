import { describe, expect, test } from 'vitest'
import type { Pricing } from './context.ts'
import type { Purchase } from './link.ts'
import { billOf, chargedBill, expectedBill, type Item } from './totals.ts'

const item = (more: Partial<Item>): Item => ({
  kind: 'product',
  sku: 'tea',
  name: 'Tea',
  quantity: 1,
  unit_amount: 850,
  ...more,
})
const charged = { currency: 'GBP', order_reference: null }

const pricing: Pricing = {
  amount: null,
  currency: null,
  price_list: [
    { sku: 'tea', name: 'Tea', unit_amount: 850, currency: 'GBP' },
    { sku: 'tea', name: 'Tee', unit_amount: 990, currency: 'EUR' },
  ],
}
describe('the bill of a session', () => {
  test('takes a discount off and shows what the amount has beyond the lines', () => {
    const items = [
      item({ quantity: 2 }),
      item({ kind: 'discount', name: 'Spring', unit_amount: 300 }),
      item({ kind: 'shipping', name: 'Post', unit_amount: 400 }),
    ]
    const bill = billOf({ ...charged, items, amount: 2000 }, pricing)
    expect(bill.lines.map((line) => line.total)).toEqual([1700, -300, 400])
    expect(bill.adjustment).toBe(200)
    expect(billOf({ ...charged, items, amount: 1800 }, pricing).adjustment).toBe(0)
    expect(billOf({ ...charged, items, amount: 1500 }, pricing).adjustment).toBe(-300)
  })

  test('adjusts nothing where a line has no price, or where there is no line', () => {
    const items = [item({ sku: 'pot', unit_amount: null, name: null }), item({})]
    const bill = billOf({ ...charged, items, amount: 2000 }, pricing)
    expect(bill.adjustment).toBe(0)
    expect(bill.lines[0]).toMatchObject({ name: 'pot', total: null })
    expect(billOf({ ...charged, items: null, amount: 2000 }, pricing)).toMatchObject({
      lines: [],
      adjustment: 0,
    })
  })
})

const purchase = (more: Partial<Purchase>): Purchase => ({
  amount: null,
  currency: null,
  items: null,
  email: null,
  order_reference: null,
  ...more,
})

test('the bill of a session names goods by the list of its currency', () => {
  const items = [item({ name: null }), item({ name: 'Green tea' }), item({ name: null, sku: 'pot' })]
  const names = (currency: string) =>
    billOf({ ...charged, items, amount: 1, currency }, pricing).lines.map(({ name }) => name)
  expect(names('GBP')).toEqual(['Tea', 'Green tea', 'pot'])
  expect(names('EUR')).toEqual(['Tee', 'Green tea', 'pot'])
})

describe('the expected bill', () => {
  const items = [{ sku: 'tea', quantity: 2 }]
  test.each([
    ['a basket', purchase({ items }), pricing, 1700, 'GBP', 0],
    ['in another currency', purchase({ items, currency: 'EUR' }), pricing, 1980, 'EUR', 0],
    ['with another amount', purchase({ items, amount: 1500 }), pricing, 1500, 'GBP', -200],
    ['an amount', purchase({ amount: 7, currency: 'JPY' }), pricing, 7, 'JPY', 0],
    ['the default', purchase({}), { ...pricing, amount: 5, currency: 'USD' }, 5, 'USD', 0],
  ] as const)('of %s', (_name, asked, prices, amount, currency, adjustment) => {
    expect(expectedBill(asked, prices)).toMatchObject({ amount, currency, adjustment })
  })

  test('names goods by the list, or by their sku where there is none', () => {
    expect(expectedBill(purchase({ items }), pricing).lines[0]!.name).toBe('Tea')
    const bare = { amount: null, currency: null, price_list: null }
    expect(expectedBill(purchase({ items, amount: 5 }), bare).lines[0]!.name).toBe('tea')
  })
})

describe('what the service charges', () => {
  const bill = billOf({ ...charged, items: [item({})], amount: 850, order_reference: 'A7' }, pricing)
  test('is an adjustment where it is another amount', () => {
    expect(chargedBill(bill, { amount: 900, currency: 'GBP' })).toEqual({
      ...bill,
      amount: 900,
      adjustment: 50,
    })
  })
  test('leaves no lines in another currency', () => {
    expect(chargedBill(bill, { amount: 900, currency: 'EUR' })).toMatchObject({
      lines: [],
      adjustment: 0,
      order_reference: 'A7',
    })
  })
  test('is all there is without a bill', () => {
    expect(chargedBill(null, { amount: 900, currency: 'EUR' })).toMatchObject({
      amount: 900,
      currency: 'EUR',
      lines: [],
    })
  })
})
