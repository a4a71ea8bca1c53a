import { expect, test } from 'vitest'
import { costRatio } from '../../proofs/fuzz/costs.ts'
import { fieldPath } from './field-path.ts'

const letters = 'x'.repeat(85)

test.each<[string, PropertyKey[], string]>([
  ['members and lines', ['items', 2, 'sku'], 'items[2].sku'],
  ['eleven digits', ['12345678901'], '12345678901'],
  ['as many digits as a card number', ['metadata', '424242424242'], 'metadata.(a name of digits)'],
  ['digits that begin within what is shown', [`${letters}4242424242424242`], '(a name of digits)'],
  ['a long name', ['x'.repeat(300)], 'x'.repeat(100)],
  ['a pair at the cut', [`${'x'.repeat(99)}\u{1f600}`], `${'x'.repeat(99)}\ufffd`],
])('%s', (_, parts, path) => {
  expect(fieldPath(parts)).toBe(path)
})

test('a name of a whole body is no dearer than one of a line', () => {
  const often = (name: string) => () => {
    for (let index = 0; index < 200; index++) fieldPath([name])
  }
  const [hostile, harmless] = [often('4'.repeat(120_000)), often('4'.repeat(200))]
  expect(costRatio({ hostile, harmless }, { enough: 10 })).toBeLessThan(10)
})
