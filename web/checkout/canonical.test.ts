import { expect, test } from 'vitest'
import { canonical, digest } from './canonical.ts'

test('the order of members does not matter, at any depth', () => {
  const one = {
    amount: 1,
    customer: { email: 'a@b', name: 'A' },
    items: [{ sku: 'a', quantity: 1 }],
  }
  const other = {
    items: [{ quantity: 1, sku: 'a' }],
    customer: { name: 'A', email: 'a@b' },
    amount: 1,
  }
  expect(canonical(other)).toBe(canonical(one))
})

test('a member without a value is none', () => {
  expect(canonical({ a: 1, b: undefined })).toBe(canonical({ a: 1 }))
})

test.each([
  ['another amount', { amount: 2 }],
  ['another type', { amount: '1' }],
  ['one more member', { amount: 1, currency: 'GBP' }],
  ['another order in a list', { amount: 1, items: [2, 1] }],
])('%s is something else', (_, options) => {
  expect(canonical(options)).not.toBe(canonical({ amount: 1 }))
  expect(canonical(options)).not.toBe(canonical({ amount: 1, items: [1, 2] }))
})

test('texts that differ a little have digests that differ', () => {
  const texts = Array.from({ length: 10_000 }, (_, number) => `{"amount":${number}}`)
  expect(new Set(texts.map(digest)).size).toBe(texts.length)
  expect(digest('ab')).not.toBe(digest('ba'))
  expect(digest('')).toMatch(/^[\d-]+$/)
})
