// Turns intents and refunds at Stripe into the results of look-ups and lists.

import {
  type Accepted,
  type AuthorisationStanding,
  type LiveAuthorisation,
  type LookUpAnswer,
  type LookUpRequest,
  type SettleAnswer,
  type SettleKind,
  type SettleRequest,
  Unanswered,
} from '../acquirer.ts'
import { unknownAuthorisation } from '../answers.ts'
import { standInReference } from '../reference.ts'
import { approved, chargeOf, refundStands, takenOf } from './answers.ts'
import { moneyRead } from './currencies.ts'
import { intentIn, isGiven, releasedOf, type TheirIntent, type TheirRefund, wasApproved } from './intents.ts'
import { cancelReasons } from './requests.ts'

/** What an intent and all its refunds show about its charge. An intent that was never confirmed moved nothing. */
export function chargeFound(intent: TheirIntent, refunds: TheirRefund[]): LookUpAnswer {
  const answer = chargeOf(intent)
  if (answer === 'unconfirmed') return { result: 'not_found' }
  // An unreadable state decides nothing, so the charge waits for a person.
  if (answer === null || answer.result === 'under_way') return { result: 'in_progress' }
  if (answer.result !== 'approved') {
    return { result: 'found', kind: 'authorise', answer, standing: null }
  }
  const standing = intentStanding(intent, refunds, answer)
  return { result: 'found', kind: 'authorise', answer, standing }
}

/**
 * What Stripe shows of a capture, void, reversal or refund. It keeps only the reason of a cancel, so two voids or two
 * reversals cannot be told apart.
 */
export function operationFound(
  operation: Pick<LookUpRequest, 'reference' | 'acquirer_transaction_id'> & { kind: SettleKind },
  intent: TheirIntent,
  refunds: TheirRefund[],
): LookUpAnswer {
  const { kind, acquirer_transaction_id } = operation
  const own = ownRefund(operation, refunds)
  if (own) {
    const answer = refundAnswerOf(kind, own, intent, refunds)
    if (!answer || answer.result === 'accepted') return { result: 'in_progress' }
    return { result: 'found', kind, answer }
  }
  const ownAnswer = doneBy(operation, intent)
  if (ownAnswer) return { result: 'found', kind, answer: ownAnswer }
  if (intent.status === 'processing') return { result: 'in_progress' }
  // Stripe has given its id, so the refund exists, although the list does not show it yet.
  const is_named = kind === 'refund' && acquirer_transaction_id !== null
  return { result: is_named ? 'in_progress' : 'not_found' }
}

/**
 * The outcome of one of our refunds; null if it is not known. A reversal after which nothing is left refunded the whole
 * rest.
 */
export function refundAnswerOf(
  kind: SettleKind,
  own: TheirRefund,
  intent: TheirIntent,
  refunds: TheirRefund[],
): SettleAnswer | Accepted | null {
  const answer = refundStands(own)
  const is_whole = kind === 'reverse' && leftOf(intent, refunds) === 0
  return is_whole && answer?.result === 'approved' ? approved(own.id) : answer
}

/**
 * What the intent itself shows about an operation; null if it does not show that the operation was carried out. Throws Unanswered
 * if it does not show how much was captured.
 */
export function doneBy(
  { kind, reference }: { kind: SettleKind; reference: string },
  intent: TheirIntent,
): SettleAnswer | null {
  const { id, status, metadata, cancellation_reason } = intent
  if (kind === 'refund') return null
  if (kind === 'capture') {
    if (status !== 'succeeded' || metadata?.ripper_capture !== reference) return null
    const capturedMoney = takenOf(intent)
    if (!capturedMoney) throw new Unanswered('Stripe does not show how much was captured')
    return approved(id, capturedMoney)
  }
  if (status !== 'canceled' || cancellation_reason !== cancelReasons[kind]) return null
  return wasApproved(intent) ? approved(id) : nothingBehind(intent)
}

/** The refund of one of our operations. */
export function ownRefund(
  {
    kind,
    reference,
    acquirer_transaction_id,
  }: { kind: SettleKind; reference: string; acquirer_transaction_id?: string | null },
  refunds: TheirRefund[],
): TheirRefund | null {
  if (kind !== 'refund' && kind !== 'reverse') return null
  const isOwn = ({ id, metadata }: TheirRefund) =>
    metadata?.ripper_reference === reference || id === acquirer_transaction_id
  return refunds.find(isOwn) ?? null
}

/** Why a request was refused, as far as the intent shows it. The words are the same as for other acquirers. */
export function whyRefused(
  kind: SettleKind,
  { amount }: Pick<SettleRequest, 'amount'>,
  intent: TheirIntent,
  refunds: TheirRefund[],
): string | null {
  const { status } = intent
  if (status === 'canceled') return whyCancelled(intent)
  if (status === 'processing') return 'in_progress'
  if (!wasApproved(intent)) return nothingBehind(intent).decline_code
  if (isReversed(refunds)) return 'already_reversed'
  if (status === 'requires_capture') {
    if (kind === 'refund') return 'not_captured'
    return kind === 'capture' && isMoreThanReserved(amount, intent) ? 'amount_mismatch' : null
  }
  if (kind === 'capture' || kind === 'void') return 'already_captured'
  const amount_left = kind === 'refund' ? leftOf(intent, refunds) : null
  return amount_left !== null && amount > amount_left ? 'refund_exceeds_captured' : null
}

function isMoreThanReserved(
  amount: number,
  { amount: their_amount, amount_capturable, currency }: TheirIntent,
): boolean {
  const reservedMoney = moneyRead({ amount: amount_capturable ?? their_amount, currency })
  return reservedMoney !== null && amount > reservedMoney.amount
}

/** The answer about an intent that never was an authorisation: there is none, or it was declined. */
export function nothingBehind(intent: TheirIntent): Extract<SettleAnswer, { result: 'refused' }> {
  const charge = chargeOf(intent)
  const was_tried = intent.last_payment_error !== null || intent.status === 'requires_action'
  if (!was_tried || charge === 'unconfirmed') return unknownAuthorisation
  return {
    result: 'refused',
    reason: 'The payment was not approved',
    decline_code: 'not_approved',
    authorisation_known: true,
  }
}

/** Whether a reversal of ours refunded it. */
export function isReversed(refunds: TheirRefund[]): boolean {
  return refunds.some((refund) => isGiven(refund) && refund.metadata?.ripper_kind === 'reverse')
}

/**
 * The live intents of a list: not unconfirmed, declined, cancelled or refunded in full. `needs_refunds`: only the refunds show
 * whether it was refunded in full. Throws Unanswered if an intent with a mark cannot be read.
 */
export function liveOf(each: unknown): (LiveAuthorisation & { needs_refunds: boolean }) | null {
  const intent = intentIn(each)
  const installation = markIn(each)
  if (!intent) {
    if (installation === null) return null
    throw new Unanswered('a payment of ours that cannot be read')
  }
  const { id: acquirer_transaction_id, status, latest_charge, created, metadata } = intent
  const own_reference = String(metadata?.ripper_reference)
  const stand_in = installation === null ? null : standInReference(intent.id)
  const reference = /^[0-9a-f]{32}$/.test(own_reference) ? own_reference : stand_in
  if (reference === null) return null
  const captured = status === 'succeeded'
  const charge = latest_charge !== null && typeof latest_charge === 'object' ? latest_charge : null
  if ((!captured && status !== 'requires_capture') || charge?.refunded) return null
  const amount = captured ? intent.amount_received : intent.amount_capturable
  const money = moneyRead({ amount: amount ?? intent.amount, currency: intent.currency })
  if (!money) {
    if (installation === null) return null
    throw new Unanswered('a payment of ours whose amount cannot be read')
  }
  const names = { reference, acquirer_transaction_id, installation }
  const authorised_at = new Date(created * 1000)
  const needs_refunds = captured && charge === null
  const refunded_amount = captured ? refundedIn(intent, charge?.amount_refunded ?? null) : null
  const refund = refundedOf(intent, refunded_amount)
  return { ...names, ...money, ...refund, captured, authorised_at, needs_refunds }
}

/** How much of a capture may still be refunded, in ISO minor units; null if it cannot be read. */
export function leftOf({ amount_received, currency }: TheirIntent, refunds: TheirRefund[]): number | null {
  if (amount_received === null) return null
  return moneyRead({ amount: Math.max(amount_received - givenIn(refunds), 0), currency })?.amount ?? null
}

function givenIn(refunds: TheirRefund[]): number {
  return refunds.filter(isGiven).reduce((total, { amount }) => total + amount, 0)
}

/** How much of the capture was given back, of what the charge counts as refunded: that includes what a capture of a part gave free. */
function refundedIn(intent: TheirIntent, amount_refunded: number | null): number | null {
  const released_amount = releasedOf(intent)
  if (amount_refunded === null || amount_refunded < released_amount) return amount_refunded
  return amount_refunded - released_amount
}

function refundedOf({ currency }: TheirIntent, amount: number | null): { refunded_amount?: number } {
  const refundedMoney = amount === null ? null : moneyRead({ amount, currency })
  return refundedMoney ? { refunded_amount: refundedMoney.amount } : {}
}

function whyCancelled(intent: TheirIntent): string | null {
  if (!wasApproved(intent)) return nothingBehind(intent).decline_code
  const { cancellation_reason } = intent
  if (cancellation_reason === cancelReasons.reverse) return 'already_reversed'
  return lapses.has(cancellation_reason) ? 'expired' : 'already_voided'
}

/** The reasons with which Stripe cancels by itself. */
export const lapses = new Set<string | null>(['automatic', 'expired'])

function intentStanding(
  intent: TheirIntent,
  refunds: TheirRefund[],
  { amount, currency }: { amount: number; currency: string },
): AuthorisationStanding {
  const money = { amount, currency }
  const { status, cancellation_reason } = intent
  if (status === 'requires_capture') {
    // Less than was approved if a part was captured and the rest may still be.
    const { amount_capturable: capturable_amount } = intent
    const rest = capturable_amount ? moneyRead({ amount: capturable_amount, currency: intent.currency }) : null
    return { state: 'reserved', ...(rest ?? money) }
  }
  if (status === 'succeeded') {
    const capturedMoney = takenOf(intent)
    if (isReversed(refunds)) return { state: 'reversed', ...(capturedMoney ?? money) }
    return { state: 'captured', ...(capturedMoney ?? money), ...refundedOf(intent, givenIn(refunds)) }
  }
  if (lapses.has(cancellation_reason)) return { state: 'expired', ...money }
  const state = cancellation_reason === cancelReasons.reverse ? 'reversed' : 'voided'
  return { state, ...money }
}

function markIn(each: unknown): string | null {
  const metadata = (each as { metadata?: Record<string, unknown> } | null)?.metadata
  const mark = metadata?.ripper_installation
  return typeof mark === 'string' ? mark : null
}
