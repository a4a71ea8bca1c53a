// The events as sent, with one schema for each type, for the API's description and the SDK's types.

import { z } from 'zod'
import { type AnyEventType, api_version } from '../kernel/values.ts'
import { anyMetadata } from './fields.ts'
import {
  basketView,
  customerView,
  declineView,
  disputeView,
  holdView,
  mode,
  refundFailureView,
  refundView,
  time,
} from './views.ts'

/** The members of every envelope; its type comes second on the wire. */
const frame = {
  id: z.string().meta({ description: 'the same for every delivery of the event' }),
  type: z.string(),
  created: time,
  api_version: z.literal(api_version),
  merchant_id: z.string(),
}

/** The fields that are the same for every outcome of a payment. */
const payment = {
  payment_id: z.string(),
  checkout_session_id: z.string(),
  amount: z.int().meta({ description: 'in minor units' }),
  currency: z.string(),
  mode,
  metadata: anyMetadata,
  amount_verified: z.boolean(),
  ...basketView,
  customer: customerView,
  order_reference: z.string().nullable(),
}

const approved = { decline: z.null() }
const untaken = { captured_amount: z.null() }
const refused = { ...untaken, capture_state: z.null(), decline: declineView, hold: z.null() }

/** When each event is sent. */
export const eventSummaries: Record<AnyEventType, string> = {
  'payment.captured': 'Money was taken, at once or after a hold.',
  'payment.held': 'The amount is reserved and waits for a decision: release no goods.',
  'payment.voided': 'A held payment was released; nothing was taken.',
  'payment.declined': 'The card was refused; nothing was taken.',
  'payment.failed': 'An error, not a decline; nothing was taken.',
  'refund.succeeded': 'Money was given back. Only for endpoints that name it in extension_events.',
  'refund.failed':
    'A refund failed, perhaps days after it had succeeded. Only for endpoints that name it in extension_events.',
  'dispute.opened': 'The shopper’s bank wants money back. Only for endpoints that name it in extension_events.',
  'dispute.closed':
    'A dispute is won, lost or closed; a second chargeback closes it anew. Only for endpoints that name it in extension_events.',
}

/** In the order of the specification. */
export const eventViews = {
  'payment.captured': envelope('payment.captured', z.literal([1, 2]), {
    captured_amount: z.int().nullable().meta({
      description: 'what was taken, where that is less than `amount`, which was authorised; else null',
    }),
    status: z.literal('captured'),
    capture_state: z.literal('captured'),
    ...approved,
    hold: holdView.nullable().meta({ description: 'null but for one that was held (sequence 2)' }),
  }),
  'payment.held': envelope('payment.held', z.literal(1), {
    ...untaken,
    status: z.literal('held'),
    capture_state: z.literal('authorised'),
    ...approved,
    hold: holdView,
  }),
  'payment.voided': envelope('payment.voided', z.literal(2), {
    ...untaken,
    status: z.literal('voided'),
    capture_state: z.literal('voided'),
    ...approved,
    hold: holdView,
  }),
  'payment.declined': envelope('payment.declined', z.literal(1), {
    status: z.literal('declined'),
    ...refused,
  }),
  'payment.failed': envelope('payment.failed', z.literal(1), {
    status: z.literal('failed'),
    ...refused,
  }),
  'refund.succeeded': refundEnvelope('refund.succeeded', z.literal(1), {
    status: z.literal('succeeded'),
    failure: z.null(),
  }),
  'refund.failed': refundEnvelope('refund.failed', z.literal([1, 2]), {
    status: z.literal('failed'),
    failure: refundFailureView,
  }),
  'dispute.opened': disputeEnvelope('dispute.opened', {
    status: z.enum(['needs_response', 'under_review']),
    closed_at: z.null(),
  }),
  'dispute.closed': disputeEnvelope('dispute.closed', { status: z.enum(['won', 'lost', 'closed']), closed_at: time }),
} satisfies Record<AnyEventType, z.ZodType>

function disputeEnvelope<Type extends AnyEventType, Outcome extends z.ZodRawShape>(type: Type, outcome: Outcome) {
  return z
    .strictObject({
      ...frame,
      type: z.literal(type),
      sequence: z.int().min(1).meta({ description: 'counts the events of the dispute' }),
      data: z.strictObject({ ...disputeView.shape, ...outcome }),
    })
    .meta(namedAs(type))
}

/** The sequence counts a refund's own events. */
function refundEnvelope<Type extends AnyEventType, Sequence extends z.ZodType, Outcome extends z.ZodRawShape>(
  type: Type,
  sequence: Sequence,
  outcome: Outcome,
) {
  const sequenceMeta = { description: '1 for the outcome, 2 for a failure after success' }
  const settledMembers = { settled_at: time, checkout_session_id: z.string() }
  return z
    .strictObject({
      ...frame,
      type: z.literal(type),
      sequence: sequence.meta(sequenceMeta),
      data: z.strictObject({ ...refundView.shape, ...settledMembers, ...outcome }),
    })
    .meta(namedAs(type))
}

function envelope<Type extends AnyEventType, Sequence extends z.ZodType, Outcome extends z.ZodRawShape>(
  type: Type,
  sequence: Sequence,
  outcome: Outcome,
) {
  return z
    .strictObject({
      ...frame,
      type: z.literal(type),
      sequence: sequence.meta({ description: '1 for the outcome, 2 for the decision on a hold' }),
      data: z.strictObject({ ...payment, ...outcome }),
    })
    .meta(namedAs(type))
}

/** The event `payment.captured` has the type PaymentCapturedEvent. */
function namedAs(type: AnyEventType): { title: string; note: string } {
  const words = type.split('.').map((word) => word[0]!.toUpperCase() + word.slice(1))
  return { title: `${words.join('')}Event`, note: eventSummaries[type] }
}
