import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decode, encode } from './base64url.ts'

test.each([
  ['unpadded', 'eyJhIjoxfQ', '{"a":1}'],
  ['padded', 'eyJhIjoxfQ==', '{"a":1}'],
  ['beyond ASCII', 'w6k', 'é'],
  ['empty', '', null],
  ['the other alphabet', '+/+/', null],
  ['white space', 'eyJh IjoxfQ', null],
  ['too much padding', 'eyJhIjoxfQ===', null],
  ['not UTF-8', '_w', null],
])('%s', (_, encoded, expected) => {
  expect(decode(encoded)).toBe(expected)
})

test('what is encoded has no padding and comes back, padded or not', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (text) => {
      const encoded = encode(text)
      expect(encoded).toMatch(/^[A-Za-z0-9_-]+$/)
      expect(decode(encoded)).toBe(text)
      expect(decode(encoded.padEnd(Math.ceil(encoded.length / 4) * 4, '='))).toBe(text)
    }),
  )
})
