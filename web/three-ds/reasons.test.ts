// Every decline and every refusal has words in English.

import { describe, expect, test } from 'vitest'
import { catalogue } from '../../src/kernel/errors.ts'
import words from '../words/en.json' with { type: 'json' }
import { adviceKey, declineKey, errorKey, fieldOf } from './reasons.ts'

describe('declines', () => {
  test.each([
    ['insufficient_funds', 'soft', 'decline_insufficient_funds', 'code'],
    ['expired_card', 'hard', 'decline_expired_card', 'number'],
    ['incorrect_cvc', 'soft', 'decline_incorrect_cvc', 'code'],
    ['card_declined', 'soft', 'decline_declined', 'code'],
    ['do_not_honor', 'soft', 'decline_declined', 'code'],
    ['card_velocity_exceeded', 'soft', 'decline_declined', 'code'],
    ['withdrawal_count_limit_exceeded', 'soft', 'decline_declined', 'code'],
    ['lost_card', 'hard', 'decline_other_card', 'number'],
    ['stolen_card', 'hard', 'decline_other_card', 'number'],
    ['suspected_fraud', 'fraud', '', 'number'],
    ['duplicate_transaction', 'hard', 'decline_duplicate_transaction', 'number'],
    ['authentication_failed', 'soft', 'decline_authentication', 'code'],
    ['authentication_timeout', 'soft', 'decline_authentication', 'code'],
    ['authentication_required', 'soft', 'decline_authentication', 'code'],
    ['authentication_canceled', 'soft', 'canceled', 'code'],
    ['authentication_rejected', 'fraud', '', 'number'],
    ['authentication_rejected', 'hard', 'decline_other_card', 'number'],
    ['issuer_unavailable', 'network', 'decline_try_again', 'code'],
    ['processing_error', 'provider_error', 'decline_failed', 'code'],
    ['of_tomorrow', null, 'decline_declined', 'code'],
  ] as const)('%s, %s', (code, category, key, field) => {
    const decline = { code, category, reason: null }
    expect(declineKey(decline)).toBe(key)
    expect(fieldOf(decline)).toBe(field)
    if (key) expect(words).toHaveProperty(key)
  })

  test.each([
    ['insufficient_funds', 'soft', 'again_or_other'],
    ['processing_error', 'provider_error', 'again_or_other'],
    ['expired_card', 'hard', 'other_card'],
    // Its reason says it: with another card they might pay twice.
    ['duplicate_transaction', 'hard', ''],
    // Its reason says it.
    ['issuer_unavailable', 'network', ''],
  ] as const)('after %s, %s: %s', (code, category, key) => {
    expect(adviceKey({ code, category, reason: null })).toBe(key)
  })

  test('a failure without a decline begins with the code', () => {
    expect(fieldOf(null)).toBe('code')
  })
})

describe('errors', () => {
  test.each([...Object.keys(catalogue), 'network_error', 'of_tomorrow'])('%s has words', (code) => {
    expect(words).toHaveProperty(errorKey(code))
  })

  test.each(['network_error', 'store_unavailable', 'internal_error'])(
    '%s does not say that nothing was taken: nobody knows',
    (code) => {
      expect(words[errorKey(code) as keyof typeof words]).not.toMatch(/nothing was taken/i)
    },
  )
})
