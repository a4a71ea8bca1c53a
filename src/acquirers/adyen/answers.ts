// Turns Adyen's answers into the port's answers. An ambiguous answer is never read as a definite one.

import { z } from 'zod'
import {
  type Accepted,
  type AuthoriseAnswer,
  type AuthoriseRequest,
  type SettleAnswer,
  type SettleRequest,
  Unanswered,
  type UnderWay,
} from '../acquirer.ts'
import { failed, refusedWith } from '../answers.ts'
import { endedBy } from '../read-decline-table.ts'
import { isGood, type WireAnswer } from '../wire.ts'
import { moneyRead } from './currencies.ts'
import { declineOf } from './declines.ts'

type Refused = Extract<SettleAnswer, { result: 'refused' }>

const text = z.string().nullish().default(null)

const payment = z.object({
  resultCode: z.string(),
  pspReference: z.string().min(1).max(100).nullish().default(null),
  merchantReference: text,
  /** Accepts anything, so that an unreadable amount leaves the charge open but keeps its id. */
  amount: z.unknown().optional(),
  refusalReasonCode: text,
  refusalReason: text,
  additionalData: z.record(z.string(), z.unknown()).nullish().default(null),
})

const theirMoney = z.object({ value: z.int().nonnegative(), currency: z.string() })

const modification = z.object({
  status: z.literal('received'),
  pspReference: z.string().min(1).max(100),
  paymentPspReference: text,
  reference: text,
})

type TheirPayment = z.infer<typeof payment>

/** The answer to a charge. `name` names the connection in reasons. Throws Unanswered. */
export function authoriseAnswer(
  answer: WireAnswer,
  request: AuthoriseRequest,
  name: string,
): AuthoriseAnswer | UnderWay {
  if (!isGood(answer)) {
    const refusal = refusalOf(answer) ?? neverTaken(answer)
    if (refusal === null) throw new Unanswered(`${name}: ${statusWords(answer)}`)
    return failed(`${name}: ${refusal}`)
  }
  const theirPayment = payment.safeParse(answer.json).data
  if (!theirPayment) throw new Unanswered(`${name}: an answer that is no payment (${answer.status})`)
  const { merchantReference, pspReference } = theirPayment
  if (merchantReference !== null && merchantReference !== request.reference) {
    throw new Unanswered(`${name}: an answer about another payment`)
  }
  const outcome = chargeAnswer(theirPayment, request)
  if (outcome) return outcome
  // The payment may exist, whatever the rest of the answer says. A notice decides, or the charge is reversed.
  if (pspReference !== null) return { result: 'under_way', acquirer_transaction_id: pspReference }
  throw new Unanswered(`${name}: an answer that neither decides nor names the payment`)
}

/** The answer to a capture, void, reversal or refund. Throws Unanswered. */
export function settleAnswer(
  answer: WireAnswer,
  { reference, authorisation }: SettleRequest,
  name: string,
): Accepted | Refused {
  if (!isGood(answer)) {
    // Adyen checks credentials before the key, so an earlier request with the same key may have been accepted.
    const refusal = isBarred(answer) ? null : refusalOf(answer)
    if (refusal === null) throw new Unanswered(`${name}: ${barredWords(answer) ?? statusWords(answer)}`)
    return refusedWith(null, `${name}: ${refusal}`)
  }
  const theirModification = modification.safeParse(answer.json).data
  if (!theirModification) throw new Unanswered(`${name}: an answer that took nothing (${answer.status})`)
  const { acquirer_transaction_id: payment_psp_reference } = authorisation
  const is_other =
    payment_psp_reference !== null && ![null, payment_psp_reference].includes(theirModification.paymentPspReference)
  if (is_other || ![null, reference].includes(theirModification.reference)) {
    throw new Unanswered(`${name}: an answer about another operation`)
  }
  return { result: 'accepted', acquirer_transaction_id: theirModification.pspReference }
}

/** Why the account may not use the API; null if the answer says something else. */
export function barredWords({ status }: WireAnswer): string | null {
  if (status === 401) return 'its credentials were refused (401)'
  return status === 403 ? 'its account may not do that (403)' : null
}

/** Adyen began its own 3-D Secure and waits for us to continue, which we never do. */
const wantsThreeDs = new Set(['RedirectShopper', 'ChallengeShopper', 'IdentifyShopper'])

/** Null if the answer contains nothing reliable. */
function chargeAnswer(
  theirPayment: TheirPayment,
  { amount, currency, capture }: AuthoriseRequest,
): AuthoriseAnswer | null {
  const { resultCode, pspReference: acquirer_transaction_id } = theirPayment
  if (resultCode === 'Refused' || resultCode === 'Cancelled' || resultCode === 'Error') {
    return declineAnswer(theirPayment)
  }
  if (wantsThreeDs.has(resultCode)) {
    const reason = `Adyen wanted a 3-D Secure of its own (${resultCode})`
    const decline = { code: 'authentication_required', category: 'soft', reason } as const
    return { result: 'declined', decline, acquirer_transaction_id }
  }
  if (acquirer_transaction_id === null) return null
  const is_part = resultCode === 'PartiallyAuthorised'
  if (resultCode !== 'Authorised' && !is_part) return null
  // `Authorised` without an amount means the whole amount: a partial approval has another result code.
  const theirAmount = theirMoney.safeParse(theirPayment.amount).data
  const whole = is_part || theirPayment.amount != null ? null : { amount, currency }
  const money = theirAmount ? moneyRead(theirAmount) : whole
  if (!money || (is_part && (money.amount >= amount || money.currency !== currency))) return null
  // Adyen captures at once by itself if a capture was requested.
  const approval = {
    result: 'approved',
    acquirer_transaction_id,
    captured: capture,
    ...money,
  } as const
  return { ...approval, ...liabilityIn(theirPayment.additionalData) }
}

/**
 * What Adyen says of liability, in an answer or a notice. No signature covers it in a notice, but it can only take away what
 * 3-D Secure had granted.
 */
export function liabilityIn(data: Record<string, unknown> | null): { liability_shifted?: false } {
  const { liabilityShift, threeDAuthenticated } = data ?? {}
  return (liabilityShift ?? threeDAuthenticated) === 'false' ? { liability_shifted: false } : {}
}

function declineAnswer({
  resultCode,
  refusalReasonCode: code,
  refusalReason,
  additionalData,
  pspReference: acquirer_transaction_id,
}: TheirPayment): AuthoriseAnswer {
  const wordsAt = (name: string) => {
    const words = additionalData?.[name]
    return typeof words === 'string' ? words : null
  }
  const [raw, advice] = [wordsAt('refusalReasonRaw'), wordsAt('merchantAdviceCode')]
  const refusal = { code, raw, advice, words: refusalReason }
  const decline = declineOf(refusal, resultCode === 'Error' ? 'failed' : 'declined')
  const may_retry_elsewhere = resultCode === 'Refused' && decline.may_retry_elsewhere
  return endedBy({ ...decline, may_retry_elsewhere }, acquirer_transaction_id)
}

/** The request was processed already, or is being processed. */
const in_progress = '704'

/** Null unless the answer says that nothing happened. */
function refusalOf(answer: WireAnswer): string | null {
  const { status, json } = answer
  if (isBarred(answer)) return barredWords(answer)
  if (status !== 400 && status !== 422) return null
  // An answer without one of Adyen's codes may come from a proxy after the request went through.
  const code = json?.errorCode
  if (typeof code !== 'string' || code === in_progress) return null
  const code_part = /^[0-9A-Za-z_]{1,20}$/.test(code) ? ` ${code}` : ''
  return `the request was refused (${status}${code_part})`
}

/** An error that Adyen repeats for as long as it keeps the key. */
export function isKeptError({ status, headers }: WireAnswer): boolean {
  return status >= 500 && !isTransient(headers)
}

/** Why Adyen did not take the request: a header says that the request never left Adyen. Null without that header. */
function neverTaken({ status, headers, json }: WireAnswer): string | null {
  if (!isTransient(headers)) return null
  if (json?.errorCode === in_progress || (status !== 429 && status < 500)) return null
  return `it could not take the request at this moment (${status})`
}

function isTransient(headers: WireAnswer['headers']): boolean {
  return headers['transient-error']?.toLowerCase() === 'true'
}

function isBarred({ status }: WireAnswer): boolean {
  return status === 401 || status === 403
}

function statusWords({ status }: WireAnswer): string {
  return `answered ${status}, which says nothing about what happened`
}
