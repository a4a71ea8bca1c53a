import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type ManualClock, manualClock } from '../../tests/support/clock.ts'
import { type LogLine, logInto } from '../../tests/support/service.ts'
import { answerBrokenRequest, refuseConnect } from './broken-request.ts'

let clock: ManualClock
let server: Server
let log: LogLine[]
let broken_count: number
beforeEach(async () => {
  clock = manualClock()
  log = []
  broken_count = 0
  const parts = {
    world: { clock, log: logInto(log) },
    ids: { request: () => `req_${'0'.repeat(24)}` as const },
    broken: {
      count() {
        broken_count += 1
      },
    },
  }
  server = createServer()
  server.on('clientError', (error, socket) => answerBrokenRequest(parts, error, socket))
  server.on('connect', (request, socket) => refuseConnect(parts, request, socket))
  await once(server.listen(0), 'listening')
})
afterEach(() => server.close())

const connections = () =>
  new Promise<number>((resolve, reject) => {
    server.getConnections((error, count) => (error ? reject(error) : resolve(count)))
  })

test.each([
  ['a CONNECT', 'CONNECT pay.example:443 HTTP/1.1\r\nHost: pay.example\r\n\r\n'],
  ['a malformed head', 'GET / HTTP/1.1\r\nno header\r\n\r\n'],
])('a client that leaves the connection open after %s is cut off after 5 s', async (_what, text) => {
  const { port } = server.address() as AddressInfo
  const socket = connect({ port, allowHalfOpen: true })
  socket.on('error', () => {})
  socket.resume().write(text)
  await once(socket, 'end')
  await clock.advance(4_999)
  expect(await connections()).toBe(1)
  await clock.advance(1)
  await expect.poll(connections).toBe(0)
  socket.destroy()
})

test('each is counted, and has a log line of its own at the debug level only', async () => {
  const { port } = server.address() as AddressInfo
  for (let round = 0; round < 3; round++) {
    const socket = connect(port).on('error', () => {})
    socket.resume().end('GET / HTTP/1.1\r\nno header\r\n\r\n')
    await once(socket, 'close')
  }
  expect(broken_count).toBe(3)
  expect(log.map(({ level }) => level)).toEqual(['debug', 'debug', 'debug'])
})
