// Checkout.com as an acquirer. Its idempotency keys only keep answers with 2xx. After any other answer, or none, we look in its
// books by our reference or its id before we send anything again.

import {
  type Accepted,
  type Acquirer,
  type AuthorisationName,
  type AuthoriseAnswer,
  type LookUpAnswer,
  type LookUpRequest,
  type SettleAnswer,
  type SettleKind,
  type SettleRequest,
  Unanswered,
  type UnderWay,
} from '../acquirer.ts'
import { failed, refusedWith, unknownAuthorisation } from '../answers.ts'
import {
  type AcquirerConnection,
  type AcquirerConnector,
  type CheckAnswer,
  credentialsOf,
  notTheirs,
} from '../connector.ts'
import { shortReference } from '../reference.ts'
import { afterRequest, isGood, notShown, type Wire } from '../wire.ts'
import { actionAnswer, authoriseAnswer, isMissing, settleAnswer, whyRefused } from './answers.ts'
import {
  type CheckoutCredentials,
  checkoutCredentials,
  environmentAt,
  environmentShown,
  isOfSandbox,
} from './credentials.ts'
import { partRefusal, unspeakable } from './currencies.ts'
import { listAt } from './list.ts'
import { noticesIn } from './notices.ts'
import { actionsIn, isMarked, pageIn, paymentIn, type TheirAction, type TheirPayment } from './payments.ts'
import { ask, disputeAt, disputesAt, readPayment, unreadable } from './read.ts'
import { actionsOf, byId, byReference, paymentRequest, searchRequest, settleRequest, threeDsOf } from './requests.ts'
import { checkoutSandboxNumbers } from './sandbox-numbers.ts'
import { chargeFound, isReversed, mostAlive, operationFound, ownActions } from './standings.ts'

/** A reference that was never used, so that the search for it finds nothing. */
const nobodys = '0'.repeat(32)

/** Never throws. */
async function checkCheckout({
  credentials,
  wire,
}: {
  credentials: CheckoutCredentials
  wire: Wire
}): Promise<CheckAnswer> {
  try {
    const listAnswer = await wire.send(byReference(nobodys, credentials))
    if (!isGood(listAnswer)) return { result: 'fails', reason: notShown('Checkout.com', listAnswer) }
    pageIn(listAnswer)
    const moment = { since: new Date(0), until: new Date(1) }
    const searchAnswer = await wire.send(searchRequest(moment, credentials))
    return { result: 'works', notes: isGood(searchAnswer) ? [] : [`${no_search} (${searchAnswer.status})`] }
  } catch (error) {
    return { result: 'fails', reason: `Checkout.com: ${(error as Error).message}` }
  }
}

const no_search =
  'the key may not search payments, so that orphaned authorisations are not found: it needs the scope payments:search'

const day_ms = 24 * 3_600_000

export const checkout: AcquirerConnector<CheckoutCredentials> = {
  name: 'checkout',
  credentials: checkoutCredentials,
  open: openCheckout,
  isOfSandbox,
  environmentShown,
  environmentAt,
  sandbox_numbers: checkoutSandboxNumbers,
  notices: { read: noticesIn, reply: '' },
  check: checkCheckout,
}

function openCheckout(connection: AcquirerConnection<CheckoutCredentials>): Acquirer {
  const { name, wire } = connection
  const settle = (kind: SettleKind) => (request: SettleRequest) => settleAt(connection, kind, request)
  return {
    name,
    learned_by: 'reference',
    lists: true,
    safe_window_ms: 300_000,
    // A day, by Checkout.com's clock: checkout.com/docs/payments/manage-payments/retry-a-payment, 2026-01-07.
    reference_life_ms: day_ms - 3_600_000,
    // At Checkout.com nothing keeps a charge from arriving after its reversal.
    late_approval_ms: day_ms,
    carriesThreeDs: (data) => threeDsOf(data) !== null,
    partialCaptureRefusal: partRefusal,
    async authorise(request): Promise<AuthoriseAnswer | UnderWay> {
      const wireRequest = paymentRequest(request, await credentialsOf(connection))
      if (!wireRequest) return failed(`${name}: ${unspeakable(request)}`)
      const { sendable } = request
      return authoriseAnswer(await wire.send({ ...wireRequest, sendable }), request, name)
    },
    capture: settle('capture'),
    void: settle('void'),
    reverse: settle('reverse'),
    refund: settle('refund'),
    lookUp: (request) => lookUpAt(connection, request),
    bearsReference: (id, reference) => bearsReference(connection, id, reference),
    lookUpDispute: (id) => disputeAt(connection, id),
    listDisputes: ({ since }) => disputesAt(connection, since),
    listAuthorisations(within) {
      return listAt(connection, within)
    },
  }
}

async function settleAt(
  connection: AcquirerConnection<CheckoutCredentials>,
  kind: SettleKind,
  request: SettleRequest,
): Promise<SettleAnswer | Accepted> {
  const { name, wire } = connection
  const credentials = await credentialsOf(connection)
  const { authorisation, sendable } = request
  const payment_id = authorisation.acquirer_transaction_id ?? (await find(connection, authorisation))?.id
  if (payment_id === undefined) return unknownAuthorisation
  const wireRequest = settleRequest(kind, request, payment_id, credentials)
  if (!wireRequest) return refusedWith('amount_mismatch', `${name}: ${unspeakable(request)}`)
  const answer = settleAnswer(await wire.send({ ...wireRequest, sendable }), name)
  if (answer.result === 'accepted') return answer
  // This request may have been a repeat, and the first one may have succeeded.
  return afterRequest(explain(connection, kind, request, answer.reason))
}

/** Why it was refused. If an earlier request with the same reference succeeded, that is the answer. */
async function explain(
  connection: AcquirerConnection<CheckoutCredentials>,
  kind: SettleKind,
  request: SettleRequest,
  reason: string,
): Promise<SettleAnswer | Accepted> {
  const payment = await find(connection, request.authorisation)
  if (!payment) return unknownAuthorisation
  const actions = await actionsAt(connection, payment)
  const { reference } = request
  const own = ownActions({ kind, reference, acquirer_transaction_id: null }, actions)
  const [first] = own
  if (first) {
    return actionAnswer(kind, own, payment) ?? { result: 'accepted', acquirer_transaction_id: first.id }
  }
  const is_reversed = isReversed(actions)
  return refusedWith(whyRefused(kind, request, payment, { is_reversed }), reason)
}

async function lookUpAt(
  connection: AcquirerConnection<CheckoutCredentials>,
  request: LookUpRequest,
): Promise<LookUpAnswer> {
  const { kind } = request
  const payment = await find(connection, request.authorisation)
  if (!payment) return { result: 'not_found' }
  const actions = await actionsAt(connection, payment)
  if (kind === 'authorise') return chargeFound(payment, actions)
  return operationFound({ ...request, kind }, payment, actions)
}

async function bearsReference(
  connection: AcquirerConnection<CheckoutCredentials>,
  id: string,
  reference: string,
): Promise<boolean> {
  const answer = await ask(connection, byId(id, await credentialsOf(connection)))
  if (isMissing(answer)) return false
  const payment = paymentIn(answer.json)
  if (!payment) throw new Unanswered(unreadable(connection.name))
  return isMarked(payment, connection.installation) && payment.reference === shortReference(reference)
}

/** The payment by its id, or by our reference if the id is unknown; null if no payment of ours has the reference. */
async function find(
  connection: AcquirerConnection<CheckoutCredentials>,
  { reference, acquirer_transaction_id }: AuthorisationName,
): Promise<TheirPayment | null> {
  const { name, installation } = connection
  const credentials = await credentialsOf(connection)
  const isOurs = (payment: TheirPayment) => isMarked(payment, installation)
  if (acquirer_transaction_id !== null) {
    const payment = await readPayment(connection, acquirer_transaction_id)
    if (!isOurs(payment)) throw new Unanswered(notTheirs(name, acquirer_transaction_id))
    return payment
  }
  const { data } = pageIn(await ask(connection, byReference(reference, credentials)))
  const short_reference = shortReference(reference)
  const payments: TheirPayment[] = []
  for (const each of data) {
    const payment = paymentIn(each)
    if (!payment) throw new Unanswered(unreadable(name))
    if (payment.reference !== short_reference) continue
    // A list may leave out the metadata, and our mark with it.
    payments.push(payment.metadata === null ? await readPayment(connection, payment.id) : payment)
  }
  return mostAlive(payments.filter(isOurs))
}

async function actionsAt(
  connection: AcquirerConnection<CheckoutCredentials>,
  { id }: TheirPayment,
): Promise<TheirAction[]> {
  return actionsIn(await ask(connection, actionsOf(id, await credentialsOf(connection))))
}
