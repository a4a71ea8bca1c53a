// Makes a delivery of an event for each endpoint that wants it, in the very statement that writes the event.

import type { AnySql } from '../../database/open.ts'
import type { EventType } from '../../kernel/values.ts'

/** What deliveries are made from. The body stays frozen in the table `events`. */
export type QueuedEvent = {
  merchant_id: string
  payment_id: string
  sequence: 1 | 2
  event_id: string
  type: EventType
  created_at: Date
}

/**
 * The body of a CTE that queues the deliveries of an event where the CTE `gate` has a row. The statement itself reads
 * the endpoints, so it misses none that exists when the event commits.
 */
export function fanOut(sql: AnySql, event: QueuedEvent, gate = 'gate') {
  const { merchant_id, payment_id, sequence, event_id, type, created_at } = event
  // The id of the first event's delivery to the same endpoint follows from that event.
  const after =
    sequence === 1
      ? sql`null`
      : sql`(
        select webhook_id(first.created_at, first.event_id || e.endpoint_id) from events first
        where first.merchant_id = e.merchant_id and first.payment_id = ${payment_id} and first.sequence = 1)`
  return sql`
    insert into webhook_queue
      (merchant_id, delivery_id, endpoint_id, class, due_at, attempt_number, payment_id, sequence, after_id,
       root_id, root_created_at, created_at)
    select e.merchant_id, d.id, e.endpoint_id, 0, ${created_at}, 0, ${payment_id}, ${sequence}, ${after},
      d.id, ${created_at}, ${created_at}
    from ${sql(gate)}, webhook_endpoints e,
      lateral (select webhook_id(${created_at}, ${event_id} || e.endpoint_id) as id) d
    where e.merchant_id = ${merchant_id} and e.status = 'active'
      and (e.event_filter = '{}' or ${type} = any(e.event_filter))`
}
