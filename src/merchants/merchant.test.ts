import { expect, test } from 'vitest'
import { completeProfileOf, ofBrand, readAcquiringProfile } from './merchant.ts'

const profile = { acquirer: 'main', descriptor_name: 'TEA', mcc: '5499', country: 'GB' }

test.each<[string, object]>([
  ['nothing for 3-D Secure', {}],
  ['a label of a 3-D Secure connection', { three_ds: 'bank-checks' }],
  ['one text for all brands', { acquirer_bin: '400000', acquirer_merchant_id: 'TEA1' }],
  ['a text for each', { acquirer_bin: { visa: '4000' }, acquirer_merchant_id: { amex: 'A' } }],
  ['what is not known here', { notes: 'kept' }],
])('a profile may hold %s', (_, more) => {
  expect(readAcquiringProfile({ ...profile, ...more })).toEqual({
    profile: { ...profile, ...more },
  })
})

test.each<[string, object, string[]]>([
  ['no label', { acquirer: '' }, ['acquirer']],
  ['a label that is no text', { three_ds: 7 }, ['three_ds']],
  ['letters in a BIN', { acquirer_bin: 'abc' }, ['acquirer_bin']],
  ['letters in one of several', { acquirer_bin: { visa: '4', amex: 'x' } }, ['acquirer_bin']],
  ['a brand that there is not', { acquirer_bin: { diners: '3' } }, ['acquirer_bin']],
  ['a merchant id too long', { acquirer_merchant_id: { visa: 'x'.repeat(36) } }, ['acquirer_merchant_id']],
])('a profile is incomplete with %s', (_, more, missing) => {
  expect(readAcquiringProfile({ ...profile, ...more })).toEqual({ missing })
  expect(completeProfileOf({ acquiring_profile: { ...profile, ...more } })).toBeNull()
})

test.each([
  ['400000', 'visa', '400000'],
  ['400000', 'amex', '400000'],
  [{ visa: '4', mastercard: '5' }, 'mastercard', '5'],
  [{ visa: '4', mastercard: '5' }, 'amex', null],
  [undefined, 'visa', null],
] as const)('%j says of %s: %s', (setting, brand, value) => {
  expect(ofBrand(setting, brand)).toBe(value)
})
