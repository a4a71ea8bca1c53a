// From what Adyen answers to the port's answers. What does not say for certain what happened is never read as if it did.

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
import type { WireAnswer } from '../wire.ts'
import { moneyRead } from './currencies.ts'
import { declineOf } from './declines.ts'

type Failed = Extract<AuthoriseAnswer, { result: 'failed' }>
type Refused = Extract<SettleAnswer, { result: 'refused' }>

const text = z.string().nullish().default(null)

const payment = z.object({
  resultCode: z.string(),
  pspReference: z.string().min(1).max(100).nullish().default(null),
  merchantReference: text,
  /** What cannot be read of it leaves the charge open, and not without a name. */
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

/** What a charge was answered. `name` names the connection in reasons. Throws Unanswered. */
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
  const read = payment.safeParse(answer.json).data
  if (!read) throw new Unanswered(`${name}: an answer that is no payment (${answer.status})`)
  const { merchantReference, pspReference } = read
  if (merchantReference !== null && merchantReference !== request.reference) {
    throw new Unanswered(`${name}: an answer about another payment`)
  }
  const known = chargeAnswer(read, request)
  if (known) return known
  // Whatever else it says, the payment may be there: a notice decides, or it is taken back.
  if (pspReference !== null) return { result: 'under_way', acquirer_transaction_id: pspReference }
  throw new Unanswered(`${name}: an answer that neither decides nor names the payment`)
}

/** What the request of a capture, void, reversal or refund was answered. Throws Unanswered. */
export function settleAnswer(
  answer: WireAnswer,
  { reference, authorisation }: SettleRequest,
  name: string,
): Accepted | Refused {
  if (!isGood(answer)) {
    // Credentials are judged before the key is looked at: an earlier request of the same key may have been taken.
    const refusal = isBarred(answer) ? null : refusalOf(answer)
    if (refusal === null)
      throw new Unanswered(`${name}: ${barredWords(answer) ?? statusWords(answer)}`)
    return refusedWith(null, `${name}: ${refusal}`)
  }
  const read = modification.safeParse(answer.json).data
  if (!read) throw new Unanswered(`${name}: an answer that took nothing (${answer.status})`)
  const { acquirer_transaction_id: known } = authorisation
  const is_other = known !== null && ![null, known].includes(read.paymentPspReference)
  if (is_other || ![null, reference].includes(read.reference)) {
    throw new Unanswered(`${name}: an answer about another operation`)
  }
  return { result: 'accepted', acquirer_transaction_id: read.pspReference }
}

/** A charge that definitely moved no money. */
export function failed(reason: string): Failed {
  const decline = { code: 'processing_error', category: 'provider_error', reason } as const
  return { result: 'failed', decline, acquirer_transaction_id: null }
}

export function refusedWith(decline_code: string | null, reason: string): Refused {
  return { result: 'refused', reason, decline_code, authorisation_known: true }
}

export function isGood({ status }: WireAnswer): boolean {
  return status >= 200 && status < 300
}

/** Why the account may not ask at all; null where that is not what it says. */
export function barredWords({ status }: WireAnswer): string | null {
  if (status === 401) return 'its credentials were refused (401)'
  return status === 403 ? 'its account may not do that (403)' : null
}

/** Theirs began 3-D Secure, for which they wait until we say how it went. We never do. */
const wantsThreeDs = new Set(['RedirectShopper', 'ChallengeShopper', 'IdentifyShopper'])

/** Null where it says nothing that can be relied on. */
function chargeAnswer(
  read: TheirPayment,
  { amount, currency, capture }: AuthoriseRequest,
): AuthoriseAnswer | null {
  const { resultCode, pspReference: acquirer_transaction_id } = read
  if (resultCode === 'Refused' || resultCode === 'Cancelled' || resultCode === 'Error') {
    return declineAnswer(read)
  }
  if (wantsThreeDs.has(resultCode)) {
    const reason = `Adyen wanted a 3-D Secure of its own (${resultCode})`
    const decline = { code: 'authentication_required', category: 'soft', reason } as const
    return { result: 'declined', decline, acquirer_transaction_id }
  }
  if (acquirer_transaction_id === null) return null
  const is_part = resultCode === 'PartiallyAuthorised'
  if (resultCode !== 'Authorised' && !is_part) return null
  // `Authorised` without an amount is the whole amount: a part has a word of its own.
  const shown = theirMoney.safeParse(read.amount).data
  const whole = is_part || read.amount != null ? null : { amount, currency }
  const money = shown ? moneyRead(shown) : whole
  if (!money || (is_part && (money.amount >= amount || money.currency !== currency))) return null
  // What was to be captured they capture by themselves, at once.
  return { result: 'approved', acquirer_transaction_id, captured: capture, ...money }
}

function declineAnswer({
  resultCode,
  refusalReasonCode: code,
  refusalReason,
  additionalData,
  pspReference: acquirer_transaction_id,
}: TheirPayment): AuthoriseAnswer {
  const raw = additionalData?.refusalReasonRaw
  const refusal = { code, raw: typeof raw === 'string' ? raw : null, words: refusalReason }
  const decline = declineOf(refusal, resultCode === 'Error' ? 'failed' : 'declined')
  const result = decline.category === 'provider_error' ? 'failed' : 'declined'
  return { result, decline, acquirer_transaction_id }
}

/** The request was processed already, or is at this moment. */
const in_progress = '704'

/** Null where the answer does not say that nothing happened. */
function refusalOf(answer: WireAnswer): string | null {
  const { status, json } = answer
  if (isBarred(answer)) return barredWords(answer)
  if (status !== 400 && status !== 422) return null
  // What has none of their codes may be a proxy's, after the request went through.
  const code = json?.errorCode
  if (typeof code !== 'string' || code === in_progress) return null
  const shown = /^[0-9A-Za-z_]{1,20}$/.test(code) ? ` ${code}` : ''
  return `the request was refused (${status}${shown})`
}

/** They say so where a request never left them. */
function neverTaken({ status, headers, json }: WireAnswer): string | null {
  if (headers['transient-error']?.toLowerCase() !== 'true') return null
  if (json?.errorCode === in_progress || (status !== 429 && status < 500)) return null
  return `it could not take the request at this moment (${status})`
}

function isBarred({ status }: WireAnswer): boolean {
  return status === 401 || status === 403
}

function statusWords({ status }: WireAnswer): string {
  return `answered ${status}, which says nothing about what happened`
}
