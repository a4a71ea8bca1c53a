// What there is of the text in the search box: what it completes, what has it inside, and what an acquirer calls so.

import { z } from 'zod'
import type { Sql } from '../../database/open.ts'
import { listRefusedRequests } from '../../http/refusal-log-store.ts'
import { route } from '../../http/route.ts'
import type { Context } from '../../payments/context.ts'
import { emailKey } from '../../payments/payment.ts'
import { filterChoice, filterText } from '../../payments/reading/list-filters.ts'
import {
  listContaining,
  listEmailsFrom,
  listPaymentsCalled,
  listReferencesFrom,
} from '../../payments/reading/payment-beginnings-store.ts'
import { signedIn } from '../../users/signed-in.ts'
import { refusalSpan } from '../requests/refusal-span.ts'

/** How many of each kind are shown. */
const limit = 5

export const listBeginningsHere = route({
  method: 'GET',
  path: '/dashboard/api/{merchant_id}/beginnings',
  tag: 'Dashboard',
  summary:
    'Order references and emails that begin with a text or, among the newest payments, have it inside; payments that an acquirer calls so, or we to the acquirer. Emails for those who may read shoppers',
  access: signedIn('read_transactions'),
  dialect: 'dashboard',
  query: z.strictObject({ mode: filterChoice(['test', 'live']), text: filterText(254) }),
  status: 200,
  reply: z.object({
    order_references: z.array(z.string()),
    customer_emails: z.array(z.string()),
    payment_ids: z.array(z.string()).meta({ description: 'of which the text is our reference or the acquirer’s' }),
    session_ids: z.array(z.string()).meta({ description: 'whose shopper was refused the request that the text names' }),
  }),
  refusals: [],
  handle: async ({ sql }: Context, { holder, query: { mode, text }, now }) => {
    const { merchant_id } = holder
    const whose = { merchant_id, mode, limit }
    const may_see_emails = holder.can('read_shoppers', mode)
    const [order_references, customer_emails, payment_ids, session_ids] = await Promise.all([
      listReferencesFrom(sql, { ...whose, text }),
      may_see_emails ? listEmailsFrom(sql, { ...whose, text: emailKey(text) }) : [],
      listPaymentsCalled(sql, { ...whose, text }),
      listSessionsRefused(sql, merchant_id, text, now),
    ])
    // Each pause in typing asks, and a look inside reads many payments: not where the index has answers enough.
    const is_enough = order_references.length + customer_emails.length >= limit
    const inside = is_enough ? null : await listContaining(sql, { ...whose, text, in_emails: may_see_emails })
    return {
      order_references: firstOf(order_references, inside?.order_references),
      customer_emails: firstOf(customer_emails, inside?.customer_emails),
      payment_ids,
      session_ids,
    }
  },
})

/** Of either mode: the page of a session goes to the one that is its own. */
async function listSessionsRefused(sql: Sql, merchant_id: string, text: string, now: Date): Promise<string[]> {
  if (!/^req_[0-9a-f]{24}$/.test(text)) return []
  const filters = { merchant_id, request_id: text, ...refusalSpan({}, now) }
  const { rows } = await listRefusedRequests(sql, filters, 1)
  return rows.map(({ asker_id }) => asker_id).filter((asker_id) => asker_id.startsWith('cs_'))
}

/** What begins with the text comes before what only has it inside. */
function firstOf(begun: string[], inside: string[] = []): string[] {
  return [...new Set([...begun, ...inside])].slice(0, limit)
}
