// What our routes and requests carry besides Fastify's own.

import type { FastifyContextConfig, FastifyRequest } from 'fastify'
import { type Dialect, isWebhook } from './dialects.ts'
import type { FormRules } from './form.ts'
import type { Idempotency } from './idempotency.ts'
import type { CountedApart } from './request-counts.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    dialect?: Dialect
    /** Left out, it counts towards the gateway limit together with all else. */
    counted_apart?: CountedApart
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

/** What every route of a dialect carries. */
export function configOf(dialect: Dialect): FastifyContextConfig {
  return { dialect, ...(isWebhook(dialect) && { counted_apart: 'webhooks' }) }
}

/** The request's route, kept: Fastify builds `routeOptions` anew each time that they are read. */
export function routeOf(request: FastifyRequest): FastifyRequest['routeOptions'] {
  request.route ??= request.routeOptions
  return request.route
}
