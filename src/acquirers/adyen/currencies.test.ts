// Amounts on their way to Adyen and back, through ISO 4217: a wrong row would be a factor of 100.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { currencyOf } from '../../kernel/values.ts'
import { adyenCurrencies, amountSent, moneyRead } from './currencies.ts'

test.each([
  ['GBP', 4200, 4200],
  ['JPY', 4200, 4200],
  ['CVE', 4200, 42],
  ['IDR', 4200, 42],
  ['ISK', 4200, 420_000],
  ['CLP', 4200, 420_000],
  ['UGX', 4200, 4200],
  ['KWD', 4201, 4201],
  ['IQD', 4201, 4201],
])('%s: %d of ISO are %d of theirs', (currency, amount, value) => {
  expect(amountSent({ amount, currency })).toEqual({ value, currency })
  expect(moneyRead({ value, currency })).toEqual({ amount, currency })
})

test.each([
  ['a currency that they do not list', 'CLF', 10_000],
  ['no currency', 'XXX', 1000],
  ['a fraction that they do not have', 'IDR', 4201],
  ['nothing', 'GBP', 0],
])('cannot be expressed: %s', (_, currency, amount) => {
  expect(amountSent({ amount, currency })).toBeNull()
})

test.each([
  ['CLP', 4250],
  ['CLF', 1],
  ['GBP', -1],
])('what they name is not read where it is no amount of ours: %s %d', (currency, value) => {
  expect(moneyRead({ value, currency })).toBeNull()
})

test('each comes back as it was sent, and is the same amount of money', () => {
  const zero = 'CVE DJF GNF IDR JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF'.split(' ')
  const three = 'BHD IQD JOD KWD LYD OMR TND'.split(' ')
  const money = fc.record({
    currency: fc.constantFrom(...adyenCurrencies),
    amount: fc.integer({ min: 1, max: 99_999_999_999 }),
  })
  fc.assert(
    fc.property(money, ({ currency, amount }) => {
      const iso = currencyOf(currency)!
      const theirs = zero.includes(currency) ? 0 : three.includes(currency) ? 3 : 2
      const theirAmount = amountSent({ amount, currency })
      const scaled = BigInt(amount) * 10n ** BigInt(theirs)
      const unit = 10n ** BigInt(iso.exponent)
      expect(theirAmount === null).toBe(scaled % unit !== 0n)
      if (theirAmount === null) return
      expect(BigInt(theirAmount.value) * unit).toBe(scaled)
      expect(moneyRead(theirAmount)).toEqual({ amount, currency })
    }),
  )
})
