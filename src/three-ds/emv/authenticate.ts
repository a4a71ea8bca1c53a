// Sends an AReq and judges the answer. It returns only a final status or a challenge.

import type { Mode } from '../../kernel/values.ts'
import type { World } from '../../kernel/world.ts'
import {
  type AuthenticationAnswer,
  type AuthenticationOutcome,
  type AuthenticationRequest,
  ProviderUnavailable,
  type UnavailableCause,
} from '../three-ds.ts'
import { isAllowed, type MayOpen } from './addresses.ts'
import { buildAReq, type ServerIdentity } from './areq.ts'
import { askDirectoryServer, type DirectoryAnswer, type DirectoryServer } from './directory-server.ts'
import type { JsonObject } from './json.ts'
import { type Message, messageFault } from './messages.ts'
import { outcomeIn, unavailable } from './outcome.ts'
import { transactionIdOf } from './transaction-id.ts'

type Sender = { mode: Mode; world: World; identity: ServerIdentity; mayOpen: MayOpen }

export async function sendAReq(
  sender: Sender,
  server: DirectoryServer,
  request: AuthenticationRequest,
): Promise<AuthenticationAnswer> {
  const { log } = sender.world
  const areq = buildAReq(request, sender)
  const own = messageFault(areq)
  if (own) {
    log.error({ fields: own.fields, server_transaction_id: request.server_transaction_id }, 'AReq')
    throw new ProviderUnavailable(`our AReq is not valid: ${own.fields.join(', ')}`)
  }
  const judgement = judgeAnswer(areq, await askDirectoryServer(sender.world, server, areq, 'ARes'), sender.mayOpen)
  if (judgement.refused) {
    log.warn(
      { server_transaction_id: request.server_transaction_id, ...judgement.refused },
      'authentication unavailable',
    )
  }
  return judgement.answer
}

/** The meaning of an answer. `refused` contains what the log may say about an unusable one. */
export function judgeAnswer(
  areq: Message,
  answer: DirectoryAnswer,
  mayOpen: MayOpen,
): { answer: AuthenticationAnswer; refused?: { cause: UnavailableCause; reason: string } } {
  if ('silent' in answer) return refused('timeout', answer.silent)
  if ('fault' in answer) {
    const { code, detail, message } = answer.fault
    const refusal = refused('invalid_answer', `${code}: ${detail}`, message)
    return {
      ...refusal,
      answer: { ...refusal.answer, outcome: standingNo(message) ?? refusal.answer.outcome },
    }
  }
  const ares = answer.message
  if (ares.messageType === 'Erro') {
    const code = /^\d{3}$/.test(String(ares.errorCode)) ? ares.errorCode : 'without a code'
    return refused('error', `Erro ${code}`, ares)
  }
  const own_id = transactionIdOf(areq.threeDSServerTransID)
  if (transactionIdOf(ares.threeDSServerTransID) !== own_id) {
    return refused('invalid_answer', 'another transaction')
  }
  if (ares.messageVersion !== areq.messageVersion) {
    return refused('invalid_answer', 'another message version', ares)
  }
  if (ares.transStatus === 'D') {
    return refused('invalid_answer', 'decoupled authentication, not asked for', ares)
  }
  if (ares.transStatus !== 'C') {
    return { answer: { ...idsOf(ares), kind: 'outcome', outcome: outcomeIn(ares) } }
  }
  if (!isAllowed(ares.acsURL as string, mayOpen)) {
    return refused('invalid_answer', 'acsURL not allowed', ares)
  }
  return {
    answer: {
      ...idsOf(ares),
      kind: 'challenge',
      acs_transaction_id: transactionIdOf(ares.acsTransID)!,
      ds_transaction_id: transactionIdOf(ares.dsTransID)!,
      acs_url: ares.acsURL as string,
    },
  }
}

/** A bank's refusal counts even if other fields are missing: read as "unavailable", the card might be charged after all. */
function standingNo(ares: JsonObject): AuthenticationOutcome | null {
  const says_no = ares.messageType === 'ARes' && /^[NR]$/.test(String(ares.transStatus))
  if (!says_no) return null
  const status = ares.transStatus as 'N' | 'R'
  return { ...unavailable('invalid_answer'), status, unavailable_cause: null }
}

function refused(cause: UnavailableCause, reason: string, ares: Partial<Message> = {}) {
  const outcome = unavailable(cause)
  const ids = { ...idsOf(ares), cardholder_info: null }
  return { answer: { ...ids, kind: 'outcome' as const, outcome }, refused: { cause, reason } }
}

function idsOf(ares: Partial<Message>) {
  return {
    ds_transaction_id: transactionIdOf(ares.dsTransID),
    acs_transaction_id: transactionIdOf(ares.acsTransID),
    cardholder_info: (ares.cardholderInfo as string | undefined) ?? null,
  }
}
