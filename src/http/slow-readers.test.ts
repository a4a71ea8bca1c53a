import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type ManualClock, manualClock } from '../../tests/support/clock.ts'
import { endSlowReaders } from './slow-readers.ts'

/** More than the machine buffers between two ends of a connection. */
const large = Buffer.alloc(64 * 1024 * 1024)
let clock: ManualClock
let app: FastifyInstance
beforeEach(async () => {
  clock = manualClock()
  app = Fastify({ forceCloseConnections: true })
  endSlowReaders(app, clock)
  app.get('/large', async () => large)
  app.get('/small', async () => 'small')
  await app.listen({ port: 0 })
})
afterEach(() => app.close())

async function ask(paths: string[]): Promise<Socket> {
  const { port } = app.server.address() as AddressInfo
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`).join(''))
  return socket
}

const connections = () =>
  new Promise<number>((resolve, reject) => {
    app.server.getConnections((error, count) => (error ? reject(error) : resolve(count)))
  })

test('a client that does not read its answer is cut off after 30 s', async () => {
  const socket = await ask(['/large', '/small'])
  await once(socket, 'readable')
  await clock.sleepers(5_000)
  await clock.advance(25_000)
  expect(await connections()).toBe(1)
  await clock.advance(5_000)
  await expect.poll(connections).toBe(0)
  socket.destroy()
})

test('a client that reads its answer may stay', async () => {
  const socket = await ask(['/small', '/small'])
  socket.resume()
  await once(socket, 'data')
  await clock.advance(60_000)
  await clock.advance(60_000)
  expect(await connections()).toBe(1)
  socket.destroy()
})
