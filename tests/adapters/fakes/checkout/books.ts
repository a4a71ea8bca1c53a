// The books of a Checkout.com that is no real one: payments, and actions that are carried out later, by the test's clock.

import type { AcquirerBehaviour } from '../../../../src/cards/test-cards.ts'
import type { Clock } from '../../../../src/kernel/world.ts'
import type { PaymentBody, SettleBody, SettlePath } from './judge.ts'

export type FakeAction = {
  id: string
  type: 'Authorization' | 'Capture' | 'Void' | 'Refund'
  amount: number
  reference: string | null
  asked_at: Date
  /** Carried out then; shown from then on. Null where it never is. */
  due_at: Date | null
  approved: boolean
  response_code: string
  response_summary: string
  /** The bank of the shopper has sent the refund back. */
  is_sent_back?: true
}

export type FakePayment = {
  id: string
  reference: string
  amount: number
  currency: string
  metadata: Record<string, string>
  last4: string
  behaviour: AcquirerBehaviour
  requested_at: Date
  /** When what is reserved goes by itself. */
  expires_at: Date
  expired: boolean
  /** Its 3-D Secure data came to nothing. */
  downgraded: boolean
  /** The authorisation first. */
  actions: FakeAction[]
}

export type Refusal = { status: 403 | 404 | 422; error_codes: string[] }

export type CheckoutBooks = ReturnType<typeof openBooks>

const lost_ms = 30_000
export const slow_ms = 8_000
const slow_refund_ms = 30_000
// By checkout.com/docs/payments/manage-payments/capture-a-payment, 2025-06-11.
const life_ms = 7 * 24 * 3_600_000
const approved = ['10000', 'Approved'] as const
const refused = ['20005', 'Do not honour'] as const

const codes: Partial<Record<AcquirerBehaviour, readonly [string, string]>> = {
  do_not_honor: refused,
  lost_then_declined: refused,
  insufficient_funds: ['20051', 'Insufficient funds'],
  incorrect_cvc: ['200N7', 'Security code failure'],
  card_declined: ['20001', 'The card was declined'],
  card_velocity_exceeded: ['20065', 'Used too often'],
  authentication_required: ['20154', 'Strong customer authentication required'],
  expired_card: ['20054', 'Expired card'],
  lost_card: ['30041', 'Lost card - Pick up'],
  stolen_card: ['30043', 'Stolen card - Pick up'],
  suspected_fraud: ['20059', 'Suspected fraud'],
  fraudulent: ['40101', 'Risk: blocked as fraud'],
  issuer_unavailable: ['20091', 'Issuer unavailable'],
  processing_error: ['20105', 'Processing error'],
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
  const habits = {
    refuses_reversals: false,
    life_ms,
    /** What the final capture of a part gives free is an action of its own, under the capture's reference. */
    shows_releases: false,
    /** What lapses is a void, as the page on captures has it, and not `Expired`. */
    lapses_by_void: false,
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
  const mint = (prefix: string) => `${prefix}_${(++minted).toString(36).padStart(26, '0')}`
  const later = (ms: number) => new Date(clock.now().getTime() + ms)
  const isDone = ({ due_at }: FakeAction) => due_at !== null && due_at <= clock.now()
  const actionsOf = (payment: FakePayment) => payment.actions.filter(isDone)

  function act(payment: FakePayment, action: Pick<FakeAction, 'type' | 'amount'> & Partial<FakeAction>): FakeAction {
    const [response_code, response_summary] = action.approved === false ? refused : approved
    const stored = {
      id: mint('act'),
      reference: null,
      approved: true,
      response_code,
      response_summary,
      asked_at: clock.now(),
      due_at: later(settles_after_ms),
      ...action,
    }
    payment.actions.push(stored)
    return stored
  }

  function authorise(body: PaymentBody, behaviour: AcquirerBehaviour): FakePayment {
    const { reference, amount, currency, metadata = {}, source, capture = true } = body
    const names = { id: mint('pay'), reference, amount, currency, metadata, behaviour }
    const payment: FakePayment = {
      ...names,
      last4: source.number.slice(-4),
      requested_at: clock.now(),
      expires_at: later(habits.life_ms),
      expired: false,
      downgraded: refuses_shift,
      actions: [],
    }
    refuses_shift = false
    const code = codes[behaviour]
    const due_at = knownAt(behaviour, clock.now())
    const [response_code, response_summary] = code ?? approved
    const decided = { approved: !code, response_code, response_summary, due_at, reference }
    act(payment, { type: 'Authorization', amount, ...decided })
    if (capture && !code && due_at) {
      const taken_at = new Date(due_at.getTime() + settles_after_ms)
      act(payment, { type: 'Capture', amount, reference, due_at: taken_at })
    }
    payments.push(payment)
    return payment
  }

  /** What is or will be of that kind, in all. */
  function sum(payment: FakePayment, type: FakeAction['type'], isCounted = (_: FakeAction) => true) {
    return payment.actions
      .filter((action) => action.type === type && action.approved && isCounted(action))
      .reduce((total, action) => total + action.amount, 0)
  }

  function statusOf(payment: FakePayment): string {
    const authorisation = payment.actions[0]!
    if (!isDone(authorisation)) return 'Pending'
    if (!authorisation.approved) return 'Declined'
    const [captured, voided, refunded] = (['Capture', 'Void', 'Refund'] as const).map((type) =>
      sum(payment, type, isDone),
    ) as [number, number, number]
    if (voided >= payment.amount) return 'Voided'
    if (!captured) return reservedStatus(payment)
    if (refunded) return refunded < captured ? 'Partially Refunded' : 'Refunded'
    return captured < payment.amount ? 'Partially Captured' : 'Captured'
  }

  /** Time alone changes it. */
  function reservedStatus(payment: FakePayment): string {
    const is_over = payment.expires_at <= clock.now()
    const is_asked = payment.actions.some(({ type, approved }) => type === 'Capture' && approved)
    if (!is_over || is_asked || payment.expired) return payment.expired ? 'Expired' : 'Authorized'
    if (!habits.lapses_by_void) {
      payment.expired = true
      return 'Expired'
    }
    act(payment, { type: 'Void', amount: payment.amount, due_at: payment.expires_at })
    return 'Voided'
  }

  function settle(path: SettlePath, payment: FakePayment, body: SettleBody): FakeAction | Refusal {
    const refusal = refusalOf(path, payment, body)
    if (refusal) return refusal
    const { reference = null } = body
    const once = (kind: 'capture' | 'void') =>
      payment.behaviour === `refuse_${kind}_once` &&
      !payment.actions.some((action) => action.type !== 'Authorization' && !action.approved)
    if (path === 'captures') {
      const amount = carried(body.amount ?? payment.amount)
      const approved = !once('capture')
      const captured = act(payment, { type: 'Capture', amount, reference, approved })
      const released = payment.amount - amount
      const is_final = body.capture_type !== 'NonFinal'
      if (approved && is_final && released > 0 && habits.shows_releases) {
        act(payment, { type: 'Void', amount: released, reference })
      }
      return captured
    }
    const captured = sum(payment, 'Capture')
    if (path === 'voids' || (path === 'reversals' && captured === 0)) {
      const refuses = path === 'voids' ? once('void') : habits.refuses_reversals
      const amount = carried(payment.amount)
      return act(payment, { type: 'Void', amount, reference, approved: !refuses })
    }
    const amount = carried(body.amount ?? captured - sum(payment, 'Refund'))
    const slow = path === 'refunds' && amount % 100 === 17 ? slow_refund_ms : settles_after_ms
    const given = path === 'reversals' ? !habits.refuses_reversals : amount % 100 !== 13
    return act(payment, { type: 'Refund', amount, reference, approved: given, due_at: later(slow) })
  }

  function refusalOf(path: SettlePath, payment: FakePayment, { amount }: SettleBody): Refusal | null {
    const forbidden: Refusal = { status: 403, error_codes: [] }
    const [captured, voided] = [sum(payment, 'Capture'), sum(payment, 'Void')]
    const left = captured - sum(payment, 'Refund')
    if (['Pending', 'Declined', 'Expired'].includes(statusOf(payment))) return forbidden
    if (voided && !captured) return forbidden
    if (path === 'reversals') return captured && left === 0 ? forbidden : null
    if (path === 'voids') return captured ? forbidden : null
    if (path === 'refunds') {
      if (!sum(payment, 'Capture', isDone)) return forbidden
      const error_codes = ['refund_amount_exceeds_balance']
      return (amount ?? left) > left || left === 0 ? { status: 422, error_codes } : null
    }
    if (captured) return forbidden
    const error_codes = ['capture_value_greater_than_authorized']
    return amount && amount > payment.amount ? { status: 422, error_codes } : null
  }

  /** Refunds come back from the shopper's bank. */
  function sendBack(payment: FakePayment): void {
    for (const action of payment.actions) {
      if (action.type === 'Refund') Object.assign(action, { approved: false, is_sent_back: true })
    }
  }

  /** Which of the vendor's environments it is. */
  const environment = { is_live: false }
  return {
    habits,
    sendBack,
    payments,
    environment,
    /** The next capture, void, reversal or refund is carried out of this much alone. */
    carryOutPart: (amount: number) => {
      part = amount
    },
    /** The next charge shifts no liability, whatever 3-D Secure says. */
    refuseShift: () => {
      refuses_shift = true
    },
    authorise,
    settle,
    statusOf,
    actionsOf,
    isDone,
    /** What was taken or given back by now. */
    total: (payment: FakePayment, type: FakeAction['type']) => sum(payment, type, isDone),
    find: (id: string) => payments.find((payment) => payment.id === id) ?? null,
  }
}

function knownAt(behaviour: AcquirerBehaviour, now: Date): Date | null {
  if (behaviour === 'lost_for_ever') return null
  const is_lost = behaviour === 'lost_then_captured' || behaviour === 'lost_then_declined'
  const delay_ms = is_lost ? lost_ms : behaviour === 'approve_slowly' ? slow_ms : 0
  return new Date(now.getTime() + delay_ms)
}
