// Mounts pages and in-process peers on the server.

import { type IncomingHttpHeaders, type IncomingMessage, METHODS } from 'node:http'
import { gzipSync } from 'node:zlib'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Refusal } from '../kernel/errors.ts'
import type { Peer } from '../kernel/peer.ts'
import type { Caller } from './access.ts'
import { type BodyLimits, bodyLimits } from './body-limits.ts'
import { chargeParsed } from './collect-body.ts'
import { hasForeignCredentials } from './compatible-dialect.ts'
import { dialectOf, notFound } from './failures.ts'
import { configOf, routeOf } from './fastify.ts'
import { refuseMorePairs } from './form.ts'
import type { OwnCalls } from './own-calls.ts'
import type { Page, PageAnswer, PageRequest } from './pages.ts'
import type { Route } from './route.ts'

export function mountPages<Context>(
  app: FastifyInstance,
  pages: Page<Context>[],
  context: Context,
  callerOf: (request: FastifyRequest) => Caller,
): void {
  for (const page of pages) {
    app.route({
      method: page.method,
      url: fastifyPath(page.path),
      config: { counted_apart: page.counted_apart, body_kind: page.body_kind ?? 'none' },
      handler: async (request, reply) => {
        const answer = await page.handle(context, pageRequestOf(request, callerOf(request)))
        reply
          .code(answer.status)
          .headers(answer.headers)
          .type(answer.headers['content-type'] ?? 'text/html; charset=utf-8')
        for (const cookie of answer.cookies ?? []) reply.header('set-cookie', cookie)
        const { encoding, bytes } = compressed(answer, request.headers['accept-encoding'] ?? '')
        return (encoding ? reply.header('content-encoding', encoding) : reply).send(bytes)
      },
    })
  }
}

function pageRequestOf(request: FastifyRequest, caller: Caller): PageRequest {
  return {
    url: request.url,
    params: request.params as Record<string, string>,
    caller,
    request_id: request.id,
    get query() {
      return new URLSearchParams(request.url.split('?', 2)[1])
    },
    get fields() {
      return readFields(request)
    },
    get headers() {
      return joined(request.headers)
    },
    get body() {
      return readText(request)
    },
  }
}

function joined(headers: IncomingHttpHeaders): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')])
  return Object.fromEntries(entries)
}

const worth_compressing_bytes = 1400

/**
 * The body in an encoding that the browser accepts. A body without a compressed copy is compressed at gzip's fastest
 * level.
 */
function compressed(
  { body, bytes, encoded }: PageAnswer,
  accept_encoding: string,
): { encoding: 'br' | 'gzip' | null; bytes: Buffer | string } {
  if (bytes) return { encoding: null, bytes }
  const large = body.length > worth_compressing_bytes
  if (large && encoded?.br && /\bbr\b/.test(accept_encoding)) return { encoding: 'br', bytes: encoded.br }
  if (!large || !/\bgzip\b/.test(accept_encoding)) return { encoding: null, bytes: encoded?.plain ?? body }
  return { encoding: 'gzip', bytes: encoded?.gzip ?? gzipSync(body, { level: 5 }) }
}

/** Mounts each path of each peer and nothing below it. */
export function mountPeers(app: FastifyInstance, peers: Peer[], own: OwnCalls): void {
  const places = peers.flatMap((peer) => peer.places.map((place) => ({ peer, ...place })))
  for (const { peer, path, own_calls_only } of places) {
    const config = { body_kind: own_calls_only ? 'message' : 'form' } as const
    app.all(peer.prefix + fastifyPath(path), { config }, async (request, reply) => {
      if (!peer.is_open) throw notFound(request)
      if (own_calls_only && !own.isOne(request.headers)) {
        throw new Refusal('unauthorized', 'Only this service itself may ask here.')
      }
      const params = request.params as Record<string, string>
      const answer = await peer.handle({
        method: request.method,
        path: path.replace(/\{(\w+)\}/g, (_, name) => params[name] ?? ''),
        query: new URLSearchParams(request.url.split('?', 2)[1]),
        headers: request.headers as Record<string, string>,
        body: readText(request),
      })
      if (answer === 'hang_up') {
        reply.hijack()
        request.raw.socket.destroy()
        return reply
      }
      return reply.code(answer.status).headers(answer.headers).send(answer.body)
    })
  }
}

/** Every method of HTTP except CONNECT, which has no path. */
const methods = METHODS.filter((method) => method !== 'CONNECT')

/** The framework knows only the usual methods, and reads the body of a QUERY before it looks for a route. */
export function acceptEveryMethod(app: FastifyInstance): void {
  const usual = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']
  for (const method of methods.filter((method) => !usual.includes(method))) {
    app.addHttpMethod(method, { hasBody: false, overrideExisting: true })
  }
}

/** Whose clients a route serves: ours, the other platform's, or without a constraint both. */
type CredentialsConstraint = { credentials?: 'own' | 'foreign' }

/** How the framework tells them apart. A caller without credentials gets our route. */
export const byCredentials = {
  name: 'credentials',
  storage() {
    const handlers = new Map<unknown, never>()
    return {
      get: (credentials: unknown) => handlers.get(credentials) ?? null,
      set: (credentials: unknown, handler: never) => void handlers.set(credentials, handler),
    }
  },
  deriveConstraint: ({ headers }: IncomingMessage) => (hasForeignCredentials(headers) ? 'foreign' : 'own'),
  mustMatchWhenDerived: false,
}

/** A path may have two routes, one of ours and one of the other platform's: the caller's credentials decide. */
export function constraintsOf({ kind }: { kind: string }, is_shared = false): CredentialsConstraint {
  if (kind === 'secret_key') return { credentials: 'own' }
  return kind === 'bearer_key' && is_shared ? { credentials: 'foreign' } : {}
}

const constraints: CredentialsConstraint[] = [{}, { credentials: 'own' }, { credentials: 'foreign' }]

/** An existing path answers every other method with 405 and names the methods that it takes. */
export function refuseOtherMethods(
  app: FastifyInstance,
  routes: (Pick<Route<never>, 'path' | 'method' | 'dialect'> & { access: { kind: string }; cors?: unknown })[],
  adviceOn: (request: FastifyRequest) => Promise<string | null>,
): void {
  for (const [path, here] of Map.groupBy(routes, (route) => route.path)) {
    const ownMethods = [...new Set(here.map(({ method }) => method as string))]
    if (here.some(({ cors }) => cors)) ownMethods.push('OPTIONS')
    const allowed_methods = ownMethods.join(', ')
    const url = fastifyPath(path)
    app.route({
      // The framework adds HEAD to each GET.
      method: methods.filter((method) => !constraints.some((each) => app.hasRoute({ method, url, constraints: each }))),
      url,
      // If the path has two dialects, the request shows which one it means.
      config: {
        ...(here.every(({ dialect }) => dialect === here[0]!.dialect) && configOf(here[0]!.dialect)),
        is_other_method: true,
        is_for_keys: here.some(({ access }) => access.kind === 'secret_key'),
      },
      handler: async (request, reply) => {
        const advice = await adviceOn(request)
        // The other platform knows no other answer to a wrong method.
        if (dialectOf(request) === 'compatible') throw notFound(request, advice)
        reply.header('allow', allowed_methods)
        const words = [`This path takes ${allowed_methods}.`, advice]
        throw new Refusal('invalid_request', words.filter(Boolean).join(' '), { status: 405 })
      },
    })
  }
}

/** `/v1/x/{id}` as the router spells it. */
export function fastifyPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1')
}

/** The body as it came; an empty text without one. A body with too many values is refused before it is parsed. */
function readText(request: FastifyRequest): string {
  const bytes = request.body as Buffer | undefined
  if (!bytes) return ''
  const limits = limitsOf(request)
  if (limits.pairs > 0) refuseMorePairs(bytes, limits.pairs)
  const values = countValues(bytes, limits)
  if (values === null) {
    const words = `The body has more than ${limits.values} values or ${limits.levels} levels.`
    throw new Refusal('invalid_request', words)
  }
  chargeParsed(request, values)
  return bytes.toString()
}

/** The fields of a form; none if the body does not say that it is one. */
function readFields(request: FastifyRequest): Record<string, string> {
  const type = request.headers['content-type'] ?? ''
  if (!/^application\/x-www-form-urlencoded *(;|$)/i.test(type)) return {}
  const bytes = request.body as Buffer | undefined
  if (!bytes) return {}
  chargeParsed(request, refuseMorePairs(bytes, limitsOf(request).pairs))
  return Object.fromEntries(new URLSearchParams(bytes.toString()))
}

function limitsOf(request: FastifyRequest): BodyLimits {
  return bodyLimits[routeOf(request).config.body_kind ?? 'none']
}

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c]
const [brace, bracket, end_brace, end_bracket] = [0x7b, 0x5b, 0x7d, 0x5d]

/**
 * How many values a text has at most, if it is JSON; null if it has more values or levels than allowed. Each value
 * follows a comma, or is the first in an object or list.
 */
function countValues(
  bytes: Buffer,
  { values: values_max, levels: levels_max }: Pick<BodyLimits, 'values' | 'levels'>,
): number | null {
  let [values, levels] = [1, 0]
  let is_quoted = false
  for (let at = 0; at < bytes.length; at += 1) {
    const code = bytes[at]
    if (code === quote) is_quoted = !is_quoted
    else if (is_quoted) {
      if (code === backslash) at += 1
    } else if (code === comma) values += 1
    else if (code === brace || code === bracket) {
      values += 1
      levels += 1
    } else if (code === end_brace || code === end_bracket) levels -= 1
    if (values > values_max || levels > levels_max) return null
  }
  return values
}
