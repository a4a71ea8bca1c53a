// Checkout.com as a fake: books, its rules for idempotency keys, and faults on demand, with or without a real HTTP server on
// loopback. It judges each request strictly. Nothing here was written by the vendor; the vendor's own library drives it in a test of its own.

import { z } from 'zod'
import type { NoticePost } from '../../../../src/acquirers/acquirer.ts'
import type { AcquirerBehaviour } from '../../../../src/cards/test-cards.ts'
import type { Clock } from '../../../../src/kernel/world.ts'
import { listenWith, type VendorCall, type VendorReply } from '../listen.ts'
import { behaviourAt } from '../numbers.ts'
import { type CheckoutBooks, type FakePayment, openBooks, slow_ms } from './books.ts'
import { type Fault, type FaultRule, faults } from './faults.ts'
import { bodies, listQuery, type PaymentBody, type SettlePath, searchBody, strangeHeader } from './judge.ts'
import { actionView, createdView, noticesOf, paymentView } from './views.ts'

export type CheckoutFake = CheckoutVendor & { url: string; close(): Promise<void> }

export type CheckoutVendor = {
  /** Answers a request. */
  reply(call: VendorCall): Promise<VendorReply>
  secret_key: string
  signature_key: string
  books: CheckoutBooks
  /** The next request that moves money, or the next that asks, goes wrong so. */
  next(fault: Fault, of?: 'move' | 'ask'): void
  /** The 3-D Secure data of each charge. */
  charged_with: PaymentBody['3ds'][]
  /** How many requests came that may move money. */
  moves(): number
  /** What was wrong with requests, if anything. */
  wrong: string[]
  /** What is posted for all that happened by now, in its order. */
  notices(): NoticePost[]
  /** What it lists as disputed. */
  /** Whether the key may read disputes. */
  rights: { disputes: boolean }
  disputes: { id: string; received_on: string }[]
}

type Answer = [status: number, body: object | null]
type KeptAnswer = { answer: Answer | null; payment: FakePayment | null }
/** `lost`: no answer ever comes. */
type Reply = { status: number; text: string } | 'lost'

const secret_key = 'sk_sbox_abcdefghijklmnopqrstuvwxyz7'
const signature_key = 'a-signature-key-of-a-workflow'
const kept_ms = 24 * 3_600_000
const lost_after_ms = 2_000

type CheckoutOptions = {
  clock: Clock
  ids_from?: number
  settles_after_ms?: number
  /** How a card behaves; by default only test cards do. */
  behaviourOf?: (number: string) => AcquirerBehaviour | null
}

export async function openCheckoutFake(options: CheckoutOptions): Promise<CheckoutFake> {
  const vendor = makeCheckout(options)
  const server = await listenWith(vendor.wrong, vendor.reply)
  return { ...vendor, url: server.origin, close: server.close }
}

export function makeCheckout({
  clock,
  settles_after_ms = 20_000,
  ids_from,
  behaviourOf = (number) => behaviourAt('checkout', number),
}: CheckoutOptions): CheckoutVendor {
  const books = openBooks({ clock, settles_after_ms, ids_from })
  const wrong: string[] = []
  const disputes: CheckoutVendor['disputes'] = []
  const rights = { disputes: true }
  const charged_with: PaymentBody['3ds'][] = []
  const set: Record<'move' | 'ask', Fault[]> = { move: [], ask: [] }
  /** By key and path: what was answered, or is about to be. */
  const kept = new Map<string, { at: Date; done: Promise<KeptAnswer> }>()
  let moves = 0

  function misuse(text: string): Answer {
    wrong.push(text)
    return [422, { request_id: 'r', error_type: 'request_invalid', error_codes: ['misuse'] }]
  }

  /** No answer where the bank is so late that nobody waits for it. No payment where nothing came into the books. */
  async function pay(json: unknown): Promise<KeptAnswer> {
    const body = bodies.payment.safeParse(json)
    if (!body.success) return { answer: misuse(`payment: ${body.error.message}`), payment: null }
    const { number } = body.data.source
    const behaviour = behaviourOf(number)
    if (!behaviour) return { answer: misuse("a number that is no test card's"), payment: null }
    charged_with.push(body.data['3ds'])
    const is_lost = behaviour === 'lost_then_not_found'
    const payment = is_lost ? null : books.authorise(body.data, behaviour)
    if (behaviour === 'approve_slowly') await clock.sleep(slow_ms)
    if (payment && !behaviour.startsWith('lost_then_') && behaviour !== 'lost_for_ever') {
      return { answer: createdView(books, payment), payment }
    }
    await clock.sleep(lost_after_ms)
    return { answer: null, payment }
  }

  function settle(id: string, path: SettlePath, json: unknown): Answer {
    const body = bodies[path].safeParse(json)
    if (!body.success) return misuse(`${path}: ${body.error.message}`)
    const payment = books.find(id)
    if (!payment) return [404, null]
    const settled = books.settle(path, payment, body.data)
    if ('status' in settled) {
      const { status, error_codes } = settled
      return [status, status === 422 ? { error_type: 'request_invalid', error_codes } : null]
    }
    const { reference } = body.data
    return [202, { action_id: settled.id, ...(reference && { reference }), _links: {} }]
  }

  function search(json: unknown): Answer {
    const body = searchBody.safeParse(json)
    if (!body.success) return misuse(`search: ${body.error.message}`)
    const { from, to, limit = 10 } = body.data
    const found = books.payments.filter(
      ({ requested_at }) => (!from || requested_at >= new Date(from)) && (!to || requested_at <= new Date(to)),
    )
    const data = found.toReversed().slice(0, limit)
    const links = found.length > limit ? { next: { href: '/payments/search?page=2' } } : {}
    return [200, { data: data.map((payment) => paymentView(books, payment)), _links: links }]
  }

  function list(query: URLSearchParams): Answer {
    const asked = listQuery.safeParse(Object.fromEntries(query))
    if (!asked.success) return misuse(`list: ${asked.error.message}`)
    const { reference, limit = '10', skip = '0' } = asked.data
    const found = books.payments.filter((payment) => payment.reference === reference).toReversed()
    const data = found.slice(Number(skip), Number(skip) + Number(limit))
    const page = { limit: Number(limit), skip: Number(skip), total_count: found.length }
    return [200, { ...page, data: data.map((payment) => paymentView(books, payment)) }]
  }

  function ask({ pathname, searchParams }: URL): Answer {
    if (pathname === '/payments') return list(searchParams)
    if (pathname.startsWith('/disputes') && !rights.disputes) return [403, null]
    if (pathname === '/disputes') {
      const asked = disputeQuery.safeParse(Object.fromEntries(searchParams))
      if (!asked.success) return misuse(`disputes: ${asked.error.message}`)
      const { from, to, limit, skip } = asked.data
      const within = disputes.filter(({ received_on }) => received_on >= from && received_on <= to)
      return [200, { limit, skip, total_count: within.length, data: within.slice(skip, skip + limit) }]
    }
    const [, dispute_id] = /^\/disputes\/(\w+)$/.exec(pathname) ?? []
    if (dispute_id !== undefined) {
      const found = disputes.find((each) => each.id === dispute_id)
      return found ? [200, found] : [404, null]
    }
    const [, id, rest] = /^\/payments\/(\w+)(\/actions)?$/.exec(pathname) ?? []
    const payment = id === undefined ? null : books.find(id)
    if (!payment) return [404, null]
    if (rest === undefined) return [200, paymentView(books, payment)]
    return [200, books.actionsOf(payment).toReversed().map(actionView)]
  }

  /** Only one of several with a key is carried out, and only what it was answered with 2xx is kept. */
  async function move(key: string, path: string, json: unknown, rule: FaultRule | null) {
    const name = `${path} ${key}`
    const found = kept.get(name)
    if (found && clock.now().getTime() - found.at.getTime() < kept_ms) {
      const { answer, payment } = await found.done
      // Nobody heard the first answer: who asks again is told how it stands.
      return answer ?? (payment && createdView(books, payment))
    }
    if (rule?.books === false) return null
    const [, id, action] = /^\/payments\/(\w+)\/(captures|voids|reversals|refunds)$/.exec(path) ?? []
    const done = id ? Promise.resolve({ answer: settle(id, action as SettlePath, json), payment: null }) : pay(json)
    kept.set(name, { at: clock.now(), done })
    const { answer, payment } = await done
    const is_good = answer ? answer[0] < 300 : payment !== null
    if (!is_good || rule?.kept === false) kept.delete(name)
    return answer
  }

  async function reply({ method, path, headers, body: text }: VendorCall): Promise<Reply> {
    const url = new URL(path, 'http://fake')
    const strange = strangeHeader(Object.keys(headers))
    if (strange) return replyOf(misuse(`header ${strange}`))
    if (headers.authorization !== `Bearer ${secret_key}`) return { status: 401, text: '' }
    const json = text === '' ? undefined : JSON.parse(text)
    if (method === 'POST' && !headers['content-type']?.startsWith('application/json')) {
      return replyOf(misuse('a body that is not JSON'))
    }
    const is_move = method === 'POST' && url.pathname !== '/payments/search'
    if (is_move) moves++
    const fault = set[is_move ? 'move' : 'ask'].shift()
    const rule: FaultRule | null = fault ? faults[fault] : null
    if (!is_move) {
      return distorted(method === 'POST' ? search(json) : ask(url), rule)
    }
    const key = headers['cko-idempotency-key']
    if (typeof key !== 'string') return replyOf(misuse('no idempotency key'))
    const answer = await move(key, url.pathname, json, rule)
    if (rule?.delay_ms) await clock.sleep(rule.delay_ms)
    return distorted(answer, rule)
  }

  return {
    reply: async (call) => written(await reply(call)),
    secret_key,
    signature_key,
    books,
    charged_with,
    wrong,
    moves: () => moves,
    next: (fault, of = 'move') => set[of].push(fault),
    notices: () => noticesOf(books, signature_key),
    disputes,
    rights,
  }
}

const disputeQuery = z.strictObject({
  from: z.iso.datetime(),
  to: z.iso.datetime(),
  limit: z.coerce.number().int().min(1).max(250),
  skip: z.coerce.number().int().min(0),
})

function replyOf([status, body]: Answer): Reply {
  return { status, text: body === null ? '' : JSON.stringify(body) }
}

function distorted(answer: Answer | null, rule: FaultRule | null): Reply {
  if (rule?.status !== undefined) return { status: rule.status, text: rule.body ?? '' }
  if (!answer) return 'lost'
  if (!rule) return replyOf(answer)
  if (rule.change) return replyOf([answer[0], { ...answer[1], ...rule.change }])
  const given = replyOf(answer)
  if (given !== 'lost' && rule.cut) return { ...given, text: given.text.slice(0, -20) }
  return rule.delay_ms ? given : 'lost'
}

function written(reply: Reply): VendorReply {
  if (reply === 'lost') return reply
  const type = reply.text.startsWith('<') ? 'text/html' : 'application/json'
  const headers = { 'content-type': type, 'cko-request-id': 'fake', 'cko-version': '1' }
  return { status: reply.status, headers, body: reply.text }
}
