// Which declines may be tried at another acquirer: few, and each by a code that its vendor gave for certain.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import * as adyen from './adyen/declines.ts'
import * as checkout from './checkout/declines.ts'
import { endedBy, type TheirDecline } from './decline-table.ts'
import * as stripe from './stripe/declines.ts'

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
    read: (decline_code: string) =>
      stripe.declineOf({ code: 'card_declined', decline_code, message: null }),
    elsewhere: ['do_not_honor', 'insufficient_funds'],
    never: `duplicate_transaction card_decline_rate_limit_exceeded pin_try_exceeded live_mode_test_card
      generic_decline card_velocity_exceeded authentication_required incorrect_cvc`,
  },
}

const mayRetry = (decline: TheirDecline) => 'may_retry_elsewhere' in endedBy(decline, null)

describe.each(Object.values(vendors))('$elsewhere may be tried elsewhere', (vendor) => {
  const { table, read, elsewhere, never } = vendor
  const listed = table.flatMap(([, , theirs]) => theirs.split(/\s+/))

  test('and no other code of the table', () => {
    const marked = listed.filter((code) => mayRetry(read(code)))
    expect(marked.toSorted()).toEqual(elsewhere.toSorted())
    for (const code of marked) {
      expect(read(code).category).toBe('soft')
      expect(['do_not_honor', 'insufficient_funds']).toContain(read(code).code)
    }
  })

  test('and no code stands in two rows', () => {
    expect(new Set(listed).size).toBe(listed.length)
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

test('a duplicate is the last word', () => {
  expect(vendors.stripe.read('duplicate_transaction').category).toBe('hard')
  expect(vendors.checkout.read('20094').category).toBe('hard')
})
