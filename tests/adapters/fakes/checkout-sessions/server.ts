// Checkout.com's Sessions on loopback: a real HTTP server that keeps sessions as the vendor does, and faults on demand. It
// judges each request strictly. The banks behind it are the simulated ones.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '../../../../src/kernel/world.ts'
import { newTransactionId } from '../../../../src/three-ds/emv/transaction-id.ts'
import { countingRandom } from '../../three-ds-fixtures.ts'
import { cardOf } from '../3dsecureio/cards.ts'
import { isOfBank, openBank } from '../bank.ts'
import { listenAsVendor } from '../listen.ts'
import { type Fault, type FaultRule, faults } from './faults.ts'
import { bodies, strangeHeader } from './judge.ts'
import { areqOf, type FakeSession, sessionView } from './views.ts'

export type SessionsFake = {
  url: string
  secret_key: string
  sessions: FakeSession[]
  /** The next call of this step goes wrong so. */
  next(fault: Fault, of: Step): void
  /** How many calls of each step came. */
  calls: Record<Step, number>
  /** How many RReqs the schemes have sent. */
  results(): number
  /** What was wrong with requests, if anything. */
  wrong: string[]
  close(): Promise<void>
}

export type Step = 'create' | 'fingerprint' | 'read'
type Answer = [status: number, body: object | null]
/** Null: no answer ever comes. */
type Reply = { status: number; text: string } | null

const secret_key = 'sk_sbox_abcdefghijklmnopqrstuvwxyz7'
/** A session that nobody ended is over after this. */
const session_life_ms = 3_600_000

export async function openSessionsFake({
  clock,
  pages_url,
}: {
  clock: Clock
  pages_url: () => string
}): Promise<SessionsFake> {
  const random = countingRandom()
  const sessions: FakeSession[] = []
  const calls: SessionsFake['calls'] = { create: 0, fingerprint: 0, read: 0 }
  const set: Record<Step, Fault[]> = { create: [], fingerprint: [], read: [] }
  const wrong: string[] = []
  let url = ''
  let results = 0

  const bank = openBank({
    clock,
    url: () => url,
    pages_url,
    received(rreq) {
      const { threeDSServerTransID: id } = rreq
      sessions.find(({ transaction_id }) => transaction_id === id)!.rreq = rreq
      results++
    },
  })

  function misuse(text: string): Answer {
    wrong.push(text)
    return [422, { request_id: 'r', error_type: 'request_invalid', error_codes: ['misuse'] }]
  }

  async function create(json: unknown): Promise<Answer> {
    const body = bodies.create.safeParse(json)
    if (!body.success) return misuse(`create: ${body.error.message}`)
    const card = cardOf(body.data.source.number)
    const session: FakeSession = {
      id: `sid_${(sessions.length + 1).toString(36).padStart(26, '0')}`,
      transaction_id: newTransactionId(random),
      body: body.data,
      version: card?.start === '2.1.0' && card.end === '2.1.0' ? '2.1.0' : '2.2.0',
      ares: null,
      rreq: null,
      next_actions: [],
      created_at: clock.now(),
    }
    sessions.push(session)
    if (!body.data.channel_data) session.next_actions = ['collect_channel_data']
    else if (card?.method_path) session.next_actions = ['issuer_fingerprint']
    else await authenticate(session, 'U')
    return [session.ares ? 201 : 202, sessionView(session)]
  }

  async function authenticate(session: FakeSession, completion: string): Promise<void> {
    const card = cardOf(session.body.source.number)
    session.next_actions = []
    const erro = { messageType: 'Erro' }
    const areq = card && areqOf(session, card.stand_in, completion)
    session.ares = (areq && (await bank.ask(areq))) ?? erro
  }

  async function fingerprint(session: FakeSession, json: unknown): Promise<Answer> {
    const body = bodies.fingerprint.safeParse(json)
    if (!body.success) return misuse(`fingerprint: ${body.error.message}`)
    const { three_ds_method_completion: completion } = body.data
    if (!session.next_actions.includes('issuer_fingerprint')) return misuse('no fingerprint wanted')
    if (completion === 'Y') return misuse('no 3DS Method ran')
    await authenticate(session, completion)
    return [200, sessionView(session)]
  }

  function read(session: FakeSession): Answer {
    const age_ms = clock.now().getTime() - session.created_at.getTime()
    const is_over = age_ms > session_life_ms && !session.rreq
    const shown = sessionView(session)
    return [200, is_over ? { ...shown, status: 'expired', next_actions: [] } : shown]
  }

  function routeOf(method: string, path: string): { step: Step; id: string } | null {
    if (method === 'POST' && path === '/sessions') return { step: 'create', id: '' }
    const [, id, rest] = /^\/sessions\/(sid_\w+)(\/issuer-fingerprint)?$/.exec(path) ?? []
    if (id === undefined) return null
    if (method === 'GET' && !rest) return { step: 'read', id }
    return method === 'PUT' && rest ? { step: 'fingerprint', id } : null
  }

  async function answerTo(step: Step, id: string, json: unknown): Promise<Answer> {
    if (step === 'create') return create(json)
    const session = sessions.find((each) => each.id === id)
    if (!session) return [404, null]
    return step === 'read' ? read(session) : fingerprint(session, json)
  }

  async function reply(request: IncomingMessage, path: string, text: string): Promise<Reply> {
    const { headers, method } = request
    const route = routeOf(method!, path)
    if (!route) return replyOf(misuse(`${method} ${path}`))
    const { step, id } = route
    calls[step]++
    const strange = strangeHeader(Object.keys(headers))
    if (strange) wrong.push(`header ${strange}`)
    if (text !== '' && headers['content-type'] !== 'application/json') {
      wrong.push('a body that is not JSON')
    }
    if (headers.authorization !== `Bearer ${secret_key}`) return { status: 401, text: '' }
    const fault = set[step].shift()
    const rule: FaultRule | null = fault ? faults[fault] : null
    const json = text === '' ? undefined : JSON.parse(text)
    const answer = rule?.books === false ? null : await answerTo(step, id, json)
    return distorted(answer, rule)
  }

  const server = await listenAsVendor(wrong, async (request, text, response) => {
    const { pathname } = new URL(request.url!, 'http://fake')
    if (isOfBank(pathname)) return bank.serve(pathname, text, response)
    write(response, await reply(request, pathname, text))
  })
  url = server.origin
  return {
    url,
    secret_key,
    sessions,
    calls,
    wrong,
    results: () => results,
    next: (fault, of) => set[of].push(fault),
    async close() {
      bank.close()
      await server.close()
    },
  }
}

function replyOf([status, body]: Answer): Reply {
  return { status, text: body === null ? '' : JSON.stringify(body) }
}

function distorted(answer: Answer | null, rule: FaultRule | null): Reply {
  if (rule?.body !== undefined) return { status: rule.status!, text: rule.body }
  if (!answer || (rule && !rule.change && !rule.cut && rule.status === undefined)) return null
  const [status, body] = answer
  const text = JSON.stringify({ ...body, ...rule?.change })
  if (body === null) return replyOf(answer)
  return { status: rule?.status ?? status, text: rule?.cut ? text.slice(0, -20) : text }
}

function write(response: ServerResponse, reply: Reply): void {
  if (!reply) return void response.destroy()
  const type = reply.text.startsWith('<') ? 'text/html' : 'application/json'
  response.writeHead(reply.status, { 'content-type': type }).end(reply.text)
}
