// DELETE /v1/webhooks/endpoints/{endpoint_id}: nothing is sent there any more, and unsettled deliveries are given up.

import { z } from 'zod'
import type { Context } from '../../context.ts'
import { webhookKey } from '../../http/access.ts'
import type { KeyRow } from '../../http/idempotency.ts'
import { route } from '../../http/route.ts'
import { accountLine, type LineWriter, writerOf } from '../../merchants/account-lines.ts'
import { beginAs } from '../../merchants/write-as.ts'
import { type EndpointKey, endpointNotFound } from '../endpoint.ts'
import { endDeliveries } from '../queue/queue-store.ts'
import { limitTo } from '../rate-limit.ts'
import { disableEndpoint, modeOfEndpoint } from './endpoint-store.ts'

export const deleteEndpoint = route({
  method: 'DELETE',
  path: '/v1/webhooks/endpoints/{endpoint_id}',
  tag: 'Webhooks',
  summary: 'Delete a webhook endpoint',
  access: webhookKey,
  mode: { of: modeOfEndpoint, unknown: endpointNotFound },
  dialect: 'webhook_endpoints',
  idempotency: 'optional',
  limit: limitTo('write'),
  status: 204,
  reply: z.null(),
  unknownId: endpointNotFound,
  refusals: ['endpoint_not_found'],
  handle: async (context: Context, { holder, params, request_id, now, recordReply }) => {
    const which = { merchant_id: holder.merchant_id, endpoint_id: params.endpoint_id! }
    const writer = writerOf(context, { holder, request_id })
    await removeEndpoint(context, which, { key: recordReply(null), writer }, now)
    return null
  },
})

const batches_max = 20

/**
 * Disables an active endpoint and ends its deliveries. Throws
 * `endpoint_not_found`, or KeyTakenError.
 */
export async function removeEndpoint(
  { sql }: Pick<Context, 'sql'>,
  which: EndpointKey,
  { key, writer }: { key: KeyRow | null; writer: LineWriter },
  now: Date,
): Promise<void> {
  const { merchant_id, endpoint_id: subject } = which
  const line = accountLine(writer, { merchant_id, subject, change: 'endpoint.deleted', at: now })
  await beginAs(sql, writer, async (tx) => {
    if (!(await disableEndpoint(tx, which, key, line))) throw endpointNotFound()
    await endDeliveries(tx, which, now)
  })
  // The first batch ends most; a worker ends the rest of very many as it claims them.
  for (let batches = 0; batches < batches_max; batches++) {
    if ((await endDeliveries(sql, { ...which, but_claimed: true }, now)) === 0) return
  }
}
