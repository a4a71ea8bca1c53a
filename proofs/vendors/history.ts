// What is in the books of a fake vendor, in words that are the same for all of them: charges, and what was done to each.

import type { SettleKind } from '../../src/acquirers/acquirer.ts'
import { referenceRead } from '../../src/acquirers/checkout-com/requests.ts'
import { longReference } from '../../src/acquirers/reference.ts'
import { cancelReasons } from '../../src/acquirers/stripe/requests.ts'
import { lapses } from '../../src/acquirers/stripe/standings.ts'
import type { AcquirerBehaviour } from '../../src/cards/test-cards.ts'
import type { AdyenBooks, FakeModification } from '../../tests/adapters/fakes/adyen/books.ts'
import type { CheckoutBooks, FakeAction, FakePayment } from '../../tests/adapters/fakes/checkout/books.ts'
import type { FakeIntent, StripeBooks } from '../../tests/adapters/fakes/stripe/books.ts'

/** Amounts are in minor units. */
export type BookedCharge = {
  /** The vendor's. */
  id: string
  /** Ours, of 32 hex characters; otherwise as somebody else wrote it. */
  reference: string
  /** The installation whose mark it bears; null without one. */
  mark: string | null
  amount: number
  currency: string
  /** Whether it takes the money at once. */
  capture: boolean
  behaviour: AcquirerBehaviour
  asked_at: Date
  /** When it is decided; null for never. */
  known_at: Date | null
  is_approved: boolean
  /** It says that 3-D Secure shifted no liability. */
  refuses_shift: boolean
  /** When the money was taken without being asked for again; null where it was not. */
  taken_at: Date | null
  /** No request made it: the vendor charged twice. */
  is_unasked?: boolean
  /** In the order in which they were asked for. */
  acts: BookedAct[]
}

export type BookedAct = {
  /** The vendor's; null where it gives none. */
  id: string | null
  /** `expire`: what was reserved lapsed. */
  kind: SettleKind | 'expire'
  /** Ours, or as people name it; null where the vendor keeps none. */
  reference: string | null
  amount: number
  asked_at: Date
  /** Carried out then, or refused. */
  known_at: Date
  is_approved: boolean
}

const markOf = (metadata: Record<string, string>) => metadata.ripper_installation ?? null

export function chargesAtCheckout({ payments }: CheckoutBooks): BookedCharge[] {
  return payments.map((payment) => {
    const { id, reference, amount, currency, metadata, behaviour, requested_at } = payment
    const [authorisation, ...actions] = payment.actions
    const by_itself = actions.find((action) => isByItself(payment, action))
    return {
      id,
      reference: longReference(reference) ?? reference,
      mark: markOf(metadata),
      amount,
      currency,
      behaviour,
      capture: metadata.ripper_capture === 'automatic',
      asked_at: requested_at,
      known_at: authorisation!.due_at,
      is_approved: authorisation!.approved,
      refuses_shift: payment.downgraded,
      taken_at: by_itself?.due_at ?? null,
      acts: actions.filter((action) => action !== by_itself).map(checkoutAct),
    }
  })
}

function isByItself({ reference }: FakePayment, action: FakeAction): boolean {
  return action.type === 'Capture' && action.reference === reference
}

function checkoutAct({ id, type, amount, reference, ...action }: FakeAction): BookedAct {
  const read = referenceRead(reference)
  const plain = { Capture: 'capture', Void: 'void', Refund: 'refund' } as const
  return {
    id,
    amount,
    reference: read?.reference ?? null,
    kind: read?.is_reversal ? 'reverse' : plain[type as keyof typeof plain],
    asked_at: action.asked_at,
    known_at: action.due_at!,
    is_approved: action.approved,
  }
}

/** An intent that nobody has confirmed is no charge. */
export function chargesAtStripe({ intents }: StripeBooks): BookedCharge[] {
  return intents.flatMap((intent) => {
    const { confirmed, metadata, amount, method, capture_method } = intent
    if (!confirmed) return []
    const is_approved = !confirmed.error
    const capture = capture_method === 'automatic'
    const { known_at } = confirmed
    return [
      {
        id: intent.id,
        reference: metadata.ripper_reference ?? '',
        mark: markOf(metadata),
        amount,
        currency: intent.currency.toUpperCase(),
        capture,
        behaviour: method.behaviour,
        asked_at: confirmed.at,
        known_at,
        is_approved,
        refuses_shift: intent.three_ds_result === 'failed',
        taken_at: capture && is_approved ? known_at : null,
        acts: stripeActs(intent),
      },
    ]
  })
}

function stripeActs({ metadata, amount, captured, canceled, refunds }: FakeIntent): BookedAct[] {
  const once = (kind: BookedAct['kind'], at: Date, reference: string | null, of = amount): BookedAct => ({
    id: null,
    kind,
    reference,
    amount: of,
    asked_at: at,
    known_at: at,
    is_approved: true,
  })
  const is_reversal = canceled?.reason === cancelReasons.reverse
  const cancel = lapses.has(canceled?.reason ?? null) ? 'expire' : is_reversal ? 'reverse' : 'void'
  return [
    ...(captured ? [once('capture', captured.at, metadata.ripper_capture ?? null, captured.amount)] : []),
    ...(canceled ? [once(cancel, canceled.at, ours(canceled.key))] : []),
    ...refunds.map((refund) => ({
      id: refund.id,
      kind: refund.metadata.ripper_kind === 'reverse' ? ('reverse' as const) : ('refund' as const),
      reference: refund.metadata.ripper_reference ?? null,
      amount: refund.amount,
      asked_at: refund.created_at,
      known_at: refund.known_at,
      is_approved: !refund.failed,
    })),
  ]
}

/** At Stripe nothing but the key says whose cancel it was. */
function ours(key: string | null): string | null {
  return key?.slice(0, 32) ?? null
}

export function chargesAtAdyen({ payments, modifications }: AdyenBooks): BookedCharge[] {
  const own = Map.groupBy(modifications, ({ payment }) => payment)
  return payments.map((payment) => {
    const { psp, reference, amount, currency, capture, metadata, behaviour } = payment
    const is_approved = payment.refusal === null
    return {
      id: psp,
      reference,
      mark: markOf(metadata),
      amount,
      currency,
      capture,
      behaviour,
      asked_at: payment.asked_at,
      known_at: payment.decided_at,
      is_approved,
      refuses_shift: payment.downgraded,
      taken_at: capture && is_approved ? payment.decided_at : null,
      acts: (own.get(payment) ?? []).filter(({ event }) => event !== 'CHARGEBACK').map(adyenAct),
    }
  })
}

const kinds = {
  CAPTURE: 'capture',
  CANCELLATION: 'void',
  CANCEL_OR_REFUND: 'reverse',
  TECHNICAL_CANCEL: 'reverse',
  REFUND: 'refund',
  EXPIRE: 'expire',
  CHARGEBACK: 'refund',
  // Nobody does the last four in these lives.
  CAPTURE_FAILED: 'capture',
  AUTHORISATION_ADJUSTMENT: 'refund',
  MANUAL_REVIEW_REJECT: 'refund',
  POSTPONED_REFUND: 'refund',
} as const

function adyenAct({ psp, event, reference, amount, ...act }: FakeModification): BookedAct {
  // What came back takes nothing any more, though it succeeded.
  const is_approved = act.success && act.takes !== null
  return { id: psp, kind: kinds[event], reference, amount, asked_at: act.asked_at, known_at: act.due_at, is_approved }
}
