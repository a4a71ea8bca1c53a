// The meaning of Adyen's refusal reason codes in our terms, by docs.adyen.com/development-resources/refusal-reasons, read in 2026-11.
// An unknown code leaves a decline soft.

import type { Decline } from '../acquirer.ts'
import { type DeclineRow, forGood, isAgainst, meaningsOf, type TheirDecline, unlisted } from '../read-decline-table.ts'
import { wordsOf } from '../words.ts'

/** By Adyen's codes. */
export const table: readonly DeclineRow[] = [
  ['do_not_honor', 'soft', '2', 'elsewhere'],
  // 27 stands for all network codes that Adyen cannot map, so that of a duplicate may be among them.
  ['do_not_honor', 'soft', '27'],
  ['insufficient_funds', 'soft', '12', 'elsewhere'],
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

const meanings = meaningsOf(table)

/**
 * Adyen's words for its codes, as its notices have them instead. Only those whose meaning is hard or fraud: other words leave a decline
 * soft.
 */
export const codesOfWords: Readonly<Record<string, string>> = {
  'blocked card': '5',
  'expired card': '6',
  'invalid card number': '8',
  'not supported': '10',
  'acquirer fraud': '14',
  fraud: '20',
  'fraud-cancelled': '22',
  'transaction not permitted': '23',
  'restricted card': '25',
  'revocation of auth': '26',
  'issuer suspected fraud': '31',
  'no checking account available on card': '34',
  'no savings account available on card': '35',
  'transaction blocked by adyen to prevent excessive retry fees': '46',
}

/** A decline in a notice. Its words are not signed, so they can only make the decline stricter than soft. */
export function declineToldOf(reason: string | null): Decline {
  const words = wordsOf(reason)
  const key = words?.toLowerCase() ?? ''
  const code = Object.hasOwn(codesOfWords, key) ? codesOfWords[key] : undefined
  const { may_retry_elsewhere: _, ...meaning } = meanings.get(code ?? '') ?? unlisted('card_declined', 'soft')
  return { ...meaning, reason: words }
}

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
export type TheirRefusal = {
  code: string | null
  raw: string | null
  /** Mastercard's advice, which an account may have switched on. */
  advice?: string | null
  words: string | null
}

/** The network's codes of the declines that may be tried elsewhere. Any other one contradicts Adyen's code. */
const raw_elsewhere = ['05', '51']

/** Never throws. An unknown code is a soft decline; without a code, `otherwise` is the result. */
export function declineOf(
  { code, raw, advice, words }: TheirRefusal,
  otherwise: 'declined' | 'failed' = 'declined',
): TheirDecline {
  const reason = wordsOf(words)
  if (code === null && otherwise === 'failed') {
    return { ...unlisted('processing_error', 'provider_error'), reason }
  }
  const meaning = meanings.get(code ?? '') ?? unlisted('card_declined', 'soft')
  const network_code = /^\w{2}/.exec(raw ?? '')?.[0]
  const is_confirmed = network_code === undefined || raw_elsewhere.includes(network_code)
  const decline = {
    ...meaning,
    code: finer[`${code} ${network_code}`] ?? meaning.code,
    may_retry_elsewhere: meaning.may_retry_elsewhere && is_confirmed,
    reason,
  }
  return isAgainst(advice ?? null) ? forGood(decline) : decline
}
