// The gateway limit: how many requests a minute one address may make, counted in this process.

import rateLimit, { type FastifyRateLimitStoreCtor } from '@fastify/rate-limit'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { World } from '../kernel/world.ts'
import { addressOf } from './caller.ts'
import { routeOf } from './fastify.ts'
import { openRequestCounts, type SeparateCount } from './request-counts.ts'
import { openTally } from './tally.ts'

export class GatewayLimitError extends Error {}

const apart_times = 10

type Limit = {
  requests_per_minute: number
  /** The service's calls to itself are not counted. */
  isOwnCall(request: FastifyRequest): boolean
  isProxy(address: string): boolean
}

/**
 * Counts every request before anything else is done for it, whether it has a route or not. Returns the function that
 * counts requests which reach no hook. Throws GatewayLimitError.
 */
export async function limitGateway(
  app: FastifyInstance,
  { requests_per_minute, isOwnCall, isProxy }: Limit,
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
    timeWindow: 60_000,
    store: countingBy(world),
    keyGenerator: (request) => networkOf(addressOf(request)),
    addHeaders: { ...quiet, 'retry-after': true },
    addHeadersOnExceeding: quiet,
    errorResponseBuilder: (_request, { ttl }) =>
      new GatewayLimitError(`Too many requests. Try again in ${Math.ceil(ttl / 1000)} seconds.`),
  })
  // One counter for all routes: the plug-in would otherwise count each by itself.
  const together = app.rateLimit()
  const apart = () => app.rateLimit({ max: requests_per_minute * apart_times })
  const counts: Record<SeparateCount, ReturnType<typeof apart>> = {
    webhooks: apart(),
    preflights: apart(),
    health: apart(),
    results: apart(),
    notices: apart(),
  }
  const refused = openTally(world.clock, (requests) => {
    world.log.warn({ requests }, 'requests refused by the gateway limit')
  })
  const count = async (request: FastifyRequest, reply: FastifyReply) => {
    if (isOwnCall(request)) return
    const { counted_apart } = routeOf(request).config
    try {
      await (counted_apart ? counts[counted_apart] : together).call(app, request, reply)
    } catch (error) {
      if (error instanceof GatewayLimitError) {
        refused.count()
        // A client at its limit has nothing more to ask for a while, so its connection is closed. A proxy's connection
        // serves others, too.
        if (!isProxy(request.socket.remoteAddress ?? '')) reply.header('connection', 'close')
      }
      throw error
    }
  }
  app.addHook('onRequest', count)
  app.addHook('onClose', async () => refused.close())
  return count
}

/** Counts in the form that the plug-in asks for; its own store forgets addresses beyond its capacity. */
function countingBy({ clock, random }: Pick<World, 'clock' | 'random'>): FastifyRateLimitStoreCtor {
  return class Store {
    private readonly counts = openRequestCounts(random.bytes(16))

    incr(address: string, done: (error: Error | null, result: RequestCount) => void) {
      const { count, left_ms } = this.counts.count(address, clock.now())
      done(null, { current: count, ttl: left_ms })
    }

    /** What is counted separately. */
    child() {
      return new Store()
    }
  }
}

type RequestCount = { current: number; ttl: number }

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
