// An authorisation in the simulated bank's books: how it comes about, how it stands, and what is answered.

import type {
  AuthorisationStanding,
  AuthoriseAnswer,
  AuthoriseRequest,
  Decline,
} from '../../../src/acquirers/acquirer.ts'
import type { AcquirerBehaviour } from '../../../src/cards/test-cards.ts'

export type Act = 'capture' | 'partial_capture' | 'void' | 'reverse'

/** As it was asked for, and where its money is. Times of the world in milliseconds; null for what did not happen. */
export type Authorisation = {
  kind: 'authorise'
  reference: string
  asked_ms: number
  /** How long it was on its way, where that was long. */
  delay_ms: number
  asked: string
  installation: string
  /** What was approved. */
  amount: number
  currency: string
  asked_for: { amount: number; currency: string; capture: boolean }
  three_ds: AuthoriseRequest['three_ds']
  /** It says that 3-D Secure shifted no liability. */
  refuses_shift: boolean
  /** Whether it takes the money at once. */
  capture: boolean
  behaviour: AcquirerBehaviour | null
  transaction_id: string
  /** Null where nobody will ever know. */
  result: 'approved' | 'declined' | 'failed' | null
  decline: Decline | null
  known_ms: number | null
  authorised_ms: number | null
  /** From when on it is listed. */
  listed_ms: number | null
  captured_ms: number | null
  captured_amount: number | null
  refunded_amount: number
  /** When refunds had given all of it back. */
  refunded_ms: number | null
  voided_ms: number | null
  reversed_ms: number | null
  /** When what is only reserved expires. */
  lapses_ms: number | null
  refused_once: boolean
  missed_once: boolean
  /** What the bank itself did that the service could not know of. */
  surprises: Surprise[]
}

/**
 * `late`: approved after it was reversed. `two_answers`: called declined once. `other_money`: approved for another amount
 * than was asked. `left`: a person gave up on it, for the bank refused to reverse it. Else somebody acted in the bank's portal.
 */
export type Surprise = {
  what: 'late' | 'two_answers' | 'other_money' | 'left' | Act
  at_ms: number
}

type AuthoriseInput = {
  request: AuthoriseRequest
  behaviour: AcquirerBehaviour | null
  asked: string
  id: string
  now_ms: number
  is_duplicate: boolean
  delay_ms: number
}

const found_after_ms = 30_000
const slow_ms = 8_000

export function openAuthorisation(opened: AuthoriseInput): Authorisation {
  const { request, behaviour, asked, id, now_ms } = opened
  const { reference, installation, amount, currency, capture } = request
  const decline = opened.is_duplicate ? duplicate : declineOf(behaviour)
  const is_lost = behaviour === 'lost_then_captured' || behaviour === 'lost_then_declined'
  const delay_ms = is_lost ? found_after_ms : behaviour === 'approve_slowly' ? slow_ms : 0
  const known_ms = behaviour === 'lost_for_ever' ? null : now_ms + delay_ms
  const refused = decline?.category === 'provider_error' ? 'failed' : 'declined'
  const result = known_ms === null ? null : decline ? refused : 'approved'
  const authorised_ms = result === 'approved' ? known_ms : null
  return {
    kind: 'authorise',
    reference,
    asked_ms: now_ms,
    asked,
    installation,
    amount,
    currency,
    capture,
    behaviour,
    transaction_id: id,
    result,
    decline,
    known_ms,
    authorised_ms,
    asked_for: { amount, currency, capture },
    three_ds: request.three_ds,
    refuses_shift: false,
    delay_ms: opened.delay_ms,
    listed_ms: authorised_ms,
    captured_ms: capture ? authorised_ms : null,
    captured_amount: null,
    refunded_amount: 0,
    refunded_ms: null,
    voided_ms: null,
    reversed_ms: null,
    lapses_ms: null,
    refused_once: false,
    missed_once: false,
    surprises: [],
  }
}

/** Somebody decided on it in the bank's portal, or gave up on it. */
export function hasPersonActed({ surprises }: Authorisation): boolean {
  return surprises.some(({ what }) => what in { capture: 1, partial_capture: 1, void: 1, reverse: 1, left: 1 })
}

/** When it stopped to hold or take money; infinite where it still does. */
export function endOf(entry: Authorisation): number {
  const { voided_ms, reversed_ms, captured_ms, lapses_ms } = entry
  const never = Number.POSITIVE_INFINITY
  const lapsed_ms = captured_ms === null ? lapses_ms : null
  return Math.min(voided_ms ?? never, reversed_ms ?? never, lapsed_ms ?? never)
}

/** When a person gave up on it; infinite where nobody did. */
export function leftOf({ surprises }: Authorisation): number {
  return surprises.find(({ what }) => what === 'left')?.at_ms ?? Number.POSITIVE_INFINITY
}

/** It holds or took money. */
export function isLive(entry: Authorisation, at_ms: number): boolean {
  const { authorised_ms } = entry
  return authorised_ms !== null && authorised_ms <= at_ms && at_ms < endOf(entry)
}

export function hasLapsed(entry: Authorisation, at_ms: number): boolean {
  const { captured_ms, voided_ms, reversed_ms, lapses_ms } = entry
  if (captured_ms !== null || voided_ms !== null || reversed_ms !== null) return false
  return lapses_ms !== null && lapses_ms <= at_ms
}

export function answerOf(entry: Authorisation): AuthoriseAnswer {
  const { result, decline, transaction_id: acquirer_transaction_id } = entry
  const { amount, currency, capture: captured } = entry
  if (result === 'approved') {
    return { result, acquirer_transaction_id, captured, amount, currency }
  }
  return {
    result: result === 'declined' ? 'declined' : 'failed',
    decline: decline!,
    acquirer_transaction_id,
  }
}

export function standingOf(entry: Authorisation, now_ms: number): AuthorisationStanding | null {
  if (entry.result !== 'approved') return null
  const { amount, currency, captured_ms, captured_amount, voided_ms, reversed_ms } = entry
  const lapsed = hasLapsed(entry, now_ms) ? 'expired' : 'reserved'
  const taken = captured_ms === null ? lapsed : 'captured'
  const state = reversed_ms !== null ? 'reversed' : voided_ms !== null ? 'voided' : taken
  return { state, amount: captured_amount ?? amount, currency }
}

export function refused(reason: string): AuthoriseAnswer {
  const decline = { code: 'processing_error', category: 'provider_error', reason } as const
  return { result: 'failed', decline, acquirer_transaction_id: null }
}

const duplicate: Decline = { code: 'card_declined', category: 'soft', reason: 'Duplicate' }

const words: Partial<Record<AcquirerBehaviour, [Decline['category'], string, string?]>> = {
  card_declined: ['soft', 'Card declined'],
  do_not_honor: ['soft', 'Do not honour'],
  insufficient_funds: ['soft', 'Insufficient funds'],
  incorrect_cvc: ['soft', 'Security code does not match'],
  card_velocity_exceeded: ['soft', 'Used too often'],
  authentication_required: ['soft', 'Strong authentication wanted'],
  expired_card: ['hard', 'Expired card'],
  lost_card: ['hard', 'Lost card'],
  stolen_card: ['hard', 'Stolen card'],
  suspected_fraud: ['fraud', 'Suspected fraud'],
  fraudulent: ['fraud', 'Taken for fraud'],
  issuer_unavailable: ['network', 'Issuer unavailable'],
  processing_error: ['provider_error', 'Processing error'],
  lost_then_declined: ['soft', 'Do not honour', 'do_not_honor'],
}

function declineOf(behaviour: AcquirerBehaviour | null): Decline | null {
  if (behaviour === null) {
    const reason = 'Not a card of this bank'
    return { code: 'processing_error', category: 'provider_error', reason }
  }
  const [category, reason, code] = words[behaviour] ?? []
  return category ? { code: code ?? behaviour, category, reason: reason! } : null
}
