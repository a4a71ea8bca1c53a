// Hangs pages and in-process peers onto the server.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Refusal } from '../errors.ts'
import type { Peer } from '../peer.ts'
import type { Caller } from './access.ts'
import type { Page } from './pages.ts'
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
      bodyLimit: 64 * 1024,
      handler: async (request, reply) => {
        const answer = await page.handle(context, {
          params: request.params as Record<string, string>,
          fields: formFields(request.body),
          body: textOf(request.body),
          caller: callerOf(request),
        })
        return reply
          .code(answer.status)
          .headers(answer.headers)
          .type(answer.headers['content-type'] ?? 'text/html; charset=utf-8')
          .send(answer.body)
      },
    })
  }
}

export function mountPeers(app: FastifyInstance, peers: Peer[]): void {
  for (const peer of peers) {
    app.all(`${peer.prefix}/*`, async (request, reply) => {
      const url = new URL(request.url, 'http://peer')
      const answer = await peer.handle({
        method: request.method,
        path: url.pathname.slice(peer.prefix.length),
        query: url.searchParams,
        headers: request.headers as Record<string, string>,
        body: textOf(request.body),
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

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** A path that exists answers every other method with 405 and says which it takes. */
export function refuseOtherMethods(app: FastifyInstance, routes: Route<never>[]): void {
  for (const [path, here] of Map.groupBy(routes, (route) => route.path)) {
    const taken = here.map(({ method }) => method as string)
    const allowed = taken.join(', ')
    app.route({
      method: methods.filter((method) => !taken.includes(method)),
      url: fastifyPath(path),
      config: { dialect: here[0]!.dialect },
      handler: async (_request, reply) => {
        reply.header('allow', allowed)
        throw new Refusal('invalid_request', `This path takes ${allowed}.`, { status: 405 })
      },
    })
  }
}

/** `/v1/x/{id}` as the router spells it. */
export function fastifyPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1')
}

function formFields(body: unknown): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(textOf(body)))
}

function textOf(body: unknown): string {
  return body instanceof Buffer ? body.toString() : ''
}
