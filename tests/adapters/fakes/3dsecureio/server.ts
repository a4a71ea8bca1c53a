// 3dsecure.io on loopback: a real HTTP server with the books and clocks of the vendor's 3DS Server, and faults on demand. It
// judges each request strictly. The banks behind it are the simulated ones.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '../../../../src/kernel/world.ts'
import { encode } from '../../../../src/three-ds/emv/base64url.ts'
import { newTransactionId } from '../../../../src/three-ds/emv/transaction-id.ts'
import { countingRandom } from '../../three-ds-fixtures.ts'
import { bankPage, isOfBank, openBank } from '../bank.ts'
import { listenAsVendor } from '../listen.ts'
import { cardOf, type FakeCard } from './cards.ts'
import { type Fault, type FaultRule, faults } from './faults.ts'
import { type AuthBody, bodies, type Step, strangeHeader } from './judge.ts'

export type ThreeDsecureIoFake = {
  url: string
  api_key: string
  /** The next call of this step goes wrong so. */
  next(fault: Fault, of: Step): void
  /** The bodies that came, by step, whatever became of them. */
  calls: Record<Step, Record<string, unknown>[]>
  /** How many RReqs the schemes have sent. */
  results(): number
  /** What was wrong with requests, if anything. */
  wrong: string[]
  close(): Promise<void>
}

/** A transaction that `/preauth` began. */
type Transaction = {
  id: string
  number: string
  card: FakeCard
  began_at: Date
  /** The 3DS Method was run for this id. */
  method_ran: boolean
  asked: boolean
  rreq: { body: Record<string, unknown>; came_at: Date } | null
}

/** Null: no answer ever comes. */
type Reply = { status: number; text: string; type: string } | null

export const api_key = '1bde2d3e-7f44-46df-adfd-1db8f3f75783'
const preauth_life_ms = 80_000
const result_life_ms = 300_000
const ds_timeout_ms = 10_000

export async function openThreeDsecureIoFake({
  clock,
  pages_url,
}: {
  clock: Clock
  pages_url: () => string
}): Promise<ThreeDsecureIoFake> {
  const random = countingRandom()
  const transactions = new Map<string, Transaction>()
  const calls: ThreeDsecureIoFake['calls'] = { preauth: [], auth: [], postauth: [] }
  const set: Record<Step, Fault[]> = { preauth: [], auth: [], postauth: [] }
  const wrong: string[] = []
  const closing = new AbortController()
  let url = ''
  let results = 0

  const bank = openBank({
    clock,
    url: () => url,
    pages_url,
    received(rreq) {
      const transaction = transactions.get(rreq.threeDSServerTransID as string)!
      transaction.rreq = { body: rreq, came_at: clock.now() }
      results++
    },
  })

  const age = (since: Date) => clock.now().getTime() - since.getTime()

  function preauth({ acctNumber: number }: { acctNumber: string }): object {
    const card = cardOf(number)
    if (!card) return erro('305', 'Unknown BIN')
    const id = newTransactionId(random)
    const began_at = clock.now()
    transactions.set(id, { id, number, card, began_at, method_ran: false, asked: false, rreq: null })
    const { start, end, method_path } = card
    return {
      messageType: 'CRD',
      threeDSServerTransID: id,
      acsStartProtocolVersion: start,
      acsEndProtocolVersion: end,
      dsStartProtocolVersion: '2.1.0',
      dsEndProtocolVersion: '2.3.1',
      scheme: 'standin',
      acsInfoInd: ['01', '02'],
      ...(method_path && { threeDSMethodURL: bankPage(url, method_path) }),
    }
  }

  async function auth(body: AuthBody): Promise<object> {
    const transaction = transactions.get(body.threeDSServerTransID)
    if (!transaction || age(transaction.began_at) > preauth_life_ms) {
      return erro('301', 'Transaction not known')
    }
    const misuse = misuseOf(transaction, body)
    if (misuse) {
      wrong.push(`auth: ${misuse}`)
      return erro('305', 'Transaction data not valid')
    }
    transaction.asked = true
    const asked = bank.ask({ ...body, acctNumber: transaction.card.stand_in })
    const done = new AbortController()
    const waiting = AbortSignal.any([done.signal, closing.signal])
    const late = clock.sleep(ds_timeout_ms, waiting).then(
      () => null,
      () => null,
    )
    const ares = await Promise.race([asked, late])
    done.abort()
    return ares ?? erro('405', 'Unable to contact Directory Server')
  }

  function misuseOf({ asked, number, card, method_ran }: Transaction, body: AuthBody) {
    const { messageVersion: version, threeDSCompInd: completion } = body
    if (asked) return 'a transaction was sent twice'
    if (body.acctNumber !== number) return 'another number than that of /preauth'
    if (version < card.start || version > card.end) return 'a version that the ACS does not speak'
    if ((completion === 'U') !== (card.method_path === null)) return 'threeDSCompInd U is wrong'
    return completion === 'Y' && !method_ran ? 'no 3DS Method ran for this transaction' : null
  }

  function postauth({ threeDSServerTransID: id }: { threeDSServerTransID: string }): object {
    const transaction = transactions.get(id)
    if (!transaction) return erro('203', 'threeDSServerTransID')
    if (!transaction.rreq) return erro('305', 'No RReq has been received')
    const { body, came_at } = transaction.rreq
    if (age(came_at) > result_life_ms) return erro('203', 'threeDSServerTransID')
    return body
  }

  async function answerTo(step: Step, json: unknown): Promise<object> {
    const body = bodies[step].safeParse(json)
    if (!body.success) {
      wrong.push(`${step}: ${body.error.message}`)
      return erro('203', 'Format of one or more required data elements is invalid')
    }
    if (step === 'preauth') return preauth(body.data as Parameters<typeof preauth>[0])
    if (step === 'auth') return auth(body.data as AuthBody)
    return postauth(body.data as Parameters<typeof postauth>[0])
  }

  async function reply(request: IncomingMessage, path: string, text: string): Promise<Reply> {
    const step = path.slice(1) as Step
    const { headers, method } = request
    if (!(step in bodies) || method !== 'POST') return replyOf(404, erro('101', 'no such path'))
    const strange = strangeHeader(Object.keys(headers))
    if (strange) wrong.push(`header ${strange}`)
    if (headers['content-type'] !== 'application/json; charset=utf-8') {
      wrong.push('a body that is not JSON in UTF-8')
    }
    const json = JSON.parse(text)
    calls[step].push(json)
    if (headers.apikey !== api_key) {
      return { status: 401, text: 'Invalid API Key', type: 'text/plain; charset=utf-8' }
    }
    const fault = set[step].shift()
    const rule: FaultRule | null = fault ? faults[fault] : null
    const answer = rule?.books === false ? {} : await answerTo(step, json)
    return distorted(answer, rule)
  }

  /** Which transaction ran its 3DS Method: the bank's page is posted to with its id. */
  function noteMethod(path: string, text: string): void {
    const data = path.endsWith('/method') && new URLSearchParams(text).get('threeDSMethodData')
    if (!data) return
    const { threeDSServerTransID: id } = JSON.parse(Buffer.from(data, 'base64url').toString())
    const transaction = transactions.get(id)
    if (transaction) transaction.method_ran = true
    else wrong.push(`a 3DS Method for an unknown transaction ${encode(String(id))}`)
  }

  const server = await listenAsVendor(wrong, async (request, text, response) => {
    const { pathname } = new URL(request.url!, 'http://fake')
    if (!isOfBank(pathname)) return write(response, await reply(request, pathname, text))
    noteMethod(pathname, text)
    await bank.serve(pathname, text, response)
  })
  url = server.origin
  return {
    url,
    api_key,
    calls,
    wrong,
    results: () => results,
    next: (fault, of) => set[of].push(fault),
    async close() {
      closing.abort()
      bank.close()
      await server.close()
    },
  }
}

function erro(errorCode: string, errorDetail: string): object {
  return {
    messageType: 'Erro',
    messageVersion: '2.2.0',
    errorComponent: 'S',
    errorCode,
    errorDescription: errorDetail,
    errorDetail,
  }
}

function replyOf(status: number, body: object): Reply {
  return { status, text: JSON.stringify(body), type: 'application/json' }
}

function distorted(answer: object, rule: FaultRule | null): Reply {
  const status = 'errorCode' in answer ? 400 : 200
  if (!rule) return replyOf(status, answer)
  const { body, type = 'application/json' } = rule
  if (body !== undefined) return { status: rule.status ?? status, text: body, type }
  if (rule.status !== undefined) return replyOf(rule.status, answer)
  if (rule.change) return replyOf(status, { ...answer, ...rule.change })
  if (!rule.cut) return null
  return { status, text: JSON.stringify(answer).slice(0, -20), type }
}

function write(response: ServerResponse, reply: Reply): void {
  if (!reply) return void response.destroy()
  response.writeHead(reply.status, { 'content-type': reply.type }).end(reply.text)
}
