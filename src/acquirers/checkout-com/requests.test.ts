// The requests to Checkout.com, member by member.

import { describe, expect, test } from 'vitest'
import type { AuthoriseRequest, SettleRequest } from '../acquirer.ts'
import { shortReference } from '../reference.ts'
import {
  byId,
  byReference,
  paymentRequest,
  referenceRead,
  referenceSent,
  searchRequest,
  settleRequest,
} from './requests.ts'

const credentials = { secret_key: 'sk_abc', signature_key: 's', api_url: 'https://api.example' }
const reference = '0123456789abcdef0123456789abcdef'
const short = shortReference(reference)

const charge: AuthoriseRequest = {
  reference,
  installation: 'ours',
  amount: 4200,
  currency: 'GBP',
  capture: false,
  card: {
    brand: 'visa',
    number: '4000009100000008',
    exp_month: 1,
    exp_year: 2031,
    cvc: '123',
    cardholder_name: 'Ada Byron',
  },
  three_ds: null,
  merchant: { descriptor: 'Tea', mcc: '5499', country: 'GB' },
  handle: null,
}

function bodyOf(change: Partial<AuthoriseRequest>, more: object = {}) {
  const wireRequest = paymentRequest({ ...charge, ...change }, { ...credentials, ...more })
  return JSON.parse(wireRequest!.body!)
}

test('a charge', () => {
  const wireRequest = paymentRequest(charge, credentials)!
  const { body, ...rest } = wireRequest
  expect(rest).toEqual({
    method: 'POST',
    url: 'https://api.example/payments',
    headers: {
      authorization: 'Bearer sk_abc',
      accept: 'application/json',
      'content-type': 'application/json',
      'cko-idempotency-key': reference,
    },
  })
  expect(JSON.parse(body!)).toEqual({
    source: {
      type: 'card',
      number: '4000009100000008',
      expiry_month: 1,
      expiry_year: 2031,
      cvv: '123',
      name: 'Ada Byron',
    },
    amount: 4200,
    currency: 'GBP',
    capture: false,
    payment_type: 'Regular',
    merchant_initiated: false,
    reference: short,
    '3ds': { enabled: false },
    metadata: { ripper_installation: 'ours' },
  })
})

test('one that takes the money says so where it can be read again', () => {
  const metadata = { ripper_installation: 'ours', ripper_capture: 'automatic' }
  expect(bodyOf({ capture: true })).toMatchObject({ capture: true, metadata })
})

test('what is not there is left out, and a channel is named where there is one', () => {
  const card = { ...charge.card, cvc: null, cardholder_name: null }
  const { source, processing_channel_id } = bodyOf({ card }, { processing_channel_id: 'pc_1' })
  expect(Object.keys(source)).toEqual(['type', 'number', 'expiry_month', 'expiry_year'])
  expect(processing_channel_id).toBe('pc_1')
})

test('an amount that cannot be expressed is not sent', () => {
  expect(paymentRequest({ ...charge, currency: 'CLF' }, credentials)).toBeNull()
  expect(bodyOf({ currency: 'CLP' })).toMatchObject({ amount: 420_000, currency: 'CLP' })
})

describe('3-D Secure data', () => {
  const three_ds = {
    version: '2.2.0',
    eci: '05',
    authentication_value: 'AAABAVIREQAAAAAAAAAAAAAAAAA=',
    ds_transaction_id: 'f879ea1c',
    status: 'Y',
    ares_status: 'C',
  }
  const expectedThreeDs = {
    enabled: true,
    eci: '05',
    cryptogram: three_ds.authentication_value,
    xid: 'f879ea1c',
    version: '2.2.0',
    status: 'Y',
  }

  test.each([
    ['all of it', {}, expectedThreeDs],
    ['an attempt', { status: 'A', eci: '06' }, { ...expectedThreeDs, status: 'A', eci: '06' }],
    ['no cryptogram: none', { authentication_value: null }, { enabled: false }],
    ['no indicator: none', { eci: null }, { enabled: false }],
  ])('%s', (_, change, expected) => {
    expect(bodyOf({ three_ds: { ...three_ds, ...change } })['3ds']).toEqual(expected)
  })

  test('no id of the Directory Server is left out', () => {
    const block = bodyOf({ three_ds: { ...three_ds, ds_transaction_id: null } })['3ds']
    expect(Object.keys(block)).not.toContain('xid')
  })
})

describe('capture, void, reversal, refund', () => {
  const request: SettleRequest = {
    reference,
    authorisation: { reference: 'f'.repeat(32), handle: null, acquirer_transaction_id: 'pay_1' },
    amount: 1000,
    currency: 'GBP',
  }

  test.each([
    ['capture', 'captures', { amount: 1000, capture_type: 'Final', reference: short }],
    ['void', 'voids', { reference: short }],
    ['reverse', 'reversals', { reference: `${short}-r` }],
    ['refund', 'refunds', { amount: 1000, reference: short }],
  ] as const)('%s', (kind, path, body) => {
    const wireRequest = settleRequest(kind, request, 'pay_1', credentials)!
    expect(wireRequest.url).toBe(`https://api.example/payments/pay_1/${path}`)
    expect(wireRequest.headers['cko-idempotency-key']).toBe(reference)
    expect(JSON.parse(wireRequest.body!)).toEqual(body)
  })

  test('an amount matters where it is sent', () => {
    const odd = { ...request, currency: 'CLF' }
    expect(settleRequest('refund', odd, 'pay_1', credentials)).toBeNull()
    expect(settleRequest('void', odd, 'pay_1', credentials)).not.toBeNull()
  })
})

test('questions', () => {
  const within = { since: new Date(0), until: new Date(1000) }
  const search = searchRequest(within, credentials)
  expect(byReference(reference, credentials).url).toBe(`https://api.example/payments?reference=${short}&limit=10`)
  expect(byId('pay_1/../x', credentials).url).toBe('https://api.example/payments/pay_1%2F..%2Fx')
  expect(search.url).toBe('https://api.example/payments/search')
  expect(JSON.parse(search.body!)).toEqual({
    limit: 250,
    from: '1970-01-01T00:00:00.000Z',
    to: '1970-01-01T00:00:01.000Z',
  })
  // None of these moves anything, so none needs a key.
  const requests = [byReference(reference, credentials), byId('pay_1', credentials), search]
  expect(requests.filter(({ headers }) => 'cko-idempotency-key' in headers)).toEqual([])
})

test.each(['authorise', 'capture', 'reverse'] as const)('the reference of a %s is read', (kind) => {
  const vendor_reference = referenceSent(kind, reference)
  expect(vendor_reference).toMatch(/^[0-9a-z_-]{20,30}$/)
  expect(referenceRead(vendor_reference)).toEqual({ reference, is_reversal: kind === 'reverse' })
})

test.each([[null], ['ORD-5023-4E89'], [''], ['-r'], [reference]])('%j is none of ours', (vendor_reference) => {
  expect(referenceRead(vendor_reference)).toBeNull()
})
