// The gateway limit: so many requests a minute from one address, counted in this process.

import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Dialect, isWebhook } from './dialects.ts'
import { routeOf } from './fastify.ts'

export class GatewayLimited extends Error {}

type Limits = {
  /** What a route's config needs to be counted. Webhook routes have limits of their own. */
  ofRoute(dialect: Dialect): object
  /** Counts a request that finds no route. Throws GatewayLimited. */
  countElsewhere(request: FastifyRequest, reply: FastifyReply): Promise<void>
}

/** Registers the limit. */
export async function limitGateway(
  app: FastifyInstance,
  requestsPerMinute: number,
): Promise<Limits> {
  if (requestsPerMinute === 0) {
    return { ofRoute: (dialect) => ({ dialect }), countElsewhere: async () => {} }
  }
  const quiet = {
    'x-ratelimit-limit': false,
    'x-ratelimit-remaining': false,
    'x-ratelimit-reset': false,
  }
  await app.register(rateLimit, {
    global: false,
    max: requestsPerMinute,
    timeWindow: 60_000,
    keyGenerator: (request) => networkOf(request.ip),
    addHeaders: { ...quiet, 'retry-after': true },
    addHeadersOnExceeding: quiet,
    errorResponseBuilder: (_request, { ttl }) =>
      new GatewayLimited(`Too many requests. Try again in ${Math.ceil(ttl / 1000)} seconds.`),
  })
  // One counter for all: given to each route, the plug-in would count each by itself.
  const count = app.rateLimit()
  app.addHook('onRequest', async function (request, reply) {
    if (routeOf(request).config.is_counted) await count.call(this, request, reply)
  })
  return {
    ofRoute: (dialect) => ({ dialect, is_counted: !isWebhook(dialect) }),
    countElsewhere: async (request, reply) => {
      await count.call(app, request, reply)
    },
  }
}

/** Who counts as one: an IPv4 address, or the first 64 bits of an IPv6 one, which is what one customer is given. */
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
