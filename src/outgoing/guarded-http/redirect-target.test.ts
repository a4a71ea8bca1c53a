import { expect, test } from 'vitest'
import { redirectTarget } from './answer.ts'

const from = new URL('https://shop.example/hooks')

test.each([
  ['an address', 'https://www.shop.example/hooks', 'https://www.shop.example/hooks'],
  ['a path', '/in/hooks', 'https://shop.example/in/hooks'],
  ['what may be secret', 'https://u:p@www.shop.example/h?t=1#x', 'https://www.shop.example/h'],
  ['another scheme', 'javascript:alert(1)', undefined],
  ['no address', 'https://', undefined],
  ['a long one', `/${'x'.repeat(5_000)}`, `https://shop.example/${'x'.repeat(279)}`],
  ['two', ['/a', '/b'], undefined],
  ['none', undefined, undefined],
])('%s', (_, location, target) => {
  expect(redirectTarget(location, from)).toBe(target)
})
