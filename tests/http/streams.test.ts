// Streams as such: who may open how many, what a silent one says, and what becomes of readers who do not read.

import { connect, type Socket } from 'node:net'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import type { AccessRule, SecretKey } from '../../src/http/access.ts'
import { byCredentials } from '../../src/http/mount.ts'
import { mountStreams } from '../../src/http/mount-streams.ts'
import type { Kernel } from '../../src/http/run-route.ts'
import { type Feed, type StreamMessage, stream } from '../../src/http/stream.ts'
import { openStreamSlots, slots_max, slots_per_merchant_max } from '../../src/http/stream-slots.ts'
import { Refusal } from '../../src/kernel/errors.ts'
import { type ManualClock, manualClock } from '../support/clock.ts'
import { type LogLine, logInto, until } from '../support/service.ts'

const ready: StreamMessage = { event: 'ready', data: {} }

/** What the stream is fed from, and how often that was read. */
let feed: {
  read: Feed['read']
  reads: number
  wake: () => void
  heard_by: number
  place?: () => string
}
/** What the server has of each connection, in the order in which they came. */
let connections: Socket[]
let clock: ManualClock
let app: FastifyInstance
let port: number
let log: LogLine[]
let open: number
let refused: Refusal | null
/** What the feed cannot be opened for. */
let closed: Refusal | null
const sockets: Socket[] = []

beforeEach(async () => {
  feed = { reads: 0, wake: () => {}, heard_by: 0, read: async () => nothing }
  ;[clock, log, open, refused, closed, connections] = [manualClock(), [], 0, null, null, []]
  app = Fastify()
  app.decorateRequest('merchant_id', null)
  app.server.on('connection', (socket) => connections.push(socket))
  app.setErrorHandler((error: Refusal, _request, reply) =>
    reply.code(error.status).send({ error: error.code, message: error.message }),
  )
  const kernel = {
    access: {},
    context: {},
    world: { clock, log: logInto(log) },
    metrics: {
      streamsOpen(_: string, more: number) {
        open += more
      },
    },
  } as unknown as Kernel<unknown> & { metrics: { streamsOpen(): void } }
  app.addConstraintStrategy(byCredentials)
  mountStreams(app, [numbers], kernel)
  await app.listen({ port: 0, host: '127.0.0.1' })
  port = (app.server.address() as { port: number }).port
})
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await app.close()
})

const nothing = { messages: [], is_more: false }

const access = {
  kind: 'secret_key',
  check: async ({ caller }) => {
    if (refused) throw refused
    return { merchant_id: caller.header('x-merchant') ?? 'm_1' }
  },
} as AccessRule<unknown, SecretKey>

const numbers = stream({
  method: 'GET',
  path: '/numbers',
  tag: 'Tests',
  summary: 'Numbers',
  access,
  mode: 'handler',
  dialect: 'checkout',
  query: z.strictObject({}),
  messages: {},
  refusals: [],
  open: async () => {
    if (closed) throw closed
    return {
      ready,
      poll_ms: 1_000,
      ...(feed.place && { place: feed.place }),
      read() {
        feed.reads += 1
        return feed.read()
      },
      hear(wake) {
        feed.wake = wake
        feed.heard_by += 1
        return () => {
          feed.heard_by -= 1
        }
      },
    }
  },
})

/** Asks for the stream; `text` is all that came, head included. */
async function ask({ merchant = 'm_1', path = '/numbers', method = 'GET' } = {}) {
  const socket = connect(port, '127.0.0.1')
  sockets.push(socket)
  const answer = { text: '', socket, is_closed: false }
  socket.on('data', (part) => {
    answer.text += part
  })
  socket.on('close', () => {
    answer.is_closed = true
  })
  socket.write(`${method} ${path} HTTP/1.1\r\nHost: x\r\nX-Merchant: ${merchant}\r\n\r\n`)
  await says(answer, /\r\n\r\n/)
  return answer
}

const says = (answer: { text: string }, words: RegExp) =>
  until(
    async () => answer.text,
    (text) => words.test(text),
  )
const comes = (holds: () => boolean) => until(async () => holds(), Boolean)

/** Lets time pass until something holds. */
const passing = (ms: number, holds: () => boolean) =>
  until(async () => {
    await clock.advance(ms)
    return holds()
  }, Boolean)

const endless = { event: 'number', data: { text: 'x'.repeat(200_000) } }

/** A reader who has stopped, with all that the machine's own buffers take already before it. */
async function askAndStop() {
  feed.read = async () => ({ messages: [endless], is_more: true })
  const answer = await ask()
  answer.socket.pause()
  const [kept_here] = connections
  await passing(20, () => kept_here!.writableLength > 0)
  return answer
}

test('it says that it is open, and then sends what exists', async () => {
  const messages = [{ event: 'number', id: '7', data: { number: 7, text: 'one\ntwo' } }]
  feed.read = async () => ({ messages: messages.splice(0), is_more: false })
  const answer = await ask()
  await says(answer, /id: 7/)
  expect(answer.text).toMatch(/^HTTP\/1\.1 200 /)
  expect(answer.text).toContain('content-type: text/event-stream; charset=utf-8')
  expect(answer.text).toContain('event: ready\ndata: {}\n\n')
  expect(answer.text).toContain('id: 7\nevent: number\ndata: {"number":7,"text":"one\\ntwo"}\n\n')
})

test('news that wakes it is sent at once', async () => {
  const messages: StreamMessage[] = []
  feed.read = async () => ({ messages: messages.splice(0), is_more: false })
  const answer = await ask()
  await comes(() => feed.reads > 0)
  messages.push({ event: 'number', data: { number: 1 } })
  feed.wake()
  // The rest between two looks.
  await passing(20, () => answer.text.includes('number'))
})

test('a silent one says every 15 s that it is there', async () => {
  const answer = await ask()
  await passing(5_000, () => answer.text.split(': still here').length > 2)
  expect(open).toBe(1)
})

test('a reader that hangs up is forgotten', async () => {
  const answer = await ask()
  await comes(() => feed.heard_by === 1)
  answer.socket.destroy()
  await comes(() => open === 0)
  expect(feed.heard_by).toBe(0)
  await passing(1_000, () => true)
  const { reads } = feed
  await clock.advance(10_000)
  expect(feed.reads).toBeLessThanOrEqual(reads)
})

test('for a reader that does not read nothing is fetched ahead, and after a minute it is cut off', async () => {
  const answer = await askAndStop()
  await passing(20_000, () => open === 0)
  // What the machine's own buffers take, and one page.
  expect(feed.reads * endless.data.text.length).toBeLessThan(30_000_000)
  answer.socket.resume()
  await comes(() => answer.is_closed)
})

test('a reader that may not listen any more gets the reason', async () => {
  const answer = await ask()
  refused = new Refusal('key_revoked', 'The secret key was revoked.')
  await passing(20_000, () => answer.is_closed)
  expect(answer.text).toContain('event: refused\ndata: {"code":"key_revoked"')
  expect(open).toBe(0)
})

test('news that come after a key was revoked are not told', async () => {
  const answer = await ask()
  await comes(() => feed.reads > 0)
  feed.read = async () => ({
    messages: [{ event: 'number', data: { text: 'news' } }],
    is_more: false,
  })
  refused = new Refusal('key_revoked', 'The secret key was revoked.')
  feed.wake()
  await passing(100, () => answer.is_closed)
  expect(answer.text).toContain('event: refused\ndata: {"code":"key_revoked"')
  expect(answer.text).not.toContain('news')
})

test.each([
  ['may not listen any more', () => new Refusal('key_revoked', 'The secret key was revoked.')],
  ['cannot be judged', () => new Error('no database') as Refusal],
])('a reader that does not read and %s gives its slot back at once', async (_, fault) => {
  await askAndStop()
  const { reads } = feed
  refused = fault()
  await passing(20_000, () => refused !== null && open === 0)
  expect(feed.reads).toBeLessThanOrEqual(reads + 1)
  expect(feed.heard_by).toBe(0)
})

test('one that has much to read rests between its pages, and sends its place even without news', async () => {
  feed.read = async () => ({ messages: [], is_more: true })
  feed.place = () => `after ${feed.reads}`
  const answer = await ask()
  await comes(() => feed.reads === 1)
  await clock.advance(1_000)
  expect(feed.reads).toBeLessThanOrEqual(51)
  await passing(1_000, () => answer.text.includes('still here'))
  expect(answer.text).toMatch(/: still here\nid: after \d+\n\n/)
})

test('a feed that cannot be opened is refused, and its slot is free', async () => {
  closed = new Refusal('store_unavailable', 'The database could not be reached.')
  for (let count = 0; count <= slots_per_merchant_max; count++) {
    expect((await ask()).text).toMatch(/^HTTP\/1\.1 503 /)
  }
  expect(open).toBe(0)
})

test('what cannot be read ends it, and the log says so without the words of the database', async () => {
  feed.read = async () => {
    throw Object.assign(new Error('secret row'), { code: '57P01' })
  }
  const answer = await ask()
  await comes(() => answer.is_closed)
  expect(log).toEqual([{ level: 'warn', message: 'stream ended', fields: expect.objectContaining({ code: '57P01' }) }])
  expect(JSON.stringify(log)).not.toContain('secret row')
})

test('a server that stops does not wait for it', async () => {
  const answer = await ask()
  await app.close()
  await comes(() => answer.is_closed)
  expect(open).toBe(0)
})

test('nor for a reader that does not read', async () => {
  await askAndStop()
  let is_closed = false
  void app.close().then(() => {
    is_closed = true
  })
  await passing(1_000, () => is_closed)
  expect(open).toBe(0)
})

test('an account has so many, and the place of one that ended is free', async () => {
  const answers = []
  for (let count = 0; count < slots_per_merchant_max; count++) answers.push(await ask())
  const one_more = await ask()
  await says(one_more, /rate_limit_exceeded.*20 streams/s)
  expect(one_more.text).toMatch(/^HTTP\/1\.1 429 /)
  expect((await ask({ merchant: 'm_2' })).text).toMatch(/^HTTP\/1\.1 200 /)
  answers[0]!.socket.destroy()
  await comes(() => open === slots_per_merchant_max)
  expect((await ask()).text).toMatch(/^HTTP\/1\.1 200 /)
})

test('so does the process', () => {
  const slots = openStreamSlots()
  const leaves = Array.from({ length: slots_max }, (_, index) => slots.acquire(`m_${index}`))
  expect(() => slots.acquire('m_new')).toThrow(/All streams of this process/)
  leaves[0]!()
  leaves[0]!()
  slots.acquire('m_new')
  expect(() => slots.acquire('m_newer')).toThrow()
})

test.each([
  ['a parameter that is none', { path: '/numbers?x=1' }, /^HTTP\/1\.1 400 /],
  ['HEAD, which would have no end', { method: 'HEAD' }, /^HTTP\/1\.1 404 /],
])('%s is refused', async (_, asked, words) => {
  expect((await ask(asked)).text).toMatch(words)
  expect(open).toBe(0)
})
