import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Context } from './context.ts'
import { keptPayments } from './kept.ts'
import type { Purchase } from './link.ts'
import { openSession } from './session.ts'

const context = { base_url: 'http://pay.example', handle: 'demo' } as Context
const purchase: Purchase = {
  amount: 4200,
  currency: 'GBP',
  items: null,
  email: 'a@b.example',
  order_reference: null,
}
const wanted = { key: 'k', purchase }
const created = { id: 'cs_1', client_secret: 'cs_1_secret_2', amount: 4200, currency: 'GBP' }

type Sent = { url: string; key: string; body: unknown }
let sent: Sent[] = []
let answers: (() => Response)[] = []

beforeEach(() => {
  sent = []
  vi.stubGlobal('fetch', async (url: string, init: RequestInit) => {
    const key = new Headers(init.headers).get('rip-idempotency-key')!
    sent.push({ url, key, body: JSON.parse(init.body as string) })
    return answers.shift()!()
  })
})
afterEach(() => vi.unstubAllGlobals())

const answer = (status: number, body: object | string) => () =>
  new Response(typeof body === 'string' ? body : JSON.stringify(body), { status })
const noAnswer = () => {
  throw new TypeError('failed to fetch')
}
const noStorage = () => {
  throw new Error('denied')
}

test('says what the link says, and keeps the secret', async () => {
  answers = [answer(201, created)]
  const kept = keptPayments(noStorage)
  expect(await openSession(context, kept, wanted)).toEqual({ ok: true, body: created })
  expect(sent[0]).toMatchObject({
    url: 'http://pay.example/v1/checkout/handles/demo/sessions',
    body: { amount: 4200, currency: 'GBP', customer: { email: 'a@b.example' } },
  })
  expect(kept.read('k')).toMatchObject({ client_secret: created.client_secret })
})

test('asks with the same key after no answer', async () => {
  answers = [noAnswer, answer(503, { error: 'store_unavailable' }), answer(201, created)]
  const kept = keptPayments(noStorage)
  expect(await openSession(context, kept, wanted)).toMatchObject({
    refusal: { code: 'network_error' },
  })
  expect(await openSession(context, kept, wanted)).toMatchObject({
    refusal: { code: 'store_unavailable' },
  })
  expect(await openSession(context, kept, wanted)).toMatchObject({ ok: true })
  expect(new Set(sent.map(({ key }) => key)).size).toBe(1)
})

test('takes another key where a request with the first still runs', async () => {
  answers = [answer(409, { error: 'idempotency_key_reused' }), answer(201, created)]
  const kept = keptPayments(noStorage)
  expect(await openSession(context, kept, wanted)).toMatchObject({ ok: true })
  expect(sent[0]!.key).not.toBe(sent[1]!.key)
  expect(kept.read('k')).toMatchObject({ idempotency_key: sent[1]!.key })
})

test.each([
  [
    answer(422, { error: 'amount_unverified', message: 'No.', request_id: 'req_1' }),
    {
      code: 'amount_unverified',
      message: 'No.',
      request_id: 'req_1',
    },
  ],
  [answer(429, 'Slow down.'), { code: 'rate_limit_exceeded', message: null, request_id: null }],
  [answer(502, '<html>'), { code: 'internal_error', message: null, request_id: null }],
  [answer(201, ''), { code: 'internal_error', message: null, request_id: null }],
])('reports refusal %#', async (response, refusal) => {
  answers = [response]
  expect(await openSession(context, keptPayments(noStorage), wanted)).toEqual({
    ok: false,
    refusal,
  })
})
