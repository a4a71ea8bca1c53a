// The simulated ACS: answers AReqs, runs challenges, and sends their results through the Directory Server.

import { testCardOf } from '../../cards/test-cards.ts'
import { type Message, present, readMessage } from '../emv/messages.ts'
import { newTransactionId, transactionIdOf } from '../emv/transaction-id.ts'
import type { Version } from '../emv/versions.ts'
import { authenticationValue, eciOf } from './authentication-value.ts'
import type { SimulatorOptions } from './options.ts'
import { decide, type Ending, endings } from './risk.ts'
import { openTransactions, type Transaction } from './transactions.ts'

export type AccessControlServer = {
  /** Answers an AReq for a test card, which the Directory Server has validated. */
  answer(areq: Message): Message
  find(acs_transaction_id: string): Transaction | null
  /** Notes that a page was shown, and waits ten minutes for its answer. */
  waitForAnswer(transaction: Transaction): void
  /** Ends a challenge once, and resolves once its result was sent. A later call changes nothing. */
  end(transaction: Transaction, ending: Ending, delay_ms?: number): Promise<void>
  close(): void
}

type AcsOptions = Pick<
  SimulatorOptions,
  'world' | 'base_url' | 'public_url' | 'headers' | 'signing_key'
>

const first_creq_ms = 30_000
const page_ms = 600_000
const rres_timeout_ms = 5_000
const retry_after_ms = 10_000
const result_tries = 5

export function openAccessControlServer(options: AcsOptions): AccessControlServer {
  const { world } = options
  const transactions = openTransactions(world.clock)

  /** Ends the challenge after this time, unless the timer is restarted or the challenge ends before. */
  function endAfter(transaction: Transaction, duration_ms: number, ending: Ending): void {
    const timer = renewed(transaction)
    world.clock.sleep(duration_ms, timer).then(
      () => end(transaction, ending),
      // Aborted: something else happened in time.
      () => {},
    )
  }

  function end(transaction: Transaction, ending: Ending, delay_ms = 0): Promise<void> {
    if (transaction.delivered) return transaction.delivered
    transaction.ended = ending.cres
    const timer = renewed(transaction)
    transaction.delivered = deliver(options, transaction, ending, { delay_ms, signal: timer })
      // Aborted: the simulator closes, or the transaction is too old to matter.
      .catch(() => {})
    return transaction.delivered
  }

  function answer(areq: Message): Message {
    const transaction = newTransaction(options, areq)
    const decision = decide(transaction.behaviour, transaction.version)
    if (decision.status === 'C' && !decision.unsafe) {
      transactions.add(transaction)
      const abandoned = transaction.behaviour === 'challenge_abandoned'
      const ending = abandoned ? endings.never_answered : endings.never_opened
      endAfter(transaction, first_creq_ms, ending)
    }
    return buildARes(options, areq, transaction)
  }

  function waitForAnswer(transaction: Transaction): void {
    // An abandoned challenge keeps the 30 seconds that began with its ARes.
    if (transaction.behaviour === 'challenge_abandoned') return
    endAfter(transaction, page_ms, endings.never_answered)
  }

  return { answer, find: transactions.find, waitForAnswer, end, close: transactions.close }
}

function renewed(transaction: Transaction): AbortSignal {
  transaction.timer.abort()
  transaction.timer = new AbortController()
  return transaction.timer.signal
}

function newTransaction({ world, signing_key }: AcsOptions, areq: Message): Transaction {
  const text = (name: string) => areq[name] as string
  const card = testCardOf(text('acctNumber'))!
  const acs_transaction_id = newTransactionId(world.random)
  const about = { acs_transaction_id, number: text('acctNumber'), amount: text('purchaseAmount') }
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
    proof: {
      authentication_value: authenticationValue(signing_key, { ...about, brand: card.brand }),
      eci: eciOf(card.brand, card.three_ds === 'attempted' ? 'A' : 'Y'),
    },
    created_at: world.clock.now(),
    opened: false,
    tries: 0,
    session_data: null,
    ended: null,
    delivered: null,
    timer: new AbortController(),
  }
}

function buildARes({ public_url }: AcsOptions, areq: Message, transaction: Transaction): Message {
  const decision = decide(transaction.behaviour, transaction.version)
  const proven = decision.status === 'Y' || decision.status === 'A'
  return {
    ...idsOf(transaction),
    messageType: 'ARes',
    messageVersion: transaction.version,
    dsReferenceNumber: areq.dsReferenceNumber,
    acsReferenceNumber: 'RIPPER-SIMULATED-ACS',
    acsOperatorID: 'RIPPER-SIMULATOR',
    transStatus: decision.status,
    ...(proven ? proofOf(transaction) : {}),
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

/** Sends the RReq once. If it was not answered, further tries continue after this function has resolved. */
async function deliver(
  { world, base_url, headers: marks }: AcsOptions,
  transaction: Transaction,
  ending: Ending,
  { delay_ms, signal }: { delay_ms: number; signal: AbortSignal },
): Promise<void> {
  if (delay_ms > 0) await world.clock.sleep(delay_ms, signal)
  const rreq = JSON.stringify(buildRReq(transaction, ending))
  const headers = { ...marks, 'content-type': 'application/json; charset=utf-8' }
  const send = () =>
    world.http
      .post({ url: `${base_url()}/ds`, headers, body: rreq, timeout_ms: rres_timeout_ms })
      .then(({ body }) => isFinal(body))
      .catch(() => false)

  async function tryAgain(): Promise<void> {
    for (let tries = 1; tries < result_tries; tries++) {
      await world.clock.sleep(retry_after_ms, signal)
      if (await send()) return
    }
    world.log.warn({ acs_transaction_id: transaction.acs_transaction_id }, 'an RReq was given up')
  }

  if (!(await send())) tryAgain().catch(() => {})
}

/** Whether the Directory Server reached the 3DS Server. Its own Erro 405 means that it did not. */
function isFinal(body: string): boolean {
  const read = readMessage(body, ['RRes'])
  return 'message' in read && read.message.errorCode !== '405'
}

function buildRReq(transaction: Transaction, ending: Ending): Message {
  const has_type = ending.status === 'Y' || ending.status === 'N'
  return {
    ...idsOf(transaction),
    messageType: 'RReq',
    messageVersion: transaction.version,
    messageCategory: '01',
    transStatus: ending.status,
    ...present('transStatusReason', ending.reason),
    ...present('challengeCancel', ending.cancel),
    ...(ending.status === 'Y' ? proofOf(transaction) : {}),
    ...(has_type ? { authenticationType: '02' } : {}),
    interactionCounter: String(Math.min(transaction.tries, 99)).padStart(2, '0'),
  }
}

function proofOf({ proof }: Transaction) {
  return { authenticationValue: proof.authentication_value, eci: proof.eci }
}

function idsOf(transaction: Transaction) {
  return {
    threeDSServerTransID: transaction.server_transaction_id,
    acsTransID: transaction.acs_transaction_id,
    dsTransID: transaction.ds_transaction_id,
  }
}
