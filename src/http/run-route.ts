// Runs one route record for one request: access, key, query, body, handler, answer, in this order.

import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Sql } from '../database/open.ts'
import { Refusal } from '../kernel/errors.ts'
import type { Keyring } from '../kernel/keyring.ts'
import type { Mode } from '../kernel/values.ts'
import type { World } from '../kernel/world.ts'
import type { Access, Caller, KeyScope } from './access.ts'
import { accessRequestOf } from './access-request.ts'
import { cacheHeaders, namesTag } from './caching.ts'
import { replayHeaders } from './compatible-dialect.ts'
import { partsFrom } from './file-parts.ts'
import {
  type Answer,
  fingerprintsOf,
  type KeyRules,
  keyRow,
  keyRules,
  readKey,
  recordAnswer,
  reservedKey,
  runOnce,
  unusableKey,
} from './idempotency.ts'
import { type BoundAct, judgeReplay, shownMode, withinMode } from './only-mode.ts'
import { readBody } from './read-body.ts'
import { type FileAnswer, type Route, type RouteRequest, routeName } from './route.ts'
import { applyLimit } from './use-limit.ts'
import { validate } from './validate.ts'

export type Kernel<Context> = {
  world: World
  sql: Sql
  keyring: Keyring
  access: Access
  context: Context
  /** Whether the process's clock is so wrong that no request may change anything. */
  isClockFarOff?: (() => boolean) | undefined
  /** Finds a merchant's rows; left out if all rows are in one place. */
  placeOf?: ((merchant_id: string) => Promise<{ sql: Sql; context: Context }>) | undefined
}

/** The kernel for a request of the recognised merchant, if there is one. */
export async function kernelOf<Context>(kernel: Kernel<Context>, merchant_id: string | null): Promise<Kernel<Context>> {
  if (merchant_id === null || !kernel.placeOf) return kernel
  return { ...kernel, ...(await kernel.placeOf(merchant_id)) }
}

export async function answerRoute<Context>(
  common: Kernel<Context>,
  route: Route<Context>,
  request: FastifyRequest,
  reply: FastifyReply,
  caller: Caller,
): Promise<FastifyReply> {
  const params = request.params as Record<string, string>
  const body = () => readBody(request)
  const holder = await route.access.check(accessRequestOf(common, request, { caller, params, body }))
  const kernel = route.where === 'whole' ? common : await kernelOf(common, request.merchant_id)
  const { context, world } = kernel
  if (route.method !== 'GET' && kernel.isClockFarOff?.()) throw clockFarOff(route)
  const now = world.clock.now()
  if (route.limit) applyLimit(reply, await route.limit(context, holder, now), now)
  const key = keyOf(route, request)
  if (key === null && route.idempotency) {
    reply.header('rip-idempotency-warning', noKeyWords(keyRules[route.idempotency]))
  }
  if (!route.has_free_ids && !Object.values(params).every(isId)) {
    throw route.unknownId?.() ?? new Refusal('resource_not_found', 'There is nothing with this id.')
  }
  const { status } = route
  const only_mode = route.access.onlyMode?.(holder) ?? null
  request.mode = only_mode
  const run = { reply, kernel, route, request, params, holder, caller, status, only_mode }
  if (route.file) return sendFile(run, route.file)
  if (key === null) {
    const answer = await answerPlainly(run)
    return route.cache ? sendCacheable(run, reply, answer) : send(reply, answer)
  }
  const answer = await answerOnce(run, key)
  reply.header('rip-idempotent-replayed', String(answer.replayed))
  if (answer.replayed && route.dialect === 'compatible') reply.headers(replayHeaders)
  return send(reply, answer)
}

function clockFarOff({ idempotency }: Route<never>): Refusal {
  const code = idempotency ? keyRules[idempotency].unavailable : 'store_unavailable'
  const words = 'The clock of this process is wrong, so that it changes nothing.'
  return new Refusal(code, `${words} Send the request again in a moment.`)
}

function noKeyWords({ headers }: KeyRules): string {
  return `Sent without ${headers[0]}: a retry of this request cannot be told from a new one.`
}

/** The request's idempotency key; null if it has none and needs none. */
function keyOf(route: Route<never>, request: FastifyRequest): string | null {
  if (!route.idempotency) return null
  const rules: KeyRules = keyRules[route.idempotency]
  const key = readKey(request.raw.headersDistinct, rules)
  if (key === null && !rules.is_optional) throw unusableKey(rules)
  return key
}

/** No id of ours has other characters, and the database would refuse some of them. */
function isId(text: string): boolean {
  return /^[\w-]{1,255}$/.test(text)
}

type Run<Context> = {
  reply: FastifyReply
  kernel: Kernel<Context>
  route: Route<Context>
  request: FastifyRequest
  params: Record<string, string>
  holder: unknown
  caller: Caller
  /** The status of the answer. */
  status: number
  only_mode: Mode | null
}

async function answerPlainly<Context>(run: Run<Context>): Promise<Answer> {
  const { kernel, route } = run
  await route.admit?.(kernel.context, run.holder)
  const raw = rawBodyOf(run)
  const plain = { ...requestOf(run, raw), recordReply: () => null, reserveKey: () => null }
  const reply = await withinMode(actOf(run, raw), plain, (request) => route.handle(kernel.context, request))
  return answerOf(run, reply, false)
}

async function sendFile<Context>(run: Run<Context>, type: string): Promise<FastifyReply> {
  const { kernel, route, reply } = run
  await route.admit?.(kernel.context, run.holder)
  const raw = rawBodyOf(run)
  const plain = { ...requestOf(run, raw), recordReply: () => null, reserveKey: () => null }
  const { name, parts } = (await withinMode(actOf(run, raw), plain, (request) =>
    route.handle(kernel.context, request),
  )) as FileAnswer
  const first = await parts.next()
  return reply
    .code(run.status)
    .type(type)
    .header('content-disposition', `attachment; filename="${name}"`)
    .send(Readable.from(partsFrom(first, parts)))
}

async function answerOnce<Context>(run: Run<Context>, key: string): Promise<Answer> {
  const { kernel, route } = run
  const rules = keyRules[route.idempotency!]
  const raw = rawBodyOf(run)
  const name = routeName(route)
  let memo: Buffer[] | null = null
  function fingerprints(): Buffer[] {
    memo ??= fingerprintsOf(kernel.keyring, { route: name, params: run.params, body: raw })
    return memo
  }
  const act = actOf(run, raw)
  const claim = { ...keyScopeOf(run), key, route: name, fingerprints }
  const request = () => requestOf(run, raw)
  const { resume } = route
  const { audience } = claim
  const resumed = () => withinMode(act, { ...request(), key, audience }, (repeat) => resume!(kernel.context, repeat))
  /** The answer of a route that reserved its key; only routes with `resume` may. */
  const record = async (reply: unknown, replayed: boolean) => {
    const answer = answerOf(run, reply, replayed)
    const at = kernel.world.clock.now()
    const recordedAnswer = await recordAnswer(kernel, claim, { ...answer, at })
    // The key is free again: the act was refused after the reply was made, and the request must get that refusal.
    return recordedAnswer ?? answerOf(run, await resumed(), replayed)
  }

  async function create(): Promise<Answer> {
    await route.admit?.(kernel.context, run.holder)
    let recordedAnswer: Answer | null = null
    const plain = request()
    const keyMembers = {
      ...plain,
      recordReply(reply: unknown) {
        recordedAnswer = answerOf(run, reply, false)
        return keyRow(kernel.keyring, claim, { ...recordedAnswer, at: plain.now })
      },
      reserveKey() {
        // A reply that was recorded before was not written: the act was another one in the end.
        recordedAnswer = null
        return reservedKey(claim, plain.now)
      },
    }
    const reply = await withinMode(act, keyMembers, (within) => route.handle(kernel.context, within))
    return recordedAnswer ?? record(reply, false)
  }

  const answer = await runOnce(
    kernel,
    { claim, rules },
    { create, resume: resume ? async (replayed) => record(await resumed(), replayed) : null },
  )
  if (answer.replayed) await judgeReplay(act, answer.body)
  return answer
}

/** The request of the holder, for the rule of its mode. */
function actOf<Context>(run: Run<Context>, raw: unknown): BoundAct {
  const { kernel, route, only_mode, params } = run
  const { mode: rule } = route
  // Only holders of keys are bound, and each has a merchant.
  const merchant_id = only_mode === null ? '' : keyScopeOf(run).merchant_id
  const place = { merchant_id, params, body: raw }
  return { rule, only_mode, sql: kernel.sql, place }
}

function keyScopeOf<Context>({ route, holder }: Run<Context>): KeyScope {
  if (!route.access.keyScope) throw new Error(`the access rule of ${route.path} has no idempotency keys`)
  return route.access.keyScope(holder)
}

function requestOf<Context>(
  run: Run<Context>,
  raw: unknown,
): Omit<RouteRequest<unknown, unknown, unknown>, 'recordReply' | 'reserveKey'> {
  const { route, params, holder, caller, request, kernel } = run
  return {
    holder,
    params,
    query: route.query && validate(route.query, request.query, route.explain),
    body: bodyOf(route, raw),
    caller,
    request_id: request.id,
    only_mode: run.only_mode,
    now: kernel.world.clock.now(),
    setCookie(cookie) {
      // The framework sends this header once for each call.
      run.reply.header('set-cookie', cookie)
    },
    answerAccepted() {
      if (!route.accepted) throw new Error(`${routeName(route)} does not say that it answers 202`)
      run.status = 202
    },
  }
}

function bodyOf<Context>(route: Route<Context>, raw: unknown): unknown {
  if (!route.body) return undefined
  if (raw === null || typeof raw !== 'object' || Array.isArray(raw)) {
    throw new Refusal('invalid_request', 'The body must be a JSON object.', { field: 'body' })
  }
  return validate(route.body, raw, route.explain)
}

/** The body is not read if the route takes none. */
function rawBodyOf<Context>({ route, request }: Run<Context>): unknown {
  if (!route.body) return undefined
  const raw = readBody(request)
  return raw === undefined && route.body_optional ? {} : raw
}

function answerOf<Context>(run: Run<Context>, reply: unknown, replayed: boolean): Answer {
  const { route, request, status } = run
  const parsedReply = route.reply.parse(reply)
  request.mode ??= shownMode(parsedReply)
  return { status, body: route.status === 204 ? '' : JSON.stringify(parsedReply), replayed }
}

/** Sends an answer of a route as JSON, with a tag if caches may keep it. */
function send(reply: FastifyReply, { status, body }: Omit<Answer, 'replayed'>): FastifyReply {
  if (status === 204) return reply.code(status).send()
  return reply.code(status).type('application/json; charset=utf-8').send(body)
}

function sendCacheable(
  { route, caller }: { route: Pick<Route<never>, 'cache'>; caller: Caller },
  reply: FastifyReply,
  answer: Answer,
): FastifyReply {
  const headers = cacheHeaders(route.cache!, answer.body)
  reply.headers(headers)
  if (namesTag(caller.header('if-none-match'), headers.etag)) return reply.code(304).send()
  return send(reply, answer)
}
