// Adyen as a fake: books, its rules for idempotency keys, signed notices, and faults on demand, with or without a real HTTP server
// on loopback. It judges each request strictly. Nothing here was written by the vendor, whose library judges requests and notices in tests of its own.

import type { NoticePost } from '../../../../src/acquirers/acquirer.ts'
import type { Clock } from '../../../../src/kernel/world.ts'
import { listenWith, type VendorCall, type VendorReply } from '../listen.ts'
import { behaviourAt } from '../numbers.ts'
import { type AdyenBooks, openBooks, slow_ms } from './books.ts'
import { type Fault, type FaultRule, faults } from './faults.ts'
import { bodies, type SettlePath, strangeHeader } from './judge.ts'
import { itemsOf, modificationView, type NoticeItem, paymentView, posted, signingOnce } from './views.ts'

export type AdyenFake = AdyenVendor & { url: string; close(): Promise<void> }

export type AdyenVendor = {
  /** Answers a request. */
  reply(call: VendorCall): Promise<VendorReply>
  api_key: string
  merchant_account: string
  hmac_key: string
  books: AdyenBooks
  /** The next request goes wrong so. */
  next(fault: Fault): void
  /** How many requests came that may move money. */
  moves(): number
  /** What was wrong with requests, if anything. */
  wrong: string[]
  /** What is posted for all that happened by now, in its order, each signed; before that, what is signed. */
  items(bears?: 'own' | 'payment'): NoticeItem[]
  notices(bears?: 'own' | 'payment'): NoticePost[]
}

type Answer = { status: number; text: string; headers?: Record<string, string> }
type Reply = Answer | 'lost'

const api_key = 'AQEyhmfxK4rJbBZDw0m-fake'
const merchant_account = 'TeaCOM'
const hmac_key = '44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056'
const kept_ms = 7 * 24 * 3_600_000
const lost_after_ms = 2_000

type AdyenOptions = { clock: Clock; settles_after_ms?: number; ids_from?: number }

export async function openAdyenFake(options: AdyenOptions): Promise<AdyenFake> {
  const vendor = makeAdyen(options)
  const server = await listenWith(vendor.wrong, vendor.reply)
  return { ...vendor, url: `${server.origin}/v72`, close: server.close }
}

export function makeAdyen({ clock, settles_after_ms = 20_000, ids_from }: AdyenOptions): AdyenVendor {
  const books = openBooks({ clock, settles_after_ms, ids_from })
  const wrong: string[] = []
  const set: Fault[] = []
  /** By key: the path, when it came, and what was answered; null while nothing is. */
  const kept = new Map<string, { path: string; at: Date; text: string; answer: Answer | null }>()
  let moves = 0

  function misuse(text: string): Answer {
    wrong.push(text)
    return errorOf(422, '702')
  }

  /** Lost where the bank is so late that nobody waits for it. */
  async function pay(json: unknown): Promise<Reply> {
    const body = bodies.payments.safeParse(json)
    if (!body.success) return misuse(`payment: ${body.error.message}`)
    const behaviour = behaviourAt('adyen', body.data.paymentMethod.number)
    if (!behaviour) return misuse("a number that is no test card's")
    const is_late = behaviour.startsWith('lost_then_') || behaviour === 'lost_for_ever'
    const payment = behaviour === 'lost_then_not_found' ? null : books.authorise(body.data, behaviour)
    if (behaviour === 'approve_slowly') await clock.sleep(slow_ms)
    if (payment && !is_late) return good(200, paymentView(books, payment))
    await clock.sleep(lost_after_ms)
    return 'lost'
  }

  function settle(psp: string, path: SettlePath, json: unknown): Answer {
    const body = bodies[path].safeParse(json)
    if (!body.success) return misuse(`${path}: ${body.error.message}`)
    const payment = books.find(psp)
    if (!payment) return errorOf(422, '167')
    return good(201, modificationView(books.settle(path, payment, body.data), merchant_account))
  }

  function cancel(json: unknown): Answer {
    const body = bodies.standalone.safeParse(json)
    if (!body.success) return misuse(`cancels: ${body.error.message}`)
    return good(201, modificationView(books.cancel(body.data), merchant_account))
  }

  function methods(json: unknown): Answer {
    const body = bodies.paymentMethods.safeParse(json)
    if (!body.success) return misuse(`paymentMethods: ${body.error.message}`)
    return good(200, { paymentMethods: [{ type: 'scheme', name: 'Cards', brands: ['visa'] }] })
  }

  async function carryOut(path: string, json: unknown): Promise<Reply> {
    const [, psp, action] = /^\/v72\/payments\/(\w+)\/(captures|cancels|reversals|refunds)$/.exec(path) ?? []
    if (psp) return settle(psp, action as SettlePath, json)
    if (path === '/v72/payments') return pay(json)
    return path === '/v72/cancels' ? cancel(json) : misuse(`no such path: ${path}`)
  }

  /** Each key is carried out once. Its answer is kept, an error too, unless it never left them. */
  async function move(key: string, path: string, text: string, rule: FaultRule | null) {
    const found = kept.get(key)
    if (found && clock.now().getTime() - found.at.getTime() < kept_ms) {
      if (found.path !== path || found.text !== text) return misuse(`another request: ${path}`)
      return found.answer ?? decidedSince(text) ?? errorOf(422, '704')
    }
    if (rule?.books === false) {
      const given = distorted({ status: 500, text: '' }, rule)
      if (rule.kept && given !== 'lost') kept.set(key, { path, at: clock.now(), text, answer: given })
      return given
    }
    const entry: { path: string; at: Date; text: string; answer: Answer | null } = {
      path,
      at: clock.now(),
      text,
      answer: null,
    }
    kept.set(key, entry)
    const answer = await carryOut(path, JSON.parse(text))
    const given = answer === 'lost' || !rule ? answer : distorted(answer, rule)
    if (answer !== 'lost') entry.answer = rule?.kept && given !== 'lost' ? given : answer
    return given
  }

  /** The answer of a charge that was decided after nobody waited for it any more; null while it is under way. */
  function decidedSince(text: string): Answer | null {
    const { reference } = JSON.parse(text) as { reference: string }
    const payment = books.payments.find((each) => each.reference === reference)
    return payment && books.isDecided(payment) ? good(200, paymentView(books, payment)) : null
  }

  async function reply({ headers, method, path, body: text }: VendorCall) {
    const strange = strangeHeader(Object.keys(headers))
    if (strange) return misuse(`header ${strange}`)
    if (headers['x-api-key'] !== api_key) return errorOf(401, '000')
    if (method !== 'POST' || headers['content-type'] !== 'application/json') {
      return misuse(`${method} of ${headers['content-type']}`)
    }
    if (JSON.parse(text).merchantAccount !== merchant_account) return errorOf(403, '901')
    const fault = set.shift()
    const rule: FaultRule | null = fault ? faults[fault] : null
    if (path === '/v72/paymentMethods') return distorted(methods(JSON.parse(text)), rule ?? {})
    moves++
    const key = headers['idempotency-key']
    if (typeof key !== 'string' || key.length > 64) return misuse('no idempotency key that fits')
    const answer = await move(key, path, text, rule)
    return answer === 'lost' ? answer : { ...answer, headers: { ...answer.headers, 'idempotency-key': key } }
  }

  const sign = signingOnce(hmac_key)
  const items = (bears: 'own' | 'payment' = 'own') =>
    itemsOf(books, { now: clock.now(), merchant_account, bears }).map(sign)
  return {
    reply: async (call) => written(await reply(call)),
    api_key,
    merchant_account,
    hmac_key,
    books,
    wrong,
    items,
    moves: () => moves,
    next: (fault) => set.push(fault),
    notices: (bears) => items(bears).map((each) => posted([each])),
  }
}

function good(status: number, body: object): Answer {
  return { status, text: JSON.stringify(body) }
}

function errorOf(status: number, errorCode: string): Answer {
  return good(status, { status, errorCode, message: 'Refused', errorType: 'validation' })
}

function distorted(answer: Answer, rule: Partial<FaultRule>): Reply {
  if (rule.lost) return 'lost'
  const { status, body = '', headers = {} } = rule
  if (status !== undefined) return { status, text: body, headers }
  if (rule.change) return good(answer.status, { ...JSON.parse(answer.text), ...rule.change })
  return rule.cut ? { ...answer, text: answer.text.slice(0, -20) } : answer
}

function written(reply: Reply): VendorReply {
  if (reply === 'lost') return reply
  const { status, text, headers } = reply
  const type = text.startsWith('<') ? 'text/html' : 'application/json'
  return { status, headers: { 'content-type': type, ...headers }, body: text }
}
