// The meaning of Stripe's decline codes in our terms, by docs.stripe.com/declines/codes, read in 2026-11. Some of them are
// codes of errors with a card.

import { type DeclineRow, forGood, isAgainst, meaningsOf, type TheirDecline, unlisted } from '../read-decline-table.ts'
import { wordsOf } from '../words.ts'
import type { TheirReason } from './intents.ts'

/** By Stripe's codes. */
export const table: readonly DeclineRow[] = [
  ['do_not_honor', 'soft', 'do_not_honor', 'elsewhere'],
  ['insufficient_funds', 'soft', 'insufficient_funds', 'elsewhere'],
  // A generic decline may be that of Stripe's own Radar, which suspects a fraud.
  ['card_declined', 'soft', 'generic_decline call_issuer no_action_taken'],
  // An earlier charge of the same amount was taken, perhaps one whose answer was lost.
  ['duplicate_transaction', 'hard', 'duplicate_transaction'],
  ['card_velocity_exceeded', 'soft', 'card_velocity_exceeded withdrawal_count_limit_exceeded'],
  ['incorrect_cvc', 'soft', 'incorrect_cvc invalid_cvc'],
  ['authentication_required', 'soft', 'authentication_required'],
  ['expired_card', 'hard', 'expired_card invalid_expiry_month invalid_expiry_year'],
  ['lost_card', 'hard', 'lost_card'],
  ['stolen_card', 'hard', 'stolen_card'],
  ['pickup_card', 'hard', 'pickup_card'],
  ['invalid_account', 'hard', 'incorrect_number invalid_number invalid_account new_account_information_available'],
  [
    'not_permitted',
    'hard',
    `transaction_not_allowed not_permitted restricted_card card_not_supported currency_not_supported
     service_not_allowed stop_payment_order revocation_of_authorization revocation_of_all_authorizations`,
  ],
  ['suspected_fraud', 'fraud', 'security_violation'],
  ['fraudulent', 'fraud', 'fraudulent merchant_blacklist'],
  ['issuer_unavailable', 'network', 'issuer_not_available'],
  ['try_again_later', 'network', 'try_again_later reenter_transaction'],
  ['processing_error', 'provider_error', 'processing_error invalid_amount testmode_decline'],
]

const meanings = meaningsOf(table)

/** Never throws: an unknown or missing code is a soft decline. The decline's own code takes precedence over the error's. */
export function declineOf({
  code,
  decline_code,
  message,
  advice_code,
  network_advice_code,
}: TheirReason): TheirDecline {
  const known_code = [decline_code, code].find((each) => each !== null && meanings.has(each))
  const meaning = meanings.get(known_code ?? '') ?? unlisted('card_declined', 'soft')
  // A decline's own code that is unknown says something that the error's code does not.
  const is_whole = known_code === (decline_code ?? code)
  const decline = {
    ...meaning,
    may_retry_elsewhere: meaning.may_retry_elsewhere && is_whole,
    reason: wordsOf(message),
  }
  const never_again = advice_code === 'do_not_try_again' || isAgainst(network_advice_code ?? null)
  return never_again ? forGood(decline) : decline
}
