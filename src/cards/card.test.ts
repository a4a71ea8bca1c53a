// Which typed cards are accepted, and which field each refusal names.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CardError, type CardInput, readCard } from './card.ts'
import { luhn } from './luhn.ts'
import { publishedNumbers, testCardOf } from './test-cards.ts'

const now = new Date('2026-09-01T12:00:00Z')
const typed: CardInput = {
  number: '4242424242424242',
  exp_month: 9,
  exp_year: 2026,
  cvc: '123',
  cardholder_name: 'Ada Lovelace',
}
const amex = { number: '378282246310005', cvc: '1234' }
const live = { number: '4012000033330026' }

function refusal(change: Partial<CardInput>, mode: 'test' | 'live' = 'test', at = now): CardError {
  try {
    readCard({ ...typed, ...change }, { mode, now: at })
  } catch (error) {
    if (error instanceof CardError) return error
    throw error
  }
  throw new Error('the card was taken')
}

describe('taken', () => {
  test('as typed, with the parts that may be shown', () => {
    expect(readCard({ ...typed, number: '4242-4242 4242\u00a04242' }, { mode: 'test', now })).toEqual({
      brand: 'visa',
      number: '4242424242424242',
      last4: '4242',
      bin6: '424242',
      exp_month: 9,
      exp_year: 2026,
      cvc: '123',
      cardholder_name: 'Ada Lovelace',
    })
  })

  test.each<[string, Partial<CardInput>]>([
    ['without a name', { cardholder_name: undefined }],
    ['with null for a name', { cardholder_name: null }],
    ['with a name of one letter', { cardholder_name: 'X' }],
    ['with a name of 45 characters', { cardholder_name: 'é'.repeat(45) }],
    ['with a digit in the name', { cardholder_name: 'Louis 14' }],
    ['for the last month', { exp_month: 12, exp_year: 2046 }],
    ['an Amex with four digits', amex],
  ])('%s', (_, change) => {
    expect(() => readCard({ ...typed, ...change }, { mode: 'test', now })).not.toThrow()
  })

  test.each([
    ['4012000033330026', 'visa'],
    ['400000000000000002', 'visa'],
    ['4000000000000000006', 'visa'],
    ['5105105105105118', 'mastercard'],
    ['2221000000000009', 'mastercard'],
    ['2720990000000007', 'mastercard'],
    ['340000000000009', 'amex'],
    ['370000000000002', 'amex'],
  ])('live, %s is %s', (number, brand) => {
    const cvc = brand === 'amex' ? '1234' : '123'
    expect(readCard({ ...typed, number, cvc }, { mode: 'live', now }).brand).toBe(brand)
  })

  test('every published test number, in test mode', () => {
    for (const number of publishedNumbers) {
      const cvc = testCardOf(number)!.brand === 'amex' ? '1234' : '123'
      const card = readCard({ ...typed, number, cvc }, { mode: 'test', now })
      expect(card.brand).toBe(testCardOf(number)!.brand)
      expect(refusal({ number, cvc }, 'live').field).toBe('number')
    }
  })
})

describe('refused', () => {
  test.each<[string, Partial<CardInput>, string, string]>([
    ['no number', { number: ' ' }, 'number', 'Enter'],
    ['letters', { number: '4242 4242 4242 424x' }, 'number', 'digits, spaces and hyphens'],
    ['too short', { number: '42424242424' }, 'number', '12 to 19'],
    ['too long', { number: '42424242424242424242' }, 'number', '12 to 19'],
    ['a wrong digit', { number: '4242424242424241' }, 'number', 'not a valid card number'],
    ['a Visa of 13 digits', { number: '4222222222222' }, 'number', 'not taken'],
    ['Discover', { number: '6011111111111117' }, 'number', 'not taken'],
    ['JCB', { number: '3566002020360505' }, 'number', 'not taken'],
    ['Diners Club', { number: '36227206271667' }, 'number', 'not taken'],
    ['UnionPay', { number: '6200000000000005' }, 'number', 'not taken'],
    ['below the 2-series', { number: '2220990000000002' }, 'number', 'not taken'],
    ['above the 2-series', { number: '2721000000000004' }, 'number', 'not taken'],
    ['a real card in test mode', live, 'number', 'Test mode'],
    ['month 0', { exp_month: 0 }, 'exp_month', '1 to 12'],
    ['month 13', { exp_month: 13 }, 'exp_month', '1 to 12'],
    ['half a month', { exp_month: 1.5 }, 'exp_month', '1 to 12'],
    ['two digits of a year', { exp_year: 27 }, 'exp_year', 'four digits'],
    ['last month', { exp_month: 8 }, 'exp_month', 'expired'],
    ['last year', { exp_month: 12, exp_year: 2025 }, 'exp_year', 'expired'],
    ['in 21 years', { exp_month: 1, exp_year: 2047 }, 'exp_year', 'too far ahead'],
    ['three digits on Amex', { ...amex, cvc: '123' }, 'cvc', '4 digits'],
    ['four digits on Visa', { cvc: '1234' }, 'cvc', '3 digits'],
    ['no security code', { cvc: '' }, 'cvc', '3 digits'],
    ['a code with a letter', { cvc: '12a' }, 'cvc', '3 digits'],
    ['a code in other digits', { cvc: '١٢٣' }, 'cvc', '3 digits'],
    ['an empty name', { cardholder_name: ' ' }, 'cardholder_name', '1 to 45'],
    ['a name of 46 characters', { cardholder_name: 'x'.repeat(46) }, 'cardholder_name', '1 to 45'],
    ['a line break in the name', { cardholder_name: 'A\nB' }, 'cardholder_name', 'control'],
    ['a number for a name', { cardholder_name: '12-34 ٥' }, 'cardholder_name', 'not a number'],
    ['a card number in the name', { cardholder_name: 'Ada 4242 4242 4242 4242' }, 'cardholder_name', 'not a number'],
  ])('%s', (_, change, field, message) => {
    const error = refusal(change)
    expect(error.field).toBe(field)
    expect(error.message).toContain(message)
  })

  test.each([
    [{}, '2026-10-01T11:59:59.999Z', '2026-10-01T12:00:00Z', 'exp_month'],
    [{ exp_month: 12 }, '2027-01-01T11:59:59.999Z', '2027-01-01T12:00:00Z', 'exp_year'],
  ])('a card is good until its month has ended everywhere: %j', (change, last, first, field) => {
    const typedThen = { ...typed, ...change }
    expect(() => readCard(typedThen, { mode: 'test', now: new Date(last) })).not.toThrow()
    expect(refusal(change, 'test', new Date(first)).field).toBe(field)
  })

  test('no message repeats what was typed', () => {
    const digits = fc.stringMatching(/^[0-9]{3,20}$/)
    fc.assert(
      fc.property(digits, digits, (number, cvc) => {
        fc.pre(!luhn(number) || cvc.length > 4)
        const { message } = refusal({ number, cvc, cardholder_name: number })
        expect(message).not.toContain(number)
        expect(message).not.toContain(cvc)
      }),
    )
  })
})
