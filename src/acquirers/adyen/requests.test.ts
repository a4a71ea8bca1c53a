// The requests to Adyen, member by member.

import { expect, test } from 'vitest'
import type { AuthoriseRequest, SettleKind, SettleRequest } from '../acquirer.ts'
import { cancelRequest, paymentRequest, settleRequest } from './requests.ts'

const account = { api_url: 'https://a.example/v72', api_key: 'AQE-key', merchant_account: 'TeaCOM' }
const reference = '0123456789abcdef0123456789abcdef'
const charge: AuthoriseRequest = {
  reference,
  installation: 'ours',
  amount: 4200,
  currency: 'GBP',
  capture: false,
  card: { brand: 'visa', number: '4000000000000000', exp_month: 3, exp_year: 2030, cvc: null, cardholder_name: null },
  three_ds: null,
  merchant: { descriptor: 'Tea', mcc: '5499', country: 'GB' },
  handle: null,
}
const three_ds = {
  version: '2.2.0',
  eci: '05',
  authentication_value: 'AAABBEg0VhI0VniQEjRWAAAAAAA=',
  ds_transaction_id: 'f25084f0-5b16-4c0a-ae5d-b24808a95e4b',
  status: 'Y',
  ares_status: 'Y',
}

function sent(change: Partial<AuthoriseRequest> = {}) {
  return JSON.parse(paymentRequest({ ...charge, ...change }, account)!.body!)
}

test('a charge that is to be captured later', () => {
  const { body, ...request } = paymentRequest(charge, account)!
  expect(request).toEqual({
    method: 'POST',
    url: 'https://a.example/v72/payments',
    headers: {
      'x-api-key': 'AQE-key',
      accept: 'application/json',
      'content-type': 'application/json',
      'idempotency-key': reference,
    },
  })
  expect(JSON.parse(body!)).toEqual({
    merchantAccount: 'TeaCOM',
    amount: { value: 4200, currency: 'GBP' },
    reference,
    returnUrl: 'https://ripper.invalid/',
    paymentMethod: { type: 'scheme', number: '4000000000000000', expiryMonth: '03', expiryYear: '2030' },
    shopperInteraction: 'Ecommerce',
    additionalData: { executeThreeD: 'false', manualCapture: 'true' },
    shopperStatement: 'Tea',
    metadata: { ripper_installation: 'ours' },
  })
})

test('a charge that is captured at once, with all of the card', () => {
  const card = { ...charge.card, cvc: '123', cardholder_name: 'A. Tea' }
  const body = sent({ capture: true, card })
  expect(body).toMatchObject({
    captureDelayHours: 0,
    paymentMethod: { cvc: '123', holderName: 'A. Tea' },
  })
  expect(body.additionalData).toEqual({ executeThreeD: 'false' })
})

const data = {
  cavv: three_ds.authentication_value,
  eci: '05',
  dsTransID: three_ds.ds_transaction_id,
  threeDSVersion: '2.2.0',
}

test.each<[string, Partial<typeof three_ds> | Record<string, null>, object | undefined]>([
  ['frictionless', {}, { ...data, directoryResponse: 'Y' }],
  ['after a challenge', { ares_status: 'C' }, { ...data, directoryResponse: 'C', authenticationResponse: 'Y' }],
  ['attempted', { status: 'A', ares_status: 'A' }, { ...data, directoryResponse: 'A' }],
  ['an end that they have no word for', { status: 'I', ares_status: 'C' }, { ...data, directoryResponse: 'C' }],
  ['without a cryptogram', { authentication_value: null }, undefined],
])('3-D Secure: %s', (_, change, expected) => {
  const body = sent({ three_ds: { ...three_ds, ...change } as AuthoriseRequest['three_ds'] })
  expect(body.mpiData).toEqual(expected)
  expect(body.additionalData.executeThreeD).toBe('false')
})

test('what they could do by themselves is never asked for', () => {
  const body = JSON.stringify(sent({ three_ds, capture: true }))
  expect(body).not.toMatch(/allowPartialAuth|autoRescue|threeDS2RequestData|authenticationOnly/)
})

test.each([
  ['Café « Élan », the tea shop', 'Cafe Elan , the tea sh'],
  ['茶', undefined],
])('%s on a statement: %s', (descriptor, expected) => {
  expect(sent({ merchant: { descriptor, mcc: null, country: null } }).shopperStatement).toBe(expected)
})

const settle: SettleRequest = {
  reference: 'f'.repeat(32),
  authorisation: { reference, handle: null, acquirer_transaction_id: 'PSP1' },
  amount: 4200,
  currency: 'ISK',
}
const amount = { value: 420_000, currency: 'ISK' }

test.each<[SettleKind, string, object, string]>([
  ['capture', 'captures', { amount }, settle.reference],
  ['void', 'cancels', {}, settle.reference],
  ['reverse', 'reversals', {}, `${settle.reference}-reversal`],
  ['refund', 'refunds', { amount }, settle.reference],
])('%s', (kind, path, more, key) => {
  const { url, headers, body } = settleRequest(kind, settle, 'PSP1', account)!
  expect(url).toBe(`https://a.example/v72/payments/PSP1/${path}`)
  expect(headers['idempotency-key']).toBe(key)
  expect(key.length).toBeLessThanOrEqual(64)
  const bare = { merchantAccount: 'TeaCOM', reference: settle.reference }
  expect(JSON.parse(body!)).toEqual({ ...bare, ...more })
})

test('a reversal without the vendor’s id goes by our reference', () => {
  const { url, headers, body } = cancelRequest(settle, account)
  expect(url).toBe('https://a.example/v72/cancels')
  expect(headers['idempotency-key']).toBe(settle.reference)
  expect(JSON.parse(body!)).toEqual({
    merchantAccount: 'TeaCOM',
    paymentReference: reference,
    reference: settle.reference,
  })
})

test('an amount that they cannot express is not sent, unless it is not named', () => {
  const odd = { amount: 4201, currency: 'IDR' }
  expect(paymentRequest({ ...charge, ...odd }, account)).toBeNull()
  const ask = (kind: SettleKind) => settleRequest(kind, { ...settle, ...odd }, 'PSP1', account)
  expect([ask('capture'), ask('refund')]).toEqual([null, null])
  expect(ask('void')).not.toBeNull()
  expect(ask('reverse')).not.toBeNull()
})

test('their id cannot lead to another path', () => {
  const { url } = settleRequest('void', settle, '../x?y', account)!
  expect(url).toBe('https://a.example/v72/payments/..%2Fx%3Fy/cancels')
})
