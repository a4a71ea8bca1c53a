// What the merchant's people can tell a shopper whose payment was declined: whether to try again, another card, and what is not for them
// to say.

import type { Payment } from '../client/answers.ts'
import type { WordKey } from '../words.ts'

type Decline = NonNullable<Payment['decline']>

const byCode: Record<string, WordKey> = {
  insufficient_funds: 'advice_funds',
  card_velocity_exceeded: 'advice_funds',
  incorrect_cvc: 'advice_details',
  incorrect_number: 'advice_details',
  expired_card: 'advice_other_card',
  invalid_account: 'advice_other_card',
  not_permitted: 'advice_other_card',
  // A second payment might be one too many.
  duplicate_transaction: 'advice_duplicate',
  // Nobody but the bank may tell: whoever pays may not be the card's owner.
  stolen_card: 'advice_secret',
  lost_card: 'advice_secret',
  pickup_card: 'advice_secret',
  blocked: 'advice_blocked',
  issuer_unavailable: 'advice_again_later',
  try_again_later: 'advice_again_later',
  processing_error: 'advice_again_later',
  acquirer_unreachable: 'advice_again_later',
  authentication_unavailable: 'advice_again_later',
}

/** A code that is not listed is told by its category; a hard decline may have a reason that is for the bank to tell. */
const byCategory: Record<string, WordKey> = {
  fraud: 'advice_fraud',
  network: 'advice_again_later',
  provider_error: 'advice_again_later',
}

/** `paid` is another payment of the order that was captured, before or since. */
export function adviceOn(decline: Decline, paid?: object): WordKey {
  const advice = unpaidAdvice(decline)
  if (!paid) return advice
  // What must not be told stays so, and what was paid after a theft wants a look.
  return advice === 'advice_secret' || advice === 'advice_fraud' ? 'advice_paid_secret' : 'advice_paid'
}

/** Fraud comes before the code: it has closed the checkout, whatever the code says. */
function unpaidAdvice({ code, category }: Decline): WordKey {
  if (category === 'fraud' && code !== 'blocked') return 'advice_fraud'
  const known = byCode[code]
  if (known) return known
  if (code.startsWith('authentication_')) return 'advice_authentication'
  if (category === 'hard') return 'advice_secret'
  return byCategory[category ?? ''] ?? 'advice_bank'
}
