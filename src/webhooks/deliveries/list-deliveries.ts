// GET /v1/webhooks/deliveries: what was sent and how it ended, one row an attempt, newest first.

import { z } from 'zod'
import type { Context } from '../../context.ts'
import { webhookKey } from '../../http/access.ts'
import { route } from '../../http/route.ts'
import { rule } from '../../http/validate.ts'
import { Refusal } from '../../kernel/errors.ts'
import { idsFrom } from '../../kernel/ids.ts'
import {
  attemptView,
  type DeliveryStatus,
  deliveryStatuses,
  eventTypeShownAs,
  viewAttempt,
  window_ms,
} from '../delivery.ts'
import { limitTo } from '../rate-limit.ts'
import { attemptOf, cursorAfter, type ListFilters } from './delivery-cursor.ts'
import { listAttempts } from './delivery-store.ts'

export const limit_default = 20
export const limit_max = 100

// A parameter that was sent twice is a list, which none of these accepts.
const listQuery = z.strictObject({
  limit: z
    .custom<string>(
      (value) => typeof value === 'string' && /^([1-9]\d?|100)$/.test(value),
      rule('invalid_pagination', `must be a whole number from 1 to ${limit_max}`),
    )
    .optional()
    .meta({ type: 'integer', minimum: 1, maximum: limit_max, default: limit_default }),
  after: z
    .custom<string>(
      (value) => typeof value === 'string',
      rule('invalid_pagination', 'must be sent once'),
    )
    .optional()
    .meta({ type: 'string', description: 'next_cursor of the page before, with the same filters' }),
  offset: z
    .custom<undefined>(
      () => false,
      rule('invalid_pagination', 'is not taken: send next_cursor of the page before as after'),
    )
    .optional()
    .meta({ not: {} }),
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

const deliveryPage = z.object({
  data: z.array(attemptView),
  has_more: z.boolean(),
  next_cursor: z.string().nullable(),
})

export const listDeliveries = route({
  method: 'GET',
  path: '/v1/webhooks/deliveries',
  tag: 'Webhooks',
  summary: 'List webhook deliveries',
  access: webhookKey,
  dialect: 'webhook_deliveries',
  limit: limitTo('read'),
  query: listQuery,
  status: 200,
  reply: deliveryPage,
  refusals: ['invalid_status', 'invalid_pagination'],
  handle: (context: Context, { holder, query, now }) => {
    const { merchant_id } = holder
    const { status, event_type, after } = query
    const limit = Number(query.limit ?? limit_default)
    return pageOfDeliveries(context, { merchant_id, status, event_type, after, limit }, now)
  },
})

export type DeliveryListQuery = ListFilters & {
  status: DeliveryStatus | undefined
  /** These attempts alone, for a caller that knows their ids. */
  attempt_ids?: string[]
  /** Where the page before ended. */
  after: string | undefined
  limit: number
}

/** A page of attempts, newest first. Throws `invalid_pagination` where `after` is no cursor for these filters. */
export async function pageOfDeliveries(
  { sql, keyring }: Pick<Context, 'sql' | 'keyring'>,
  { after, limit, attempt_ids, ...filters }: DeliveryListQuery,
  now: Date,
): Promise<z.input<typeof deliveryPage>> {
  const { merchant_id, status, event_type } = filters
  const below = after === undefined ? above_all_ids : attemptOf(keyring, filters, after)
  if (below === null) throw strangeCursor()
  const asked = {
    merchant_id,
    status,
    below,
    attempt_ids,
    event_type: event_type && eventTypeShownAs(event_type),
    from: idsFrom(new Date(now.getTime() - window_ms)),
  }
  // One more row than the page shows whether there are more.
  const found = await listAttempts(sql, asked, limit + 1)
  const shown = found.slice(0, limit)
  const has_more = found.length > limit
  return {
    data: shown.map((attempt) => viewAttempt(attempt, now)),
    has_more,
    next_cursor: has_more ? cursorAfter(keyring, filters, shown.at(-1)!.attempt_id) : null,
  }
}

/** Ids are hexadecimal. */
const above_all_ids = 'g'

function strangeCursor(): Refusal {
  return new Refusal(
    'invalid_pagination',
    'after must be the next_cursor of a page with the same filters.',
    { field: 'after' },
  )
}
