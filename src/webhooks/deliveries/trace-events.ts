// Events with every delivery of each: to which endpoint, how often, and how it ended.

import type { Sql } from '../../database/open.ts'
import type { StoredEventType } from '../../kernel/values.ts'
import {
  type AttemptDetail,
  type DeliveryRecord,
  findDeliveryRecord,
  listChain,
  listEventsWithDeliveries,
  listReplays,
} from './operator-store.ts'

export type TracedDelivery = DeliveryRecord & { attempts: AttemptDetail[] }

export type TracedEvent = {
  event_id: string
  /** The subject of the event: a payment, or a refund (`ref_…`). */
  payment_id: string
  type: StoredEventType
  sequence: number
  created_at: Date
  /** The deliveries that are still stored, each replay after its original. */
  deliveries: TracedDelivery[]
}

/** The events about payments and refunds, oldest first. */
export async function traceEvents(
  sql: Sql,
  { merchant_id, subjects }: { merchant_id: string; subjects: string[] },
): Promise<TracedEvent[]> {
  const events: TracedEvent[] = []
  for (const { delivery_ids, ...event } of await listEventsWithDeliveries(sql, { merchant_id, subjects })) {
    const deliveries: TracedDelivery[] = []
    // Replays of listed deliveries are added at the end.
    for (const waiting = [...delivery_ids]; waiting.length > 0; ) {
      const delivery = await findDeliveryRecord(sql, { merchant_id, delivery_id: waiting.shift()! })
      if (!delivery) continue
      deliveries.push({ ...delivery, attempts: await attemptsOf(sql, delivery) })
      waiting.push(...(await listReplays(sql, delivery)).map(({ delivery_id }) => delivery_id))
    }
    events.push({ ...event, deliveries })
  }
  return events
}

async function attemptsOf(sql: Sql, { merchant_id, last_attempt_id }: DeliveryRecord): Promise<AttemptDetail[]> {
  return last_attempt_id ? listChain(sql, { merchant_id, attempt_id: last_attempt_id }) : []
}
