// The books of a Stripe that is no real one: cards, intents and their refunds, as they stand by the test's clock.

import type { AcquirerBehaviour } from '../../../../src/cards/test-cards.ts'
import type { Clock } from '../../../../src/kernel/world.ts'
import type { Bodies } from './judge.ts'

export type FakeRefund = {
  id: string
  amount: number
  currency: string
  payment_intent: string
  metadata: Record<string, string>
  created_at: Date
  /** It is pending before. */
  known_at: Date
  failed: boolean
}

export type FakeIntent = {
  id: string
  charge_id: string
  amount: number
  currency: string
  capture_method: 'automatic' | 'manual'
  metadata: Record<string, string>
  method: FakeMethod
  created_at: Date
  /** Null until it is confirmed. `known_at`: null where its outcome never is. */
  confirmed: { at: Date; known_at: Date | null; error: CardError | null } | null
  /** Null without 3-D Secure data. */
  three_ds_result: 'authenticated' | 'failed' | null
  /** By a capture of its own. */
  captured: { amount: number; at: Date } | null
  /** The rest of a captured part, which they list as a refund and give back at once. */
  release: FakeRefund | null
  canceled: { reason: string | null; at: Date; key: string | null } | null
  refused_once: boolean
  refunds: FakeRefund[]
}

export type FakeMethod = { id: string; behaviour: AcquirerBehaviour; last4: string }
export type CardError = { code: string; decline_code: string | null; message: string }

/** An error of theirs; with `card` it is the bank's. */
export type Refusal = { status: 400 | 402; code: string; card?: CardError }

export type StripeBooks = ReturnType<typeof openBooks>

export const slow_ms = 8_000
const lost_ms = 30_000
const slow_refund_ms = 30_000
// For cards of which the shopper is there: docs.stripe.com/payments/place-a-hold-on-a-payment-method, 2026-11.
const life_ms = 7 * 24 * 3_600_000
/** The least that is captured, in their units, by docs.stripe.com/currencies, 2026-11; 50 for the others. */
const least: Record<string, number> = { gbp: 30, czk: 1500, dkk: 250, hkd: 400, huf: 17_500, mxn: 1000, pln: 200 }

const declined = (decline_code: string, message: string): CardError => {
  return { code: 'card_declined', decline_code, message }
}
const plain = (code: string, message: string): CardError => ({ code, decline_code: null, message })
const refused = declined('do_not_honor', 'Do not honour')

const errors: Partial<Record<AcquirerBehaviour, CardError>> = {
  do_not_honor: refused,
  lost_then_declined: refused,
  insufficient_funds: declined('insufficient_funds', 'Insufficient funds'),
  incorrect_cvc: plain('incorrect_cvc', 'Security code is wrong'),
  card_declined: declined('generic_decline', 'Your card was declined.'),
  card_velocity_exceeded: declined('card_velocity_exceeded', 'Used too often'),
  authentication_required: plain('authentication_required', 'It wants an authentication'),
  expired_card: plain('expired_card', 'Expired card'),
  lost_card: declined('lost_card', 'Lost card'),
  stolen_card: declined('stolen_card', 'Stolen card'),
  suspected_fraud: declined('security_violation', 'Perhaps a fraud'),
  fraudulent: declined('fraudulent', 'A fraud'),
  issuer_unavailable: declined('issuer_not_available', 'Issuer unavailable'),
  processing_error: plain('processing_error', 'Processing error'),
}

type BooksOptions = {
  clock: Pick<Clock, 'now'>
  /** No two accounts of a vendor have an id in common. */
  ids_from?: number | undefined
}

export function openBooks({ clock, ids_from = 0 }: BooksOptions) {
  const methods = new Map<string, FakeMethod>()
  const intents: FakeIntent[] = []
  const habits = { refuses_reversals: false, life_ms }
  let minted = ids_from
  let part: number | null = null
  let refuses_shift = false
  /** What is carried out of an amount. */
  const carried = (amount: number) => {
    const carried_out = Math.min(part ?? amount, amount)
    part = null
    return carried_out
  }
  const mint = (prefix: string) => `${prefix}_${(++minted).toString(36).padStart(24, '_')}`
  const later = (ms: number) => new Date(clock.now().getTime() + ms)
  const isPast = (at: Date | null) => at !== null && at <= clock.now()
  const unexpected: Refusal = { status: 400, code: 'payment_intent_unexpected_state' }

  function statusOf(intent: FakeIntent): string {
    const { confirmed, canceled } = intent
    if (canceled) return 'canceled'
    if (!confirmed) return 'requires_confirmation'
    if (!isPast(confirmed.known_at)) return 'processing'
    if (confirmed.error) return 'requires_payment_method'
    if (takenOf(intent) !== null) return 'succeeded'
    const lapses_at = lapsesAt(intent)
    if (!isPast(lapses_at)) return 'requires_capture'
    intent.canceled = { reason: 'automatic', at: lapses_at!, key: null }
    return 'canceled'
  }

  /** When what is reserved goes by itself; null where nothing is or was. */
  function lapsesAt({ capture_method, confirmed }: FakeIntent): Date | null {
    if (capture_method !== 'manual' || !confirmed?.known_at || confirmed.error) return null
    return new Date(confirmed.known_at.getTime() + habits.life_ms)
  }

  /** What was captured; null where nothing was. */
  function takenOf({ capture_method, confirmed, captured, amount }: FakeIntent): number | null {
    if (captured) return captured.amount
    const is_done = confirmed && isPast(confirmed.known_at) && !confirmed.error
    return is_done && capture_method === 'automatic' ? amount : null
  }

  function refundStatus({ known_at, failed }: FakeRefund): 'pending' | 'failed' | 'succeeded' {
    return isPast(known_at) ? (failed ? 'failed' : 'succeeded') : 'pending'
  }

  /** What was given back, or will be. */
  function givenOf({ refunds }: FakeIntent): number {
    return refunds.filter(({ failed }) => !failed).reduce((total, { amount }) => total + amount, 0)
  }

  function refusesOnce(intent: FakeIntent, kind: 'capture' | 'void'): Refusal | null {
    if (intent.method.behaviour !== `refuse_${kind}_once` || intent.refused_once) return null
    intent.refused_once = true
    return { status: 402, code: 'card_declined', card: refused }
  }

  /** Which of the vendor's environments it is. */
  const environment = { is_live: false }
  return {
    habits,
    /** Refunds come back from the shopper's bank. */
    sendBack(intent: FakeIntent): void {
      for (const refund of intent.refunds) {
        Object.assign(refund, { failed: true, known_at: clock.now() })
      }
    },
    intents,
    environment,
    /** The next charge shifts no liability, whatever 3-D Secure says. */
    refuseShift: () => {
      refuses_shift = true
    },
    /** The next capture or refund is carried out of this much alone. */
    carryOutPart: (amount: number) => {
      part = amount
    },
    statusOf,
    lapsesAt,
    takenOf,
    givenOf,
    refundStatus,
    find: (id: string) => intents.find((intent) => intent.id === id) ?? null,
    methodOf: (id: string) => methods.get(id) ?? null,
    refunds: () => intents.flatMap(({ refunds }) => refunds),
    /** As they list them, oldest first. */
    listedRefunds: ({ release, refunds }: FakeIntent) => (release ? [release, ...refunds] : refunds),

    keepMethod(behaviour: AcquirerBehaviour, last4: string): FakeMethod {
      const method = { id: mint('pm'), behaviour, last4 }
      methods.set(method.id, method)
      return method
    },

    create(body: Bodies['intent'], method: FakeMethod): FakeIntent {
      const { amount, currency, capture_method = 'automatic', metadata = {} } = body
      const intent: FakeIntent = {
        id: mint('pi'),
        charge_id: mint('ch'),
        amount,
        currency,
        capture_method,
        metadata: { ...metadata },
        method,
        created_at: clock.now(),
        three_ds_result: null,
        confirmed: null,
        captured: null,
        release: null,
        canceled: null,
        refused_once: false,
        refunds: [],
      }
      intents.push(intent)
      return intent
    },

    confirm(intent: FakeIntent, has_three_ds = false): Refusal | null {
      if (statusOf(intent) !== 'requires_confirmation') return unexpected
      if (has_three_ds) intent.three_ds_result = refuses_shift ? 'failed' : 'authenticated'
      refuses_shift = false
      const { behaviour } = intent.method
      const is_late = behaviour === 'lost_then_captured' || behaviour === 'lost_then_declined'
      const delay_ms = is_late ? lost_ms : behaviour === 'approve_slowly' ? slow_ms : 0
      const known_at = behaviour === 'lost_for_ever' ? null : later(delay_ms)
      intent.confirmed = { at: clock.now(), known_at, error: errors[behaviour] ?? null }
      return null
    },

    capture(intent: FakeIntent, body: Bodies['capture']): Refusal | null {
      const { amount_to_capture: amount = intent.amount, metadata } = body
      if (statusOf(intent) !== 'requires_capture') return unexpected
      if (amount > intent.amount) return { status: 400, code: 'amount_too_large' }
      if (amount < (least[intent.currency] ?? 50)) return { status: 400, code: 'amount_too_small' }
      const refusal = refusesOnce(intent, 'capture')
      if (refusal) return refusal
      Object.assign(intent.metadata, metadata)
      const taken = carried(amount)
      intent.captured = { amount: taken, at: clock.now() }
      if (taken < intent.amount) {
        const at = clock.now()
        const money = { amount: intent.amount - taken, currency: intent.currency }
        const times = { created_at: at, known_at: at }
        const names = { id: mint('re'), payment_intent: intent.id, metadata: {} }
        intent.release = { ...names, ...money, ...times, failed: false }
      }
      return null
    },

    cancel(
      intent: FakeIntent,
      { cancellation_reason = null as never }: Bodies['cancel'],
      key: string | null = null,
    ): Refusal | null {
      if (['canceled', 'succeeded', 'processing'].includes(statusOf(intent))) return unexpected
      const refusal = refusesOnce(intent, 'void')
      if (refusal) return refusal
      intent.canceled = { reason: cancellation_reason, at: clock.now(), key }
      return null
    },

    refund(intent: FakeIntent, body: Bodies['refund']): FakeRefund | Refusal {
      const taken = takenOf(intent)
      if (taken === null) return { status: 400, code: 'charge_not_captured' }
      const is_reversal = body.metadata?.ripper_kind === 'reverse'
      if (is_reversal && habits.refuses_reversals) return { status: 400, code: 'balance_insufficient' }
      const left = taken - givenOf(intent)
      if (left === 0) return { status: 400, code: 'charge_already_refunded' }
      const { amount = left, metadata = {} } = body
      if (amount > left) return { status: 400, code: 'amount_too_large' }
      const refund: FakeRefund = {
        id: mint('re'),
        amount: carried(amount),
        currency: intent.currency,
        payment_intent: intent.id,
        metadata,
        created_at: clock.now(),
        failed: body.amount !== undefined && amount % 100 === 13,
        known_at: later(body.amount !== undefined && amount % 100 === 17 ? slow_refund_ms : 0),
      }
      intent.refunds.push(refund)
      return refund
    },
  }
}
