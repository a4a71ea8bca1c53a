// Stripe as a fake: books, its rules for idempotency keys, and faults on demand, with or without a real HTTP server on loopback.
// It judges each request strictly. Nothing here was written by the vendor; the vendor's own library drives it in a test of its own.

import { z } from 'zod'
import type { NoticePost } from '../../../../src/acquirers/acquirer.ts'
import { stripe_version } from '../../../../src/acquirers/stripe/requests.ts'
import type { Clock } from '../../../../src/kernel/world.ts'
import { listenWith, type VendorCall, type VendorReply } from '../listen.ts'
import { behaviourAt } from '../numbers.ts'
import { type FakeIntent, openBooks, type Refusal, type StripeBooks, slow_ms } from './books.ts'
import { type Fault, type FaultRule, faults } from './faults.ts'
import { type Answer, errorAnswer, type KeyAnswer, openKeys } from './idempotency.ts'
import { bodies, nestedIn, queries, strangeHeader } from './judge.ts'
import { errorView, intentView, noticesOf, refundView } from './views.ts'

export type StripeFake = StripeVendor & { url: string; close(): Promise<void> }

export type StripeVendor = {
  /** Answers a request. */
  reply(call: VendorCall): Promise<VendorReply>
  secret_key: string
  webhook_secret: string
  books: StripeBooks
  /** The next request that moves money, that prepares a charge, or that asks, goes wrong so. */
  next(fault: Fault, of?: Sort): void
  /** How many requests came that may move money. */
  moves(): number
  /** What was wrong with requests, if anything. */
  wrong: string[]
  /** What is posted for all that happened by now, in its order. */
  notices(): NoticePost[]
  /** What it lists as disputed, oldest first. */
  /** Whether the key may read disputes. */
  rights: { disputes: boolean }
  disputes: { id: string; created: number }[]
}

type Sort = 'move' | 'prepare' | 'ask'
/** `lost`: no answer ever comes. */
type Reply = { status: number; text: string; replayed?: boolean } | 'lost'
/** What came of a request. Without `begun` nothing is kept; `is_late`: nobody waits for the answer. */
type Done = { answer: () => Answer; begun: boolean; known_at?: Date | null; is_late?: boolean }

const secret_key = 'sk_test_abcdefghijklmnopqrstuvwx'
const webhook_secret = 'whsec_abcdefghijklmnopqrstuvwx'
const lost_after_ms = 2_000

export async function openStripeFake(options: { clock: Clock }): Promise<StripeFake> {
  const vendor = makeStripe(options)
  const server = await listenWith(vendor.wrong, vendor.reply)
  return { ...vendor, url: server.origin, close: server.close }
}

type StripeOptions = { clock: Clock; ids_from?: number }

export function makeStripe({ clock, ids_from }: StripeOptions): StripeVendor {
  const books = openBooks({ clock, ids_from })
  const keys = openKeys({ clock })
  const wrong: string[] = []
  const disputes: StripeVendor['disputes'] = []
  const rights = { disputes: true }
  const set: Record<Sort, Fault[]> = { move: [], prepare: [], ask: [] }
  let moves = 0

  function misuse(text: string): Answer {
    wrong.push(text)
    return errorAnswer(400, 'invalid_request_error', { code: 'parameter_unknown' })
  }

  /** A request whose body is not as it should be is refused before anything begins. */
  function judged<Body>(schema: z.ZodType<Body>, path: string, text: string, act: (body: Body) => Done): Done {
    const body = schema.safeParse(nestedIn(text))
    if (body.success) return act(body.data)
    const answer = misuse(`${path}: ${body.error.message}`)
    return { answer: () => answer, begun: false }
  }

  const at_once = (answer: Answer): Done => ({ answer: () => answer, begun: true })
  const missing: Done = {
    answer: () => errorAnswer(404, 'invalid_request_error', { code: 'resource_missing' }),
    begun: false,
  }

  function refusalAnswer({ status, code, card }: Refusal, intent: FakeIntent): Answer {
    const payment_intent = intentView(books, intent)
    const error = card ? errorView(card) : { type: 'invalid_request_error', code, message: 'No' }
    return [status, { error: { ...error, payment_intent } }]
  }

  function makeMethod(text: string): Done {
    return judged(bodies.method, 'payment_methods', text, ({ card: { number } }) => {
      const behaviour = behaviourAt('stripe', number)
      if (!behaviour) return at_once(misuse("a number that is no test card's"))
      const { id } = books.keepMethod(behaviour, number.slice(-4))
      return at_once([200, { id, object: 'payment_method', type: 'card' }])
    })
  }

  function makeIntent(text: string): Done {
    return judged(bodies.intent, 'payment_intents', text, (body) => {
      const method = books.methodOf(body.payment_method)
      if (!method) return missing
      return at_once([200, intentView(books, books.create(body, method))])
    })
  }

  function confirm(intent: FakeIntent, text: string): Done {
    return judged(bodies.confirm, 'confirm', text, (body) => {
      const { behaviour } = intent.method
      const answer = (): Answer => {
        const error = intent.confirmed?.error
        if (error) return refusalAnswer({ status: 402, code: error.code, card: error }, intent)
        const expanded = body.expand !== undefined
        return [200, intentView(books, intent, { expanded })]
      }
      // It never arrived.
      if (behaviour === 'lost_then_not_found') return { answer, begun: false, is_late: true }
      const refusal = books.confirm(intent, body.payment_method_options !== undefined)
      if (refusal) return at_once(refusalAnswer(refusal, intent))
      const is_late = behaviour.startsWith('lost_then_') || behaviour === 'lost_for_ever'
      return { answer, begun: true, known_at: intent.confirmed!.known_at, is_late }
    })
  }

  function change(intent: FakeIntent, step: 'capture' | 'cancel', text: string, key: string | null): Done {
    const act = (refusal: Refusal | null) =>
      at_once(refusal ? refusalAnswer(refusal, intent) : [200, intentView(books, intent)])
    return step === 'capture'
      ? judged(bodies.capture, step, text, (body) => act(books.capture(intent, body)))
      : judged(bodies.cancel, step, text, (body) => act(books.cancel(intent, body, key)))
  }

  function refund(text: string): Done {
    return judged(bodies.refund, 'refunds', text, (body) => {
      const intent = books.find(body.payment_intent)
      if (!intent) return missing
      const made = books.refund(intent, body)
      return at_once('status' in made ? refusalAnswer(made, intent) : [200, refundView(books, made)])
    })
  }

  function carryOut(path: string, text: string, key: string | null): Done {
    if (path === '/v1/payment_methods') return makeMethod(text)
    if (path === '/v1/payment_intents') return makeIntent(text)
    if (path === '/v1/refunds') return refund(text)
    const [, id, step] = /^\/v1\/payment_intents\/(\w+)\/(confirm|capture|cancel)$/.exec(path) ?? []
    const intent = id === undefined ? null : books.find(id)
    if (!intent) return missing
    return step === 'confirm' ? confirm(intent, text) : change(intent, step as 'capture' | 'cancel', text, key)
  }

  /** Null where nobody hears an answer. */
  async function post(
    key: string | null,
    path: string,
    text: string,
    rule: FaultRule | null,
  ): Promise<KeyAnswer | null> {
    const request = `${path} ${text}`
    const recalled = key === null ? null : keys.recall(key, request)
    if (recalled) return recalled
    if (rule?.books === false) {
      const kept = () => errorAnswer(500, 'api_error')
      if (rule.kept && key !== null) keys.keep(key, request, clock.now(), kept)
      return null
    }
    const { answer, begun, known_at = clock.now(), is_late = false } = carryOut(path, text, key)
    if (begun && key !== null && rule?.kept !== false) {
      const kept = rule?.status === 500 ? () => errorAnswer(500, 'api_error') : answer
      keys.keep(key, request, known_at, kept)
    }
    if (known_at && known_at > clock.now() && !is_late) await clock.sleep(slow_ms)
    if (!is_late) return { answer: answer(), replayed: false }
    await clock.sleep(lost_after_ms)
    return null
  }

  function page(
    all: { id: string }[],
    { limit = 10, starting_after }: { limit?: number; starting_after?: string },
    view: (id: string) => object,
  ): Answer {
    const newest = all.map(({ id }) => id).toReversed()
    const from = starting_after === undefined ? 0 : newest.indexOf(starting_after) + 1
    const data = newest.slice(from, from + limit).map(view)
    return [200, { object: 'list', data, has_more: from + limit < newest.length, url: '/v1' }]
  }

  function ask({ pathname, search }: URL): Answer {
    const query = nestedIn(search)
    const refuse = (error: z.ZodError) => misuse(`${pathname}: ${error.message}`)
    if (pathname === '/v1/payment_intents') {
      const { data: asked, error } = queries.intents.safeParse(query)
      if (!asked) return refuse(error)
      const { gte = 0, lte = Number.MAX_VALUE } = asked.created ?? {}
      const within = books.intents.filter(({ created_at }) => {
        const created = Math.floor(created_at.getTime() / 1000)
        return created >= gte && created <= lte
      })
      const expanded = asked.expand !== undefined
      return page(within, asked, (id) => intentView(books, books.find(id)!, { expanded }))
    }
    if (pathname === '/v1/refunds') {
      const { data: asked, error } = queries.refunds.safeParse(query)
      if (!asked) return refuse(error)
      const all = books.intents.filter(({ id }) => id === asked.payment_intent).flatMap(books.listedRefunds)
      return page(all, asked, (id) => refundView(books, all.find((each) => each.id === id)!))
    }
    if (pathname.startsWith('/v1/disputes')) {
      if (!rights.disputes) return errorAnswer(403, 'invalid_request_error')
      const { data: asked, error } = disputeQuery.safeParse(query)
      if (!asked) return refuse(error)
      const [, id] = /^\/v1\/disputes\/(\w+)$/.exec(pathname) ?? []
      const found = disputes.find((each) => each.id === id)
      if (id !== undefined) return found ? [200, found] : missing.answer()
      const since = disputes.filter(({ created }) => created >= (asked.created?.gte ?? 0))
      return page(since, asked, (each) => since.find((dispute) => dispute.id === each)!)
    }
    if (pathname === '/v1/balance') {
      return [200, { object: 'balance', livemode: books.environment.is_live }]
    }
    const { data: asked, error } = queries.intent.safeParse(query)
    if (!asked) return refuse(error)
    const expanded = asked.expand !== undefined
    const intent = books.find(/^\/v1\/payment_intents\/(\w+)$/.exec(pathname)?.[1] ?? '')
    return intent ? [200, intentView(books, intent, { expanded })] : missing.answer()
  }

  function misuseOf({ headers, method }: VendorCall): Answer | null {
    const strange = strangeHeader(Object.keys(headers))
    if (strange) return misuse(`header ${strange}`)
    if (headers['stripe-version'] !== stripe_version) return misuse('another version')
    const type = headers['content-type'] ?? ''
    const is_form = type.startsWith('application/x-www-form-urlencoded')
    return method === 'POST' && !is_form ? misuse('a body that is no form') : null
  }

  async function reply(call: VendorCall): Promise<Reply> {
    const misused = misuseOf(call)
    if (misused) return replyOf(misused)
    const { headers, method, body: text } = call
    if (headers.authorization !== `Bearer ${secret_key}`) {
      return replyOf(errorAnswer(401, 'invalid_request_error'))
    }
    const url = new URL(call.path, 'http://fake')
    const sort = method === 'POST' ? sortOf(url.pathname) : 'ask'
    if (sort === 'move') moves++
    const fault = set[sort].shift()
    const rule: FaultRule | null = fault ? faults[fault] : null
    if (sort === 'ask') return distorted({ answer: ask(url), replayed: false }, rule)
    const key = headers['idempotency-key']
    if (key === undefined && sort === 'move') return replyOf(misuse('no idempotency key'))
    const answer = await post(key ?? null, url.pathname, text, rule)
    if (rule?.delay_ms) await clock.sleep(rule.delay_ms)
    return distorted(answer, rule)
  }

  return {
    reply: async (call) => written(await reply(call)),
    secret_key,
    webhook_secret,
    books,
    wrong,
    moves: () => moves,
    next: (fault, of = 'move') => set[of].push(fault),
    notices: () => noticesOf(books, webhook_secret, clock.now()),
    disputes,
    rights,
  }
}

const disputeQuery = z.strictObject({
  created: z.strictObject({ gte: z.coerce.number().int() }).optional(),
  limit: z.coerce.number().int().min(1).max(100).optional(),
  starting_after: z.string().optional(),
})

function sortOf(path: string): Sort {
  return path === '/v1/payment_methods' || path === '/v1/payment_intents' ? 'prepare' : 'move'
}

function replyOf([status, body]: Answer): Exclude<Reply, 'lost'> {
  return { status, text: JSON.stringify(body) }
}

function distorted(given: KeyAnswer | null, rule: FaultRule | null): Reply {
  if (rule?.status !== undefined) return { status: rule.status, text: rule.body ?? '' }
  if (!given) return 'lost'
  const { answer, replayed } = given
  const reply = { ...replyOf(answer), replayed }
  if (!rule || rule.delay_ms) return reply
  if (rule.change) return { ...reply, ...replyOf([answer[0], { ...answer[1], ...rule.change }]) }
  return rule.cut ? { ...reply, text: reply.text.slice(0, -20) } : 'lost'
}

function written(reply: Reply): VendorReply {
  if (reply === 'lost') return reply
  const headers = {
    'content-type': reply.text.startsWith('<') ? 'text/html' : 'application/json',
    'request-id': 'req_fake',
    'stripe-version': stripe_version,
    ...(reply.replayed && { 'idempotent-replayed': 'true' }),
  }
  return { status: reply.status, headers, body: reply.text }
}
