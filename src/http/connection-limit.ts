// How many connections callers may hold, and which a stopping service closes. Each takes a file descriptor, and without a
// free one the service can answer nobody.

import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { World } from '../kernel/world.ts'
import { networkOf } from './gateway-limit.ts'
import { openTally } from './tally.ts'

/**
 * From one address. A caller that makes as many requests as the gateway limit allows, each on its own connection, keeps
 * each open for 75 s at most; a server's pool seldom has a hundred.
 */
export const connections_of_address_max = 512

type ConnectionLimit = {
  /** Of all addresses together. */
  connections_max: number
  of_address_max?: number
  /** One of our proxies speaks for many: its connections count only towards the total. */
  isProxy(address: string): boolean
}

/** Closes connections beyond the limits without an answer. Returns the function that stops the log of them. */
export function limitConnections(
  server: Server,
  { connections_max, of_address_max = connections_of_address_max, isProxy }: ConnectionLimit,
  { clock, log }: Pick<World, 'clock' | 'log'>,
): { close(): void } {
  const open = new Map<string, number>()
  const dropped = openTally(clock, (connections) => {
    log.warn({ connections, connections_max }, 'connections refused: too many are open')
  })
  const droppedOfAddress = openTally(clock, (connections) => {
    log.warn({ connections, of_address_max }, 'connections refused: too many of one address')
  })
  server.maxConnections = connections_max
  server.on('drop', dropped.count)
  // Before Node makes a parser for it.
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
      dropped.close()
      droppedOfAddress.close()
    },
  }
}

/**
 * While stopping, a connection is closed once it is answered, and at once if it never sent anything, as those that browsers
 * open in advance: Node closes neither, and both would delay the stop.
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
 * How long a connection may be idle. A shopper's takes a place of `connections_max`. A proxy has few, and has to be the one who
 * closes them: what it sends on a connection that we close at this moment is lost, and it answers 502. Google's balancers keep
 * theirs for 600 s, longer than the others.
 */
export const idle_ms = 75_000
const idle_of_proxy_ms = 620_000

/** Lets the connections of trusted proxies be idle for longer. */
export function keepProxies(app: FastifyInstance, isProxy: (address: string) => boolean): void {
  app.addHook('onResponse', async ({ raw: { socket } }) => {
    // After Node has set its own limit, which is the same for everybody.
    if (isProxy(socket.remoteAddress ?? '')) socket.setTimeout(idle_of_proxy_ms)
  })
}
