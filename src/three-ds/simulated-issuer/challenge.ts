// The simulated bank in the shopper's browser: its method page, its challenge, and the return to our page.

import type { PeerAnswer } from '../../kernel/peer.ts'
import { decode, encode } from '../emv/base64url.ts'
import { readJsonObject } from '../emv/json.ts'
import { erro, type Message, readMessage } from '../emv/messages.ts'
import { transactionIdOf } from '../emv/transaction-id.ts'
import type { AccessControlServer } from './access-control-server.ts'
import { type Challenge, changesAtEnd, changesWhenShown } from './challenges.ts'
import { codePage, noticePage, submittingPage } from './pages.ts'
import { automaticEnding, endingOf } from './risk.ts'

const code = '1234'
const tries_at_most = 3
const late_result_ms = 20_000
/** EMVCo's limit for threeDSSessionData. */
const session_data_characters_max = 1024

/** The simulator's mount, and the start of the addresses to which it sends browsers back. */
type At = { public_url: string; pages_url: string; now(): Date }

/** The method page, which reports back at once or never. */
export function bankMethodPage(fields: URLSearchParams, { silent, pages_url }: { silent: boolean } & At): PeerAnswer {
  const text = decode(fields.get('threeDSMethodData') ?? '')
  const reading = text === null ? null : readJsonObject(text)
  const methodData = reading && 'object' in reading ? reading.object : {}
  const id = transactionIdOf(methodData.threeDSServerTransID)
  const target = String(methodData.threeDSMethodNotificationURL ?? '')
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
  { public_url, pages_url, now }: At,
): Promise<PeerAnswer> {
  const text = decode(fields.get('creq') ?? '')
  const reading = text === null ? null : readMessage(text, ['CReq'])
  if (!reading) return noticePage(400, 'This is not a challenge request.')
  const creq = 'message' in reading ? reading.message : reading.fault.message
  const knownChallenge = await acs.find(transactionIdOf(creq.acsTransID) ?? '')
  if (!knownChallenge) return unknownPage()
  if (!isBelow(pages_url, knownChallenge.notification_url)) {
    return noticePage(400, 'The bank was not told how to come back.')
  }
  const session_data = fields.get('threeDSSessionData') || null
  if (session_data !== null && session_data.length > session_data_characters_max) {
    return noticePage(400, 'This is more than a bank keeps for a 3DS Server.')
  }
  const errorTarget = { ...knownChallenge, session_data }
  if ('fault' in reading) return erroPage(errorTarget, erro('A', reading.fault))
  const fault = faultOfCReq(knownChallenge, reading.message)
  if (fault) return erroPage(errorTarget, erro('A', { ...fault, message: reading.message }))
  const challenge = await acs.step(knownChallenge.acs_transaction_id, (row) => openingOf(row, session_data, now()))
  if (!challenge) return unknownPage()
  if (challenge.has_ended) return endPage(acs, challenge)
  return codePage(challenge, { action: actionOf(challenge, public_url), error: null })
}

/** The changes by a browser that brings a CReq. */
function openingOf(challenge: Challenge, session_data: string | null, now: Date) {
  if (challenge.has_ended) return null
  const opening = { opened: true, session_data }
  const ending = automaticEnding(challenge.behaviour)
  if (ending !== null) {
    return { ...opening, ...changesAtEnd(ending, now, isLate(challenge) ? late_result_ms : 0) }
  }
  return challenge.opened ? opening : { ...opening, ...changesWhenShown(challenge, now) }
}

/** Handles the answer of the page that asks for the code. */
export async function answerChallenge(
  acs: AccessControlServer,
  acs_transaction_id: string,
  fields: URLSearchParams,
  { public_url, now }: At,
): Promise<PeerAnswer> {
  const id = transactionIdOf(acs_transaction_id) ?? ''
  const answer = {
    is_cancelled: fields.get('action') === 'cancel',
    is_right: (fields.get('code') ?? '').trim() === code,
  }
  const challenge = await acs.step(id, (row) => answerOf(row, answer, now()))
  if (!challenge?.opened) return unknownPage()
  if (challenge.has_ended) return endPage(acs, challenge)
  const tries_left = tries_at_most - challenge.tries
  const error = `That code is wrong. ${tries_left} ${tries_left === 1 ? 'try' : 'tries'} left.`
  return codePage(challenge, { action: actionOf(challenge, public_url), error })
}

type Answer = { is_cancelled: boolean; is_right: boolean }

function answerOf(challenge: Challenge, { is_cancelled, is_right }: Answer, now: Date) {
  if (!challenge.opened || challenge.has_ended) return null
  if (is_cancelled) return changesAtEnd('cancelled', now)
  const tries = challenge.tries + 1
  if (is_right) return { tries, ...changesAtEnd('passed', now) }
  if (tries >= tries_at_most) return { tries, ...changesAtEnd('too_many_tries', now) }
  return { tries, ...changesWhenShown(challenge, now) }
}

function unknownPage(): PeerAnswer {
  return noticePage(400, 'This verification is not known to the bank.')
}

function faultOfCReq(challenge: Challenge, creq: Message) {
  if (transactionIdOf(creq.threeDSServerTransID) !== challenge.server_transaction_id) {
    return { code: '301', detail: 'threeDSServerTransID' }
  }
  if (creq.messageVersion !== challenge.version) return { code: '203', detail: 'messageVersion' }
  const too_late = challenge.has_ended && !challenge.opened
  return too_late ? { code: '402', detail: 'the challenge was not opened in time' } : null
}

/** The return: the browser posts the CRes to the 3DS Server's page after the RReq was sent. */
async function endPage(acs: AccessControlServer, challenge: Challenge): Promise<PeerAnswer> {
  if (!isLate(challenge)) await acs.delivered(challenge)
  const cres = {
    messageType: 'CRes',
    messageVersion: challenge.version,
    threeDSServerTransID: challenge.server_transaction_id,
    acsTransID: challenge.acs_transaction_id,
    challengeCompletionInd: 'Y',
    transStatus: endingOf(challenge.ending).cres,
  }
  return back(challenge, { cres: encode(JSON.stringify(cres)) })
}

function isLate({ behaviour }: Challenge): boolean {
  return behaviour === 'challenge_late_result'
}

function erroPage(challenge: Challenge, text: string): PeerAnswer {
  return back(challenge, { erro: encode(text) })
}

function back(challenge: Challenge, fields: Record<string, string>): PeerAnswer {
  const { session_data, notification_url } = challenge
  const all = session_data ? { ...fields, threeDSSessionData: session_data } : fields
  return submittingPage({ action: notification_url, fields: all }, 'Continue')
}

function actionOf(challenge: Challenge, public_url: string): string {
  return `${public_url}/acs/challenge/${challenge.acs_transaction_id}`
}

/** Whether an address lies below these pages: dots or a line break in it may lead elsewhere. */
function isBelow(pages_url: string, address: string): boolean {
  if (!address.startsWith(pages_url)) return false
  return /^[\w-]+(?:\/[\w-]+)*$/.test(address.slice(pages_url.length))
}
