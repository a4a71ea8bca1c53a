// Records an answered request: in the metrics, the log and its merchant's request log. Refusals of servers and shoppers
// are also kept for a month.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { World } from '../kernel/world.ts'
import { gateway_limit_code, refusalCodeOf, refusedFieldOf } from './failures.ts'
import { routeOf } from './fastify.ts'
import type { Metrics } from './metrics.ts'
import type { RefusalLog } from './refusal-log.ts'
import type { RequestLog } from './request-log.ts'
import { shownPath, shownUnknownPath } from './shown-path.ts'

type RecordContext = {
  world: Pick<World, 'clock' | 'log'>
  metrics: Pick<Metrics, 'requestEnded'>
  requests: Pick<RequestLog, 'add'>
  /** Null if none are kept. */
  refusals: Pick<RefusalLog, 'add'> | null
}

/**
 * Callers choose methods and paths, and each label is kept until the process ends. So all requests without a route
 * share one label.
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
  const code = refusalCodeOf(request)
  const duration_ms = Math.round(reply.elapsedTime * 100) / 100
  const fields = { request_id: id, method, route, status, code, duration_ms }
  // The duration of a stream is not the duration of an answer.
  if (config.is_stream && status === 200) {
    world.log.info(fields, 'stream')
    return
  }
  const is_taken = is_routed && !config.is_other_method && methodsTaken.has(method)
  const labels = is_taken ? ([method, route] as const) : (['other', 'unknown'] as const)
  metrics.requestEnded(...labels, status, duration_ms / 1000)
  // The log gets their sum: with a line for each, strangers could fill the disk.
  if (code === gateway_limit_code) world.log.debug(fields, 'request')
  else world.log.info(fields, 'request')
  if (merchant_id === null) return
  const at = world.clock.now()
  const path = is_routed ? shownPath(route, request.params as Record<string, string>) : shownUnknownPath(request.url)
  const entry = { ...fields, code: code ?? null, merchant_id, mode, path, at }
  requests.add(entry)
  if (status < 400) return
  const asker_id = key_id ?? sessionOf(request)
  if (asker_id !== undefined) refusals?.add({ ...entry, asker_id, field: refusedFieldOf(request) })
}

/** The session of a shopper's page. No other request without a secret key has both a merchant and a session. */
function sessionOf({ params }: FastifyRequest): string | undefined {
  return (params as Record<string, string | undefined>).session_id
}
