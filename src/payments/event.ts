// The event that reports a payment's outcome to its merchant: its envelope, frozen once. Those of refunds are made in refund.ts.

import { type AnyEventType, api_version, type EventType, type MerchantId, timestamp } from '../kernel/values.ts'
import { viewHold } from './hold.ts'
import type { PaymentStatus } from './payment.ts'
import { viewBasket } from './purchase.ts'
import type { Change } from './whole-payment.ts'

export type Event = {
  merchant_id: MerchantId
  /** What the event is about: a payment or, in an event of a refund or dispute, that. */
  payment_id: string
  /** 1 or 2; a dispute may have more. */
  sequence: number
  event_id: string
  type: AnyEventType
  /** The envelope's bytes, the same for every delivery and replay. */
  body: string
  created_at: Date
}

/** The event of a change. Sequence 1 is a payment's outcome, and 2 is the later decision on a held payment. */
export function eventOf(change: Change, names: { event_id: string; sequence: 1 | 2; at: Date }): Event {
  const { payment, session } = change
  const type = typeOf(payment.status)
  const envelope = {
    id: names.event_id,
    type,
    created: timestamp(names.at),
    api_version,
    merchant_id: session.merchant_id,
    sequence: names.sequence,
    data: dataOf(change),
  }
  return {
    merchant_id: session.merchant_id,
    payment_id: payment.payment_id,
    sequence: names.sequence,
    event_id: names.event_id,
    type,
    body: JSON.stringify(envelope),
    created_at: names.at,
  }
}

function typeOf(status: PaymentStatus): EventType {
  if (status === 'pending') throw new Error('a pending payment has no outcome to tell of')
  return `payment.${status}`
}

function dataOf({ payment, session, hold }: Change): object {
  return {
    payment_id: payment.payment_id,
    checkout_session_id: payment.session_id,
    amount: payment.amount,
    captured_amount: payment.captured_amount,
    currency: payment.currency,
    status: payment.status,
    mode: payment.mode,
    decline: payment.decline,
    metadata: session.metadata,
    amount_verified: payment.amount_verified,
    capture_state: payment.capture_state,
    ...viewBasket(session.items),
    customer: session.customer,
    hold: hold && viewHold(hold),
    order_reference: payment.order_reference,
  }
}
