// How a request that fails is answered and logged: refusals, and failures of the service.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { isLockTimeout, isRetriable, isStoreUnavailable } from '../database/failures.ts'
import { Refusal, type RefusalLike } from '../kernel/errors.ts'
import type { Log } from '../kernel/world.ts'
import { refusalHeaders } from './compatible-dialect.ts'
import { type Dialect, dialectOfPath, renderRefusal, statusOf } from './dialects.ts'
import { routeOf } from './fastify.ts'
import { GatewayLimitError } from './gateway-limit.ts'
import { hasKey, type KeyRules, keyRules, storeUnavailable } from './idempotency.ts'
import { unsupportedType } from './read-body.ts'

// The refusal of each request, for its log line. It is in a WeakMap, so that requests need no extra property.
const refusedWith = new WeakMap<FastifyRequest, RefusedWith>()

/** Says what is at fault where the body, whose members are fixed, has no place for it. */
const field_header = 'rip-error-field'

/** A member's name may be any text, and not each can be in a header. */
const headerText = /^[ -~]{1,255}$/

type RefusedWith = { code: string; field: string | null }

/** The code in logs for requests that the gateway limit refused. */
export const gateway_limit_code = 'gateway_limited'

/** The code of the request's refusal, if it was refused. */
export function refusalCodeOf(request: FastifyRequest): string | undefined {
  return refusedWith.get(request)?.code
}

/** The member of the body at fault, if there is one. */
export function refusedFieldOf(request: FastifyRequest): string | null {
  return refusedWith.get(request)?.field ?? null
}

/** The dialect of a request, with or without a route. */
export function dialectOf(request: FastifyRequest): Dialect {
  const { dialect, is_for_keys } = routeOf(request).config
  if (dialect !== undefined && !is_for_keys) return dialect
  const path_dialect = dialectOfPath(request.url, request.headers)
  return path_dialect === 'compatible' ? path_dialect : (dialect ?? path_dialect)
}

/** Answers a failed request, in the dialect of its path. */
export function answerFailure(log: Log, error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const dialect = dialectOf(request)
  const is_limited = error instanceof GatewayLimitError
  if (is_limited) refusedWith.set(request, { code: gateway_limit_code, field: null })
  if (is_limited && dialect !== 'compatible') {
    reply.code(429).type('text/plain; charset=utf-8').send(error.message)
    return
  }
  const refusal = asRefusal(error, request)
  if (refusal.status >= 500 && !(error instanceof Refusal)) report(log, error, request)
  const retry_after = refusal.retry_after_seconds ?? (refusal.status === 503 ? 2 : null)
  if (retry_after !== null) reply.header('retry-after', String(Math.ceil(retry_after)))
  if (dialect === 'compatible') reply.headers(refusalHeaders(refusal.code))
  else if (refusal.field !== null && headerText.test(refusal.field)) reply.header(field_header, refusal.field)
  reply
    .code(statusOf(dialect, refusal))
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(renderRefusal(dialect, refusal, request.id)))
  if (!is_limited) refusedWith.set(request, { code: refusal.code, field: refusal.field })
}

function asRefusal(error: unknown, request: FastifyRequest): RefusalLike & Pick<Refusal, 'retry_after_seconds'> {
  if (error instanceof Refusal) return error
  if (error instanceof GatewayLimitError) {
    return {
      code: 'rate_limit_exceeded',
      status: 429,
      message: error.message,
      field: null,
      fault: null,
      bound: null,
      members: {},
      platform_code: null,
      // The limit has already set the header.
      retry_after_seconds: null,
    }
  }
  if (isStoreUnavailable(error) || isBusy(error)) return storeRefusal(request)
  const status = (error as { statusCode?: unknown }).statusCode
  if (status === 415) return unsupportedType(routeOf(request).config.form)
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return new Refusal('invalid_request', 'The request cannot be read.', { status })
  }
  return new Refusal('internal_error', '')
}

/** Other statements held the same rows: this one changed nothing, and may succeed now. */
function isBusy(error: unknown): boolean {
  return isLockTimeout(error) || isRetriable(error)
}

/** A caller that sent no key must not be told to repeat it. */
function storeRefusal(request: FastifyRequest): Refusal {
  const { idempotency } = routeOf(request).config
  const rules: KeyRules | undefined = idempotency && keyRules[idempotency]
  if (rules && hasKey(request.raw.headersDistinct, rules)) return storeUnavailable(rules)
  const what_now = rules?.is_optional
    ? 'See whether the request was done before sending it again.'
    : 'Send the request again.'
  return new Refusal('store_unavailable', `The database could not be reached. ${what_now}`)
}

/** `advice` says what to use instead. */
export function notFound(request: FastifyRequest, advice: string | null = null): Refusal {
  const words = `There is no ${request.method} route at this path.`
  return new Refusal('resource_not_found', advice ? `${words} ${advice}` : words)
}

// For a database error, only name, code and stack are logged: its detail repeats row values.
function report(log: Log, error: unknown, request: FastifyRequest) {
  const { name, code, stack } = error as Error & { code?: string }
  const fields = { request_id: request.id, route: routeOf(request).url, error: name, code }
  if (isStoreUnavailable(error) || isBusy(error)) {
    log.warn(fields, 'database could not be reached')
  } else log.error({ ...fields, stack }, 'request failed')
}
