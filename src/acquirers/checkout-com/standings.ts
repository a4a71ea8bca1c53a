// Turns payments and actions at Checkout.com into the results of look-ups and lists.

import {
  type AuthorisationStanding,
  type LiveAuthorisation,
  type LookUpAnswer,
  type LookUpRequest,
  type SettleKind,
  Unanswered,
} from '../acquirer.ts'
import type { Money } from '../minor-units.ts'
import { standInReference } from '../reference.ts'
import {
  actionAnswer,
  approvedMoney,
  declineAnswer,
  isPart,
  isPending,
  isTaken,
  restOf,
  saidOf,
  threeDsWanted,
  wantsThreeDs,
} from './answers.ts'
import { moneyRead } from './currencies.ts'
import { paymentIn, type TheirAction, type TheirPayment } from './payments.ts'
import { referenceRead, referenceSent } from './requests.ts'

/** What a payment and all its actions show about its charge. */
export function chargeFound(payment: TheirPayment, actions: TheirAction[]): LookUpAnswer {
  const base = { result: 'found', kind: 'authorise' } as const
  if (payment.status === 'Declined') {
    return { ...base, answer: declineAnswer(payment, actions), standing: null }
  }
  if (wantsThreeDs(payment)) return { ...base, answer: threeDsWanted(payment.id), standing: null }
  const money = approvedMoney(payment, actions)
  // Without a reliable amount nothing can be decided, so the charge waits for a person.
  if (isPending(payment) || !money) return { result: 'in_progress' }
  if (isPart(payment, actions) && money.amount === moneyRead(payment)?.amount) {
    return { result: 'in_progress' }
  }
  const captured = isAutomatic(payment) && !isCaptureRefused(actions)
  if (captured && payment.status === 'Authorized') return { result: 'in_progress' }
  const { id: acquirer_transaction_id } = payment
  const approval = { result: 'approved', acquirer_transaction_id, captured, ...money } as const
  const answer = { ...approval, ...saidOf(payment, approval) }
  return { ...base, answer, standing: paymentStanding(payment, actions, money) }
}

/** What a payment and all its actions show about a capture, void, reversal or refund. */
export function operationFound(
  operation: LookUpRequest & { kind: SettleKind },
  payment: TheirPayment,
  actions: TheirAction[],
): LookUpAnswer {
  const { kind, acquirer_transaction_id } = operation
  const own = ownActions(operation, actions)
  // Checkout.com has given its id, so the operation exists, although the list does not show it yet.
  if (own.length === 0) {
    return { result: acquirer_transaction_id === null ? 'not_found' : 'in_progress' }
  }
  const answer = actionAnswer(kind, own, payment)
  return answer ? { result: 'found', kind, answer } : { result: 'in_progress' }
}

/**
 * The actions of one of our operations: one, or two if a reversal voids one part and refunds the other. The void by which a final
 * capture of a part frees the rest is none.
 */
export function ownActions(
  {
    kind,
    reference,
    acquirer_transaction_id,
  }: Pick<LookUpRequest, 'reference' | 'acquirer_transaction_id'> & {
    kind: SettleKind
  },
  actions: TheirAction[],
): TheirAction[] {
  const vendor_reference = referenceSent(kind, reference)
  return actions.filter(
    ({ id, type, ...action }) =>
      (action.reference === vendor_reference || id === acquirer_transaction_id) &&
      (type === null || typesOf[kind].has(type)),
  )
}

const typesOf: Record<SettleKind, Set<string>> = {
  capture: new Set(['Capture']),
  void: new Set(['Void']),
  reverse: new Set(['Void', 'Refund']),
  refund: new Set(['Refund']),
}

/** Whether a reversal of ours took the payment back. */
export function isReversed(actions: TheirAction[]): boolean {
  return actions.some(({ approved, reference }) => approved === true && referenceRead(reference)?.is_reversal)
}

/**
 * Several payments share one reference only if a charge was sent twice. Returns the one that holds money or may still do so.
 */
export function mostAlive(payments: TheirPayment[]): TheirPayment | null {
  const rank = (payment: TheirPayment) =>
    payment.status === 'Authorized' || isTaken(payment) ? 0 : isPending(payment) ? 1 : 2
  return payments.toSorted((one, other) => rank(one) - rank(other))[0] ?? null
}

/**
 * The live payments on a page of a search: not declined, voided, lapsed or refunded in full. Throws Unanswered if a payment
 * with a mark cannot be read.
 */
export function liveIn(data: unknown[]): LiveAuthorisation[] {
  return data.flatMap((each) => {
    const payment = paymentIn(each)
    const installation = markIn(each)
    if (!payment) {
      if (installation === null) return []
      throw new Unanswered('a payment of ours that cannot be read')
    }
    const own_reference = referenceRead(payment.reference)?.reference
    const reference = own_reference ?? (installation === null ? null : standInReference(payment.id))
    const captured = isTaken(payment)
    if (!reference || payment.status === 'Refunded') return []
    if (!captured && payment.status !== 'Authorized') return []
    const money = captured ? takenOf(payment) : (restOf(payment) ?? moneyRead(payment))
    const authorised_at = new Date(payment.requested_on ?? Number.NaN)
    if (!money || Number.isNaN(authorised_at.getTime())) {
      if (installation === null) return []
      throw new Unanswered('a payment of ours whose amount or time cannot be read')
    }
    const acquirer_transaction_id = payment.id
    const names = { reference, acquirer_transaction_id, installation }
    return [{ ...names, ...money, captured, authorised_at, ...refundedOf(payment) }]
  })
}

function paymentStanding(
  payment: TheirPayment,
  actions: TheirAction[],
  money: { amount: number; currency: string },
): AuthorisationStanding {
  const { status, balances } = payment
  if (status === 'Expired') return { state: 'expired', ...money }
  if (isReversed(actions) && (status === 'Refunded' || status === 'Voided')) {
    return { state: 'reversed', ...money }
  }
  if (isTaken(payment)) {
    const capturedMoney = balances?.total_captured ? takenOf(payment) : takenIn(actions, payment)
    return { state: 'captured', ...(capturedMoney ?? money), ...refundedOf(payment) }
  }
  if (status === 'Authorized') return { state: 'reserved', ...money, ...restOf(payment) }
  return { state: 'voided', ...money }
}

/** What was captured, which may be a part of the authorised amount; all of it if the payment does not say. */
function takenOf({ amount, balances, currency }: TheirPayment): Money | null {
  return moneyRead({ amount: balances?.total_captured || amount, currency })
}

/** The same by its actions; null if they do not say. */
function takenIn(actions: TheirAction[], { currency }: TheirPayment): Money | null {
  const captures = actions.filter(({ type, approved }) => type === 'Capture' && approved === true)
  if (captures.length === 0 || captures.some(({ amount }) => amount === null)) return null
  return moneyRead({ amount: captures.reduce((total, { amount }) => total + amount!, 0), currency })
}

/**
 * Whether a page of a search leaves out what only the payment itself shows: our mark, or the captured or refunded
 * amount.
 */
export function isBare({ metadata, balances, reference, status }: TheirPayment): boolean {
  if (metadata === null) return referenceRead(reference) !== null
  const is_marked = markIn({ metadata }) !== null
  return is_marked && balances === null && status.startsWith('Partially')
}

function refundedOf(payment: TheirPayment): { refunded_amount?: number } {
  const { balances, currency } = payment
  const amount = isTaken(payment) ? balances?.total_refunded : null
  const refundedMoney = amount == null ? null : moneyRead({ amount, currency })
  return refundedMoney ? { refunded_amount: refundedMoney.amount } : {}
}

function isAutomatic({ metadata }: TheirPayment): boolean {
  return metadata?.ripper_capture === 'automatic'
}

function isCaptureRefused(actions: TheirAction[]): boolean {
  return actions.some(({ type, approved }) => type === 'Capture' && approved === false)
}

function markIn(each: unknown): string | null {
  const metadata = (each as { metadata?: Record<string, unknown> } | null)?.metadata
  const mark = metadata?.ripper_installation
  return typeof mark === 'string' ? mark : null
}
