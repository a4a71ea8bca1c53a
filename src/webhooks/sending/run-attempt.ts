// Runs the attempt of a claimed delivery, passes the result on to be written, and reports it to log and metrics.

import type { Metrics } from '../../http/metrics.ts'
import type { Span, Tracing } from '../../kernel/tracing.ts'
import { timestampOrNull } from '../../kernel/values.ts'
import { chanceOf, type World } from '../../kernel/world.ts'
import { eventKey } from '../delivery.ts'
import type { ClaimedDelivery } from '../queue/claimed-delivery.ts'
import type { Settlement } from '../queue/queue-store.ts'
import type { AttemptResults } from './attempt-results.ts'
import { type DeliverySettings, type PostResult, post, type SendOptions, settlementOf } from './deliver.ts'
import type { Health } from './health.ts'
import type { Lanes } from './lanes.ts'

export type AttemptContext = {
  world: Pick<World, 'clock' | 'random' | 'log'>
  metrics: Metrics
  /** Null if attempts have no spans. */
  tracing: Tracing | null
  sending: SendOptions & { settings: DeliverySettings }
  lanes: Lanes
  health: Health
  attemptResults: AttemptResults
}

/** Returns whether more deliveries may wait for the attempt's place, and when it is repeated, if it is. */
export async function runAttempt(
  parts: AttemptContext,
  delivery: ClaimedDelivery,
  is_retry: boolean,
): Promise<{ was_full: boolean; next_retry_at: Date | null }> {
  const { lanes, metrics, attemptResults } = parts
  const { clock } = parts.world
  const { endpoint_id, attempt_id } = delivery
  const { schedule } = parts.sending.settings
  const chance = () => chanceOf(parts.world)
  const began_at = clock.now()
  lanes.begin(endpoint_id, { attempt_id, is_retry }, began_at.getTime())
  if (delivery.attempt_number === 1 && delivery.replay_of === null) {
    metrics.webhookWaited((began_at.getTime() - delivery.created_at.getTime()) / 1000)
  }
  const span = beginSpan(parts.tracing, delivery)
  const result = await post(parts.sending, delivery, began_at)
  span?.end({ 'http.response.status_code': result.response_status_code }, codeOf(result.failure))
  const ended_at = clock.now()
  const attempt = { began_at, ended_at, schedule, chance: chance() }
  const settlement = settlementOf(delivery, result, attempt)
  attemptResults.add(settlement)
  const open_max_ms = 1000 * Math.max(0, ...schedule)
  const attemptResult = { ...result, attempt_id, ended_ms: ended_at.getTime(), open_max_ms }
  const { was_full, turned } = lanes.end(endpoint_id, attemptResult, chance())
  if (turned) parts.health.keep(delivery, turned, result.succeeded ? null : wordOf(result))
  report(parts, settlement, {
    failure_detail: result.failure_detail,
    was_lost: delivery.was_lost || undefined,
  })
  return { was_full, next_retry_at: settlement.next_retry_at }
}

/**
 * The span names only the receiver's host, because the address may contain a secret. The receiver gets no trace header.
 */
function beginSpan(tracing: Tracing | null, delivery: ClaimedDelivery): Span | null {
  if (tracing === null) return null
  const { merchant_id, endpoint_id, delivery_id, attempt_number } = delivery
  return tracing.begin('webhook attempt', 'client', {
    'server.address': URL.parse(delivery.endpoint_url)?.hostname,
    'ripper.event_id': eventKey(delivery),
    'ripper.merchant_id': merchant_id,
    'ripper.endpoint_id': endpoint_id,
    'ripper.delivery_id': delivery_id,
    'ripper.attempt_number': attempt_number,
  })
}

/** The failure in one word: that of an attempt's row, or the status of the answer. */
function wordOf({ failure, response_status_code }: PostResult): string {
  const code = codeOf(failure)
  return code === null || code === 'redirect' ? String(response_status_code) : code
}

/** The failure without the target of a redirect, whose path may contain a secret of the receiver. */
function codeOf(failure: string | null): string | null {
  return failure && failure.split(' ')[0]!
}

/**
 * The log fields of an attempt. Of the address they show only the origin: the rest may contain a secret of the
 * receiver.
 */
export function logFields(settlement: Settlement): object {
  const { merchant_id, endpoint_id, delivery_id, replay_of, attempt_number, status } = settlement
  const { duration_ms, response_status_code, failure, next_retry_at, endpoint_url } = settlement
  return {
    event_id: eventKey(settlement),
    merchant_id,
    endpoint_id,
    delivery_id,
    replay_of,
    attempt_number,
    to: new URL(endpoint_url).origin,
    status,
    response_status_code,
    failure: codeOf(failure),
    duration_ms,
    next_retry_at: timestampOrNull(next_retry_at),
  }
}

function report({ metrics, world }: AttemptContext, settlement: Settlement, also: object): void {
  const { status, duration_ms } = settlement
  metrics.webhookAttempted(status, duration_ms / 1000)
  if (status === 'dead_lettered') metrics.webhookDeadLettered(1)
  world.log.info({ ...logFields(settlement), ...also }, 'webhook attempt')
}
