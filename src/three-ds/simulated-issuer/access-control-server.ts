// The simulated ACS: answers AReqs, runs challenges, and sends their results through the Directory Server.

import { createHmac, type KeyObject } from 'node:crypto'
import { testCardOf } from '../../cards/test-cards.ts'
import type { Brand } from '../../kernel/values.ts'
import { type Message, present } from '../emv/messages.ts'
import { newTransactionId, transactionIdOf } from '../emv/transaction-id.ts'
import type { Version } from '../emv/versions.ts'
import { openAlarms } from './alarms.ts'
import {
  type Challenge,
  type ChallengeChanges,
  changesWhenOverdue,
  changesWhenSent,
  firstDue,
  isSent,
  keep_ms,
  result_tries,
} from './challenges.ts'
import type { SimulatorOptions } from './options.ts'
import { decideRisk } from './risk.ts'
import { idsOf, proofOf, sendResult } from './send-result.ts'

export type AccessControlServer = {
  /** Answers an AReq for a test card, which the Directory Server has validated. */
  answer(areq: Message): Promise<Message>
  find(acs_transaction_id: string): Promise<Challenge | null>
  /**
   * Changes a challenge by the result of `next`, and then does what the new state requires: waits, or sends the result.
   * If another process changes the challenge first, `next` is called again. Null from `next` changes nothing. Returns
   * null if there is no such challenge.
   */
  step(acs_transaction_id: string, next: Next): Promise<Challenge | null>
  /** Resolves once any process has sent the result for the first time. */
  delivered(challenge: Challenge): Promise<void>
  /** Takes over challenges whose process has gone. Returns how many they were. */
  endDue(): Promise<number>
  close(): void
}

type Next = (challenge: Challenge) => ChallengeChanges | null

type AcsOptions = Pick<SimulatorOptions, 'world' | 'base_url' | 'public_url' | 'headers' | 'signing_key' | 'challenges'>

const retry_after_ms = 10_000
/** The process that waits for a challenge comes first. */
const overdue_after_ms = 5_000
const overdue_max = 100
const look_ms = 250
const looks = 20

export function openAccessControlServer(options: AcsOptions): AccessControlServer {
  const { world, challenges } = options
  const { clock, log } = world
  const closing = new AbortController()
  const alarms = openAlarms(world)
  const sending = new Map<string, Promise<void>>()

  async function find(acs_transaction_id: string): Promise<Challenge | null> {
    const challenge = await challenges.find(acs_transaction_id)
    const old_ms = clock.now().getTime() - keep_ms
    return challenge && challenge.created_at.getTime() > old_ms ? challenge : null
  }

  async function step(acs_transaction_id: string, next: Next): Promise<Challenge | null> {
    for (;;) {
      const challenge = await find(acs_transaction_id)
      const changes = challenge && next(challenge)
      if (!challenge || !changes || Object.keys(changes).length === 0) return challenge
      const current = await challenges.change(challenge, changes)
      if (!current) continue
      follow(current)
      return current
    }
  }

  /** After a change of this process. */
  function follow(challenge: Challenge): void {
    const { acs_transaction_id: id } = challenge
    alarms.cancel(id)
    if (challenge.due_at === null) return
    if (!isSent(challenge)) {
      waitUntilDue(challenge, challenge.due_at)
      return
    }
    const completion = send(challenge)
      // The job that takes over overdue challenges sends it again.
      .catch((error: Error) => log.warn({ error: error.message }, 'simulated result not noted'))
      .finally(() => sending.delete(id))
    sending.set(id, completion)
  }

  function waitUntilDue({ acs_transaction_id }: Challenge, due_at: Date): void {
    const whenDue = () => {
      // A timer may end a moment early.
      const now = new Date(Math.max(clock.now().getTime(), due_at.getTime()))
      return step(acs_transaction_id, (challenge) => changesWhenOverdue(challenge, now))
    }
    alarms.set(acs_transaction_id, due_at.getTime() - clock.now().getTime(), whenDue)
  }

  /** Sends the result once. If it was not answered, further tries follow after this has resolved. */
  async function send(challenge: Challenge): Promise<void> {
    const { acs_transaction_id: id, sends_left } = challenge
    const has_arrived = await sendResult(options, challenge)
    if (!has_arrived && sends_left > 0) {
      const again: Next = (current) => (current.due_at === null ? null : changesWhenSent(current, clock.now()))
      alarms.set(id, retry_after_ms, () => step(id, again))
      return
    }
    if (!has_arrived) log.warn({ acs_transaction_id: id }, 'an RReq was given up')
    await challenges.change(challenge, { due_at: null })
  }

  async function delivered({ acs_transaction_id }: Challenge): Promise<void> {
    const own = sending.get(acs_transaction_id)
    if (own) return own
    for (let look = 0; look < looks; look += 1) {
      const challenge = await find(acs_transaction_id)
      if (!challenge?.due_at) return
      await clock.sleep(look_ms, closing.signal).catch(() => {})
    }
  }

  async function answer(areq: Message): Promise<Message> {
    const challenge = newChallenge(options, areq)
    const decision = decideRisk(challenge.behaviour, challenge.version)
    if (decision.status === 'C' && !decision.unsafe) {
      await challenges.insert(challenge)
      follow(challenge)
    }
    return buildARes(options, areq, challenge)
  }

  async function endDue(): Promise<number> {
    const before = new Date(clock.now().getTime() - overdue_after_ms)
    const overdueChallenges = await challenges.listDue(before, overdue_max)
    for (const { acs_transaction_id } of overdueChallenges) {
      await step(acs_transaction_id, (challenge) => changesWhenOverdue(challenge, before))
      await sending.get(acs_transaction_id)
    }
    return overdueChallenges.length
  }

  function close(): void {
    closing.abort()
    alarms.close()
  }

  return { answer, find, step, delivered, endDue, close }
}

function newChallenge({ world, signing_key }: AcsOptions, areq: Message): Challenge {
  const text = (name: string) => areq[name] as string
  const card = testCardOf(text('acctNumber'))!
  const acs_transaction_id = newTransactionId(world.random)
  const about = { acs_transaction_id, number: text('acctNumber'), amount: text('purchaseAmount') }
  const created_at = world.clock.now()
  return {
    server_transaction_id: transactionIdOf(areq.threeDSServerTransID)!,
    acs_transaction_id,
    ds_transaction_id: text('dsTransID'),
    version: areq.messageVersion as Version,
    behaviour: card.three_ds,
    merchant_name: text('merchantName'),
    amount: about.amount,
    currency: text('purchaseCurrency'),
    exponent: Number(areq.purchaseExponent),
    notification_url: text('notificationURL'),
    authentication_value: authenticationValue(signing_key, { ...about, brand: card.brand }),
    eci: eciOf(card.brand, card.three_ds === 'attempted' ? 'A' : 'Y'),
    created_at,
    opened: false,
    tries: 0,
    session_data: null,
    ending: card.three_ds === 'challenge_abandoned' ? 'never_answered' : 'never_opened',
    has_ended: false,
    due_at: firstDue(created_at),
    sends_left: result_tries,
    revision: 0,
  }
}

function buildARes({ public_url }: AcsOptions, areq: Message, challenge: Challenge): Message {
  const decision = decideRisk(challenge.behaviour, challenge.version)
  const proven = decision.status === 'Y' || decision.status === 'A'
  return {
    ...idsOf(challenge),
    messageType: 'ARes',
    messageVersion: challenge.version,
    dsReferenceNumber: areq.dsReferenceNumber,
    acsReferenceNumber: 'RIPPER-SIMULATED-ACS',
    acsOperatorID: 'RIPPER-SIMULATOR',
    transStatus: decision.status,
    ...(proven ? proofOf(challenge) : {}),
    ...('reason' in decision ? { transStatusReason: decision.reason } : {}),
    ...('reason' in decision ? present('cardholderInfo', decision.cardholder_info) : {}),
    ...(decision.status === 'C'
      ? {
          acsURL: decision.unsafe ? 'javascript:alert(1)' : `${public_url()}/acs/challenge`,
          acsChallengeMandated: 'Y',
          authenticationType: '02',
        }
      : {}),
  }
}

/** 20 bytes in base64. Mastercard's begin with `k`. */
export function authenticationValue(
  signing_key: Buffer | KeyObject,
  about: { acs_transaction_id: string; number: string; amount: string; brand: Brand },
): string {
  const { acs_transaction_id, number, amount, brand } = about
  const mac = createHmac('sha256', signing_key).update(`${acs_transaction_id}|${number}|${amount}`)
  const value = mac.digest().subarray(0, 20)
  // Six bits make a base64 letter, and 100100 makes `k`.
  if (brand === 'mastercard') value[0] = 0b10010000 | (value[0]! & 0b11)
  return value.toString('base64')
}

export function eciOf(brand: Brand, status: 'Y' | 'A'): string {
  if (brand === 'mastercard') return status === 'Y' ? '02' : '01'
  return status === 'Y' ? '05' : '06'
}
