// GET /v1/webhooks/deliveries: what was sent and how it ended, one row an attempt, newest first.

import { z } from 'zod'
import type { Context } from '../../context.ts'
import { webhookKey } from '../../http/access.ts'
import type { ListScope } from '../../http/list-cursor.ts'
import { beginOf, limit_default, pageOf, pageQuery, pageView } from '../../http/list-page.ts'
import { route } from '../../http/route.ts'
import { rule } from '../../http/validate.ts'
import { idsFrom } from '../../kernel/ids.ts'
import type { Mode } from '../../kernel/values.ts'
import {
  attemptView,
  type DeliveryStatus,
  deliveryStatuses,
  eventTypeShownAs,
  replay_window_ms,
  viewAttempt,
} from '../delivery.ts'
import { limitTo } from '../rate-limit.ts'
import { listAttempts } from './delivery-store.ts'

export const listQuery = z.strictObject({
  ...pageQuery,
  status: z
    .custom<DeliveryStatus>(
      (value) => deliveryStatuses.some((status) => status === value),
      rule('invalid_status', `must be one of ${deliveryStatuses.join(', ')}`),
    )
    .optional()
    .meta({ type: 'string', enum: [...deliveryStatuses] }),
  event_type: z
    .string({ error: 'must be sent once' })
    .optional()
    .meta({ description: 'as rows spell it, such as webhook.payment.captured' }),
})

const deliveryPage = pageView(attemptView).meta({
  title: 'WebhookDeliveryPage',
  note: 'A page of attempts, newest first.',
})

export const listDeliveries = route({
  method: 'GET',
  path: '/v1/webhooks/deliveries',
  tag: 'Webhooks',
  summary: 'List webhook deliveries',
  access: webhookKey,
  mode: 'handler',
  dialect: 'webhook_deliveries',
  limit: limitTo('read'),
  query: listQuery,
  status: 200,
  reply: deliveryPage,
  refusals: ['invalid_status', 'invalid_pagination'],
  handle: (context: Context, { holder, query, only_mode, now }) => {
    const { merchant_id } = holder
    const { status, event_type, after } = query
    const limit = Number(query.limit ?? limit_default)
    const page = { merchant_id, status, event_type, only_mode, after, limit }
    return pageOfDeliveries(context, page, now)
  },
})

export type DeliveryListQuery = {
  merchant_id: string
  status: DeliveryStatus | undefined
  event_type: string | undefined
  /** The mode to which the caller is bound; left out or null for both. */
  only_mode?: Mode | null
  /** Only these attempts, for a caller that knows their ids. */
  attempt_ids?: string[]
  /** Where the previous page ended. */
  after: string | undefined
  limit: number
}

/** A page of attempts, newest first. Throws `invalid_pagination` if `after` is no cursor for these filters. */
export async function pageOfDeliveries(
  context: Pick<Context, 'sql' | 'keyring'>,
  request: DeliveryListQuery,
  now: Date,
): Promise<z.input<typeof deliveryPage>> {
  const { rows, ...page } = await pageOfAttempts(context, request, now)
  return { data: rows.map((attempt) => viewAttempt(attempt, now)), ...page }
}

/** The same as rows, whose ids the API does not show. */
export async function pageOfAttempts(
  { sql, keyring }: Pick<Context, 'sql' | 'keyring'>,
  { after, limit, attempt_ids, merchant_id, status, event_type, only_mode = null }: DeliveryListQuery,
  now: Date,
) {
  const request = { ...scopeOfDeliveries({ merchant_id, status, event_type, only_mode }), after, limit }
  const filters = {
    merchant_id,
    status,
    below: beginOf(keyring, request) ?? above_all_ids,
    attempt_ids,
    only_mode,
    event_type: event_type && eventTypeShownAs(event_type),
    from: idsFrom(new Date(now.getTime() - replay_window_ms)),
  }
  const result = await listAttempts(sql, filters, limit + 1)
  const { rows, ...page } = pageOf(keyring, request, result, ({ attempt_id }) => attempt_id)
  return { rows: rows.map((attempt) => shownTo(attempt, only_mode)), ...page }
}

/**
 * A caller bound to one mode may not see the address of an endpoint for both: it may contain a token of the receiver.
 */
function shownTo<Row extends { endpoint_url: string | null; endpoint_mode: Mode | null }>(
  attempt: Row,
  only_mode: Mode | null,
): Row {
  const { endpoint_url: url, endpoint_mode } = attempt
  if (only_mode === null || endpoint_mode === only_mode) return attempt
  return { ...attempt, endpoint_url: url && new URL(url).origin }
}

/** The filters to which a cursor of the list belongs. Its position is an attempt's id. */
export function scopeOfDeliveries({
  merchant_id,
  status,
  event_type,
  only_mode,
}: Pick<DeliveryListQuery, 'merchant_id' | 'status' | 'event_type' | 'only_mode'>): ListScope {
  const filters = [status, event_type, ...(only_mode ? [only_mode] : [])]
  return { purpose: 'delivery cursor', merchant_id, filters }
}

/** Ids are hexadecimal. */
const above_all_ids = 'g'
