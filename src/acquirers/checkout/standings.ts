// From payments and actions at Checkout.com to what a look-up or a list says of our operations.

import {
  type AuthorisationStanding,
  type LiveAuthorisation,
  type LookUpAnswer,
  type LookUpRequest,
  Unanswered,
} from '../acquirer.ts'
import { actionAnswer, declineAnswer, isPending, isTaken } from './answers.ts'
import { moneyRead } from './currencies.ts'
import { paymentIn, type TheirAction, type TheirPayment } from './payments.ts'
import { referenceRead, referenceSent, type SettleKind } from './requests.ts'

/** What is known of a charge by its payment and all its actions. */
export function chargeFound(payment: TheirPayment, actions: TheirAction[]): LookUpAnswer {
  const found = { result: 'found', kind: 'authorise' } as const
  if (payment.status === 'Declined') {
    return { ...found, answer: declineAnswer(payment, actions), standing: null }
  }
  const money = moneyRead(payment)
  // An amount that cannot be read is nothing to go by: it waits for a person.
  if (isPending(payment) || !money) return { result: 'in_progress' }
  const captured = isAutomatic(payment) && !isCaptureRefused(actions)
  if (captured && payment.status === 'Authorized') return { result: 'in_progress' }
  const { id: acquirer_transaction_id } = payment
  const answer = { result: 'approved', acquirer_transaction_id, captured, ...money } as const
  return { ...found, answer, standing: standingOf(payment, actions, money) }
}

/** What is known of a capture, void, reversal or refund by all actions of its payment. */
export function operationFound(
  operation: LookUpRequest & { kind: SettleKind },
  actions: TheirAction[],
): LookUpAnswer {
  const { kind, acquirer_transaction_id } = operation
  const own = ownActions(operation, actions)
  // They have named it, so it is there, although their list does not show it yet.
  if (own.length === 0) {
    return { result: acquirer_transaction_id === null ? 'not_found' : 'in_progress' }
  }
  const answer = actionAnswer(own)
  return answer ? { result: 'found', kind, answer } : { result: 'in_progress' }
}

/** The actions that an operation of ours became: one, or two where a reversal voids the one part and refunds the other. */
export function ownActions(
  {
    kind,
    reference,
    acquirer_transaction_id,
  }: Pick<LookUpRequest, 'kind' | 'reference' | 'acquirer_transaction_id'>,
  actions: TheirAction[],
): TheirAction[] {
  const sent = referenceSent(kind, reference)
  return actions.filter(
    (action) => action.reference === sent || action.id === acquirer_transaction_id,
  )
}

/** Whether a reversal of ours took it back. */
export function isReversed(actions: TheirAction[]): boolean {
  return actions.some(
    ({ approved, reference }) => approved === true && referenceRead(reference)?.is_reversal,
  )
}

/**
 * Of several payments with one reference, which can only be where a charge was sent twice, the one that holds money or may
 * still come to.
 */
export function mostAlive(payments: TheirPayment[]): TheirPayment | null {
  const rank = (payment: TheirPayment) =>
    payment.status === 'Authorized' || isTaken(payment) ? 0 : isPending(payment) ? 1 : 2
  return payments.toSorted((one, other) => rank(one) - rank(other))[0] ?? null
}

/**
 * What a page of a search lists and is live: neither declined, voided, lapsed nor given back whole. Throws Unanswered where
 * one bears a mark and cannot be read.
 */
export function liveIn(data: unknown[]): LiveAuthorisation[] {
  return data.flatMap((each) => {
    const payment = paymentIn(each)
    const installation = markIn(each)
    if (!payment) {
      if (installation === null) return []
      throw new Unanswered('a payment of ours that cannot be read')
    }
    const reference = referenceRead(payment.reference)?.reference
    const captured = isTaken(payment)
    if (!reference || payment.status === 'Refunded') return []
    if (!captured && payment.status !== 'Authorized') return []
    const money = moneyRead(payment)
    const authorised_at = new Date(payment.requested_on ?? Number.NaN)
    if (!money || Number.isNaN(authorised_at.getTime())) {
      if (installation === null) return []
      throw new Unanswered('a payment of ours whose amount or time cannot be read')
    }
    const acquirer_transaction_id = payment.id
    const names = { reference, acquirer_transaction_id, installation }
    return [{ ...names, ...money, captured, authorised_at }]
  })
}

function standingOf(
  payment: TheirPayment,
  actions: TheirAction[],
  money: { amount: number; currency: string },
): AuthorisationStanding {
  const { status, balances, currency } = payment
  if (status === 'Expired') return { state: 'expired', ...money }
  if (isReversed(actions) && (status === 'Refunded' || status === 'Voided')) {
    return { state: 'reversed', ...money }
  }
  if (isTaken(payment)) {
    const amount = balances?.total_captured
    const taken = amount ? moneyRead({ amount, currency }) : null
    return { state: 'captured', ...(taken ?? money) }
  }
  return { state: status === 'Authorized' ? 'reserved' : 'voided', ...money }
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
