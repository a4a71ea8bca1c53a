// Turns Stripe's answers into the port's answers. An ambiguous answer is never read as a definite one.

import {
  type Accepted,
  type AuthoriseAnswer,
  type AuthoriseRequest,
  type PrepareAnswer,
  type SettleAnswer,
  Unanswered,
  type UnderWay,
} from '../acquirer.ts'
import { failed, refusedWith } from '../answers.ts'
import { endedBy } from '../read-decline-table.ts'
import { isGood, type WireAnswer } from '../wire.ts'
import { moneyRead } from './currencies.ts'
import { declineOf } from './declines.ts'
import {
  environmentOf,
  errorIn,
  expiryIn,
  intentIn,
  isNotShifted,
  refundIn,
  type TheirError,
  type TheirIntent,
  type TheirReason,
  type TheirRefund,
  wasApproved,
} from './intents.ts'

type Ended = Extract<AuthoriseAnswer, { result: 'declined' | 'failed' }>
type Refused = Extract<SettleAnswer, { result: 'refused' }>
type Money = { amount: number; currency: string }

/**
 * A definite refusal after which the intent must be looked up: an earlier request with the same reference may have succeeded.
 */
export type Contested = { result: 'contested'; reason: string }

/** Stripe's id of the card, or the charge's end. Throws Unanswered. */
export function methodAnswer(answer: WireAnswer, name: string): { method: string } | Ended {
  if (!isGood(answer)) return refusedCharge(answer, name)
  const id = answer.json?.id
  if (typeof id === 'string' && /^\w{1,255}$/.test(id)) return { method: id }
  throw new Unanswered(`${name}: an answer that is no payment method (${answer.status})`)
}

/** Throws Unanswered. */
export function prepareAnswer(answer: WireAnswer, request: AuthoriseRequest, name: string): PrepareAnswer {
  if (!isGood(answer)) return refusedCharge(answer, name)
  const intent = intentIn(answer.json)
  if (!intent) throw new Unanswered(`${name}: an answer that is no intent (${answer.status})`)
  const is_asked = isMoney(intent, request) && intent.status === 'requires_confirmation'
  if (!is_asked) return failed(`${name}: it made another intent than was asked for`)
  return { result: 'prepared', handle: intent.id, ...environmentOf(intent) }
}

/** The answer to a charge's confirm. Throws Unanswered. */
export function confirmAnswer(
  answer: WireAnswer,
  handle: string,
  name: string,
): AuthoriseAnswer | UnderWay | Contested {
  if (isGood(answer)) {
    const intent = intentIn(answer.json)
    const charge = intent?.id === handle ? chargeOf(intent) : null
    if (typeof charge === 'object' && charge?.result !== 'failed' && charge) return charge
    throw new Unanswered(`${name}: an answer that does not say what happened (${answer.status})`)
  }
  const error = errorIn(answer)
  const declinedIntent = error?.payment_intent
  const is_other =
    declinedIntent && (declinedIntent.id !== handle || declinedIntent.status !== 'requires_payment_method')
  if (answer.status === 402 && is_other) {
    throw new Unanswered(`${name}: a decline that contradicts itself`)
  }
  const refusal = refusedCharge(answer, name)
  const is_contested = answer.status === 400 || answer.status === 404
  if (!is_contested) return { ...refusal, acquirer_transaction_id: handle }
  return { result: 'contested', reason: refusal.decline.reason! }
}

/**
 * The state of a charge by its intent. `unconfirmed`: no charge was ever tried. Null if it cannot be read. If Stripe wants an
 * authentication, that is a decline, because nobody would show it.
 */
export function chargeOf(intent: TheirIntent): AuthoriseAnswer | UnderWay | 'unconfirmed' | null {
  const { id: acquirer_transaction_id, status, last_payment_error } = intent
  if (wasApproved(intent)) return approvedOf(intent)
  if (status === 'processing') return { result: 'under_way', acquirer_transaction_id }
  if (status === 'requires_confirmation') return 'unconfirmed'
  const error = status === 'requires_action' ? wantsAction : last_payment_error
  if (status === 'requires_payment_method' || status === 'requires_action') {
    return error ? declined(error, acquirer_transaction_id) : 'unconfirmed'
  }
  if (status !== 'canceled') return null
  if (last_payment_error) return declined(last_payment_error, acquirer_transaction_id)
  return { ...failed('It was cancelled before it was charged'), acquirer_transaction_id }
}

/** The answer to a capture. Throws Unanswered. */
export function captureAnswer(
  answer: WireAnswer,
  intent_id: string,
  money: Money,
  name: string,
): SettleAnswer | Contested {
  if (!isGood(answer)) return refusedOperation(answer, name)
  const intent = intentIn(answer.json)
  const capturedMoney = intent && takenOf(intent)
  const is_asked = capturedMoney?.amount === money.amount && capturedMoney.currency === money.currency
  if (intent?.id === intent_id && intent.status === 'succeeded' && is_asked) {
    return approved(intent_id, capturedMoney)
  }
  throw new Unanswered(`${name}: an answer that does not say what was captured (${answer.status})`)
}

/** The answer to a cancel: the cancelled intent. Throws Unanswered. */
export function cancelAnswer(answer: WireAnswer, intent_id: string, name: string): TheirIntent | Refused | Contested {
  if (!isGood(answer)) return refusedOperation(answer, name)
  const intent = intentIn(answer.json)
  if (intent?.id === intent_id && intent.status === 'canceled') return intent
  throw new Unanswered(`${name}: an answer that does not say that it is cancelled (${answer.status})`)
}

/** The answer to a refund; `money` is null if the whole rest was refunded. Throws Unanswered. */
export function refundAnswer(
  answer: WireAnswer,
  money: Money | null,
  name: string,
): SettleAnswer | Accepted | Contested {
  if (!isGood(answer)) return refusedOperation(answer, name)
  const refund = refundIn(answer.json)
  const stands = refund && (!money || isMoney(refund, money)) ? refundStands(refund) : null
  if (stands) return stands
  throw new Unanswered(`${name}: an answer that does not say what was refunded (${answer.status})`)
}

/** What was captured; null if the intent does not show it. */
export function takenOf({ amount_received, currency }: TheirIntent): Money | null {
  return amount_received === null ? null : moneyRead({ amount: amount_received, currency })
}

/** The outcome of a refund; null if it is not known. */
export function refundStands(refund: TheirRefund): SettleAnswer | Accepted | null {
  const { id, status, failure_reason } = refund
  if (status === 'succeeded') {
    const money = moneyRead(refund)
    // An unreadable amount cannot be compared with the requested one.
    return money && approved(id, money)
  }
  if (status === 'pending' || status === 'requires_action') {
    return { result: 'accepted', acquirer_transaction_id: id }
  }
  if (status !== 'failed' && status !== 'canceled') return null
  const why = /^[a-z_]{1,60}$/.test(failure_reason ?? '') ? ` (${failure_reason})` : ''
  return refusedWith('refund_refused', `The refund ${status}${why}`)
}

export function approved(acquirer_transaction_id: string, money?: Money): SettleAnswer {
  return { result: 'approved', acquirer_transaction_id, ...(money && { money }) }
}

/** Whether the 404 comes from Stripe itself and not from a proxy. */
export function isMissing(answer: WireAnswer): boolean {
  return answer.status === 404 && errorIn(answer) !== null
}

const wantsAction: TheirReason = {
  code: 'authentication_required',
  decline_code: null,
  message: 'The issuer wants an authentication',
}

function approvedOf(intent: TheirIntent): AuthoriseAnswer | null {
  const { id, status, amount, amount_capturable, amount_received, capture_method } = intent
  const money = moneyRead(intent)
  const captured = status === 'succeeded' && capture_method !== 'manual'
  const of_all = captured ? amount_received : status === 'requires_capture' ? amount_capturable : null
  // Two amounts that contradict each other cannot be relied on.
  if (!money || (of_all !== null && of_all !== amount)) return null
  const approval = { result: 'approved', acquirer_transaction_id: id, captured, ...money } as const
  const answer = { ...approval, ...environmentOf(intent), ...(!captured && expiryIn(intent)) }
  return isNotShifted(intent) ? { ...answer, liability_shifted: false } : answer
}

function declined(error: TheirReason, acquirer_transaction_id: string | null): Ended {
  return endedBy(declineOf(error), acquirer_transaction_id)
}

/** Throws Unanswered unless the answer says that nothing happened. */
function refusedCharge(answer: WireAnswer, name: string): Ended {
  const error = errorIn(answer)
  if (answer.status === 402 && error?.type === 'card_error') return declined(error, null)
  return failed(`${name}: ${refusalOf(answer, error, name)}`)
}

function refusedOperation(answer: WireAnswer, name: string): Refused | Contested {
  const error = errorIn(answer)
  if (answer.status === 402 && error?.type === 'card_error') {
    const { code, reason } = declineOf(error)
    return refusedWith(code, reason ?? 'Refused')
  }
  const reason = `${name}: ${refusalOf(answer, error, name)}`
  if (error?.type === 'idempotency_error') return refusedWith('reference_reused', reason)
  return { result: 'contested', reason }
}

function refusalOf({ status }: WireAnswer, error: TheirError | null, name: string): string {
  if (status === 401) return 'its credentials were refused (401)'
  if (status === 403) return 'its account may not do that (403)'
  const is_definite = status === 400 || status === 402 || status === 404 || status === 422
  if (!is_definite || !error || error.code === 'rate_limit') {
    throw new Unanswered(`${name}: answered ${status}, which says nothing about what happened`)
  }
  return `the request was refused (${[status, ...codesIn(error)].join(' ')})`
}

/** Stripe's error codes, which never contain data of the request. */
function codesIn({ type, code }: TheirError): string[] {
  return [code ?? type].filter((each) => /^[a-z_]{1,60}$/.test(each))
}

function isMoney(theirs: Money, money: Money): boolean {
  const isoMoney = moneyRead(theirs)
  return isoMoney?.amount === money.amount && isoMoney.currency === money.currency
}
