// Captures, voids, reversals and refunds in the simulated bank's books: what each is refused for.

import type { SettleAnswer, SettleRequest } from '../../../src/acquirers/acquirer.ts'
import { type Authorisation, hasLapsed } from './authorisation.ts'

export type Verb = 'capture' | 'void' | 'reverse' | 'refund'

export type Settlement = {
  kind: Verb
  reference: string
  of: string
  asked_ms: number
  amount: number
  asked: string
  answer: SettleAnswer
  /** From when on the bank says what came of it. */
  known_ms: number
  /** The bank's own name of it. */
  transaction_id: string
}

export const past = { capture: 'captured', void: 'voided', reverse: 'reversed' } as const

/** Null where it is done. */
export function reasonAgainst(
  kind: Verb,
  { amount, currency }: Pick<SettleRequest, 'amount' | 'currency'>,
  authorisation: Authorisation | undefined,
  now_ms: number,
): string | null {
  if (!authorisation) return 'unknown_authorisation'
  const { result, known_ms, captured_amount } = authorisation
  if (known_ms !== null && known_ms > now_ms) return 'in_progress'
  if (result === 'declined' || result === 'failed') return 'not_approved'
  if (kind === 'refund') return reasonAgainstRefund({ amount, currency }, authorisation)
  // What was partly captured is reversed as it was reserved or as it was taken.
  const is_taken = kind === 'reverse' && amount === captured_amount
  if ((amount !== authorisation.amount && !is_taken) || currency !== authorisation.currency) {
    return 'amount_mismatch'
  }
  if (authorisation.reversed_ms !== null) return 'already_reversed'
  if (authorisation.voided_ms !== null) return 'already_voided'
  if (authorisation.captured_ms !== null && kind !== 'reverse') return 'already_captured'
  if (hasLapsed(authorisation, now_ms)) return 'expired'
  const is_first = authorisation.behaviour === `refuse_${kind}_once` && !authorisation.refused_once
  return is_first ? 'do_not_honor' : null
}

/** Up to what was captured and not refunded yet. An amount that ends in 13 is refused. */
function reasonAgainstRefund(
  { amount, currency }: Pick<SettleRequest, 'amount' | 'currency'>,
  authorisation: Authorisation,
): string | null {
  const { captured_ms, captured_amount, reversed_ms, refunded_amount, result, capture } = authorisation
  if (currency !== authorisation.currency) return 'amount_mismatch'
  if (reversed_ms !== null) return 'already_reversed'
  // Whoever refunds a charge without a result has decided that it was carried out as it was asked for.
  if (captured_ms === null && !(result === null && capture)) return 'not_captured'
  const left = (captured_amount ?? authorisation.amount) - refunded_amount
  if (amount > left) return 'refund_exceeds_captured'
  return amount % 100 === 13 ? 'refund_refused' : null
}

export function refusal(decline_code: string): SettleAnswer {
  const authorisation_known = decline_code !== 'unknown_authorisation'
  const reason = decline_code.replaceAll('_', ' ')
  return { result: 'refused', reason, decline_code, authorisation_known }
}
