// Disputes at the dashboard: those that may still be answered by the end of their time, or all, the newest first.

import { z } from 'zod'
import { beginOf, limit_default, pageOf, pageQuery, pageView } from '../../http/list-page.ts'
import { route } from '../../http/route.ts'
import type { Context } from '../../payments/context.ts'
import { viewDispute } from '../../payments/dispute.ts'
import { pageOfDisputes } from '../../payments/disputes/dispute-routes.ts'
import { listOpenDisputes, positionOfOpen } from '../../payments/disputes/dispute-store.ts'
import { filterChoice } from '../../payments/reading/list-filters.ts'
import { disputeView } from '../../payments/views.ts'
import { signedIn } from '../../users/signed-in.ts'

export const listDisputesHere = route({
  method: 'GET',
  path: '/dashboard/api/{merchant_id}/disputes',
  tag: 'Dashboard',
  summary: 'The disputes of a mode: open ones by the time until which they may be answered, or all, newest first',
  access: signedIn('read_transactions'),
  dialect: 'dashboard',
  query: z.strictObject({
    ...pageQuery,
    mode: filterChoice(['test', 'live']),
    which: filterChoice(['open', 'all']).optional(),
  }),
  status: 200,
  reply: pageView(disputeView),
  refusals: ['invalid_pagination'],
  handle: async (context: Context, { holder: { merchant_id }, query }) => {
    const { mode, which = 'open', after } = query
    const limit = Number(query.limit ?? limit_default)
    if (which === 'all') {
      const every = { status: undefined, payment_id: undefined, created_from: undefined, created_before: undefined }
      return pageOfDisputes(context, { merchant_id, mode, ...every }, { limit, after })
    }
    const asked = { purpose: 'open dispute cursor', merchant_id, filters: [mode], limit, after }
    const behind = beginOf(context.keyring, asked)
    const rows = await listOpenDisputes(context.sql, { merchant_id, mode, behind, limit: limit + 1 })
    const { rows: shown, ...page } = pageOf(context.keyring, asked, { rows, ended_at: null }, positionOfOpen)
    return { data: shown.map(viewDispute), ...page }
  },
})
