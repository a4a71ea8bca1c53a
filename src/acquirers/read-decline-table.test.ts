// Which declines may be tried at another acquirer: few, and each by a code that its vendor gave for certain.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AuthoriseAnswer, AuthoriseRequest } from './acquirer.ts'
import { authoriseAnswer as adyenAnswer } from './adyen/answers.ts'
import * as adyen from './adyen/declines.ts'
import { authoriseAnswer as checkoutAnswer } from './checkout-com/answers.ts'
import * as checkout from './checkout-com/declines.ts'
import { endedBy, type TheirDecline } from './read-decline-table.ts'
import { confirmAnswer } from './stripe/answers.ts'
import * as stripe from './stripe/declines.ts'
import type { WireAnswer } from './wire.ts'

const vendors = {
  adyen: {
    table: adyen.table,
    read: (code: string) => adyen.declineOf({ code, raw: null, words: null }),
    elsewhere: ['2', '12'],
    never: '3 13 15 16 17 18 19 27 33 36 99',
  },
  checkout: {
    table: checkout.table,
    read: (code: string) => checkout.declineOf(code, null),
    elsewhere: ['20005', '20051'],
    never: '20001 20002 20061 20082 20094 20179 20182 20999 200N7',
  },
  stripe: {
    table: stripe.table,
    read: (decline_code: string) => stripe.declineOf({ code: 'card_declined', decline_code, message: null }),
    elsewhere: ['do_not_honor', 'insufficient_funds'],
    never: `duplicate_transaction card_decline_rate_limit_exceeded pin_try_exceeded live_mode_test_card
      generic_decline card_velocity_exceeded authentication_required incorrect_cvc`,
  },
}

const mayRetry = (decline: TheirDecline) => 'may_retry_elsewhere' in endedBy(decline, null)

describe.each(Object.values(vendors))('$elsewhere may be tried elsewhere', (vendor) => {
  const { table, read, elsewhere, never } = vendor
  const listedCodes = table.flatMap(([, , theirs]) => theirs.split(/\s+/))

  test('and no other code of the table', () => {
    const retryableCodes = listedCodes.filter((code) => mayRetry(read(code)))
    expect(retryableCodes.toSorted()).toEqual(elsewhere.toSorted())
    for (const code of retryableCodes) {
      expect(read(code).category).toBe('soft')
      expect(['do_not_honor', 'insufficient_funds']).toContain(read(code).code)
    }
  })

  test('and no code stands in two rows', () => {
    expect(new Set(listedCodes).size).toBe(listedCodes.length)
  })

  test('and nothing that the vendor may say besides', () => {
    expect(never.split(/\s+/).filter((code) => mayRetry(read(code)))).toEqual([])
    const codes = fc.oneof(fc.string(), fc.stringMatching(/^(20)?[0-9A-Z]{1,3}$/))
    fc.assert(
      fc.property(codes, (code) => {
        expect(mayRetry(read(code))).toBe(elsewhere.includes(code))
      }),
    )
  })
})

test.each([
  ['05 : Do not honor', true],
  ['51 : Insufficient funds', true],
  ['94 : Duplicate', false],
  ['N7 : CVV2 failure', false],
])('Adyen refuses with the network’s words %s: tried elsewhere is %s', (raw, expected) => {
  expect(mayRetry(adyen.declineOf({ code: '2', raw, words: null }))).toBe(expected)
})

test.each([
  ['do_not_honor', null, true],
  ['do_not_honor', 'a_new_code', false],
  [null, null, false],
])('Stripe says %s and %s: tried elsewhere is %s', (code, decline_code, expected) => {
  expect(mayRetry(stripe.declineOf({ code, decline_code, message: null }))).toBe(expected)
})

test('a duplicate is the last word, and has a code of its own', () => {
  const duplicate = { code: 'duplicate_transaction', category: 'hard' }
  expect(vendors.stripe.read('duplicate_transaction')).toMatchObject(duplicate)
  expect(vendors.checkout.read('20094')).toMatchObject(duplicate)
})

describe.each<[string, (network_advice_code: unknown) => AuthoriseAnswer]>([
  ['adyen', (code) => atAdyen(code)],
  ['checkout', (code) => atCheckout(code)],
  ['stripe', (code) => atStripe({ network_advice_code: code })],
])('the network’s advice at %s', (_, read) => {
  test.each([
    ['03', 'hard'],
    ['21', 'hard'],
    ['03 : Do not try again', 'hard'],
    ['01', 'soft'],
    ['02', 'soft'],
    ['030', 'soft'],
    ['', 'soft'],
    [undefined, 'soft'],
    [null, 'soft'],
    [3, 'soft'],
  ])('%j makes an insufficiency %s', (advice, category) => {
    const answer = read(advice)
    expect(answer).toMatchObject({
      result: 'declined',
      decline: { code: 'insufficient_funds', category },
    })
    expect('may_retry_elsewhere' in answer).toBe(category === 'soft')
  })
})

test('Stripe’s own advice counts as well', () => {
  const read = (advice_code: string) => atStripe({ advice_code })
  expect(read('do_not_try_again')).toMatchObject({ decline: { category: 'hard' } })
  expect(read('try_again_later')).toMatchObject({ decline: { category: 'soft' } })
})

test.each([
  ['20059', 'fraud'],
  ['20091', 'hard'],
  ['30041', 'hard'],
  ['20105', 'provider_error'],
])('%s with the advice not to try again is %s', (code, category) => {
  expect(atCheckout('03', code)).toMatchObject({ decline: { category } })
})

const reference = '0123456789abcdef0123456789abcdef'
const charge = { reference, amount: 4200, currency: 'GBP', capture: false } as AuthoriseRequest

function answered(status: number, json: object): WireAnswer {
  return { status, headers: {}, text: JSON.stringify(json), json: json as WireAnswer['json'] }
}

function atAdyen(merchantAdviceCode: unknown): AuthoriseAnswer {
  const json = {
    pspReference: 'X',
    resultCode: 'Refused',
    refusalReasonCode: '12',
    additionalData: { merchantAdviceCode },
  }
  return adyenAnswer(answered(200, json), charge, 'adyen:conn_1') as AuthoriseAnswer
}

function atCheckout(partner_merchant_advice_code: unknown, response_code = '20051') {
  const json = {
    id: 'pay_1',
    status: 'Declined',
    approved: false,
    response_code,
    amount: 4200,
    currency: 'GBP',
    processing: { partner_merchant_advice_code },
  }
  return checkoutAnswer(answered(201, json), charge, 'checkout:conn_1') as AuthoriseAnswer
}

function atStripe(advice: object): AuthoriseAnswer {
  const error = {
    type: 'card_error',
    code: 'card_declined',
    decline_code: 'insufficient_funds',
    ...advice,
    payment_intent: { id: 'pi_1', status: 'requires_payment_method' },
  }
  return confirmAnswer(answered(402, { error }), 'pi_1', 'stripe:conn_1') as AuthoriseAnswer
}
