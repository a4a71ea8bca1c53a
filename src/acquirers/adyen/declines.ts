// The meaning of Adyen's refusal reason codes in our terms.

import type { Decline, DeclineCategory } from '../acquirer.ts'
import { wordsOf } from '../words.ts'

/** Each row: our code, its category, and Adyen's codes. */
const table: [string, DeclineCategory, string][] = [
  ['do_not_honor', 'soft', '2 27'],
  ['insufficient_funds', 'soft', '12'],
  ['card_velocity_exceeded', 'soft', '28 29'],
  ['incorrect_cvc', 'soft', '24'],
  ['authentication_required', 'soft', '38'],
  ['authentication_failed', 'soft', '11 42'],
  ['expired_card', 'hard', '6'],
  ['invalid_account', 'hard', '8 34 35'],
  ['not_permitted', 'hard', '5 10 23 25 26 46'],
  ['suspected_fraud', 'fraud', '14 31'],
  ['fraudulent', 'fraud', '20 22'],
  ['issuer_unavailable', 'network', '4 9 39'],
  ['try_again_later', 'network', '21'],
  ['processing_error', 'provider_error', '7'],
]

type Meaning = Omit<Decline, 'reason'>

const meanings = new Map(
  table.flatMap(([code, category, theirs]) =>
    theirs.split(' ').map((each): [string, Meaning] => [each, { code, category }]),
  ),
)

/**
 * Keys: Adyen's code and the first two characters of the network's own text. Adyen advises against relying on that text. Here
 * it only distinguishes declines that are hard in any case.
 */
const finer: Record<string, string> = {
  '5 41': 'lost_card',
  '5 43': 'stolen_card',
  '25 04': 'pickup_card',
  '25 07': 'pickup_card',
}

/** The members as an answer has them; null if it lacks them. */
export type TheirRefusal = { code: string | null; raw: string | null; words: string | null }

const declined: Meaning = { code: 'card_declined', category: 'soft' }

/** Never throws. An unknown code is a soft decline; without a code, `otherwise` is the result. */
export function declineOf(
  { code, raw, words }: TheirRefusal,
  otherwise: 'declined' | 'failed' = 'declined',
): Decline {
  const reason = wordsOf(words)
  if (code === null && otherwise === 'failed') {
    return { code: 'processing_error', category: 'provider_error', reason }
  }
  const meaning = meanings.get(code ?? '') ?? declined
  return { ...meaning, code: finer[`${code} ${raw?.slice(0, 2)}`] ?? meaning.code, reason }
}
