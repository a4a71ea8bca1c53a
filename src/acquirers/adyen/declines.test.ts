// How Adyen's refusal reason codes read in our terms.

import { expect, test } from 'vitest'
import { declineOf } from './declines.ts'

test.each<[string | null, string | null, string, string]>([
  ['2', null, 'do_not_honor', 'soft'],
  ['27', null, 'do_not_honor', 'soft'],
  ['3', null, 'card_declined', 'soft'],
  ['12', null, 'insufficient_funds', 'soft'],
  ['28', null, 'card_velocity_exceeded', 'soft'],
  ['24', null, 'incorrect_cvc', 'soft'],
  ['38', null, 'authentication_required', 'soft'],
  ['11', null, 'authentication_failed', 'soft'],
  ['6', null, 'expired_card', 'hard'],
  ['5', null, 'not_permitted', 'hard'],
  ['5', '41 : Lost card', 'lost_card', 'hard'],
  ['5', '43 : Stolen card', 'stolen_card', 'hard'],
  ['25', '04 : Pick up', 'pickup_card', 'hard'],
  ['25', '62 : Restricted', 'not_permitted', 'hard'],
  ['2', '41 : Lost card', 'do_not_honor', 'soft'],
  ['8', null, 'invalid_account', 'hard'],
  ['46', null, 'not_permitted', 'hard'],
  ['14', null, 'suspected_fraud', 'fraud'],
  ['31', null, 'suspected_fraud', 'fraud'],
  ['20', null, 'fraudulent', 'fraud'],
  ['9', null, 'issuer_unavailable', 'network'],
  ['21', null, 'try_again_later', 'network'],
  ['7', null, 'processing_error', 'provider_error'],
  ['33', null, 'card_declined', 'soft'],
  ['9999', null, 'card_declined', 'soft'],
  ['constructor', null, 'card_declined', 'soft'],
  [null, '41', 'card_declined', 'soft'],
])('%s, raw %s: %s', (code, raw, expected, category) => {
  const decline = declineOf({ code, raw, words: 'Words' })
  expect(decline).toMatchObject({ code: expected, category, reason: 'Words' })
})

test('their words are kept without what could be the number of a card', () => {
  const words = 'Refused 4111 1111 1111 1111\nat once'
  expect(declineOf({ code: '2', raw: null, words }).reason).toBe('Refused … at once')
})
