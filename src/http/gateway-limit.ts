// The gateway limit: how many requests one address may make per minute, in all processes together.

import rateLimit, { type FastifyRateLimitStoreCtor } from '@fastify/rate-limit'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { World } from '../kernel/world.ts'
import { callerAddress } from './caller.ts'
import { routeOf } from './fastify.ts'
import { openRequestCounts, type SeparateCount } from './request-counts.ts'
import { count_window_ms, type SharedCounts } from './shared-counts.ts'
import { openTally } from './tally.ts'

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
export async function limitGateway(
  app: FastifyInstance,
  { requests_per_minute, isOwnCall, isProxy, shared }: Limit,
  world: Pick<World, 'clock' | 'random' | 'log'>,
): Promise<(request: FastifyRequest, reply: FastifyReply) => Promise<void>> {
  if (requests_per_minute === 0) return async () => {}
  const quiet = {
    'x-ratelimit-limit': false,
    'x-ratelimit-remaining': false,
    'x-ratelimit-reset': false,
  }
  await app.register(rateLimit, {
    global: false,
    max: requests_per_minute,
    timeWindow: count_window_ms,
    store: countingBy(world, shared),
    keyGenerator: (request) => networkOf(callerAddress(request)),
    addHeaders: { ...quiet, 'retry-after': true },
    addHeadersOnExceeding: quiet,
    errorResponseBuilder: (_request, { ttl }) =>
      new GatewayLimitError(`Too many requests. Try again in ${Math.ceil(ttl / 1000)} seconds.`),
  })
  // One counter for all routes: the plug-in would otherwise count for each route separately.
  const together = app.rateLimit()
  const apart_max = requests_per_minute * apart_times
  const apart = (kind: SeparateCount) => app.rateLimit({ max: apart_max, groupId: kind })
  // Without it, requests of all kinds from a few addresses could keep a process busy for half of each minute.
  const seconds = openRequestCounts(world.random.bytes(16), { window_ms: 1_000 })
  const second_max = Math.max(second_least, (2 * apart_max) / 60)
  function countInSecond(request: FastifyRequest, reply: FastifyReply): void {
    const { count } = seconds.count(networkOf(callerAddress(request)), world.clock.now())
    if (count <= second_max) return
    reply.header('retry-after', '1')
    throw new GatewayLimitError('Too many requests at once. Try again in 1 second.')
  }
  const counts: Record<SeparateCount, ReturnType<typeof apart>> = {
    webhooks: apart('webhooks'),
    preflights: apart('preflights'),
    health: apart('health'),
    results: apart('results'),
    notices: apart('notices'),
  }
  const refusalTally = openTally(world.clock, (requests) => {
    world.log.warn({ requests }, 'requests refused by the gateway limit')
  })
  const count = async (request: FastifyRequest, reply: FastifyReply) => {
    if (isOwnCall(request)) return
    const { counted_apart } = routeOf(request).config
    try {
      if (counted_apart) countInSecond(request, reply)
      await (counted_apart ? counts[counted_apart] : together).call(app, request, reply)
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

/** Counts in the form that the plug-in expects; its own store forgets addresses beyond its capacity. */
function countingBy(
  world: Pick<World, 'clock' | 'random'>,
  sharedCounts: SharedCounts | undefined,
): FastifyRateLimitStoreCtor {
  const now = sharedCounts?.now ?? world.clock.now
  return class Store {
    private readonly kind: string
    private readonly counts = openRequestCounts(world.random.bytes(16), {
      window_ms: count_window_ms,
      is_aligned: sharedCounts !== undefined,
    })

    constructor({ groupId = 'requests' }: { groupId?: string }) {
      this.kind = groupId
    }

    incr(address: string, done: Counted, _window_ms?: number, limit = Number.POSITIVE_INFINITY) {
      const { count, left_ms } = this.counts.count(address, now())
      const tell = (current: number) => done(null, { current, ttl: left_ms })
      const request = { kind: this.kind, address, used: count, limit }
      const passes = count > limit || !sharedCounts || sharedCounts.admits(request)
      if (typeof passes === 'boolean') tell(passes ? count : limit + 1)
      else void passes.then((may_pass) => tell(may_pass ? count : limit + 1))
    }

    /** What is counted separately. */
    child(options: object) {
      return new Store(options)
    }
  }
}

type Counted = (error: Error | null, result: { current: number; ttl: number }) => void

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
