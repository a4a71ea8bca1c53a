import fc from 'fast-check'
import { expect, test } from 'vitest'
import { brands } from '../../kernel/values.ts'
import { authenticationValue, eciOf } from './access-control-server.ts'

const about = {
  acs_transaction_id: 'a',
  number: '4000009100020000',
  amount: '4200',
  brand: 'visa',
} as const
const key = Buffer.alloc(32, 1)

test('it is 20 bytes in base64, and Mastercard’s begins with k', () => {
  fc.assert(
    fc.property(fc.string(), fc.constantFrom(...brands), (acs_transaction_id, brand) => {
      const value = authenticationValue(key, { ...about, acs_transaction_id, brand })
      expect(value).toMatch(/^[A-Za-z0-9+/]{27}=$/)
      expect(Buffer.from(value, 'base64')).toHaveLength(20)
      if (brand === 'mastercard') expect(value[0]).toBe('k')
    }),
  )
})

test.each([
  ['transaction', { acs_transaction_id: 'b' }],
  ['number', { number: '4242424242424242' }],
  ['amount', { amount: '4201' }],
])('another %s, another value', (_, changes) => {
  const value = authenticationValue(key, about)
  expect(authenticationValue(key, about)).toBe(value)
  expect(authenticationValue(key, { ...about, ...changes })).not.toBe(value)
})

test('another key, another value', () => {
  const other = authenticationValue(Buffer.alloc(32, 2), about)
  expect(other).not.toBe(authenticationValue(key, about))
})

test.each([
  ['visa', 'Y', '05'],
  ['visa', 'A', '06'],
  ['amex', 'Y', '05'],
  ['amex', 'A', '06'],
  ['mastercard', 'Y', '02'],
  ['mastercard', 'A', '01'],
] as const)('%s %s is %s', (brand, status, eci) => {
  expect(eciOf(brand, status)).toBe(eci)
})
