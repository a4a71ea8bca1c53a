// An event in the other platform's words: a pure function of its frozen body and of facts that never change, so that each try and replay
// of a delivery has the same bytes, and the object is as it was at the event.

import { z } from 'zod'
import { withDates } from '../../database/driver/rows.ts'
import {
  compatibleNameOf,
  compatible_version as default_version,
  type Mode,
  type PaymentId,
  type StoredEventType,
} from '../../kernel/values.ts'
import { checkoutOfEvent } from '../../payments/checkout-event.ts'
import type { viewDispute } from '../../payments/dispute.ts'
import type { Hold } from '../../payments/hold.ts'
import type { PaymentStatus } from '../../payments/payment.ts'
import { type Refund, refundTimes } from '../../payments/refund.ts'
import { type Session, sessionTimes } from '../../payments/session.ts'
import { type ChargeRow, viewCharge } from '../charges/charge.ts'
import { viewCheckout } from '../checkout-sessions/checkout-session.ts'
import { viewCompatibleDispute } from '../disputes/dispute.ts'
import { type CompatibleEndpoint, viewCompatibleEndpoint } from '../endpoints/endpoint.ts'
import { type IntentRows, type PaymentIntent, viewIntent } from '../intents/intent.ts'
import { unixSeconds } from '../members.ts'
import { viewCompatibleRefund } from '../refunds/refund.ts'

export const eventView = z
  .object({
    id: z.string().meta({ description: 'the same at every endpoint, in our own words too' }),
    object: z.literal('event'),
    api_version: z.string(),
    created: z.int().meta({ description: 'Unix seconds' }),
    data: z.object({
      object: z
        .custom<object>((value) => typeof value === 'object' && value !== null)
        .meta({ type: 'object', additionalProperties: true, description: 'as it was at the event' }),
    }),
    livemode: z.boolean(),
    pending_webhooks: z.int().meta({ description: '1 in a delivery, else 0' }),
    request: z.object({ id: z.null(), idempotency_key: z.null() }),
    type: z.string(),
  })
  .meta({ title: 'CompatibleEvent', note: 'An event in the other platform’s words.' })
export type EventView = z.infer<typeof eventView>

/** A body as it was frozen. */
export type FrozenBody = { id: string; type: StoredEventType | 'endpoint.test'; created: string; data: FrozenData }

/** What our own events have, or one of the other platform's alone. */
type FrozenData = { mode: Mode } & Record<string, unknown>

/** What an event's own body lacks. Of rows only columns that never change. */
export type EventFacts = {
  session: Pick<Session, 'created_at' | 'statement_descriptor_suffix' | 'metadata' | 'customer' | 'cancellation'> | null
  payment: Pick<
    ChargeRow,
    'session_id' | 'amount' | 'captured_amount' | 'created_at' | 'card_brand' | 'card_last4'
  > | null
  /** How much of the payment was given back when the refund's event was written. */
  refunded_amount: number | null
  refund_metadata: Record<string, string> | null
  /** Whether a dispute of the payment was known before the second of the event. */
  is_disputed: boolean | null
  /** Of one that is complete. */
  checkout: object | null
  /** The endpoint of a test event. */
  endpoint: CompatibleEndpoint | null
}

export function viewEvent(
  body: FrozenBody,
  facts: EventFacts,
  { version = default_version, pending = 0 }: { version?: string; pending?: 0 | 1 } = {},
): EventView {
  const { id, type, created, data } = body
  return {
    id,
    object: 'event',
    api_version: version,
    created: unixSeconds(new Date(created)),
    data: { object: objectOf(body, facts) },
    livemode: data.mode === 'live',
    pending_webhooks: pending,
    request: { id: null, idempotency_key: null },
    type: type === 'endpoint.test' ? type : compatibleNameOf(type),
  }
}

function objectOf({ type, created, data }: FrozenBody, facts: EventFacts): object {
  switch (type) {
    case 'endpoint.test':
      return viewCompatibleEndpoint(needed(facts.endpoint))
    case 'refund.succeeded':
      return chargeOf(data, facts)
    case 'refund.failed':
      return refundOf(data, facts)
    case 'dispute.opened':
    case 'dispute.closed': {
      const { session_id } = needed(facts.payment)
      const dispute = data as unknown as ReturnType<typeof viewDispute>
      return viewCompatibleDispute(dispute, { session_id, now: new Date(created) })
    }
    case 'payment_intent.canceled':
      return viewIntent(frozenRows(data), { now: new Date(created) })
    case 'payment.captured':
    case 'payment.held':
    case 'payment.voided':
    case 'payment.declined':
    case 'payment.failed':
      return intentOf(data, facts, new Date(created))
    default:
      return viewCheckout(checkoutOfEvent(data, facts.checkout), null)
  }
}

/** The rows of a payment intent as an event of the other platform's alone froze them. */
function frozenRows(data: FrozenData): IntentRows {
  const { session, payment } = data as unknown as Pick<IntentRows, 'session' | 'payment'>
  return {
    session: withDates<Session>(session, sessionTimes),
    payment: payment && withDates<NonNullable<IntentRows['payment']>>(payment, ['created_at']),
    hold: null,
    step: null,
  }
}

/** The data of a payment's event. */
type PaymentData = Pick<Session, 'amount' | 'currency' | 'mode' | 'metadata' | 'amount_verified' | 'customer'> & {
  payment_id: PaymentId
  checkout_session_id: Session['session_id']
  status: PaymentStatus
  decline: Session['last_decline']
  hold: Hold | null
  /** What was taken, where that is less than was authorised. An event of the release before lacks it. */
  captured_amount?: number | null
}

/** A card that was refused leaves the intent open, as far as its event tells: of its end another one tells. */
function intentOf(data: FrozenData, facts: EventFacts, now: Date): PaymentIntent {
  const {
    payment_id,
    checkout_session_id,
    status,
    decline,
    hold,
    captured_amount = null,
    ...frozen
  } = data as unknown as PaymentData
  const { created_at, statement_descriptor_suffix, cancellation } = needed(facts.session)
  const { amount, currency, mode, metadata, amount_verified, customer } = frozen
  const is_refused = status === 'declined' || status === 'failed'
  // All that a payment intent shows of a session.
  const session = {
    ...{ session_id: checkout_session_id, amount, currency, mode, metadata, amount_verified, customer },
    ...{
      created_at,
      statement_descriptor_suffix,
      last_decline: decline,
      settlement: null,
      answer_by: null,
    },
    status: is_refused ? 'requires_payment' : 'succeeded',
    // Given with a void, and kept from then on.
    cancellation: status === 'voided' ? cancellation : null,
    expires_at: new Date(now.getTime() + 1),
  } as Session
  const payment = { payment_id, status, captured_amount, created_at: now }
  const wholeHold = hold && withDates<Hold>(hold, ['deadline', 'decided_at'])
  return viewIntent({ session, payment, hold: wholeHold, step: null }, { now })
}

/** The data of a refund's event. */
type RefundData = Omit<Refund, 'refund_id' | 'payment_id' | 'session_id' | 'metadata'> & {
  id: Refund['refund_id']
  payment_id: PaymentId
  checkout_session_id: string
}

function chargeOf(data: FrozenData, { session, payment, refunded_amount, is_disputed }: EventFacts): object {
  const { payment_id, amount, currency, mode } = data as unknown as RefundData
  const { metadata, customer, statement_descriptor_suffix } = needed(session)
  return viewCharge({
    ...needed(payment),
    ...{ payment_id, currency, mode, metadata, customer, statement_descriptor_suffix },
    status: 'captured',
    // What became of the dispute is not shown.
    dispute: is_disputed ? 'standing' : null,
    // Events of early releases do not say it.
    refunded_amount: refunded_amount ?? amount,
  })
}

function refundOf(data: FrozenData, { refund_metadata }: EventFacts): object {
  const { id, checkout_session_id, ...refund } = data as unknown as RefundData
  const row = { ...refund, refund_id: id, session_id: checkout_session_id, metadata: needed(refund_metadata) }
  return viewCompatibleRefund(withDates<Refund>(row, refundTimes))
}

function needed<Fact>(fact: Fact | null): Fact {
  if (fact === null) throw new Error('a row that the event tells of is gone')
  return fact
}
