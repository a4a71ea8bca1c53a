// A span for each request, with everything that the request does. Streams have none, because they last for hours;
// health checks have none either. A request that the gateway limit refuses leaves no span: a flood would push out the
// others.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Span, Tracing } from '../kernel/tracing.ts'
import { gateway_limit_code, refusalCodeOf } from './failures.ts'
import { routeOf } from './fastify.ts'

/** Call it before other hooks are added: the span begins with the first of them. */
export function traceRequests(app: FastifyInstance, tracing: Tracing): void {
  const spans = new WeakMap<FastifyRequest, Span>()
  app.addHook('onRequest', (request, _reply, done) => {
    if (isTraced(request)) spans.set(request, begin(tracing, request))
    done()
  })
  // The body has been read by then. Its arrival belongs to the connection, not to the request.
  app.addHook('preHandler', (request, _reply, done) => {
    const span = spans.get(request)
    if (span) span.within(done)
    else done()
  })
  app.addHook('onResponse', async (request, { statusCode: status }) => {
    const code = refusalCodeOf(request)
    if (code === gateway_limit_code) return
    const facts = {
      'http.response.status_code': status,
      'ripper.code': code,
      'ripper.merchant_id': request.merchant_id,
    }
    spans.get(request)?.end(facts, status >= 500 ? String(status) : null)
  })
}

function isTraced(request: FastifyRequest): boolean {
  const { is_stream, counted_apart } = routeOf(request).config
  return !is_stream && counted_apart !== 'health'
}

function begin(tracing: Tracing, request: FastifyRequest): Span {
  const { id, method } = request
  const route = routeOf(request).url ?? 'unknown'
  const facts = { 'http.request.method': method, 'http.route': route }
  return tracing.begin(`${method} ${route}`, 'server', facts, { 'ripper.request_id': id })
}
