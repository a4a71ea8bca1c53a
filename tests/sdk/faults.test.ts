// The SDK against a service that fails in every way that a network and a service can.

import { inspect } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { answer_max_bytes } from '../../sdk/src/attempt.ts'
import { AbortError, ApiError, ConnectionError, RipperError, TimeoutError } from '../../sdk/src/errors.ts'
import { pause } from '../../sdk/src/pause.ts'
import type { Ripper } from '../../sdk/src/ripper.ts'
import { answerMeta } from '../../sdk/src/send.ts'
import {
  answers,
  dies,
  diesWithin,
  type FaultServer,
  openFaultServer,
  secret_key,
  staysSilent,
  stopsWithin,
  type Treatment,
} from '../support/sdk-fault-server.ts'

let server: FaultServer
beforeAll(async () => {
  server = await openFaultServer()
})
afterAll(() => server.close())

const purchase = { amount: 4200, currency: 'GBP' }
const created = answers(201, { id: 'cs_1' })
const create = (ripper: Ripper) => ripper.checkout.sessions.create(purchase)
const keysOf = () => server.asked.map(({ headers }) => headers['rip-idempotency-key'])

async function errorOf(call: Promise<unknown>): Promise<RipperError> {
  const error = await call.then(
    () => new Error('it was done'),
    (thrown: unknown) => thrown,
  )
  if (error instanceof RipperError) return error
  throw error
}

/** Two of a fault, then an answer. */
describe('tried again under the same key, until it is done:', () => {
  const in_use = { error: 'idempotency_key_in_use', message: 'wait' }
  test.each<[string, Treatment]>([
    ['a connection that dies before the answer', dies],
    ['one that dies within it', diesWithin],
    ['half an answer, ended as if it were whole', answers(201, '{"id":')],
    ['429 as plain text', answers(429, 'Too many requests.', { 'retry-after': '1' })],
    ['429 of a webhook route', answers(429, { error: 'rate_limit_exceeded', message: '' })],
    ['500', answers(500, { error: 'internal_error', message: null, request_id: 'req_1' })],
    ['502 of a proxy', answers(502, '<html>')],
    ['503', answers(503, { error: 'store_unavailable', message: '', request_id: 'req_1' })],
    ['504', answers(504, '')],
    ['a first request that is still running', answers(409, in_use)],
  ])('%s', async (_, fault) => {
    server.treat(fault, fault, created)
    expect(await create(server.client())).toEqual({ id: 'cs_1' })
    const [key, ...others] = keysOf()
    expect(key).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/)
    expect(others).toEqual([key, key])
    expect(server.asked.map(({ body }) => JSON.parse(body))).toEqual([purchase, purchase, purchase])
    expect(server.waits).toHaveLength(2)
  })
})

describe('never tried again:', () => {
  test.each<[string, Treatment, string]>([
    ['a key of another body', answers(409, { error: 'idempotency_key_reused' }), '409 idempotency'],
    ['a refused operation', answers(409, { error: 'operation_refused' }), '409 operation_refused'],
    ['400', answers(400, { error: 'invalid_request', message: 'no' }), '400 invalid_request'],
    ['401', answers(401, { code: 'unknown_principal' }), '401 unknown_principal'],
    ['404', answers(404, { error: 'resource_not_found' }), '404 resource_not_found'],
    ['garbage', answers(200, '<html>'), '200 unexpected_response'],
    ['JSON that is no object', answers(201, '[1', {}), '201 unexpected_response'],
    ['no body', answers(201, ''), '201 unexpected_response'],
    ['204', answers(204, ''), '204 unexpected_response'],
    ['an answer without end', answers(200, 'x'.repeat(answer_max_bytes + 1)), '200 response_too_large'],
    ['an hour’s wait', answers(429, 'no', { 'retry-after': '3600' }), '429 rate_limit_exceeded'],
  ])('%s', async (_, fault, told) => {
    server.treat(fault)
    const error = await errorOf(create(server.client({ retries_max: 5 })))
    expect(error).toBeInstanceOf(ApiError)
    expect(`${error.status} ${error.code}`).toContain(told)
    expect(server.asked).toHaveLength(1)
  })
})

test('Retry-After is waited for, and each wait is longer than the one before', async () => {
  server.treat(
    answers(503, { error: 'store_unavailable' }, { 'retry-after': '7' }),
    answers(429, 'no', { 'retry-after': '2' }),
    dies,
    dies,
    created,
  )
  await create(server.client({ retries_max: 4 }))
  expect(server.waits.slice(0, 2)).toEqual([7_000, 2_000])
  const [third, fourth] = server.waits.slice(2)
  for (const [wait, whole] of [
    [third!, 2_000],
    [fourth!, 4_000],
  ] as const) {
    expect(wait).toBeGreaterThanOrEqual(whole / 2)
    expect(wait).toBeLessThanOrEqual(whole)
  }
})

describe('every call is repeated safely:', () => {
  test.each<[string, (ripper: Ripper) => Promise<unknown>, string, boolean]>([
    ['create a session', create, 'POST /v1/checkout/sessions', true],
    ['read one', (ripper) => ripper.checkout.sessions.retrieve('cs_1'), 'GET /v1/checkout/sessions/cs_1', false],
    ['read a payment', (ripper) => ripper.payments.retrieve('pay_1'), 'GET /v1/payments/pay_1', false],
    ['capture', (ripper) => ripper.payments.capture('pay_1'), 'POST /v1/payments/pay_1/hold/capture', true],
    ['void', (ripper) => ripper.payments.void('pay_1'), 'POST /v1/payments/pay_1/hold/void', true],
    ['escalate', (ripper) => ripper.payments.escalate('pay_1'), 'POST /v1/payments/pay_1/hold/escalate', true],
    [
      'register an endpoint',
      (ripper) => ripper.webhooks.endpoints.create({ url: 'https://shop.example/hooks' }),
      'POST /v1/webhooks/endpoints',
      true,
    ],
    ['list endpoints', (ripper) => ripper.webhooks.endpoints.list(), 'GET /v1/webhooks/endpoints', false],
    [
      'delete one',
      (ripper) => ripper.webhooks.endpoints.delete('whep_1'),
      'DELETE /v1/webhooks/endpoints/whep_1',
      true,
    ],
    [
      'list deliveries',
      (ripper) => ripper.webhooks.deliveries.list({ limit: 5, status: 'failed' }),
      'GET /v1/webhooks/deliveries?limit=5&status=failed',
      false,
    ],
    [
      'replay one',
      (ripper) => ripper.webhooks.deliveries.replay('0'.repeat(32)),
      `POST /v1/webhooks/deliveries/${'0'.repeat(32)}/replay`,
      true,
    ],
  ])('%s', async (_, call, line, keyed) => {
    server.treat(dies, answers(200, { id: 'x' }))
    await call(server.client())
    expect(server.asked.map(({ method, path }) => `${method} ${path}`)).toEqual([line, line])
    const [key, again] = keysOf()
    expect(key !== undefined).toBe(keyed)
    expect(again).toBe(key)
    expect(server.asked[0]!.headers['x-service-api-key']).toBe(secret_key)
  })

  test('a key that is given is the one that is sent', async () => {
    server.treat(dies, created)
    const answer = await server.client().checkout.sessions.create(purchase, {
      idempotency_key: 'order-1001',
    })
    expect(keysOf()).toEqual(['order-1001', 'order-1001'])
    expect(answerMeta(answer)).toMatchObject({ idempotency_key: 'order-1001', replayed: false })
  })

  test('two calls have two keys', async () => {
    server.treat(created)
    await create(server.client())
    await create(server.client())
    expect(new Set(keysOf()).size).toBe(2)
  })
})

describe('given up after the last try:', () => {
  test.each<[string, Treatment, abstract new (...args: never[]) => RipperError, string]>([
    ['dead connections', dies, ConnectionError, 'connection_failed'],
    ['half answers', diesWithin, ConnectionError, 'connection_failed'],
    ['no answer', staysSilent, TimeoutError, 'timeout'],
    ['half an answer and silence', stopsWithin, TimeoutError, 'timeout'],
    ['503', answers(503, { error: 'store_unavailable' }), ApiError, 'store_unavailable'],
  ])('%s', async (_, fault, kind, code) => {
    server.treat(fault)
    const timeout_ms = code === 'timeout' ? 400 : 30_000
    const error = await errorOf(create(server.client({ timeout_ms, retries_max: 1 })))
    expect(error).toBeInstanceOf(kind)
    const [key, again] = keysOf()
    expect(error).toMatchObject({ code, idempotency_key: key })
    expect(again).toBe(key)
    expect(server.asked).toHaveLength(2)
    if (error instanceof ConnectionError) {
      expect(error.message).toMatch(/POST \/v1\/checkout\/sessions.*unknown.*same idempotency_key/)
    }
  })

  test('of a read nothing is unknown', async () => {
    server.treat(dies)
    const error = await errorOf(server.client({ retries_max: 0 }).payments.retrieve('pay_1'))
    expect(error.message).toMatch(/GET \/v1\/payments\/pay_1 \(.*ECONNRESET\).*a read/)
    expect(error).toMatchObject({ idempotency_key: null, status: null, request_id: null })
    expect(server.asked).toHaveLength(1)
  })

  test('nothing listens', async () => {
    const closed = await openFaultServer()
    await closed.close()
    const error = await errorOf(create(closed.client()))
    expect(error).toMatchObject({ code: 'connection_failed' })
    expect(error.message).toMatch(/ECONNREFUSED/)
    expect(closed.waits).toHaveLength(2)
  })
})

describe('a signal ends a call', () => {
  const reason = new Error('the shopper has gone')

  test('that has not begun', async () => {
    server.treat(created)
    const signal = AbortSignal.abort(reason)
    const call = server.client().checkout.sessions.create(purchase, { signal })
    const error = await errorOf(call)
    expect(error).toMatchObject({ name: 'AbortError', cause: reason, idempotency_key: null })
    expect(error.message).toContain('before anything was sent')
    expect(server.asked).toEqual([])
  })

  test.each([
    ['that waits for an answer', staysSilent],
    ['that waits for the rest of one', stopsWithin],
  ])('%s', async (_, fault) => {
    server.treat(fault)
    const aborting = new AbortController()
    const call = server.client().payments.capture('pay_1', { signal: aborting.signal })
    await server.has(1)
    aborting.abort(reason)
    const error = await errorOf(call)
    expect(error).toBeInstanceOf(AbortError)
    expect(error).toMatchObject({ code: 'aborted', cause: reason, idempotency_key: keysOf()[0] })
    expect(error.message).toMatch(/aborted.*POST .*unknown.*same idempotency_key/)
    expect(JSON.parse(JSON.stringify(error))).toMatchObject({ name: 'AbortError', code: 'aborted' })
    expect(server.asked).toHaveLength(1)
  })

  test('that waits to be tried again', async () => {
    server.treat(answers(503, { error: 'store_unavailable' }, { 'retry-after': '60' }))
    const aborting = new AbortController()
    const ripper = server.client({
      sleep: (duration_ms, signal) => {
        const waiting = pause(duration_ms, signal)
        aborting.abort(reason)
        return waiting
      },
    })
    const call = ripper.checkout.sessions.create(purchase, {
      signal: aborting.signal,
      idempotency_key: 'order-1',
    })
    expect(await errorOf(call)).toMatchObject({ name: 'AbortError', cause: reason, idempotency_key: 'order-1' })
    expect(server.asked).toHaveLength(1)
  })

  test('whose fetch does not listen', async () => {
    const deaf = server.client({ fetch: () => new Promise(() => {}), timeout_ms: 20 })
    const error = await errorOf(deaf.payments.retrieve('pay_1', { retries_max: 0 }))
    expect(error).toMatchObject({ code: 'timeout' })
  })
})

test('a redirect is not followed, and the key does not go there', async () => {
  const elsewhere = await openFaultServer()
  elsewhere.treat(created)
  server.treat(answers(307, '', { location: `${elsewhere.base_url}/v1/checkout/sessions` }))
  const error = await errorOf(create(server.client()))
  expect(error).toMatchObject({ code: 'unexpected_response', status: 307 })
  expect(elsewhere.asked).toEqual([])
  await elsewhere.close()
})

describe('the secret key is in no error', () => {
  const leaky = () => Promise.reject(new Error(`could not send ${secret_key}`))
  test.each<[string, Treatment, typeof fetch | undefined]>([
    ['of a dead connection', dies, undefined],
    ['of silence', staysSilent, undefined],
    ['of a refusal', answers(401, { error: 'unauthorized', message: 'no' }), undefined],
    ['of garbage', answers(200, 'x'), undefined],
    ['of a fetch that tells it', created, leaky],
  ])('%s', async (_, fault, fetch) => {
    server.treat(fault)
    const error = await errorOf(create(server.client({ timeout_ms: 50, retries_max: 0, fetch })))
    const shown = inspect(error, { depth: Infinity, showHidden: true, getters: true })
    for (const text of [shown, JSON.stringify(error), String(error), error.stack]) {
      expect(text).not.toContain(secret_key)
    }
  })
})
