// The HTTP server: interprets route records, gives every failure its family's shape, and stops in order.

import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Sql } from '../database/open.ts'
import { Refusal } from '../kernel/errors.ts'
import type { Ids } from '../kernel/ids.ts'
import type { Keyring } from '../kernel/keyring.ts'
import type { Peer } from '../kernel/peer.ts'
import type { Tracing } from '../kernel/tracing.ts'
import type { World } from '../kernel/world.ts'
import { type Access, bearerOf, merchantOfKey } from './access.ts'
import { BodyBudget } from './body-budget.ts'
import { bodyKindOf } from './body-limits.ts'
import { answerBrokenRequest, refuseConnect } from './broken-request.ts'
import { callerOf, trusting } from './caller.ts'
import { openBodies } from './collect-body.ts'
import { greet, refuseOtherAccount } from './compatible-dialect.ts'
import { closeUnused, idle_ms, keepProxies, limitConnections } from './connection-limit.ts'
import { corsHook, mountPreflights } from './cors.ts'
import { answerFailure, dialectOf, notFound } from './failures.ts'
import { configOf, routeOf } from './fastify.ts'
import { limitGateway } from './gateway-limit.ts'
import { failing, type KeyJudge } from './lacking-key.ts'
import type { Metrics } from './metrics.ts'
import {
  acceptEveryMethod,
  byCredentials,
  constraintsOf,
  fastifyPath,
  mountPages,
  mountPeers,
  refuseOtherMethods,
} from './mount.ts'
import { mountStreams } from './mount-streams.ts'
import type { OwnCalls } from './own-calls.ts'
import { isPersonLost, type Page, type PageAnswer } from './pages.ts'
import { plainHeaders } from './plain-headers.ts'
import { record } from './record.ts'
import type { RefusalLog } from './refusal-log.ts'
import type { RequestLog } from './request-log.ts'
import type { Route } from './route.ts'
import { answerRoute, type Kernel } from './run-route.ts'
import type { SharedCounts } from './shared-counts.ts'
import { endSlowReaders } from './slow-readers.ts'
import type { Stream } from './stream.ts'
import type { StreamSeats } from './stream-seats.ts'
import { openTally, type Tally } from './summed-log.ts'
import { refuseOddTarget } from './target.ts'
import { traceRequests } from './trace-requests.ts'
import { admissionOf, boundPipelines, unanswered_max } from './unanswered-limit.ts'
import type { UnnamedProxy } from './unnamed-proxy.ts'

type ServerOptions<Context> = {
  world: World
  sql: Sql
  ids: Ids
  keyring: Keyring
  access: Access
  metrics: Metrics
  requests: RequestLog
  /** See Context. */
  refusals: RefusalLog | null
  context: Context
  routes: Route<Context>[]
  streams: Stream<Context>[]
  pages: Page<Context>[]
  peers: Peer[]
  own_calls: OwnCalls
  /** The page for an unknown path. `languages` is the browser's header. */
  missingPage?: ((languages: string | null, url: string) => PageAnswer) | undefined
  /** Advice for a request for something that the compatible routes lack; null where there is none. */
  advise(method: string, path: string): string | null
  /** Whether a text that a client wants echoed could be a card number: such a text is never echoed. */
  couldBeCard(text: string): boolean
  /** Requests per minute and address; 0 means no limit. */
  gateway_limit: number
  /** The gateway limit of all processes; left out, this one counts alone. */
  sharedCounts?: SharedCounts | undefined
  /** The streams of all processes; left out, this one counts alone. */
  streamSeats?: StreamSeats | undefined
  /** How many connections callers may have at once. */
  connections_max: number
  /** Addresses of proxies whose X-Forwarded-For is trusted. */
  trusted_proxies: string[]
  /** Notices proxies that are not among them. */
  unnamedProxy: UnnamedProxy
  /** Whether a host serves a path's route, if hosts differ in that; the route is undefined if there is none. */
  isServedAt?: ((host: string | undefined, route: string | undefined) => boolean) | undefined
  /** Left out or null, nothing is traced. */
  tracing?: Tracing | null | undefined
  /** See Kernel. */
  placeOf?: Kernel<Context>['placeOf']
  /** Whether this process has the current master key. Left out, it has. */
  keys?: KeyJudge | undefined
  /** See Kernel. */
  isClockFarOff?: (() => boolean) | undefined
}

const head_bytes_max = 16_384

/** Builds the server without listening. */
export async function openServer<Context>(parts: ServerOptions<Context>): Promise<FastifyInstance> {
  const trustProxy = trusting(parts.trusted_proxies)
  const isProxy = (address: string) => trustProxy !== false && trustProxy(address)
  const { clock, log } = parts.world
  const brokenTally = openTally(clock, (requests) => {
    log.info({ requests }, 'requests refused that are no valid HTTP')
  })
  const brokenParts = { ...parts, broken: brokenTally }
  const app = Fastify({
    trustProxy,
    // Slow clients: the head within 10 s, the whole request within 20 s.
    requestTimeout: 20_000,
    keepAliveTimeout: idle_ms,
    http: {
      headersTimeout: 10_000,
      connectionsCheckingInterval: 2_000,
      maxHeaderSize: head_bytes_max,
      // Refused by a hook below, in our shape.
      requireHostHeader: false,
    },
    genReqId: () => parts.ids.request(),
    clientErrorHandler: (error, socket) => answerBrokenRequest(brokenParts, error, socket),
    // A path that cannot be decoded reaches no route and no hook. Such requests through one proxy count together,
    // because the framework does not know the caller here.
    frameworkErrors: (_error, request, reply) => {
      if (admissionOf(request.raw, reply.raw) === 'not_heard') return
      welcome(parts, request, reply)
      count(request, reply)
        .then(() => {
          refuseOddRequest(request, reply)
          throw notFound(request)
        })
        .catch((error) => answerFailure(parts.world.log, error, request, reply))
    },
    // No head is longer, so each route checks its ids itself.
    routerOptions: { maxParamLength: head_bytes_max },
    // A request that arrived just before the stop is answered like all others under way.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
  })
  acceptEveryMethod(app)
  readBodies(app, parts)
  for (const name of ['merchant_id', 'key_id', 'mode', 'route', 'response', 'body_charge']) {
    app.decorateRequest(name, null)
  }
  if (parts.tracing) traceRequests(app, parts.tracing)
  app.addHook('onRequest', (request, reply, done) => {
    // Node has closed the connection already, so this sends nothing.
    if (admissionOf(request.raw, reply.raw) === 'not_heard') return
    welcome(parts, request, reply)
    parts.unnamedProxy.look(request, isProxy(request.socket.remoteAddress ?? ''))
    done()
  })
  watchConnections(app, brokenParts, isProxy)
  app.addHook('onResponse', async (request, reply) => {
    if (admissionOf(request.raw, reply.raw) !== 'not_heard') record(parts, request, reply)
  })
  app.setErrorHandler(failing(parts))
  const count = limitGateway(
    app,
    {
      requests_per_minute: parts.gateway_limit,
      isOwnCall: ({ headers }) => parts.own_calls.isOne(headers),
      isProxy,
      shared: parts.sharedCounts,
    },
    parts.world,
  )
  app.addHook('onRequest', async (request, reply) => {
    refuseOddRequest(request, reply)
    if (request.is404) return
    const { isServedAt } = parts
    if (!isServedAt || isServedAt(request.headers.host, routeOf(request).url)) {
      if (dialectOf(request) === 'compatible') refuseOtherAccount(request.headers)
      return
    }
    reply.callNotFound()
    return reply
  })
  app.setNotFoundHandler(async (request, reply) => {
    await recognise(parts.access, request)
    const page = isPersonLost(request) && parts.missingPage?.(request.headers['accept-language'] ?? null, request.url)
    if (!page) {
      answerFailure(parts.world.log, notFound(request, adviceOn(parts, request)), request, reply)
      return reply
    }
    const type = 'text/html; charset=utf-8'
    return reply.code(page.status).headers(page.headers).type(type).send(page.body)
  })
  mountAll(app, parts)
  return app
}

function readBodies<Context>(app: FastifyInstance, { access }: ServerOptions<Context>): void {
  const merchantOf = (request: FastifyRequest) => merchantOfKey(access, callerOf(request))
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', openBodies({ budget: new BodyBudget(), merchantOf }))
}

/** Limits of connections, and how long they stay open: everything besides requests of a route. */
function watchConnections<Context>(
  app: FastifyInstance,
  parts: ServerOptions<Context> & { broken: Tally },
  isProxy: (address: string) => boolean,
): void {
  // 100-continue is the only expectation that HTTP defines. Any other may be ignored, but Node would answer it.
  app.server.on('checkExpectation', (...request) => app.server.emit('request', ...request))
  app.server.on('connect', (request, socket) => refuseConnect(parts, request, socket))
  const { connections_max, broken } = parts
  const connections = limitConnections(app.server, { connections_max, isProxy }, parts.world)
  app.addHook('onClose', async () => {
    connections.close()
    broken.close()
  })
  keepProxies(app, isProxy)
  boundPipelines(app.server)
  closeUnused(app)
  endSlowReaders(app, parts.world.clock)
}

function mountAll<Context>(app: FastifyInstance, parts: ServerOptions<Context>): void {
  const kernel: Kernel<Context> & { metrics: Metrics } = parts
  const sharedPaths = sharedPlaces(parts.routes)
  app.addConstraintStrategy(byCredentials)
  for (const route of parts.routes) {
    app.route({
      method: route.method,
      url: fastifyPath(route.path),
      constraints: constraintsOf(route.access, sharedPaths.has(placeOf(route))),
      config: {
        ...configOf(route.dialect),
        idempotency: route.idempotency,
        form: route.form,
        body_kind: bodyKindOf(route),
      },
      ...(route.cors && { onSend: corsHook(kernel, route) }),
      handler(request, reply) {
        // Its promise is not returned: the framework would wait for the answer's end, and listen for everything before
        // it.
        answerRoute(kernel, route, request, reply, callerOf(request)).catch((error: Error) => reply.send(error))
      },
    })
  }
  mountStreams(app, parts.streams, kernel)
  mountPreflights(app, parts.routes, kernel)
  refuseOtherMethods(app, [...parts.routes, ...parts.streams], async (request) => {
    await recognise(parts.access, request)
    return adviceOn(parts, request)
  })
  mountPages(app, parts.pages, parts.context, callerOf)
  mountPeers(app, parts.peers, parts.own_calls)
}

/** Faults of a request that do not depend on its route. */
function refuseOddRequest({ raw }: FastifyRequest, reply: FastifyReply): void {
  if (admissionOf(raw, reply.raw) === 'one_too_many') {
    const words = `At most ${unanswered_max} requests may wait for their answers on one connection.`
    throw new Refusal('rate_limit_exceeded', words, { retry_after_seconds: 1 })
  }
  try {
    refuseOddTarget(raw)
  } catch (error) {
    // The bytes that follow on the connection may be a part of this request.
    if (raw.httpVersion === '1.0') reply.header('connection', 'close')
    throw error
  }
}

function adviceOn<Context>(parts: ServerOptions<Context>, request: FastifyRequest): string | null {
  if (dialectOf(request) !== 'compatible') return null
  return parts.advise(request.method, request.url.split('?')[0]!)
}

/** The headers of every answer. */
function welcome<Context>({ couldBeCard }: ServerOptions<Context>, request: FastifyRequest, reply: FastifyReply): void {
  request.response = reply.raw
  reply.headers(plainHeaders).header('rip-request-id', request.id)
  if (admissionOf(request.raw, reply.raw) === 'one_too_many') reply.header('connection', 'close')
  if (dialectOf(request) === 'compatible') greet(request, reply, couldBeCard)
}

/**
 * Notes the merchant of a request without a route, because its request log shows mistaken paths as well. If the
 * database cannot be reached, the request has no merchant, and its answer is the same.
 */
async function recognise(access: Pick<Access, 'findSecretKey'>, request: FastifyRequest): Promise<void> {
  const key = await bearerOf(access, callerOf(request)).catch(() => null)
  request.merchant_id = key?.merchant_id ?? null
  request.key_id = key?.key_id ?? null
}

function placeOf({ method, path }: Pick<Route<never>, 'method' | 'path'>): string {
  return `${method} ${path}`
}

/** Places of the other platform's routes at a path of ours or below one: our clients find only what is ours there. */
function sharedPlaces(routes: readonly (Pick<Route<never>, 'method' | 'path'> & { access: { kind: string } })[]) {
  const [others, own] = [true, false].map((is_other) =>
    routes.filter(({ access }) => (access.kind === 'bearer_key') === is_other),
  )
  const isOurs = ({ path }: { path: string }) => own!.some((each) => `${path}/`.startsWith(`${each.path}/`))
  return new Set(others!.filter(isOurs).map(placeOf))
}
