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

/** More than the authorisation of any card lives. */
const longest_life_ms = 366 * 24 * 3_600_000

/**
 * When the acquirer lets a reservation go by itself, by its own times. Left out if it names no time after the authorisation, or one
 * that no authorisation lives to see.
 */
export function expiryOf(authorised_at: Date, expires_at: Date): { expires_at?: Date } {
  const life_ms = expires_at.getTime() - authorised_at.getTime()
  return life_ms > 0 && life_ms <= longest_life_ms ? { expires_at } : {}
}
