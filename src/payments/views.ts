// The response schemas and shapes that several routes share: allow-lists of what leaves the service.

import { z } from 'zod'
import { disputeStatuses } from '../acquirers/acquirer.ts'
import { timestamp } from '../kernel/values.ts'
import type { Attempt } from './attempt.ts'
import { anyMetadata } from './fields.ts'
import { itemKinds } from './purchase.ts'
import { attemptsLeft, type Session } from './session.ts'

export const time = z.string().meta({ format: 'date-time' })

export const declineView = z
  .object({
    code: z.string(),
    category: z.string().nullable(),
    reason: z.string().nullable(),
  })
  .meta({ title: 'Decline', note: 'Why nothing was taken.' })

export const holdView = z
  .object({
    status: z.enum(['pending_review', 'escalated', 'captured', 'voided']),
    reason: z.enum(['no_price_list', 'mismatch', 'manual_capture']),
    detail: z.string().nullable(),
    deadline: time,
    decided_by: z.string().nullable(),
    decided_at: time.nullable(),
    operation_refusal: z
      .object({
        kind: z.string(),
        sequence: z.int(),
        reason: z.string(),
        decline_code: z.string().nullable(),
        at: time,
      })
      .meta({ title: 'HoldOperationRefusal', note: 'Why the acquirer refused the last capture or void of a hold.' })
      .nullable(),
  })
  .meta({ title: 'Hold', note: 'Why a payment waits for a decision, until when, and what was decided.' })

export const refundFailureView = z
  .object({ code: z.string(), reason: z.string() })
  .meta({ title: 'RefundFailure', note: 'Why a refund failed.' })

export const refundView = z
  .object({
    id: z.string(),
    payment_id: z.string(),
    amount: z.int().meta({ description: 'in minor units' }),
    currency: z.string(),
    mode: z.enum(['test', 'live']),
    status: z.enum(['pending', 'succeeded', 'failed']),
    reason: z.string().nullable(),
    failure: refundFailureView.nullable(),
    created_at: time,
    settled_at: time.nullable(),
  })
  .meta({ title: 'Refund', note: 'Money of a payment that is given back.' })

export const disputeView = z
  .object({
    id: z.string(),
    payment_id: z.string(),
    status: z.enum(disputeStatuses),
    reason: z.string().nullable().meta({ description: 'the acquirer’s words' }),
    amount: z.int().meta({ description: 'in minor units; may be less than the payment' }),
    currency: z.string(),
    mode: z.enum(['test', 'live']),
    respond_by: time.nullable().meta({ description: 'until when you may respond, where the acquirer says it' }),
    opened_at: time,
    closed_at: time.nullable(),
    vendor_url: z.string().nullable().meta({ description: 'where you respond, at the acquirer' }),
  })
  .meta({ title: 'Dispute', note: 'Money of a payment that the shopper’s bank wants back.' })

export const settlementView = z.literal('awaiting_reconciliation').nullable()

export const itemView = z
  .object({
    kind: z.enum(itemKinds),
    sku: z.string().nullable(),
    name: z.string().nullable(),
    quantity: z.int(),
    unit_amount: z.int().nullable(),
    tax_amount: z.int().nullable(),
    tax_rate: z.int().nullable(),
    type: z.string().nullable(),
  })
  .meta({ title: 'Item', note: 'A line of a basket.' })

export const customerView = z
  .object({
    email: z.string().nullable(),
    name: z.string().nullable(),
    account_created: time.nullable(),
    account_id: z.string().nullable(),
    metadata: anyMetadata.nullable(),
  })
  .meta({ title: 'Customer', note: 'The shopper.' })

export const mode = z.enum(['test', 'live'])

export const basketView = {
  items: z.array(itemView).nullable(),
  basket_total: z.int().nullable(),
  tax_total: z.int().nullable(),
}

export const cardView = z
  .object({ brand: z.string(), last4: z.string() })
  .meta({ title: 'Card', note: 'A card as it is shown: its brand and last four digits.' })

export const attemptView = z
  .object({
    id: z.string(),
    number: z.int(),
    card: cardView,
  })
  .meta({ title: 'Attempt', note: 'A try to pay, with its card.' })

export const threeDsView = z
  .object({
    state: z.enum([
      'not_started',
      'awaiting_challenge',
      'authenticated',
      'attempted',
      'failed',
      'rejected',
      'informational',
      'unavailable',
      'not_enrolled',
      'superseded',
    ]),
    version: z.string().nullable(),
    challenge: z.object({ url: z.string(), window_size: z.string(), expires_at: time }).nullable(),
    cardholder_info: z.string().nullable(),
  })
  .meta({ title: 'ThreeDs', note: 'The progress of 3-D Secure for an attempt.' })

export const authenticateView = z
  .object({
    session_id: z.string(),
    attempt: attemptView,
    three_ds: threeDsView,
    attempts_left: z.int(),
  })
  .meta({ title: 'AuthenticateResult', note: 'The attempt, with the answer or the demand of its bank.' })

const confirmedView = z.object({
  status: z.enum(['captured', 'held', 'declined', 'failed', 'processing']),
  session_id: z.string(),
  payment_id: z.string(),
  attempt: z
    .object({ id: z.string(), number: z.int() })
    .meta({ title: 'ResultAttempt', note: 'The attempt that was charged.' }),
  decline: declineView.nullable(),
  attempts_left: z.int(),
  order_reference: z.string().nullable(),
  confirmation_url: z.string().nullable(),
})
/** The confirm answer as recorded. Captured and held payments have `paid_at`; answers recorded by version 0.1 lack it. */
export type ConfirmResult = z.infer<typeof confirmedView> & { paid_at?: string | null }

const receiptView = z.object({ paid_at: time, brand: z.string(), last4: z.string() })
const ofPaid = { description: 'Of a captured or held payment.' }

/** A result with the receipt that a paid checkout shows beside the amount. Everybody with the client secret may read it. */
export const resultView = confirmedView
  .extend({ receipt: receiptView.nullable().meta(ofPaid) })
  .meta({ title: 'RecordedResult', note: 'The outcome of a charge, read again. It has no email.' })

/** The answer to a confirm also contains the email. */
export const confirmView = confirmedView
  .extend({
    receipt: receiptView.extend({ email: z.string().nullable() }).nullable().meta(ofPaid),
  })
  .meta({ title: 'ConfirmResult', note: 'The outcome of a charge, for the page.' })

export function viewResult(
  { paid_at, ...result }: ConfirmResult,
  { brand, last4, settled_at }: Attempt,
): z.input<typeof resultView> {
  const is_paid = result.status === 'captured' || result.status === 'held'
  const at = paid_at ?? (settled_at && timestamp(settled_at))
  return { ...result, receipt: is_paid && at ? { paid_at: at, brand, last4 } : null }
}

/** The email is read from the session and not recorded a second time. */
export function viewConfirmed(
  recorded: ConfirmResult,
  { customer }: Pick<Session, 'customer'>,
  attempt: Attempt,
): z.input<typeof confirmView> {
  const { receipt, ...result } = viewResult(recorded, attempt)
  return { ...result, receipt: receipt && { ...receipt, email: customer?.email ?? null } }
}

export function viewAttempt(attempt: Attempt) {
  return {
    id: attempt.attempt_id,
    number: attempt.number,
    card: { brand: attempt.brand, last4: attempt.last4 },
  }
}

/** `challengeUrl` is our own page, which nests the bank's page. */
export function viewThreeDs(attempt: Attempt, challengeUrl: (attempt: Attempt) => string) {
  return {
    state: attempt.three_ds_state,
    version: attempt.three_ds_version,
    challenge:
      attempt.three_ds_state === 'awaiting_challenge'
        ? {
            url: challengeUrl(attempt),
            window_size: attempt.window_size,
            expires_at: timestamp(attempt.challenge_expires_at!),
          }
        : null,
    cardholder_info: attempt.cardholder_info,
  }
}

export function viewAuthenticate(
  session: Session,
  attempt: Attempt,
  challengeUrl: (attempt: Attempt) => string,
): z.input<typeof authenticateView> {
  return {
    session_id: session.session_id,
    attempt: viewAttempt(attempt),
    three_ds: viewThreeDs(attempt, challengeUrl),
    attempts_left: attemptsLeft(session),
  }
}

/** The newest other payment of an order or session in each state that took money or may yet. */
export const otherPaymentsView = z.array(
  z.object({ payment_id: z.string(), status: z.enum(['captured', 'held', 'pending']) }),
)
export type OtherPayment = z.output<typeof otherPaymentsView>[number]
