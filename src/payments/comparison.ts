// The comparison of our books with an acquirer's: what each records of a charge, and where they disagree.

import type {
  AuthorisationName,
  AuthorisationStanding,
  LiveAuthorisation,
  LookUpAnswer,
} from '../acquirers/acquirer.ts'
import type { Mode } from '../kernel/values.ts'
import { isOpen, type OperationState } from './operation.ts'
import type { Payment, PaymentStatus } from './payment.ts'
import type { Refund } from './refund.ts'

/** A charge in our books, with its payment. */
export type BookedCharge = AuthorisationName & {
  merchant_id: string
  payment_id: string
  acquirer: string
  state: OperationState
  payment_status: PaymentStatus
  amount: number
  currency: string
  /** How much of it was given back. What is pending does not count: it may never happen. */
  refunded_amount: number
  /** How much more is being given back. */
  refunding_amount: number
  /** A capture, void or reversal of the charge is still unanswered. */
  is_under_way: boolean
}

/**
 * A charge at the acquirer. `unknown`: the acquirer neither lists it nor finds it. `refunded`: some of it was given back by a
 * refund that failed here.
 */
export type AcquirerCharge = {
  state: AuthorisationStanding['state'] | 'declined' | 'in_progress' | 'unknown' | 'refunded'
  /** Null if nothing was approved. */
  amount: number | null
  currency: string | null
  /** How much of it was given back; left out if the acquirer shows it not. */
  refunded_amount?: number
}

export const finding_kinds = [
  'missing_there',
  'declined_there',
  'voided_there',
  'reversed_there',
  'expired_there',
  'reserved_there',
  'captured_there',
  'amount_differs',
  'currency_differs',
] as const

/** `…_there`: the state at the acquirer, if it differs from ours. */
export type FindingKind = (typeof finding_kinds)[number]

export type Finding = {
  acquirer: string
  /** Of the charge, or of the refund. */
  reference: string
  kind: FindingKind
  mode: Mode
  merchant_id: string
  payment_id: string
  ours: { state: string; amount: number; currency: string; refunded_amount?: number }
  theirs: AcquirerCharge
  found_at: Date
  seen_at: Date
  /** When a later look-up found that both agree. */
  cleared_at: Date | null
  resolved_at: Date | null
  resolved_by: string | null
  resolved_reason: string | null
}

export type NewFinding = Omit<Finding, 'cleared_at' | `resolved_${string}`>

/** The differences between both; `wait` while an operation of the payment is under way here. */
export function compare(booked: BookedCharge, theirs: AcquirerCharge): FindingKind[] | 'wait' {
  const expected = expectedOf(booked)
  if (expected === 'wait') return 'wait'
  // If we claim nothing, a live authorisation is an orphan and not a finding.
  if (expected === null) return []
  const { state, amount, currency } = theirs
  const kinds: FindingKind[] = state === expected ? [] : [kindOf[state]]
  if (state === 'reserved' || state === 'captured') {
    if (currency !== booked.currency) kinds.push('currency_differs')
    // The sum of refunds has no kind of its own, as little as a refund: see `kindOf`.
    if (amount !== booked.amount || areRefundsOther(booked, theirs)) kinds.push('amount_differs')
  }
  return kinds
}

/** Whether the acquirer gave back another sum than we have. A refund that is pending here may be done there. */
function areRefundsOther(
  { refunded_amount, refunding_amount }: BookedCharge,
  { state, refunded_amount: theirs }: AcquirerCharge,
): boolean {
  if (state !== 'captured' || theirs === undefined) return false
  return theirs < refunded_amount || theirs > refunded_amount + refunding_amount
}

/** Both sides of a finding. They name the refunds only if these are what differs. */
export function sidesOf(booked: BookedCharge, there: AcquirerCharge): Pick<Finding, 'ours' | 'theirs'> {
  const { payment_status: state, amount, currency, refunded_amount } = booked
  const ours = { state, amount, currency }
  if (areRefundsOther(booked, there)) return { ours: { ...ours, refunded_amount }, theirs: there }
  const { refunded_amount: _, ...theirs } = there
  return { ours, theirs }
}

const kindOf: Record<AcquirerCharge['state'], FindingKind> = {
  unknown: 'missing_there',
  in_progress: 'missing_there',
  declined: 'declined_there',
  voided: 'voided_there',
  reversed: 'reversed_there',
  expired: 'expired_there',
  reserved: 'reserved_there',
  captured: 'captured_there',
  // No kind of its own: the database knows only those above.
  refunded: 'reversed_there',
}

/**
 * What an acquirer told of itself: a capture or refund that nobody here asked for, or that it took back what it had approved.
 * If the acquirer has no list, only a person can close it.
 */
export function findingElsewhere({
  payment,
  reference,
  theirs,
  at,
}: {
  payment: Payment
  reference: string
  theirs: AcquirerCharge
  at: Date
}): NewFinding {
  const { merchant_id, payment_id, mode, status: state, amount, currency } = payment
  return {
    acquirer: payment.acquirer!,
    reference,
    kind: kindOf[theirs.state],
    mode,
    merchant_id,
    payment_id,
    ours: { state, amount, currency },
    theirs,
    found_at: at,
    seen_at: at,
  }
}

/** A refund that failed here and that the acquirer has carried out. Only a person can close it. */
export function findingOfRefund(refund: Refund, acquirer: string, at: Date): NewFinding {
  const { merchant_id, payment_id, operation_id, mode, amount, currency } = refund
  return {
    acquirer,
    reference: operation_id,
    kind: kindOf.refunded,
    mode,
    merchant_id,
    payment_id,
    ours: { state: 'refund_failed', amount, currency },
    theirs: { state: 'refunded', amount, currency },
    found_at: at,
    seen_at: at,
  }
}

/** The state that the acquirer should report; null if we claim nothing. */
function expectedOf({ state, payment_status, is_under_way }: BookedCharge): 'captured' | 'reserved' | 'wait' | null {
  if (is_under_way || payment_status === 'pending') return 'wait'
  if (isOpen({ state })) return 'wait'
  if (state !== 'approved') return null
  if (payment_status === 'captured') return 'captured'
  return payment_status === 'held' ? 'reserved' : null
}

/** The charge as the acquirer lists it. */
export function listedAs(charge: LiveAuthorisation): AcquirerCharge {
  const { captured, amount, currency, refunded_amount } = charge
  const refunded = captured && refunded_amount !== undefined ? { refunded_amount } : {}
  return { state: captured ? 'captured' : 'reserved', amount, currency, ...refunded }
}

export const unknownThere: AcquirerCharge = { state: 'unknown', amount: null, currency: null }

/**
 * The charge as a look-up found it. If the acquirer uses the reference for something else, that says nothing about the charge.
 */
export function foundAs(look: LookUpAnswer): AcquirerCharge {
  const nothing = { amount: null, currency: null }
  if (look.result === 'in_progress') return { state: 'in_progress', ...nothing }
  if (look.result !== 'found' || look.kind !== 'authorise') return unknownThere
  return look.standing ?? { state: 'declined', ...nothing }
}

/** Whether two reads of a charge are equal, and no operation was begun. */
export function isUnchanged(before: BookedCharge, after: BookedCharge | undefined): boolean {
  return (
    after !== undefined &&
    before.state === after.state &&
    before.payment_status === after.payment_status &&
    before.amount === after.amount &&
    before.currency === after.currency &&
    before.refunded_amount === after.refunded_amount &&
    before.refunding_amount === after.refunding_amount &&
    !before.is_under_way &&
    !after.is_under_way
  )
}
