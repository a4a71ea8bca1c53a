// A thin client of the API, for tests: it says what came back, and compares it with the API's own description.

import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { type Arrival, open as openPage, post, typed } from '../adapters/three-ds-browser.ts'
import { faultOf, type Schema } from './schema.ts'

export type Target = { base_url: string; secret_key: string }

// biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape.
export type Json = any
export type Answer = { status: number; headers: Headers; text: string; body: Json }
export type SessionSecret = { id: string; client_secret: string }
export type CardInput = Partial<Record<'number' | 'exp_month' | 'exp_year' | 'cvc', unknown>> & {
  cardholder_name?: unknown
}

export type Raw = string | Buffer<ArrayBuffer>

type RequestParts = { headers?: Record<string, string>; body?: unknown; raw?: Raw }

/** Without a handle the body names a publishable key; a key of null sends none. */
type PageCreate = { handle?: string; key?: string | null }

export type Client = ReturnType<typeof openClient>

export const browser = {
  language: 'en-GB',
  color_depth: 24,
  screen_height: 900,
  screen_width: 1440,
  time_zone_offset: -60,
  java_enabled: false,
  javascript_enabled: true,
}

export const purchase = { amount: 4200, currency: 'GBP', customer: { email: 'ada@example.com' } }

export const visa = '4242424242424242'

/** What an answer says, but for ids of ours: their digits are drawn, and may be those that a test looks for. */
export function wordsOf({ text }: Answer): string {
  return text.replace(/[0-9a-f]{24,}/g, 'id')
}

/** A card that bears the number; its security code has the right length. */
export function cardOf(number: string): CardInput {
  return { number, exp_month: 9, exp_year: 2031, cvc: number.startsWith('3') ? '1234' : '123' }
}

export function openClient({ base_url, secret_key }: Target) {
  async function send(method: string, path: string, sent: RequestParts = {}): Promise<Answer> {
    const { headers = {}, body, raw } = sent
    const response = await fetch(base_url + path, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: raw ?? (body === undefined ? undefined : JSON.stringify(body)),
    })
    const text = await response.text()
    const is_json = response.headers.get('content-type')?.startsWith('application/json')
    const answer = {
      status: response.status,
      headers: response.headers,
      text,
      body: is_json && text !== '' ? JSON.parse(text) : null,
    }
    await expectDescribed(base_url, method, path, answer)
    return answer
  }

  const withKey = { 'x-service-api-key': secret_key }
  const at = (session: SessionSecret, verb: string) => `/v1/checkout/sessions/${session.id}/${verb}`
  const held = ({ client_secret }: SessionSecret) => ({ 'rip-client-secret': client_secret })

  /** With an idempotency key where one is given. */
  const keyed = (key: string | undefined): Record<string, string> =>
    key === undefined ? withKey : { ...withKey, 'rip-idempotency-key': key }

  const create = (body: unknown = purchase, key: string = randomUUID()) =>
    send('POST', '/v1/checkout/sessions', {
      headers: { ...withKey, 'rip-idempotency-key': key },
      body,
    })
  /** Creates as a page of this origin does: below a publishable key in the body, or a handle in the path. */
  const createFrom = (origin: string | null, body: object, at: PageCreate = {}) =>
    send('POST', `/v1/checkout/${at.handle ? `handles/${at.handle}` : 'public'}/sessions`, {
      headers: {
        ...(origin !== null && { origin }),
        ...(at.key !== null && { 'rip-idempotency-key': at.key ?? randomUUID() }),
      },
      body,
    })
  const referenceCard = (session: SessionSecret, card: CardInput) =>
    send('POST', at(session, 'card_references'), { headers: held(session), body: card })
  const authenticate = (session: SessionSecret, card_reference: unknown, more: object = {}) =>
    send('POST', at(session, 'authenticate'), {
      headers: held(session),
      body: { card_reference, browser, ...more },
    })
  const confirm = (session: SessionSecret, body?: unknown) =>
    send('POST', at(session, 'confirm'), { headers: held(session), body })

  /** A session's secret; throws where there is none. */
  async function open(body: unknown = purchase): Promise<SessionSecret> {
    return made(await create(body)).body
  }

  /** The reference of a card. */
  async function reference(session: SessionSecret, number = visa): Promise<string> {
    return made(await referenceCard(session, cardOf(number))).body.card_reference
  }

  /** References a card and authenticates it. */
  async function present(session: SessionSecret, number = visa, more: object = {}) {
    return authenticate(session, await reference(session, number), more)
  }

  return {
    base_url,
    secret_key,
    withKey,
    send,
    create,
    createFrom,
    open,
    referenceCard,
    reference,
    authenticate,
    present,
    confirm,
    state: (session: SessionSecret) => send('GET', at(session, 'state'), { headers: held(session) }),
    expire: (id: string, key: string = randomUUID()) =>
      send('POST', `/v1/checkout/sessions/${id}/expire`, { headers: { ...withKey, 'rip-idempotency-key': key } }),
    readSession: (id: string) => send('GET', `/v1/checkout/sessions/${id}`, { headers: withKey }),
    readPayment: (id: string) => send('GET', `/v1/payments/${id}`, { headers: withKey }),
    /** capture, void or escalate; a key of null sends none. */
    decideHold: (verb: string, id: string, key: string | null = randomUUID(), body?: unknown) =>
      send('POST', `/v1/payments/${id}/hold/${verb}`, {
        headers: { ...withKey, ...(key !== null && { 'rip-idempotency-key': key }) },
        ...(body !== undefined && { body }),
      }),
    refund: (id: string, body: unknown = {}, key: string | null = randomUUID()) =>
      send('POST', `/v1/payments/${id}/refunds`, {
        headers: { ...withKey, ...(key !== null && { 'rip-idempotency-key': key }) },
        body,
      }),
    listRefunds: (payment_id: string) => send('GET', `/v1/payments/${payment_id}/refunds`, { headers: withKey }),
    readRefund: (id: string) => send('GET', `/v1/refunds/${id}`, { headers: withKey }),
    createEndpoint: (body: unknown, key?: string) =>
      send('POST', '/v1/webhooks/endpoints', { headers: keyed(key), body }),
    listEndpoints: () => send('GET', '/v1/webhooks/endpoints', { headers: withKey }),
    deleteEndpoint: (id: string, key?: string) =>
      send('DELETE', `/v1/webhooks/endpoints/${id}`, { headers: keyed(key) }),
    /** The query as it stands in the address. */
    listDeliveries: (query = '') => send('GET', `/v1/webhooks/deliveries?${query}`, { headers: withKey }),
    replayDelivery: (id: string, key?: string) =>
      send('POST', `/v1/webhooks/deliveries/${id}/replay`, { headers: keyed(key) }),
    /** A whole payment without a challenge. */
    async pay(number = visa, body: unknown = purchase): Promise<Answer> {
      const session = await open(body)
      made(await present(session, number))
      return confirm(session)
    },
  }
}

function made(answer: Answer): Answer {
  if (answer.status < 300) return answer
  throw new Error(`${answer.status} ${answer.text}`)
}

/** A refusal as a row names it: status and code. */
export function refusal({ status, body }: Answer): string {
  return `${status} ${body?.error?.ripper_code ?? body?.error ?? body?.code}`
}

/** What must be the same in two answers: all bytes but the request id's. */
export function bytes({ status, text }: Answer): string {
  return `${status} ${text.replace(/req_[0-9a-f]{24}/, 'req_')}`
}

type DescribedAnswer = { content?: Json; headers?: Record<string, object> }
type Described = {
  paths: Record<string, Record<string, { tags: string[]; responses: Record<string, DescribedAnswer> }>>
}
const descriptions = new Map<string, Promise<Described>>()

async function describedAt(base_url: string): Promise<Described> {
  const answer = await fetch(`${base_url}/openapi.json`)
  return (await answer.json()) as Described
}

/** Every JSON answer has the shape that /openapi.json gives to its route and status. */
async function expectDescribed(base_url: string, method: string, path: string, answer: Answer) {
  if (answer.body === null) return
  expect(answer.headers.get('rip-request-id')).toMatch(/^req_[0-9a-f]{24}$/)
  const asked = descriptions.get(base_url) ?? describedAt(base_url)
  descriptions.set(base_url, asked)
  const document = await asked
  const parts = path.split('?')[0]!.split('/')
  const template = Object.keys(document.paths).find((known) => {
    const names = known.split('/')
    return names.length === parts.length && names.every((name, index) => name.startsWith('{') || name === parts[index])
  })
  const operation = template && document.paths[template]?.[method.toLowerCase()]
  if (!operation) return
  // The other platform's clients find no route of ours.
  if (answer.status === 404 && answer.headers.has('service-compat-version') && !operation.tags.includes('Compatible')) {
    expect(answer.body).toMatchObject({ error: { type: 'invalid_request_error', code: 'resource_missing' } })
    return
  }
  const schema: Schema | undefined = operation.responses[answer.status]?.content?.['application/json'].schema
  const where = `${method} ${template} ${answer.status}`
  expect(schema, `${where} is not described: ${answer.text.slice(0, 200)}`).toBeDefined()
  expect(faultOf(schema!, answer.body, document), `${where} ${answer.text}`).toBeNull()
  const { headers = {} } = operation.responses[answer.status]!
  const described = (name: string) => Object.hasOwn(headers, name)
  for (const name of ['Rip-Request-Id', 'ETag', 'Retry-After']) {
    expect([where, name, answer.headers.has(name)]).toEqual([where, name, described(name)])
  }
  if ('request_id' in answer.body) {
    expect(answer.body.request_id).toBe(answer.headers.get('rip-request-id'))
  }
}

/** Goes through the bank's method page to its end; a silent bank's has none. */
export async function runMethod(url: string): Promise<void> {
  const visit = await openPage(url, isNotification)
  if (visit.arrival) await postBack(visit.arrival)
}

/** Goes through the bank's challenge, typing a code or pressing Cancel where a page waits for it. */
export async function runChallenge(url: string, code: string | 'cancel' = '1234'): Promise<void> {
  let visit = await openPage(url, isNotification)
  if (visit.page?.form) {
    const fields = code === 'cancel' ? { code: '', action: code } : { code, action: 'submit' }
    visit = await post(typed(visit.page, fields), isNotification)
  }
  if (visit.arrival) await postBack(visit.arrival)
}

/** Opens the bank's page and leaves it open. */
export async function openChallenge(url: string): Promise<void> {
  const visit = await openPage(url, isNotification)
  expect(visit.page?.form).toBeTruthy()
}

function isNotification(url: string): boolean {
  return /\/3ds\/(method\/\w+\/done|challenge\/\w+\/result)$/.test(url)
}

async function postBack({ url, fields }: Arrival): Promise<void> {
  const answer = await fetch(url, { method: 'POST', body: new URLSearchParams(fields) })
  expect(answer.status).toBe(200)
}
