import { PassThrough } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { describe, expect, test } from 'vitest'
import { Refusal } from '../kernel/errors.ts'
import { body_bytes_free, openBodies } from './collect-body.ts'

const bodyLimit = 128 * 1024
const budget = 200 * 1024

/** A body that is on its way: what became of it, once something has. */
function begin(collect: ReturnType<typeof openBodies>, headers: Record<string, string> = {}) {
  const payload = new PassThrough({ highWaterMark: 1024 * 1024 })
  const { promise: outcome, resolve } = Promise.withResolvers<number | string>()
  const request = { headers, route: { bodyLimit } } as unknown as FastifyRequest
  collect(request, payload as never, (error, body) => {
    if (error instanceof Refusal) resolve(`${error.status} ${error.code}`)
    else resolve(error ? error.message : body!.length)
  })
  const send = (length: number) => payload.write(Buffer.alloc(length))
  return { payload, outcome, send }
}

describe('the size of a body', () => {
  test.each([
    ['what comes in pieces', [1, 2, 70_000], 70_003],
    ['as much as is allowed', [bodyLimit], bodyLimit],
    ['a byte more', [bodyLimit, 1], '413 invalid_request'],
    ['nothing', [], 0],
  ])('%s', async (_, pieces, expected) => {
    const { payload, outcome, send } = begin(openBodies(budget))
    for (const piece of pieces) send(piece)
    payload.end()
    expect(await outcome).toBe(expected)
  })

  test('one that says that it is too large is not waited for', async () => {
    const headers = { 'content-length': String(bodyLimit + 1) }
    expect(await begin(openBodies(budget), headers).outcome).toBe('413 invalid_request')
  })

  test('one that breaks off', async () => {
    const { payload, outcome } = begin(openBodies(budget))
    payload.destroy(new Error('gone'))
    expect(await outcome).toBe('gone')
  })
})

describe('of all bodies together', () => {
  /** Two that leave no room for a large one, and never end by themselves. */
  function fill() {
    const collect = openBodies(budget)
    const held = [begin(collect), begin(collect)]
    for (const { send } of held) send(105_000)
    return { collect, held }
  }
  async function sent(collect: ReturnType<typeof openBodies>, length: number) {
    const { payload, outcome } = begin(collect)
    payload.end(Buffer.alloc(length))
    return outcome
  }

  test('a large one finds no room, a small one still does', async () => {
    const { collect } = fill()
    expect(await sent(collect, 30_000)).toBe('503 store_unavailable')
    expect(await sent(collect, 7_000)).toBe(7_000)
    expect(await sent(collect, 30_000)).toBe('503 store_unavailable')
  })

  test.each<[string, (payload: PassThrough) => unknown]>([
    ['is whole', (payload) => payload.end()],
    ['breaks off', (payload) => payload.destroy(new Error('gone'))],
    ['is too large', (payload) => payload.write(Buffer.alloc(bodyLimit))],
  ])('one that %s leaves its room', async (_, over) => {
    const { collect, held } = fill()
    over(held[0]!.payload)
    await held[0]!.outcome
    expect(await sent(collect, 100_000)).toBe(100_000)
    expect(await sent(collect, 100_000)).toBe(100_000)
  })

  test('one that is refused leaves its room, too', async () => {
    const { collect, held } = fill()
    for (let asked = 0; asked < 10; asked++) await sent(collect, 100_000)
    held[0]!.payload.end()
    await held[0]!.outcome
    expect(await sent(collect, 100_000)).toBe(100_000)
  })

  test('single bytes take more room than they are', async () => {
    const { send, outcome } = begin(openBodies(budget))
    for (let byte = 0; byte < 1_000; byte++) send(1)
    expect(await outcome).toBe('503 store_unavailable')
    expect(1_000).toBeLessThan(body_bytes_free)
  })
})
