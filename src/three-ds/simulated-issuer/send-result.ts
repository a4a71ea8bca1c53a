// Sends the result of a simulated challenge, an RReq, to the Directory Server.

import { type Message, present, readMessage } from '../emv/messages.ts'
import type { Challenge } from './challenges.ts'
import type { SimulatorOptions } from './options.ts'
import { endingOf } from './risk.ts'

const rres_timeout_ms = 5_000

/** Whether the result has arrived, or was refused for good. */
export async function sendResult(
  { world, base_url, headers: marks }: Pick<SimulatorOptions, 'world' | 'base_url' | 'headers'>,
  challenge: Challenge,
): Promise<boolean> {
  const body = JSON.stringify(buildRReq(challenge))
  const headers = { ...marks, 'content-type': 'application/json; charset=utf-8' }
  const request = { url: `${base_url()}/ds`, headers, body, timeout_ms: rres_timeout_ms }
  try {
    return isFinal((await world.http.post(request)).body)
  } catch {
    return false
  }
}

/** Whether the Directory Server reached the 3DS Server. Its own Erro 405 means that it did not. */
function isFinal(body: string): boolean {
  const reading = readMessage(body, ['RRes'])
  return 'message' in reading && reading.message.errorCode !== '405'
}

function buildRReq(challenge: Challenge): Message {
  const ending = endingOf(challenge.ending)
  const has_type = ending.status === 'Y' || ending.status === 'N'
  return {
    ...idsOf(challenge),
    messageType: 'RReq',
    messageVersion: challenge.version,
    messageCategory: '01',
    transStatus: ending.status,
    ...present('transStatusReason', ending.reason),
    ...present('challengeCancel', ending.cancel),
    ...(ending.status === 'Y' ? proofOf(challenge) : {}),
    ...(has_type ? { authenticationType: '02' } : {}),
    interactionCounter: String(Math.min(challenge.tries, 99)).padStart(2, '0'),
  }
}

export function proofOf({ authentication_value, eci }: Challenge) {
  return { authenticationValue: authentication_value, eci }
}

export function idsOf(challenge: Challenge) {
  return {
    threeDSServerTransID: challenge.server_transaction_id,
    acsTransID: challenge.acs_transaction_id,
    dsTransID: challenge.ds_transaction_id,
  }
}
