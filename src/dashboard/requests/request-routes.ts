// A merchant's requests: those of its servers and its shoppers' pages that were refused in the last month, and the last of all that this process answered.

import { z } from 'zod'
import type { Context } from '../../context.ts'
import { beginOf, limit_default, pageOf, pageQuery, pageView } from '../../http/list-page.ts'
import { askers, listRefusedRequests } from '../../http/refusal-log-store.ts'
import { requests_kept, shownRequest, viewRequest } from '../../http/request-log.ts'
import { route } from '../../http/route.ts'
import { timestamp } from '../../kernel/values.ts'
import { keyNamesOf } from '../../merchants/key-store.ts'
import { filterChoice, filterText, spanQuery } from '../../payments/reading/list-filters.ts'
import { signedIn } from '../../users/signed-in.ts'
import { refusalSpan } from './refusal-span.ts'

const shared = {
  method: 'GET' as const,
  tag: 'Dashboard',
  // A request belongs to no mode: one that was refused may have been for either.
  access: signedIn('read_requests'),
  dialect: 'dashboard' as const,
  status: 200,
}

const name = filterText(200).optional()

export const listRequestsHere = route({
  ...shared,
  path: '/dashboard/api/{merchant_id}/requests',
  summary: "Refused requests of the merchant's servers, or of its shoppers' pages, in the last 30 days, newest first",
  query: z.strictObject({
    ...pageQuery,
    created_from: spanQuery.created_from,
    created_before: spanQuery.created_before,
    askers: filterChoice(askers).optional(),
    asker_id: name,
    route: name,
    code: name,
    request_id: name,
  }),
  reply: pageView(z.object({ ...shownRequest, asker_id: z.string(), field: z.string().nullable() })).extend({
    /** Of the keys among those who asked, and of one that is asked for: by id. */
    key_names: z.record(z.string(), z.string()),
  }),
  refusals: ['invalid_pagination'],
  handle: async ({ sql, keyring }: Context, { holder, query, now }) => {
    const { merchant_id } = holder
    const { created_from, created_before, askers, asker_id, route, code, request_id, after } = query
    const times = [created_from?.getTime(), created_before?.getTime()]
    const filters = [...times, askers, asker_id, route, code, request_id]
    const limit = Number(query.limit ?? limit_default)
    const asked = { purpose: 'request cursor', merchant_id, filters, limit, after }
    const span = refusalSpan({ created_from, created_before }, now)
    const below = beginOf(keyring, asked) ?? span.below
    const wanted = { merchant_id, askers, asker_id, route, code, request_id, from: span.from, below }
    const found = await listRefusedRequests(sql, wanted, limit + 1)
    const { rows, ...page } = pageOf(keyring, asked, found, ({ entry_id }) => entry_id)
    const data = rows.map(({ merchant_id: _, entry_id: __, at, ...shown }) => ({ ...shown, at: timestamp(at) }))
    const askerIds = new Set([...rows.map((row) => row.asker_id), asker_id ?? ''])
    const keyIds = [...askerIds].filter((id) => id.startsWith('key_'))
    const keyNames = keyIds.length > 0 ? await keyNamesOf(sql, merchant_id, keyIds) : {}
    return { data, key_names: keyNames, ...page }
  },
})

export const listRecentRequestsHere = route({
  ...shared,
  path: '/dashboard/api/{merchant_id}/requests/recent',
  summary: `The merchant's requests among the last ${requests_kept} of this process, newest first`,
  reply: z.object({
    data: z.array(z.object(shownRequest)),
    /** Whether refused requests are kept beyond these: RIPPER_REQUEST_LOG. */
    keeps_refused: z.boolean(),
  }),
  refusals: [],
  handle: async ({ requests, refusals }: Context, { holder }) => {
    const kept = requests.from(0).filter(({ merchant_id }) => merchant_id === holder.merchant_id)
    return { data: kept.reverse().map(viewRequest), keeps_refused: refusals !== null }
  },
})
