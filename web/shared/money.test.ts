import { describe, expect, test } from 'vitest'
import { currencyOf } from '../../src/kernel/values.ts'
import { exponentOf, formatAmount } from './money.ts'

const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
const codes = letters.flatMap((a) => letters.flatMap((b) => letters.map((c) => a + b + c)))
const currencies = codes.map(currencyOf).filter((currency) => currency !== undefined)

test('every currency that the service takes has its exponent', () => {
  expect(currencies.length).toBeGreaterThan(150)
  const ours = currencies.map(({ code }) => [code, exponentOf(code)])
  expect(ours).toEqual(currencies.map(({ code, exponent }) => [code, exponent]))
})

describe('amounts', () => {
  test.each([
    [4200, 'GBP', 'en-GB', '£42.00'],
    [4200, 'JPY', 'en', '¥4,200'],
    [4200, 'KWD', 'en', 'KWD 4.200'],
    [4200, 'CLF', 'en', 'CLF 0.4200'],
    [420000, 'HUF', 'en', 'HUF 4,200.00'],
    [123456, 'EUR', 'de', '1.234,56 €'],
    [1, 'USD', 'en-US', '$0.01'],
  ])('%i %s in %s', (amount, currency, locale, text) => {
    expect(formatAmount(amount, currency, locale).replace(/\s/g, ' ')).toBe(text)
  })
})
