// Runs one route record for one request: door, key, query, body, handler, answer, in this order.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Sql } from '../database/open.ts'
import { Refusal } from '../errors.ts'
import type { Keyring } from '../keyring.ts'
import type { World } from '../world.ts'
import type { Access, Caller, KeyScope } from './access.ts'
import { cacheHeaders, namesTag } from './caching.ts'
import type { Dialect } from './dialects.ts'
import {
  type Answer,
  fingerprintsOf,
  type KeyClaim,
  keyRow,
  readKey,
  runOnce,
} from './idempotency.ts'
import { readBody } from './read-body.ts'
import type { Route, RouteRequest } from './route.ts'
import { validate } from './validate.ts'

export type Kernel<Context> = {
  world: World
  sql: Sql
  keyring: Keyring
  access: Access
  context: Context
}

export async function answerRoute<Context>(
  kernel: Kernel<Context>,
  route: Route<Context>,
  request: FastifyRequest,
  reply: FastifyReply,
  caller: Caller,
): Promise<FastifyReply> {
  const params = request.params as Record<string, string>
  const query = request.query as Record<string, unknown>
  const { access, context } = kernel
  const body = () => readBody(request)
  const holder = await route.door.check({ access, context, caller, params, query, body })
  if (!Object.values(params).every(isId)) {
    throw new Refusal('resource_not_found', 'There is nothing with this id.')
  }
  const run: Run<Context> = { kernel, route, request, params, holder, caller }
  if (!route.idempotency) {
    const answer = await answerPlainly(run)
    return route.cache ? sendCacheable(run, reply, answer) : send(reply, answer)
  }
  const answer = await answerOnce(run)
  return send(reply.header('rip-idempotent-replayed', String(answer.replayed)), answer)
}

/** No id of ours has other characters, and the database would not even take some of them. */
function isId(text: string): boolean {
  return /^[\w-]{1,255}$/.test(text)
}

/** The dialect of a path that no route has. */
export function dialectOfPath(url: string): Dialect {
  if (/^\/v1\/(compat\/|payment_intents\b)/.test(url)) return 'compatible'
  if (url.startsWith('/v1/webhooks/')) return 'webhook_endpoint'
  return 'checkout'
}

type Run<Context> = {
  kernel: Kernel<Context>
  route: Route<Context>
  request: FastifyRequest
  params: Record<string, string>
  holder: unknown
  caller: Caller
}

async function answerPlainly<Context>(run: Run<Context>): Promise<Answer> {
  const { kernel, route } = run
  await route.admit?.(kernel.context, run.holder)
  const raw = rawBodyOf(run)
  const reply = await route.handle(kernel.context, {
    ...requestOf(run, raw),
    recordReply: () => {
      throw new Error(`${route.path} takes no idempotency key`)
    },
  })
  return { status: route.status, body: render(route, reply), replayed: false }
}

async function answerOnce<Context>(run: Run<Context>): Promise<Answer> {
  const { kernel, route } = run
  const key = readKey(run.request.raw.headersDistinct)
  const raw = rawBodyOf(run)
  const name = `${route.method} ${route.path}`
  const claim: KeyClaim = {
    ...keyScopeOf(run),
    key,
    route: name,
    fingerprints: fingerprintsOf(kernel.keyring, { route: name, params: run.params, body: raw }),
  }
  return runOnce(kernel, claim, async () => {
    await route.admit?.(kernel.context, run.holder)
    const answer: Answer = { status: route.status, body: '', replayed: false }
    const request = requestOf(run, raw)
    await route.handle(kernel.context, {
      ...request,
      recordReply(reply) {
        answer.body = render(route, reply)
        return keyRow(kernel.keyring, claim, { ...answer, at: request.now })
      },
    })
    return answer
  })
}

function keyScopeOf<Context>({ route, holder }: Run<Context>): KeyScope {
  if (!route.door.keyScope) throw new Error(`the door of ${route.path} has no idempotency keys`)
  return route.door.keyScope(holder)
}

function requestOf<Context>(
  run: Run<Context>,
  raw: unknown,
): Omit<RouteRequest<unknown, unknown, unknown>, 'recordReply'> {
  const { route, params, holder, caller, request, kernel } = run
  return {
    holder,
    params,
    query: route.query && validate(route.query, request.query),
    body: bodyOf(route, raw),
    caller,
    request_id: request.id,
    now: kernel.world.clock.now(),
  }
}

function bodyOf<Context>(route: Route<Context>, raw: unknown): unknown {
  if (!route.body || (raw === undefined && route.body_optional)) return undefined
  if (raw === null || typeof raw !== 'object' || Array.isArray(raw)) {
    throw new Refusal('invalid_request', 'The body must be a JSON object.', { field: 'body' })
  }
  return validate(route.body, raw)
}

/** A body that the route does not take is not even looked at. */
function rawBodyOf<Context>({ route, request }: Run<Context>): unknown {
  return route.body ? readBody(request) : undefined
}

function render<Context>(route: Route<Context>, reply: unknown): string {
  return JSON.stringify(route.reply.parse(reply))
}

function send(reply: FastifyReply, { status, body }: Omit<Answer, 'replayed'>): FastifyReply {
  return reply.code(status).type('application/json; charset=utf-8').send(body)
}

function sendCacheable<Context>(
  { route, caller }: Run<Context>,
  reply: FastifyReply,
  answer: Answer,
): FastifyReply {
  const headers = cacheHeaders(route.cache!, answer.body)
  reply.headers(headers)
  if (namesTag(caller.header('if-none-match'), headers.etag)) return reply.code(304).send()
  return send(reply, answer)
}
