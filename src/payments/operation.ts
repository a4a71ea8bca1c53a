// An operation: one request to an acquirer, written down before it is sent. Its id is our reference there.

import type { OperationKind } from '../acquirers/acquirer.ts'
import type { Sendable } from '../kernel/world.ts'
import type { Payment } from './payment.ts'

export type { OperationKind } from '../acquirers/acquirer.ts'

/**
 * `reversing`: an authorisation that was not found is being reversed, and can only end as failed. `accepted`: the acquirer has
 * accepted a capture, void, reversal or refund, and will carry it out or refuse it later.
 */
export type OperationState =
  | 'sent'
  | 'unknown'
  | 'reversing'
  | 'accepted'
  | 'approved'
  | 'declined'
  | 'failed'
  | 'refused'
  | 'not_sent'

export type Operation = {
  merchant_id: string
  /** Our reference at the acquirer. */
  operation_id: string
  payment_id: string
  kind: OperationKind
  /**
   * Captures and voids of a payment are counted together. Its reversals and its refunds are each counted from 1. Its
   * authorisation has 1; that at the fallback acquirer has 2.
   */
  sequence: number
  acquirer: string
  /** The acquirer's name for an authorisation, stored before it was sent; null at acquirers that give none in advance. */
  handle: string | null
  amount: number
  currency: string
  state: OperationState
  sent_at: Date
  last_sent_at: Date
  /** From then on an unanswered operation counts as unknown, even if the process that sent it has died. */
  answer_by: Date
  /** When the reconciler looks the operation up; null if it is answered or waits for a person. */
  next_check_at: Date | null
  /** Who decided on a capture or void. */
  asked_by: 'merchant' | 'rules' | null
  /** The idempotency key of a decision or refund that came by the API. */
  idempotency_key: string | null
  /** Whose key it is; null for one of an early release. */
  idempotency_audience: string | null
}

/** An operation as the reconciler finds it. */
export type UnansweredOperation = Operation & {
  checks: number
  not_found_count: number
  waits_for_person_since: Date | null
  payer: object | null
  /** The acquirer's name for the operation; null if no answer carried one. */
  acquirer_transaction_id: string | null
}

/** Whether the outcome is still open. */
export function isOpen({ state }: Pick<Operation, 'state'>): boolean {
  return state === 'sent' || state === 'unknown' || state === 'reversing' || state === 'accepted'
}

/**
 * The state that an operation must have so that an answer is recorded.
 *
 * `unanswered`: the outcome is unknown. `reversing`: the operation was not found and is being reversed. `sending`: the
 * operation was last sent at that time and nobody has looked it up since, so the answer belongs to this sending. `approved`: a
 * refund that succeeded fails after all.
 */
export type ExpectedState = 'unanswered' | 'reversing' | 'approved' | { sending: Date }

/** The outcome is unknown, and the answer counts as lost. */
export function isUnanswered({ state, answer_by }: Pick<Operation, 'state' | 'answer_by'>, now: Date): boolean {
  return state === 'sent' ? answer_by <= now : isOpen({ state })
}

/**
 * An operation is not sent if it was written down longer ago. Its process was paused, and another one may already search for
 * the answer.
 */
export const sendable_ms = 5_000

/** When an operation may be sent that was written down at that time. */
export function sendableSince(written_at: Date): Sendable {
  return { from: written_at, until: new Date(written_at.getTime() + sendable_ms) }
}

/** A call to an acquirer is given up after this time. */
export const deadline_ms = 20_000
/**
 * After this time an answer counts as lost, even if the process that waited for it has died. Sending and the call take less.
 */
export const answer_ms = 30_000
/** When a lost answer is first looked up. */
export const first_check_ms = 5_000
/** When a charge that the acquirer has under way is first looked up: the shopper waits for it. */
export const under_way_check_ms = 2_000
/** When a request that the acquirer carries out later is first looked up. */
export const accepted_check_ms = 30_000

/** An operation that is about to be sent. */
export function newOperation(
  payment: Payment,
  fields: Pick<Operation, 'operation_id' | 'kind' | 'sequence'> &
    Partial<Pick<Operation, 'amount' | 'asked_by'>> & {
      at: Date
      /** That of the request by the API, if it has one. */
      key?: { key: string; audience: string } | null
    },
): Operation {
  const { at, key = null, ...rest } = fields
  const answer_by = answerBy(at)
  return {
    merchant_id: payment.merchant_id,
    payment_id: payment.payment_id,
    acquirer: payment.acquirer!,
    handle: null,
    amount: payment.amount,
    currency: payment.currency,
    state: 'sent',
    sent_at: at,
    last_sent_at: at,
    answer_by,
    next_check_at: answer_by,
    asked_by: null,
    idempotency_key: key?.key ?? null,
    idempotency_audience: key?.audience ?? null,
    ...rest,
  }
}

export function answerBy(sent_at: Date): Date {
  return new Date(sent_at.getTime() + answer_ms)
}
