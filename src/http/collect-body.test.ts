import { EventEmitter } from 'node:events'
import { PassThrough } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { describe, expect, test } from 'vitest'
import { Refusal } from '../kernel/errors.ts'
import { body_bytes_free, openBodyBudget } from './body-budget.ts'
import { bodyLimits } from './body-limits.ts'
import { chargeParsed, openBodies } from './collect-body.ts'

const bodyLimit = bodyLimits.basket.bytes
const budget = 200 * 1024

/** For bodies of requests without a key that is known. */
function open(bytes_max: number) {
  return openBodies({ budget: openBodyBudget(bytes_max, 0), isKnown: async () => false })
}

/** A body that is on its way: what became of it, once something has. */
function begin(
  collect: ReturnType<typeof openBodies>,
  headers: Record<string, string> = {},
  body_kind: string | null = 'basket',
) {
  const payload = new PassThrough({ highWaterMark: 1024 * 1024 })
  const { promise: outcome, resolve } = Promise.withResolvers<number | string | undefined>()
  const response = Object.assign(new EventEmitter(), { closed: false })
  const config = body_kind === null ? {} : { body_kind }
  const request = {
    ...{ headers, route: { config }, response, key_id: null, body_charge: null },
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

/** Sends a body, whose answer is waited for. */
async function waiting(collect: Collect, length: number) {
  const body = begin(collect)
  body.payload.end(Buffer.alloc(length))
  await body.outcome
  return body
}

describe('of all bodies together', () => {
  /** Two that leave no room for a large one, and never end by themselves. */
  function fill(bytes_max = budget) {
    const collect = open(bytes_max)
    const bodies = [begin(collect), begin(collect)]
    for (const { send } of bodies) send(105_000)
    return { collect, bodies }
  }

  test('a large one finds no room, a small one still does', async () => {
    const { collect } = fill()
    expect(await sent(collect, 30_000)).toBe('503 store_unavailable')
    expect(await sent(collect, 7_000)).toBe(7_000)
    expect(await sent(collect, 30_000)).toBe('503 store_unavailable')
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
    const first = await waiting(collect, 105_000)
    await waiting(collect, 105_000)
    expect(await sent(collect, 100_000)).toBe('503 store_unavailable')
    first.answer()
    expect(await sent(collect, 100_000)).toBe(100_000)
  })

  test('what is read of it counts, too, until the answer has gone', async () => {
    const collect = open(budget)
    const { request, answer } = await waiting(collect, 7_000)
    expect(await sent(collect, 100_000)).toBe(100_000)
    chargeParsed(request, 700)
    expect(await sent(collect, 100_000)).toBe('503 store_unavailable')
    answer()
    expect(await sent(collect, 100_000)).toBe(100_000)
  })

  test('one that finds no room once it was read is refused', async () => {
    const collect = open(budget)
    const bodies = await Promise.all([waiting(collect, 7_000), waiting(collect, 7_000)])
    chargeParsed(bodies[0]!.request, 700)
    expect(() => chargeParsed(bodies[1]!.request, 700)).toThrow('Too many large bodies')
    bodies[0]!.answer()
    bodies[1]!.answer()
    expect(await sent(collect, 100_000)).toBe(100_000)
  })

  test('whoever has gone before the body was whole leaves nothing', async () => {
    const collect = open(budget)
    for (let body = 0; body < 10; body++) {
      const { payload, outcome, request } = begin(collect)
      Object.assign(request.response!, { closed: true })
      payload.end(Buffer.alloc(100_000))
      expect(await outcome).toBe(100_000)
      chargeParsed(request, 700)
    }
    expect(await sent(collect, 100_000)).toBe(100_000)
  })

  test('one that is refused leaves its room, too', async () => {
    const { collect, bodies } = fill()
    for (let asked = 0; asked < 10; asked++) await sent(collect, 100_000)
    bodies[0]!.payload.end()
    await bodies[0]!.outcome
    bodies[0]!.answer()
    expect(await sent(collect, 100_000)).toBe(100_000)
  })

  test('single bytes take more room than they are', async () => {
    const { send, outcome } = begin(open(budget))
    for (let byte = 0; byte < 1_000; byte++) send(1)
    expect(await outcome).toBe('503 store_unavailable')
    expect(1_000).toBeLessThan(body_bytes_free)
  })
})

describe('what has a key that is known', () => {
  test.each([
    ['known', 90_000],
    ['anonymous', '503 store_unavailable'],
  ])('has room where the share of the anonymous is full: %s', async (who, expected) => {
    const together = openBodyBudget(100_000, budget)
    const anonymous = openBodies({ budget: together, isKnown: async () => false })
    const answered = Promise.withResolvers<boolean>()
    const other = openBodies({ budget: together, isKnown: () => answered.promise })
    await waiting(anonymous, 90_000)
    const { payload, outcome } = begin(other)
    payload.end(Buffer.alloc(90_000))
    answered.resolve(who === 'known')
    expect(await outcome).toBe(expected)
  })

  test('and breaks off while the key is looked for: it is over once', async () => {
    const answered = Promise.withResolvers<boolean>()
    const together = openBodyBudget(0, budget)
    const collect = openBodies({ budget: together, isKnown: () => answered.promise })
    const { payload, outcome, calls } = begin(collect)
    payload.write(Buffer.alloc(90_000))
    await expect.poll(() => payload.isPaused()).toBe(true)
    payload.destroy(new Error('gone'))
    expect(await outcome).toBe('gone')
    answered.resolve(true)
    await answered.promise
    await new Promise(setImmediate)
    expect([calls.count, together.anonymous.bytes, together.known.bytes]).toEqual([1, 0, 0])
  })

  test('gives back what it had of that share, once it was judged', async () => {
    const together = openBodyBudget(100_000, budget)
    const collect = openBodies({ budget: together, isKnown: async () => true })
    for (let body = 0; body < 2; body++) await waiting(collect, 90_000)
    expect(await sent(collect, 90_000)).toBe('503 store_unavailable')
    expect(together.anonymous.bytes).toBe(0)
  })

  test('has all of its own share for what was read', async () => {
    const collect = openBodies({
      budget: openBodyBudget(30_000, budget),
      isKnown: async () => false,
    })
    const { request } = await waiting(collect, 30_000)
    expect(() => chargeParsed(request, 1)).toThrow('Too many large bodies')
    request.key_id = 'key_1'
    expect(() => chargeParsed(request, 1)).not.toThrow()
  })
})

test.each(['none', null])(
  'a body that a route does not take (%s) is not read',
  async (body_kind) => {
    const { payload, outcome } = begin(open(0), {}, body_kind)
    payload.write(Buffer.alloc(1_000))
    expect(await outcome).toBe(undefined)
    expect(payload.readableLength).toBe(1_000)
  },
)
