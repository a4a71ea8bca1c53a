// 3dsecure.io as a 3-D Secure provider: a 3DS Server that speaks EMVCo's messages and keeps the results for us to fetch.

import { type CheckAnswer, NotSent, Unanswered, type Wire, type WireRequest } from '../../vendor-wire/wire.ts'
import {
  openableFrom,
  sendOrRefuse,
  type ThreeDsConnection,
  type ThreeDsConnector,
  threeDsCredentialsOf,
} from '../connector.ts'
import { judgeAnswer } from '../emv/authenticate.ts'
import {
  challengeForm,
  methodForm,
  readChallengeNotification,
  readMethodNotification,
} from '../emv/browser-messages.ts'
import type { DirectoryAnswer } from '../emv/directory-server.ts'
import type { Message } from '../emv/messages.ts'
import { openReporting } from '../reporting.ts'
import { type FetchedThreeDs, ProviderUnavailable } from '../three-ds.ts'
import { readAuth, readPostauth, readPreauth } from './answers.ts'
import { apiUrlOf, environmentAt, type ThreeDsecureIoCredentials, threeDsecureIoCredentials } from './credentials.ts'
import { authRequest, postauthRequest, preauthRequest, type ThreeDsecureIoAccount } from './requests.ts'

/**
 * Numbers for 3dsecure.io's sandbox. The vendor publishes how the last four digits behave (docs.3dsecure.io,
 * "Sandbox Testcases", 2026-05-12); the others are those of its Visa example, but for two that make the Luhn check
 * hold.
 */
const threeDsecureIoSandboxNumbers: readonly string[] = [
  // Authenticated: 2.2.0, 2.1.0 without a 3DS Method, one whose 3DS Method is silent.
  ...['4000100511132003', '4000100511141103', '4000100511150203'],
  // N, A, R, I, U, and a Directory Server that is silent.
  ...['4000100511112013', '4000100511192023', '4000100511172033'],
  ...['4000100511152043', '4000100511122053', '4000100511102063'],
  // A challenge that is passed, that is failed, and that is answered by hand.
  ...['4000100511112070', '4000100511102071', '4000100511192072'],
]

export const threeDsecureIo: ThreeDsConnector<ThreeDsecureIoCredentials> = {
  name: '3dsecureio',
  credentials: threeDsecureIoCredentials,
  environmentAt,
  sandbox_numbers: threeDsecureIoSandboxNumbers,
  needs_acquirer_ids: true,
  openThreeDs,
  check,
}

/**
 * The vendor forgets an id 80 s after it gave it out: docs.3dsecure.io, `/preauth`, 2026-05-12. Some seconds are left for the AReq to
 * arrive.
 */
const transaction_life_ms = 75_000

type OwnConnection = ThreeDsConnection<ThreeDsecureIoCredentials>

function openThreeDs(connection: OwnConnection): FetchedThreeDs {
  const { name, world } = connection
  const reporting = openReporting(connection)
  return {
    results: 'fetched',
    name,
    methodForm,
    readMethodNotification,
    challengeForm,
    readChallengeNotification,
    enrolment: ({ number }) =>
      reporting('preauth', async () => {
        const account = await accountOf(connection)
        // The vendor's count begins after this moment.
        const asked_ms = world.clock.now().getTime()
        const answer = await sendOrRefuse(connection.wire, preauthRequest(number, account))
        const range = readPreauth(answer, openableFrom(apiUrlOf(account.credentials, account.mode)))
        if (range === 'not_enrolled') return { enrolled: false }
        const { server_transaction_id, version, method_url } = range
        const usable_until = new Date(asked_ms + transaction_life_ms)
        const transaction = { server_transaction_id, usable_until }
        return { enrolled: true, version, method_url, transaction }
      }),
    authenticate: (request) =>
      reporting('auth', async () => {
        const account = await accountOf(connection)
        const wireRequest = authRequest(request, account)
        const answer = await answerTo(connection, wireRequest)
        const areq = JSON.parse(wireRequest.body!) as Message
        const judgement = judgeAnswer(areq, answer, openableFrom(apiUrlOf(account.credentials, account.mode)))
        if (judgement.refused) {
          const { server_transaction_id } = request
          const fields = { connection: name, server_transaction_id, ...judgement.refused }
          world.log.warn(fields, 'authentication unavailable')
        }
        return judgement.answer
      }),
    fetchResult: ({ server_transaction_id }) =>
      reporting('postauth', async () => {
        const account = await accountOf(connection)
        const wireRequest = postauthRequest(server_transaction_id, account)
        return readPostauth(await sendOrRefuse(connection.wire, wireRequest))
      }),
  }
}

async function accountOf(connection: OwnConnection): Promise<ThreeDsecureIoAccount> {
  const credentials = await threeDsCredentialsOf(connection)
  return { credentials, mode: connection.mode === 'live' ? 'live' : 'sandbox' }
}

/**
 * A silence after the AReq left may hide an authentication, so it counts as an answer. Before that, the bank was not
 * asked.
 */
async function answerTo({ wire }: OwnConnection, request: WireRequest): Promise<DirectoryAnswer> {
  try {
    return readAuth(await wire.send(request))
  } catch (error) {
    if (error instanceof Unanswered) return { silent: error.message }
    if (error instanceof NotSent) throw new ProviderUnavailable(error.message)
    throw error
  }
}

/** The number that the vendor publishes as not enrolled; it is no card. */
const nobodys_number = '9000100111111111'

async function check(request: ThreeDsecureIoAccount & { wire: Wire }): Promise<CheckAnswer> {
  const { wire, ...account } = request
  try {
    const answer = await wire.send(preauthRequest(nobodys_number, account))
    readPreauth(answer, openableFrom(apiUrlOf(account.credentials, account.mode)))
    return { result: 'works', notes: [] }
  } catch (error) {
    return { result: 'fails', reason: `3dsecure.io: ${(error as Error).message}` }
  }
}
