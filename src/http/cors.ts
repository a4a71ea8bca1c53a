// Cross-origin reads: which pages may read a route's answers, refusals included, and the answers to preflights.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isStoreUnavailable } from '../database/failures.ts'
import type { Log } from '../kernel/world.ts'
import { callerOf } from './caller.ts'
import { refusalCodeOf } from './failures.ts'
import { fastifyPath } from './mount.ts'
import { readBody } from './read-body.ts'
import type { Cors, Route } from './route.ts'

type Kernel<Context> = { context: Context; world: { log: Log } }

const exposed_headers = 'Rip-Request-Id, Rip-Idempotent-Replayed, ETag, Retry-After'
const preflight = {
  'access-control-allow-headers': 'Content-Type, Rip-Client-Secret, Rip-Idempotency-Key, If-None-Match',
  'access-control-max-age': '600',
}

/** The hook that lets allowed origins read every answer of a route. A request without Origin costs no look-up. */
export function corsHook<Context>(kernel: Kernel<Context>, route: Route<Context>) {
  const { cors } = route
  return async (request: FastifyRequest, reply: FastifyReply) => {
    if (!cors) return
    reply.header('vary', 'Origin')
    // Among the answers with 429, only the gateway limit's is no Refusal; it must stay cheap.
    const limited = reply.statusCode === 429 && refusalCodeOf(request) === undefined
    if (await isAllowed(kernel, { cors, request, limited })) {
      reply.header('access-control-allow-origin', request.headers.origin)
      reply.header('access-control-expose-headers', exposed_headers)
    }
  }
}

/**
 * Preflights of all paths with such routes. A disallowed origin gets no permission and no reason. Browsers send
 * preflights by themselves, so the gateway limit counts them separately.
 */
export function mountPreflights<Context>(
  app: FastifyInstance,
  routes: Route<Context>[],
  kernel: Kernel<Context>,
): void {
  for (const [path, here] of Map.groupBy(routes, (route) => route.path)) {
    const readable = here.filter(({ cors }) => cors)
    const cors = readable[0]?.cors
    if (!cors) continue
    const methods = readable.map(({ method }) => method).join(', ')
    app.route({
      method: 'OPTIONS',
      url: fastifyPath(path),
      config: { dialect: readable[0]!.dialect, counted_apart: 'preflights' },
      handler: async (request, reply) => {
        reply.header('vary', 'Origin').header('allow', `${methods}, OPTIONS`)
        if (await isAllowed(kernel, { cors, request, limited: false })) {
          reply.header('access-control-allow-origin', request.headers.origin)
          reply.headers({ ...preflight, 'access-control-allow-methods': methods })
        }
        return reply.code(204).send()
      },
    })
  }
}

async function isAllowed<Context>(
  { context, world }: Kernel<Context>,
  asking: { cors: Cors<Context>; request: FastifyRequest; limited: boolean },
): Promise<boolean> {
  const { cors, request, limited } = asking
  const { origin } = request.headers
  if (origin === undefined) return false
  try {
    if (limited) return await cors.knows(context, origin)
    const params = request.params as Record<string, string>
    const query = request.query as Record<string, unknown>
    const { header } = callerOf(request)
    const body = () => readable(request)
    return await cors.allows(context, { origin, params, query, header, body })
  } catch (error) {
    // The answer is ready and must be sent; without the permission no page can read it.
    if (!isStoreUnavailable(error)) {
      const { name, stack } = error as Error
      world.log.error({ request_id: request.id, error: name, stack }, 'origin not judged')
    }
    return false
  }
}

function readable(request: FastifyRequest): unknown {
  try {
    return readBody(request)
  } catch {
    return undefined
  }
}
