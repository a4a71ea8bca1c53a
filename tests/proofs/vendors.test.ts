// What proofs hold against the books of a vendor, and how they read its requests.

import { describe, expect, test } from 'vitest'
import type { BookedAct, BookedCharge } from '../../proofs/vendors/history.ts'
import { faultsOfVendor } from '../../proofs/vendors/judge.ts'
import { makeVendor, vendor_names } from '../../proofs/vendors/vendor.ts'
import { referenceOf, verbOf } from '../../proofs/vendors/verbs.ts'
import { manualClock } from '../support/clock.ts'

const at = new Date('2026-09-01T12:00:00Z')
const charge: BookedCharge = {
  id: 'pay_1',
  reference: 'a'.repeat(32),
  mark: 'ours',
  amount: 1_000,
  currency: 'GBP',
  capture: true,
  behaviour: 'approve',
  asked_at: at,
  known_at: at,
  is_approved: true,
  refuses_shift: false,
  taken_at: at,
  acts: [],
}
const refund: BookedAct = {
  id: 'act_1',
  kind: 'refund',
  reference: 'b'.repeat(32),
  amount: 600,
  asked_at: at,
  known_at: at,
  is_approved: true,
}
const another = { ...refund, id: 'act_2', reference: 'c'.repeat(32) }
const held = { ...charge, capture: false, taken_at: null }
const capture: BookedAct = { ...refund, kind: 'capture', amount: 1_000 }

describe('the books of a vendor', () => {
  test.each<[string, BookedCharge[]]>([
    ['a charge that is refunded in part', [{ ...charge, acts: [refund] }]],
    ['a second refund that is refused', [{ ...charge, acts: [refund, { ...another, is_approved: false }] }]],
    ['a charge of somebody else', [{ ...charge, mark: null }]],
    ['a hold that is captured', [{ ...held, acts: [capture] }]],
    ['a declined charge under a reference that was approved', [charge, { ...charge, is_approved: false }]],
  ])('%s: nothing to say', (_, charges) => {
    expect(faultsOfVendor(charges, 'ours')).toEqual([])
  })

  test.each<[string, BookedCharge[], RegExp]>([
    ['refunds of more than was captured', [{ ...charge, acts: [refund, another] }], /1200 refunded of 1000/],
    ['a refund of what is only held', [{ ...held, acts: [refund] }], /600 refunded of 0/],
    [
      'a refund that was carried out twice',
      [{ ...charge, acts: [refund, { ...refund, amount: 1 }] }],
      /carried out 2 times/,
    ],
    ['a second capture', [{ ...charge, acts: [capture] }], /2000 captured of 1000/],
    ['a reference that was charged twice', [charge, charge], /approved 2 times/],
    ['a charge without a mark', [{ ...charge, mark: null, acts: [refund] }], /bears no mark, and was touched/],
    [
      "another's charge, though it refused",
      [{ ...charge, mark: 'theirs', acts: [{ ...refund, is_approved: false }] }],
      /another installation's mark, and was touched/,
    ],
  ])('%s', (_, charges, words) => {
    expect(faultsOfVendor(charges, 'ours').join()).toMatch(words)
  })

  test.each(vendor_names)("at %s others' charges are posted, and bear no mark of ours", async (name) => {
    const vendor = makeVendor(name, { clock: manualClock(), settles_after_ms: 0 })
    const reference = 'd'.repeat(32)
    for (const mark of [null, 'theirs']) {
      vendor.addStranger({ reference, mark, amount: 700, capture: true })
    }
    const read = vendor.charges()
    expect(read.map(({ mark }) => mark)).toEqual([null, 'theirs'])
    expect(read.every((each) => each.reference === reference && each.is_approved)).toBe(true)
    const names = vendor.posts().map((post) => post.name)
    expect(names.length).toBeGreaterThan(1)
    expect(new Set(names).size).toBe(names.length)
    expect(faultsOfVendor(read, 'ours')).toEqual([])
  })
})

test.each([
  ['POST', 'https://api.checkout.com/payments', 'authorise'],
  ['POST', 'https://api.checkout.com/payments/pay_1/captures', 'capture'],
  ['POST', 'https://api.checkout.com/payments/pay_1/reversals', 'reverse'],
  ['POST', 'https://api.checkout.com/payments/search', null],
  ['GET', 'https://api.checkout.com/payments', null],
  ['POST', 'https://api.stripe.com/v1/payment_intents', null],
  ['POST', 'https://api.stripe.com/v1/payment_intents/pi_1/confirm', 'authorise'],
  ['POST', 'https://api.stripe.com/v1/payment_intents/pi_1/cancel', 'void'],
  ['POST', 'https://api.stripe.com/v1/refunds', 'refund'],
  ['POST', 'https://checkout-test.adyen.com/v72/payments', 'authorise'],
  ['POST', 'https://checkout-test.adyen.com/v72/payments/A1/cancels', 'void'],
  ['POST', 'https://checkout-test.adyen.com/v72/cancels', 'reverse'],
  ['POST', 'https://checkout-test.adyen.com/v72/paymentMethods', null],
] as const)('%s %s asks to %s', (method, url, verb) => {
  expect(verbOf({ method, url })).toBe(verb)
})

test('a key begins with the reference of its operation', () => {
  const reference = 'e'.repeat(32)
  expect(referenceOf({ headers: { 'idempotency-key': `${reference}-refund` } })).toBe(reference)
  expect(referenceOf({ headers: { 'cko-idempotency-key': reference } })).toBe(reference)
  expect(referenceOf({ headers: {} })).toBeNull()
})
