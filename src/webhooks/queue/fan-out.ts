// Makes a delivery of an event for each endpoint that wants it, in the same statement that writes the event.

import type { AnySql, Fragment } from '../../database/open.ts'
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
  sequence: number
  event_id: string
  type: StoredEventType
  created_at: Date
}

/** An event that comes before another: the newest one of a subject, or one of the same statement. */
export type EarlierEvent = { subject: string | Fragment } | Pick<QueuedEvent, 'event_id' | 'type' | 'created_at'>

/**
 * The body of a CTE that queues an event's deliveries if the CTE `gate` has a row. The statement itself reads the
 * endpoints, so it misses none that exists when the event commits. `behind` are the events that must have been
 * attempted first, the last of them first: each waits for those behind it by itself. By default that is the newest
 * one of this event's subject, and none for its first event. A row waits for the last that its endpoint is told of.
 */
export function fanOut(
  sql: AnySql,
  { event, mode }: { event: QueuedEvent; mode: Mode },
  gate = 'gate',
  behind: readonly EarlierEvent[] = event.sequence === 1 ? [] : [{ subject: event.payment_id }],
) {
  const { merchant_id, payment_id, sequence, event_id, type, created_at } = event
  const after = behind.map((earlier) => deliveryOf(sql, earlier))
  return sql`
    insert into webhook_queue
      (merchant_id, delivery_id, endpoint_id, class, due_at, attempt_number, payment_id, sequence, after_id,
       root_id, root_created_at, created_at)
    select e.merchant_id, d.id, e.endpoint_id, 0, ${created_at}, 0, ${payment_id}, ${sequence}, ${firstOf(sql, after)},
      d.id, ${created_at}, ${created_at}
    from ${sql(gate)}, webhook_endpoints e,
      lateral (select webhook_id(${created_at}, ${event_id} || e.endpoint_id) as id) d
    where e.merchant_id = ${merchant_id} and e.status = 'active' and ${isWanted(sql, type)}
      and (e.mode is null or e.mode = ${mode})`
}

/** The id of the delivery of an earlier event to the endpoint `e`. Null where there is none, or it is delivered already. */
function deliveryOf(sql: AnySql, earlier: EarlierEvent): Fragment {
  if (!('subject' in earlier)) {
    const { type, created_at, event_id } = earlier
    return sql`case when ${isWanted(sql, type)} then webhook_id(${created_at}, ${event_id} || e.endpoint_id) end`
  }
  // The id follows from the event.
  return sql`(
    select first.delivery_id from events told join webhook_queue first on first.merchant_id = told.merchant_id
      and first.delivery_id = webhook_id(told.created_at, told.event_id || e.endpoint_id)
    where told.merchant_id = e.merchant_id and told.payment_id = ${earlier.subject}
    order by told.sequence desc limit 1)`
}

function firstOf(sql: AnySql, ids: Fragment[]): Fragment {
  const [first, second, ...others] = ids
  if (!first) return sql`null`
  return second ? sql`coalesce(${first}, ${firstOf(sql, [second, ...others])})` : first
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
