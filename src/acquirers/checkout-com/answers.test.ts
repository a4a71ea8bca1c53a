// How Checkout.com's answers are read: one fault in each row, and nothing is approved by guessing.

import { describe, expect, test } from 'vitest'
import { type AuthoriseRequest, Unanswered } from '../acquirer.ts'
import { shortReference } from '../reference.ts'
import type { WireAnswer } from '../wire.ts'
import { actionAnswer, authoriseAnswer, settleAnswer, whyRefused } from './answers.ts'
import { paymentIn, type TheirAction } from './payments.ts'

const name = 'checkout:conn_1'
const reference = '0123456789abcdef0123456789abcdef'
const charge = { reference, amount: 4200, currency: 'GBP', capture: false } as AuthoriseRequest
const good = {
  id: 'pay_1',
  action_id: 'act_1',
  amount: 4200,
  currency: 'GBP',
  approved: true,
  status: 'Authorized',
  response_code: '10000',
  response_summary: 'Approved',
  reference: shortReference(reference),
}
const approved = {
  result: 'approved',
  acquirer_transaction_id: 'pay_1',
  captured: false,
  amount: 4200,
  currency: 'GBP',
}
const under_way = { result: 'under_way', acquirer_transaction_id: 'pay_1' }

function answer(status: number, body: object | string): WireAnswer {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const json = typeof body === 'string' ? null : (body as Record<string, unknown>)
  return { status, headers: {}, text, json }
}

/** The result of reading it; `unanswered` if that is thrown. */
function read(wireAnswer: WireAnswer, request = charge): unknown {
  try {
    return authoriseAnswer(wireAnswer, request, name)
  } catch (error) {
    expect(error).toBeInstanceOf(Unanswered)
    expect((error as Error).message).toContain(name)
    return 'unanswered'
  }
}

describe('a charge that was taken', () => {
  test.each<[string, object, unknown]>([
    ['approved', {}, approved],
    ['captured already', { status: 'Captured' }, { ...approved, captured: true }],
    ['another amount, which whoever asked judges', { amount: 1 }, { ...approved, amount: 1 }],
    ['a part', { response_code: '10010', amount: 100 }, { ...approved, amount: 100 }],
    ['a part that is the whole', { response_code: '10010' }, under_way],
    [
      'a part that the balances name',
      { response_code: '10010', balances: { total_authorized: 100 } },
      { ...approved, amount: 100 },
    ],
    ['another currency', { currency: 'EUR' }, { ...approved, currency: 'EUR' }],
    ['a currency that nobody knows', { currency: 'XXX' }, under_way],
    ['an amount that is none', { amount: '4200' }, under_way],
    ['a fraction', { amount: 42.5 }, under_way],
    ['no amount', { amount: undefined }, under_way],
    ['no reference', { reference: undefined }, approved],
    ['the reference of another', { reference: 'another' }, 'unanswered'],
    ['pending', { status: 'Pending', approved: undefined }, under_way],
    ['pending and approved', { status: 'Pending' }, under_way],
    ['a status that nobody knows', { status: 'Perhaps' }, under_way],
    ['a card that was only verified', { status: 'Card Verified', amount: 0 }, under_way],
    ['approved and declined', { status: 'Declined' }, under_way],
    ['authorised and not approved', { approved: false }, under_way],
    ['whether approved is not said', { approved: undefined }, under_way],
    ['approved in words', { approved: 'true' }, under_way],
    ['no id', { id: undefined }, 'unanswered'],
    ['an id that is none', { id: '' }, 'unanswered'],
  ])('%s', (_, change, expected) => {
    for (const status of [200, 201, 202]) {
      expect(read(answer(status, { ...good, ...change }))).toEqual(expected)
    }
  })

  test('what is to be captured with it is under way until they have captured it', () => {
    const request = { ...charge, capture: true }
    expect(read(answer(201, good), request)).toEqual(under_way)
    const captured = { ...good, status: 'Captured' }
    expect(read(answer(201, captured), request)).toEqual({ ...approved, captured: true })
  })

  test('another amount than was asked for is no answer to wait for', () => {
    const request = { ...charge, capture: true }
    const other = { ...approved, amount: 1 }
    expect(read(answer(201, { ...good, amount: 1 }), request)).toEqual(other)
  })
})

test('one whose shopper is to be sent to their own 3-D Secure is declined, since nobody sends it there', () => {
  const redirect = { href: 'https://sandbox.checkout.com/3ds/pay_1' }
  const pending = { ...good, status: 'Pending', approved: undefined }
  expect(read(answer(202, { ...pending, _links: { redirect } }))).toMatchObject({
    result: 'declined',
    acquirer_transaction_id: 'pay_1',
    decline: { code: 'authentication_required', category: 'soft' },
  })
  const links = { self: { href: '/payments/pay_1' } }
  expect(read(answer(202, { ...pending, _links: links }))).toEqual(under_way)
  // An approved payment is not declined, even if its links lead elsewhere.
  expect(read(answer(201, { ...good, _links: { redirect } }))).toEqual(approved)
  expect(read(answer(202, { ...good, status: 'Pending', _links: { redirect } }))).toEqual(under_way)
})

test.each([
  ['20051', 'declined', 'insufficient_funds', 'soft'],
  ['30043', 'declined', 'stolen_card', 'hard'],
  ['20105', 'failed', 'processing_error', 'provider_error'],
  [undefined, 'declined', 'card_declined', 'soft'],
])('declined with %s: %s', (response_code, result, code, category) => {
  const change = { approved: false, status: 'Declined', response_code, response_summary: 'No' }
  expect(read(answer(201, { ...good, ...change }))).toMatchObject({
    result,
    acquirer_transaction_id: 'pay_1',
    decline: { code, category, reason: 'No' },
  })
})

const theirs = { request_id: 'r', error_type: 'request_invalid' }
const html = '<html>4000009100000008</html>'

describe('a charge that was not taken', () => {
  test.each<[number, object | string, string | null]>([
    [401, '', 'credentials'],
    [401, html, 'credentials'],
    [403, '', 'may not'],
    [403, html, 'may not'],
    [422, { ...theirs, error_codes: ['card_expired', 'cvv_invalid'] }, '422 card_expired cvv_invalid'],
    [422, { ...theirs, error_codes: ['4000009100000008', 7, null] }, '(422)'],
    [422, { ...theirs, error_codes: 'none' }, '(422)'],
    [400, '', '(400)'],
    [400, html, null],
    [422, html, null],
    [422, {}, null],
    [404, '', null],
    [404, theirs, null],
    [408, '', null],
    [409, theirs, null],
    [429, theirs, null],
    [500, '', null],
    [502, html, null],
    [503, theirs, null],
    [301, '', null],
    [200, '', null],
    [200, html, null],
    [201, '{"id":"pay_1","amount":42', null],
    [201, {}, null],
    [204, '', null],
  ])('%i %j', (status, body, words) => {
    const outcome = read(answer(status, body))
    if (words === null) return expect(outcome).toBe('unanswered')
    expect(outcome).toEqual({
      result: 'failed',
      acquirer_transaction_id: null,
      decline: { code: 'processing_error', category: 'provider_error', reason: expect.stringContaining(words) },
    })
    expect(JSON.stringify(outcome)).toContain(name)
    expect(JSON.stringify(outcome)).not.toContain('4000009100000008')
  })
})

describe('a capture, void, reversal or refund', () => {
  const accepted = { result: 'accepted', acquirer_transaction_id: 'act_2' }
  const refused = { result: 'refused', reason: expect.stringContaining(name) }

  test.each<[number, object | string, unknown]>([
    [202, { action_id: 'act_2', reference: 'x' }, accepted],
    [200, { action_id: 'act_2' }, accepted],
    [202, {}, 'unanswered'],
    [202, { action_id: 2 }, 'unanswered'],
    [202, '{"action_id":"act', 'unanswered'],
    [202, html, 'unanswered'],
    [401, '', refused],
    [403, '', refused],
    [404, '', refused],
    [404, html, 'unanswered'],
    [422, { ...theirs, error_codes: ['refund_amount_exceeds_balance'] }, refused],
    [422, html, 'unanswered'],
    [409, '', 'unanswered'],
    [429, '', 'unanswered'],
    [500, '', 'unanswered'],
    [503, html, 'unanswered'],
  ])('%i %j', (status, body, expected) => {
    let outcome: unknown = 'unanswered'
    try {
      outcome = settleAnswer(answer(status, body), name)
    } catch (error) {
      expect(error).toBeInstanceOf(Unanswered)
    }
    expect(outcome).toEqual(expected)
  })

  const action: TheirAction = {
    id: 'act_2',
    type: 'Refund',
    reference: 'x',
    amount: 1,
    approved: true,
    response_code: '10000',
    response_summary: 'Approved',
  }
  const approval = { result: 'approved', acquirer_transaction_id: 'act_2' }
  const of = (amount: number) => ({ ...approval, money: { amount, currency: 'GBP' } })
  const declined = { ...action, approved: false, response_code: '20005', response_summary: 'No' }
  const no = { result: 'refused', reason: 'No', decline_code: 'do_not_honor' }

  test.each<[string, TheirAction[], unknown]>([
    ['carried out', [action], of(1)],
    ['of an amount that is not named', [{ ...action, amount: null }], approval],
    ['not carried out yet', [{ ...action, approved: null }], null],
    ['declined', [declined], { ...no, authorisation_known: true }],
    ['a void and a refund', [action, { ...action, id: 'act_3' }], of(2)],
    ['one of two declined', [action, declined], { ...no, authorisation_known: true }],
    ['one of two not carried out', [action, { ...action, approved: null }], null],
  ])('an action: %s', (_, actions, expected) => {
    expect(actionAnswer('refund', actions, paymentIn(good)!)).toEqual(expected)
  })

  test.each([
    ['void', 'Voided', approval],
    ['reverse', 'Refunded', approval],
    ['void', 'Authorized', of(1)],
    ['reverse', 'Partially Refunded', of(1)],
    ['capture', 'Refunded', of(1)],
  ] as const)('a %s of what is %s then', (kind, status, expected) => {
    expect(actionAnswer(kind, [action], paymentIn({ ...good, status })!)).toEqual(expected)
  })

  test('of a currency that is none is not carried out yet', () => {
    expect(actionAnswer('refund', [action], paymentIn({ ...good, currency: 'XXX' })!)).toBe(null)
  })
})

test.each([
  ['capture', 'Captured', 'already_captured'],
  ['void', 'Partially Captured', 'already_captured'],
  ['capture', 'Voided', 'already_voided'],
  ['void', 'Canceled', 'already_voided'],
  ['void', 'Cancelled', 'already_voided'],
  ['reverse', 'Expired', 'expired'],
  ['capture', 'Declined', 'not_approved'],
  ['capture', 'Pending', 'in_progress'],
  ['reverse', 'Retry Scheduled', 'in_progress'],
  ['reverse', 'Captured', null],
  ['capture', 'Authorized', null],
  ['refund', 'Authorized', 'not_captured'],
  ['refund', 'Refunded', 'refund_exceeds_captured'],
  ['refund', 'Captured', 'refund_exceeds_captured'],
] as const)('a %s of what is %s is refused: %s', (kind, status, code) => {
  const balances = { available_to_refund: 4199 }
  const payment = paymentIn({ ...good, status, balances })!
  const why = (is_reversed: boolean) => whyRefused(kind, charge, payment, { is_reversed })
  expect(why(false)).toBe(code)
  const is_over = status === 'Declined' || status === 'Expired'
  expect(why(true)).toBe(is_over ? code : 'already_reversed')
})
