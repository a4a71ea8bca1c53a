// How many connections callers may have, and which of them a stopping service closes. Each uses a file descriptor, and
// without a free one the service can answer no request.

import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { World } from '../kernel/world.ts'
import { networkOf } from './gateway-limit.ts'
import { openTally } from './summed-log.ts'

/**
 * From one address. A caller that uses the whole gateway limit, each request on its own connection, keeps each open for
 * 75 s at most; a server's pool rarely has a hundred.
 */
export const connections_of_address_max = 512

type ConnectionLimit = {
  /** Of all addresses together. */
  connections_max: number
  of_address_max?: number
  /** One of our proxies stands for many callers: its connections count only towards the total. */
  isProxy(address: string): boolean
}

/** Closes connections beyond the limits without an answer. Returns the function that stops the log of them. */
export function limitConnections(
  server: Server,
  { connections_max, of_address_max = connections_of_address_max, isProxy }: ConnectionLimit,
  { clock, log }: Pick<World, 'clock' | 'log'>,
): { close(): void } {
  const open = new Map<string, number>()
  const dropTally = openTally(clock, (connections) => {
    log.warn({ connections, connections_max }, 'connections refused: too many are open')
  })
  const droppedOfAddress = openTally(clock, (connections) => {
    log.warn({ connections, of_address_max }, 'connections refused: too many of one address')
  })
  server.maxConnections = connections_max
  server.on('drop', dropTally.count)
  // This runs before Node makes a parser for the connection.
  server.prependListener('connection', (socket: Socket) => {
    const address = socket.remoteAddress
    // A connection without an address has already ended.
    if (address === undefined || isProxy(address)) return
    const network = networkOf(address)
    const count = open.get(network) ?? 0
    if (count >= of_address_max) {
      droppedOfAddress.count()
      socket.destroy()
      return
    }
    open.set(network, count + 1)
    socket.once('close', () => {
      const still_open = open.get(network)! - 1
      if (still_open === 0) open.delete(network)
      else open.set(network, still_open)
    })
  })
  return {
    close() {
      dropTally.close()
      droppedOfAddress.close()
    },
  }
}

/**
 * While the service stops, a connection is closed after its answer. A connection that never sent anything, such as one
 * that a browser opened in advance, is closed at once. Node closes neither, and both would delay the stop.
 */
export function closeUnused(app: FastifyInstance): void {
  const silent = new Set<Socket>()
  let stopping = false
  app.server.on('connection', (socket: Socket) => {
    silent.add(socket)
    socket.once('close', () => silent.delete(socket))
  })
  app.server.on('request', ({ socket }) => silent.delete(socket))
  app.addHook('preClose', async () => {
    stopping = true
    for (const socket of silent) if (socket.bytesRead === 0) socket.destroy()
  })
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (stopping) reply.header('connection', 'close')
    done()
  })
}

/**
 * How long a connection may be idle. A shopper's connection uses one of `connections_max`. A proxy has few, and the
 * proxy must close them itself: a request that it sends while we close is lost, and it answers 502. Google's balancers
 * keep theirs for 600 s, longer than the others.
 */
export const idle_ms = 75_000
const idle_of_proxy_ms = 620_000

/** Lets the connections of trusted proxies be idle for longer. */
export function keepProxies(app: FastifyInstance, isProxy: (address: string) => boolean): void {
  app.addHook('onResponse', async ({ raw: { socket } }) => {
    // This runs after Node has set its own limit, which is the same for all.
    if (isProxy(socket.remoteAddress ?? '')) socket.setTimeout(idle_of_proxy_ms)
  })
}
