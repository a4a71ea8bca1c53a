// POST /v1/webhooks/deliveries/{delivery_id}/replay: a dead letter is sent again, as a delivery of its own.

import { z } from 'zod'
import type { Context } from '../../context.ts'
import type { AnySql } from '../../database/open.ts'
import { webhookKey } from '../../http/access.ts'
import type { KeyRow } from '../../http/idempotency.ts'
import { route } from '../../http/route.ts'
import { accountLine, type LineWriter, writerOf } from '../../merchants/account-lines.ts'
import { writeAs } from '../../merchants/write-as.ts'
import { type DeliveryKey, deliveryNotFound, replayInProgress, replayRefusals, validateReplay } from '../delivery.ts'
import { limitTo } from '../rate-limit.ts'
import { findDelivery, insertReplay, modeOfDelivery } from './delivery-store.ts'

const replayView = z
  .object({ delivery_id: z.string(), replay_of: z.string() })
  .meta({ title: 'WebhookReplay', note: 'A replay: a new delivery of a dead-lettered event.' })

export const replayDelivery = route({
  method: 'POST',
  path: '/v1/webhooks/deliveries/{delivery_id}/replay',
  tag: 'Webhooks',
  summary: 'Replay a dead-lettered delivery',
  access: webhookKey,
  mode: { of: modeOfDelivery, unknown: deliveryNotFound },
  dialect: 'webhook_replay',
  idempotency: 'optional',
  limit: limitTo('replay'),
  status: 202,
  reply: replayView,
  unknownId: deliveryNotFound,
  refusals: replayRefusals,
  handle: (context: Context, { holder, params, request_id, now, recordReply }) => {
    const which = { merchant_id: holder.merchant_id, delivery_id: params.delivery_id! }
    return replay(context, which, { recordReply, writer: writerOf(context, { holder, request_id }) }, now)
  },
})

/**
 * Accepts a replay, which is then sent at once. `recordReply` gives the idempotency key's row, if there is a key.
 * Throws the Refusal of a delivery that may not be replayed, or KeyTakenError.
 */
export async function replay(
  context: Pick<Context, 'sql' | 'ids' | 'wakeDeliveries'>,
  which: DeliveryKey,
  by: { recordReply: (reply: unknown) => KeyRow | null; writer: LineWriter },
  now: Date,
): Promise<z.input<typeof replayView>> {
  const { sql, wakeDeliveries } = context
  const reply = await writeAs(sql, by.writer, (tx) => replayIn(tx, context, { which, ...by, now }))
  wakeDeliveries('replay', which.merchant_id)
  return reply
}

/**
 * The same inside a transaction of the caller, which has judged the writer. After its commit, the caller wakes the
 * deliveries.
 */
export async function replayIn(
  sql: AnySql,
  { ids }: Pick<Context, 'ids'>,
  request: {
    which: DeliveryKey
    recordReply: (reply: unknown) => KeyRow | null
    writer: LineWriter
    now: Date
  },
): Promise<z.input<typeof replayView>> {
  const { which, recordReply, writer, now } = request
  const original = validateReplay(await findDelivery(sql, which), now)
  const delivery_id = ids.delivery(now)
  const { merchant_id, delivery_id: replay_of } = which
  const { endpoint_id, payment_id } = original
  const detail = { replay: delivery_id, endpoint_id, payment_id }
  const fields = { change: 'delivery.replayed', detail, at: now }
  const line = accountLine(writer, { merchant_id, subject: replay_of, ...fields })
  const newReplay = { delivery_id, pending_id: ids.webhookAttempt(now), created_at: now, line }
  const reply = { delivery_id, replay_of }
  if (!(await insertReplay(sql, original, newReplay, recordReply(reply)))) {
    // Another request was faster: the delivery's present state gives the refusal.
    validateReplay(await findDelivery(sql, which), now)
    throw replayInProgress()
  }
  return reply
}
