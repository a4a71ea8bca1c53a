// Reads the answers of 3dsecure.io. It answers in EMVCo's messages, and reports a failure by an Erro, whatever the
// status is.

import { isGood, type WireAnswer } from '../../vendor-wire/wire.ts'
import { isAllowed, type MayOpen } from '../emv/addresses.ts'
import type { DirectoryAnswer } from '../emv/directory-server.ts'
import { isObject, type JsonObject } from '../emv/json.ts'
import { readMessage } from '../emv/messages.ts'
import { resultIn } from '../emv/results.ts'
import { transactionIdOf } from '../emv/transaction-id.ts'
import { higher, highestCommon, lower, type Version } from '../emv/versions.ts'
import { ProviderUnavailable, type ResultMessage } from '../three-ds.ts'

export type CardRangeAnswer =
  | 'not_enrolled'
  | { server_transaction_id: string; version: Version; method_url: string | null }

/** Throws ProviderUnavailable if the answer says nothing about the card. */
export function readPreauth(answer: WireAnswer, mayOpen: MayOpen): CardRangeAnswer {
  if (erroCodeOf(answer) === '305') return 'not_enrolled'
  const { json } = answer
  const server_transaction_id = transactionIdOf(json?.threeDSServerTransID)
  if (!isGood(answer) || json?.messageType !== 'CRD' || server_transaction_id === null) {
    throw new ProviderUnavailable(answerWords(answer))
  }
  const [start, end] = [commonEnd(json, 'Start', higher), commonEnd(json, 'End', lower)]
  if (start === null || end === null) {
    throw new ProviderUnavailable('its answer names no versions')
  }
  const version = highestCommon(start, end)
  if (version === null) return 'not_enrolled'
  const method_url = methodUrlOf(json, version)
  const usable = method_url !== null && isAllowed(method_url, mayOpen)
  return { server_transaction_id, version, method_url: usable ? method_url : null }
}

/** The ARes or Erro. Throws ProviderUnavailable if the vendor rejected the call itself; the bank then heard nothing. */
export function readAuth(answer: WireAnswer): DirectoryAnswer {
  if (isTurnedAway(answer)) throw new ProviderUnavailable(answerWords(answer))
  const code = erroCodeOf(answer)
  if (code === '402' || code === '405') {
    return { silent: `the Directory Server did not answer (Erro ${code})` }
  }
  if (code === null && (!isGood(answer) || answer.json === null)) {
    return { silent: `an answer outside the protocol, status ${answer.status}` }
  }
  return readMessage(padded(answer.text), ['ARes'])
}

/** Throws ProviderUnavailable if the answer says nothing about the result. */
export function readPostauth(answer: WireAnswer): ResultMessage | 'not_yet' | 'gone' {
  const code = erroCodeOf(answer)
  if (code === '305') return 'not_yet'
  if (code === '203') return 'gone'
  if (code !== null || !isGood(answer) || answer.json === null) {
    throw new ProviderUnavailable(answerWords(answer))
  }
  const reading = readMessage(padded(answer.text), ['RReq'])
  if ('fault' in reading) {
    throw new ProviderUnavailable(`its RReq is not valid: ${reading.fault.code} ${reading.fault.detail}`)
  }
  return resultIn(reading.message)
}

/** Whether the call was rejected unread: a wrong key, a closed account, too many calls. */
function isTurnedAway({ status }: WireAnswer): boolean {
  return status === 401 || status === 403 || status === 429
}

/** The code of an Erro; null if the answer is none. */
export function erroCodeOf({ json }: WireAnswer): string | null {
  if (json?.messageType !== 'Erro') return null
  return /^\d{3}$/.test(String(json.errorCode)) ? String(json.errorCode) : 'without a code'
}

/** A description for the log. It repeats no words of the vendor, because they may contain what we sent. */
export function answerWords(answer: WireAnswer): string {
  const code = erroCodeOf(answer)
  if (answer.status === 401) return 'its credentials were refused (401)'
  if (code !== null) return `it answered Erro ${code} (status ${answer.status})`
  const form = answer.json === null ? 'not JSON' : 'not the expected message'
  return `its answer is ${form} (status ${answer.status})`
}

/** The first or last version that the ACS and, if it says so, the Directory Server support. */
function commonEnd(crd: JsonObject, end: 'Start' | 'End', narrower: (a: string, b: string) => string): string | null {
  const acs = versionIn(crd[`acs${end}ProtocolVersion`])
  const ds = versionIn(crd[`ds${end}ProtocolVersion`])
  return acs !== null && ds !== null ? narrower(acs, ds) : acs
}

function versionIn(value: unknown): string | null {
  return typeof value === 'string' && /^\d{1,2}\.\d{1,2}\.\d{1,2}$/.test(value) ? value : null
}

/** The method page of the version; if the ACS does not have one for each version, its only one. */
function methodUrlOf(crd: JsonObject, version: Version): string | null {
  const entries = Array.isArray(crd.acsProtocolVersions) ? crd.acsProtocolVersions : []
  const own = entries.find((each) => isObject(each) && each.version === version)?.threeDSMethodURL
  const url = own ?? crd.threeDSMethodURL
  return typeof url === 'string' && url.length <= 256 ? url : null
}

/** The vendor's sandbox leaves out the padding that EMVCo wants in base64. */
function padded(text: string): string {
  return text.replace(/("authenticationValue"\s*:\s*"[A-Za-z0-9+/]{27})"/, '$1="')
}
