import { expect, test } from 'vitest'
import { paymentErrorOf } from './payment-error.ts'

const code = (decline: string, category = 'soft') => {
  const refusal = { code: decline, category: category as 'soft', reason: null }
  const { code, decline_code } = paymentErrorOf(refusal)
  return `${code} / ${decline_code}`
}

test.each([
  ['card_declined', 'card_declined / generic_decline'],
  ['do_not_honor', 'card_declined / do_not_honor'],
  ['insufficient_funds', 'card_declined / insufficient_funds'],
  ['lost_card', 'card_declined / lost_card'],
  ['suspected_fraud', 'card_declined / fraudulent'],
  ['fraudulent', 'card_declined / fraudulent'],
  ['issuer_unavailable', 'card_declined / issuer_not_available'],
  ['authentication_required', 'card_declined / authentication_required'],
  ['expired_card', 'expired_card / undefined'],
  ['incorrect_cvc', 'incorrect_cvc / undefined'],
  ['authentication_failed', 'payment_intent_authentication_failure / undefined'],
  ['authentication_canceled', 'payment_intent_authentication_failure / undefined'],
  ['constructor', 'card_declined / constructor'],
])('%s', (decline, expected) => {
  expect(code(decline)).toBe(expected)
})

test('an error of the provider is none of the card', () => {
  expect(code('anything', 'provider_error')).toBe('processing_error / undefined')
})

test('the message is the bank’s, or ours where it has none', () => {
  const decline = { code: 'lost_card', category: 'hard', reason: 'Lost card' } as const
  expect(paymentErrorOf(decline).message).toBe('Lost card')
  expect(paymentErrorOf({ ...decline, reason: null }).message).not.toBe('')
})
