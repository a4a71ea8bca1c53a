import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { identity, purchase } from '../../../tests/adapters/three-ds-fixtures.ts'
import type { AuthenticationRequest } from '../three-ds.ts'
import { buildAReq } from './areq.ts'
import { messageFault } from './messages.ts'

const test_mode = { mode: 'test', identity } as const
const live_mode = { mode: 'live', identity } as const

test('a purchase in the words of the protocol', () => {
  expect(buildAReq(purchase(), test_mode)).toMatchObject({
    messageType: 'AReq',
    messageVersion: '2.2.0',
    deviceChannel: '02',
    messageCategory: '01',
    threeDSRequestorAuthenticationInd: '01',
    threeDSRequestorChallengeInd: '01',
    threeDSCompInd: 'Y',
    threeDSServerURL: 'https://pay.example/3ds/results',
    acctNumber: '4000009100020000',
    cardExpiryDate: '3109',
    cardholderName: 'Ada Lovelace',
    email: 'ada@example.com',
    acquirerBIN: '400000',
    acquirerMerchantID: 'RIPPERTEST',
    mcc: '5999',
    merchantCountryCode: '826',
    merchantName: 'Tea & Sons',
    purchaseAmount: '4200',
    purchaseCurrency: '826',
    purchaseExponent: '2',
    purchaseDate: '20260901123456',
  })
})

const rows: [string, Partial<AuthenticationRequest>, Record<string, unknown>][] = [
  ['no exponent', { currency: 'JPY' }, { purchaseCurrency: '392', purchaseExponent: '0' }],
  ['three digits', { currency: 'kwd' }, { purchaseCurrency: '414', purchaseExponent: '3' }],
  ['a short month', { exp_month: 1, exp_year: 2030 }, { cardExpiryDate: '3001' }],
  ['an accent', { cardholder_name: 'Zoë Müller' }, { cardholderName: 'Zoe Muller' }],
  ['a long name', { cardholder_name: 'x'.repeat(60) }, { cardholderName: 'x'.repeat(45) }],
  ['a name of one letter', { cardholder_name: 'x' }, { cardholderName: undefined }],
  ['a name in another script', { cardholder_name: '王小明' }, { cardholderName: undefined }],
  ['no name', { cardholder_name: null }, { cardholderName: undefined }],
  ['an empty email', { email: '' }, { email: undefined }],
  ['an email that is none', { email: 'ada at home' }, { email: undefined }],
]

test.each(rows)('%s', (_, changes, expected) => {
  const areq = buildAReq(purchase(changes), test_mode)
  for (const [name, value] of Object.entries(expected)) expect(areq[name]).toBe(value)
  expect(messageFault(areq)).toBeNull()
})

describe('what the acquirer knows the merchant by', () => {
  const merchantIdentity = {
    name: 'A name of more than forty characters, cut 🫖🫖🫖🫖🫖',
    mcc: '5411',
    country: '040',
    acquirer_bin: '411111',
    acquirer_merchant_id: 'M-1',
  }

  test.each([test_mode, live_mode])('is sent as it is', (sender) => {
    const areq = buildAReq(purchase({ merchant: merchantIdentity }), sender)
    expect(areq).toMatchObject({ mcc: '5411', merchantCountryCode: '040', acquirerBIN: '411111' })
    expect([...(areq.merchantName as string)]).toHaveLength(40)
    expect(messageFault(areq)).toBeNull()
  })

  test('is not made up in live mode', () => {
    const fault = messageFault(buildAReq(purchase(), live_mode))
    const fields = ['acquirerBIN', 'acquirerMerchantID', 'mcc', 'merchantCountryCode']
    expect(fault).toEqual({ code: '201', fields })
  })
})

test('whatever the shopper typed, the AReq is valid and has no empty field', () => {
  const typed = fc.option(fc.string({ unit: 'grapheme', maxLength: 300 }))
  fc.assert(
    fc.property(typed, typed, fc.nat(99_999_999_999), (cardholder_name, email, amount) => {
      const areq = buildAReq(purchase({ cardholder_name, email, amount }), test_mode)
      expect(messageFault(areq)).toBeNull()
      expect(Object.values(areq)).not.toContain('')
      expect(Object.values(areq)).not.toContain(null)
    }),
  )
})
