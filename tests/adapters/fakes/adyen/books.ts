// The books of an Adyen that is no real one: payments, and modifications that are carried out later, by the test's clock.

import type { AcquirerBehaviour } from '../../../../src/cards/test-cards.ts'
import type { Clock } from '../../../../src/kernel/world.ts'
import type { CancelBody, PaymentBody, SettleBody, SettlePath } from './judge.ts'

export type FakeModification = {
  psp: string
  event: (typeof eventOf)[SettlePath] | 'TECHNICAL_CANCEL' | ActElsewhere
  /** Null once it has come back. */
  takes: 'capture' | 'cancel' | 'refund' | null
  /** In their minor units. */
  amount: number
  reference: string
  /** Null where the cancelled reference is nobody's. */
  payment: FakePayment | null
  asked_at: Date
  due_at: Date
  success: boolean
  reason: string
  /** When the bank of the shopper sent the refund back; left out where it has not. */
  sent_back_at?: Date
}

/** Never asked for by us. */
type ActElsewhere =
  | 'EXPIRE'
  | 'CHARGEBACK'
  | 'CAPTURE_FAILED'
  | 'AUTHORISATION_ADJUSTMENT'
  | 'MANUAL_REVIEW_REJECT'
  | 'POSTPONED_REFUND'

export type FakePayment = {
  psp: string
  reference: string
  amount: number
  currency: string
  capture: boolean
  metadata: Record<string, string>
  behaviour: AcquirerBehaviour
  asked_at: Date
  /** Its 3-D Secure data came to nothing. */
  downgraded: boolean
  /** What was left of it is gone. */
  lapsed?: true
  /** Decided then; null where it never is. */
  decided_at: Date | null
  /** Null where it is approved. */
  refusal: Refusal | null
}

export type Refusal = {
  resultCode: 'Refused' | 'Error'
  refusalReason: string
  refusalReasonCode?: string
  raw?: string
}

export type AdyenBooks = ReturnType<typeof openBooks>

const lost_ms = 30_000
export const slow_ms = 8_000
const slow_refund_ms = 30_000
// By adyen.help, article 115001179684, read in 2026-11.
const life_ms = 28 * 24 * 3_600_000

const refused = (refusalReasonCode: string, refusalReason: string, raw?: string): Refusal => ({
  resultCode: 'Refused',
  refusalReasonCode,
  refusalReason,
  ...(raw && { raw }),
})
const not_honoured = refused('2', 'Do not honour')

const refusals: Partial<Record<AcquirerBehaviour, Refusal>> = {
  do_not_honor: not_honoured,
  lost_then_declined: not_honoured,
  insufficient_funds: refused('12', 'Insufficient funds'),
  incorrect_cvc: refused('24', 'Security code declined'),
  card_declined: refused('3', 'The card was declined'),
  card_velocity_exceeded: refused('28', 'Used too often'),
  authentication_required: refused('38', 'Strong customer authentication required'),
  expired_card: refused('6', 'Expired Card'),
  lost_card: refused('5', 'Lost card', '41 : Lost card'),
  stolen_card: refused('5', 'Stolen card', '43 : Stolen card'),
  suspected_fraud: refused('31', 'Issuer Suspected Fraud'),
  fraudulent: refused('20', 'FRAUD'),
  issuer_unavailable: refused('9', 'Issuer unavailable'),
  processing_error: { resultCode: 'Error', refusalReason: 'Processing error' },
}

export function openBooks({
  clock,
  settles_after_ms,
  ids_from = 0,
}: {
  clock: Pick<Clock, 'now'>
  settles_after_ms: number
  /** No two accounts of a vendor have an id in common. */
  ids_from?: number | undefined
}) {
  const payments: FakePayment[] = []
  const modifications: FakeModification[] = []
  const habits = {
    refuses_reversals: false,
    life_ms,
    /** Adyen has switched multiple partial captures on for the account: a capture of a part frees nothing. */
    captures_in_parts: false,
  }
  let minted = ids_from
  let part: number | null = null
  let refuses_shift = false
  /** What is carried out of an amount. */
  const carried = (amount: number) => {
    const carried_out = Math.min(part ?? amount, amount)
    part = null
    return carried_out
  }
  const mint = () => (++minted).toString(36).toUpperCase().padStart(16, 'A')
  const later = (ms: number) => new Date(clock.now().getTime() + ms)
  const isDecided = ({ decided_at }: FakePayment) => decided_at !== null && decided_at <= clock.now()

  function authorise(body: PaymentBody, behaviour: AcquirerBehaviour): FakePayment {
    const { reference, amount, metadata } = body
    const is_lost = behaviour === 'lost_then_captured' || behaviour === 'lost_then_declined'
    const delay_ms = is_lost ? lost_ms : behaviour === 'approve_slowly' ? slow_ms : 0
    const payment: FakePayment = {
      psp: mint(),
      reference,
      amount: amount.value,
      currency: amount.currency,
      capture: body.captureDelayHours === 0,
      metadata,
      behaviour,
      asked_at: clock.now(),
      decided_at: behaviour === 'lost_for_ever' ? null : later(delay_ms),
      refusal: refusals[behaviour] ?? null,
      downgraded: refuses_shift,
    }
    refuses_shift = false
    payments.push(payment)
    return payment
  }

  /** What is or will be taken or given back of a payment, in all. */
  function sum(payment: FakePayment, takes: FakeModification['takes']): number {
    const own = modifications.filter(
      (each) => each.payment === payment && each.success && each.takes === takes && !each.sent_back_at,
    )
    const at_once = takes === 'capture' && payment.capture && isLive(payment) ? payment.amount : 0
    return own.reduce((total, { amount }) => total + amount, at_once)
  }

  /** What is only reserved goes by itself, and is told; what a capture has left as well. */
  function lapse(): void {
    for (const payment of payments) {
      const { decided_at, capture, reference, amount } = payment
      if (!decided_at || capture) continue
      const due_at = new Date(decided_at.getTime() + habits.life_ms)
      if (due_at > clock.now() || payment.lapsed || !isLive(payment)) continue
      const captured = sum(payment, 'capture')
      const is_free = captured > 0 && !habits.captures_in_parts
      if (is_free || captured >= amount) continue
      payment.lapsed = true
      const takes = captured > 0 ? null : 'cancel'
      keep({ event: 'EXPIRE', takes, amount, reference, payment, due_at, success: true, reason: '' })
    }
  }

  function isLive(payment: FakePayment): boolean {
    return isDecided(payment) && !payment.refusal && sum(payment, 'cancel') < payment.amount
  }

  /** Null where it can be done. */
  function whyNot(path: SettlePath, payment: FakePayment, { amount }: SettleBody): string | null {
    if (!isDecided(payment) || payment.refusal) return 'Transaction is not authorised'
    if (!isLive(payment)) return 'Transaction has been cancelled already'
    const captured = sum(payment, 'capture')
    const left = captured - sum(payment, 'refund')
    const is_other = amount && amount.currency !== payment.currency
    switch (path) {
      case 'captures':
        if (captured > 0 && !habits.captures_in_parts) return 'Transaction has been captured already'
        return is_other || amount!.value > payment.amount - captured ? 'Insufficient balance' : null
      case 'cancels':
        return captured > 0 ? 'Transaction has been captured already' : null
      case 'reversals':
        return captured > 0 && left === 0 ? 'Transaction has been refunded already' : null
      case 'refunds':
        if (captured === 0) return 'Transaction has not been captured'
        return is_other || amount!.value > left ? 'Insufficient balance' : null
    }
  }

  function refusedOnce(path: SettlePath, { behaviour, psp }: FakePayment): string | null {
    const kind = path === 'captures' ? 'capture' : path === 'cancels' ? 'void' : null
    const before = modifications.some(({ payment, success }) => payment?.psp === psp && !success)
    return behaviour === `refuse_${kind}_once` && !before ? 'Do not honour' : null
  }

  function settle(path: SettlePath, payment: FakePayment, body: SettleBody): FakeModification {
    lapse()
    const captured = sum(payment, 'capture')
    const left = captured - sum(payment, 'refund')
    const whole = path === 'reversals' && captured > 0 ? left : payment.amount
    const amount = body.amount?.value ?? whole
    const is_refund = path === 'refunds'
    const declined = is_refund && amount % 100 === 13 ? 'Refused by the issuer' : null
    const barred = path === 'reversals' && habits.refuses_reversals ? 'Insufficient balance' : null
    const reason = whyNot(path, payment, body) ?? refusedOnce(path, payment) ?? declined ?? barred
    const rest = { refunds: 'refund', captures: 'capture', cancels: 'cancel' } as const
    const takes = path === 'reversals' ? (captured > 0 ? 'refund' : 'cancel') : rest[path]
    const wait_ms = is_refund && amount % 100 === 17 ? slow_refund_ms : settles_after_ms
    return keep({
      event: eventOf[path],
      takes,
      amount: carried(amount),
      reference: body.reference,
      payment,
      due_at: later(wait_ms),
      success: reason === null,
      reason: reason ?? '',
    })
  }

  /** By our reference: what is reserved, and nothing that is captured. */
  function cancel({ paymentReference, reference }: CancelBody): FakeModification {
    lapse()
    const payment = payments.find((each) => each.reference === paymentReference) ?? null
    const why = payment ? whyNot('cancels', payment, { merchantAccount: '', reference }) : 'not found'
    return keep({
      event: 'TECHNICAL_CANCEL',
      takes: 'cancel',
      amount: payment?.amount ?? 0,
      reference,
      payment,
      due_at: later(settles_after_ms),
      success: why === null,
      reason: why ?? '',
    })
  }

  function keep(modification: Omit<FakeModification, 'psp' | 'asked_at'>): FakeModification {
    const stored = { psp: mint(), asked_at: clock.now(), ...modification }
    modifications.push(stored)
    return stored
  }

  /** Refunds come back from the shopper's bank. */
  function sendBack(payment: FakePayment): void {
    for (const each of modifications) {
      if (each.payment === payment && each.takes === 'refund') each.sent_back_at = clock.now()
    }
  }

  /** What a person does in the Customer Area, or time, or a bank: without asking whether it may be done. */
  function actElsewhere(
    payment: FakePayment,
    act: Pick<FakeModification, 'event' | 'takes' | 'reference'> & { amount?: number | undefined },
  ): FakeModification {
    const { amount = payment.amount, ...rest } = act
    return keep({ ...rest, amount, payment, due_at: clock.now(), success: true, reason: '' })
  }

  return {
    habits,
    sendBack,
    /** The next capture, cancellation, reversal or refund is carried out of this much alone. */
    carryOutPart: (amount: number) => {
      part = amount
    },
    /** The next charge shifts no liability, whatever 3-D Secure says. */
    refuseShift: () => {
      refuses_shift = true
    },
    payments,
    modifications,
    lapse,
    authorise,
    settle,
    cancel,
    actElsewhere,
    isDecided,
    isLive,
    sum,
    find: (psp: string) => payments.find((payment) => payment.psp === psp) ?? null,
  }
}

const eventOf = {
  captures: 'CAPTURE',
  cancels: 'CANCELLATION',
  reversals: 'CANCEL_OR_REFUND',
  refunds: 'REFUND',
} as const
