// Hangs pages and in-process peers onto the server.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Caller } from './access.ts'
import type { Page, Peer } from './pages.ts'

export function mountPages<Context>(
  app: FastifyInstance,
  pages: Page<Context>[],
  context: Context,
  callerOf: (request: FastifyRequest) => Caller,
): void {
  for (const page of pages) {
    app.route({
      method: page.method,
      url: page.path.replace(/\{(\w+)\}/g, ':$1'),
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
          .send(answer.html)
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

function formFields(body: unknown): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(textOf(body)))
}

function textOf(body: unknown): string {
  return body instanceof Buffer ? body.toString() : ''
}
