// GET /v1/events: the events of a merchant as receivers get them, newest first, whether or not an endpoint was told.

import { z } from 'zod'
import { secretKey } from '../../http/access.ts'
import { beginOf, limit_default, pageOf, pageQuery, pageView } from '../../http/list-page.ts'
import { route } from '../../http/route.ts'
import { anyEventTypes } from '../../kernel/values.ts'
import { admitKey } from '../../merchants/admit.ts'
import type { Context } from '../context.ts'
import { eventViews } from '../event-view.ts'
import { must } from '../fields.ts'
import { type EventFilters, listEvents as listRows } from './event-list-store.ts'
import { boundSpan, filterChoice, spanQuery } from './list-filters.ts'

const idWords = must('be the id of a payment')

const listQuery = z.strictObject({
  ...pageQuery,
  ...spanQuery,
  type: filterChoice(anyEventTypes).optional(),
  payment_id: z
    .string(idWords)
    .regex(/^pay_[0-9a-f]{24}$/, idWords)
    .optional()
    .meta({ description: 'its events and those of its refunds and disputes' }),
})

type Envelope = z.output<(typeof eventViews)[keyof typeof eventViews]>

/** What was frozen is shown as it is: one of an earlier release may lack members that the schemas have today. */
const envelope = z
  .custom<Envelope>((value) => typeof value === 'object' && value !== null)
  .meta({ anyOf: Object.values(eventViews).map(jsonSchemaOf) })

export const listEvents = route({
  method: 'GET',
  path: '/v1/events',
  tag: 'Events',
  summary: 'List events',
  access: secretKey('read_transactions'),
  mode: 'query',
  dialect: 'checkout',
  query: listQuery,
  status: 200,
  reply: pageView(envelope).meta({
    title: 'EventPage',
    note: 'A page of events, newest first, each as receivers get it.',
  }),
  refusals: ['invalid_pagination'],
  admit: admitKey,
  handle: (context: Context, { holder, query }) => {
    const { mode, created_from, created_before, type, payment_id } = query
    const span = { mode, created_from, created_before }
    const filters = { merchant_id: holder.merchant_id, ...span, type, payment_id }
    const limit = Number(query.limit ?? limit_default)
    return pageOfEvents(context, filters, { limit, after: query.after })
  },
})

/** A page of events. Throws `invalid_pagination` where `after` is no cursor for these filters. */
export async function pageOfEvents(
  { sql, keyring }: Pick<Context, 'sql' | 'keyring'>,
  filters: EventFilters,
  { limit, after }: { limit: number; after: string | undefined },
) {
  const { merchant_id, type, payment_id } = filters
  const bound = [...boundSpan(filters), type, payment_id]
  const asked = { purpose: 'event cursor', merchant_id, filters: bound, limit, after }
  const behind = beginOf(keyring, asked)
  const found = await listRows(sql, filters, { behind, limit: limit + 1 })
  const { rows, ...page } = pageOf(keyring, asked, found, ({ entry_id }) => entry_id)
  return { data: rows.map(({ body }) => JSON.parse(body) as Envelope), ...page }
}

function jsonSchemaOf(schema: z.ZodType): object {
  const { $schema: _, ...shape } = z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' })
  return shape
}
