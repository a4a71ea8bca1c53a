// Sends an answer of a route as JSON, with a tag where caches may keep it.

import type { FastifyReply } from 'fastify'
import type { Caller } from './access.ts'
import { cacheHeaders, namesTag } from './caching.ts'
import type { Answer } from './idempotency.ts'
import type { Route } from './route.ts'

export function send(reply: FastifyReply, { status, body }: Omit<Answer, 'replayed'>): FastifyReply {
  if (status === 204) return reply.code(status).send()
  return reply.code(status).type('application/json; charset=utf-8').send(body)
}

export function sendCacheable(
  { route, caller }: { route: Pick<Route<never>, 'cache'>; caller: Caller },
  reply: FastifyReply,
  answer: Answer,
): FastifyReply {
  const headers = cacheHeaders(route.cache!, answer.body)
  reply.headers(headers)
  if (namesTag(caller.header('if-none-match'), headers.etag)) return reply.code(304).send()
  return send(reply, answer)
}
