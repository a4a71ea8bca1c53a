// Runs one route record for one request: door, key, body, handler, answer, in this order.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Sql } from '../database/open.ts'
import { Refusal } from '../errors.ts'
import type { Keyring } from '../keyring.ts'
import type { World } from '../world.ts'
import type { Access, Caller, SecretKey } from './access.ts'
import type { Dialect } from './dialects.ts'
import {
  type Answer,
  fingerprintsOf,
  type KeyClaim,
  keyRow,
  readKey,
  runOnce,
} from './idempotency.ts'
import { readJson } from './json.ts'
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
  const holder = await route.door.check(kernel.access, caller, params)
  if (!Object.values(params).every(isId)) {
    throw new Refusal('resource_not_found', 'There is nothing with this id.')
  }
  const run: Run<Context> = { kernel, route, request, params, holder, caller }
  if (!route.idempotency) {
    const { status, body } = await answerPlainly(run)
    return send(reply, status, body)
  }
  const { status, body, replayed } = await answerOnce(run)
  return send(reply.header('rip-idempotent-replayed', String(replayed)), status, body)
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
  const raw = readBody(run)
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
  const raw = readBody(run)
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

/** A merchant's server and its shoppers' browsers have keys of their own each, so neither can claim the other's. */
function keyScopeOf<Context>(run: Run<Context>): { merchant_id: string; audience: string } {
  const { merchant_id } = run.holder as SecretKey
  return { merchant_id, audience: 'secret' }
}

function requestOf<Context>(
  run: Run<Context>,
  raw: unknown,
): Omit<RouteRequest<unknown, unknown>, 'recordReply'> {
  const { route, params, holder, caller, request, kernel } = run
  return {
    holder,
    params,
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

function readBody<Context>(run: Run<Context>): unknown {
  const { route, request } = run
  if (!route.body) return undefined
  const bytes = request.body as Buffer | undefined
  if (!bytes || bytes.length === 0) return undefined
  // Many clients send JSON without saying so, or as text; a form is somebody's mistake and is told apart.
  if (
    /^(application\/x-www-form-urlencoded|multipart\/)/i.test(request.headers['content-type'] ?? '')
  ) {
    throw new Refusal('invalid_request', 'Send the body with Content-Type: application/json.', {
      status: 415,
    })
  }
  return readJson(bytes)
}

function render<Context>(route: Route<Context>, reply: unknown): string {
  return JSON.stringify(route.reply.parse(reply))
}

function send(reply: FastifyReply, status: number, body: string): FastifyReply {
  return reply.code(status).type('application/json; charset=utf-8').send(body)
}
