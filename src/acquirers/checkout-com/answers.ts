// Turns Checkout.com's answers into the port's answers. An ambiguous answer is never read as a definite one.

import {
  type Accepted,
  type AuthoriseAnswer,
  type AuthoriseRequest,
  type SettleAnswer,
  type SettleKind,
  Unanswered,
  type UnderWay,
} from '../acquirer.ts'
import { failed, refusedWith } from '../answers.ts'
import type { AnswerEnvironment } from '../environment.ts'
import type { Money } from '../minor-units.ts'
import { endedBy, forGood, isAgainst } from '../read-decline-table.ts'
import { shortReference } from '../reference.ts'
import { isGood, type WireAnswer } from '../wire.ts'
import { moneyRead } from './currencies.ts'
import { declineOf } from './declines.ts'
import { environmentOf, expiryIn, paymentIn, type TheirAction, type TheirPayment } from './payments.ts'

/** The answer to a charge. `name` names the connection in reasons. Throws Unanswered. */
export function authoriseAnswer(
  answer: WireAnswer,
  request: AuthoriseRequest,
  name: string,
): AuthoriseAnswer | UnderWay {
  if (!isGood(answer)) {
    const refusal = refusalOf(answer)
    if (refusal === null) throw new Unanswered(`${name}: ${statusWords(answer)}`)
    return failed(`${name}: ${refusal}`)
  }
  const payment = paymentIn(answer.json)
  if (!payment) {
    const { id } = answer.json ?? {}
    if (typeof id === 'string' && id !== '') return underWay(id)
    throw new Unanswered(`${name}: an answer that is no payment (${answer.status})`)
  }
  if (payment.reference !== null && payment.reference !== shortReference(request.reference)) {
    throw new Unanswered(`${name}: an answer about another payment`)
  }
  return chargeAnswer(payment, request)
}

/** The answer to a capture, void, reversal or refund. Throws Unanswered. */
export function settleAnswer(answer: WireAnswer, name: string): Accepted | { result: 'refused'; reason: string } {
  if (isGood(answer)) {
    const action_id = answer.json?.action_id
    if (typeof action_id === 'string' && action_id !== '') {
      return { result: 'accepted', acquirer_transaction_id: action_id }
    }
    throw new Unanswered(`${name}: an answer that names no action (${answer.status})`)
  }
  const refusal = isMissing(answer) ? 'it has no such payment (404)' : refusalOf(answer)
  if (refusal === null) throw new Unanswered(`${name}: ${statusWords(answer)}`)
  return { result: 'refused', reason: `${name}: ${refusal}` }
}

/** The outcome of an operation by its actions; null until it is carried out. The two actions of a reversal count as one. */
export function actionAnswer(kind: SettleKind, actions: TheirAction[], payment: TheirPayment): SettleAnswer | null {
  const refusedAction = actions.find(({ approved }) => approved === false)
  if (refusedAction) {
    const { code, reason } = declineOf(refusedAction.response_code, refusedAction.response_summary)
    return refusedWith(code, reason ?? 'Refused')
  }
  if (!actions.every(({ approved }) => approved)) return null
  const approval = { result: 'approved', acquirer_transaction_id: actions[0]!.id } as const
  const amounts = actions.map(({ amount }) => amount)
  if (!amounts.every((amount) => amount !== null)) return approval
  const is_void = voidedStatuses.has(payment.status) && !isTaken(payment)
  const left_nothing = is_void || payment.status === 'Refunded'
  if (left_nothing && (kind === 'void' || kind === 'reverse')) return approval
  const amount = amounts.reduce((total, each) => total + each, 0)
  const money = moneyRead({ amount, currency: payment.currency })
  // An unreadable amount cannot be compared with the requested one.
  return money && { ...approval, money }
}

export function declineAnswer(
  { id, response_code, response_summary, processing }: TheirPayment,
  actions: TheirAction[],
): AuthoriseAnswer {
  const authorisation = authorisationIn(actions)
  const decline = declineOf(
    response_code ?? authorisation?.response_code ?? null,
    response_summary ?? authorisation?.response_summary ?? null,
  )
  const advice = processing?.partner_merchant_advice_code ?? null
  return endedBy(isAgainst(advice) ? forGood(decline) : decline, id)
}

/** Checkout.com has begun its own 3-D Secure. The shopper is never sent to its page, so the payment never comes to more. */
export function wantsThreeDs({ status, approved, _links }: TheirPayment): boolean {
  return status === 'Pending' && approved !== true && Boolean(_links?.redirect)
}

export function threeDsWanted(acquirer_transaction_id: string): AuthoriseAnswer {
  const reason = 'Checkout.com wanted a 3-D Secure of its own'
  const decline = { code: 'authentication_required', category: 'soft', reason } as const
  return { result: 'declined', decline, acquirer_transaction_id }
}

/**
 * The approved amount in ISO minor units. For a partial approval it is the smallest amount in the answer; null if there
 * is none.
 */
export function approvedMoney(payment: TheirPayment, actions: TheirAction[]): Money | null {
  const { amount, currency, balances } = payment
  if (!isPart(payment, actions)) return moneyRead({ amount, currency })
  const amounts = [amount, balances?.total_authorized, authorisationIn(actions)?.amount]
  const some = amounts.filter((each): each is number => each != null && each > 0)
  return some.length === 0 ? null : moneyRead({ amount: Math.min(...some), currency })
}

/**
 * The members of an approval that say what Checkout.com made of the 3-D Secure data, in which environment, and until when the amount
 * is reserved.
 */
export function saidOf(
  payment: TheirPayment,
  { captured }: { captured: boolean },
): { liability_shifted?: false; expires_at?: Date } & AnswerEnvironment {
  const said = { ...environmentOf(payment), ...(!captured && expiryIn(payment)) }
  return payment['3ds']?.downgraded ? { ...said, liability_shifted: false } : said
}

/** The issuer approved only a part, although the request did not allow it. */
export function isPart({ response_code }: TheirPayment, actions: TheirAction[]): boolean {
  return (response_code ?? authorisationIn(actions)?.response_code) === '10010'
}

/** Why a request was refused, as far as the payment shows it. The words are the same as for other acquirers. */
export function whyRefused(
  kind: SettleKind,
  { amount }: { amount: number },
  payment: TheirPayment,
  { is_reversed }: { is_reversed: boolean },
): string | null {
  if (payment.status === 'Declined') return 'not_approved'
  if (payment.status === 'Expired') return 'expired'
  if (is_reversed) return 'already_reversed'
  if (voidedStatuses.has(payment.status)) return 'already_voided'
  if (isPending(payment)) return 'in_progress'
  if (kind === 'refund') return whyNotRefunded(amount, payment)
  if (isTaken(payment)) return kind === 'reverse' ? null : 'already_captured'
  const reservedMoney = restOf(payment) ?? moneyRead(payment)
  return kind === 'capture' && reservedMoney && amount > reservedMoney.amount ? 'amount_mismatch' : null
}

/** What is reserved now, after a void of a part, or an increment; null if the payment does not say. */
export function restOf({ balances, currency }: TheirPayment): Money | null {
  const { available_to_capture } = balances ?? {}
  if (!available_to_capture) return null
  return moneyRead({ amount: available_to_capture, currency })
}

/** Checkout.com has the payment but does not know its outcome yet. */
export function isPending({ status }: TheirPayment): boolean {
  return !ends.has(status)
}

/** Whether money was taken, even if it was refunded since, or if the rest was voided. */
export function isTaken({ status, balances }: TheirPayment): boolean {
  return capturedStatuses.has(status) || (balances?.total_captured ?? 0) > 0
}

/** Whether the 404 comes from Checkout.com itself and not from a proxy. */
export function isMissing({ status, text, json }: WireAnswer): boolean {
  return status === 404 && (json !== null || text.trim() === '')
}

const capturedStatuses = new Set(['Captured', 'Partially Captured', 'Partially Refunded', 'Refunded'])
/** Checkout.com spells the last of them in two ways. */
const voidedStatuses = new Set(['Voided', 'Canceled', 'Cancelled'])
const ends = new Set([...capturedStatuses, ...voidedStatuses, 'Authorized', 'Declined', 'Expired'])

function chargeAnswer(payment: TheirPayment, request: AuthoriseRequest): AuthoriseAnswer | UnderWay {
  const { id, status, approved } = payment
  if (status === 'Declined' && approved !== true) return declineAnswer(payment, [])
  if (wantsThreeDs(payment)) return threeDsWanted(id)
  const money = approvedMoney(payment, [])
  const is_approved = approved === true && (status === 'Authorized' || status === 'Captured')
  // The payment exists, whatever the rest of the answer says. A look-up by its id decides.
  if (!is_approved || !money) return underWay(id)
  const captured = status === 'Captured'
  const is_asked = money.amount === request.amount && money.currency === request.currency
  if (isPart(payment, []) && is_asked) return underWay(id)
  const captured_amount = payment.balances?.total_captured
  if (captured && captured_amount != null && captured_amount !== payment.amount) return underWay(id)
  // Checkout.com captures by itself soon after the approval, and may still fail to. Until then nothing is taken.
  if (request.capture && !captured && is_asked) return underWay(id)
  const approval = { result: 'approved', acquirer_transaction_id: id, captured, ...money } as const
  return { ...approval, ...saidOf(payment, approval) }
}

function authorisationIn(actions: TheirAction[]): TheirAction | undefined {
  return actions.find(({ type }) => type === 'Authorization')
}

function underWay(acquirer_transaction_id: string): UnderWay {
  return { result: 'under_way', acquirer_transaction_id }
}

/** Null unless the answer says that nothing happened. */
function refusalOf({ status, json, text }: WireAnswer): string | null {
  if (status === 401) return 'its credentials were refused (401)'
  if (status === 403) return 'its account may not do that (403)'
  if (status !== 400 && status !== 422) return null
  const is_theirs = typeof json?.error_type === 'string' || text.trim() === ''
  return is_theirs ? `the request was refused (${[status, ...codesIn(json)].join(' ')})` : null
}

/** Checkout.com's error codes, which never contain data of the request. */
function codesIn(json: WireAnswer['json']): string[] {
  const codes = Array.isArray(json?.error_codes) ? json.error_codes : []
  return codes.filter((code) => typeof code === 'string' && /^[a-z_]{1,60}$/.test(code)).slice(0, 5)
}

function statusWords({ status }: WireAnswer): string {
  return `answered ${status}, which says nothing about what happened`
}

function whyNotRefunded(amount: number, payment: TheirPayment): string | null {
  if (!isTaken(payment)) return 'not_captured'
  const amount_left = payment.status === 'Refunded' ? 0 : payment.balances?.available_to_refund
  const rest = amount_left == null ? null : moneyRead({ amount: amount_left, currency: payment.currency })
  return rest && amount > rest.amount ? 'refund_exceeds_captured' : null
}
