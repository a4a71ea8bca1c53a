// A payment intent: a session with its payment, its hold and its newest attempt, in the other platform's words. Its states and reasons
// are some of those in that platform's library 23.1.0; its members are all those of its API description 2026-08-26.

import { z } from 'zod'
import { defaultRules, holdRulesOf, type Integration } from '../../merchants/integration.ts'
import { anyMetadata } from '../../payments/fields.ts'
import { type Hold, viewHold } from '../../payments/hold.ts'
import type { Payment } from '../../payments/payment.ts'
import { cancellationReasons, type Session, settlementAt, statusAt } from '../../payments/session.ts'
import { attemptAt, judge, type ThreeDsStep } from '../../payments/three-ds-states.ts'
import { holdView } from '../../payments/views.ts'
import { charge } from '../charges/charge.ts'
import { absentMembers, chargeIdOf, isCharge, nulls, unixSeconds } from '../members.ts'
import { paymentError, paymentErrorOf } from './payment-error.ts'

const absent = [
  'allowed_payment_method_types',
  'application',
  'application_fee_amount',
  'automatic_payment_methods',
  'customer',
  'customer_account',
  'excluded_payment_method_types',
  'managed_payments',
  'on_behalf_of',
  'payment_method',
  'payment_method_configuration_details',
  'payment_method_options',
  'processing',
  'review',
  'setup_future_usage',
  'shipping',
  'statement_descriptor',
  'transfer_data',
  'transfer_group',
] as const

export const paymentIntent = z
  .object({
    id: z.string(),
    object: z.literal('payment_intent'),
    amount: z.int(),
    amount_capturable: z.int().meta({ description: 'the whole amount while the payment is held, else 0' }),
    amount_received: z.int().meta({ description: 'what was captured, refunded or not; else 0' }),
    currency: z.string(),
    status: z.enum([
      'requires_payment_method',
      'requires_confirmation',
      'requires_action',
      'processing',
      'requires_capture',
      'canceled',
      'succeeded',
    ]),
    client_secret: z.string().nullable(),
    created: z.int().meta({ description: 'Unix seconds' }),
    livemode: z.boolean(),
    metadata: anyMetadata,
    description: z.string().nullable().meta({ description: 'metadata.description' }),
    statement_descriptor_suffix: z.string().nullable(),
    receipt_email: z.string().nullable(),
    capture_method: z.enum(['automatic', 'manual']),
    confirmation_method: z.literal('automatic'),
    payment_method_types: z.array(z.literal('card')),
    latest_charge: z.union([z.string(), charge]).nullable().meta({
      description: 'ch_ and the digits of the payment, once paid or held; the charge itself where it is expanded',
    }),
    last_payment_error: paymentError.nullable(),
    next_action: z.null(),
    canceled_at: z
      .int()
      .nullable()
      .meta({ description: 'Unix seconds; null if it is not canceled, or without a payment' }),
    cancellation_reason: z.enum([...cancellationReasons, 'automatic', 'expired']).nullable(),
    amount_details: z.object({ tip: z.object({}) }),
    ...nulls(absent),
    ripper: z.object({
      checkout_session_id: z.string(),
      amount_verified: z.boolean(),
      hold: holdView.nullable(),
    }),
  })
  .meta({ title: 'PaymentIntent', note: 'A session in the other platform’s words.' })
export type PaymentIntent = z.infer<typeof paymentIntent>

/** The rows of a payment intent, as they were at one moment. */
export type IntentRows = {
  session: Session
  /** How the session's integration captures; left out where the rows are not of now, null without one. */
  rules?: Pick<Integration, 'capture' | 'mode_setting'> | null
  /** The session's newest payment; null before the first. */
  payment:
    | (Pick<Payment, 'payment_id' | 'status' | 'created_at'> &
        Partial<Pick<Payment, 'captured_amount' | 'capture_method'>>)
    | null
  /** Null if the newest payment was never held. */
  hold: Hold | null
  /** The newest attempt; null before the first. */
  step: ThreeDsStep | null
}

/** The payment intent at a given time. Only the answer to its create carries the client secret. */
export function viewIntent(
  rows: IntentRows,
  { now, client_secret = null }: { now: Date; client_secret?: string | null },
): PaymentIntent {
  const { session, payment, hold } = rows
  const { amount } = session
  const standing = intentStateOf(rows, now)
  const decline = declineOf(rows, standing, now)
  return {
    id: session.session_id,
    object: 'payment_intent',
    amount,
    amount_capturable: standing.status === 'requires_capture' ? amount : 0,
    amount_received: standing.status === 'succeeded' ? (payment?.captured_amount ?? amount) : 0,
    currency: session.currency.toLowerCase(),
    client_secret,
    created: unixSeconds(session.created_at),
    livemode: session.mode === 'live',
    metadata: session.metadata,
    description: session.metadata.description ?? null,
    statement_descriptor_suffix: session.statement_descriptor_suffix,
    receipt_email: session.customer?.email ?? null,
    capture_method: captureMethodOf(rows),
    confirmation_method: 'automatic',
    payment_method_types: ['card'],
    latest_charge: payment && isCharge(payment) ? chargeIdOf(payment) : null,
    last_payment_error: decline && paymentErrorOf(decline),
    next_action: null,
    ...standing,
    canceled_at: canceledAt(rows, standing),
    amount_details: { tip: {} },
    ...absentMembers(absent),
    ripper: {
      checkout_session_id: session.session_id,
      amount_verified: session.amount_verified,
      hold: hold && viewHold(hold),
    },
  }
}

/** Clients expect `requires_capture` only together with `manual`. What is not paid yet goes by the integration. */
function captureMethodOf({ session, rules, payment, hold }: IntentRows): PaymentIntent['capture_method'] {
  const is_unpaid = !payment || payment.status === 'declined' || payment.status === 'failed'
  const waits = is_unpaid
    ? rules && holdRulesOf({ ...defaultRules, ...rules }, session.mode).capture === 'manual'
    : hold || payment.capture_method === 'manual'
  return waits ? 'manual' : 'automatic'
}

function canceledAt({ session, payment, hold }: IntentRows, standing: IntentStanding): number | null {
  if (standing.status !== 'canceled') return null
  if (session.status === 'requires_payment') return unixSeconds(session.expires_at)
  const at = hold?.decided_at ?? payment?.created_at ?? null
  return at && unixSeconds(at)
}

type CancellationReason = NonNullable<PaymentIntent['cancellation_reason']>
type IntentStanding = Pick<PaymentIntent, 'status' | 'cancellation_reason'>

/** The payment takes precedence over expiry and everything else about the session. */
export function intentStateOf({ session, payment, hold, step }: IntentRows, now: Date): IntentStanding {
  if (settlementAt(session, now) !== null) return at('processing')
  switch (payment?.status) {
    case 'pending':
      return at('processing')
    case 'captured':
      return at('succeeded')
    case 'held':
      return at('requires_capture')
    case 'voided':
      return canceled(hold?.decided_by === 'merchant' ? reasonOf(session, 'requested_by_customer') : 'automatic')
  }
  switch (statusAt(session, now)) {
    case 'declined':
      return canceled('automatic')
    case 'expired':
      return canceled(reasonOf(session, 'expired'))
    case 'requires_payment':
      return at(step ? statusOf(step, now) : 'requires_payment_method')
    default:
      return at('processing')
  }
}

/** How far the shopper is with the newest card. */
function statusOf(step: ThreeDsStep, now: Date): PaymentIntent['status'] {
  if (step.phase !== 'authenticating' || failureOf(step, now)) return 'requires_payment_method'
  const { three_ds_state } = attemptAt(step, now)
  return three_ds_state === 'awaiting_challenge' ? 'requires_action' : 'requires_confirmation'
}

/** Why an attempt before its confirm can no longer be charged: the shopper then needs another card. */
function failureOf(step: ThreeDsStep, now: Date): Session['last_decline'] {
  if (step.phase !== 'authenticating') return null
  const attempt = attemptAt(step, now)
  const { three_ds_state } = attempt
  const has_failed = three_ds_state === 'failed' || three_ds_state === 'rejected'
  return has_failed ? judge(attempt, { on_3ds_unavailable: 'proceed' }).decline : null
}

/** The last decline, while nothing is paid and no other card is being tried. */
function declineOf({ session, hold, step }: IntentRows, { status }: IntentStanding, now: Date) {
  const is_unpaid = status === 'requires_payment_method' || (status === 'canceled' && !hold)
  return is_unpaid ? ((step && failureOf(step, now)) ?? session.last_decline) : null
}

function at(status: PaymentIntent['status']): IntentStanding {
  return { status, cancellation_reason: null }
}

/** The reason that was sent to cancel it, which may have been none. */
function reasonOf(
  { cancellation }: Pick<Session, 'cancellation'>,
  otherwise: CancellationReason,
): PaymentIntent['cancellation_reason'] {
  if (cancellation === null || cancellation === 'expired') return otherwise
  return cancellation === 'canceled' ? null : cancellation
}

function canceled(reason: PaymentIntent['cancellation_reason']): IntentStanding {
  return { status: 'canceled', cancellation_reason: reason }
}
