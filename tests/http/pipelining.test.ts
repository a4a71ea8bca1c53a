// Clients that ask on without waiting for answers.

import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { unanswered_max } from '../../src/http/unanswered-limit.ts'
import { startService } from '../support/service.ts'
import { useService } from '../support/use-service.ts'

const service = await useService()

const ask = (path: string) => `GET ${path} HTTP/1.1\r\nHost: pay.example\r\n\r\n`

function open(): Socket {
  return connect(Number(new URL(service.base_url).port), '127.0.0.1')
}

/** How many requests for the path were answered so far. */
function logged(path: string): number {
  return service.log.filter(({ fields }) => (fields as { route?: string }).route === path).length
}

function statusesOf(answers: string): string[] {
  return [...answers.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status!)
}

test('sixteen are answered, the one after is refused, and nothing behind it is done', async () => {
  const socket = open()
  const count = 2_000
  // One write, so that Node has them all before the first is answered: readyz waits for the database.
  socket.write(ask('/readyz').repeat(count))
  const answers = await text(socket)
  const expected = [...Array<string>(unanswered_max).fill('200'), '429']
  expect(statusesOf(answers)).toEqual(expected)
  const last = answers.slice(answers.lastIndexOf('HTTP/1.1'))
  expect(last).toMatch(/^connection: close/im)
  expect(JSON.parse(last.split('\r\n\r\n')[1]!)).toMatchObject({ error: 'rate_limit_exceeded' })
  expect(logged('/readyz')).toBe(unanswered_max + 1)
})

test('a path that cannot be decoded is one too many like any other', async () => {
  const socket = open()
  socket.write(ask('/v1/payments/%ff').repeat(2_000))
  const expected = [...Array<string>(unanswered_max).fill('404'), '429']
  expect(statusesOf(await text(socket))).toEqual(expected)
})

test('what the gateway limit refuses is the last of its connection', async () => {
  const limited = await startService({ gateway_limit: 3 })
  const socket = connect(Number(new URL(limited.base_url).port), '127.0.0.1')
  socket.write(ask('/nowhere').repeat(2_000))
  const answers = await text(socket)
  expect(statusesOf(answers)).toEqual(['404', '404', '404', '429'])
  expect(answers.slice(answers.lastIndexOf('HTTP/1.1'))).toMatch(/^connection: close/im)
  await limited.close()
})

test('a proxy keeps its connection, which is for others, too', async () => {
  const limited = await startService({ gateway_limit: 1, trusted_proxies: ['127.0.0.1'] })
  const socket = connect(Number(new URL(limited.base_url).port), '127.0.0.1')
  const from = (address: string, more = '') =>
    `GET /nowhere HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: ${address}\r\n${more}\r\n`
  const [one, other] = ['203.0.113.7', '203.0.113.8']
  socket.write(from(one) + from(one) + from(other, 'Connection: close\r\n'))
  expect(statusesOf(await text(socket))).toEqual(['404', '429', '404'])
  await limited.close()
})

test('a client that reads the answers may go on for ever', async () => {
  const socket = open()
  const { promise, resolve } = Promise.withResolvers<void>()
  let answers = ''
  let asked = unanswered_max
  socket.on('data', (bytes) => {
    const before = statusesOf(answers).length
    answers += bytes.toString('latin1')
    const now = statusesOf(answers).length
    if (now === 200) return resolve()
    const more = Math.min(now - before, 200 - asked)
    asked += more
    if (more > 0) socket.write(ask('/healthz').repeat(more))
  })
  socket.write(ask('/healthz').repeat(unanswered_max))
  await promise
  socket.destroy()
  expect(new Set(statusesOf(answers))).toEqual(new Set(['200']))
})

test('what came before is answered whole and in order, bodies and all', async () => {
  const socket = open()
  const last = 'GET /nowhere HTTP/1.1\r\nHost: pay.example\r\nConnection: close\r\n\r\n'
  const body = 'x'.repeat(8_000)
  const post = `POST /3ds/results HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  socket.write(ask('/healthz') + post + post + ask('/nowhere').repeat(unanswered_max + 20) + last)
  const answers = await text(socket)
  // How many of the rest wait at once is the network's choice.
  expect(statusesOf(answers).join(' ')).toMatch(/^200 200 200( 404){13,}( 429)?$/)
})

test('a client that never reads an answer gets no more than those', async () => {
  const before = logged('/openapi.json')
  const socket = open()
  socket.pause()
  socket.write(ask('/openapi.json').repeat(5_000))
  // The service answers others meanwhile.
  expect((await fetch(`${service.base_url}/healthz`)).status).toBe(200)
  expect(logged('/openapi.json') - before).toBeLessThanOrEqual(unanswered_max + 1)
  socket.destroy()
})

/** A request that is done, and takes the database's time. */
function create(key: string): string {
  const head = [
    ...['POST /v1/checkout/sessions HTTP/1.1', 'Host: pay.example', `Rip-Idempotency-Key: ${key}`],
    `X-Service-Api-Key: ${service.account.secret_key}`,
  ]
  const body = JSON.stringify({ amount: 4200, currency: 'GBP' })
  return [...head, `Content-Length: ${Buffer.byteLength(body)}`, '', body].join('\r\n')
}

describe('what is done has its answer, whatever comes behind it', () => {
  const chunked = 'POST /v1/checkout/sessions HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n'
  test.each([
    ['no method', 'XX\r\n\r\n'],
    ['no header', 'GET / HTTP/1.1\r\nno header\r\n\r\n'],
    ['a body that is broken', `${chunked}no chunk\r\n`],
    ['a CONNECT', 'CONNECT pay.example:443 HTTP/1.1\r\nHost: pay.example\r\n\r\n'],
    ['nonsense without end', 'XX\r\n\r\n'.repeat(1_000)],
  ])('%s', async (what, garbage) => {
    const socket = open()
    const keys = [`${what} 1`, `${what} 2`].map((key) => key.replaceAll(' ', '-'))
    socket.write(keys.map(create).join('') + garbage)
    expect(statusesOf(await text(socket))).toEqual(['201', '201', '400'])
  })

  test('a connection that ends with its last answer gets no more', async () => {
    const socket = open()
    const last = ask('/readyz').replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n')
    socket.write(`${last}XX\r\n\r\n`)
    expect(statusesOf(await text(socket))).toEqual(['200'])
  })
})
