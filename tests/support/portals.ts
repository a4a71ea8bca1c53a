// What people do in a vendor's portal, and what the vendor does by itself: none of it was asked for here.

import { shortReference } from '../../src/acquirers/reference.ts'
import type { AdyenBooks, FakeModification } from '../adapters/fakes/adyen/books.ts'
import type { CheckoutBooks } from '../adapters/fakes/checkout/books.ts'
import type { StripeBooks } from '../adapters/fakes/stripe/books.ts'

/** About one charge, by our reference. Amounts are in minor units. */
export type Portal = {
  capture(reference: string, amount: number): void
  /** Of all that is reserved, or of a part. */
  void(reference: string, amount?: number): void
  refund(reference: string, amount: number): void
  /** The authorisation lapses. */
  expire(reference: string): void
  /** A capture that was carried out comes to nothing. */
  undoCapture(reference: string): void
  /** A capture of the whole turns out to have been one of so much. */
  shrinkCapture(reference: string, amount: number): void
  /** A void that was carried out comes to nothing. */
  undoVoid(reference: string): void
}

function orThrow<T>(each: T | null | undefined): T {
  if (each == null) throw new Error('the vendor has no such charge')
  return each
}

function expectDone(refusal: object | null): void {
  if (refusal && 'status' in refusal) throw new Error(`refused: ${JSON.stringify(refusal)}`)
}

export function checkoutPortal(books: CheckoutBooks): Portal {
  const paymentOf = (reference: string) =>
    orThrow(books.payments.find((payment) => payment.reference === shortReference(reference)))
  const undo = (type: 'Capture' | 'Void') => (reference: string) => {
    for (const action of paymentOf(reference).actions) {
      if (action.type === type) Object.assign(action, { approved: false, is_sent_back: true })
    }
  }
  const settle = (path: 'captures' | 'voids' | 'refunds') => (reference: string, amount?: number) =>
    expectDone(books.settle(path, paymentOf(reference), { amount }))
  return {
    capture: settle('captures'),
    void(reference, amount) {
      if (amount !== undefined) books.carryOutPart(amount)
      settle('voids')(reference)
    },
    refund: settle('refunds'),
    expire(reference) {
      paymentOf(reference).expired = true
    },
    undoCapture: undo('Capture'),
    shrinkCapture(reference, amount) {
      orThrow(paymentOf(reference).actions.find(({ type }) => type === 'Capture')).amount = amount
    },
    undoVoid: undo('Void'),
  }
}

/** Nobody can ask Adyen, so all that it shows are notices: they bear the words that were entered in the portal. */
export function adyenPortal(books: AdyenBooks, words: string): Portal & AdyenPortal {
  const paymentOf = (reference: string) => orThrow(books.payments.find((payment) => payment.reference === reference))
  const act =
    (event: FakeModification['event'], takes: FakeModification['takes'] = null) =>
    (reference: string, amount?: number) =>
      books.actElsewhere(paymentOf(reference), { event, takes, amount, reference: words })
  const never = () => {
    throw new Error('is told by no notice, and shown nowhere')
  }
  return {
    capture: act('CAPTURE', 'capture'),
    void: act('CANCELLATION', 'cancel'),
    refund: act('REFUND', 'refund'),
    expire: act('EXPIRE', 'cancel'),
    undoCapture: act('CAPTURE_FAILED'),
    shrinkCapture: never,
    undoVoid: never,
    reverse: act('CANCEL_OR_REFUND', 'refund'),
    dispute: act('CHARGEBACK'),
    adjust: act('AUTHORISATION_ADJUSTMENT'),
    reject: act('MANUAL_REVIEW_REJECT'),
    postpone: act('POSTPONED_REFUND'),
  }
}

/** What Adyen has besides. */
type AdyenPortal = Record<
  'reverse' | 'dispute' | 'adjust' | 'reject' | 'postpone',
  (reference: string, amount?: number) => void
>

export function stripePortal(books: StripeBooks, now: () => Date): Portal {
  const intentOf = (reference: string) =>
    orThrow(books.intents.find(({ metadata }) => metadata.ripper_reference === reference))
  return {
    capture: (reference, amount_to_capture) => expectDone(books.capture(intentOf(reference), { amount_to_capture })),
    void: (reference) => expectDone(books.cancel(intentOf(reference), { cancellation_reason: 'duplicate' })),
    refund: (reference, amount) => {
      const intent = intentOf(reference)
      expectDone(books.refund(intent, { payment_intent: intent.id, amount }))
    },
    expire(reference) {
      intentOf(reference).canceled = { reason: 'automatic', at: now(), key: null }
    },
    undoCapture(reference) {
      Object.assign(intentOf(reference), { capture_method: 'manual', captured: null })
    },
    shrinkCapture(reference, amount) {
      intentOf(reference).captured = { amount, at: now() }
    },
    undoVoid(reference) {
      intentOf(reference).canceled = null
    },
  }
}
