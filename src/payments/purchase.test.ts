import fc from 'fast-check'
import { expect, test } from 'vitest'
import { validate } from '../http/validate.ts'
import { basketTotal, type Item, sessionCreate, taxTotal } from './purchase.ts'
import { priceItems } from './sessions/price-check.ts'

const line = (changes: Partial<Item>): Item => ({
  kind: 'product',
  sku: null,
  name: 'Tea',
  quantity: 1,
  unit_amount: 100,
  tax_amount: null,
  tax_rate: null,
  type: null,
  ...changes,
})

test.each([
  ['no lines', null, null, null],
  ['one line', [line({ quantity: 3 })], 300, null],
  ['a discount is subtracted', [line({}), line({ kind: 'discount', unit_amount: 30 })], 70, null],
  [
    'tax is in the total',
    [line({ tax_amount: 20 }), line({ kind: 'shipping', unit_amount: 50, tax_amount: 10 })],
    150,
    30,
  ],
  [
    "a discount's tax is subtracted",
    [line({ tax_amount: 20 }), line({ kind: 'discount', unit_amount: 50, tax_amount: 10 })],
    50,
    10,
  ],
  [
    "a discount's tax takes off no more than there is",
    [line({ tax_amount: 5 }), line({ kind: 'discount', unit_amount: 50, tax_amount: 10 })],
    50,
    0,
  ],
  ['a line without a price leaves no total', [line({}), line({ sku: 'a', unit_amount: null })], null, null],
] as const)('totals: %s', (_name, lines, basket, tax) => {
  expect(basketTotal(lines && [...lines])).toBe(basket)
  expect(taxTotal(lines && [...lines])).toBe(tax)
})

const anyLine = fc.record({
  kind: fc.constantFrom('product', 'shipping', 'discount', 'fee'),
  name: fc.constant('x'),
  quantity: fc.integer({ min: 1, max: 1000 }),
  unit_amount: fc.integer({ min: 0, max: 100_000 }),
})

test('a basket that is taken never has a negative total', () => {
  fc.assert(
    fc.property(fc.array(anyLine, { minLength: 1, maxLength: 8 }), (items) => {
      const parsed = sessionCreate.safeParse({ amount: 1, currency: 'GBP', items })
      const sum = (discount: boolean) =>
        items
          .filter((each) => (each.kind === 'discount') === discount)
          .reduce((total, each) => total + each.quantity * each.unit_amount, 0)
      expect(parsed.success).toBe(sum(true) <= sum(false))
      if (parsed.success) expect(basketTotal(parsed.data.items!)).toBe(sum(false) - sum(true))
    }),
  )
})

test('a body with several faults is refused for the gravest one', () => {
  const body = {
    amount: 0,
    currency: 'GBP',
    order_reference: '4242424242424242',
    metadata: { a: 'x'.repeat(9000) },
  }
  expect(() => validate(sessionCreate, body)).toThrow(
    expect.objectContaining({ code: 'card_data_rejected', field: 'order_reference' }),
  )
})

test('a price list prices what is named by sku alone, in its own currency', () => {
  const list = [{ sku: 'tea', name: 'Tea', unit_amount: 850, currency: 'GBP', tax_rate: 2000 }]
  const in_pounds = { list, currency: 'GBP', sent_by: 'server' } as const
  const open = line({ sku: 'tea', name: null, unit_amount: null })
  const priced = { ...open, unit_amount: 850, tax_rate: 2000 }
  expect(priceItems([open], in_pounds)).toEqual([priced])
  expect(priceItems([open], { ...in_pounds, currency: 'EUR' })).toEqual([open])
  const named = { ...open, name: 'Green tea', tax_rate: 0, tax_amount: 1 }
  expect(priceItems([named], in_pounds)).toEqual([{ ...priced, name: 'Tea' }])
  // The server's own price is accepted as it is.
  const own = { ...named, unit_amount: 850 }
  expect(priceItems([own], in_pounds)).toEqual([own])
})
