// The simulated acquirer's decision about an authorisation: only the card's number matters.

import type { AcquirerBehaviour } from '../../cards/test-cards.ts'
import type { AuthorisationStanding, AuthoriseAnswer, AuthoriseRequest, Decline, SettleRequest } from '../acquirer.ts'
import { type LedgerEntry, noAuthorisation } from './ledger.ts'

/** How long after the request a lost answer can be looked up. */
const found_after_ms = 30_000
/** Longer than a request may take to be stored in the books, including its wait for a database connection. */
export const safe_window_ms = 26_000
/** How long a slow approval takes. */
export const slow_ms = 8_000

const declines: Partial<Record<AcquirerBehaviour, Decline>> = {
  card_declined: { code: 'card_declined', category: 'soft', reason: 'Card declined' },
  do_not_honor: { code: 'do_not_honor', category: 'soft', reason: 'Do not honour' },
  insufficient_funds: {
    code: 'insufficient_funds',
    category: 'soft',
    reason: 'Insufficient funds',
  },
  incorrect_cvc: {
    code: 'incorrect_cvc',
    category: 'soft',
    reason: 'Security code does not match',
  },
  card_velocity_exceeded: {
    code: 'card_velocity_exceeded',
    category: 'soft',
    reason: 'Card used too often',
  },
  authentication_required: {
    code: 'authentication_required',
    category: 'soft',
    reason: 'Strong customer authentication required',
  },
  expired_card: { code: 'expired_card', category: 'hard', reason: 'Expired card' },
  lost_card: { code: 'lost_card', category: 'hard', reason: 'Lost card' },
  stolen_card: { code: 'stolen_card', category: 'hard', reason: 'Stolen card' },
  suspected_fraud: { code: 'suspected_fraud', category: 'fraud', reason: 'Suspected fraud' },
  fraudulent: { code: 'fraudulent', category: 'fraud', reason: 'Blocked as fraudulent' },
  issuer_unavailable: {
    code: 'issuer_unavailable',
    category: 'network',
    reason: 'Issuer unavailable',
  },
  lost_then_declined: { code: 'do_not_honor', category: 'soft', reason: 'Do not honour' },
}

/** The entry of a request. `behaviour` is null for a card that is no test card, for which the simulator moves nothing. */
export function authorisation(
  request: AuthoriseRequest,
  behaviour: AcquirerBehaviour | null,
  { transaction_id, now }: { transaction_id: string; now: Date },
): LedgerEntry {
  const { reference, installation, amount, currency, capture, card } = request
  const known_at = knownAt(behaviour, now)
  const { result, decline } = outcome(behaviour)
  const authorised_at = result === 'approved' ? known_at : null
  return {
    reference,
    kind: 'authorise',
    authorisation_reference: reference,
    installation,
    transaction_id,
    amount,
    currency,
    result,
    decline_code: decline?.code ?? null,
    decline_category: decline?.category ?? null,
    reason: decline?.reason ?? null,
    requested_at: now,
    known_at,
    capture,
    brand: card.brand,
    last4: card.number.slice(-4),
    behaviour,
    authorised_at,
    captured_at: capture ? authorised_at : null,
    voided_at: null,
    reversed_at: null,
    captured_amount: null,
    refunded_amount: 0,
    refused_before: false,
    version: 0,
  }
}

/** The answer that an authorisation's entry stands for. */
export function authoriseAnswer(entry: LedgerEntry): AuthoriseAnswer {
  const acquirer_transaction_id = entry.transaction_id
  if (entry.result === 'approved') {
    const { amount, currency, capture } = entry
    return { result: 'approved', acquirer_transaction_id, amount, currency, captured: capture === true }
  }
  const decline: Decline = {
    code: entry.decline_code ?? 'processing_error',
    category: entry.decline_category ?? 'provider_error',
    reason: entry.reason,
  }
  return {
    result: entry.result === 'declined' ? 'declined' : 'failed',
    decline,
    acquirer_transaction_id,
  }
}

/** The authorisation's present state; null if nothing was approved. */
export function entryStanding(entry: LedgerEntry): AuthorisationStanding | null {
  if (entry.result !== 'approved') return null
  const { currency, captured_at, voided_at, reversed_at, refunded_amount } = entry
  const amount = entry.captured_amount ?? entry.amount
  const state = reversed_at ? 'reversed' : voided_at ? 'voided' : captured_at ? 'captured' : 'reserved'
  return { state, amount, currency, ...(state === 'captured' && { refunded_amount }) }
}

const fence_result = 'fenced'

/** The entry that a reversal leaves if its authorisation does not exist: a later request with the same reference fails. */
export function fence(
  { authorisation: { reference }, amount, currency }: SettleRequest,
  { transaction_id, now }: { transaction_id: string; now: Date },
): LedgerEntry {
  return {
    ...noAuthorisation,
    reference,
    kind: 'authorise',
    authorisation_reference: reference,
    transaction_id,
    amount,
    currency,
    result: 'failed',
    decline_code: fence_result,
    decline_category: 'provider_error',
    reason: 'The reference was reversed before it arrived',
    requested_at: now,
    known_at: now,
  }
}

export function isFence({ kind, decline_code }: LedgerEntry): boolean {
  return kind === 'authorise' && decline_code === fence_result
}

/** The answer to an authorisation that arrives after its reversal. */
export const overtaken: AuthoriseAnswer = {
  result: 'failed',
  decline: processingError('The reference was reversed before it arrived'),
  acquirer_transaction_id: null,
}

/** The answer to a request that reuses the reference of another one. */
export const reusedReference: AuthoriseAnswer = {
  result: 'failed',
  decline: processingError('The reference belongs to another request'),
  acquirer_transaction_id: null,
}

function outcome(behaviour: AcquirerBehaviour | null): {
  result: LedgerEntry['result']
  decline: Decline | null
} {
  if (behaviour === null) {
    return { result: 'failed', decline: processingError('The simulator takes test cards only') }
  }
  if (behaviour === 'processing_error') {
    return { result: 'failed', decline: processingError('Processing error') }
  }
  if (behaviour === 'lost_for_ever') return { result: null, decline: null }
  const decline = declines[behaviour] ?? null
  return { result: decline ? 'declined' : 'approved', decline }
}

function knownAt(behaviour: AcquirerBehaviour | null, now: Date): Date | null {
  if (behaviour === 'lost_for_ever') return null
  if (behaviour === 'lost_then_captured' || behaviour === 'lost_then_declined') {
    return later(now, found_after_ms)
  }
  return behaviour === 'approve_slowly' ? later(now, slow_ms) : now
}

function later(at: Date, duration_ms: number): Date {
  return new Date(at.getTime() + duration_ms)
}

function processingError(reason: string): Decline {
  return { code: 'processing_error', category: 'provider_error', reason }
}
