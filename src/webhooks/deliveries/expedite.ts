// Sends a waiting delivery at once, whatever its schedule and its endpoint's pause are. The attempt counts as one of
// the delivery's usual ones.

import type { Context } from '../../context.ts'
import { accountLine, type LineWriter } from '../../merchants/account-lines.ts'
import { writeAs } from '../../merchants/write-as.ts'
import { type DeliveryKey, deliveryNotFound } from '../delivery.ts'
import { expediteDelivery } from './delivery-store.ts'
import { findDeliveryRecord } from './operator-store.ts'

/**
 * Returns true if the delivery is being sent, and false if it was settled meanwhile. An attempt under way is not
 * doubled. Throws `delivery_not_found`.
 */
export async function expedite(
  { sql, wakeDeliveries }: Pick<Context, 'sql' | 'wakeDeliveries'>,
  which: DeliveryKey,
  writer: LineWriter,
  now: Date,
): Promise<boolean> {
  const delivery = await findDeliveryRecord(sql, which)
  if (!delivery) throw deliveryNotFound()
  const { merchant_id, delivery_id: subject, endpoint_id, payment_id } = delivery
  const change = { change: 'delivery.expedited', detail: { endpoint_id, payment_id }, at: now }
  const line = accountLine(writer, { merchant_id, subject, ...change })
  const is_due = await writeAs(sql, writer, (tx) => expediteDelivery(tx, delivery, line))
  if (is_due) wakeDeliveries('event', merchant_id)
  return is_due
}
