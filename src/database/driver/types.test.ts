// Arrays survive writing and reading, whatever their items are.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readArray, writeArray } from './types.ts'

const same = (text: string) => text

test('what is written is read again', () => {
  const special = fc.constantFrom('', 'NULL', 'null', '{', '}', ',', '"', '\\', '\\"', '\n', ' ')
  const items = fc.array(fc.option(fc.oneof(special, fc.string({ unit: 'binary' }))))
  fc.assert(
    fc.property(items, (list) => {
      expect(readArray(writeArray(list, same), same)).toEqual(list)
    }),
  )
})

test.each([
  ['{}', []],
  ['{1,2}', ['1', '2']],
  ['{NULL,"NULL",a b}', [null, 'NULL', 'a b']],
  ['{"a\\"b","c\\\\d","e,f"}', ['a"b', 'c\\d', 'e,f']],
])('%s as the server spells it', (text, expected) => {
  expect(readArray(text, same)).toEqual(expected)
})

test('several dimensions are refused', () => {
  expect(() => readArray('{{1},{2}}', same)).toThrow('several dimensions')
})
