import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { type ManualClock, manualClock } from '../../tests/support/clock.ts'
import { type LogLine, logInto } from '../../tests/support/service.ts'
import { limitConnections } from './connection-limit.ts'
import { report_interval_ms } from './summed-log.ts'

let clock: ManualClock
let server: Server
let log: LogLine[]
let sockets: Socket[]
afterEach(() => {
  for (const socket of sockets) socket.destroy()
  server.close()
})

async function start(limit: { connections_max: number; of_address_max: number; proxy?: string }) {
  ;[clock, log, sockets] = [manualClock(), [], []]
  server = createServer((_request, response) => response.end('heard'))
  const isProxy = (address: string) => address === limit.proxy
  limitConnections(server, { ...limit, isProxy }, { clock, log: logInto(log) })
  await once(server.listen(0, '127.0.0.1'), 'listening')
}

/** Whether a new connection from an address of this machine is answered; it stays open then. */
function isHeard(localAddress: string): Promise<boolean> {
  const { port } = server.address() as AddressInfo
  const socket = connect({ port, host: '127.0.0.1', localAddress })
  sockets.push(socket)
  return new Promise((resolve) => {
    socket.on('data', () => resolve(true))
    socket.on('error', () => resolve(false)).on('close', () => resolve(false))
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  })
}

async function heard(address: string, count: number): Promise<number> {
  let answered = 0
  for (let round = 0; round < count; round++) if (await isHeard(address)) answered += 1
  return answered
}

const loggedLines = () => log.map(({ level, fields, message }) => ({ level, message, ...fields }))

test('an address has so many, another has its own', async () => {
  await start({ connections_max: 100, of_address_max: 3 })
  expect(await heard('127.0.0.1', 5)).toBe(3)
  expect(await heard('127.0.0.2', 5)).toBe(3)
  await clock.advance(report_interval_ms)
  const line = { level: 'warn', message: 'connections refused: too many of one address' }
  expect(loggedLines()).toEqual([
    { ...line, connections: 1, of_address_max: 3 },
    { ...line, connections: 3, of_address_max: 3 },
  ])
})

test('one that is closed leaves room', async () => {
  await start({ connections_max: 100, of_address_max: 2 })
  expect(await heard('127.0.0.1', 3)).toBe(2)
  sockets[0]!.destroy()
  await expect.poll(() => isHeard('127.0.0.1')).toBe(true)
  expect(await isHeard('127.0.0.1')).toBe(false)
})

test('a proxy may have as many as there are', async () => {
  await start({ connections_max: 6, of_address_max: 2, proxy: '127.0.0.1' })
  expect(await heard('127.0.0.1', 5)).toBe(5)
  expect(log).toEqual([])
})

test('beyond the limit no connection is read, until one is closed', async () => {
  await start({ connections_max: 4, of_address_max: 3, proxy: '127.0.0.1' })
  expect(await heard('127.0.0.2', 2)).toBe(2)
  expect(await heard('127.0.0.1', 4)).toBe(2)
  expect(await isHeard('127.0.0.3')).toBe(false)
  await clock.advance(report_interval_ms)
  const line = { level: 'warn', message: 'connections refused: too many are open' }
  expect(loggedLines()).toEqual([
    { ...line, connections: 1, connections_max: 4 },
    { ...line, connections: 2, connections_max: 4 },
  ])
  sockets[0]!.destroy()
  await expect.poll(() => isHeard('127.0.0.3')).toBe(true)
})
