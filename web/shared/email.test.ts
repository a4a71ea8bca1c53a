// The pages refuse exactly the addresses that the service refuses.

import { expect, test } from 'vitest'
import { isEmail } from './email.ts'

// By a name that the compiler does not follow: the service's types are not those of a browser.
const service = '../../src/payments/fields.ts'
const { email } = (await import(service)) as {
  email: { safeParse(text: string): { success: boolean; data?: unknown } }
}

test.each([
  ['plain', 'ann@example.com'],
  ['of one label', 'a@b'],
  ['of other scripts', '用户@例え.jp'],
  ['with a plus', 'a+b@example.com'],
  ['without an at', 'example.com'],
  ['with two ats', 'a@b@c'],
  ['with a space', 'a b@c'],
  ['with nothing before', '@c'],
  ['with nothing behind', 'a@'],
  ['with a dot at the end', 'a@b.'],
  ['with a dot at the beginning of its domain', 'a@.b'],
  ['with two dots together', 'a@b..c'],
  ['of many labels', 'a.b@c.d.e.example'],
  ['as long as may be', `${'a'.repeat(250)}@b.c`],
  ['too long', `${'a'.repeat(251)}@b.c`],
])('an address %s', (_, text) => {
  expect(isEmail(text)).toBe(email.safeParse(text).success)
})

test('empty is none: the service takes that for null, and the pages ask for one', () => {
  expect(isEmail('')).toBe(false)
  expect(email.safeParse('')).toMatchObject({ data: null })
})
