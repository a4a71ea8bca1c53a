// Stripe as an acquirer, in two steps. Creating an intent moves nothing, and its id is stored before the confirm. So a lost
// answer is looked up by that id, and a cancelled intent can never be confirmed.

import type { Acquirer, LookUpAnswer, LookUpRequest, PrepareAnswer, PrepareRequest } from '../acquirer.ts'
import { failed } from '../answers.ts'
import { type AcquirerConnection, type AcquirerConnector, credentialsOf } from '../connector.ts'
import { methodAnswer, prepareAnswer } from './answers.ts'
import { checkStripe } from './check.ts'
import { confirmAt } from './confirm.ts'
import { environmentShown, isOfSandbox, type StripeCredentials, stripeCredentials } from './credentials.ts'
import { amountSent } from './currencies.ts'
import { listAt } from './list.ts'
import { noticesIn } from './notices.ts'
import { bearsReference, findIntent, refundsAt } from './read.ts'
import { intentRequest, methodRequest, threeDsOf } from './requests.ts'
import { stripeSandboxNumbers } from './sandbox-numbers.ts'
import { settleAt } from './settle.ts'
import { chargeFound, operationFound } from './standings.ts'

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
    prepare: (request) => prepareAt(connection, request),
    authorise: (request) => confirmAt(connection, request),
    capture: (request) => settleAt(connection, 'capture', request),
    void: (request) => settleAt(connection, 'void', request),
    reverse: (request) => settleAt(connection, 'reverse', request),
    refund: (request) => settleAt(connection, 'refund', request),
    lookUp: (request) => lookUpAt(connection, request),
    bearsReference: (id, reference) => bearsReference(connection, id, reference),
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
  if (amount === null) {
    const { amount: asked, currency } = request
    return failed(`${name}: Stripe cannot express ${asked} ${currency} in its minor units`)
  }
  const made = methodAnswer(await wire.send(methodRequest(request, credentials)), name)
  if ('result' in made) return made
  const { method } = made
  const sent = intentRequest(request, { amount, method }, credentials)
  return prepareAnswer(await wire.send(sent), request, name)
}

/** Without a handle or an id nothing was ever confirmed, so there is nothing to find. */
async function lookUpAt(
  connection: AcquirerConnection<StripeCredentials>,
  request: LookUpRequest,
): Promise<LookUpAnswer> {
  const { kind, authorisation } = request
  const intent = await findIntent(connection, authorisation)
  if (!intent) return { result: 'not_found' }
  const refunds = await refundsAt(connection, intent)
  return kind === 'authorise' ? chargeFound(intent, refunds) : operationFound({ ...request, kind }, intent, refunds)
}
