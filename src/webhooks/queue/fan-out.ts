// Makes a delivery of an event for each endpoint that wants it, in the same statement that writes the event.

import type { AnySql } from '../../database/open.ts'
import {
  type CompatibleOnlyType,
  compatibleNameOf,
  compatibleOnlyTypes,
  extensionEventTypes,
  type Mode,
  type StoredEventType,
} from '../../kernel/values.ts'

/** The event of new deliveries. Its body stays frozen in the table `events`. */
export type QueuedEvent = {
  merchant_id: string
  /**
   * The subject of the event: a payment, or a refund (`ref_…`). In an event of the other platform's alone, a session or
   * a Checkout Session.
   */
  payment_id: string
  sequence: 1 | 2
  event_id: string
  type: StoredEventType
  created_at: Date
}

/**
 * The body of a CTE that queues an event's deliveries if the CTE `gate` has a row. The statement itself reads the
 * endpoints, so it misses none that exists when the event commits. `behind` is the subject whose newest event must have
 * been attempted first, or an event of the same statement. By default that is the subject of this event, and none for
 * its first event.
 */
export function fanOut(
  sql: AnySql,
  { event, mode }: { event: QueuedEvent; mode: Mode },
  gate = 'gate',
  behind: string | Pick<QueuedEvent, 'event_id' | 'created_at'> | null = event.sequence === 1 ? null : event.payment_id,
) {
  const { merchant_id, payment_id, sequence, event_id, type, created_at } = event
  // The id of an earlier event's delivery to the same endpoint follows from that event.
  const after =
    behind === null
      ? sql`null`
      : typeof behind !== 'string'
        ? sql`webhook_id(${behind.created_at}, ${behind.event_id} || e.endpoint_id)`
        : sql`(
        select webhook_id(first.created_at, first.event_id || e.endpoint_id) from events first
        where first.merchant_id = e.merchant_id and first.payment_id = ${behind}
        order by first.sequence desc limit 1)`
  return sql`
    insert into webhook_queue
      (merchant_id, delivery_id, endpoint_id, class, due_at, attempt_number, payment_id, sequence, after_id,
       root_id, root_created_at, created_at)
    select e.merchant_id, d.id, e.endpoint_id, 0, ${created_at}, 0, ${payment_id}, ${sequence}, ${after},
      d.id, ${created_at}, ${created_at}
    from ${sql(gate)}, webhook_endpoints e,
      lateral (select webhook_id(${created_at}, ${event_id} || e.endpoint_id) as id) d
    where e.merchant_id = ${merchant_id} and e.status = 'active' and ${isWanted(sql, type)}
      and (e.mode is null or e.mode = ${mode})`
}

/** Whether the endpoint `e` is told of the type, in its own words. */
function isWanted(sql: AnySql, type: StoredEventType) {
  const isInFilter = (name: string) => sql`(e.event_filter = '{}' or ${name} = any(e.event_filter))`
  const inOtherWords = sql`e.event_format = 'stripe' and ${isInFilter(compatibleNameOf(type))}`
  if (isCompatibleOnly(type)) return inOtherWords
  const is_extension = extensionEventTypes.some((each) => each === type)
  const inOurWords = is_extension ? sql`${type} = any(e.extension_events)` : isInFilter(type)
  return sql`(e.event_format = 'ripper' and ${inOurWords} or ${inOtherWords})`
}

function isCompatibleOnly(type: StoredEventType): type is CompatibleOnlyType {
  return compatibleOnlyTypes.some((each) => each === type)
}
