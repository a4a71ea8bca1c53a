// A payment: one confirmed attempt, and its outcome. charging/charge.ts opens it, and outcome.ts decides how it ends.

import type { Decline } from '../acquirers/acquirer.ts'
import type { AnySql, Fragment } from '../database/open.ts'
import { Refusal } from '../kernel/errors.ts'
import type { Brand, Mode, PaymentId } from '../kernel/values.ts'
import type { Authentication } from './attempt.ts'

export type PaymentStatus = 'pending' | 'captured' | 'held' | 'voided' | 'declined' | 'failed'

export type Payment = {
  merchant_id: string
  payment_id: PaymentId
  session_id: string
  attempt_id: string
  status: PaymentStatus
  capture_state: 'captured' | 'authorised' | 'voided' | null
  /** What was authorised. */
  amount: number
  /** What was taken, where that is less than `amount`; else null. */
  captured_amount: number | null
  /** Null where the money was to be taken at once. */
  capture_method: 'manual' | null
  currency: string
  mode: Mode
  decline: Decline | null
  authentication: Authentication | null
  acquirer: string | null
  acquirer_transaction_id: string | null
  amount_verified: boolean
  order_reference: string | null
  created_at: Date
  executed_at: Date | null
  /** The sum of all refunds that did not fail, pending ones included: never more than was captured. */
  refunded_amount: number
  /** How many refunds were made, failed ones included. */
  refund_count: number
  /** Of its disputes: whether one is open or lost. Null where there never was one. */
  dispute: 'standing' | 'over' | null
  /** As `emailKey` spells it; null without an email. */
  customer_email: string | null
  card_brand: Brand | null
  card_last4: string | null
}

/** The spelling by which payments are found by email. */
export function emailKey(email: string): string {
  return email.toLowerCase()
}

/** What was taken of a captured payment. */
export function takenOf({ amount, captured_amount }: Pick<Payment, 'amount' | 'captured_amount'>): number {
  return captured_amount ?? amount
}

/** `takenOf` in SQL. `payment` is what the statement calls its row. */
export function takenIn(sql: AnySql, payment: Fragment): Fragment {
  return sql`coalesce(${payment}.captured_amount, ${payment}.amount)`
}

/** What is stored of an amount that was taken: null where it is all that was authorised. */
export function partOf({ amount }: Pick<Payment, 'amount'>, taken: number): number | null {
  return taken === amount ? null : taken
}

/**
 * Whether its charge takes the money at once. An amount that was not verified, and all amounts of an integration that captures by
 * hand, are only reserved.
 */
export function isTakenAtOnce({
  amount_verified,
  capture_method,
}: Pick<Payment, 'amount_verified' | 'capture_method'>): boolean {
  return amount_verified && capture_method === null
}

export type PaymentKey = Pick<Payment, 'merchant_id'> & { payment_id: string }

export function noPayment(): Refusal {
  return new Refusal('resource_not_found', 'There is no payment with this id.')
}
