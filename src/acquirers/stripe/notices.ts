// The notices that Stripe posts to us. They only suggest what to look up, and the look-up decides.

import { createHmac, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { type DisputeTold, NotGenuine, type Notice, type NoticePost, type Suggestion } from '../acquirer.ts'
import { suggests } from '../answers.ts'
import { jsonIn } from '../wire.ts'
import { disputeIn } from './disputes.ts'
import { isMarked } from './intents.ts'
import { cancelReasons } from './requests.ts'
import { lapses } from './standings.ts'

const text = z.string().min(1).nullish().default(null)
const idOrObject = z.union([z.string(), z.object({ id: z.string() }).transform(({ id }) => id)])

/** Objects of other types need not have the form of those that are read: a balance has no id. */
const kind = z.object({ type: z.string().refine((type) => !isRead(type)) })

const event = z.object({
  id: z.string().min(1).max(255),
  type: z.string(),
  created: z.int().nonnegative(),
  data: z.object({
    object: z.looseObject({
      id: z.string().min(1).max(255),
      capture_method: text,
      cancellation_reason: text,
      status: text,
      payment_intent: idOrObject.nullish().default(null),
      metadata: z.record(z.string(), z.unknown()).nullish().default(null),
    }),
  }),
})

type TheirObject = z.infer<typeof event>['data']['object']

/** The header's name in lower case. */
const signature_header = 'stripe-signature'
// The tolerance of Stripe's own libraries: docs.stripe.com/webhooks/signature, 2026-11.
const tolerance_seconds = 300

/** Throws NotGenuine. A notice that does not concern us is skipped. */
export function noticesIn(
  { headers, body }: NoticePost,
  { webhook_secret, installation, now }: { webhook_secret: string; installation: string; now: Date },
): Notice[] {
  checkSignature(headers[signature_header] ?? '', body, webhook_secret, now)
  const json = jsonIn(body)
  if (kind.safeParse(json).success) return []
  const theirEvent = event.safeParse(json).data
  if (!theirEvent) throw new NotGenuine('the body is no event')
  const { id: notice_id, type, created, data } = theirEvent
  const about = aboutOf(type, data.object)
  if (about === null) return []
  const dispute = about === 'dispute' && toldIn(data.object)
  return [
    {
      notice_id,
      about,
      ...namesOf(about, data.object, installation),
      answer: about === 'expiry' ? null : suggestionIn(type, data.object),
      ...(dispute && { dispute }),
      occurred_at: new Date(created * 1000),
    },
  ]
}

/**
 * From docs.stripe.com/api/events/types, 2026-11. Left out are `charge.…` events whose content also comes in an event
 * of the intent, and `review.…`: the outcome of a review comes as a refund.
 */
function isRead(type: string): boolean {
  return /^(payment_intent|refund|charge\.dispute|radar\.early_fraud_warning)\.|^charge\.refunded$/.test(type)
}

function aboutOf(type: string, object: TheirObject): Notice['about'] | null {
  // The issuer suspects fraud, and a dispute mostly follows.
  const is_warning = type.startsWith('radar.early_fraud_warning.')
  if (is_warning || type.startsWith('charge.dispute.')) return 'dispute'
  switch (type) {
    case 'payment_intent.amount_capturable_updated':
    case 'payment_intent.processing':
    case 'payment_intent.payment_failed':
      return 'authorise'
    case 'payment_intent.succeeded':
      return object.capture_method === 'manual' ? 'capture' : 'authorise'
    case 'payment_intent.canceled':
      if (lapses.has(object.cancellation_reason)) return 'expiry'
      return object.cancellation_reason === cancelReasons.reverse ? 'reverse' : 'void'
    // The object of this event is the charge with all its refunds.
    case 'charge.refunded':
      return 'refund'
    case 'refund.created':
    case 'refund.updated':
    case 'refund.failed':
      return object.metadata?.ripper_kind === 'reverse' ? 'reverse' : 'refund'
    default:
      return null
  }
}

/** Null for an early fraud warning. */
function toldIn(object: TheirObject): DisputeTold | null {
  const found = disputeIn(object)
  if (found === null) return null
  const { intent_id: _, ...told } = found
  return told
}

/** Null if the type leaves the outcome open. */
function suggestionIn(type: string, { status }: TheirObject): Suggestion | null {
  if (type === 'payment_intent.payment_failed' || type === 'refund.failed') return suggests('refused')
  if (type === 'refund.created' || type === 'refund.updated') {
    if (status === 'succeeded') return suggests('approved')
    return status === 'failed' || status === 'canceled' ? suggests('refused') : null
  }
  return approving.has(type) ? suggests('approved') : null
}

/** A cancel is the success of a void or of a reversal. */
const approving = new Set([
  'payment_intent.amount_capturable_updated',
  'payment_intent.succeeded',
  'payment_intent.canceled',
])

function namesOf(
  about: Notice['about'],
  object: TheirObject,
  installation: string,
): Pick<Notice, 'reference' | 'acquirer_transaction_id' | 'authorisation_transaction_id' | 'is_ours'> {
  const { id, payment_intent, metadata } = object
  const reference = (about === 'capture' ? metadata?.ripper_capture : null) ?? metadata?.ripper_reference
  return {
    reference: typeof reference === 'string' && reference !== '' ? reference : null,
    acquirer_transaction_id: id,
    // An intent is its own authorisation.
    authorisation_transaction_id: payment_intent ?? (id.startsWith('pi_') ? id : null),
    // A dispute never has a mark, even for our own charges.
    is_ours: about === 'dispute' ? null : isMarked({ metadata }, installation),
  }
}

/** `t=seconds,v1=hex`, with several `v1` while a secret is being replaced. Throws NotGenuine. */
function checkSignature(header: string, body: string, secret: string, now: Date): void {
  const parts = header.split(',').map((part) => part.trim().split('=', 2) as [string, string?])
  const signatures = parts.flatMap(([name, value]) => (name === 'v1' && value ? [value] : []))
  const seconds = parts.find(([name]) => name === 't')?.[1] ?? ''
  const expected = createHmac('sha256', secret).update(`${seconds}.${body}`).digest()
  // All signatures are compared, so that the time does not depend on which of them fits.
  const is_signed = signatures.map((each) => isEqual(expected, each)).includes(true)
  if (!is_signed) throw new NotGenuine('the signature is not of this body')
  const age_seconds = Math.abs(now.getTime() / 1000 - Number(seconds))
  if (!/^\d{1,12}$/.test(seconds) || age_seconds > tolerance_seconds) {
    throw new NotGenuine('the signature is too old, or of a time to come')
  }
}

function isEqual(expected: Buffer, hex: string): boolean {
  const bytes = /^[0-9a-f]{64}$/i.test(hex) ? Buffer.from(hex, 'hex') : Buffer.alloc(32)
  return timingSafeEqual(expected, bytes)
}
