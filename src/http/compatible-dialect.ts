// The dialect of the compatible routes: the error object and the headers that clients of the other platform expect.

import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal, type RefusalLike } from '../kernel/errors.ts'
import { api_version } from '../kernel/values.ts'

/** The headers of every compatible answer and their meaning. */
export const compatibleHeaders = {
  'Request-Id': 'The same as Rip-Request-Id.',
  'Service-Compat-Version': `Of the compatible routes: ${api_version}.`,
}

/** The headers themselves, with the values of one answer. */
export function compatibleHeadersOf(request_id: string): Record<string, string> {
  return { 'request-id': request_id, 'service-compat-version': api_version }
}

/** Headers of a replayed answer. */
export const replayHeaders = { 'idempotent-replayed': 'true' }

/**
 * Writes the headers of every answer, failures included. A value from the client is echoed if it can be a header and
 * `isSecret` finds nothing secret in it.
 */
export function greet(request: FastifyRequest, reply: FastifyReply, isSecret: (text: string) => boolean): void {
  reply.headers(compatibleHeadersOf(request.id))
  const [key, other] = new Set(request.raw.headersDistinct['idempotency-key'])
  const has_key = key !== undefined && other === undefined && /^[\x20-\x7e]{1,255}$/.test(key)
  if (has_key && !isSecret(key)) reply.header('idempotency-key', key)
  const version = request.headers['stripe-version']
  // No version changes an answer. It is echoed for clients that show it with each answer.
  if (typeof version === 'string' && /^[\w.-]{1,64}$/.test(version) && !isSecret(version)) {
    reply.header('stripe-version', version)
  }
}

/** Headers of the other platform's clients that name another account than the key's. */
const accountHeaders = ['Stripe-Account', 'Stripe-Context']

/** Throws `invalid_request`: nothing may be done for the key's merchant that was meant for another. */
export function refuseOtherAccount(headers: IncomingHttpHeaders): void {
  const field = accountHeaders.find((name) => headers[name.toLowerCase()] !== undefined)
  if (field === undefined) return
  const words = `${field} is not supported: a key acts for its own merchant alone. Delete this header.`
  throw new Refusal('invalid_request', words, { field })
}

/** Headers of a refusal: they tell clients that retry automatically whether to do so. */
export function refusalHeaders(code: string): Record<string, string> {
  if (code === 'idempotency_key_in_use') return { 'stripe-should-retry': 'true' }
  // Its clients repeat every conflict, and a retry does not resolve this one.
  return code === 'idempotency_key_reused' ? { 'stripe-should-retry': 'false' } : {}
}

/** The error object. */
export function compatibleError(refusal: RefusalLike, message: string | null): object {
  return {
    type: typeOf(refusal.status),
    code: refusal.platform_code ?? platformCodes[refusal.code] ?? refusal.code,
    message,
    ...(refusal.field === null ? {} : { param: refusal.field }),
    ripper_code: ripperCode(refusal.code),
  }
}

/** The API's code. `code` and a header say whether the key's first request is still running or was a different one. */
export function ripperCode(code: string): string {
  return code === 'idempotency_key_in_use' ? 'idempotency_key_reused' : code
}

export const errorTypes = ['invalid_request_error', 'authentication_error', 'permission_error', 'api_error'] as const

// The codes that the compatible platform spells in its own way.
const unexpected_state = 'payment_intent_unexpected_state'
const platformCodes: Record<string, string> = {
  session_completed: unexpected_state,
  session_processing: unexpected_state,
  session_expired: unexpected_state,
  hold_already_decided: unexpected_state,
  resource_not_found: 'resource_missing',
  rate_limit_exceeded: 'rate_limit',
}

function typeOf(status: number): (typeof errorTypes)[number] {
  if (status === 401) return 'authentication_error'
  if (status === 403) return 'permission_error'
  return status === 429 || status >= 500 ? 'api_error' : 'invalid_request_error'
}

/** Whether a request is one of the other platform's clients, whatever route it names. */
export function looksForeign(url: string, headers: IncomingHttpHeaders): boolean {
  return /^\/v[12](?![^/?])/.test(url) && hasForeignCredentials(headers)
}

/** Whether the key comes in the form of the other platform's clients: as Authorization. Ours send X-Service-Api-Key. */
export function hasForeignCredentials(headers: IncomingHttpHeaders): boolean {
  return headers['x-service-api-key'] === undefined && /^(bearer|basic)\s/i.test(headers.authorization ?? '')
}
