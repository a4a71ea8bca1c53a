// Deliveries as the API shows them, one row an attempt, and whether a dead letter may be replayed.

import { z } from 'zod'
import { Refusal, type RefusalCode } from '../kernel/errors.ts'
import { timestamp, timestampOrNull } from '../kernel/values.ts'
import { endpointNotFound, time } from './endpoint.ts'

export const deliveryStatuses = ['succeeded', 'failed', 'dead_lettered', 'pending'] as const
export type DeliveryStatus = (typeof deliveryStatuses)[number]

/** The key of a delivery. It includes the merchant, so another account's delivery is never found. */
export type DeliveryKey = { merchant_id: string; delivery_id: string }

export type DeliveryAttempt = {
  merchant_id: string
  attempt_id: string
  delivery_id: string
  endpoint_id: string
  endpoint_url: string | null
  /** The subject of the event: a payment, or a refund (`ref_…`). */
  payment_id: string
  event_type: string
  /** 0 for a replay that waits for its first attempt. */
  attempt_number: number
  replay_of: string | null
  root_created_at: Date
  status: DeliveryStatus
  occurred_at: Date
  response_status_code: number | null
  response_body: string | null
  next_retry_at: Date | null
}

/** Facts about a dead letter: whether its endpoint still exists, and whether a replay is under way. */
export type ReplayStanding = { endpoint_is_active: boolean; is_being_replayed: boolean }

export const attemptView = z
  .object({
    delivery_id: z.string(),
    replay_of: z.string().nullable(),
    merchant_id: z.string(),
    event_id: z.string(),
    event_type: z.string(),
    attempt_number: z.int(),
    status: z.enum(deliveryStatuses),
    occurred_at: time,
    endpoint_url: z.string().nullable(),
    response_status_code: z.int().nullable(),
    response_body: z.string().nullable(),
    next_retry_at: time.nullable(),
    replayable: z.boolean(),
    replay_expires_at: time.nullable(),
  })
  .meta({ title: 'WebhookDelivery', note: 'One attempt to deliver an event.' })

export function viewAttempt(
  attempt: Omit<DeliveryAttempt, 'attempt_id'> & ReplayStanding,
  now: Date,
): z.input<typeof attemptView> {
  const can_be = attempt.status === 'dead_lettered' && attempt.endpoint_is_active
  return {
    delivery_id: attempt.delivery_id,
    replay_of: attempt.replay_of,
    merchant_id: attempt.merchant_id,
    event_id: eventKey(attempt),
    event_type: `${type_prefix}${attempt.event_type}`,
    attempt_number: attempt.attempt_number,
    status: attempt.status,
    occurred_at: timestamp(attempt.occurred_at),
    endpoint_url: attempt.endpoint_url,
    response_status_code: attempt.response_status_code,
    response_body: attempt.response_body,
    next_retry_at: timestampOrNull(attempt.next_retry_at),
    replayable: isReplayable(attempt, now),
    replay_expires_at: timestampOrNull(can_be ? replayExpiresAt(attempt) : null),
  }
}

/** The judgement of `validateReplay`, without the check for a broken chain. */
export function isReplayable(
  of: ReplayStanding & Pick<DeliveryAttempt, 'root_created_at'> & { status: DeliveryStatus },
  now: Date,
): boolean {
  return of.status === 'dead_lettered' && of.endpoint_is_active && now <= replayExpiresAt(of) && !of.is_being_replayed
}

/** The same text for every attempt and replay of one event to one endpoint. */
export function eventKey(of: Pick<DeliveryAttempt, 'payment_id' | 'event_type' | 'endpoint_id'>): string {
  return `evt:${of.payment_id}#${of.event_type}#${of.endpoint_id}`
}

/** The prefix of event types in rows. */
export const type_prefix = 'webhook.'

/** The event type that rows show as this text; null if no row can. */
export function eventTypeShownAs(text: string): string | null {
  // The database would refuse a zero byte, and no row has one.
  if (!text.startsWith(type_prefix) || text.includes('\0')) return null
  return text.slice(type_prefix.length)
}

/** A settled delivery with everything that a replay needs. */
export type SettledDelivery = DeliveryKey & {
  endpoint_id: string
  payment_id: string
  sequence: number
  event_type: string
  status: 'succeeded' | 'dead_lettered'
  root_id: string
  root_created_at: Date
  active_replay: string | null
  /** Null if the endpoint was deleted. */
  endpoint_url: string | null
  /** Whether every earlier delivery of its chain is still stored. */
  chain_is_whole: boolean
}

/** The refusals of a replay. */
export const replayRefusals = [
  'delivery_not_found',
  'delivery_not_dead_lettered',
  'endpoint_not_found',
  'replay_chain_broken',
  'replay_window_expired',
  'replay_in_progress',
] as const satisfies RefusalCode[]

/**
 * Throws the first reason why a delivery may not be replayed. Lasting reasons come first, and a replay under way comes
 * last.
 */
export function validateReplay(
  delivery: SettledDelivery | 'unsettled' | undefined,
  now: Date,
): SettledDelivery & { endpoint_url: string } {
  if (delivery === undefined) throw deliveryNotFound()
  if (delivery === 'unsettled' || delivery.status !== 'dead_lettered') {
    throw new Refusal('delivery_not_dead_lettered', 'The delivery was not given up on.')
  }
  const { endpoint_url } = delivery
  if (endpoint_url === null) throw endpointNotFound()
  if (!delivery.chain_is_whole) {
    throw new Refusal('replay_chain_broken', 'An earlier delivery of the chain is gone.')
  }
  if (now > replayExpiresAt(delivery)) {
    throw new Refusal('replay_window_expired', 'The original delivery is older than 30 days.')
  }
  if (delivery.active_replay !== null) throw replayInProgress()
  return { ...delivery, endpoint_url }
}

/** When a waiting delivery is sent: after the pause of its endpoint, and at once if it is due. */
export function nextAttemptAt(
  { due_at, breaker_open_until }: { due_at: Date; breaker_open_until: Date | null },
  now: Date,
): Date {
  return [due_at, breaker_open_until ?? due_at].reduce((latest, at) => (at > latest ? at : latest), now)
}

/** The end of the pause that holds up a waiting delivery. */
export function heldUntil({ breaker_open_until }: { breaker_open_until: Date | null }, now: Date): Date | null {
  return breaker_open_until && breaker_open_until > now ? breaker_open_until : null
}

export function deliveryNotFound(): Refusal {
  return new Refusal('delivery_not_found', 'There is no delivery with this id.')
}

export function replayInProgress(): Refusal {
  return new Refusal('replay_in_progress', 'A replay of the delivery is under way.')
}

/** How long rows are listed and deliveries may be replayed. */
export const replay_window_ms = 30 * 24 * 3600 * 1000

/** The end of the replay window. It counts from the original delivery, even after replays. */
function replayExpiresAt({ root_created_at }: { root_created_at: Date }): Date {
  return new Date(root_created_at.getTime() + replay_window_ms)
}
