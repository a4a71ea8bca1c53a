// The portal of the fake Checkout.com.

import type { FakeAction, FakePayment } from '../../tests/adapters/fakes/checkout/books.ts'
import type { CheckoutVendor } from '../../tests/adapters/fakes/checkout/server.ts'
import { signed } from '../../tests/adapters/fakes/checkout/views.ts'
import { card, isOld, type Portal, partOf, portalOf, type Room } from './portal.ts'

export function portalAtCheckout({ books, signature_key }: CheckoutVendor, clock: Room): Portal {
  const settle = (payment: FakePayment, path: Parameters<typeof books.settle>[0], amount?: number) => {
    const done = books.settle(path, payment, amount === undefined ? {} : { amount })
    if ('status' in done) return false
    done.due_at = clock.now()
    return done.approved
  }
  const leftOf = (payment: FakePayment) => books.total(payment, 'Capture') - books.total(payment, 'Refund')
  return portalOf(books.find, clock, (extras, { expired, unasked }) => {
    const tell = (payment: FakePayment, type: string, action?: FakeAction) => {
      const at = clock.now().toISOString()
      const { id, reference, amount, currency, metadata } = payment
      const named = action ? { action_id: action.id, reference: action.reference ?? reference } : { reference }
      const data = {
        id,
        ...named,
        amount: action?.amount ?? amount,
        currency,
        metadata,
        processed_on: at,
      }
      const event = {
        id: `evt_${id}_${type}_${extras.length}`,
        type,
        version: '1.0.29',
        created_on: at,
        data,
      }
      extras.push({ name: event.id, post: () => signed(signature_key, event) })
    }
    return {
      capture: (payment) => settle(payment, 'captures'),
      capture_in_part(payment) {
        const part = partOf(payment.amount)
        return part !== null && settle(payment, 'captures', part)
      },
      void: (payment) => settle(payment, 'voids'),
      refund: (payment) => settle(payment, 'refunds'),
      refund_in_part(payment) {
        const part = partOf(leftOf(payment))
        return part !== null && settle(payment, 'refunds', part)
      },
      cancel_or_refund: () => false,
      expire(payment) {
        if (books.statusOf(payment) !== 'Authorized') return false
        if (payment.actions.some(({ type, approved }) => type !== 'Authorization' && approved)) return false
        payment.expired = true
        expired.set(payment.id, clock.now())
        tell(payment, 'payment_expired')
        return true
      },
      charge_again({ reference, amount, currency, metadata }) {
        const source = { ...card, type: 'card' } as const
        const capture = metadata.ripper_capture === 'automatic'
        const rest = { payment_type: 'Regular', merchant_initiated: false } as const
        const body = { source, reference, amount, currency, metadata, capture, ...rest }
        unasked.add(books.authorise({ ...body, '3ds': { enabled: false } }, 'approve').id)
        return true
      },
      approve_late(payment) {
        const [authorisation] = payment.actions
        if (authorisation!.due_at !== null) return false
        authorisation!.due_at = clock.now()
        const { reference, amount, metadata } = payment
        if (metadata.ripper_capture !== 'automatic') return true
        const id = `${authorisation!.id}c`
        payment.actions.push({ ...authorisation!, id, type: 'Capture', amount, reference })
        return true
      },
      send_back(payment) {
        const given = payment.actions.findLast(
          ({ type, approved, due_at }) => type === 'Refund' && approved && isOld(due_at, clock),
        )
        if (!given) return false
        given.approved = false
        tell(payment, 'payment_refund_declined', given)
        return true
      },
    }
  })
}
