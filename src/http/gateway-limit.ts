// The gateway limit: so many requests a minute from one address, counted in this process.

import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance } from 'fastify'
import type { Dialect } from './dialects.ts'

export class GatewayLimited extends Error {}

declare module 'fastify' {
  interface FastifyContextConfig {
    dialect?: Dialect
  }
}

/** Registers the limit and returns what a route's config needs to be counted. Webhook routes have limits of their own. */
export async function limitGateway(
  app: FastifyInstance,
  requestsPerMinute: number,
): Promise<(dialect: Dialect) => object> {
  if (requestsPerMinute === 0) return (dialect) => ({ dialect })
  const quiet = {
    'x-ratelimit-limit': false,
    'x-ratelimit-remaining': false,
    'x-ratelimit-reset': false,
  }
  await app.register(rateLimit, {
    global: false,
    max: requestsPerMinute,
    timeWindow: 60_000,
    // One subnet of an IPv6 customer is one address.
    keyGenerator: (request) => request.ip.replace(/^((?:[0-9a-f]*:){4}).*/i, '$1'),
    addHeaders: { ...quiet, 'retry-after': true },
    addHeadersOnExceeding: quiet,
    errorResponseBuilder: (_request, { ttl }) =>
      new GatewayLimited(`Too many requests. Try again in ${Math.ceil(ttl / 1000)} seconds.`),
  })
  const limit = { rateLimit: { max: requestsPerMinute } }
  return (dialect) => ({ dialect, ...(dialect.startsWith('webhook') ? {} : limit) })
}
