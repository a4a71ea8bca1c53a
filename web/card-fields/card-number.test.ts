// Card numbers: brands, groups, the caret, and when a number is wrong.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readCard } from '../../src/cards/card.ts'
import { luhn as serviceLuhn } from '../../src/cards/luhn.ts'
import { ruleOf } from './brands.ts'
import { formatNumber, isNumberWhole, numberFault } from './card-number.ts'
import { digitsOf } from './digits.ts'
import { luhn } from './luhn.ts'

const accepted = ['visa', 'mastercard', 'amex']
const atEnd = (value: string) => ({ value, caret: value.length })

test.each([
  ['4', 'visa'],
  ['51', 'mastercard'],
  ['55', 'mastercard'],
  ['2220', null],
  ['2221', 'mastercard'],
  ['2720', 'mastercard'],
  ['2721', null],
  ['34', 'amex'],
  ['37', 'amex'],
  ['3', null],
  ['300', 'diners'],
  ['36', 'diners'],
  ['39', 'diners'],
  ['6011', 'discover'],
  ['644', 'discover'],
  ['65', 'discover'],
  ['3528', 'jcb'],
  ['3589', 'jcb'],
  ['1800', 'jcb'],
  ['2131', 'jcb'],
  ['620', 'unionpay'],
  ['5018', 'maestro'],
  ['6304', 'maestro'],
  ['2200', 'mir'],
  ['2204', 'mir'],
  ['509', 'elo'],
  ['606282', 'hipercard'],
  ['506099', 'verve'],
  ['650002', 'verve'],
  ['9', null],
  ['', null],
])('numbers that begin with %s are of %s', (digits, brand) => {
  expect(ruleOf(digits)?.brand ?? null).toBe(brand)
})

test.each([
  ['4242', '4242'],
  ['42424', '4242 4'],
  ['4000009100020000', '4000 0091 0002 0000'],
  ['4242-4242.4242\u00a04242', '4242 4242 4242 4242'],
  ['４２４２４２４２４２４２４２４２', '4242 4242 4242 4242'],
  ['340000910004000', '3400 009100 04000'],
  ['36227206271667', '3622 720627 1667'],
  ['4000000000000000006', '4000 0000 0000 0000006'],
  ['55555555555544441', '5555 5555 5555 44441'],
  ['card', ''],
])('%s is shown as %s', (typed, shown) => {
  expect(formatNumber(atEnd(typed)).value).toBe(shown)
})

test.each([
  ['a digit put in before a gap', '42942 4242', 3, '4294 2424 2', 3],
  ['the fourth digit of a group put in', '4249 4242', 4, '4249 4242', 4],
  ['a digit put in behind a gap', '4242 94242', 6, '4242 9424 2', 6],
  ['a digit taken from the middle', '442 4242', 1, '4424 242', 1],
  ['all at the end', '42424', 5, '4242 4', 6],
  ['the caret at the start', '42424', 0, '4242 4', 0],
])('the caret keeps its place: %s', (_, value, caret, shown, caret_shown) => {
  expect(formatNumber({ value, caret })).toEqual({ value: shown, caret: caret_shown })
})

describe('whatever is typed', () => {
  const texts = fc.oneof(
    fc.stringMatching(/^[0-9 .-]{0,30}$/),
    fc.stringMatching(/^(34|4|51|36)[0-9 ]{0,25}$/),
    fc.string({ unit: 'binary', maxLength: 30 }),
  )
  const typed = fc.tuple(texts, fc.nat(30)).map(([value, place]) => ({
    value,
    caret: Math.min(place, value.length),
  }))

  test('no digit is lost, and those before the caret stay before it', () => {
    fc.assert(
      fc.property(typed, ({ value, caret }) => {
        const shown = formatNumber({ value, caret })
        expect(digitsOf(shown.value)).toBe(digitsOf(value))
        expect(digitsOf(shown.value.slice(0, shown.caret))).toBe(digitsOf(value.slice(0, caret)))
      }),
    )
  })

  test('what is formatted is not formatted again', () => {
    fc.assert(
      fc.property(typed, (each) => {
        const shown = formatNumber(each)
        expect(formatNumber(shown)).toEqual(shown)
      }),
    )
  })
})

test.each([
  ['nothing', '', 'number_missing'],
  ['spaces', '  ', 'number_missing'],
  ['a Visa', '4242 4242 4242 4242', null],
  ['a Visa of 19 digits', '4000000000000000006', null],
  ['a Mastercard', '5555555555554444', null],
  ['an Amex', '378282246310005', null],
  ['a short Visa', '424242424242424', 'number_incomplete'],
  ['a Visa of 17 digits', '42424242424242424', 'number_wrong'],
  ['a wrong check digit', '4242424242424241', 'number_wrong'],
  ['a Mastercard too long', '55555555555544440', 'number_wrong'],
  ['20 digits', '42424242424242424242', 'number_wrong'],
  ['a Discover', '6011111111111117', 'brand_unsupported'],
  ['the start of a Discover', '6011', 'brand_unsupported'],
  ['a JCB', '3566002020360505', 'brand_unsupported'],
  ['a Diners', '36227206271667', 'brand_unsupported'],
  ['a UnionPay', '6200000000000005', 'brand_unsupported'],
  ['a brand nobody knows', '9000000000000001', 'brand_unsupported'],
  ['a brand nobody knows, mistyped', '9000000000000000', 'number_wrong'],
])('%s: %s', (_, value, fault) => {
  expect(numberFault(value, accepted)).toBe(fault)
})

test('a brand is refused where the shop does not take it', () => {
  expect(numberFault('378282246310005', ['visa'])).toBe('brand_unsupported')
})

test.each([
  ['424242424242424', false],
  ['4242424242424242', true],
  ['42424242424242424', false],
  ['424242424242424242', true],
  ['42424242424242424242', true],
  ['37828224631000', false],
  ['378282246310005', true],
  ['5555555555554444', true],
  ['55555555555544441', true],
  ['900000000000000', false],
  ['9000000000000000', true],
])('%s: whole %s', (value, whole) => {
  expect(isNumberWhole(value)).toBe(whole)
})

describe('the service says the same', () => {
  const numbers = fc
    .tuple(
      fc.constantFrom('4', '51', '55', '2221', '2720', '2721', '34', '37', '36', '6011', '6', '9'),
      fc.stringMatching(/^[0-9]{8,17}$/),
    )
    .map((parts) => parts.join(''))
    .chain((digits) => fc.constantFrom(...'0123456789').map((last) => digits + last))

  test('of check digits', () => {
    fc.assert(fc.property(numbers, (number) => luhn(number) === serviceLuhn(number)))
  })

  test('of what is a card', () => {
    const now = new Date('2026-09-01T00:00:00Z')
    fc.assert(
      fc.property(numbers, (number) => {
        expect(numberFault(number, accepted) === null).toBe(isTaken(number, now))
      }),
      { numRuns: 2000 },
    )
  })
})

/** Whether the service finds nothing wrong with a live card's number but, perhaps, that it is a test card. */
function isTaken(number: string, now: Date): boolean {
  const cvc = /^3[47]/.test(number) ? '1234' : '123'
  try {
    readCard({ number, exp_month: 1, exp_year: 2030, cvc }, { mode: 'live', now })
    return true
  } catch (error) {
    return /test card/.test((error as Error).message)
  }
}
