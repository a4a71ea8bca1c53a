// Colours: how they are read, and how far apart two of them are.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Colour, contrast, hexOf, readColour } from './colour.ts'

test.each([
  ['#fff', '#ffffff'],
  ['#1D4ed8', '#1d4ed8'],
  [' #000 ', '#000000'],
  ['rgb(29, 78, 216)', '#1d4ed8'],
  ['rgb(29 78 216)', '#1d4ed8'],
  ['RGB(100% 0% 50%)', '#ff0080'],
  ['rgb(300, -5, 0)', '#ff0000'],
  ['hsl(0, 100%, 50%)', '#ff0000'],
  ['hsl(120deg 100% 25%)', '#008000'],
  ['hsl(-120, 100%, 50%)', '#0000ff'],
  ['hsl(210 40% 98%)', '#f8fafc'],
  ['oklch(1 0 0)', '#ffffff'],
  ['oklch(0 0 0)', '#000000'],
  ['oklch(62.8% 0.2577 29.23)', '#ff0000'],
  ['oklch(0.452 0.3132 264.05deg)', '#0000ff'],
])('%s is %s', (text, hex) => {
  expect(hexOf(readColour(text)!)).toBe(hex)
})

test.each([
  'red',
  '',
  '#ff',
  '#ffff',
  '#ffffff80',
  'rgb(0 0 0 / 50%)',
  'rgba(0, 0, 0, 0.5)',
  'rgb(0, 0)',
  'rgb(a, b, c)',
  'rgb(1e3, 0, 0)',
  'rgb(calc(1), 0, 0)',
  'hsl(0, 100, 50)',
  'hsl(50%, 100%, 50%)',
  'var(--x)',
  'url(https://shop.example/x)',
  '#fff; background: url(x)',
  'color-mix(in srgb, red, blue)',
])('%j is none', (text) => {
  expect(readColour(text)).toBeNull()
})

test.each<[string, string, number]>([
  ['#000', '#fff', 21],
  ['#777', '#fff', 4.48],
  ['#767676', '#fff', 4.54],
  ['#1d4ed8', '#1d4ed8', 1],
])('contrast of %s and %s', (one, other, ratio) => {
  expect(contrast(readColour(one)!, readColour(other)!)).toBeCloseTo(ratio, 2)
})

test('contrast is the same either way, and a hexadecimal colour stays what it is', () => {
  const parts = fc.integer({ min: 0, max: 255 }).map((part) => part / 255)
  const colours: fc.Arbitrary<Colour> = fc.tuple(parts, parts, parts)
  fc.assert(
    fc.property(colours, colours, (one, other) => {
      expect(contrast(one, other)).toBe(contrast(other, one))
      expect(readColour(hexOf(one))).toEqual(one)
    }),
  )
})
