// Digits of every script, and the delete key beside a gap.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { deleteOverGap, digitsOf, placeBehind } from './digits.ts'

test.each([
  ['spaces', '4242 4242', '42424242'],
  ['dots', '4242.4242', '42424242'],
  ['dashes of all kinds', '42-42–42—42−42', '4242424242'],
  ['no-break and thin spaces', '4242\u00a04242\u202f42', '4242424242'],
  ['full-width digits', '４２４２', '4242'],
  ['Arabic-Indic digits', '٤٢٤٢', '4242'],
  ['Persian digits', '۴۲', '42'],
  ['Devanagari digits', '४२', '42'],
  ['mathematical digits', '𝟒𝟐', '42'],
  ['letters', 'a4b2', '42'],
  ['zero-width characters', '4\u200b2', '42'],
  ['nothing', '', ''],
])('digits among %s', (_, text, digits) => {
  expect(digitsOf(text)).toBe(digits)
})

test.each([
  ['none', 0, 0],
  ['before a gap', 4, 4],
  ['behind a gap', 5, 6],
  ['more than there are', 99, 9],
])('the place behind %s', (_, digits, place) => {
  expect(placeBehind('4242 4242', digits)).toBe(place)
})

test.each([
  ['backspace behind a gap takes the digit before it', '4242 1', 5, false, '424 1', 3],
  ['backspace behind a wide gap', '02 / ', 5, false, '0 / ', 1],
  ['delete before a gap takes the digit behind it', '4242 1', 4, true, '4242 ', 4],
])('%s', (_, value, caret, forward, left, caret_left) => {
  expect(deleteOverGap({ value, caret }, forward)).toEqual({ value: left, caret: caret_left })
})

test.each([
  ['backspace behind a digit', '4242 1', 4, false],
  ['delete before a digit', '4242 1', 5, true],
  ['backspace at the start', '4242 1', 0, false],
  ['delete at the end', '4242 1', 6, true],
  ['a gap with nothing before it', ' / 30', 3, false],
  ['a gap with nothing behind it', '12 / ', 2, true],
])('leaves to the browser: %s', (_, value, caret, forward) => {
  expect(deleteOverGap({ value, caret }, forward)).toBeNull()
})

test('a key takes one digit or none', () => {
  const typed = fc.stringMatching(/^[0-9 /]{1,20}$/)
  fc.assert(
    fc.property(typed, fc.nat(20), fc.boolean(), (value, place, forward) => {
      const caret = Math.min(place, value.length)
      const left = deleteOverGap({ value, caret }, forward)
      if (!left) return
      expect(digitsOf(left.value).length).toBe(digitsOf(value).length - 1)
      expect(left.caret).toBeLessThanOrEqual(left.value.length)
    }),
  )
})
