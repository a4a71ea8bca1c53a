import { describe, expect, test } from 'vitest'
import { formatAmount } from './money.ts'
import { type AmountRead, readAmount, typedAmount } from './read-amount.ts'

const languages = ['ar', 'de', 'en', 'es', 'fr', 'it', 'ja', 'nl', 'pl', 'pt']
/** As browsers name them: with other digits, groups of two, apostrophes. */
const regions = ['ar-EG', 'fa', 'hi-IN', 'de-CH', 'de-AT', 'pt-PT', 'en-ZA', 'es-MX', 'fr-CH']
const currencies = ['GBP', 'EUR', 'USD', 'JPY', 'KWD', 'PLN', 'BRL', 'HUF', 'CLF']
const amounts = [1, 50, 1234, 4200, 123_456, 1_234_567, 99_999_999_999]

describe.each([...languages, ...regions])('%s', (locale) => {
  test.each(currencies)('what is written in %s is read back', (currency) => {
    for (const amount of amounts) {
      const text = formatAmount(amount, currency, locale)
      expect([text, readAmount(text, locale, currency)]).toEqual([text, { amount, currency }])
      expect([text, readAmount(text, locale, null)]).toEqual([text, { amount, currency }])
      const typed = typedAmount(amount, currency, locale)
      expect([typed, readAmount(typed, locale, currency)]).toEqual([typed, { amount, currency: null }])
    }
  })
})

const read = (text: string, locale: string, currency: string | null): number | string | undefined => {
  const result: AmountRead = readAmount(text, locale, currency)
  return 'fault' in result ? result.fault : result.amount
}

describe('as people type them', () => {
  test.each<[string, string, string | null, number | string]>([
    ['12.50', 'en', 'GBP', 1250],
    ['12,50', 'en', 'GBP', 1250],
    ['12.5', 'de', 'EUR', 1250],
    [' 42 ', 'en', 'GBP', 4200],
    ['0,5', 'de', 'EUR', 50],
    ['0.500', 'en', 'KWD', 500],
    ['1 234,56', 'fr', 'EUR', 123_456],
    ['1’234.50', 'de-CH', 'CHF', 123_450],
    ["1'234.50", 'en', 'CHF', 123_450],
    ['1.234,56', 'en', 'EUR', 123_456],
    ['1,234.56', 'de', 'EUR', 123_456],
    ['1,23,456.00', 'en-IN', 'INR', 12_345_600],
    ['1.234.567', 'en', 'EUR', 123_456_700],
    ['1,234,567.891', 'de', 'KWD', 1_234_567_891],
    ['٤٢٫٥٠', 'en', 'GBP', 4250],
    ['４２．５０', 'ja', 'GBP', 4250],
    ['4.200', 'de', 'JPY', 4200],
    ['1,000', 'en', 'JPY', 1000],
    ['$12', 'de', 'USD', 1200],
    ['$12', 'es-MX', 'USD', 1200],
    ['12 gbp', 'en', 'GBP', 1200],
    // Grouped in one language, with decimals in another.
    ['1,234', 'en', 'GBP', 123_400],
    ['1.234', 'de', 'EUR', 123_400],
    ['1.234', 'en', 'GBP', 'ambiguous'],
    ['1,234', 'de', 'EUR', 'ambiguous'],
    ['1,234', 'fr', 'EUR', 'ambiguous'],
    ['1.234', 'fr', 'EUR', 'ambiguous'],
    ['1,234', 'en', 'KWD', 'ambiguous'],
    ['1.234', 'de', 'KWD', 'ambiguous'],
    ['4.200', 'en', 'JPY', 'ambiguous'],
    ['1.234', 'en', 'KWD', 1234],
    ['1,234', 'de', 'KWD', 1234],
    // No amount of this currency.
    ['12.345,6', 'en', 'JPY', 'unreadable'],
    ['8.5555', 'en', 'GBP', 'unreadable'],
    ['12.5', 'en', 'JPY', 'unreadable'],
    ['€12', 'en', 'GBP', 'unreadable'],
    ['12 EUR', 'en', 'GBP', 'unreadable'],
    ['£12 €', 'en', null, 'unreadable'],
    ['-5', 'en', 'GBP', 'unreadable'],
    ['1,2,3', 'en', 'GBP', 'unreadable'],
    ['12,34.56', 'en', 'GBP', 'unreadable'],
    ['01,234.00', 'en', 'GBP', 'unreadable'],
    ['1.2.3,4', 'de', 'EUR', 'unreadable'],
    ['1e3', 'en', 'GBP', 'unreadable'],
    ['twelve', 'en', 'GBP', 'unreadable'],
    ['', 'en', 'GBP', 'unreadable'],
    ['9'.repeat(20), 'en', 'GBP', 'unreadable'],
  ])('%s in %s, %s: %s', (text, locale, currency, expected) => {
    expect(read(text, locale, currency)).toBe(expected)
  })
})

// Whoever types an amount in one country's way where the page speaks another's must not move another amount.
test.each(languages)('what somebody types who writes %s is that amount anywhere, or none', (locale) => {
  for (const currency of currencies) {
    for (const amount of amounts) {
      const text = typedAmount(amount, currency, locale)
      for (const page of languages) {
        const result = read(text, page, currency)
        if (result !== 'ambiguous') expect([text, page, result]).toEqual([text, page, amount])
      }
    }
  }
})
