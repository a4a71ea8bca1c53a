// Amounts on their way to Checkout.com and back, through ISO 4217: a wrong row would be a factor of 100.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { currencyOf } from '../../kernel/values.ts'
import { amountSent, checkoutCurrencies, moneyRead } from './currencies.ts'

test.each([
  ['GBP', 4200, 4200],
  ['JPY', 4200, 4200],
  ['ISK', 4200, 4200],
  ['UGX', 4200, 4200],
  ['CLP', 4200, 420_000],
  ['KWD', 4200, 4200],
  ['GBP', 1_000_000_000, 1_000_000_000],
  ['CLP', 10_000_000, 1_000_000_000],
])('%s: %d of ISO are %d of theirs', (currency, amount, their_amount) => {
  expect(amountSent({ amount, currency })).toBe(their_amount)
  expect(moneyRead({ amount: their_amount, currency })).toEqual({ amount, currency })
})

describe('cannot be expressed', () => {
  test.each([
    ['a currency that they do not list', 'CLF', 10_000],
    ['another', 'IQD', 1000],
    ['no currency', 'XXX', 1000],
    ['a last digit that they do not take', 'BHD', 4201],
    ['nothing', 'GBP', 0],
  ])('%s', (_, currency, amount) => {
    expect(amountSent({ amount, currency })).toBeNull()
  })
})

test('what they name is not read where it is no amount of ours', () => {
  expect(moneyRead({ amount: 4250, currency: 'CLP' })).toBeNull()
  expect(moneyRead({ amount: 1, currency: 'CLF' })).toBeNull()
})

const money = fc.record({
  currency: fc.constantFrom(...checkoutCurrencies),
  amount: fc.integer({ min: 1, max: 99_999_999_999 }),
})

test('every amount is worth the same there, or is not sent', () => {
  fc.assert(
    fc.property(money, ({ currency, amount }) => {
      const their_amount = amountSent({ amount, currency })
      if (their_amount === null) return
      // Checkout.com uses ISO's digits, except for the Chilean peso, which it counts in hundredths.
      const digits = currency === 'CLP' ? 2 : currencyOf(currency)!.exponent
      expect(their_amount / 10 ** digits).toBeCloseTo(amount / 10 ** currencyOf(currency)!.exponent, 6)
      expect(moneyRead({ amount: their_amount, currency })).toEqual({ amount, currency })
    }),
  )
})

test('all usual amounts of each currency are sent', () => {
  const steps = checkoutCurrencies.map((currency) => amountSent({ amount: 1000, currency }))
  expect(steps).not.toContain(null)
})
