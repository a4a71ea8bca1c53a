// What payments and actions at Checkout.com reveal about our operations.

import { describe, expect, test } from 'vitest'
import { chargeNamed } from '../acquirer.ts'
import { shortReference } from '../reference.ts'
import { paymentIn, type TheirAction } from './payments.ts'
import { chargeFound, liveIn, mostAlive, operationFound } from './standings.ts'

const reference = '0123456789abcdef0123456789abcdef'
const short = shortReference(reference)
const base = {
  id: 'pay_1',
  status: 'Authorized',
  amount: 4200,
  currency: 'GBP',
  approved: true,
  reference: short,
  requested_on: '2026-09-01T12:00:00.123Z',
  metadata: { ripper_installation: 'ours' },
}
const automatic = { ripper_installation: 'ours', ripper_capture: 'automatic' }
const payment = (change: object) => paymentIn({ ...base, ...change })!

function action(type: string, change: Partial<TheirAction> = {}): TheirAction {
  return {
    id: `act_${type}`,
    type,
    reference: short,
    amount: 4200,
    approved: true,
    response_code: '10000',
    response_summary: 'Approved',
    ...change,
  }
}

const part = { amount: 4000 }
const rest = action('Void', { amount: 200 })
const reversal = { reference: `${short}-r` }

describe('a charge', () => {
  test.each<[string, object, TheirAction[], string, number]>([
    ['reserved', {}, [], 'reserved', 4200],
    ['captured later', { status: 'Captured' }, [action('Capture')], 'captured', 4200],
    ['a part captured', { status: 'Partially Captured', balances: { total_captured: 4000 } }, [], 'captured', 4000],
    ['a part captured, by its action', { status: 'Captured' }, [action('Capture', part)], 'captured', 4000],
    ['a part captured, by no amount', { status: 'Captured' }, [action('Capture', { amount: null })], 'captured', 4200],
    ['a part captured, the rest voided', { status: 'Captured' }, [action('Capture', part), rest], 'captured', 4000],
    ['a part refunded', { status: 'Partially Refunded' }, [action('Refund')], 'captured', 4200],
    ['refunded', { status: 'Refunded' }, [action('Refund')], 'captured', 4200],
    ['taken back', { status: 'Refunded' }, [action('Refund', reversal)], 'reversed', 4200],
    ['voided', { status: 'Voided' }, [action('Void')], 'voided', 4200],
    ['voided by a person', { status: 'Voided' }, [action('Void', { reference: null })], 'voided', 4200],
    ['reversed', { status: 'Voided' }, [action('Void', reversal)], 'reversed', 4200],
    ['cancelled', { status: 'Canceled' }, [], 'voided', 4200],
    ['cancelled, spelled otherwise', { status: 'Cancelled' }, [], 'voided', 4200],
    ['lapsed', { status: 'Expired' }, [], 'expired', 4200],
    ['whose reversal was refused', {}, [action('Void', { ...reversal, approved: false })], 'reserved', 4200],
    ['whose capture was refused', { metadata: automatic }, [action('Capture', { approved: false })], 'reserved', 4200],
  ])('%s', (_, change, actions, state, amount) => {
    expect(chargeFound(payment(change), actions)).toEqual({
      result: 'found',
      kind: 'authorise',
      answer: { result: 'approved', acquirer_transaction_id: 'pay_1', captured: false, amount: 4200, currency: 'GBP' },
      standing: { state, amount, currency: 'GBP' },
    })
  })

  test.each<[string, object]>([
    ['pending', { status: 'Pending' }],
    ['with an end that nobody knows', { status: 'Perhaps' }],
    ['whose capture is to come', { metadata: automatic }],
    ['of a currency that nobody knows', { currency: 'XXX' }],
  ])('%s is under way', (_, change) => {
    expect(chargeFound(payment(change), [])).toEqual({ result: 'in_progress' })
  })

  test('whose shopper is to be sent to their own 3-D Secure is declined', () => {
    const _links = { redirect: { href: 'https://sandbox.checkout.com/3ds/pay_1' } }
    const pending = payment({ status: 'Pending', approved: undefined, _links })
    expect(chargeFound(pending, [])).toMatchObject({
      answer: { result: 'declined', decline: { code: 'authentication_required' } },
      standing: null,
    })
  })

  test('approved in part counts by the part, and waits for a person if the part is not named', () => {
    const part = action('Authorization', { response_code: '10010', amount: 100 })
    expect(chargeFound(payment({}), [part])).toMatchObject({
      answer: { result: 'approved', amount: 100 },
      standing: { state: 'reserved', amount: 100 },
    })
    const whole = { ...part, amount: 4200 }
    expect(chargeFound(payment({}), [whole])).toEqual({ result: 'in_progress' })
    const balances = { total_authorized: 100 }
    expect(chargeFound(payment({ balances }), [whole])).toMatchObject({ answer: { amount: 100 } })
  })

  test('captured with it', () => {
    const lookUpAnswer = chargeFound(payment({ status: 'Captured', metadata: automatic }), [])
    expect(lookUpAnswer).toMatchObject({ answer: { captured: true }, standing: { state: 'captured' } })
  })

  test('declined, for the reason that its action gives', () => {
    const change = { approved: false, response_code: '20051', response_summary: 'No funds' }
    const actions = [action('Authorization', change)]
    expect(chargeFound(payment({ status: 'Declined', approved: false }), actions)).toEqual({
      result: 'found',
      kind: 'authorise',
      standing: null,
      answer: {
        result: 'declined',
        acquirer_transaction_id: 'pay_1',
        decline: { code: 'insufficient_funds', category: 'soft', reason: 'No funds' },
        may_retry_elsewhere: true,
      },
    })
  })
})

describe('an operation', () => {
  const authorisation = chargeNamed({
    reference: 'f'.repeat(32),
    handle: null,
    acquirer_transaction_id: 'pay_1',
  }).authorisation
  const request = { kind: 'void', reference, acquirer_transaction_id: null, authorisation } as const
  const answer = { result: 'approved', acquirer_transaction_id: 'act_Void' }
  const voidedPayment = payment({ status: 'Voided' })

  test.each<[string, object, TheirAction[], unknown]>([
    ['by its reference', {}, [action('Void')], { result: 'found', kind: 'void', answer }],
    [
      'by its id',
      { acquirer_transaction_id: 'act_Void' },
      [action('Void', { reference: null })],
      { result: 'found', kind: 'void', answer },
    ],
    ['not there', {}, [], { result: 'not_found' }],
    ['another is', {}, [action('Void', reversal)], { result: 'not_found' }],
    ['named and not shown', { acquirer_transaction_id: 'a' }, [], { result: 'in_progress' }],
    ['not carried out', {}, [action('Void', { approved: null })], { result: 'in_progress' }],
  ])('%s', (_, change, actions, expected) => {
    expect(operationFound({ ...request, ...change }, voidedPayment, actions)).toEqual(expected)
  })

  test('a reversal has a reference of its own', () => {
    const lookUpAnswer = operationFound({ ...request, kind: 'reverse' }, voidedPayment, [action('Void', reversal)])
    expect(lookUpAnswer).toEqual({ result: 'found', kind: 'reverse', answer })
  })
})

test.each([
  [['Declined', 'Authorized'], 'Authorized'],
  [['Pending', 'Captured', 'Declined'], 'Captured'],
  [['Voided', 'Pending'], 'Pending'],
  [['Declined'], 'Declined'],
  [[], undefined],
])('of %j under one reference, %s counts', (statuses, expected) => {
  const payments = statuses.map((status) => payment({ status }))
  expect(mostAlive(payments)?.status).toBe(expected)
})

describe('a list', () => {
  const live = {
    reference,
    acquirer_transaction_id: 'pay_1',
    installation: 'ours',
    captured: false,
    amount: 4200,
    currency: 'GBP',
    authorised_at: new Date(base.requested_on),
  }

  test.each<[string, unknown, object[]]>([
    ['reserved', base, [live]],
    ['captured', { ...base, status: 'Captured' }, [{ ...live, captured: true }]],
    [
      'captured in part',
      { ...base, status: 'Partially Captured', balances: { total_captured: 100 } },
      [{ ...live, captured: true, amount: 100 }],
    ],
    ['without a mark', { ...base, metadata: null }, [{ ...live, installation: null }]],
    ['with the mark of another', { ...base, metadata: { ripper_installation: 'b' } }, [{ ...live, installation: 'b' }]],
    ['declined', { ...base, status: 'Declined' }, []],
    ['pending', { ...base, status: 'Pending' }, []],
    ['given back', { ...base, status: 'Refunded' }, []],
    ["a shop's own", { ...base, reference: 'ORD-1', metadata: null }, []],
    ["a shop's own that cannot be read", { id: 7, metadata: {} }, []],
    ['nothing', null, []],
    ['a currency of somebody else', { ...base, metadata: {}, currency: 'XXX' }, []],
  ])('%s', (_, each, expected) => {
    expect(liveIn([each])).toEqual(expected)
  })

  test.each(['ORD-1', 'z'.repeat(25), null])(
    'one with a mark and the reference %j is there, always by the same name',
    (odd) => {
      const each = { ...base, reference: odd }
      const [authorisation, again] = liveIn([each, each])
      expect(authorisation).toEqual({ ...live, reference: expect.stringMatching(/^[0-9a-f]{32}$/) })
      expect(again).toEqual(authorisation)
      expect(liveIn([{ ...each, id: 'pay_2' }])[0]!.reference).not.toBe(authorisation!.reference)
    },
  )

  test.each<[string, object]>([
    ['no amount', { amount: null }],
    ['no id', { id: null }],
    ['an unknown currency', { currency: 'XXX' }],
    ['no time', { requested_on: 'yesterday' }],
  ])('one of ours with %s is not passed over', (_, change) => {
    expect(() => liveIn([{ ...base, ...change }])).toThrow('of ours')
  })
})
