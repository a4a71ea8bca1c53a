// Stripe as an acquirer, in two steps. Creating an intent moves nothing, and its id is stored before the confirm. So a lost
// answer is looked up by that id, and a cancelled intent can never be confirmed.

import {
  type Acquirer,
  type AuthoriseAnswer,
  type AuthoriseRequest,
  type LookUpAnswer,
  type LookUpRequest,
  NotSent,
  type PrepareAnswer,
  type PrepareRequest,
  type UnderWay,
} from '../acquirer.ts'
import { failed } from '../answers.ts'
import { type AcquirerConnection, type AcquirerConnector, type CheckAnswer, credentialsOf } from '../connector.ts'
import { strangeEnvironment } from '../environment.ts'
import { afterRequest, isGood, notShown, type Wire, type WireAnswer } from '../wire.ts'
import { confirmAnswer, methodAnswer, prepareAnswer } from './answers.ts'
import { environmentShown, isOfSandbox, type StripeCredentials, stripeCredentials } from './credentials.ts'
import { amountSent, partRefusal, unspeakable } from './currencies.ts'
import { environmentOf, intentIn, pageIn } from './intents.ts'
import { listAt } from './list.ts'
import { noticesIn } from './notices.ts'
import { bearsReference, disputeAt, disputesAt, findTheirIntent, refundsAt } from './read.ts'
import {
  balanceRequest,
  confirmRequest,
  intentRequest,
  methodRequest,
  oneIntent,
  testMethodRequest,
  threeDsOf,
} from './requests.ts'
import { settleAt } from './settle.ts'
import { chargeFound, operationFound } from './standings.ts'

/** Never throws. Only the sandbox shows whether card numbers are accepted, because Stripe publishes a test number for it. */
async function checkStripe({
  credentials,
  mode,
  wire,
}: {
  credentials: StripeCredentials
  mode: 'live' | 'sandbox'
  wire: Wire
}): Promise<CheckAnswer> {
  try {
    const listAnswer = await wire.send(oneIntent(credentials))
    if (!isGood(listAnswer) || !pageIn(listAnswer.json)) {
      return { result: 'fails', reason: notShown('Stripe', listAnswer) }
    }
    const strange = await strangeAnswer(listAnswer, { credentials, mode, wire })
    if (strange !== null) return { result: 'fails', reason: `Stripe: ${strange}` }
    if (mode === 'live') return { result: 'works', notes: [] }
    const methodReply = await wire.send(testMethodRequest(credentials))
    return { result: 'works', notes: isGood(methodReply) ? [] : [`${no_numbers} (${methodReply.status})`] }
  } catch (error) {
    return { result: 'fails', reason: `Stripe: ${(error as Error).message}` }
  }
}

/** An account without payments shows its environment by its balance, which a restricted key may not read. */
async function strangeAnswer(
  listAnswer: WireAnswer,
  { credentials, mode, wire }: Parameters<typeof checkStripe>[0],
): Promise<string | null> {
  const intent = intentIn(pageIn(listAnswer.json)?.data[0])
  if (intent) return strangeEnvironment(environmentOf(intent), mode)
  const { json } = await wire.send(balanceRequest(credentials))
  const livemode = json?.livemode
  if (typeof livemode !== 'boolean') return null
  return strangeEnvironment(environmentOf({ livemode }), mode)
}

const no_numbers =
  'the account may not send card numbers, so that every charge will fail until Stripe has enabled them for it'

/**
 * The card numbers that Stripe publishes for its sandbox (docs.stripe.com/testing, 2026-11), of the brands that are
 * taken here.
 */
export const stripeSandboxNumbers: readonly string[] = [
  // Approved: Visa, Mastercard, American Express.
  ...['4242424242424242', '4000056655665556'],
  ...['5555555555554444', '2223003122003222', '5200828282828210', '5105105105105100'],
  ...['378282246310005', '371449635398431'],
  // Declined, or failed.
  ...['4000000000000002', '4000000000009995', '4000000000009987', '4000000000009979'],
  ...['4000000000000069', '4000000000000127', '4000000000000119', '4000000000006975'],
  // Fraud and checks.
  ...['4100000000000019', '4000000000004954', '4000000000009235', '4000000000000101'],
  ...['4000000000000036', '4000000000000028', '4000000000000010', '4000000000000044'],
  // Disputed after the charge.
  ...['4000000000000259', '4000000000002685', '4000000000001976', '4000000000005423'],
  // Refunds that are pending first, or fail later.
  ...['4000000000007726', '4000000000005126'],
  // Paid out at once.
  ...['4000000000000077', '4000003720000278'],
  // Stripe wants a 3-D Secure of its own.
  ...['4000002500003155', '4000002760003184', '4000003800000446', '4000008260003178'],
  ...['4000000000003220', '4000000000003063', '4000008400001629', '4000008400001280'],
  ...['4000000000003055', '4000000000003097'],
]

const hour_ms = 3_600_000

export const stripe: AcquirerConnector<StripeCredentials> = {
  name: 'stripe',
  credentials: stripeCredentials,
  open: openStripe,
  isOfSandbox,
  environmentShown,
  sandbox_numbers: stripeSandboxNumbers,
  notices: {
    read: (post, { credentials, installation, now }) =>
      noticesIn(post, { webhook_secret: credentials.webhook_secret, installation, now }),
    reply: '',
  },
  check: checkStripe,
}

function openStripe(connection: AcquirerConnection<StripeCredentials>): Acquirer {
  return {
    name: connection.name,
    learned_by: 'replay',
    lists: true,
    safe_window_ms: 90_000,
    // A day at least, by Stripe's clock: docs.stripe.com/api/idempotent_requests, 2026-11.
    reference_life_ms: 23 * hour_ms,
    // A reversal cancels the intent, and Stripe then refuses each confirm. Without a stored handle, no confirm was ever sent
    // and none will be: the handle is stored first, unless the reconciler has begun to reverse the charge.
    late_approval_ms: 0,
    carriesThreeDs: (data) => threeDsOf(data) !== null,
    partialCaptureRefusal: partRefusal,
    prepare: (request) => prepareAt(connection, request),
    authorise: (request) => confirmAt(connection, request),
    capture: (request) => settleAt(connection, 'capture', request),
    void: (request) => settleAt(connection, 'void', request),
    reverse: (request) => settleAt(connection, 'reverse', request),
    refund: (request) => settleAt(connection, 'refund', request),
    lookUp: (request) => lookUpAt(connection, request),
    bearsReference: (id, reference) => bearsReference(connection, id, reference),
    lookUpDispute: (id) => disputeAt(connection, id),
    listDisputes: ({ since }) => disputesAt(connection, since),
    listAuthorisations: (within) => listAt(connection, within),
  }
}

async function prepareAt(
  connection: AcquirerConnection<StripeCredentials>,
  request: PrepareRequest,
): Promise<PrepareAnswer> {
  const { name, wire } = connection
  const credentials = await credentialsOf(connection)
  const amount = amountSent(request)
  if (amount === null) return failed(`${name}: ${unspeakable(request)}`)
  const preparation = methodAnswer(await wire.send(methodRequest(request, credentials)), name)
  if ('result' in preparation) return preparation
  const { method } = preparation
  const wireRequest = intentRequest(request, { amount, method }, credentials)
  return prepareAnswer(await wire.send(wireRequest), request, name)
}

/** Without a handle or an id nothing was ever confirmed, so there is nothing to find. */
async function lookUpAt(
  connection: AcquirerConnection<StripeCredentials>,
  request: LookUpRequest,
): Promise<LookUpAnswer> {
  const { kind, authorisation } = request
  const intent = await findTheirIntent(connection, authorisation)
  if (!intent) return { result: 'not_found' }
  const refunds = await refundsAt(connection, intent)
  return kind === 'authorise' ? chargeFound(intent, refunds) : operationFound({ ...request, kind }, intent, refunds)
}

/** A charge at Stripe: confirms the intent that was prepared for it. */
async function confirmAt(
  connection: AcquirerConnection<StripeCredentials>,
  request: AuthoriseRequest,
): Promise<AuthoriseAnswer | UnderWay> {
  const { name, wire } = connection
  const { handle, sendable } = request
  if (handle === null) throw new NotSent(`${name}: the charge was not prepared`)
  const wireRequest = confirmRequest(request, handle, await credentialsOf(connection))
  const answer = confirmAnswer(await wire.send({ ...wireRequest, sendable }), handle, name)
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
  const names = { reference, handle, acquirer_transaction_id: null }
  const intent = await findTheirIntent(connection, names)
  const failure = { ...failed(reason), acquirer_transaction_id: handle }
  if (!intent) return failure
  const lookUpAnswer = chargeFound(intent, await refundsAt(connection, intent))
  if (lookUpAnswer.result === 'in_progress') {
    return { result: 'under_way', acquirer_transaction_id: handle }
  }
  return lookUpAnswer.result === 'found' && lookUpAnswer.kind === 'authorise' ? lookUpAnswer.answer : failure
}
