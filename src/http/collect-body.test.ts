import { EventEmitter } from 'node:events'
import { PassThrough } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { describe, expect, test } from 'vitest'
import { Refusal } from '../kernel/errors.ts'
import { BodyBudget } from './body-budget.ts'
import { bodyLimits } from './body-limits.ts'
import { chargeParsed, openBodies } from './collect-body.ts'

const bodyLimit = bodyLimits.basket.bytes
/** Room for seven large bodies, each of another sender. */
const budget = 7 * 100_000
const large = 105_000

/** The share for requests without a known key. */
function open(bytes_max: number) {
  return openBodies({ budget: new BodyBudget(bytes_max, 0), merchantOf: async () => null })
}

type Headers = Record<string, string>
let callers = 0

/** A body under way, with a caller of its own, and its outcome once it has one. */
function begin(
  collect: ReturnType<typeof openBodies>,
  headers: Headers = {},
  body_kind: string | null = 'basket',
  ip = `192.0.2.${++callers % 256}`,
) {
  const payload = new PassThrough({ highWaterMark: 1024 * 1024 })
  const { promise: outcome, resolve } = Promise.withResolvers<number | string | undefined>()
  const response = Object.assign(new EventEmitter(), { closed: false })
  const config = body_kind === null ? {} : { body_kind }
  const request = {
    headers,
    ip,
    route: { config },
    response,
    merchant_id: null,
    key_id: null,
    body_charge: null,
  } as unknown as FastifyRequest
  const calls = { count: 0 }
  collect(request, payload as never, (error, body) => {
    calls.count += 1
    if (error instanceof Refusal) resolve(`${error.status} ${error.code}`)
    else resolve(error ? error.message : body?.length)
    request.body = body
  })
  const send = (length: number) => payload.write(Buffer.alloc(length))
  const answer = () => response.emit('close')
  return { payload, outcome, send, request, answer, calls }
}

describe('the size of a body', () => {
  test.each([
    ['what comes in pieces', [1, 2, 70_000], 70_003],
    ['as much as is allowed', [bodyLimit], bodyLimit],
    ['a byte more', [bodyLimit, 1], '413 invalid_request'],
    ['nothing', [], 0],
  ])('%s', async (_, pieces, expected) => {
    const { payload, outcome, send } = begin(open(budget))
    for (const piece of pieces) send(piece)
    payload.end()
    expect(await outcome).toBe(expected)
  })

  test('one that says that it is too large is not waited for', async () => {
    const headers = { 'content-length': String(bodyLimit + 1) }
    expect(await begin(open(budget), headers).outcome).toBe('413 invalid_request')
  })

  test('one that breaks off', async () => {
    const { payload, outcome } = begin(open(budget))
    payload.destroy(new Error('gone'))
    expect(await outcome).toBe('gone')
  })
})

type Collect = ReturnType<typeof openBodies>

/** Sends a body, which is answered at once. */
async function sent(collect: Collect, length: number) {
  const { payload, outcome, answer } = begin(collect)
  payload.end(Buffer.alloc(length))
  const result = await outcome
  answer()
  return result
}

/** Sends a body and waits for its answer. */
async function waiting(collect: Collect, length: number) {
  const body = begin(collect)
  body.payload.end(Buffer.alloc(length))
  await body.outcome
  return body
}

describe('of all bodies together', () => {
  /** So many bodies that no large one fits, and that never end by themselves. */
  function fill() {
    const collect = open(budget)
    const bodies = Array.from({ length: 7 }, () => begin(collect))
    for (const { send } of bodies) send(large)
    return { collect, bodies }
  }

  test('a large one finds no room, a small one still does', async () => {
    const { collect } = fill()
    expect(await sent(collect, 40_000)).toBe('503 store_unavailable')
    expect(await sent(collect, 7_000)).toBe(7_000)
    expect(await sent(collect, 40_000)).toBe('503 store_unavailable')
  })

  test.each<[string, (body: ReturnType<typeof begin>) => unknown]>([
    ['breaks off', ({ payload }) => payload.destroy(new Error('gone'))],
    ['is too large', ({ payload }) => payload.write(Buffer.alloc(bodyLimit))],
    [
      'is whole and answered',
      async ({ payload, outcome, answer }) => {
        payload.end()
        await outcome
        answer()
      },
    ],
  ])('one that %s leaves its room', async (_, over) => {
    const { collect, bodies } = fill()
    await over(bodies[0]!)
    await bodies[0]!.outcome
    expect(await sent(collect, 100_000)).toBe(100_000)
    expect(await sent(collect, 100_000)).toBe(100_000)
  })

  test('one that is whole and waits for its answer keeps its room', async () => {
    const collect = open(budget)
    const first = await waiting(collect, large)
    for (let more = 0; more < 6; more++) await waiting(collect, large)
    expect(await sent(collect, 100_000)).toBe('503 store_unavailable')
    first.answer()
    expect(await sent(collect, 100_000)).toBe(100_000)
  })

  test('what is read of it counts, too, until the answer has gone', async () => {
    const collect = open(budget)
    const bodies = await Promise.all(Array.from({ length: 6 }, () => waiting(collect, 7_000)))
    expect(await sent(collect, 100_000)).toBe(100_000)
    for (const { request } of bodies) chargeParsed(request, 500)
    expect(await sent(collect, 100_000)).toBe('503 store_unavailable')
    bodies[0]!.answer()
    expect(await sent(collect, 100_000)).toBe(100_000)
  })

  test('one that finds no room once it was read is refused', async () => {
    const collect = open(budget)
    const bodies = await Promise.all(Array.from({ length: 7 }, () => waiting(collect, 7_000)))
    for (const { request } of bodies.slice(1)) chargeParsed(request, 500)
    expect(() => chargeParsed(bodies[0]!.request, 500)).toThrow('Too many large bodies')
    for (const { answer } of bodies) answer()
    expect(await sent(collect, 100_000)).toBe(100_000)
  })

  test('an ordinary basket is read whatever waits', async () => {
    const { collect } = fill()
    const { request } = await waiting(collect, 3_000)
    expect(() => chargeParsed(request, 90)).not.toThrow()
  })

  test('one network has a part of the room', async () => {
    const collect = open(budget)
    const from = ['192.0.2.1', '192.0.2.1', '198.51.100.1', '2001:db8::1', '2001:db8::2'] as const
    const outcomes = []
    for (const ip of from) {
      const { payload, outcome } = begin(collect, {}, 'basket', ip)
      payload.end(Buffer.alloc(large))
      outcomes.push(await outcome)
    }
    const full = '503 store_unavailable'
    expect(outcomes).toEqual([large, full, large, large, full])
  })

  test('whoever has gone before the body was whole leaves nothing', async () => {
    const collect = open(budget)
    for (let body = 0; body < 10; body++) {
      const { payload, outcome, request } = begin(collect)
      Object.assign(request.response!, { closed: true })
      payload.end(Buffer.alloc(100_000))
      expect(await outcome).toBe(100_000)
      chargeParsed(request, 500)
    }
    expect(await sent(collect, 100_000)).toBe(100_000)
  })

  test('one that is refused leaves its room, too', async () => {
    const { collect, bodies } = fill()
    for (let round = 0; round < 10; round++) await sent(collect, 100_000)
    bodies[0]!.payload.end()
    await bodies[0]!.outcome
    bodies[0]!.answer()
    expect(await sent(collect, 100_000)).toBe(100_000)
  })

  test('single bytes take no more room than others', async () => {
    const { payload, outcome, send } = begin(open(0))
    for (let byte = 0; byte < 4_000; byte++) send(1)
    payload.end()
    expect(await outcome).toBe(4_000)
  })

  test('a body keeps nothing of what arrived with it', async () => {
    const { payload, outcome, request } = begin(open(budget))
    const arrival = Buffer.alloc(60_000)
    payload.end(arrival.subarray(0, 1_000))
    expect(await outcome).toBe(1_000)
    expect((request.body as Buffer).buffer).not.toBe(arrival.buffer)
  })
})

describe('what has a key that is known', () => {
  test.each([
    ['known', 90_000],
    ['anonymous', '503 store_unavailable'],
  ])('has room where the share of the anonymous is full: %s', async (who, expected) => {
    const together = new BodyBudget(400_000, budget)
    const anonymous = openBodies({ budget: together, merchantOf: async () => null })
    const answered = Promise.withResolvers<string | null>()
    const other = openBodies({ budget: together, merchantOf: () => answered.promise })
    for (let body = 0; body < 4; body++) await waiting(anonymous, large)
    const { payload, outcome } = begin(other)
    payload.end(Buffer.alloc(90_000))
    answered.resolve(who === 'known' ? 'm_1' : null)
    expect(await outcome).toBe(expected)
  })

  test('and breaks off while the key is looked for: it is over once', async () => {
    const answered = Promise.withResolvers<string>()
    const together = new BodyBudget(0, budget)
    const collect = openBodies({ budget: together, merchantOf: () => answered.promise })
    const { payload, outcome, calls } = begin(collect)
    payload.write(Buffer.alloc(90_000))
    await expect.poll(() => payload.isPaused()).toBe(true)
    payload.destroy(new Error('gone'))
    expect(await outcome).toBe('gone')
    answered.resolve('m_1')
    await answered.promise
    await new Promise(setImmediate)
    expect([calls.count, together.anonymous.bytes, together.known.bytes]).toEqual([1, 0, 0])
  })

  test('gives back what it had of that share, once it was judged', async () => {
    const together = new BodyBudget(400_000, budget)
    const collect = openBodies({ budget: together, merchantOf: async () => 'm_1' })
    expect(await waiting(collect, 90_000)).toBeTruthy()
    expect([together.anonymous.bytes, together.known.bytes > 0]).toEqual([0, true])
  })

  test('has a part of its share for each merchant', async () => {
    const together = new BodyBudget(400_000, budget)
    let merchant_id = 'm_1'
    const collect = openBodies({ budget: together, merchantOf: async () => merchant_id })
    await waiting(collect, large)
    expect(await sent(collect, large)).toBe('503 store_unavailable')
    merchant_id = 'm_2'
    expect(await sent(collect, large)).toBe(large)
  })

  test('has all of its own share for what was read', async () => {
    const collect = openBodies({
      budget: new BodyBudget(120_000, budget),
      merchantOf: async () => null,
    })
    const { request } = await waiting(collect, 30_000)
    expect(() => chargeParsed(request, 1)).toThrow('Too many large bodies')
    request.key_id = 'key_1'
    request.merchant_id = 'm_1'
    expect(() => chargeParsed(request, 1)).not.toThrow()
  })
})

test.each(['none', null])('a body that a route does not take (%s) is not read', async (body_kind) => {
  const { payload, outcome } = begin(open(0), {}, body_kind)
  payload.write(Buffer.alloc(1_000))
  expect(await outcome).toBe(undefined)
  expect(payload.readableLength).toBe(1_000)
})
