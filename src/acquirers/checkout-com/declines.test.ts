// What Checkout.com's response codes become.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { wordsOf } from '../words.ts'
import { declineOf } from './declines.ts'

test.each([
  ['20005', 'do_not_honor', 'soft'],
  ['20051', 'insufficient_funds', 'soft'],
  ['200N7', 'incorrect_cvc', 'soft'],
  ['20154', 'authentication_required', 'soft'],
  ['20153', 'authentication_failed', 'soft'],
  ['30033', 'expired_card', 'hard'],
  ['30041', 'lost_card', 'hard'],
  ['30043', 'stolen_card', 'hard'],
  ['30037', 'pickup_card', 'hard'],
  ['20014', 'invalid_account', 'hard'],
  ['200R1', 'not_permitted', 'hard'],
  ['20059', 'suspected_fraud', 'fraud'],
  ['20091', 'issuer_unavailable', 'network'],
  ['20019', 'try_again_later', 'network'],
  ['20030', 'processing_error', 'provider_error'],
  // These codes are unknown, so their range decides.
  ['20999', 'card_declined', 'soft'],
  ['200Z9', 'card_declined', 'soft'],
  ['30999', 'card_declined', 'hard'],
  ['40102', 'fraudulent', 'fraud'],
  ['50150', 'processing_error', 'provider_error'],
  ['60000', 'card_declined', 'soft'],
  ['5', 'card_declined', 'soft'],
  ['', 'card_declined', 'soft'],
  [null, 'card_declined', 'soft'],
])('%s is %s, %s', (response_code, code, category) => {
  expect(declineOf(response_code, 'Words')).toMatchObject({ code, category, reason: 'Words' })
})

test('whatever is said instead of a code is a decline, never an exception', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (code, summary) => {
      expect(declineOf(code, summary).code).toMatch(/^[a-z_]+$/)
    }),
  )
})

test.each([
  ['Declined -\n Do Not Honour', 'Declined - Do Not Honour'],
  ['card 4242 4242 4242 4242 refused', 'card … refused'],
  ['4242424242424242', '…'],
  ['  ', null],
  ['x'.repeat(300), 'x'.repeat(200)],
  [null, null],
])('words %j are kept as %j', (text, expected) => {
  expect(wordsOf(text)).toBe(expected)
})
