// The simulated bank in the shopper's browser: its method page, its challenge, and the return to our page.

import type { PeerAnswer } from '../../kernel/peer.ts'
import { decode, encode } from '../emv/base64url.ts'
import { readJson } from '../emv/json.ts'
import { erro, type Message, readMessage } from '../emv/messages.ts'
import { transactionIdOf } from '../emv/transaction-id.ts'
import type { AccessControlServer } from './access-control-server.ts'
import { codePage, noticePage, submittingPage } from './pages.ts'
import { automaticEnding, endings } from './risk.ts'
import type { Transaction } from './transactions.ts'

const code = '1234'
const tries_at_most = 3
const late_result_ms = 20_000
/** EMVCo's limit for threeDSSessionData. */
const session_data_characters_max = 1024

/** The simulator's mount, and the start of the addresses to which it sends browsers back. */
type At = { public_url: string; pages_url: string }

/** The method page, which reports back at once or never. */
export function methodPage(
  fields: URLSearchParams,
  { silent, pages_url }: { silent: boolean } & At,
): PeerAnswer {
  const text = decode(fields.get('threeDSMethodData') ?? '')
  const read = text === null ? null : readJson(text)
  const asked = read && 'object' in read ? read.object : {}
  const id = transactionIdOf(asked.threeDSServerTransID)
  const target = String(asked.threeDSMethodNotificationURL ?? '')
  if (!id || !isBelow(pages_url, target)) {
    return noticePage(400, 'This is not a 3DS Method request.')
  }
  if (silent) return noticePage(200, 'This bank never answers its 3DS Method.')
  const data = encode(JSON.stringify({ threeDSServerTransID: id }))
  return submittingPage({ action: target, fields: { threeDSMethodData: data } }, 'Continue')
}

/** Handles a posted CReq: opens the challenge, or shows one that is already open or over. */
export async function openChallenge(
  acs: AccessControlServer,
  fields: URLSearchParams,
  { public_url, pages_url }: At,
): Promise<PeerAnswer> {
  const text = decode(fields.get('creq') ?? '')
  const read = text === null ? null : readMessage(text, ['CReq'])
  if (!read) return noticePage(400, 'This is not a challenge request.')
  const creq = 'message' in read ? read.message : read.fault.message
  const transaction = acs.find(transactionIdOf(creq.acsTransID) ?? '')
  if (!transaction) return noticePage(400, 'This verification is not known to the bank.')
  if (!isBelow(pages_url, transaction.notification_url)) {
    return noticePage(400, 'The bank was not told how to come back.')
  }
  const session_data = fields.get('threeDSSessionData') ?? ''
  if (session_data.length > session_data_characters_max) {
    return noticePage(400, 'This is more than a bank keeps for a 3DS Server.')
  }
  transaction.session_data = session_data || null
  if ('fault' in read) return erroPage(transaction, erro('A', read.fault))
  const fault = faultOfCReq(transaction, read.message)
  if (fault) return erroPage(transaction, erro('A', { ...fault, message: read.message }))
  const first = !transaction.opened
  transaction.opened = true
  if (transaction.ended) return endPage(transaction)
  const ending = automaticEnding(transaction.behaviour)
  if (!ending) {
    if (first) acs.waitForAnswer(transaction)
    return codePage(transaction, { action: actionOf(transaction, public_url), error: null })
  }
  void acs.end(transaction, ending, isLate(transaction) ? late_result_ms : 0)
  return endPage(transaction)
}

/** Handles the answer of the page that asks for the code. */
export async function answerChallenge(
  acs: AccessControlServer,
  acs_transaction_id: string,
  fields: URLSearchParams,
  { public_url }: At,
): Promise<PeerAnswer> {
  const transaction = acs.find(transactionIdOf(acs_transaction_id) ?? '')
  if (!transaction?.opened) return noticePage(400, 'This verification is not known to the bank.')
  if (transaction.ended) return endPage(transaction)
  if (fields.get('action') === 'cancel') {
    void acs.end(transaction, endings.cancelled)
    return endPage(transaction)
  }
  transaction.tries += 1
  const passed = (fields.get('code') ?? '').trim() === code
  if (passed || transaction.tries >= tries_at_most) {
    void acs.end(transaction, passed ? endings.passed : endings.too_many_tries)
    return endPage(transaction)
  }
  acs.waitForAnswer(transaction)
  const left = tries_at_most - transaction.tries
  const error = `That code is wrong. ${left} ${left === 1 ? 'try' : 'tries'} left.`
  return codePage(transaction, { action: actionOf(transaction, public_url), error })
}

function faultOfCReq(transaction: Transaction, creq: Message) {
  if (transactionIdOf(creq.threeDSServerTransID) !== transaction.server_transaction_id) {
    return { code: '301', detail: 'threeDSServerTransID' }
  }
  if (creq.messageVersion !== transaction.version) return { code: '203', detail: 'messageVersion' }
  const too_late = transaction.ended !== null && !transaction.opened
  return too_late ? { code: '402', detail: 'the challenge was not opened in time' } : null
}

/** The return: the browser posts the CRes to the 3DS Server's page after the RReq was sent. */
async function endPage(transaction: Transaction): Promise<PeerAnswer> {
  if (!isLate(transaction)) await transaction.delivered
  const cres = {
    messageType: 'CRes',
    messageVersion: transaction.version,
    threeDSServerTransID: transaction.server_transaction_id,
    acsTransID: transaction.acs_transaction_id,
    challengeCompletionInd: 'Y',
    transStatus: transaction.ended,
  }
  return back(transaction, { cres: encode(JSON.stringify(cres)) })
}

function isLate({ behaviour }: Transaction): boolean {
  return behaviour === 'challenge_late_result'
}

function erroPage(transaction: Transaction, text: string): PeerAnswer {
  return back(transaction, { erro: encode(text) })
}

function back(transaction: Transaction, fields: Record<string, string>): PeerAnswer {
  const { session_data, notification_url } = transaction
  const all = session_data ? { ...fields, threeDSSessionData: session_data } : fields
  return submittingPage({ action: notification_url, fields: all }, 'Continue')
}

function actionOf(transaction: Transaction, public_url: string): string {
  return `${public_url}/acs/challenge/${transaction.acs_transaction_id}`
}

/** Whether an address exactly belongs to these pages: dots or a line break in it may lead elsewhere. */
function isBelow(pages_url: string, address: string): boolean {
  if (!address.startsWith(pages_url)) return false
  return /^[\w-]+(?:\/[\w-]+)*$/.test(address.slice(pages_url.length))
}
