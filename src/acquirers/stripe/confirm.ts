// A charge at Stripe: confirms the intent that was prepared for it.

import { type AuthoriseAnswer, type AuthoriseRequest, NotSent, type UnderWay } from '../acquirer.ts'
import { failed } from '../answers.ts'
import { type AcquirerConnection, credentialsOf } from '../connector.ts'
import { afterRequest } from '../wire.ts'
import { confirmAnswer } from './answers.ts'
import type { StripeCredentials } from './credentials.ts'
import { findIntent, refundsAt } from './read.ts'
import { confirmRequest } from './requests.ts'
import { chargeFound } from './standings.ts'

export async function confirmAt(
  connection: AcquirerConnection<StripeCredentials>,
  request: AuthoriseRequest,
): Promise<AuthoriseAnswer | UnderWay> {
  const { name, wire } = connection
  const { handle, sendable } = request
  if (handle === null) throw new NotSent(`${name}: the charge was not prepared`)
  const sent = confirmRequest(request, handle, await credentialsOf(connection))
  const answer = confirmAnswer(await wire.send({ ...sent, sendable }), handle, name)
  if (answer.result !== 'contested') return answer
  return afterRequest(askIntent(connection, request, handle, answer.reason))
}

/** If an intent cannot be confirmed, an earlier request may have confirmed it. Its present state is the answer. */
async function askIntent(
  connection: AcquirerConnection<StripeCredentials>,
  { reference }: AuthoriseRequest,
  handle: string,
  reason: string,
): Promise<AuthoriseAnswer | UnderWay> {
  const named = { reference, handle, acquirer_transaction_id: null }
  const intent = await findIntent(connection, named)
  const ended = { ...failed(reason), acquirer_transaction_id: handle }
  if (!intent) return ended
  const found = chargeFound(intent, await refundsAt(connection, intent))
  if (found.result === 'in_progress') {
    return { result: 'under_way', acquirer_transaction_id: handle }
  }
  return found.result === 'found' && found.kind === 'authorise' ? found.answer : ended
}
