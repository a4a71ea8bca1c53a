// How the fake Checkout.com shows its payments, actions and events.

import { createHmac } from 'node:crypto'
import type { NoticePost } from '../../../../src/acquirers/acquirer.ts'
import type { CheckoutBooks, FakeAction, FakePayment } from './books.ts'

/** The answer to the request of a payment: its status, and its body. */
export function createdView(books: CheckoutBooks, payment: FakePayment): [number, object] {
  const { id, reference } = payment
  const status = books.statusOf(payment)
  const links = linksOf(books, id)
  if (status === 'Pending') return [202, { id, status, reference, _links: links }]
  const [authorisation] = payment.actions
  const { approved, response_code, response_summary } = authorisation!
  return [
    201,
    {
      ...paymentView(books, payment),
      action_id: authorisation!.id,
      approved,
      response_code,
      response_summary,
      processed_on: authorisation!.due_at!.toISOString(),
      _links: links,
    },
  ]
}

export function paymentView(books: CheckoutBooks, payment: FakePayment): object {
  const { id, reference, amount, currency, metadata, last4, requested_at, expires_at, downgraded } = payment
  const status = books.statusOf(payment)
  const captured = books.total(payment, 'Capture')
  const refunded = books.total(payment, 'Refund')
  const voided = books.total(payment, 'Void')
  const left = captured === 0 && status === 'Authorized' ? amount - voided : 0
  return {
    id,
    requested_on: requested_at.toISOString(),
    source: { type: 'card', last4, scheme: 'Visa' },
    amount,
    currency,
    payment_type: 'Regular',
    reference,
    status,
    ...(status !== 'Pending' && { approved: status !== 'Declined', expires_on: expires_at.toISOString() }),
    balances: {
      total_authorized: amount,
      total_captured: captured,
      total_refunded: refunded,
      total_voided: voided,
      available_to_refund: captured - refunded,
      available_to_void: left,
      available_to_capture: left,
    },
    '3ds': { downgraded, enrolled: 'N' },
    risk: { flagged: false },
    metadata,
    _links: linksOf(books, id),
  }
}

function linksOf({ environment }: CheckoutBooks, id: string) {
  const host = environment.is_live ? 'api.checkout.com' : 'api.sandbox.checkout.com'
  return { self: { href: `https://${host}/payments/${id}` } }
}

export function actionView(action: FakeAction): object {
  const { id, type, amount, reference, approved, response_code, response_summary, due_at } = action
  return {
    id,
    type,
    amount,
    approved,
    response_code,
    response_summary,
    ...(reference !== null && { reference }),
    processed_on: due_at!.toISOString(),
  }
}

const events = {
  Authorization: ['payment_approved', 'payment_declined'],
  Capture: ['payment_captured', 'payment_capture_declined'],
  Void: ['payment_voided', 'payment_void_declined'],
  Refund: ['payment_refunded', 'payment_refund_declined'],
} as const

/** What happened by now, in its order, as it is posted. */
export function noticesOf(books: CheckoutBooks, signature_key: string): NoticePost[] {
  // Time may have ended some.
  for (const payment of books.payments) books.statusOf(payment)
  const settled = books.payments
    .flatMap((payment) => books.actionsOf(payment).map((action) => ({ payment, action })))
    .toSorted((one, other) => one.action.due_at!.getTime() - other.action.due_at!.getTime())
    .map(({ payment, action }) => {
      const { amount, reference, response_code, response_summary, approved, due_at } = action
      return signed(signature_key, {
        id: action.id.replace('act_', action.is_sent_back ? 'evt_back_' : 'evt_'),
        type: events[action.type][approved ? 0 : 1],
        version: '1.0.29',
        created_on: due_at!.toISOString(),
        data: {
          id: payment.id,
          action_id: action.id,
          reference: reference ?? payment.reference,
          amount,
          currency: payment.currency,
          response_code,
          response_summary,
          processed_on: due_at!.toISOString(),
          metadata: payment.metadata,
        },
      })
    })
  const expired = books.payments.filter((payment) => payment.expired)
  return [...settled, ...expired.map((payment) => expiryOf(payment, signature_key))]
}

function expiryOf({ id, reference, expires_at, metadata }: FakePayment, signature_key: string) {
  const created_on = expires_at.toISOString()
  const data = { id, reference, metadata }
  return signed(signature_key, { id: `evt_${id}`, type: 'payment_expired', created_on, data })
}

export function signed(signature_key: string, event: object): NoticePost {
  const body = JSON.stringify(event)
  const signature = createHmac('sha256', signature_key).update(body).digest('hex')
  return { headers: { 'cko-signature': signature, 'content-type': 'application/json' }, body }
}
