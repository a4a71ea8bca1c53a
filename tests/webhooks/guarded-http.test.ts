import { once } from 'node:events'
import { connect as openTcp } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { type Clock, GuardedFailure, type GuardedHttp } from '../../src/kernel/world.ts'
import type { Resolve } from '../../src/outgoing/guarded-http/connect.ts'
import { openPostConnections } from '../../src/outgoing/guarded-http/connections.ts'
import { openGuardedHttp } from '../../src/outgoing/guarded-http.ts'
import { loopback } from '../support/address-tricks.ts'
import { type ManualClock, manualClock } from '../support/clock.ts'
import { ended, httpAnswer, openReceiver, type Received, type Receiver } from '../support/receiver.ts'
import { realClock } from '../support/world.ts'

const opened: { close(): Promise<void> }[] = []

afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()))
})

async function receive(answer: (request: Received) => void, options?: { silent?: string[] }): Promise<Receiver> {
  const receiver = await openReceiver(answer, options)
  opened.push(receiver)
  return receiver
}

type Options = { clock?: Clock; resolve?: Resolve; idle_connections_max?: number }

function open(options: Options = {}): GuardedHttp {
  const http = openGuardedHttp({ clock: realClock, allowed_networks: loopback, ...options })
  opened.push(http)
  return http
}

const request = {
  headers: { 'content-type': 'application/json', 'rip-signature': 't=1,v1=ab' },
  timeout_ms: 15_000,
  connect_timeout_ms: 5_000,
}

function post(http: GuardedHttp, url: string, body = '{"id":"evt_1"}') {
  return http.post({ ...request, url, body })
}

/** The code of the failure that a post ends with. */
function failed(posted: Promise<unknown>): Promise<string> {
  return posted.then(
    (answer) => `answered: ${JSON.stringify(answer)}`,
    (error) => (error instanceof GuardedFailure ? error.code : String(error)),
  )
}

describe('the request', () => {
  test('arrives as it was given, with the host, and asks for no compression', async () => {
    const receiver = await receive(({ socket }) => socket.write(httpAnswer('200 OK')))
    const url = `http://shop.internal:${receiver.port}/a%20b?c=%23&d`
    const http = open({ resolve: async () => ['127.0.0.1'] })
    await post(http, url, '{"name":"Zoë 😀"}')
    const { head, body } = receiver.requests[0]!
    expect(head.split('\r\n')).toEqual([
      'POST /a%20b?c=%23&d HTTP/1.1',
      `host: shop.internal:${receiver.port}`,
      'connection: keep-alive',
      'content-type: application/json',
      'rip-signature: t=1,v1=ab',
      'accept-encoding: identity',
      'content-length: 20',
    ])
    expect(body).toBe('{"name":"Zoë 😀"}')
  })

  test('goes to the next address of the name where the first refuses', async () => {
    const receiver = await receive(({ socket }) => socket.write(httpAnswer('200 OK')))
    const http = open({ resolve: async () => ['127.0.0.3', '127.0.0.1'] })
    await post(http, `http://shop.internal:${receiver.port}/`)
    expect(receiver.requests).toHaveLength(1)
  })

  test('goes to four addresses of a name at most', async () => {
    const receiver = await receive(({ socket }) => socket.write(httpAnswer('200 OK')))
    const others = ['127.0.0.3', '127.0.0.4', '127.0.0.5', '127.0.0.6']
    const http = open({ resolve: async () => [...others, '127.0.0.1'] })
    expect(await failed(post(http, `http://shop.internal:${receiver.port}/`))).toBe('connection_refused')
    expect(receiver.sockets).toHaveLength(0)
  })
})

describe('the answer', () => {
  async function answered(bytes: string | Buffer) {
    const receiver = await receive(({ socket }) => socket.write(bytes))
    return post(open(), receiver.url)
  }

  test.each([
    ['200 OK', '{"ok":true}'],
    ['201 Created', ''],
    ['302 Found', 'elsewhere'],
    ['404 Not Found', 'nothing here'],
    ['500 Internal Server Error', 'oh'],
    ['599 Odd', 'odd'],
  ])('%s with the body "%s"', async (status, body) => {
    const expected = { status: Number(status.slice(0, 3)), retry_after_seconds: null, body }
    expect(await answered(httpAnswer(status, body))).toEqual(expected)
  })

  test('that does not end is none, but its beginning is kept', async () => {
    const clock = manualClock()
    const receiver = await receive(({ socket }) =>
      socket.write('HTTP/1.1 500 Oh\r\ncontent-length: 99\r\n\r\nbad signature'),
    )
    const posted = open({ clock }).post({ ...request, url: receiver.url, body: '', timeout_ms: 50 })
    const outcome = posted.catch((error: GuardedFailure) => error)
    await receiver.received(1)
    // What it wrote has arrived once a second connection has gone there and back.
    await post(open(), (await receive(({ socket }) => socket.write(httpAnswer('200 OK')))).url)
    await clock.advance(50)
    expect(await outcome).toMatchObject({
      code: 'timeout',
      answer: { status: 500, body: 'bad signature' },
    })
  })

  test.each(['204 No Content', '304 Not Modified'])('%s, which has no body', async (status) => {
    expect(await answered(`HTTP/1.1 ${status}\r\n\r\n`)).toMatchObject({ body: '' })
  })

  test('what comes in chunks, is of HTTP/1.0, or follows early hints', async () => {
    const head = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'
    expect((await answered(`${head}3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n`)).body).toBe('abcde')
    const hints = 'HTTP/1.1 103 Early Hints\r\nretry-after: 9\r\nlink: </a>\r\n\r\n'
    const expected = { status: 200, retry_after_seconds: null, body: 'x' }
    expect(await answered(hints + httpAnswer('200 OK', 'x'))).toEqual(expected)
    const old = await receive(({ socket }) => socket.end('HTTP/1.0 200 OK\r\n\r\nold'))
    expect((await post(open(), old.url)).body).toBe('old')
  })

  test.each([
    ['retry-after: 120\r\n', 120],
    ['retry-after: Tue, 01 Sep 2026 12:02:00 GMT\r\n', 120],
    ['retry-after: soon\r\n', null],
    ['retry-after: 1\r\nretry-after: 2\r\n', null],
  ])('%j', async (headers, seconds) => {
    const status = '503 Service Unavailable'
    const receiver = await receive(({ socket }) => socket.write(httpAnswer(status, '', headers)))
    const answer = await post(open({ clock: manualClock() }), receiver.url)
    expect(answer).toEqual({ status: 503, retry_after_seconds: seconds, body: '' })
  })

  test('of 10 MB is cut to 1,024 characters, and no more is read', async () => {
    const body = Buffer.alloc(10_000_000, 'a')
    const receiver = await receive(({ socket }) => socket.write(httpAnswer('200 OK', body)))
    expect((await post(open(), receiver.url)).body).toBe('a'.repeat(1024))
    await ended(receiver.sockets[0]!)
  })

  test('without an end is cut off', async () => {
    const part = Buffer.alloc(65_536, 'a')
    const receiver = await receive(({ socket }) => {
      const more = () => {
        while (socket.write(part));
      }
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      socket.on('drain', more)
      more()
    })
    expect((await post(open(), receiver.url)).status).toBe(200)
    await ended(receiver.sockets[0]!)
  })

  test('of a byte more than 4 KB ends the connection', async () => {
    const body = 'b'.repeat(4_097)
    const receiver = await receive(({ socket }) => socket.write(httpAnswer('200 OK', body)))
    const http = open()
    for (let round = 0; round < 2; round += 1) {
      expect((await post(http, receiver.url)).body).toBe('b'.repeat(1024))
    }
    expect(receiver.sockets).toHaveLength(2)
    for (const socket of receiver.sockets) await ended(socket)
  })

  test('of 4 KB is read to its end, so that the connection serves again', async () => {
    const body = 'b'.repeat(4_096)
    const receiver = await receive(({ socket }) => socket.write(httpAnswer('200 OK', body)))
    const http = open()
    for (let round = 0; round < 3; round += 1) {
      expect((await post(http, receiver.url)).body).toBe('b'.repeat(1024))
    }
    expect(receiver.sockets).toHaveLength(1)
  })

  test('that is compressed stays so', async () => {
    const bomb = gzipSync(Buffer.alloc(10_000_000, 'a'))
    const { body } = await answered(httpAnswer('200 OK', bomb, 'content-encoding: gzip\r\n'))
    expect(body.startsWith('\x1f\ufffd\b')).toBe(true)
    expect(Array.from(body).length).toBeLessThanOrEqual(1024)
    expect(body).not.toContain('\0')
    expect(body).not.toContain('aaaa')
  })

  const ok = 'HTTP/1.1 200 OK\r\n'
  const closing = `${ok}connection: close\r\n`

  test.each([
    ['that ends early', `${ok}content-length: 10\r\n\r\n12345`],
    ['that was to close and ends early', `${closing}content-length: 10\r\n\r\n12345`],
    ['whose chunks end early', `${ok}transfer-encoding: chunked\r\n\r\n5\r\nab`],
    ['whose chunks were to close', `${closing}transfer-encoding: chunked\r\n\r\n5\r\nab`],
    ['whose headers end early', `${ok}content-`],
    ['of which there is nothing', ''],
  ])('%s is a connection lost', async (_name, bytes) => {
    const receiver = await receive(({ socket }) => socket.end(bytes))
    expect(await failed(post(open(), receiver.url))).toBe('connection_lost')
    expect(receiver.requests).toHaveLength(1)
  })

  test.each([
    ['of another protocol', 'SSH-2.0-OpenSSH_9.9\r\n'],
    ['with a header that is none', `${ok}a b\r\n\r\n`],
    ['with 70 KB in a header', `${ok}a: ${'a'.repeat(70_000)}\r\n\r\n`],
    ['with 6,000 headers', `${ok}${'name: of twenty\r\n'.repeat(6_000)}\r\n`],
    ['that changes protocols', 'HTTP/1.1 101 x\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'],
    ['that bids to go on', `HTTP/1.1 100 Continue\r\n\r\n${ok}\r\n`],
    ['with a status below 100', 'HTTP/1.1 099 x\r\ncontent-length: 0\r\n\r\n'],
  ])('%s is a bad answer', async (_name, bytes) => {
    const receiver = await receive(({ socket }) => socket.write(bytes))
    expect(await failed(post(open(), receiver.url))).toBe('bad_answer')
    await ended(receiver.sockets[0]!)
    expect(receiver.requests).toHaveLength(1)
  })
})

describe('time', () => {
  /** Begins a post, lets `before_ms` pass in seconds and says that it still runs; then what it ends with after one ms. */
  async function endOf(clock: ManualClock, posted: Promise<unknown>, before_ms: number) {
    let over = false
    const code = failed(posted).finally(() => {
      over = true
    })
    await clock.advance(before_ms - 1)
    expect(over).toBe(false)
    await clock.advance(1)
    return code
  }

  test('a receiver that says nothing has 15 s', async () => {
    const clock = manualClock()
    const receiver = await receive(() => {})
    const posted = post(open({ clock }), receiver.url)
    await receiver.received(1)
    expect(await endOf(clock, posted, 15_000)).toBe('timeout')
    await ended(receiver.sockets[0]!)
  })

  test.each([
    ['headers', '', 'x-more: 1\r\n'],
    ['a body', 'content-length: 100\r\n\r\n', '.'],
    ['a body in chunks', 'transfer-encoding: chunked\r\n\r\n', '1\r\n.\r\n'],
    ['a body without an end', '\r\n', '.'],
  ])('%s that trickles does not win any', async (_name, start, drop) => {
    const clock = manualClock()
    const receiver = await receive(({ socket }) => socket.write(`HTTP/1.1 200 OK\r\n${start}`))
    const posted = post(open({ clock }), receiver.url)
    const { socket } = await receiver.received(1)
    for (let second = 1; second < 15; second += 1) {
      await new Promise((written) => socket.write(drop, written))
      await clock.advance(1_000)
    }
    expect(await endOf(clock, posted, 1_000)).toBe('timeout')
    await ended(socket)
  })

  test('a name has 5 s to be found', async () => {
    const clock = manualClock()
    const http = open({ clock, resolve: () => new Promise(() => {}) })
    const posted = post(http, 'https://shop.example/')
    expect(await endOf(clock, posted, 5_000)).toBe('connect_timeout')
  })

  test('name and TLS share the 5 s', async () => {
    const clock = manualClock()
    const silent = await receive(() => {}, { silent: ['127.0.0.1'] })
    const resolve = async () => {
      await clock.sleep(3_000)
      return ['127.0.0.1']
    }
    const posted = post(open({ clock, resolve }), `https://shop.example:${silent.port}/`)
    await clock.advance(3_000)
    await silent.connected(1)
    expect(await endOf(clock, posted, 2_000)).toBe('connect_timeout')
    await ended(silent.sockets[0]!)
  })
})

test('a connection that is being opened ends with the post', async () => {
  const clock = manualClock()
  const silent = await receive(() => {}, { silent: ['127.0.0.1'] })
  const url = `https://127.0.0.1:${silent.port}/`
  const posted = failed(open({ clock }).post({ ...request, url, body: '', timeout_ms: 3_000 }))
  await silent.connected(1)
  await clock.advance(3_000)
  expect(await posted).toBe('timeout')
  await ended(silent.sockets[0]!)
})

test('an address where nothing listens', async () => {
  const receiver = await receive(() => {})
  await receiver.close()
  expect(await failed(post(open(), receiver.url))).toBe('connection_refused')
})

describe('a connection that is kept', () => {
  const answers = (request: Received) => request.socket.write(httpAnswer('200 OK', 'ok'))

  test('serves the next post to the same host and port', async () => {
    const receiver = await receive(answers)
    const http = open({ resolve: async () => ['127.0.0.1'] })
    await post(http, receiver.url)
    await post(http, `${receiver.url}/other?a=b`)
    expect(receiver.sockets).toHaveLength(1)
    await post(http, `http://shop.internal:${receiver.port}/`)
    expect(receiver.sockets).toHaveLength(2)
  })

  test('serves one post at a time', async () => {
    const held: Received[] = []
    const receiver = await receive((request) => held.push(request))
    const http = open()
    const posts = Promise.all([1, 2, 3].map(() => post(http, receiver.url)))
    await receiver.received(3)
    expect(new Set(held.map(({ socket }) => socket)).size).toBe(3)
    for (const request of held) answers(request)
    await posts
  })

  test.each([
    ['ended', (request: Received) => request.socket.end()],
    ['reset', (request: Received) => request.socket.resetAndDestroy()],
    ['ended within an answer', (request: Received) => request.socket.end('HTTP/1.1 2')],
  ])('and is %s under way fails its post: the receiver may have acted', async (_name, close) => {
    const receiver = await receive((request) => (receiver.requests.length === 2 ? close(request) : answers(request)))
    const http = open()
    await post(http, receiver.url, 'first')
    expect(await failed(post(http, receiver.url, 'second'))).toBe('connection_lost')
    expect(await post(http, receiver.url, 'third')).toMatchObject({ status: 200 })
    expect(receiver.requests.map(({ body }) => body)).toEqual(['first', 'second', 'third'])
  })

  test('and is closed between two posts costs nothing', async () => {
    const receiver = await receive(answers)
    const http = open()
    await post(http, receiver.url)
    receiver.sockets[0]!.end()
    await ended(receiver.sockets[0]!)
    expect(await post(http, receiver.url)).toMatchObject({ status: 200 })
    expect(receiver.requests).toHaveLength(2)
  })

  test('and was opened anew for a post is a fresh one', async () => {
    const receiver = await receive((request) => {
      if (receiver.requests.length > 1) return request.socket.resetAndDestroy()
      request.socket.write(httpAnswer('200 OK', '', 'connection: close\r\n'))
    })
    const http = open()
    await post(http, receiver.url)
    expect(await failed(post(http, receiver.url))).toBe('connection_lost')
    expect(receiver.requests).toHaveLength(2)
  })

  test('is forgotten when it is closed', async () => {
    const receiver = await receive(answers)
    const connect = async () => {
      const socket = openTcp(receiver.port, '127.0.0.1')
      await once(socket, 'connect')
      return socket
    }
    const connections = openPostConnections(connect, 8)
    opened.push(connections)
    const url = new URL(receiver.url)
    const connection = connections.open(url, 5_000)
    const answer = await connection.client.request({ path: '/', method: 'POST', body: '{}' })
    await answer.body.text()
    connections.keep(connection)
    const closed = once(connection.client, 'disconnect')
    receiver.sockets[0]!.end()
    await closed
    expect(connections.reuse(url, 5_000)).toBeUndefined()
  })

  test('a fresh one that dies is a failure at once', async () => {
    const receiver = await receive(({ socket }) => socket.resetAndDestroy())
    expect(await failed(post(open(), receiver.url))).toBe('connection_lost')
    expect(receiver.requests).toHaveLength(1)
  })

  test('longest gives way where too many are kept', async () => {
    const [first, second] = [await receive(answers), await receive(answers)]
    const http = open({ idle_connections_max: 1 })
    await post(http, first.url)
    await post(http, second.url)
    await ended(first.sockets[0]!)
    await post(http, second.url)
    expect(second.sockets).toHaveLength(1)
  })
})

test('closing ends what is under way and what is kept, and takes nothing more', async () => {
  const receiver = await receive(({ body, socket }) => {
    if (body === 'answered') socket.write(httpAnswer('200 OK'))
  })
  const http = open()
  await Promise.all([post(http, receiver.url, 'answered'), post(http, receiver.url, 'answered')])
  const posted = failed(post(http, receiver.url, 'held'))
  await receiver.received(3)
  await http.close()
  expect(await posted).toBe('connection_lost')
  await Promise.all(receiver.sockets.map(ended))
  expect(await failed(post(http, receiver.url, 'late'))).toBe('connection_lost')
  expect(receiver.requests).toHaveLength(3)
})
