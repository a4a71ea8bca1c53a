// How many connections callers may hold: each takes a descriptor, and where none is left nobody can be answered.

import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { World } from '../kernel/world.ts'
import { networkOf } from './gateway-limit.ts'
import { openTally } from './tally.ts'

/**
 * From one address. Who makes as many requests as the gateway limit allows, and a connection for each, keeps them open for
 * 75 s at most; the pool of a server seldom has a hundred.
 */
export const connections_of_address_max = 512

type ConnectionLimit = {
  /** Of all addresses together. */
  connections_max: number
  of_address_max?: number
  /** A proxy of ours speaks for many: its connections count towards the whole alone. */
  isProxy(address: string): boolean
}

/** Closes what is beyond the limits with nothing said. Returns what ends the telling of it. */
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
    // Without an address it is over already.
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
      const left = open.get(network)! - 1
      if (left === 0) open.delete(network)
      else open.set(network, left)
    })
  })
  return {
    close() {
      dropped.close()
      droppedOfAddress.close()
    },
  }
}
