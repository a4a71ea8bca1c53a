// Captures, voids, reversals and refunds at Stripe. A reversal cancels the intent, which fences it, or else refunds everything.

import { type Accepted, type SettleAnswer, type SettleKind, type SettleRequest, Unanswered } from '../acquirer.ts'
import { refusedWith, unknownAuthorisation } from '../answers.ts'
import { type AcquirerConnection, credentialsOf } from '../connector.ts'
import { afterRequest, type Wire, type WireAnswer, type WireRequest } from '../wire.ts'
import { approved, type Contested, cancelAnswer, captureAnswer, refundAnswer } from './answers.ts'
import type { StripeCredentials } from './credentials.ts'
import { amountSent, unspeakable } from './currencies.ts'
import { type TheirIntent, type TheirRefund, wasApproved } from './intents.ts'
import { findTheirIntent, intentIdOf, refundsAt } from './read.ts'
import { cancelRequest, captureRequest, refundRequest } from './requests.ts'
import { doneBy, leftOf, nothingBehind, ownRefund, refundAnswerOf, whyRefused } from './standings.ts'

/** Without a handle or an id nothing was ever confirmed, so there is no such authorisation. */
export async function settleAt(
  connection: AcquirerConnection<StripeCredentials>,
  kind: SettleKind,
  request: SettleRequest,
): Promise<SettleAnswer | Accepted> {
  const intent_id = intentIdOf(request.authorisation)
  if (intent_id === null) return unknownAuthorisation
  const answer = await send(connection, kind, request, intent_id)
  if (answer.result !== 'contested') return answer
  return afterRequest(explain(connection, kind, request, answer.reason))
}

async function send(
  connection: AcquirerConnection<StripeCredentials>,
  kind: SettleKind,
  request: SettleRequest,
  intent_id: string,
): Promise<SettleAnswer | Accepted | Contested> {
  const { name, wire, installation } = connection
  const credentials = await credentialsOf(connection)
  const { sendable } = request
  if (kind === 'void' || kind === 'reverse') {
    const wireRequest = { ...cancelRequest(kind, request, intent_id, credentials), sendable }
    const cancelledIntent = cancelAnswer(await sendStateful(wire, wireRequest), intent_id, name)
    if ('result' in cancelledIntent) return cancelledIntent
    return wasApproved(cancelledIntent) ? approved(intent_id) : nothingBehind(cancelledIntent)
  }
  const amount = amountSent(request)
  if (amount === null) return refusedWith('amount_mismatch', `${name}: ${unspeakable(request)}`)
  if (kind === 'capture') {
    const wireRequest = { ...captureRequest(request, { amount, intent_id }, credentials), sendable }
    return captureAnswer(await sendStateful(wire, wireRequest), intent_id, request, name)
  }
  const wireRequest = refundRequest(kind, request, { amount, intent_id, installation }, credentials)
  return refundAnswer(await wire.send({ ...wireRequest, sendable }), request, name)
}

/**
 * Stripe repeats a stored error for a day. A capture, a cancel or the refund of the whole rest is then sent under a second key,
 * since the intent's state prevents doing any of them twice. Another refund is not, because it could happen twice.
 */
async function sendStateful(wire: Wire, request: WireRequest): Promise<WireAnswer> {
  const answer = await wire.send(request)
  const is_kept = answer.status >= 500 && answer.headers['idempotent-replayed'] === 'true'
  if (!is_kept) return answer
  const key = `${request.headers['idempotency-key']}-again`
  return afterRequest(wire.send({ ...request, headers: { ...request.headers, 'idempotency-key': key } }))
}

/** Why it was refused. If an earlier request with the same reference succeeded, that is the answer. */
async function explain(
  connection: AcquirerConnection<StripeCredentials>,
  kind: SettleKind,
  request: SettleRequest,
  reason: string,
): Promise<SettleAnswer | Accepted> {
  const intent = await findTheirIntent(connection, request.authorisation)
  if (!intent) return unknownAuthorisation
  const refunds = await refundsAt(connection, intent)
  const own = ownRefund({ kind, reference: request.reference }, refunds)
  if (own) {
    const answer = refundAnswerOf(kind, own, intent, refunds)
    if (answer) return answer
    throw new Unanswered(`${connection.name}: it does not say what became of the refund`)
  }
  const earlierAnswer = kind === 'capture' ? doneBy({ ...request, kind }, intent) : null
  if (earlierAnswer) return earlierAnswer
  const why = whyRefused(kind, request, intent, refunds)
  if (why === unknownAuthorisation.decline_code) return unknownAuthorisation
  if (kind === 'reverse' && why === null && intent.status === 'succeeded') {
    return giveBack(connection, request, { intent, refunds }, reason)
  }
  return refusedWith(why, reason)
}

/** Refunds the rest of a capture. */
async function giveBack(
  connection: AcquirerConnection<StripeCredentials>,
  request: SettleRequest,
  { intent, refunds }: { intent: TheirIntent; refunds: TheirRefund[] },
  reason: string,
): Promise<SettleAnswer | Accepted> {
  const { name, wire, installation } = connection
  const { id: intent_id, currency } = intent
  const amount_left = leftOf(intent, refunds)
  const credentials = await credentialsOf(connection)
  const wireRequest = refundRequest('reverse', request, { intent_id, installation }, credentials)
  const { sendable } = request
  const rest = amount_left === null ? null : { amount: amount_left, currency: currency.toUpperCase() }
  const answer = refundAnswer(await sendStateful(wire, { ...wireRequest, sendable }), rest, name)
  if (answer.result === 'contested') return refusedWith(null, `${reason}; ${answer.reason}`)
  // The rest need not be the amount of the authorisation, and nothing is left.
  return answer.result === 'approved' ? approved(answer.acquirer_transaction_id) : answer
}
