// The gateway limit: how many requests one address may make per minute, in all processes together.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { World } from '../kernel/world.ts'
import { callerAddress } from './caller.ts'
import { routeOf } from './fastify.ts'
import { openRequestCounts, separate_counts } from './request-counts.ts'
import { count_window_ms, type SharedCounts } from './shared-counts.ts'
import { openTally } from './summed-log.ts'

export class GatewayLimitError extends Error {}

const apart_times = 10
/** The minimum per second for all kinds together. */
const second_least = 50

type Limit = {
  requests_per_minute: number
  /** The service's calls to itself are not counted. */
  isOwnCall(request: FastifyRequest): boolean
  isProxy(address: string): boolean
  /** Left out, this process counts by itself. */
  shared?: SharedCounts | undefined
}

/**
 * Counts every request before any other work for it, also without a route. Returns the function that counts requests
 * which reach no hook. Throws GatewayLimitError.
 */
export function limitGateway(
  app: FastifyInstance,
  { requests_per_minute, isOwnCall, isProxy, shared }: Limit,
  { clock, random, log }: Pick<World, 'clock' | 'random' | 'log'>,
): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  if (requests_per_minute === 0) return async () => {}
  const apart_max = requests_per_minute * apart_times
  const window = { window_ms: count_window_ms, is_aligned: shared !== undefined }
  const kinds = ['requests', ...separate_counts] as const
  const minutes = new Map(kinds.map((kind) => [kind, openRequestCounts(random.bytes(16), window)]))
  const now = shared?.now ?? clock.now

  async function countInMinute(kind: (typeof kinds)[number], address: string, reply: FastifyReply): Promise<void> {
    const limit = kind === 'requests' ? requests_per_minute : apart_max
    const { count: used, left_ms } = minutes.get(kind)!.count(address, now())
    if (used <= limit && (!shared || (await shared.admits({ kind, address, used, limit })))) return
    const seconds = Math.ceil(left_ms / 1000)
    reply.header('retry-after', seconds)
    throw new GatewayLimitError(`Too many requests. Try again in ${seconds} seconds.`)
  }

  // Otherwise all kinds at once, from a few addresses, would keep a process busy for half of each minute.
  const seconds = openRequestCounts(random.bytes(16), { window_ms: 1_000 })
  const second_max = Math.max(second_least, (2 * apart_max) / 60)
  function countInSecond(address: string, reply: FastifyReply): void {
    if (seconds.count(address, clock.now()).count <= second_max) return
    reply.header('retry-after', '1')
    throw new GatewayLimitError('Too many requests at once. Try again in 1 second.')
  }

  const refusalTally = openTally(clock, (requests) => {
    log.warn({ requests }, 'requests refused by the gateway limit')
  })
  const count = async (request: FastifyRequest, reply: FastifyReply) => {
    if (isOwnCall(request)) return
    const { counted_apart } = routeOf(request).config
    const address = networkOf(callerAddress(request))
    try {
      if (counted_apart) countInSecond(address, reply)
      await countInMinute(counted_apart ?? 'requests', address, reply)
    } catch (error) {
      if (error instanceof GatewayLimitError) {
        refusalTally.count()
        // A client at its limit has nothing to request for a while, so its connection is closed. A proxy's connection
        // also serves other clients.
        if (!isProxy(request.socket.remoteAddress ?? '')) reply.header('connection', 'close')
      }
      throw error
    }
  }
  app.addHook('onRequest', count)
  app.addHook('onClose', async () => refusalTally.close())
  return count
}

/** What counts as one client: an IPv4 address, or the first 64 bits of an IPv6 address, which one customer is given. */
export function networkOf(address: string): string {
  const v4 = /^(?:::ffff:)?(\d+\.\d+\.\d+\.\d+)$/i.exec(address)
  if (v4) return v4[1]!
  const [head, tail] = address.split('::') as [string, string | undefined]
  const groups = head.split(':').filter(Boolean)
  const missing = 8 - groups.length - (tail ? tail.split(':').length : 0)
  if (tail !== undefined) groups.push(...Array(Math.max(0, missing)).fill('0'), ...tail.split(':'))
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group || '0', 16).toString(16))
    .join(':')
}
