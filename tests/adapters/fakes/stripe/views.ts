// How the fake Stripe shows what is in its books, and what it posts about it.

import { createHmac } from 'node:crypto'
import type Stripe from 'stripe'
import type { NoticePost } from '../../../../src/acquirers/acquirer.ts'
import type { FakeIntent, FakeRefund, StripeBooks } from './books.ts'

/** Members as the vendor's library has them. */
type IntentView = Partial<Omit<Stripe.PaymentIntent, Open>> & Record<Open, unknown>
type Open = 'latest_charge' | 'last_payment_error'

const seconds = (at: Date) => Math.floor(at.getTime() / 1000)

export function intentView(
  books: StripeBooks,
  intent: FakeIntent,
  { expanded = false }: { expanded?: boolean } = {},
): object {
  const status = books.statusOf(intent)
  const { id, amount, currency, capture_method, metadata, canceled, confirmed, created_at } = intent
  const is_known = status === 'canceled' ? confirmed !== null : !unknown.has(status)
  const error = is_known ? (confirmed?.error ?? null) : null
  return {
    id,
    object: 'payment_intent',
    amount,
    currency,
    capture_method,
    metadata: { ...metadata },
    amount_capturable: status === 'requires_capture' ? amount : 0,
    amount_received: books.takenOf(intent) ?? 0,
    canceled_at: canceled && seconds(canceled.at),
    cancellation_reason: canceled?.reason ?? null,
    client_secret: `${id}_secret_0`,
    confirmation_method: 'automatic',
    created: seconds(created_at),
    last_payment_error: error && errorView(error),
    latest_charge: is_known ? (expanded ? chargeView(books, intent) : intent.charge_id) : null,
    livemode: books.environment.is_live,
    payment_method: intent.method.id,
    payment_method_types: ['card'],
    status: status as Stripe.PaymentIntent.Status,
  } satisfies IntentView
}

const unknown = new Set(['requires_confirmation', 'processing'])

export function errorView({
  code,
  decline_code,
  message,
}: {
  code: string
  decline_code: string | null
  message: string
}) {
  return { type: 'card_error', code, message, ...(decline_code !== null && { decline_code }) }
}

function chargeView(books: StripeBooks, intent: FakeIntent): object {
  const taken = books.takenOf(intent) ?? 0
  // What was released counts as refunded, too.
  const given = books.givenOf(intent) + (intent.release?.amount ?? 0)
  const lapses_at = books.lapsesAt(intent)
  return {
    id: intent.charge_id,
    object: 'charge',
    amount: intent.amount,
    currency: intent.currency,
    amount_captured: taken,
    amount_refunded: given,
    captured: taken > 0,
    refunded: taken > 0 && given === intent.amount,
    payment_intent: intent.id,
    status: intent.confirmed?.error ? 'failed' : 'succeeded',
    payment_method_details: {
      type: 'card',
      card: {
        three_d_secure: intent.three_ds_result && { result: intent.three_ds_result },
        ...(lapses_at && { capture_before: seconds(lapses_at) }),
      } as Stripe.Charge.PaymentMethodDetails.Card,
    },
  } satisfies Partial<Stripe.Charge>
}

export function refundView(books: StripeBooks, refund: FakeRefund): object {
  const { id, amount, currency, payment_intent, metadata, created_at } = refund
  const status = books.refundStatus(refund)
  return {
    id,
    object: 'refund',
    amount,
    currency,
    payment_intent,
    metadata,
    status,
    created: seconds(created_at),
    ...(status === 'failed' && { failure_reason: 'declined' }),
  } satisfies Partial<Stripe.Refund>
}

type EventFacts = { at: Date; type: string; object: object }

/** What happened by now, in its order, as it is posted now. */
export function noticesOf(books: StripeBooks, webhook_secret: string, now: Date): NoticePost[] {
  return books.intents
    .flatMap((intent) => happenedTo(books, intent))
    .filter(({ at }) => at <= now)
    .toSorted((one, other) => one.at.getTime() - other.at.getTime())
    .map(({ at, type, object }) => {
      const { id } = object as { id: string }
      // Each happens to an object once.
      const event = {
        id: `evt_${id}_${type.replaceAll('.', '_')}${type === 'charge.refunded' ? seconds(at) : ''}`,
        object: 'event',
        type,
        created: seconds(at),
      }
      return signed({ ...event, livemode: false, data: { object } }, webhook_secret, now)
    })
}

function happenedTo(books: StripeBooks, intent: FakeIntent): EventFacts[] {
  const object = intentView(books, intent)
  const { confirmed, captured, canceled, capture_method } = intent
  const tell = (at: Date | null | undefined, type: string) => (at ? [{ at, type, object }] : [])
  const approved = capture_method === 'manual' ? 'amount_capturable_updated' : 'succeeded'
  const known = confirmed?.error ? 'payment_failed' : approved
  return [
    ...tell(confirmed?.known_at, `payment_intent.${known}`),
    ...tell(captured?.at, 'payment_intent.succeeded'),
    ...tell(canceled?.at, 'payment_intent.canceled'),
    ...books.listedRefunds(intent).flatMap((refund) => {
      const type = refund.failed ? 'refund.failed' : 'refund.updated'
      // The charge bears the metadata of its intent, whoever gave it back.
      const charge = { ...chargeView(books, intent), metadata: { ...intent.metadata } }
      return [
        { at: refund.created_at, type: 'charge.refunded', object: charge },
        { at: refund.known_at, type, object: refundView(books, refund) },
      ]
    }),
  ]
}

export function signed(event: object, webhook_secret: string, now: Date): NoticePost {
  const body = JSON.stringify(event)
  const t = seconds(now)
  const v1 = createHmac('sha256', webhook_secret).update(`${t}.${body}`).digest('hex')
  const headers = { 'stripe-signature': `t=${t},v1=${v1}`, 'content-type': 'application/json' }
  return { headers, body }
}
