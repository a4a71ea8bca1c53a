// The meaning of Checkout.com's response codes in our terms, by checkout.com/docs/developer-resources/codes/api-response-codes as of
// 2025-12-03, read in 2026-11. The range of an unknown code decides.

import { type DeclineRow, type Meaning, meaningsOf, type TheirDecline, unlisted } from '../read-decline-table.ts'
import { wordsOf } from '../words.ts'

/** By Checkout.com's codes. */
export const table: readonly DeclineRow[] = [
  ['do_not_honor', 'soft', '20005', 'elsewhere'],
  ['insufficient_funds', 'soft', '20051', 'elsewhere'],
  // An earlier charge of the same amount was taken, perhaps one whose answer was lost.
  ['duplicate_transaction', 'hard', '20094'],
  ['card_velocity_exceeded', 'soft', '20061 20065 200P1 200P9 30021 30022'],
  ['incorrect_cvc', 'soft', '200N7 20087 20124'],
  ['authentication_required', 'soft', '20154'],
  ['authentication_failed', 'soft', '20151 20153 20155'],
  ['expired_card', 'hard', '20054 20100 30033'],
  ['lost_card', 'hard', '30041'],
  ['stolen_card', 'hard', '30043'],
  ['pickup_card', 'hard', '20067 30004 30007 30035 30036 30037 30038'],
  ['invalid_account', 'hard', '20014 20039 20052 20053 20056 20101 30015 30046'],
  ['not_permitted', 'hard', '20057 20058 20062 20093 20103 200R1 200R3 200T3 30016 30017 30018 30019'],
  ['suspected_fraud', 'fraud', '20059 20063 20183 30034 30044'],
  ['issuer_unavailable', 'network', '20031 20068 20091 20092 20096'],
  ['try_again_later', 'network', '20009 20019 20090 20118'],
  ['processing_error', 'provider_error', '20006 20013 20030 20102 20104 20105 20106 20113 20157'],
]

const meanings = meaningsOf(table)

const ranges: [string, Meaning][] = [
  ['20', unlisted('card_declined', 'soft')],
  ['30', unlisted('card_declined', 'hard')],
  ['40', unlisted('fraudulent', 'fraud')],
  ['50', unlisted('processing_error', 'provider_error')],
]

/** Never throws: an unknown or missing code is a soft decline. */
export function declineOf(response_code: string | null, summary: string | null): TheirDecline {
  const code = response_code ?? ''
  const is_code = /^[0-9A-Z]{5}$/.test(code)
  const meaning = meanings.get(code) ?? (is_code ? ranges.find(([range]) => code.startsWith(range))?.[1] : null)
  return { ...(meaning ?? unlisted('card_declined', 'soft')), reason: wordsOf(summary) }
}
