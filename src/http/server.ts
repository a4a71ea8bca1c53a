// The HTTP server: interprets route records, gives every failure its family's shape, and stops in order.

import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Sql } from '../database/open.ts'
import type { Ids } from '../ids.ts'
import type { Keyring } from '../keyring.ts'
import type { Peer } from '../peer.ts'
import type { World } from '../world.ts'
import type { Access } from './access.ts'
import { callerOf } from './caller.ts'
import { corsHook, mountPreflights } from './cors.ts'
import { answerBrokenRequest, body_bytes_max, fail, notFound, refusalOf } from './failures.ts'
import { limitGateway } from './gateway-limit.ts'
import type { Metrics } from './metrics.ts'
import { fastifyPath, mountPages, mountPeers, refuseOtherMethods } from './mount.ts'
import type { Page } from './pages.ts'
import type { Route } from './route.ts'
import { answerRoute, type Kernel } from './run-route.ts'

type ServerParts<Context> = {
  world: World
  sql: Sql
  ids: Ids
  keyring: Keyring
  access: Access
  metrics: Metrics
  context: Context
  routes: Route<Context>[]
  pages: Page<Context>[]
  peers: Peer[]
  /** Requests a minute and address on checkout and payment routes; 0 is without a limit. */
  gateway_limit: number
  /** Addresses of proxies whose X-Forwarded-For is believed. */
  trusted_proxies: string[]
}

const head_bytes_max = 16_384

/** Builds the server; it listens only when told to. */
export async function openServer<Context>(parts: ServerParts<Context>): Promise<FastifyInstance> {
  const app = Fastify({
    bodyLimit: body_bytes_max,
    trustProxy: parts.trusted_proxies.length > 0 ? parts.trusted_proxies : false,
    // Slow clients: the head within 10 s, the whole request within 20 s, an idle connection for 75 s.
    requestTimeout: 20_000,
    keepAliveTimeout: 75_000,
    http: {
      headersTimeout: 10_000,
      connectionsCheckingInterval: 2_000,
      maxHeaderSize: head_bytes_max,
    },
    genReqId: () => parts.ids.request(),
    clientErrorHandler: answerBrokenRequest,
    // A path that cannot be decoded: no route and no hook comes to see it.
    frameworkErrors: (_error, request, reply) => {
      reply.headers(plainHeaders).header('rip-request-id', request.id)
      fail(parts.world.log, notFound(request), request, reply)
    },
    // No head is longer, so that a route judges every id itself.
    routerOptions: { maxParamLength: head_bytes_max },
    return503OnClosing: true,
    forceCloseConnections: 'idle',
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(plainHeaders).header('rip-request-id', request.id)
  })
  closeAnswered(app)
  app.addHook('onResponse', async (request, reply) => record(parts, request, reply))
  app.setErrorHandler((error, request, reply) => fail(parts.world.log, error, request, reply))
  const limits = await limitGateway(app, parts.gateway_limit)
  app.setNotFoundHandler(limits.elsewhere, (request, reply) =>
    fail(parts.world.log, notFound(request), request, reply),
  )
  const kernel: Kernel<Context> = parts
  for (const route of parts.routes) {
    app.route({
      method: route.method,
      url: fastifyPath(route.path),
      config: { ...limits.ofRoute(route.dialect), idempotency: route.idempotency },
      ...(route.cors && { onSend: corsHook(kernel, route) }),
      handler: (request, reply) => answerRoute(kernel, route, request, reply, callerOf(request)),
    })
  }
  mountPreflights(app, parts.routes, kernel)
  refuseOtherMethods(app, parts.routes)
  mountPages(app, parts.pages, parts.context, callerOf)
  mountPeers(app, parts.peers)
  return app
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

const plainHeaders = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=63072000; includeSubDomains',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
}

function record<Context>(
  parts: ServerParts<Context>,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const route = request.routeOptions.url ?? 'unknown'
  const duration_ms = Math.round(reply.elapsedTime * 100) / 100
  parts.metrics.requestEnded(request.method, route, reply.statusCode, duration_ms / 1000)
  parts.world.log.info(
    {
      request_id: request.id,
      method: request.method,
      route,
      status: reply.statusCode,
      code: refusalOf(request),
      duration_ms,
    },
    'request',
  )
}
