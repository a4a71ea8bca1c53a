// Sessions at the dashboard: the list, which is searched by what shoppers say, and one session.

import { z } from 'zod'
import { limit_default, pageView } from '../../http/list-page.ts'
import { route } from '../../http/route.ts'
import type { SessionId } from '../../kernel/values.ts'
import type { Context } from '../../payments/context.ts'
import { filterChoice, filterText } from '../../payments/reading/list-filters.ts'
import { listedSession, pageOfSessions, sessionQuery } from '../../payments/reading/list-sessions.ts'
import { sessionStatuses, sessionView, viewSession } from '../../payments/reading/read-session.ts'
import { threeDsEnds } from '../../payments/reading/session-list-store.ts'
import { findSessionAndHold } from '../../payments/sessions/session-store.ts'
import { notThere } from '../../users/member.ts'
import { signedIn } from '../../users/signed-in.ts'
import { showShopper, showShoppers } from '../shoppers.ts'
import { could_not_go_on, lastRefusal, pageOfRefused, type WithRefusal, withRefusals } from './refused-sessions.ts'
import { withUnfinishedChecks } from './unfinished-checks.ts'

const shared = {
  method: 'GET' as const,
  tag: 'Dashboard',
  access: signedIn('read_transactions'),
  dialect: 'dashboard' as const,
  status: 200,
}

export const listSessionsHere = route({
  ...shared,
  path: '/dashboard/api/{merchant_id}/sessions',
  summary: 'Sessions, newest first; a text is looked for in emails for those who may read shoppers',
  query: z.strictObject({
    ...sessionQuery.shape,
    status: filterChoice([...sessionStatuses, could_not_go_on]).optional(),
    text: filterText(254).optional(),
    three_ds: filterChoice(threeDsEnds).optional(),
  }),
  reply: pageView(
    listedSession.extend({
      refusal: lastRefusal,
      /** Why 3-D Secure failed at the newest card, in the codes of declines. */
      authentication_failure: z.string().nullable(),
    }),
  ),
  refusals: ['invalid_pagination'],
  handle: async (context: Context, { holder, query, now }) => {
    const { limit, after, offset: _, ...rest } = query
    const { merchant_id } = holder
    const { mode, created_from, created_before, status, order_reference, text, three_ds } = rest
    const span = { mode, created_from, created_before }
    const in_emails = holder.can('read_shoppers', mode ?? 'live')
    const filters = { merchant_id, ...span, order_reference, text, in_emails, three_ds }
    const place = { limit: Number(limit ?? limit_default), after }
    const show = async <Page extends { data: WithRefusal[] }>({ data, ...page }: Page) => {
      const rows = await withUnfinishedChecks(context.sql, { merchant_id, now }, data)
      return showShoppers({ ...page, data: rows }, holder)
    }
    if (status === could_not_go_on) return show(await pageOfRefused(context, filters, place, now))
    const page = await pageOfSessions(context, { ...filters, status }, place, now)
    return show({ ...page, data: await withRefusals(context.sql, merchant_id, page.data) })
  },
})

export const readSessionHere = route({
  ...shared,
  path: '/dashboard/api/{merchant_id}/sessions/{session_id}',
  summary: 'A session, whether or not it has a payment',
  reply: sessionView.extend({ order_reference: z.string().nullable() }),
  refusals: [],
  handle: async ({ sql }: Context, { holder, params, now }) => {
    const { merchant_id } = holder
    const row = await findSessionAndHold(sql, { merchant_id, session_id: params.session_id as SessionId })
    if (!row) throw notThere()
    const { session, hold } = row
    return showShopper({ ...viewSession(session, hold, now), order_reference: session.order_reference }, holder)
  },
})
