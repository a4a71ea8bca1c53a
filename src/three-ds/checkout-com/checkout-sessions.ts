// Checkout.com's Sessions as a 3-D Secure provider, for charges at any acquirer. A session is made when the shopper
// pays; there is no question about the card before that.

import {
  apiUrlOf,
  type CheckoutCredentials,
  checkoutCredentials,
  environmentAt,
  environmentShown,
  isOfSandbox,
} from '../../acquirers/checkout-com/credentials.ts'
import { checkoutSandboxNumbers } from '../../acquirers/checkout-com/sandbox-numbers.ts'
import {
  type CheckAnswer,
  NotSent,
  Unanswered,
  type Wire,
  type WireAnswer,
  type WireRequest,
} from '../../vendor-wire/wire.ts'
import {
  openableFrom,
  sendOrRefuse,
  type ThreeDsConnection,
  type ThreeDsConnector,
  threeDsCredentialsOf,
} from '../connector.ts'
import { isAllowed } from '../emv/addresses.ts'
import {
  challengeForm,
  methodForm,
  readChallengeNotification,
  readMethodNotification,
} from '../emv/browser-messages.ts'
import { unavailable } from '../emv/outcome.ts'
import { openReporting } from '../reporting.ts'
import {
  type AuthenticationAnswer,
  type AuthenticationRequest,
  type FetchedThreeDs,
  ProviderUnavailable,
  type ResultMessage,
  type UnavailableCause,
} from '../three-ds.ts'
import { collectRequest, createRequest, fingerprintRequest, readRequest } from './requests.ts'
import {
  answerWords,
  challengeOutcomeOf,
  isShort,
  refuseTurnedAway,
  sessionIn,
  sessionOutcomeOf,
  type TheirSession,
  wants,
} from './session.ts'

export const checkoutSessions: ThreeDsConnector<CheckoutCredentials> = {
  name: 'checkout-sessions',
  credentials: checkoutCredentials,
  isOfSandbox,
  environmentShown,
  environmentAt,
  sandbox_numbers: checkoutSandboxNumbers,
  // The vendor asks in the name of its own acquirer.
  needs_acquirer_ids: false,
  openThreeDs,
  check,
}

type OwnConnection = ThreeDsConnection<CheckoutCredentials>

/** How often a session that is still at work is read again, after a pause. */
const reads = 2
const pause_ms = 1_000

function openThreeDs(connection: OwnConnection): FetchedThreeDs {
  const reporting = openReporting(connection)
  return {
    results: 'fetched',
    name: connection.name,
    methodForm,
    readMethodNotification,
    challengeForm,
    readChallengeNotification,
    // Only a new session shows whether the card is enrolled. The session reports the version that it used.
    enrolment: async () => ({ enrolled: true, version: '2.2.0', method_url: null }),
    authenticate: (request) => reporting('authenticate', () => authenticate(connection, request)),
    fetchResult: ({ handle }) => reporting('fetch', () => fetchResult(connection, handle ?? '')),
  }
}

async function authenticate(connection: OwnConnection, request: AuthenticationRequest): Promise<AuthenticationAnswer> {
  const { name, world } = connection
  const credentials = await threeDsCredentialsOf(connection)
  const session = await runSession(connection, request, credentials)
  const refused = (cause: UnavailableCause, reason: string, handle?: string) => {
    const { server_transaction_id } = request
    const fields = { connection: name, server_transaction_id, cause, reason }
    world.log.warn(fields, 'authentication unavailable')
    return {
      ...noIds,
      ...(handle && { handle }),
      kind: 'outcome',
      outcome: unavailable(cause),
    } as const
  }
  if (typeof session === 'string') return refused('timeout', session)
  const { id: handle, acs, ds, transaction_id, protocol_version, cardholder_info } = session
  const ids = {
    handle,
    ...(protocol_version && { version: protocol_version }),
    ...(transaction_id && { server_transaction_id: transaction_id.toLowerCase() }),
    ds_transaction_id: ds?.transaction_id ?? null,
    acs_transaction_id: acs?.transaction_id ?? null,
    cardholder_info: cardholder_info ?? null,
  }
  const standing = sessionOutcomeOf(session)
  if (standing === 'expired') return refused('timeout', 'the session has expired', handle)
  if (standing !== 'waits') return { ...ids, kind: 'outcome', outcome: standing }
  if (!wants(session, 'challenge_cardholder')) {
    return refused('timeout', `the session stays ${session.status}`, handle)
  }
  const { ds_transaction_id, acs_transaction_id } = ids
  const acs_url = acs?.url ?? ''
  const is_whole = ds_transaction_id !== null && acs_transaction_id !== null && transaction_id
  if (!is_whole) return refused('invalid_answer', 'a challenge without its ids', handle)
  if (!isAllowed(acs_url, openableFrom(apiUrlOf(credentials)))) {
    return refused('invalid_answer', 'acs.url not allowed', handle)
  }
  return { ...ids, kind: 'challenge', ds_transaction_id, acs_transaction_id, acs_url }
}

const noIds = { ds_transaction_id: null, acs_transaction_id: null, cardholder_info: null }

/**
 * The session once it waits for no further call of ours. A text says why there is none, although the bank may have been
 * asked.
 */
async function runSession(
  { wire, world }: OwnConnection,
  request: AuthenticationRequest,
  credentials: CheckoutCredentials,
): Promise<TheirSession | string> {
  const call = async (wireRequest: WireRequest): Promise<TheirSession | string> => {
    const answer = await answerTo(wire, wireRequest)
    return typeof answer === 'string' ? answer : (sessionIn(answer) ?? answerWords(answer))
  }
  let session = await call(createRequest(request, credentials))
  if (typeof session !== 'string' && wants(session, 'collect_channel_data')) {
    session = await call(collectRequest(session.id, request.browser, credentials))
  }
  if (typeof session !== 'string' && wants(session, 'issuer_fingerprint')) {
    session = await call(fingerprintRequest(session.id, credentials))
  }
  for (let round = 0; round < reads && typeof session !== 'string'; round++) {
    const is_at_work = sessionOutcomeOf(session) === 'waits' && !wants(session, 'challenge_cardholder')
    const is_short: boolean = round === 0 && isShort(session)
    if (!is_at_work && !is_short) break
    if (is_at_work) await world.clock.sleep(pause_ms)
    const update = await call(readRequest(session.id, credentials))
    // The bank's word stands, even if the rest cannot be read.
    if (is_short && typeof update === 'string') break
    session = update
  }
  return session
}

/** A text for a silence behind which the bank may have been asked. Throws ProviderUnavailable if it was not. */
async function answerTo(wire: Wire, request: WireRequest): Promise<WireAnswer | string> {
  try {
    const answer = await wire.send(request)
    if (request.method === 'POST') refuseTurnedAway(answer)
    return answer
  } catch (error) {
    if (error instanceof Unanswered) return error.message
    if (!(error instanceof NotSent)) throw error
    if (request.method === 'POST') throw new ProviderUnavailable(error.message)
    return error.message
  }
}

async function fetchResult(connection: OwnConnection, handle: string): Promise<ResultMessage | 'not_yet' | 'gone'> {
  const credentials = await threeDsCredentialsOf(connection)
  const answer = await sendOrRefuse(connection.wire, readRequest(handle, credentials))
  if (answer.status === 404) return 'gone'
  const session = sessionIn(answer)
  if (!session || session.id !== handle) throw new ProviderUnavailable(answerWords(answer))
  const standing = challengeOutcomeOf(session)
  if (standing === 'waits') return 'not_yet'
  if (standing === 'expired') return 'gone'
  const { transaction_id, acs, ds, protocol_version } = session
  return {
    server_transaction_id: (transaction_id ?? '').toLowerCase(),
    acs_transaction_id: acs?.transaction_id ?? '',
    ds_transaction_id: ds?.transaction_id ?? '',
    version: protocol_version ?? '',
    outcome: standing,
  }
}

/** An id that no session has: the answer "not found" shows that the key may read sessions. */
const nobodys_id = `sid_${'0'.repeat(26)}`

async function check(request: { credentials: CheckoutCredentials; wire: Wire }): Promise<CheckAnswer> {
  try {
    const answer = await request.wire.send(readRequest(nobodys_id, request.credentials))
    if (answer.status === 404) return { result: 'works', notes: [] }
    return { result: 'fails', reason: `Checkout.com: ${answerWords(answer)}` }
  } catch (error) {
    return { result: 'fails', reason: `Checkout.com: ${(error as Error).message}` }
  }
}
