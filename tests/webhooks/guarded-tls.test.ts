import { afterEach, expect, test } from 'vitest'
import type { GuardedFailure, GuardedHttp } from '../../src/kernel/world.ts'
import { openGuardedHttp } from '../../src/outgoing/guarded-http.ts'
import { loopback } from '../support/address-tricks.ts'
import { manualClock } from '../support/clock.ts'
import {
  ended,
  httpAnswer,
  openReceiver,
  type Received,
  type Receiver,
  receiverRoot,
  serverNameOf,
} from '../support/receiver.ts'
import { realClock } from '../support/world.ts'

const opened: { close(): Promise<void> }[] = []

afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()))
})

async function receive(hosts?: string[]): Promise<Receiver> {
  const receiver = await openReceiver(answers, { tls: true, hosts })
  opened.push(receiver)
  return receiver
}

function answers({ socket }: Received): void {
  socket.write(httpAnswer('200 OK', 'ok'))
}

type Options = Partial<Parameters<typeof openGuardedHttp>[0]>

function open(options: Options = {}): GuardedHttp {
  const http = openGuardedHttp({
    clock: realClock,
    allowed_networks: loopback,
    resolve: async () => ['127.0.0.1'],
    ca: receiverRoot,
    ...options,
  })
  opened.push(http)
  return http
}

function post(http: GuardedHttp, url: string): Promise<string> {
  const limits = { timeout_ms: 15_000, connect_timeout_ms: 5_000 }
  return http.post({ url, headers: {}, body: '{}', ...limits }).then(
    ({ status }) => `${status}`,
    (failure: GuardedFailure) => `${failure.code} ${failure.detail}`,
  )
}

test('the connection goes to the address, name and Host stay the name', async () => {
  const receiver = await receive()
  expect(await post(open(), `https://hooks.example:${receiver.port}/`)).toBe('200')
  const [{ head, socket }] = receiver.requests as [Received]
  expect(serverNameOf(socket)).toBe('hooks.example')
  expect(head).toContain(`\r\nhost: hooks.example:${receiver.port}\r\n`)
  expect(receiver.addresses).toEqual(['127.0.0.1'])
})

test('a dot at the end of the name is not part of what the certificate names', async () => {
  const receiver = await receive()
  expect(await post(open(), `https://hooks.example.:${receiver.port}/`)).toBe('200')
  expect(serverNameOf(receiver.requests[0]!.socket)).toBe('hooks.example')
})

test('an IP address as host is what the certificate must name', async () => {
  const receiver = await receive(['127.0.0.1', '127.0.0.2'])
  expect(await post(open(), `https://127.0.0.1:${receiver.port}/`)).toBe('200')
  expect(serverNameOf(receiver.requests[0]!.socket)).toBe(false)
  expect(await post(open(), `https://127.0.0.2:${receiver.port}/`)).toBe('tls ERR_TLS_CERT_ALTNAME_INVALID')
  expect(receiver.addresses).toEqual(['127.0.0.1', '127.0.0.2'])
})

test('a certificate of an unknown root is refused before anything is sent', async () => {
  const receiver = await receive()
  const http = open({ ca: undefined })
  expect(await post(http, `https://hooks.example:${receiver.port}/`)).toBe('tls UNABLE_TO_VERIFY_LEAF_SIGNATURE')
  expect(receiver.requests).toHaveLength(0)
})

test("another name's certificate is refused before anything is sent", async () => {
  const receiver = await receive()
  expect(await post(open(), `https://shop.example:${receiver.port}/`)).toBe('tls ERR_TLS_CERT_ALTNAME_INVALID')
  expect(receiver.requests).toHaveLength(0)
})

test('a connection is kept', async () => {
  const receiver = await receive()
  const http = open()
  const url = `https://hooks.example:${receiver.port}/`
  expect([await post(http, url), await post(http, url)]).toEqual(['200', '200'])
  expect(receiver.sockets).toHaveLength(1)
})

test('the next address of a name is tried in time where the first never ends its greeting', async () => {
  const clock = manualClock()
  const receiver = await openReceiver(answers, {
    tls: true,
    hosts: ['127.0.0.2', '127.0.0.1'],
    silent: ['127.0.0.2'],
  })
  opened.push(receiver)
  const http = open({ clock, resolve: async () => ['127.0.0.2', '127.0.0.1'] })
  const posted = post(http, `https://hooks.example:${receiver.port}/`)
  await receiver.connected(1)
  await clock.advance(2_500)
  expect(await posted).toBe('200')
  await ended(receiver.sockets[0]!)
  expect(receiver.addresses).toEqual(['127.0.0.2', '127.0.0.1'])
})
