// The HTTP server: interprets route records, gives every failure its family's shape, and stops in order.

import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Sql } from '../database/open.ts'
import { Refusal } from '../kernel/errors.ts'
import type { Ids } from '../kernel/ids.ts'
import type { Keyring } from '../kernel/keyring.ts'
import type { Peer } from '../kernel/peer.ts'
import type { World } from '../kernel/world.ts'
import type { Access } from './access.ts'
import { answerBrokenRequest, refuseConnect } from './broken-request.ts'
import { callerOf, trusting } from './caller.ts'
import { openBodies } from './collect-body.ts'
import { greet } from './compatible-dialect.ts'
import { limitConnections } from './connection-limit.ts'
import { corsHook, mountPreflights } from './cors.ts'
import { dialectOfPath } from './dialects.ts'
import { body_bytes_max, dialectOf, fail, notFound } from './failures.ts'
import { configOf, routeOf } from './fastify.ts'
import { limitGateway } from './gateway-limit.ts'
import type { Metrics } from './metrics.ts'
import {
  fastifyPath,
  knowEveryMethod,
  mountPages,
  mountPeers,
  refuseOtherMethods,
} from './mount.ts'
import { mountStreams } from './mount-streams.ts'
import type { OwnCalls } from './own-calls.ts'
import { isPersonLost, type Page, type PageAnswer } from './pages.ts'
import { plainHeaders } from './plain-headers.ts'
import { recognise } from './recognise.ts'
import { record } from './record.ts'
import type { RequestLog } from './request-log.ts'
import type { Route } from './route.ts'
import { answerRoute, type Kernel } from './run-route.ts'
import { endSlowReaders } from './slow-readers.ts'
import type { Stream } from './stream.ts'
import { openTally, type Tally } from './tally.ts'
import { refuseOddTarget } from './target.ts'
import { turnOf, unanswered_max } from './turns.ts'

type ServerParts<Context> = {
  world: World
  sql: Sql
  ids: Ids
  keyring: Keyring
  access: Access
  metrics: Metrics
  requests: RequestLog
  context: Context
  routes: Route<Context>[]
  streams: Stream<Context>[]
  pages: Page<Context>[]
  peers: Peer[]
  own_calls: OwnCalls
  /** What people get at a path that there is not. `languages` is their browser's word. */
  missingPage?: ((languages: string | null) => PageAnswer) | undefined
  /** What to say to who asks for something that the compatible routes lack; null where there is nothing to say. */
  advise(method: string, path: string): string | null
  /** Whether a text that a client wants to hear again could be a card number: that is said to nobody. */
  couldBeCard(text: string): boolean
  /** Requests a minute and address; 0 is without a limit. */
  gateway_limit: number
  /** That callers may hold at once. */
  connections_max: number
  /** Addresses of proxies whose X-Forwarded-For is believed. */
  trusted_proxies: string[]
  /** See Kernel. */
  isClockFarOff?: (() => boolean) | undefined
}

const head_bytes_max = 16_384

/** Builds the server; it listens only when told to. */
export async function openServer<Context>(parts: ServerParts<Context>): Promise<FastifyInstance> {
  const trustProxy = trusting(parts.trusted_proxies)
  const isProxy = (address: string) => trustProxy !== false && trustProxy(address)
  const { clock, log } = parts.world
  const broken = openTally(clock, (requests) => {
    log.info({ requests }, 'requests refused that are no valid HTTP')
  })
  const broken_parts = { ...parts, broken }
  const app = Fastify({
    bodyLimit: body_bytes_max,
    trustProxy,
    // Slow clients: the head within 10 s, the whole request within 20 s, an idle connection for 75 s.
    requestTimeout: 20_000,
    keepAliveTimeout: 75_000,
    http: {
      headersTimeout: 10_000,
      connectionsCheckingInterval: 2_000,
      maxHeaderSize: head_bytes_max,
      // Refused by a hook below, in our shape.
      requireHostHeader: false,
    },
    genReqId: () => parts.ids.request(),
    clientErrorHandler: (error, socket) => answerBrokenRequest(broken_parts, error, socket),
    // A path that cannot be decoded: no route and no hook comes to see it. Such requests through one proxy count together,
    // since the framework does not tell here for whom it speaks.
    frameworkErrors: (_error, request, reply) => {
      if (turnOf(request.raw, reply.raw) === 'not_heard') return
      welcome(parts, request, reply)
      count(request, reply)
        .then(() => {
          refuseOddRequest(request, reply)
          throw notFound(request)
        })
        .catch((error) => fail(parts.world.log, error, request, reply))
    },
    // No head is longer, so that a route judges every id itself.
    routerOptions: { maxParamLength: head_bytes_max },
    // What was just taken when the stop began is done like all that is under way.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
  })
  knowEveryMethod(app)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', openBodies())
  app.decorateRequest('merchant_id', null)
  app.decorateRequest('route', null)
  app.addHook('onRequest', (request, reply, done) => {
    // Nothing comes of it: not even an answer, since the connection is closed before.
    if (turnOf(request.raw, reply.raw) === 'not_heard') return
    welcome(parts, request, reply)
    done()
  })
  watchConnections(app, broken_parts, isProxy)
  app.addHook('onResponse', async (request, reply) => {
    if (turnOf(request.raw, reply.raw) !== 'not_heard') record(parts, request, reply)
  })
  app.setErrorHandler((error, request, reply) => {
    // Who goes away in the middle of a body: nobody hears the answer, and nothing of ours has failed.
    const broke_off = error === request.raw.errored
    const told = broke_off ? new Refusal('invalid_request', 'The body broke off.') : error
    fail(parts.world.log, told, request, reply)
  })
  const count = await limitGateway(
    app,
    {
      requests_per_minute: parts.gateway_limit,
      isOwnCall: ({ headers }) => parts.own_calls.isOne(headers),
      isProxy,
    },
    parts.world,
  )
  app.addHook('onRequest', async (request, reply) => refuseOddRequest(request, reply))
  app.setNotFoundHandler(async (request, reply) => {
    await recognise(parts.access, request)
    const page =
      isPersonLost(request) && parts.missingPage?.(request.headers['accept-language'] ?? null)
    if (!page) {
      fail(parts.world.log, notFound(request, adviceOn(parts, request)), request, reply)
      return reply
    }
    const type = 'text/html; charset=utf-8'
    return reply.code(page.status).headers(page.headers).type(type).send(page.body)
  })
  mountAll(app, parts)
  return app
}

/** Whatever is not a request of a route: what a connection may be asked, and how long it stays. */
function watchConnections<Context>(
  app: FastifyInstance,
  parts: ServerParts<Context> & { broken: Tally },
  isProxy: (address: string) => boolean,
): void {
  // Only 100-continue is an expectation that HTTP knows; any other may be passed over, where Node would answer by itself.
  app.server.on('checkExpectation', (...request) => app.server.emit('request', ...request))
  app.server.on('connect', (request, socket) => refuseConnect(parts, request, socket))
  const { connections_max, broken } = parts
  const connections = limitConnections(app.server, { connections_max, isProxy }, parts.world)
  app.addHook('onClose', async () => {
    connections.close()
    broken.close()
  })
  closeAnswered(app)
  endSlowReaders(app, parts.world.clock)
}

function mountAll<Context>(app: FastifyInstance, parts: ServerParts<Context>): void {
  const kernel: Kernel<Context> & { metrics: Metrics } = parts
  for (const route of parts.routes) {
    app.route({
      method: route.method,
      url: fastifyPath(route.path),
      config: {
        ...configOf(route.dialect),
        idempotency: route.idempotency,
        form: route.form,
      },
      ...(route.cors && { onSend: corsHook(kernel, route) }),
      handler: (request, reply) => answerRoute(kernel, route, request, reply, callerOf(request)),
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

/** What is wrong with a request whatever it asks for. */
function refuseOddRequest({ raw }: FastifyRequest, reply: FastifyReply): void {
  if (turnOf(raw, reply.raw) === 'one_too_many') {
    const words = `At most ${unanswered_max} requests may wait for their answers on one connection.`
    throw new Refusal('rate_limit_exceeded', words, { retry_after_seconds: 1 })
  }
  refuseOddTarget(raw)
}

/** While stopping, an answered connection is closed: kept alive for its client it would keep the server waiting. */
function closeAnswered(app: FastifyInstance): void {
  let stopping = false
  app.addHook('preClose', async () => {
    stopping = true
  })
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (stopping) reply.header('connection', 'close')
    done()
  })
}

function adviceOn<Context>(parts: ServerParts<Context>, request: FastifyRequest): string | null {
  if (dialectOf(request) !== 'compatible') return null
  return parts.advise(request.method, request.url.split('?')[0]!)
}

/** The headers of every answer. */
function welcome<Context>(
  { couldBeCard }: ServerParts<Context>,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  reply.headers(plainHeaders).header('rip-request-id', request.id)
  if (turnOf(request.raw, reply.raw) === 'one_too_many') reply.header('connection', 'close')
  const { dialect = dialectOfPath(request.url, request.headers) } = routeOf(request).config
  if (dialect === 'compatible') greet(request, reply, couldBeCard)
}
