// The portal of the fake Stripe.

import type { FakeIntent } from '../../tests/adapters/fakes/stripe/books.ts'
import type { StripeVendor } from '../../tests/adapters/fakes/stripe/server.ts'
import { signed } from '../../tests/adapters/fakes/stripe/views.ts'
import { card, isOld, type Portal, partOf, portalOf, type Room } from './portal.ts'

export function portalAtStripe({ books, webhook_secret }: StripeVendor, clock: Room): Portal {
  const isDone = (done: object | null) => done === null || !('status' in done)
  const held = (intent: FakeIntent) => books.statusOf(intent) === 'requires_capture'
  return portalOf(books.find, clock, (extras, { expired, unasked }) => {
    const refund = (intent: FakeIntent, amount?: number | null) => {
      if (amount === null) return false
      const made = books.refund(intent, {
        payment_intent: intent.id,
        ...(amount !== undefined && { amount }),
      })
      if (!isDone(made)) return false
      const { id, charge_id, currency, metadata } = intent
      const given = {
        amount_captured: books.takenOf(intent),
        amount_refunded: books.givenOf(intent),
      }
      const object = {
        id: charge_id,
        object: 'charge',
        amount: intent.amount,
        currency,
        metadata,
        ...given,
        payment_intent: id,
      }
      const created = Math.floor(clock.now().getTime() / 1000)
      const event = {
        id: `evt_${charge_id}_refunded_${intent.refunds.length}`,
        object: 'event',
        type: 'charge.refunded',
        created,
      }
      const told = { ...event, livemode: false, data: { object } }
      extras.push({ name: event.id, post: () => signed(told, webhook_secret, clock.now()) })
      return true
    }
    return {
      capture: (intent) => held(intent) && isDone(books.capture(intent, {})),
      capture_in_part(intent) {
        const part = partOf(intent.amount)
        return held(intent) && part !== null && isDone(books.capture(intent, { amount_to_capture: part }))
      },
      void: (intent) => held(intent) && isDone(books.cancel(intent, { cancellation_reason: 'requested_by_customer' })),
      refund: (intent) => refund(intent),
      refund_in_part: (intent) => refund(intent, partOf((books.takenOf(intent) ?? 0) - books.givenOf(intent))),
      cancel_or_refund: () => false,
      expire(intent) {
        if (!held(intent)) return false
        intent.canceled = { reason: 'automatic', at: clock.now(), key: null }
        expired.set(intent.id, clock.now())
        return true
      },
      charge_again({ amount, currency, capture_method, metadata }) {
        const method = books.keepMethod('approve', card.number.slice(-4))
        const allowed_payment_method_types: ['card'] = ['card']
        const asked = { amount, currency, capture_method, metadata, payment_method: method.id }
        const made = books.create({ ...asked, allowed_payment_method_types }, method)
        books.confirm(made)
        unasked.add(made.id)
        return true
      },
      approve_late({ confirmed }) {
        if (confirmed?.known_at !== null) return false
        confirmed.known_at = clock.now()
        return true
      },
      send_back({ refunds }) {
        const given = refunds.findLast(
          (each) => books.refundStatus(each) === 'succeeded' && isOld(each.known_at, clock),
        )
        if (!given) return false
        Object.assign(given, { failed: true, known_at: clock.now() })
        return true
      },
    }
  })
}
