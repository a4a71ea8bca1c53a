// A refund: money of a captured payment that is given back. What may be refunded, and how a refund ends, perhaps days later.

import type { SettleAnswer } from '../acquirers/acquirer.ts'
import { Refusal } from '../kernel/errors.ts'
import {
  api_version,
  type ExtensionEventType,
  inMajorUnits,
  type Mode,
  type RefundId,
  timestamp,
  timestampOrNull,
} from '../kernel/values.ts'
import type { Event } from './event.ts'
import { type Payment, takenOf } from './payment.ts'
import type { WholePayment } from './whole-payment.ts'

export type RefundStatus = 'pending' | 'succeeded' | 'failed'

export type RefundFailure = { code: string; reason: string }

export type Refund = {
  merchant_id: string
  refund_id: RefundId
  payment_id: string
  session_id: string
  /** Counts the payment's refunds from 1. Its operation has the same. */
  sequence: number
  /** Our reference of the refund at the acquirer. */
  operation_id: string
  mode: Mode
  amount: number
  currency: string
  /** `succeeded` may become `failed` days later; nothing else changes once it is settled. */
  status: RefundStatus
  /** The merchant's own words. */
  reason: string | null
  /** Of a refund that came by the compatible routes. */
  metadata: Record<string, string>
  failure: RefundFailure | null
  created_at: Date
  settled_at: Date | null
}

/** The members with times. In rows that arrive as JSON they are texts. */
export const refundTimes = ['created_at', 'settled_at'] satisfies (keyof Refund)[]

/** What a merchant asks for; without an amount, all that is left. */
export type RefundWish = Pick<Refund, 'reason' | 'metadata'> & {
  amount: number | null
  /** Whoever refunds knows that the bank has taken the money of a disputed payment back, or may. */
  accept_dispute: boolean
}

/** How much of a payment can still be refunded. Refunds that are pending count as given back. */
export function refundableOf({
  status,
  amount,
  captured_amount,
  refunded_amount,
}: Pick<Payment, 'status' | 'amount' | 'captured_amount' | 'refunded_amount'>): number {
  return status === 'captured' ? takenOf({ amount, captured_amount }) - refunded_amount : 0
}

/**
 * The amount to refund. Throws `payment_not_refundable`, `refund_exceeds_captured` where less is left, or `payment_disputed`. The
 * statement that begins the refund checks again, with the payment locked.
 */
export function amountToRefund(
  payment: Payment,
  { amount, accept_dispute }: Pick<RefundWish, 'amount' | 'accept_dispute'>,
): number {
  if (payment.status !== 'captured') {
    throw new Refusal('payment_not_refundable', `The payment is ${payment.status}, so there is nothing to refund.`)
  }
  const rest = refundableOf(payment)
  if (rest === 0) throw exceeds('Nothing is left of the capture.', 'charge_already_refunded')
  if (amount !== null && amount > rest) {
    throw exceeds(`${inMajorUnits(rest, payment.currency)} ${payment.currency} is left of the capture.`)
  }
  if (payment.dispute === 'standing' && !accept_dispute) {
    const words = 'A dispute of the payment is open or lost, so a refund may give the money back a second time.'
    throw new Refusal(
      'payment_disputed',
      `${words} POST /v1/payments/{payment_id}/refunds takes accept_dispute: true.`,
      {
        platform_code: 'charge_disputed',
      },
    )
  }
  return amount ?? rest
}

function exceeds(sentence: string, platform_code?: string): Refusal {
  const words = `${sentence} Refunds that are pending count.`
  return new Refusal('refund_exceeds_captured', words, {
    field: 'amount',
    ...(platform_code && { platform_code }),
  })
}

export function newRefund(
  { payment }: Pick<WholePayment, 'payment'>,
  wish: Pick<Refund, 'amount' | 'reason' | 'metadata'>,
  names: Pick<Refund, 'refund_id' | 'operation_id'> & { at: Date },
): Refund {
  const { merchant_id, payment_id, session_id, mode, currency } = payment
  const { refund_id, operation_id, at } = names
  return {
    merchant_id,
    refund_id,
    payment_id,
    session_id,
    operation_id,
    mode,
    // The statement that writes it counts anew.
    sequence: payment.refund_count + 1,
    amount: wish.amount,
    currency,
    status: 'pending',
    reason: wish.reason,
    metadata: wish.metadata,
    failure: null,
    created_at: at,
    settled_at: null,
  }
}

/** A definite answer, or the reason why nothing was sent. */
export type RefundAnswer =
  | Extract<SettleAnswer, { result: 'approved' }>
  | { result: 'refused' | 'not_sent'; reason: string; decline_code: string | null }

export function settledRefund(refund: Refund, answer: RefundAnswer, at: Date): Refund {
  if (answer.result === 'approved') {
    return { ...refund, status: 'succeeded', failure: null, settled_at: at }
  }
  const code = answer.decline_code ?? codes[answer.result]
  const failure = { code, reason: answer.reason }
  return { ...refund, status: 'failed', failure, settled_at: at }
}

/** For answers without a code of their own. */
const codes = { refused: 'refund_refused', not_sent: 'acquirer_unreachable' }

export function viewRefund(refund: Refund) {
  return {
    id: refund.refund_id,
    payment_id: refund.payment_id,
    amount: refund.amount,
    currency: refund.currency,
    mode: refund.mode,
    status: refund.status,
    reason: refund.reason,
    failure: refund.failure,
    created_at: timestamp(refund.created_at),
    settled_at: timestampOrNull(refund.settled_at),
  }
}

/**
 * The event of a settled refund. Sequence 1 is its outcome, and 2 the failure of one that had succeeded. Its subject is the
 * refund, so that no two events share a key however many refunds a payment has.
 */
export function refundEventOf(refund: Refund, names: { event_id: string; sequence: 1 | 2; at: Date }): Event {
  const { event_id, sequence, at } = names
  const type = typeOf(refund)
  const envelope = {
    id: event_id,
    type,
    created: timestamp(at),
    api_version,
    merchant_id: refund.merchant_id,
    sequence,
    data: { ...viewRefund(refund), checkout_session_id: refund.session_id },
  }
  return {
    merchant_id: refund.merchant_id as Event['merchant_id'],
    payment_id: refund.refund_id,
    sequence,
    event_id,
    type,
    body: JSON.stringify(envelope),
    created_at: at,
  }
}

function typeOf({ refund_id, status }: Refund): ExtensionEventType {
  if (status === 'pending') throw new Error(`refund ${refund_id} is pending: it has no event yet`)
  return `refund.${status}`
}
