// How the compatible routes speak: the error object and the headers that the other platform's clients look for.

import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { api_version } from '../values.ts'
import type { RefusalLike } from './dialects.ts'

/** Headers that every compatible answer has, by name, and what each says. */
export const compatibleHeaders = {
  'Request-Id': 'The same as Rip-Request-Id.',
  'Service-Compat-Version': `Of the compatible routes: ${api_version}.`,
}

/** The same as they are sent. */
export function compatibleHeadersOf(request_id: string): Record<string, string> {
  return { 'request-id': request_id, 'service-compat-version': api_version }
}

/** Headers of an answer that was given before. */
export const replayHeaders = { 'idempotent-replayed': 'true' }

/** Writes the headers of every answer, failures too; what the client sent is said again where it can be a header. */
export function greet(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers(compatibleHeadersOf(request.id))
  const [key, other] = new Set(request.raw.headersDistinct['idempotency-key'])
  if (key !== undefined && other === undefined && maySayAgain(key, /^[\x20-\x7e]{1,255}$/)) {
    reply.header('idempotency-key', key)
  }
  const version = request.headers['stripe-version']
  // No version changes an answer. It is said again for clients that show it with each.
  if (typeof version === 'string' && maySayAgain(version, /^[\w.-]{1,64}$/)) {
    reply.header('stripe-version', version)
  }
}

const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi

/** What could be a card number is said to nobody. */
function maySayAgain(text: string, shape: RegExp): boolean {
  return shape.test(text) && !/\d(?:\D{0,2}\d){12}/.test(text.replace(uuid, ''))
}

/** Headers of a refusal: whether a client that retries by itself should. */
export function refusalHeaders(code: string): Record<string, string> {
  if (code === 'idempotency_key_in_use') return { 'stripe-should-retry': 'true' }
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

/** The API's code: whether a key's first request is running or was another one is told apart by `code` and header. */
export function ripperCode(code: string): string {
  return code === 'idempotency_key_in_use' ? 'idempotency_key_reused' : code
}

export const errorTypes = [
  'invalid_request_error',
  'authentication_error',
  'permission_error',
  'api_error',
] as const

// The codes that the compatible platform spells its own way.
const platformCodes: Record<string, string> = {
  resource_not_found: 'resource_missing',
  rate_limit_exceeded: 'rate_limit',
}

function typeOf(status: number): (typeof errorTypes)[number] {
  if (status === 401) return 'authentication_error'
  if (status === 403) return 'permission_error'
  return status === 429 || status >= 500 ? 'api_error' : 'invalid_request_error'
}

/** Whether a request for a path that we do not have was meant for the other platform. */
export function looksForeign(url: string, headers: IncomingHttpHeaders): boolean {
  return /^\/v[12]\/(?!checkout\b|payments\b|webhooks\b)/.test(url) && carriesForeignKey(headers)
}

/** The other platform's clients carry their key as Authorization, and ours as X-Service-Api-Key. */
function carriesForeignKey(headers: IncomingHttpHeaders): boolean {
  return (
    /^(bearer|basic)\s/i.test(headers.authorization ?? '') &&
    headers['x-service-api-key'] === undefined
  )
}

/**
 * A member beside those of a refusal whose `error` is a text, for an official client of the other platform that came to a path
 * of ours (both have /v1/checkout/sessions): there it looks for the message, and would show none.
 */
export function foreignMessage(
  headers: IncomingHttpHeaders,
  message: string | null,
): { error_description?: string | null } {
  if (!carriesForeignKey(headers) || !headers['user-agent']?.startsWith('Stripe/')) return {}
  return { error_description: message && `${message} ${elsewhere}` }
}

const elsewhere =
  'This path is one of Ripper’s own; what clients of this kind can use stands at /v1/payment_intents.'
