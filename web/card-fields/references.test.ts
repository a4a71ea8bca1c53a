// References: made early, reused, made anew, tried again, and never more of them than the service takes.

import { expect, test } from 'vitest'
import { type CardEntry, type CardReferences, cardReferences } from './references.ts'

const session = { session_id: 'cs_1', client_secret: 'secret', mode: 'test' } as const
const minute_ms = 60_000

type Reply = { status: number; body?: unknown; retry_after?: string }

type Stage = ReturnType<typeof stage>

/** `replies` are given in turn, the last one for ever; `lost` is a request without an answer. */
function stage(...replies: (Reply | 'lost')[]) {
  const requests: { url: string; init: RequestInit }[] = []
  const waits_ms: number[] = []
  const methods: string[] = []
  let now_ms = 1_000_000
  const references = cardReferences({
    fetch: (async (url: string, init: RequestInit) => {
      requests.push({ url, init })
      const reply = replies[Math.min(requests.length, replies.length) - 1] ?? reference(1)
      if (reply === 'lost') throw new TypeError('fetch failed')
      const headers: HeadersInit = reply.retry_after ? { 'retry-after': reply.retry_after } : {}
      return new Response(JSON.stringify(reply.body ?? null), { status: reply.status, headers })
    }) as typeof fetch,
    now_ms: () => now_ms,
    wait: async (ms) => {
      waits_ms.push(ms)
    },
    openMethod: (url) => methods.push(url),
  })
  references.open(session)
  const pass = (ms: number) => {
    now_ms += ms
  }
  return { references, requests, waits_ms, methods, pass }
}

const reference = (number: number, url?: string): Reply => ({
  status: 201,
  body: {
    card_reference: `card_${number}`,
    brand: 'visa',
    last4: '4242',
    three_ds_method: url ? { url } : null,
  },
})
const card = (edition: number): CardEntry => ({
  edition,
  card: { number: '4242424242424242', exp_month: 12, exp_year: 2030, cvc: '123' },
})

async function needed(references: CardReferences, edition: number) {
  const answer = await references.need(card(edition))
  return answer.kind === 'made' ? answer.card_reference : answer
}

test('the request', async () => {
  const { references, requests } = stage()
  await references.need(card(1))
  expect(requests).toHaveLength(1)
  const { url, init } = requests[0]!
  expect(url).toBe('../v1/checkout/sessions/cs_1/card_references')
  expect(init).toMatchObject({ method: 'POST', headers: { 'rip-client-secret': 'secret' } })
  expect(JSON.parse(init.body as string)).toEqual(card(1).card)
})

test('one made early is what is asked for later', async () => {
  const { references, requests, methods } = stage(reference(1, 'https://pay.example/m'))
  await references.early(card(1))
  await references.early(card(1))
  expect(await needed(references, 1)).toBe('card_1')
  expect(requests).toHaveLength(1)
  expect(methods).toEqual(['https://pay.example/m'])
})

test('asked for while it is being made, it is made once', async () => {
  const { references, requests } = stage()
  const early = references.early(card(1))
  expect(await needed(references, 1)).toBe('card_1')
  await early
  expect(requests).toHaveLength(1)
})

test.each<[string, (staged: Stage) => void, number]>([
  ['another card', () => {}, 2],
  ['14 minutes', ({ pass }) => pass(14 * minute_ms), 1],
  ['a clock put back', ({ pass }) => pass(-1), 1],
  ['a decline', ({ references }) => references.drop(), 1],
  ['another session', ({ references }) => references.open({ ...session, session_id: 'cs_2' }), 1],
])('after %s a new one is made', async (_, happen, edition) => {
  const staged = stage(reference(1), reference(2))
  await staged.references.early(card(1))
  happen(staged)
  expect(await needed(staged.references, edition)).toBe('card_2')
})

test.each<[string, (staged: Stage) => void]>([
  ['a minute short of its end', ({ pass }) => pass(14 * minute_ms - 1)],
  ['when the same session is named again', ({ references }) => references.open({ ...session })],
])('it is still good %s', async (_, happen) => {
  const staged = stage(reference(1), reference(2))
  await staged.references.early(card(1))
  happen(staged)
  expect(await needed(staged.references, 1)).toBe('card_1')
})

test('a card that changed while its request was under way stops it', async () => {
  const { references, requests } = stage(reference(1), reference(2))
  const early = references.early(card(1))
  expect(await needed(references, 2)).toBe('card_2')
  expect(requests[0]!.init.signal?.aborted).toBe(true)
  expect(await early).toEqual({ kind: 'unreachable', request_id: null })
  expect(await needed(references, 2)).toBe('card_2')
})

test('at submit it is tried three times', async () => {
  const { references, requests, waits_ms } = stage('lost', { status: 503 }, reference(3))
  expect(await needed(references, 1)).toBe('card_3')
  expect(requests).toHaveLength(3)
  expect(waits_ms).toEqual([500, 1500])
})

test('and then given up', async () => {
  const failure = { status: 500, body: { error: 'internal_error', request_id: 'req_9' } }
  const { references, requests } = stage('lost', failure, 'lost')
  expect(await needed(references, 1)).toEqual({
    kind: 'error',
    error: { code: 'network_error', message: null, request_id: 'req_9' },
    quiet_s: null,
  })
  expect(requests).toHaveLength(3)
})

test.each([400, 401, 409, 429])('a refusal with %i is not tried again', async (status) => {
  const { references, requests } = stage({ status, body: { error: 'no' } })
  expect(await references.need(card(1))).toMatchObject({ kind: 'error', error: { code: 'no' } })
  expect(requests).toHaveLength(1)
})

test('an early failure is tried again when the card is asked for, not before', async () => {
  const { references, requests } = stage('lost', reference(2))
  expect(await references.early(card(1))).toEqual({ kind: 'unreachable', request_id: null })
  expect(requests).toHaveLength(1)
  expect(await needed(references, 1)).toBe('card_2')
})

test('eight a minute are made early; asked for, there is one more', async () => {
  const { references, requests, pass } = stage()
  for (let edition = 1; edition <= 12; edition++) await references.early(card(edition))
  expect(requests).toHaveLength(8)
  await references.need(card(12))
  expect(requests).toHaveLength(9)
  pass(minute_ms)
  await references.early(card(13))
  expect(requests).toHaveLength(10)
})

test('where the service wants to be left alone, nothing is made early', async () => {
  const limited = { status: 429, body: { error: 'rate_limit_exceeded' }, retry_after: '20' }
  const { references, requests, pass } = stage(limited, reference(2))
  await references.early(card(1))
  pass(19_999)
  expect(await references.early(card(2))).toBeNull()
  expect(requests).toHaveLength(1)
  pass(1)
  await references.early(card(2))
  expect(requests).toHaveLength(2)
})

test('without a session there is none', async () => {
  const references = cardReferences({
    fetch: () => Promise.reject(new Error('not to be asked')),
    now_ms: () => 0,
    wait: () => Promise.resolve(),
    openMethod: () => {},
  })
  expect(await references.early(card(1))).toBeNull()
  expect(await needed(references, 1)).toMatchObject({ error: { code: 'session_missing' } })
})
