import { expect, test } from 'vitest'
import { type Good, hostedLink, linesOf, totalOf, withQuantity } from './basket.ts'

const good = (sku: string, unit_amount: number): Good => ({
  sku,
  name: sku,
  unit_amount,
  currency: 'GBP',
})
const goods = [good('tea', 850), good('pot', 4200)]

test('quantities are whole, from 1 to 99, and none is left out', () => {
  expect(withQuantity({}, 'tea', 2)).toEqual({ tea: 2 })
  expect(withQuantity({ tea: 2 }, 'tea', 100)).toEqual({ tea: 99 })
  expect(withQuantity({ tea: 2, pot: 1 }, 'tea', 0)).toEqual({ pot: 1 })
  expect(withQuantity({ tea: 2 }, 'tea', -1)).toEqual({})
  expect(withQuantity({}, 'tea', 1.9)).toEqual({ tea: 1 })
  expect(withQuantity({ tea: 2 }, 'tea', Number.NaN)).toEqual({})
})

test('lines stand in the order of the goods, without what is not sold', () => {
  const lines = linesOf({ pot: 1, milk: 3, tea: 2 }, goods)
  expect(lines.map(({ good, total }) => [good.sku, total])).toEqual([
    ['tea', 1700],
    ['pot', 4200],
  ])
  expect(totalOf(lines)).toBe(5900)
})

test('the hosted page gets the same basket', () => {
  const lines = linesOf({ pot: 1, tea: 2 }, goods)
  expect(hostedLink('http://127.0.0.1:1/pay/demo', lines)).toBe('http://127.0.0.1:1/pay/demo?sku=tea%3A2&sku=pot%3A1')
  expect(hostedLink('http://127.0.0.1:1/pay/demo', [])).toBe('http://127.0.0.1:1/pay/demo')
})
