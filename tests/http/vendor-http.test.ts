// Calls to vendors: once each, to allowed addresses alone, and what never left told apart from what may have arrived.

import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { AnswerTooLong, type OutgoingFailure, type VendorRequest } from '../../src/kernel/world.ts'
import { openVendorHttp } from '../../src/outgoing/vendor-http.ts'
import { loopback } from '../support/address-tricks.ts'
import { manualClock } from '../support/clock.ts'
import { type Ending, openClosingVendor } from '../support/closing-vendor.ts'
import { ended, httpAnswer, openReceiver, type Received, type Receiver, receiverRoot } from '../support/receiver.ts'
import { realClock } from '../support/world.ts'

const opened: { close(): Promise<void> }[] = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()))
})

async function receive(
  answer: (request: Received) => void,
  options: Parameters<typeof openReceiver>[1] = {},
): Promise<Receiver> {
  const receiver = await openReceiver(answer, options)
  opened.push(receiver)
  return receiver
}

function open(options: Partial<Parameters<typeof openVendorHttp>[0]> = {}) {
  const http = openVendorHttp({ clock: realClock, allowed_networks: loopback, ...options })
  opened.push(http)
  const send = (url: string, asked: Partial<VendorRequest> = {}) =>
    http.send({ method: 'POST', url, headers: {}, body: '{}', timeout_ms: 15_000, ...asked })
  return { ...http, send }
}

/** How a call ends that has no answer: `not_sent`, `unanswered`, in time or not. */
function failed(sent: Promise<unknown>): Promise<string> {
  return sent.then(
    (answer) => `answered: ${JSON.stringify(answer)}`,
    ({ kind, timed_out }: OutgoingFailure) => `${kind}${timed_out ? ', timed out' : ''}`,
  )
}

const fine = ({ socket }: Received) => void socket.write(httpAnswer('200 OK', '{"ok":true}'))

describe('a request', () => {
  test.each([
    ['GET', null],
    ['POST', '{"amount":4200,"name":"Zoë"}'],
    ['PUT', '{}'],
  ] as const)('%s arrives as it was given, once', async (method, body) => {
    const receiver = await receive(fine)
    const headers = { authorization: 'Bearer sk_1', 'idempotency-key': 'k' }
    await open().send(`${receiver.url}?reference=a%20b`, { method, body, headers })
    expect(receiver.requests).toHaveLength(1)
    const [{ head, body: arrived }] = receiver.requests as [Received]
    expect(head).toMatch(new RegExp(`^${method} /hook\\?reference=a%20b HTTP/1.1\r\n`))
    expect(head).toContain('\r\nauthorization: Bearer sk_1\r\nidempotency-key: k')
    expect(arrived).toBe(body ?? '')
  })

  test('goes over TLS to a name whose certificate fits, and to no other', async () => {
    const receiver = await receive(fine, { tls: true })
    const http = open({ ca: receiverRoot, resolve: async () => ['127.0.0.1'] })
    const at = (name: string) => `https://${name}:${receiver.port}/payments`
    expect((await http.send(at('hooks.example'))).status).toBe(200)
    expect(await failed(http.send(at('other.example')))).toBe('not_sent')
    expect(receiver.requests).toHaveLength(1)
  })
})

describe('an answer', () => {
  test.each(['201 Created', '302 Found', '402 Payment Required', '503 Service Unavailable'])(
    '%s comes with its headers and its body',
    async (status) => {
      const headers = 'Cko-Request-Id: 1\r\nx-twice: a\r\nx-twice: b\r\nlocation: /elsewhere\r\n'
      const receiver = await receive(({ socket }) => socket.write(httpAnswer(status, 'what it says', headers)))
      expect(await open().send(receiver.url)).toMatchObject({
        status: Number(status.slice(0, 3)),
        headers: { 'cko-request-id': '1', 'x-twice': 'a, b' },
        body: 'what it says',
      })
      expect(receiver.requests).toHaveLength(1)
    },
  )

  test('of 1 MiB is whole, and a longer one is none', async () => {
    const body = 'a'.repeat(1024 * 1024)
    const whole = await receive(({ socket }) => socket.write(httpAnswer('200 OK', body)))
    expect((await open().send(whole.url)).body).toBe(body)
    const longer = await receive(({ socket }) => socket.write(httpAnswer('200 OK', `${body}b`)))
    expect(await failed(open().send(longer.url))).toBe('unanswered')
  })
})

describe('what never left', () => {
  test.each([
    ['nobody listens', loopback, '127.0.0.1', 'http'],
    ['the address is private', [], '127.0.0.1', 'https'],
    ['http is for allowed networks alone', [], '127.0.0.1', 'http'],
    ['it is where clouds keep credentials', ['169.254.0.0/16'], '169.254.169.254', 'http'],
  ])('is reported as not sent: %s', async (_, allowed_networks, host, scheme) => {
    const receiver = await receive(fine)
    await receiver.close()
    const http = open({ allowed_networks })
    expect(await failed(http.send(`${scheme}://${host}:${receiver.port}/`))).toBe('not_sent')
  })

  test('a public name that leads to a private address is not called', async () => {
    const receiver = await receive(fine)
    const http = open({ allowed_networks: [], resolve: async () => ['127.0.0.1'] })
    expect(await failed(http.send(`https://api.example:${receiver.port}/`))).toBe('not_sent')
    expect(receiver.sockets).toHaveLength(0)
  })

  test('an unknown name', async () => {
    const nobody = async () => {
      throw Object.assign(new Error('unknown'), { code: 'ENOTFOUND' })
    }
    expect(await failed(open({ resolve: nobody }).send('https://api.example/'))).toBe('not_sent')
  })
})

describe('what may have arrived', () => {
  test.each<[string, (request: Received) => void]>([
    ['the connection ends before the answer', ({ socket }) => void socket.destroy()],
    ['it ends within', ({ socket }) => void socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{')],
    ['what comes is not HTTP', ({ socket }) => void socket.end('SSH-2.0-OpenSSH\r\n\r\n')],
  ])('is unanswered, and not sent again: %s', async (_, answer) => {
    const receiver = await receive(answer)
    expect(await failed(open().send(receiver.url))).toBe('unanswered')
    expect(await failed(open().send(receiver.url, { method: 'GET', body: null }))).toBe('unanswered')
    expect(receiver.requests).toHaveLength(2)
  })

  test.each([
    ['as it is', (bytes: Buffer) => bytes, 'identity'],
    ['once it is unpacked', gzipSync, 'gzip'],
  ])('is told apart where the answer is too long, %s', async (_, pack, coding) => {
    const body = pack(Buffer.alloc(1024 * 1024 + 1, ' '))
    const receiver = await receive(({ socket }) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: ${coding}\r\n`)
      socket.end(Buffer.concat([Buffer.from(`content-length: ${body.length}\r\n\r\n`), body]))
    })
    await expect(open().send(receiver.url)).rejects.toBeInstanceOf(AnswerTooLong)
  })

  test.each([
    ['no answer', () => {}],
    ['no end of one', ({ socket }: Received) => void socket.write('HTTP/1.1 200 OK\r\n')],
  ])('is given up when its time is over: %s', async (_, answer) => {
    const clock = manualClock()
    const receiver = await receive(answer)
    const outcome = failed(open({ clock }).send(receiver.url, { timeout_ms: 18_000 }))
    await receiver.received(1)
    await clock.sleepers(18_000)
    await clock.advance(18_000)
    expect(await outcome).toBe('unanswered, timed out')
    await ended(receiver.sockets[0]!)
  })

  test('fails when everything is closed', async () => {
    const receiver = await receive(() => {})
    const http = open()
    const outcome = failed(http.send(receiver.url))
    await receiver.received(1)
    await http.close()
    expect(await outcome).toBe('unanswered')
  })
})

describe('connections', () => {
  test('serve again, and each serves one call at a time', async () => {
    const answers: (() => void)[] = []
    const receiver = await receive((request) => answers.push(() => fine(request)))
    const http = open()
    const at_once = [1, 2, 3].map(() => http.send(receiver.url))
    await receiver.received(3)
    expect(receiver.sockets).toHaveLength(3)
    for (const answer of answers.splice(0)) answer()
    await Promise.all(at_once)
    for (let round = 4; round <= 12; round += 1) {
      const sent = http.send(receiver.url)
      await receiver.received(round)
      answers.pop()!()
      await sent
    }
    expect(receiver.sockets.length).toBeLessThan(12)
  })

  test('that the vendor has ended are not used again', async () => {
    const receiver = await receive(({ socket }) => void socket.end(httpAnswer('200 OK')))
    const http = open()
    for (let round = 0; round < 3; round += 1) {
      expect((await http.send(receiver.url)).status).toBe(200)
      await ended(receiver.sockets[round]!)
    }
    expect(receiver.requests).toHaveLength(3)
  })

  test('of a vendor that ends idle ones are not used again for a minute', async () => {
    const clock = manualClock()
    const receiver = await receive((request) => {
      fine(request)
      if (request.connection === 1) request.socket.end()
    })
    const http = open({ clock })
    for (let round = 1; round <= 3; round += 1) {
      await http.send(receiver.url)
      if (round === 1) await ended(receiver.sockets[0]!)
      await clock.advance(1)
    }
    expect(receiver.sockets).toHaveLength(3)
    await clock.advance(60_001)
    for (let round = 4; round <= 5; round += 1) {
      await http.send(receiver.url)
      await clock.advance(1)
    }
    expect(receiver.sockets).toHaveLength(4)
  })

  test.each<Ending>([
    { how: 'end', when: 'at_once' },
    { how: 'destroy', when: 'at_once' },
    { how: 'end', when: 'when_told' },
    { how: 'destroy', when: 'when_told' },
  ])('that the vendor ended ($how, $when) carry no request, though nobody has looked since', async (ending) => {
    const vendor = await openClosingVendor(ending)
    opened.push(vendor)
    const http = open()
    for (let round = 1; round <= 5; round += 1) {
      expect(await failed(http.send(vendor.url))).toMatch(/^answered/)
      // By then the connection is one that the next request may take. A timer's turn comes before what lies unread.
      await realClock.sleep(5)
      vendor.endUnread(round)
    }
    expect(await vendor.requests()).toBe(5)
  })

  test.each([
    ['is used again while it was used just now', 2_000, 1],
    ['is not used again later, though no timer has run meanwhile', 2_001, 2],
  ])('one %s', async (_, later_ms, connections) => {
    const clock = manualClock()
    const receiver = await receive(fine)
    const http = open({ clock })
    await http.send(receiver.url)
    await clock.advance(later_ms)
    await http.send(receiver.url)
    expect(receiver.sockets).toHaveLength(connections)
  })

  test('that the vendor ended while the process stood still are not used again', async () => {
    const clock = manualClock()
    const receiver = await receive(fine)
    const http = open({ clock })
    await http.send(receiver.url)
    await clock.advance(2_001)
    // Nobody has heard of its end yet: a request on it would be lost, and nobody would know whether it arrived.
    receiver.sockets[0]!.destroy()
    expect((await http.send(receiver.url)).status).toBe(200)
    expect(receiver.sockets).toHaveLength(2)
  })

  test('of one vendor are none of another', async () => {
    const receivers = [await receive(fine), await receive(fine)]
    const http = open()
    for (const { url } of [...receivers, ...receivers]) await http.send(url)
    expect(receivers.map(({ sockets }) => sockets.length)).toEqual([1, 1])
  })
})

describe('a request that must be sent by a time', () => {
  test.each([
    ['when it was written', 0, 1],
    ['at the last moment', 1_000, 1],
    ['too late', 1_001, 0],
    ['where the clock was set back since', -1, 0],
  ])('%s', async (_, waited_ms, arrived) => {
    const clock = manualClock()
    const receiver = await receive(fine)
    const http = open({ clock })
    await http.send(receiver.url)
    const from = new Date(clock.now().getTime() - waited_ms)
    const sendable = { from, until: new Date(from.getTime() + 1_000) }
    const outcome = await failed(http.send(receiver.url, { sendable }))
    expect(outcome).toMatch(arrived ? /^answered/ : /^not_sent$/)
    expect(receiver.requests).toHaveLength(1 + arrived)
  })

  test('is not sent where connecting took longer', async () => {
    const clock = manualClock()
    const receiver = await receive(fine)
    const asked = Promise.withResolvers<void>()
    const found = Promise.withResolvers<void>()
    const resolve = async () => {
      asked.resolve()
      await found.promise
      return ['127.0.0.1']
    }
    const http = open({ clock, resolve })
    const from = clock.now()
    const sendable = { from, until: new Date(from.getTime() + 1_000) }
    const url = `http://vendor.internal:${receiver.port}/`
    const outcome = failed(http.send(url, { sendable }))
    await asked.promise
    await clock.advance(1_001)
    found.resolve()
    expect(await outcome).toBe('not_sent')
    expect(receiver.sockets).toHaveLength(1)
    expect(receiver.requests).toEqual([])
  })
})
