// The messages in the shopper's browser: the 3DS Method, the CReq, and the banks' answers to them. None of them decides an
// outcome. A reader returns the transaction that a post names, or null.

import type { ThreeDs } from '../three-ds.ts'
import { decode, encode } from './base64url.ts'
import { readJsonObject } from './json.ts'
import { readMessage } from './messages.ts'
import { transactionIdOf } from './transaction-id.ts'

export const methodForm: ThreeDs['methodForm'] = (method) => ({
  action: method.method_url,
  fields: {
    threeDSMethodData: encode(
      JSON.stringify({
        threeDSServerTransID: method.server_transaction_id,
        threeDSMethodNotificationURL: method.notification_url,
      }),
    ),
  },
})

export const readMethodNotification: ThreeDs['readMethodNotification'] = (fields) => {
  const text = decode(fields.threeDSMethodData ?? '')
  const reading = text === null ? null : readJsonObject(text)
  return reading && 'object' in reading ? transactionIdOf(reading.object.threeDSServerTransID) : null
}

export const challengeForm: ThreeDs['challengeForm'] = (challenge) => ({
  action: challenge.acs_url,
  fields: {
    creq: encode(
      JSON.stringify({
        messageType: 'CReq',
        messageVersion: challenge.version,
        threeDSServerTransID: challenge.server_transaction_id,
        acsTransID: challenge.acs_transaction_id,
        challengeWindowSize: challenge.window_size,
      }),
    ),
  },
})

/** EMVCo's limit for threeDSSessionData: specification 2.2.0, annex A. */
const session_data_characters_max = 1024

/** threeDSSessionData for a text of ours, which the bank posts back unread with the CRes. Null if the text is too long for it. */
export function sessionDataOf(text: string): string | null {
  const data = encode(text)
  return data.length <= session_data_characters_max ? data : null
}

/** The text in a bank's post. It may be forged. */
export function readSessionData(fields: Record<string, string>): string | null {
  return decode(fields.threeDSSessionData ?? '')
}

export const readChallengeNotification: ThreeDs['readChallengeNotification'] = (fields) => {
  const text = decode(fields.cres ?? '')
  const reading = text === null ? null : readMessage(text, ['CRes'])
  if (!reading || !('message' in reading) || reading.message.messageType !== 'CRes') return null
  return transactionIdOf(reading.message.threeDSServerTransID)
}
