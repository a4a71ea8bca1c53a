// Sizes and fonts that a merchant may choose.

import { expect, test } from 'vitest'
import { fontsOf, lengthOf } from './appearance.ts'

test.each<[unknown, string | null]>([
  ['16px', '16px'],
  ['1.125rem', '1.125rem'],
  ['1em', '1em'],
  ['12px', '12px'],
  ['24px', '24px'],
  ['11px', null],
  ['25px', null],
  ['2rem', null],
  ['16', null],
  ['100%', null],
  ['-16px', null],
  ['calc(1px + 1em)', null],
  ['16px; color: red', null],
  [16, null],
  [undefined, null],
])('a font size of %j: %j', (text, length) => {
  expect(lengthOf(text, { px_min: 12, px_max: 24 })).toBe(length)
})

test.each<[unknown, string | null]>([
  ['Inter', '"Inter",system-ui,sans-serif'],
  ['"Open Sans", Arial, serif', '"Open Sans","Arial",serif,system-ui,sans-serif'],
  ["'Noto Sans JP'", '"Noto Sans JP",system-ui,sans-serif'],
  ['-apple-system, system-ui', '-apple-system,system-ui,system-ui,sans-serif'],
  ['inherit', '"inherit",system-ui,sans-serif'],
  ['ヒラギノ角ゴ', '"ヒラギノ角ゴ",system-ui,sans-serif'],
  ['', null],
  ['Inter,', null],
  ['Inter; color: red', null],
  ['url(https://shop.example/x)', null],
  ['var(--x)', null],
  ['"Inter', null],
  ['a"b', null],
  ['In\\ter', null],
  ['a'.repeat(301), null],
  [7, null],
])('fonts %j: %j', (text, fonts) => {
  expect(fontsOf(text)).toBe(fonts)
})
