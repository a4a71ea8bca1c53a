// Requests that are tried again, and those that are not.

import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest'

// The module reads at once where its script came from.
vi.stubGlobal('document', { currentScript: { src: 'https://pay.example/checkout.js', nonce: '' } })
afterAll(() => vi.unstubAllGlobals())
const { ask } = await import('./ask.ts')

type Planned = 'cut' | { status: number; body?: unknown; headers?: Record<string, string> }

const times: number[] = []

function answers(...planned: Planned[]) {
  vi.stubGlobal(
    'fetch',
    vi.fn(async () => {
      times.push(Date.now())
      const next = planned.shift()!
      if (next === 'cut') throw new TypeError('Failed to fetch')
      const text = typeof next.body === 'string' ? next.body : JSON.stringify(next.body)
      return new Response(text, { status: next.status, headers: next.headers })
    }),
  )
}

beforeEach(() => {
  times.length = 0
  vi.useFakeTimers({ now: 0, toFake: ['setTimeout', 'clearTimeout', 'Date'] })
})
afterEach(() => vi.useRealTimers())

/** What came of it, with every wait cut short. */
async function asked(body?: object): Promise<unknown> {
  const outcome = ask('/v1/x', { 'rip-client-secret': 's' }, body).catch((error) => error)
  await vi.runAllTimersAsync()
  return outcome
}

const lost: Planned = { status: 503, body: { error: 'store_unavailable', message: null } }

test('the request goes to where the script came from, without cookies', async () => {
  answers({ status: 200, body: { ok: 1 } })
  expect(await asked({ a: 1 })).toEqual({ ok: 1 })
  expect(fetch).toHaveBeenCalledWith(
    'https://pay.example/v1/x',
    expect.objectContaining({
      method: 'POST',
      body: '{"a":1}',
      credentials: 'omit',
      headers: { 'rip-client-secret': 's', 'content-type': 'application/json' },
    }),
  )
})

describe('tried again', () => {
  test.each<[string, Planned]>([
    ['a lost connection', 'cut'],
    ['a failing service', lost],
    ['an answer cut short', { status: 200, body: '{"ok"' }],
    ['a gateway without the service', { status: 502, body: '<html>' }],
    ['the first request still running', { status: 409, body: { error: 'idempotency_key_reused' } }],
  ])('%s', async (_, planned) => {
    answers(planned, { status: 200, body: { ok: 1 } })
    expect(await asked()).toEqual({ ok: 1 })
    expect(times).toEqual([0, 500])
  })

  test('three times, and then no more', async () => {
    answers('cut', lost, 'cut', lost)
    expect(await asked()).toMatchObject({ code: 'store_unavailable' })
    expect(times).toEqual([0, 500, 2000, 6000])
  })

  test('nothing ever answers', async () => {
    answers('cut', 'cut', 'cut', 'cut')
    expect(await asked()).toMatchObject({ code: 'network_error', request_id: null })
  })
})

describe('final', () => {
  test('a refusal', async () => {
    const body = { error: 'session_expired', message: 'Too late.', request_id: 'req_1' }
    answers({ status: 409, body })
    expect(await asked()).toMatchObject({
      code: 'session_expired',
      message: 'Too late.',
      request_id: 'req_1',
      docs_url: 'https://pay.example/docs#session_expired',
    })
    expect(times).toEqual([0])
  })

  test('too many requests, in the words of a gateway', async () => {
    answers({ status: 429, body: 'slow down', headers: { 'retry-after': '42' } })
    expect(await asked()).toMatchObject({ code: 'rate_limit_exceeded', retry_after_seconds: 42 })
  })

  test('an unfinished authentication brings its challenge', async () => {
    const three_ds = { state: 'awaiting_challenge', challenge: { url: 'u' } }
    answers({ status: 409, body: { error: 'authentication_incomplete', three_ds } })
    expect(await asked()).toMatchObject({ three_ds })
  })
})
