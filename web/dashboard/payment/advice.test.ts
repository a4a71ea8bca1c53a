// What support may tell a shopper: of each decline that has words, and nothing that is for the bank alone to tell.

import { expect, test } from 'vitest'
import english from '../../words/dashboard/en.json' with { type: 'json' }
import { adviceOn } from './advice.ts'

const decline = (code: string, category: string | null) => ({ code, category, reason: null })

test.each([
  ['insufficient_funds', 'soft', 'advice_funds'],
  ['do_not_honor', 'soft', 'advice_bank'],
  ['card_declined', 'soft', 'advice_bank'],
  ['incorrect_cvc', 'soft', 'advice_details'],
  ['expired_card', 'hard', 'advice_other_card'],
  ['stolen_card', 'hard', 'advice_secret'],
  ['lost_card', 'hard', 'advice_secret'],
  ['pickup_card', 'hard', 'advice_secret'],
  ['duplicate_transaction', 'hard', 'advice_duplicate'],
  // A reason that this page does not know may be one that must not be told.
  ['new_reason', 'hard', 'advice_secret'],
  ['do_not_honor', 'hard', 'advice_secret'],
  ['suspected_fraud', 'fraud', 'advice_fraud'],
  ['stolen_card', 'fraud', 'advice_fraud'],
  ['authentication_rejected', 'fraud', 'advice_fraud'],
  ['blocked', 'fraud', 'advice_blocked'],
  ['authentication_failed', 'soft', 'advice_authentication'],
  ['authentication_timeout', 'soft', 'advice_authentication'],
  ['issuer_unavailable', 'network', 'advice_again_later'],
  ['new_reason', 'network', 'advice_again_later'],
  ['processing_error', 'provider_error', 'advice_again_later'],
  ['new_reason', null, 'advice_bank'],
])('%s, %s: %s', (code, category, advice) => {
  expect(adviceOn(decline(code, category))).toBe(advice)
})

test.each([
  ['insufficient_funds', 'soft', 'advice_paid'],
  ['duplicate_transaction', 'hard', 'advice_paid'],
  ['processing_error', 'provider_error', 'advice_paid'],
  // What must not be told stays so.
  ['stolen_card', 'hard', 'advice_paid_secret'],
  ['new_reason', 'hard', 'advice_paid_secret'],
  ['suspected_fraud', 'fraud', 'advice_paid_secret'],
])('%s, %s, and another payment of the order was captured: %s', (code, category, advice) => {
  expect(adviceOn(decline(code, category), {})).toBe(advice)
})

test('the words of a theft or a fraud say what the shopper is not told', () => {
  for (const key of ['advice_secret', 'advice_fraud', 'advice_paid_secret'] as const)
    expect(english[key]).toMatch(/do not/i)
})
