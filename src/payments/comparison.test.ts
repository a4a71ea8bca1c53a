// Which differences between our books and an acquirer's are findings.

import { describe, expect, test } from 'vitest'
import type { LookUpAnswer } from '../acquirers/acquirer.ts'
import { type AcquirerCharge, type BookedCharge, compare, foundAs, isUnchanged, unknownThere } from './comparison.ts'
import type { OperationState } from './operation.ts'
import type { PaymentStatus } from './payment.ts'

const captured: BookedCharge = {
  handle: null,
  acquirer_transaction_id: null,
  reference: 'a'.repeat(32),
  merchant_id: 'm_a',
  payment_id: 'pay_a',
  acquirer: 'bank',
  state: 'approved',
  payment_status: 'captured',
  amount: 4200,
  currency: 'GBP',
  refunded_amount: 0,
  refunding_amount: 0,
  is_under_way: false,
}
const held: BookedCharge = { ...captured, payment_status: 'held' }
const there = (state: AcquirerCharge['state'], change: Partial<AcquirerCharge> = {}): AcquirerCharge => ({
  state,
  amount: 4200,
  currency: 'GBP',
  ...change,
})
const refunded: BookedCharge = { ...captured, refunded_amount: 1000 }
const refunding: BookedCharge = { ...refunded, refunding_amount: 500 }
const other = ['amount_differs']
const nothing = { amount: null, currency: null }

describe('a charge', () => {
  test.each<[string, BookedCharge, AcquirerCharge, string[]]>([
    ['captured on both sides', captured, there('captured'), []],
    ['held and reserved', held, there('reserved'), []],
    ['captured here alone', captured, there('reserved'), ['reserved_there']],
    ['captured there alone', held, there('captured'), ['captured_there']],
    ['of another amount', captured, there('captured', { amount: 4199 }), ['amount_differs']],
    ['of another currency', captured, there('captured', { currency: 'EUR' }), ['currency_differs']],
    [
      'of which nothing is right',
      held,
      there('captured', { currency: 'EUR', amount: 1 }),
      ['captured_there', 'currency_differs', 'amount_differs'],
    ],
    ['of which nothing was refunded', captured, there('captured', { refunded_amount: 0 }), []],
    ['refunded there alone', captured, there('captured', { refunded_amount: 1 }), ['amount_differs']],
    ['whose refund is in both', refunded, there('captured', { refunded_amount: 1000 }), []],
    ['whose refunds are not shown', refunded, there('captured'), []],
    ['less of which was refunded', refunded, there('captured', { refunded_amount: 999 }), other],
    ['with a refund under way', refunding, there('captured', { refunded_amount: 1000 }), []],
    ['with one that is done there', refunding, there('captured', { refunded_amount: 1500 }), []],
    ['with one, and another there', refunding, there('captured', { refunded_amount: 1501 }), other],
    ['captured, and not there', captured, unknownThere, ['missing_there']],
    ['held, and not there', held, unknownThere, ['missing_there']],
    ['captured, and without an end there', captured, there('in_progress', nothing), ['missing_there']],
    ['captured, and declined', captured, there('declined', nothing), ['declined_there']],
    ['captured, and voided', captured, there('voided'), ['voided_there']],
    ['captured, and reversed', captured, there('reversed'), ['reversed_there']],
    ['held, and lapsed', held, there('expired'), ['expired_there']],
    // Once a charge is voided, its amount no longer matters.
    ['held, and voided in another amount', held, there('voided', { amount: 1 }), ['voided_there']],
  ])('%s', (_, ours, theirs, kinds) => {
    expect(compare(ours, theirs)).toEqual(kinds)
  })

  test.each<[OperationState, PaymentStatus, 'wait' | []]>([
    ['sent', 'pending', 'wait'],
    ['unknown', 'pending', 'wait'],
    ['reversing', 'pending', 'wait'],
    ['approved', 'pending', 'wait'],
    ['sent', 'failed', 'wait'],
    ['declined', 'declined', []],
    ['failed', 'failed', []],
    ['not_sent', 'failed', []],
    ['approved', 'voided', []],
    ['approved', 'failed', []],
    // The payment rests on another charge.
    ['failed', 'captured', []],
  ])('that is %s, its payment %s, claims nothing, or not yet', (state, payment_status, result) => {
    expect(compare({ ...captured, state, payment_status }, there('captured'))).toEqual(result)
  })

  test('of which something is under way is not judged', () => {
    expect(compare({ ...held, is_under_way: true }, there('captured'))).toBe('wait')
  })
})

test.each<[string, LookUpAnswer, AcquirerCharge]>([
  ['nothing', { result: 'not_found' }, unknownThere],
  ['no end', { result: 'in_progress' }, { state: 'in_progress', ...nothing }],
  [
    'a decline',
    {
      result: 'found',
      kind: 'authorise',
      standing: null,
      answer: {
        result: 'declined',
        decline: { code: 'x', category: 'soft', reason: null },
        acquirer_transaction_id: null,
      },
    },
    { state: 'declined', ...nothing },
  ],
  [
    'what became of it, not what was answered first',
    {
      result: 'found',
      kind: 'authorise',
      answer: {
        result: 'approved',
        acquirer_transaction_id: 't',
        captured: true,
        amount: 4200,
        currency: 'GBP',
      },
      standing: { state: 'reversed', amount: 4100, currency: 'GBP' },
    },
    { state: 'reversed', amount: 4100, currency: 'GBP' },
  ],
  [
    'another request',
    {
      result: 'found',
      kind: 'void',
      answer: { result: 'approved', acquirer_transaction_id: 't' },
    },
    unknownThere,
  ],
])('a look that finds %s', (_, look, theirs) => {
  expect(foundAs(look)).toEqual(theirs)
})

test.each<[string, Partial<BookedCharge>, boolean]>([
  ['nothing', {}, true],
  ['the charge', { state: 'failed' }, false],
  ['the payment', { payment_status: 'voided' }, false],
  ['the amount', { amount: 1 }, false],
  ['the currency', { currency: 'EUR' }, false],
  ['that a decision is under way', { is_under_way: true }, false],
])('between two reads %s has changed', (_, change, isSame) => {
  expect(isUnchanged(held, { ...held, ...change })).toBe(isSame)
  expect(isUnchanged({ ...held, ...change }, held)).toBe(isSame)
  expect(isUnchanged(held, undefined)).toBe(false)
})
