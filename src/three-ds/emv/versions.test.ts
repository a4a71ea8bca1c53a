import { expect, test } from 'vitest'
import { higher, highestCommon, lower } from './versions.ts'

test.each([
  ['2.1.0', '2.1.0', '2.1.0'],
  ['2.1.0', '2.2.0', '2.2.0'],
  ['2.2.0', '2.2.0', '2.2.0'],
  ['2.2.0', '2.3.1', '2.2.0'],
  ['2.1.0', '2.3.1', '2.2.0'],
  ['2.0.0', '2.10.0', '2.2.0'],
  ['2.3.1', '2.3.1', null],
  ['1.0.2', '2.0.0', null],
  ['2.2.0', '2.1.0', null],
])('a card from %s to %s is authenticated with %s', (start, end, expected) => {
  expect(highestCommon(start, end)).toBe(expected)
})

test('versions are compared by number, not by letter', () => {
  expect(higher('2.10.0', '2.9.0')).toBe('2.10.0')
  expect(lower('2.10.0', '2.9.0')).toBe('2.9.0')
})
