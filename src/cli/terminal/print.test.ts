// Amounts by the exponent of their currency, and what others wrote, in one line that a terminal cannot obey.

import { expect, test } from 'vitest'
import { amount_max } from '../../kernel/values.ts'
import { money, oneLine } from './print.ts'

test.each([
  [4200, 'GBP', 'GBP 42.00'],
  [5, 'GBP', 'GBP 0.05'],
  [4200, 'JPY', 'JPY 4200'],
  [4200, 'KWD', 'KWD 4.200'],
  [5, 'CLF', 'CLF 0.0005'],
  [amount_max, 'EUR', 'EUR 999999999.99'],
])('%s of %s read %s', (amount, currency, expected) => {
  expect(money({ amount, currency })).toBe(expected)
})

test.each([
  ['as it is', 'as it is'],
  [' two\r\nlines\t', 'two lines'],
  ['\u001b[31mred\u009b\u202e', '[31mred'],
  ['just ten c', 'just ten c'],
  ['more than ten', 'more than…'],
])('%j reads %j', (text, expected) => {
  expect(oneLine(text, 10)).toBe(expected)
})
