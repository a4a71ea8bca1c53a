// Security codes of three digits and of four.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { codeFault, codeLengths, formatCode, isOfAnotherCard } from './code.ts'

test.each([
  ['', 3, 4],
  ['4', 3, 3],
  ['5555', 3, 3],
  ['34', 4, 4],
  ['6011', 3, 3],
])('a card that begins with %j has a code of %i to %i digits', (number, shortest, longest) => {
  expect(codeLengths(number)).toEqual({ shortest, longest })
})

test.each([
  ['12', '4', '12'],
  ['1 2-3', '4', '123'],
  ['1234', '4', '123'],
  ['1234', '37', '1234'],
  ['1234', '', '1234'],
  ['12345', '37', '1234'],
  ['１２３', '4', '123'],
  ['abc', '4', ''],
])('%j on a card that begins with %j is shown as %j', (typed, number, shown) => {
  const { value } = formatCode({ value: typed, caret: typed.length }, codeLengths(number))
  expect(value).toBe(shown)
})

test('the caret never leaves the field, and formatting again changes nothing', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 12 }), fc.nat(12), (value, caret) => {
      const shown = formatCode({ value, caret }, codeLengths('4'))
      expect(shown.caret).toBeLessThanOrEqual(shown.value.length)
      expect(formatCode(shown, codeLengths('4'))).toEqual(shown)
    }),
  )
})

test.each([
  ['', '4', 'code_missing'],
  ['12', '4', 'code_incomplete'],
  ['123', '4', null],
  ['123', '37', 'code_incomplete'],
  ['1234', '37', null],
  ['123', '', null],
  ['1234', '', null],
])('%j on a card that begins with %j: %s', (value, number, fault) => {
  expect(codeFault(value, codeLengths(number))).toBe(fault)
})

test('four digits are not a Visa code', () => {
  expect(isOfAnotherCard('1234', codeLengths('4'))).toBe(true)
  expect(isOfAnotherCard('1234', codeLengths(''))).toBe(false)
  expect(isOfAnotherCard('123', codeLengths('37'))).toBe(false)
})
