// One attempt: signs the frozen body, posts it, and returns the result.

import { type GuardedAnswer, GuardedFailure, type GuardedHttp } from '../../kernel/world.ts'
import { eventKey } from '../delivery.ts'
import type { ClaimedDelivery } from '../queue/claimed-delivery.ts'
import type { Settlement } from '../queue/queue-store.ts'
import { nextRetryAt, type RetrySchedule, restOf } from './retry-schedule.ts'
import { signatureOf, standardSignatureOf } from './signature.ts'

/** The parts of the configuration that concern deliveries. */
export type DeliverySettings = {
  schedule: RetrySchedule
  timeout_ms: number
  connect_timeout_ms: number
  /** How much longer the lease is than the attempt, because clocks differ and results wait to be written. */
  lease_slack_ms: number
  /** The offset of the service's clock: the time in a signature stays real. */
  clock_offset_seconds: number
}

/** What is posted, to which address, and under which key. */
export type OutgoingWebhook = Pick<
  ClaimedDelivery,
  | 'endpoint_url'
  | 'event_id'
  | 'body'
  | 'inOtherWords'
  | 'payment_id'
  | 'endpoint_id'
  | 'event_format'
  | 'standard_webhooks'
> & {
  event_type: string
}

export type SendOptions<Sent extends OutgoingWebhook = ClaimedDelivery> = {
  http: Pick<GuardedHttp, 'post'>
  settings: Pick<DeliverySettings, 'timeout_ms' | 'connect_timeout_ms' | 'clock_offset_seconds'>
  /** Opens the secrets of an endpoint that sign at this time. */
  secretsOf(delivery: Sent, at: Date): string[]
}

export type PostResult = Pick<Settlement, 'response_status_code' | 'response_body' | 'failure'> & {
  succeeded: boolean
  is_our_fault: boolean
  /** The machine's own error, for the log. */
  failure_detail: string | null
  /** The rest that the receiver requested. */
  rest_seconds: number
  retry_after_seconds: number | null
}

/** Posts a delivery. Never throws: every failure is a result of the attempt. */
export async function post<Sent extends OutgoingWebhook>(
  sending: SendOptions<Sent>,
  delivery: Sent,
  now: Date,
): Promise<PostResult> {
  const { http, settings } = sending
  try {
    const body = delivery.inOtherWords?.() ?? delivery.body
    return judge(
      await http.post({
        url: delivery.endpoint_url,
        headers: headersOf(sending, { ...delivery, body }, now),
        body,
        timeout_ms: settings.timeout_ms,
        connect_timeout_ms: settings.connect_timeout_ms,
      }),
    )
  } catch (error) {
    if (!(error instanceof GuardedFailure)) {
      const failure_detail = (error as Error).message
      return { ...unanswered, is_our_fault: true, failure: 'internal', failure_detail }
    }
    const { code: failure, detail: failure_detail, answer } = error
    const failed = { is_our_fault: failure === 'no_socket', failure, failure_detail }
    // An answer whose body never ended is no answer, but its beginning helps to find the cause.
    const came = answer && { response_status_code: answer.status, response_body: answer.body }
    return { ...unanswered, ...came, ...failed }
  }
}

const unanswered = {
  succeeded: false,
  response_status_code: null,
  response_body: null,
  retry_after_seconds: null,
  rest_seconds: 0,
}

function judge({ status, body, retry_after_seconds, location }: GuardedAnswer): PostResult {
  const answer = { response_status_code: status, retry_after_seconds }
  return {
    ...answer,
    succeeded: status >= 200 && status <= 299,
    response_body: body,
    is_our_fault: false,
    failure: location === undefined ? null : `redirect ${location}`,
    failure_detail: null,
    rest_seconds: restOf(answer),
  }
}

function headersOf<Sent extends OutgoingWebhook>(
  { secretsOf, settings }: SendOptions<Sent>,
  delivery: Sent,
  now: Date,
) {
  const { event_id, body, event_format, standard_webhooks } = delivery
  const signed_at = new Date(now.getTime() - settings.clock_offset_seconds * 1000)
  const secrets = secretsOf(delivery, now)
  const signature = signatureOf(body, secrets, signed_at)
  return {
    'content-type': 'application/json; charset=utf-8',
    'user-agent': 'Ripper-Checkout',
    'rip-idempotency-key': eventKey(delivery),
    'rip-signature': signature,
    ...(event_format === 'stripe' && { 'stripe-signature': signature }),
    ...(standard_webhooks && standardHeaders({ event_id, body }, secrets, signed_at)),
  }
}

/** Those of the Standard Webhooks convention: the id stays, the time is each try's own. */
function standardHeaders(
  { event_id, body }: { event_id: string; body: string },
  secrets: readonly string[],
  at: Date,
): Record<string, string> {
  const time_text = String(Math.floor(at.getTime() / 1000))
  return {
    'webhook-id': event_id,
    'webhook-timestamp': time_text,
    'webhook-signature': standardSignatureOf(`${event_id}.${time_text}.${body}`, secrets),
  }
}

/** The maximum of the column: a machine that slept for weeks reports more. */
const duration_max_ms = 2 ** 31 - 1

/** The row of an attempt. `chance` is from 0 up to 1. */
export function settlementOf(
  delivery: ClaimedDelivery,
  result: PostResult,
  attempt: { began_at: Date; ended_at: Date; schedule: RetrySchedule; chance: number },
): Settlement {
  const { began_at, ended_at, schedule, chance } = attempt
  const next_retry_at = result.succeeded ? null : nextRetryAt({ ...delivery, ...result, ended_at }, schedule, chance)
  const { merchant_id, delivery_id, endpoint_id, attempt_id, attempt_number } = delivery
  const { last_attempt_id, pending_id, payment_id, replay_of, root_created_at } = delivery
  const { event_type, endpoint_url } = delivery
  const { response_status_code, response_body, failure } = result
  return {
    merchant_id,
    delivery_id,
    endpoint_id,
    attempt_id,
    attempt_number,
    last_attempt_id,
    pending_id,
    payment_id,
    replay_of,
    root_created_at,
    event_type,
    endpoint_url,
    status: result.succeeded ? 'succeeded' : next_retry_at ? 'failed' : 'dead_lettered',
    occurred_at: delivery.attempted_at,
    duration_ms: Math.min(Math.max(0, ended_at.getTime() - began_at.getTime()), duration_max_ms),
    response_status_code,
    response_body,
    failure,
    next_retry_at,
  }
}
