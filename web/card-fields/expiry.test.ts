// Expiry dates, however they are written, and the caret while they are.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { digitsOf } from './digits.ts'
import { expiryFault, formatExpiry, isExpiryWhole, readExpiry } from './expiry.ts'

const now = new Date('2026-09-15T12:00:00Z')
const atEnd = (value: string) => ({ value, caret: value.length })

test.each([
  ['1', '1'],
  ['0', '0'],
  ['2', '02 / '],
  ['9', '09 / '],
  ['12', '12 / '],
  ['13', '01 / 3'],
  ['1/', '01 / '],
  ['1 ', '01 / '],
  ['0/', '0'],
  ['1/30', '01 / 30'],
  ['1-30', '01 / 30'],
  ['01/30', '01 / 30'],
  [' 01 / 30 ', '01 / 30'],
  ['0130', '01 / 30'],
  ['0 1 3 0', '01 / 30'],
  ['1 2 2 0 3 0 ', '12 / 2030'],
  ['130', '01 / 30'],
  ['429', '04 / 29'],
  ['04/2029', '04 / 2029'],
  ['042029', '04 / 2029'],
  ['2029-04', '04 / 2029'],
  ['2029-4', '04 / 2029'],
  ['202904', '04 / 2029'],
  ['2029/04/30', '04 / 2029'],
  ['٠٤/٢٩', '04 / 29'],
  ['０４／２９', '04 / 29'],
  ['', ''],
  ['/', ''],
])('%j is shown as %j, the caret at the end', (typed, shown) => {
  expect(formatExpiry(atEnd(typed))).toEqual(atEnd(shown))
})

test.each([
  ['the gap behind the month', '02 /', 4, '02', 2],
  ['the first digit of the month', '2 / 30', 0, '2 / 30', 0],
  ['the second digit of the month', '1 / 30', 1, '1 / 30', 1],
  ['the whole month', ' / 30', 0, ' / 30', 0],
  ['the year', '12 / ', 5, '12', 2],
  ['everything', '', 0, '', 0],
  ['all but a lone digit', '2', 1, '2', 1],
])('deleting %s puts nothing in', (_, value, caret, shown, caret_shown) => {
  expect(formatExpiry({ value, caret }, true)).toEqual({ value: shown, caret: caret_shown })
})

test.each([
  ['another first digit of the month', '12 / 30', 1, '12 / 30', 1],
  ['a month where none is left', '1 / 30', 1, '01 / 30', 5],
  ['a digit into a whole month', '112 / 30', 2, '11 / 230', 5],
  ['a digit into the year', '12 / 390', 7, '12 / 390', 7],
])('typing %s', (_, value, caret, shown, caret_shown) => {
  expect(formatExpiry({ value, caret })).toEqual({ value: shown, caret: caret_shown })
})

describe('whatever is typed', () => {
  const texts = fc.oneof(fc.stringMatching(/^[0-9 /-]{0,10}$/), fc.string({ unit: 'binary', maxLength: 12 }))
  const typed = fc.tuple(texts, fc.nat(12)).map(([value, place]) => ({ value, caret: Math.min(place, value.length) }))

  test('what is formatted is not formatted again', () => {
    fc.assert(
      fc.property(typed, (each) => {
        const { value } = formatExpiry(each)
        expect(formatExpiry(atEnd(value)).value).toBe(value)
      }),
    )
  })

  test('deleting changes no digit, before the caret or behind it', () => {
    fc.assert(
      fc.property(typed, ({ value, caret }) => {
        const shown = formatExpiry({ value, caret }, true)
        expect(digitsOf(shown.value)).toBe(digitsOf(value))
        expect(digitsOf(shown.value.slice(0, shown.caret))).toBe(digitsOf(value.slice(0, caret)))
      }),
    )
  })
})

test('every month and year is read as it was typed, key by key', () => {
  const months = fc.integer({ min: 1, max: 12 })
  const years = fc.integer({ min: 2026, max: 2045 })
  fc.assert(
    fc.property(months, years, fc.boolean(), (exp_month, exp_year, long) => {
      const year = String(exp_year).slice(long ? 0 : 2)
      const shown = [...`${String(exp_month).padStart(2, '0')}${year}`].reduce(
        (field, key) => formatExpiry(atEnd(field + key)).value,
        '',
      )
      expect(readExpiry(shown)).toEqual({ exp_month, exp_year })
    }),
  )
})

test.each([
  ['', 'expiry_missing'],
  [' / ', 'expiry_missing'],
  ['1', 'expiry_incomplete'],
  ['12 / 3', 'expiry_incomplete'],
  ['12 / 203', 'expiry_incomplete'],
  ['12 / 20300', 'expiry_incomplete'],
  ['13 / 30', 'expiry_incomplete'],
  ['00 / 30', 'expiry_incomplete'],
  ['08 / 26', 'expiry_past'],
  ['12 / 25', 'expiry_past'],
  ['01 / 1999', 'expiry_past'],
  ['09 / 26', null],
  ['10 / 2026', null],
  ['12 / 45', null],
  ['01 / 46', 'expiry_too_far'],
  ['01 / 2046', 'expiry_too_far'],
])('%j: %s', (value, fault) => {
  expect(expiryFault(value, now)).toBe(fault)
})

test.each([
  ['09 / 26', '2026-10-01T11:59:59.999Z', null],
  ['09 / 26', '2026-10-01T12:00:00Z', 'expiry_past'],
  ['12 / 26', '2027-01-01T11:59:59.999Z', null],
  ['12 / 26', '2027-01-01T12:00:00Z', 'expiry_past'],
  ['01 / 46', '2026-12-31T23:59:59.999Z', 'expiry_too_far'],
  ['01 / 46', '2027-01-01T00:00:00Z', null],
])('a card is good until its month has ended everywhere: %s at %s', (value, time, fault) => {
  expect(expiryFault(value, new Date(time))).toBe(fault)
})

test.each([
  ['1', false],
  ['12 / ', false],
  ['12 / 3', false],
  ['12 / 30', true],
  ['12 / 20', false],
  ['12 / 203', false],
  ['12 / 2030', true],
  ['13 / 30', true],
])('%j: whole %s', (value, whole) => {
  expect(isExpiryWhole(value)).toBe(whole)
})
