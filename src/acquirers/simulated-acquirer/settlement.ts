// The simulated acquirer's decision about a capture, a void, a reversal or a refund of an authorisation.

import type { SettleAnswer, SettleKind, SettleRequest } from '../acquirer.ts'
import { isFence } from './authorisation.ts'
import { type LedgerEntry, noAuthorisation } from './ledger.ts'

/** The operation's entry, and the changed authorisation; null if it does not change. */
type Settlement = { operation: LedgerEntry; authorisation: LedgerEntry | null }

type Refusal = { decline_code: string; reason: string }

/** How long a refund takes if its amount ends in 17 minor units. */
const slow_refund_ms = 30_000

/**
 * An authorisation is captured, whole or in part, or voided, never both. What a part leaves is released. A reversal takes it back,
 * captured or not. A capture can be refunded in parts, up to what was captured. `later_ms` is how long the bank withholds the result.
 */
export function settlement(
  kind: SettleKind,
  request: SettleRequest,
  authorisation: LedgerEntry | null,
  { transaction_id, now, later_ms }: { transaction_id: string; now: Date; later_ms: number },
): Settlement {
  const refusal = refusalOf(kind, request, authorisation, now)
  const is_slow = kind === 'refund' && refusal === null && request.amount % 100 === 17
  const known_at = new Date(now.getTime() + (is_slow ? slow_refund_ms : later_ms))
  return {
    operation: operation(kind, request, refusal, { transaction_id, now, known_at }),
    authorisation: authorisation && changed(kind, request, authorisation, refusal, now),
  }
}

/** The answer that an operation's entry stands for. */
export function settleAnswer(entry: LedgerEntry): SettleAnswer {
  if (entry.result === 'approved') {
    return { result: 'approved', acquirer_transaction_id: entry.transaction_id }
  }
  const { reason, decline_code } = entry
  const authorisation_known = decline_code !== refusals.unknown.decline_code
  return { result: 'refused', reason: reason ?? 'Refused', decline_code, authorisation_known }
}

/** The answer to an operation that reuses the reference of another request. */
export const reusedOperation: SettleAnswer = {
  result: 'refused',
  reason: 'The reference belongs to another request',
  decline_code: 'reference_reused',
  authorisation_known: true,
}

const refusals = {
  unknown: { decline_code: 'unknown_authorisation', reason: 'No such authorisation' },
  in_progress: { decline_code: 'in_progress', reason: 'The authorisation is still under way' },
  not_approved: { decline_code: 'not_approved', reason: 'The authorisation was not approved' },
  amount: { decline_code: 'amount_mismatch', reason: 'Amount or currency differs' },
  captured: { decline_code: 'already_captured', reason: 'The authorisation was captured' },
  voided: { decline_code: 'already_voided', reason: 'The authorisation was voided' },
  reversed: { decline_code: 'already_reversed', reason: 'The authorisation was reversed' },
  once: { decline_code: 'do_not_honor', reason: 'The issuer refused it this once' },
  not_captured: { decline_code: 'not_captured', reason: 'Nothing was captured' },
  too_much: { decline_code: 'refund_exceeds_captured', reason: 'More than is left of the capture' },
  refund: { decline_code: 'refund_refused', reason: 'The issuer refused the refund' },
} satisfies Record<string, Refusal>

const times = { capture: 'captured_at', void: 'voided_at', reverse: 'reversed_at' } as const

function refusalOf(
  kind: SettleKind,
  request: SettleRequest,
  authorisation: LedgerEntry | null,
  now: Date,
): Refusal | null {
  if (authorisation?.kind !== 'authorise' || isFence(authorisation)) return refusals.unknown
  const { result, known_at } = authorisation
  if (known_at !== null && known_at > now) return refusals.in_progress
  // An authorisation without a result stays under way for ever. A person decides its outcome, so every operation on it
  // succeeds.
  if (result !== null && result !== 'approved') return refusals.not_approved
  const { amount, currency } = request
  if (currency !== authorisation.currency) return refusals.amount
  if (kind === 'refund') return refundRefusal(amount, authorisation)
  const is_fitting = kind === 'capture' ? amount <= authorisation.amount : isWhole(amount, authorisation)
  if (!is_fitting) return refusals.amount
  if (authorisation.reversed_at) return refusals.reversed
  if (authorisation.voided_at) return refusals.voided
  if (authorisation.captured_at && kind !== 'reverse') return refusals.captured
  const is_due = authorisation.behaviour === `refuse_${kind}_once` && !authorisation.refused_before
  return is_due ? refusals.once : null
}

function refundRefusal(amount: number, authorisation: LedgerEntry): Refusal | null {
  if (authorisation.reversed_at) return refusals.reversed
  if (!isCaptured(authorisation)) return refusals.not_captured
  if (amount > heldOf(authorisation) - authorisation.refunded_amount) return refusals.too_much
  return amount % 100 === 13 ? refusals.refund : null
}

/** How much it holds or took. */
function heldOf({ amount, captured_amount }: LedgerEntry): number {
  return captured_amount ?? amount
}

/** A void or reversal names what was authorised, or what was captured of it. */
function isWhole(amount: number, authorisation: LedgerEntry): boolean {
  return amount === authorisation.amount || amount === heldOf(authorisation)
}

/** A person who refunds a charge without a result has decided that it was carried out as requested. */
function isCaptured({ captured_at, result, capture }: LedgerEntry): boolean {
  return captured_at !== null || (result === null && capture === true)
}

/** The authorisation after the operation, or null if it does not change. */
function changed(
  kind: SettleKind,
  { amount }: SettleRequest,
  authorisation: LedgerEntry,
  refusal: Refusal | null,
  now: Date,
): LedgerEntry | null {
  const version = authorisation.version + 1
  if (refusal === refusals.once) return { ...authorisation, version, refused_before: true }
  if (refusal) return null
  if (kind === 'capture') {
    const captured_amount = amount === authorisation.amount ? null : amount
    return { ...authorisation, version, captured_at: now, captured_amount }
  }
  if (kind !== 'refund') return { ...authorisation, version, [times[kind]]: now }
  const captured_at = authorisation.captured_at ?? now
  return { ...authorisation, version, captured_at, refunded_amount: authorisation.refunded_amount + amount }
}

function operation(
  kind: SettleKind,
  { reference, authorisation, amount, currency }: SettleRequest,
  refusal: Refusal | null,
  { transaction_id, now, known_at }: { transaction_id: string; now: Date; known_at: Date },
): LedgerEntry {
  return {
    ...noAuthorisation,
    reference,
    kind,
    authorisation_reference: authorisation.reference,
    transaction_id,
    amount,
    currency,
    result: refusal ? 'refused' : 'approved',
    decline_code: refusal?.decline_code ?? null,
    decline_category: null,
    reason: refusal?.reason ?? null,
    requested_at: now,
    known_at,
  }
}
