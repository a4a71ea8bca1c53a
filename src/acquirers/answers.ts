// Answers of the port that every connector gives in the same words.

import type { AuthoriseAnswer, SettleAnswer, Suggestion } from './acquirer.ts'

/** A charge that definitely moved no money. */
export function failed(reason: string): Extract<AuthoriseAnswer, { result: 'failed' }> {
  const decline = { code: 'processing_error', category: 'provider_error', reason } as const
  return { result: 'failed', decline, acquirer_transaction_id: null }
}

export function refusedWith(decline_code: string | null, reason: string): Extract<SettleAnswer, { result: 'refused' }> {
  return { result: 'refused', reason, decline_code, authorisation_known: true }
}

export const unknownAuthorisation: ReturnType<typeof refusedWith> = {
  result: 'refused',
  reason: 'No such payment',
  decline_code: 'unknown_authorisation',
  authorisation_known: false,
}

export function suggests(outcome: Suggestion['outcome']): Suggestion {
  return { result: 'suggested', outcome }
}
