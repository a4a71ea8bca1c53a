// Records an answered request: in the metrics, the log, its merchant's request log and, if a server or shopper was refused, for a month.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { World } from '../kernel/world.ts'
import { gateway_limit_code, refusalOf, refusedFieldOf } from './failures.ts'
import { routeOf } from './fastify.ts'
import type { Metrics } from './metrics.ts'
import type { RefusalLog } from './refusal-log.ts'
import type { RequestLog } from './request-log.ts'

type RecordContext = {
  world: Pick<World, 'clock' | 'log'>
  metrics: Pick<Metrics, 'requestEnded'>
  requests: Pick<RequestLog, 'add'>
  /** Null where none are kept. */
  refusals: Pick<RefusalLog, 'add'> | null
}

/**
 * Callers choose methods and paths, and each label is kept until the process ends. So whatever no route takes shares one.
 */
const methodsTaken = new Set(['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS'])

export function record(
  { world, metrics, requests, refusals }: RecordContext,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const { id, method, merchant_id, key_id, mode } = request
  const { url, config } = routeOf(request)
  const is_routed = url !== undefined
  const route = url ?? 'unknown'
  const status = reply.statusCode
  const code = refusalOf(request)
  const duration_ms = Math.round(reply.elapsedTime * 100) / 100
  const told = { request_id: id, method, route, status, code, duration_ms }
  // How long somebody listened is not how long an answer took.
  if (config.is_stream && status === 200) {
    world.log.info(told, 'stream')
    return
  }
  const is_taken = is_routed && !config.is_other_method && methodsTaken.has(method)
  const labels = is_taken ? ([method, route] as const) : (['other', 'unknown'] as const)
  metrics.requestEnded(...labels, status, duration_ms / 1000)
  // The log gets their sum: a line for each would let anybody fill the disk.
  if (code === gateway_limit_code) world.log.debug(told, 'request')
  else world.log.info(told, 'request')
  if (merchant_id === null) return
  const at = world.clock.now()
  const path = is_routed ? shownPath(route, request.params as Record<string, string>) : shownUnknownPath(request.url)
  const kept = { ...told, code: code ?? null, merchant_id, mode, path, at }
  requests.add(kept)
  if (status < 400) return
  const asker_id = key_id ?? sessionOf(request)
  if (asker_id !== undefined) refusals?.add({ ...kept, asker_id, field: refusedFieldOf(request) })
}

/** The session of a shopper's page. Nobody else who shows no secret key has both a merchant and a session. */
function sessionOf({ params }: FastifyRequest): string | undefined {
  return (params as Record<string, string | undefined>).session_id
}

/** The path of a request as people may see it: with ids of ours, and nothing else that was sent in their place. */
const ids = /^(?:(?:cs|pay|whep)_[0-9a-f]{24}|rip_pk_[0-9a-f]{48}|[0-9a-f]{32})$/

/**
 * `route` spells its parameters `:name`. A value without the shape of its id becomes `…`: it may be a secret or a card
 * number.
 */
export function shownPath(route: string, params: Readonly<Record<string, string>>): string {
  return route.replace(/:(\w+)|\*/g, (_, name: string | undefined) => {
    const value = name === undefined ? '' : (params[name] ?? '')
    return ids.test(value) || (name === 'handle' && isHandle(value)) ? value : '…'
  })
}

const parts_max = 8

/** The path of a request without a route: words as paths have them, such as `/v1/payment_intent`. */
export function shownUnknownPath(url: string): string {
  const parts = url.split(/[?#]/)[0]!.split('/').slice(1)
  const shown = parts.slice(0, parts_max).map((part) => (isWord(part) || ids.test(part) ? part : '…'))
  return `/${shown.join('/')}${parts.length > parts_max ? '/…' : ''}`
}

/** Without digits, but for a version's, so that it is no secret and no number of a card. */
function isWord(text: string): boolean {
  return /^(?:v\d{1,3}|[a-z][a-z_.-]{0,39})?$/i.test(text)
}

/** With as many digits as a card number it could be one. */
function isHandle(text: string): boolean {
  return /^[a-z0-9-]{3,64}$/.test(text) && text.replace(/\D/g, '').length < 12
}
