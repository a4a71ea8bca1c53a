// GET /v1/checkout/sessions: the sessions of a merchant, newest first. Purged ones are gone.

import { z } from 'zod'
import { secretKey } from '../../http/access.ts'
import { beginOf, limit_default, pageOf, pageQuery, pageView } from '../../http/list-page.ts'
import { route } from '../../http/route.ts'
import { admitKey } from '../../merchants/admit.ts'
import type { Context } from '../context.ts'
import { boundSpan, filterChoice, filterText, spanQuery } from './list-filters.ts'
import { sessionStatuses, sessionView, viewSession } from './read-session.ts'
import { type ListedSession, listSessions as listRows, type SessionFilters } from './session-list-store.ts'

export const sessionQuery = z.strictObject({
  ...pageQuery,
  ...spanQuery,
  status: filterChoice(sessionStatuses).optional(),
  order_reference: filterText(64).optional(),
})

export const listedSession = sessionView
  .omit({ items: true, metadata: true })
  .extend({ order_reference: z.string().nullable() })
  .meta({ title: 'ListedCheckoutSession', note: 'A session in a list: as it is read, without items and metadata.' })

export const listSessions = route({
  method: 'GET',
  path: '/v1/checkout/sessions',
  tag: 'Checkout sessions',
  summary: 'List checkout sessions',
  access: secretKey('read_transactions'),
  mode: 'query',
  dialect: 'checkout',
  query: sessionQuery,
  status: 200,
  reply: pageView(listedSession).meta({ title: 'CheckoutSessionPage', note: 'A page of sessions, newest first.' }),
  refusals: ['invalid_pagination'],
  admit: admitKey,
  handle: (context: Context, { holder, query, now }) => {
    const { mode, created_from, created_before, status, order_reference } = query
    const span = { mode, created_from, created_before }
    const filters = { merchant_id: holder.merchant_id, ...span, status, order_reference }
    const limit = Number(query.limit ?? limit_default)
    return pageOfSessions(context, filters, { limit, after: query.after }, now)
  },
})

/** A page of sessions. Throws `invalid_pagination` where `after` is no cursor for these filters. */
export async function pageOfSessions(
  { sql, keyring }: Pick<Context, 'sql' | 'keyring'>,
  filters: SessionFilters,
  { limit, after }: { limit: number; after: string | undefined },
  now: Date,
) {
  const { merchant_id, status, order_reference, text, in_emails, three_ds } = filters
  const own = [text, text === undefined ? undefined : String(in_emails), three_ds]
  // The public list has none of its own, and goes on at the cursors of the release before.
  const bound = [...boundSpan(filters), status, order_reference, ...(own.some((each) => each !== undefined) ? own : [])]
  const asked = { purpose: 'session cursor', merchant_id, filters: bound, limit, after }
  const behind = beginOf(keyring, asked)
  const found = await listRows(sql, filters, { behind, limit: limit + 1, now })
  const { rows, ...page } = pageOf(keyring, asked, found, ({ entry_id }) => entry_id)
  return { data: rows.map((row) => viewListed(row, now)), ...page }
}

export function viewListed(row: Omit<ListedSession, 'entry_id'>, now: Date): z.input<typeof listedSession> {
  const { hold, ...session } = row
  const { items: _items, metadata: _metadata, ...view } = viewSession(session, hold, now)
  return { ...view, order_reference: session.order_reference }
}
