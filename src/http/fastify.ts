// The members that our routes and requests have besides Fastify's own.

import type { ServerResponse } from 'node:http'
import type { FastifyContextConfig, FastifyRequest } from 'fastify'
import type { Mode } from '../kernel/values.ts'
import type { BodyCharge } from './body-budget.ts'
import type { BodyKind } from './body-limits.ts'
import { type Dialect, isWebhook } from './dialects.ts'
import type { FormRules } from './form.ts'
import type { Idempotency } from './idempotency.ts'
import type { SeparateCount } from './request-counts.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    dialect?: Dialect
    /** Without it, the route counts towards the gateway limit with all others. */
    counted_apart?: SeparateCount
    idempotency?: Idempotency
    is_stream?: true
    form?: FormRules
    /** Left out, a body is neither read nor kept. */
    body_kind?: BodyKind
    /** The route refuses all requests with this method, because its path takes other methods. */
    is_other_method?: true
    /** Our clients and those of the other platform may mean such a path: the credentials show which dialect they speak. */
    is_for_keys?: boolean
  }
  interface FastifyRequest {
    /** The merchant of the request, once it is known: the request log lists the request for it. */
    merchant_id: string | null
    /** The id of that merchant's secret key, if the request has one. */
    key_id: string | null
    /** The mode of the key or of the answer, if either has one. */
    mode: Mode | null
    /** Receives the answer. */
    response: ServerResponse | null
    /** The part of the body budget that its body uses. */
    body_charge: BodyCharge | null
    /** See `routeOf`. */
    route: FastifyRequest['routeOptions'] | null
  }
}

/** The configuration of every route of a dialect. */
export function configOf(dialect: Dialect): FastifyContextConfig {
  return { dialect, ...(isWebhook(dialect) && { counted_apart: 'webhooks' }) }
}

/** The request's route, cached: Fastify builds `routeOptions` anew at each access. */
export function routeOf(request: FastifyRequest): FastifyRequest['routeOptions'] {
  request.route ??= request.routeOptions
  return request.route
}
