// What our routes and requests carry besides Fastify's own.

import type { FastifyRequest } from 'fastify'
import type { Dialect } from './dialects.ts'
import type { FormRules } from './form.ts'
import type { Idempotency } from './idempotency.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    dialect?: Dialect
    /** Counts towards the gateway limit. */
    is_counted?: boolean
    idempotency?: Idempotency
    is_stream?: true
    form?: FormRules
  }
  interface FastifyRequest {
    /** Whose request it is, once that is known: it can be found in the request log. */
    merchant_id: string | null
    /** See `routeOf`. */
    route: FastifyRequest['routeOptions'] | null
  }
}

/** The request's route, kept: Fastify builds `routeOptions` anew each time that they are read. */
export function routeOf(request: FastifyRequest): FastifyRequest['routeOptions'] {
  request.route ??= request.routeOptions
  return request.route
}
