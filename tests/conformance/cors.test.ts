// Which pages may read what the browser routes answer: exactly those of allowed origins, refusals included.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createIntegration } from '../../src/merchants/manage.ts'
import { openIntegrationOfSession } from '../../src/payments/sessions/session-integration.ts'
import { routes } from '../../src/routes.ts'
import {
  type Answer,
  browser,
  type Client,
  cardOf,
  purchase,
  refusal,
  type SessionSecret,
  visa,
} from '../support/client.ts'
import { type Account, type Service, shop, startService, until } from '../support/service.ts'

const pay = 'https://pay.example'
const kiosk = 'https://kiosk.example'
const elsewhere = 'https://elsewhere.example'
const evil = 'https://evil.example'

let service: Service
let client: Client
/** Has a hosted page; the other one has none. */
let account: Account
let other: Account
beforeAll(async () => {
  service = await startService({ pay_url: pay })
  ;({ client, account } = service)
  other = await service.newAccount({ integration: { allowed_origins: [elsewhere] } })
  await createIntegration(service.operator, account.merchant_id, {
    name: 'page',
    is_hosted_page: true,
    handle: 'tea',
    allowed_origins: [kiosk],
  })
})
afterAll(() => service.close())

type RequestParts = { headers?: Record<string, string>; body?: unknown; raw?: string }
const from = (origin: string | null, method: string, path: string, sent: RequestParts = {}) =>
  client.send(method, path, { ...sent, headers: { ...(origin && { origin }), ...sent.headers } })
const preflight = (origin: string | null, path: string, method = 'POST') =>
  from(origin, 'OPTIONS', path, { headers: { 'access-control-request-method': method } })
const allowed = ({ headers }: Answer) => headers.get('access-control-allow-origin')
const keyed = (key: string = crypto.randomUUID()) => ({ 'rip-idempotency-key': key })
const at = ({ id }: { id: string }, verb: string) => `/v1/checkout/sessions/${id}/${verb}`
const held = ({ client_secret }: SessionSecret) => ({ 'rip-client-secret': client_secret })
const unknownSession = { id: `cs_${'0'.repeat(24)}` }
const publicCreate = '/v1/checkout/public/sessions'

test('the browser routes answer pages of other origins, and no others do', () => {
  const readable = routes.filter(({ cors }) => cors).map(({ method, path }) => `${method} ${path}`)
  expect(readable).toEqual([
    'GET /v1/checkout/config/{public_key}',
    'GET /v1/checkout/methods/{public_key}',
    'GET /v1/checkout/handles/{handle}',
    'POST /v1/checkout/public/sessions',
    'POST /v1/checkout/handles/{handle}/sessions',
    'GET /v1/checkout/sessions/{session_id}/state',
    'POST /v1/checkout/sessions/{session_id}/authenticate',
    'POST /v1/checkout/sessions/{session_id}/confirm',
  ])
})

describe('reads', () => {
  const config = (key: string | null, query = '') => `/v1/checkout/config/${key}${query}`

  test.each<[string, () => string, string[], string[]]>([
    ['config', () => config(account.publishable_key), [shop], [kiosk, pay, elsewhere, evil, 'null']],
    ['methods', () => `/v1/checkout/methods/${account.publishable_key}`, [shop], [kiosk, pay, elsewhere, evil]],
    [
      "the hosted page's integration by name",
      () => config(account.publishable_key, '?integration=page'),
      [kiosk, pay],
      [shop, elsewhere, evil],
    ],
    ['its handle', () => '/v1/checkout/handles/tea', [kiosk, pay], [shop, elsewhere, evil]],
    ["another merchant's config", () => config(other.publishable_key), [elsewhere], [shop, pay]],
  ])('%s', async (_, path, yes, no) => {
    for (const origin of yes) {
      const answer = await from(origin, 'GET', path())
      expect([answer.status, allowed(answer)]).toEqual([200, origin])
      expect(answer.headers.get('access-control-expose-headers')).toBe(
        'Rip-Request-Id, Rip-Idempotent-Replayed, ETag, Retry-After',
      )
      const tag = answer.headers.get('etag')!
      const again = await from(origin, 'GET', path(), { headers: { 'if-none-match': tag } })
      expect([again.status, allowed(again)]).toEqual([304, origin])
      expect(allowed(await preflight(origin, path(), 'GET'))).toBe(origin)
    }
    for (const origin of no) {
      const answer = await from(origin, 'GET', path())
      expect([answer.status, ...corsHeaders(answer)]).toEqual([200])
      const asked = await preflight(origin, path(), 'GET')
      expect([asked.status, ...corsHeaders(asked)]).toEqual([204])
    }
  })

  test('what is not there is said to pages that any integration allows', async () => {
    for (const path of [config('x'), '/v1/checkout/handles/nobody']) {
      for (const origin of [shop, elsewhere, pay]) {
        const answer = await from(origin, 'GET', path)
        expect([answer.status, allowed(answer)]).toEqual([404, origin])
      }
      expect(corsHeaders(await from(evil, 'GET', path))).toEqual([])
    }
  })

  test('an integration made meanwhile is allowed', async () => {
    const late = 'https://late.example'
    expect(allowed(await preflight(late, publicCreate))).toBeNull()
    await service.newAccount({ integration: { allowed_origins: [late] } })
    await until(
      () => preflight(late, publicCreate),
      (answer) => allowed(answer) === late,
    )
  })
})

/** All that a page could be told by. */
function corsHeaders({ headers }: Answer): string[] {
  expect(headers.get('vary')).toBe('Origin')
  return [...headers.keys()].filter((name) => name.startsWith('access-control'))
}

test('a preflight says what may be sent', async () => {
  const answer = await preflight(shop, publicCreate)
  expect([answer.status, answer.text]).toEqual([204, ''])
  const told = Object.fromEntries([...answer.headers].filter(([name]) => /^(access|vary|allow)/.test(name)))
  expect(told).toEqual({
    'access-control-allow-origin': shop,
    'access-control-allow-methods': 'POST',
    'access-control-allow-headers': 'Content-Type, Rip-Client-Secret, Rip-Idempotency-Key, If-None-Match',
    'access-control-max-age': '600',
    allow: 'POST, OPTIONS',
    vary: 'Origin',
  })
  const read = await preflight(shop, `/v1/checkout/config/${account.publishable_key}`, 'GET')
  expect(read.headers.get('access-control-allow-methods')).toBe('GET')
  const without = await preflight(null, publicCreate)
  expect([without.status, ...corsHeaders(without)]).toEqual([204])
})

describe('creates', () => {
  const body = () => ({ public_key: account.publishable_key, ...purchase })

  test('from a page: its integration decides', async () => {
    expect(allowed(await from(shop, 'POST', publicCreate, { headers: keyed(), body: body() }))).toBe(shop)
    const refused = await from(elsewhere, 'POST', publicCreate, { headers: keyed(), body: body() })
    expect([refusal(refused), ...corsHeaders(refused)]).toEqual(['403 origin_not_allowed'])
    for (const origin of [shop, elsewhere, kiosk, pay]) {
      expect(allowed(await preflight(origin, publicCreate))).toBe(origin)
    }
    expect(allowed(await preflight(evil, publicCreate))).toBeNull()
  })

  test('at a handle: the hosted-page integration decides', async () => {
    const path = '/v1/checkout/handles/tea/sessions'
    for (const origin of [kiosk, pay]) {
      const answer = await from(origin, 'POST', path, { headers: keyed(), body: purchase })
      expect([answer.status, allowed(answer)]).toEqual([201, origin])
      expect(allowed(await preflight(origin, path))).toBe(origin)
    }
    expect(allowed(await from(shop, 'POST', path, { headers: keyed(), body: purchase }))).toBeNull()
    expect(allowed(await preflight(shop, path))).toBeNull()
  })

  test.each<[string, () => RequestParts, string]>([
    ['a bad body', () => ({ headers: keyed(), body: { ...body(), amount: 0 } }), '400 invalid_request'],
    ['no key', () => ({ body: body() }), '400 idempotency_key_missing'],
    ['no JSON', () => ({ headers: keyed(), raw: '{' }), '400 invalid_request'],
    [
      'a form',
      () => ({
        headers: { ...keyed(), 'content-type': 'application/x-www-form-urlencoded' },
        raw: 'a=b',
      }),
      '415 invalid_request',
    ],
    ['too much', () => ({ headers: keyed(), raw: ' '.repeat(128 * 1024 + 1) }), '413 invalid_request'],
    ['an unknown key', () => ({ body: { ...body(), public_key: 'x' } }), '401 unauthorized'],
    ['an unknown integration', () => ({ body: { ...body(), integration: 'x' } }), '404 resource_not_found'],
  ])('a refusal of %s can be read', async (_, sent, expected) => {
    const answer = await from(shop, 'POST', publicCreate, sent())
    expect([refusal(answer), allowed(answer)]).toEqual([expected, shop])
    expect(corsHeaders(await from(evil, 'POST', publicCreate, sent()))).toEqual([])
  })

  test('a replay and a reused key can be read', async () => {
    const send = (amount: number) =>
      from(shop, 'POST', publicCreate, { headers: keyed('again'), body: { ...body(), amount } })
    const answers = [await send(1), await send(1), await send(2)]
    expect(answers.map(allowed)).toEqual([shop, shop, shop])
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 409])
  })
})

describe('sessions', () => {
  const calls = [
    ['GET', 'state'],
    ['POST', 'authenticate'],
    ['POST', 'confirm'],
  ] as const

  test.each(calls)('%s %s: the integration of the session, and the hosted page', async (method, verb) => {
    const mine = await client.open()
    const theirs = await other.client.open()
    const rows: [SessionSecret, string, string | null][] = [
      [mine, shop, shop],
      [mine, pay, pay],
      [mine, kiosk, null],
      [mine, elsewhere, null],
      [mine, evil, null],
      [theirs, elsewhere, elsewhere],
      [theirs, shop, null],
      // That merchant has no hosted page.
      [theirs, pay, null],
    ]
    for (const [session, origin, expected] of rows) {
      const sent = { headers: held(session), ...(method === 'POST' && { body: { a: 1 } }) }
      const answer = await from(origin, method, at(session, verb), sent)
      expect(answer.status).toBe(method === 'POST' ? 400 : 200)
      expect([origin, allowed(answer)]).toEqual([origin, expected])
    }
  })

  test.each(calls)('%s %s: without its secret a session is like one that is not there', async (method, verb) => {
    const mine = await client.open()
    const theirs = await other.client.open()
    const guessed = `_secret_${'0'.repeat(64)}`
    for (const { id } of [mine, theirs, unknownSession, { id: 'x' }, { id: '%00' }]) {
      const anothers = id === mine.id ? theirs.client_secret : mine.client_secret
      for (const client_secret of [null, 'x', id + guessed, anothers]) {
        const headers = client_secret === null ? {} : held({ id, client_secret })
        for (const origin of [shop, kiosk, pay, elsewhere]) {
          const answer = await from(origin, method, at({ id }, verb), { headers })
          expect([refusal(answer), allowed(answer)]).toEqual(['401 unauthorized', origin])
        }
        const strange = await from(evil, method, at({ id }, verb), { headers })
        expect([refusal(strange), ...corsHeaders(strange)]).toEqual(['401 unauthorized'])
      }
      for (const origin of [shop, kiosk, pay, elsewhere]) {
        expect(allowed(await preflight(origin, at({ id }, verb), method))).toBe(origin)
      }
      expect(corsHeaders(await preflight(evil, at({ id }, verb), method))).toEqual([])
    }
  })

  test('a whole payment from the page of another origin', async () => {
    const created = await client.createFrom(shop, {
      public_key: account.publishable_key,
      ...purchase,
    })
    const session = created.body
    const card_reference = await client.reference(session)
    const early = await from(shop, 'POST', at(session, 'confirm'), { headers: held(session) })
    expect([refusal(early), allowed(early)]).toEqual(['409 authentication_incomplete', shop])
    const authenticated = await from(shop, 'POST', at(session, 'authenticate'), {
      headers: held(session),
      body: { card_reference, browser },
    })
    const confirmed = await from(shop, 'POST', at(session, 'confirm'), { headers: held(session) })
    const state = await from(shop, 'GET', at(session, 'state'), { headers: held(session) })
    expect([authenticated, confirmed, state].map(allowed)).toEqual([shop, shop, shop])
    expect(confirmed.body.status).toBe('held')
    expect(state.headers.get('cache-control')).toBe('no-store')
  })
})

describe('what no other page may read', () => {
  test('card references', async () => {
    const session = await client.open()
    const path = at(session, 'card_references')
    const asked = await preflight(shop, path)
    expect(refusal(asked)).toBe('405 invalid_request')
    expect(asked.headers.get('allow')).toBe('POST')
    const answer = await from(shop, 'POST', path, { headers: held(session), body: cardOf(visa) })
    expect(answer.status).toBe(201)
    for (const { headers } of [asked, answer]) {
      expect([...headers.keys()].filter((name) => /^access-control|^vary/.test(name))).toEqual([])
    }
  })

  test.each(['/v1/checkout/sessions', '/v1/checkout/sessions/cs_0', '/v1/payments/pay_0'])('%s', async (path) => {
    const asked = await preflight(shop, path)
    expect(refusal(asked)).toBe('405 invalid_request')
    const headers = { ...client.withKey, ...keyed() }
    const method = path.endsWith('sessions') ? 'POST' : 'GET'
    const answer = await from(shop, method, path, {
      headers,
      ...(method === 'POST' && { body: purchase }),
    })
    for (const each of [asked, answer]) expect(allowed(each)).toBeNull()
  })

  test('other methods of a path that pages call', async () => {
    const answer = await from(shop, 'DELETE', publicCreate)
    expect(refusal(answer)).toBe('405 invalid_request')
    expect(answer.headers.get('allow')).toBe('POST, OPTIONS')
  })
})

describe('look-ups', () => {
  test('one of a session where a known origin and the secret ask for it, and none otherwise', async () => {
    const { context } = service
    const session = await client.open()
    const { integrationOfSession } = context
    const { allowedOrigins } = context.directory
    const asked: string[] = []
    context.integrationOfSession = (id) => {
      asked.push('session')
      return integrationOfSession(id)
    }
    context.directory.allowedOrigins = () => {
      asked.push('origins')
      return allowedOrigins()
    }
    const costs = async (origin: string | null, holder = session, method = 'GET') => {
      asked.length = 0
      const headers = method === 'GET' ? held(holder) : {}
      await from(origin, method, at(session, 'state'), { headers })
      return [...asked]
    }
    try {
      expect(await costs(null)).toEqual([])
      expect(await costs(evil)).toEqual(['origins'])
      expect(await costs(shop)).toEqual(['origins', 'session'])
      expect(await costs(shop, { ...session, client_secret: 'x' })).toEqual(['origins'])
      expect(await costs(shop, session, 'OPTIONS')).toEqual(['origins'])
    } finally {
      Object.assign(context, { integrationOfSession })
      Object.assign(context.directory, { allowedOrigins })
    }
  })

  test('the integration of a session is read once, and that of an unknown one is not kept', async () => {
    const session = await client.open()
    const { merchant_id, integration } = account
    const found = { merchant_id, integration_id: integration!.integration_id }
    const told: string[] = []
    const { sql, ...counted } = await service.database.open({
      onStatement: (text) => told.push(text.replace(/\s+/g, ' ').trim()),
    })
    const integrationOfSession = openIntegrationOfSession(sql, service.context.directory.merchantIdOfSession)
    try {
      expect(await integrationOfSession(session.id)).toEqual(found)
      expect(told.at(-1)).toMatch(/^select integration_id from sessions /)
      await service.sql`delete from sessions where session_id = ${session.id}`
      expect(await integrationOfSession(session.id)).toEqual(found)
      expect(await integrationOfSession(unknownSession.id)).toBeNull()
    } finally {
      await counted.close()
    }
  })

  test('one that fails costs the permission, not the answer', async () => {
    const { context } = service
    const { integrationOfSession } = context
    const session = await client.open()
    context.integrationOfSession = () => Promise.reject(new Error('a defect'))
    try {
      const answer = await from(shop, 'GET', at(session, 'state'), { headers: held(session) })
      expect([answer.status, ...corsHeaders(answer)]).toEqual([200])
      const told = service.log.filter(({ message }) => message === 'origin not judged')
      expect(told.map(({ fields }) => fields)).toMatchObject([{ request_id: answer.headers.get('rip-request-id') }])
    } finally {
      Object.assign(context, { integrationOfSession })
    }
  })
})

test('the gateway limit can be read by the pages it holds up, and counts no preflight', async () => {
  const limited = await startService({ gateway_limit: 2 })
  const path = `${limited.base_url}/v1/checkout/sessions/${unknownSession.id}/confirm`
  const asked = (origin: string) => ({ origin, 'access-control-request-method': 'POST' })
  const ask = async (origin: string) => {
    const before = await fetch(path, { method: 'OPTIONS', headers: asked(origin) })
    expect([before.status, before.headers.get('retry-after')]).toEqual([204, null])
    // What a page can send only after a preflight that said yes.
    const headers = { origin, 'content-type': 'application/json', 'rip-client-secret': 'x' }
    const answer = await fetch(path, { method: 'POST', headers, body: '{}' })
    return [before, answer]
      .map((each) => each.headers.get('access-control-allow-origin'))
      .concat(
        String(answer.status),
        answer.headers.get('access-control-expose-headers')?.match(/Retry-After/)?.[0] ?? '',
      )
  }
  try {
    for (let count = 0; count < 2; count++) {
      expect(await ask(shop)).toEqual([shop, shop, '401', 'Retry-After'])
    }
    expect(await ask(shop)).toEqual([shop, shop, '429', 'Retry-After'])
    expect(await ask(evil)).toEqual([null, null, '429', ''])
  } finally {
    await limited.close()
  }
})
