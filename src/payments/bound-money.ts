// What binds money: an acquirer's answer to what was asked of it, and the journal's lines to a payment, so that a row that somebody
// changes later no longer matches them.

import { hash } from 'node:crypto'
import type { Mode } from '../kernel/values.ts'
import type { Event } from './event.ts'
import { isOpen, type Operation } from './operation.ts'
import type { Payment, PaymentStatus } from './payment.ts'
import type { Refund, RefundStatus } from './refund.ts'

export type Money = { amount: number; currency: string; mode: Mode }

/** Whether an acquirer's answer is of the very amount that was asked for. */
export function isAsAsked(
  request: Pick<Money, 'amount' | 'currency'>,
  theirs: Pick<Money, 'amount' | 'currency'>,
): boolean {
  return theirs.amount === request.amount && theirs.currency === request.currency
}

/** Whether it is the authorised amount, or a part of it. */
export function isPartOf(
  { amount, currency }: Pick<Money, 'amount' | 'currency'>,
  theirs: Pick<Money, 'amount' | 'currency'>,
): boolean {
  return theirs.currency === currency && theirs.amount > 0 && theirs.amount <= amount
}

/** Whether a capture took no more than was authorised, though perhaps another amount than it was asked to. */
export function isPartTaken(
  {
    operation,
    payment,
  }: { operation: Pick<Operation, 'kind' | 'state'>; payment: Pick<Payment, 'amount' | 'currency'> },
  theirs: Pick<Money, 'amount' | 'currency'>,
): boolean {
  return operation.kind === 'capture' && isOpen(operation) && isPartOf(payment, theirs)
}

/** The detail of an outcome's line, without ids and codes. */
export type OutcomeDetail = Money & {
  status: PaymentStatus
  /** Where less was taken than was authorised. */
  captured_amount?: number
  /** Hash of the event's body, in hex. */
  event_sha256: string
}

export function moneyOf({ amount, currency, mode }: Money): Money {
  return { amount, currency, mode }
}

export function boundOutcome(payment: Payment, event: Event): OutcomeDetail {
  const { status, captured_amount } = payment
  const part = captured_amount !== null && { captured_amount }
  return { status, ...moneyOf(payment), ...part, event_sha256: hashOf(event) }
}

/** The same for a refund. */
export type RefundDetail = Money & { status: RefundStatus; event_sha256: string }

export function boundRefund(refund: Refund, event: Event): RefundDetail {
  return { status: refund.status, ...moneyOf(refund), event_sha256: hashOf(event) }
}

/** In hex, of an event's body. */
export function hashOf({ body }: Event): string {
  return hash('sha256', body, 'hex')
}
