// What completes the text in the search box.

import { z } from 'zod'
import type { Context } from '../../checkout/context.ts'
import { emailKey } from '../../checkout/payment.ts'
import { filterChoice, filterText } from '../../checkout/reading/list-filters.ts'
import { listEmailsFrom, listReferencesFrom } from '../../checkout/reading/payment-beginnings-store.ts'
import { route } from '../../http/route.ts'
import { signedIn } from '../../users/signed-in.ts'

/** How many of each kind are shown. */
const limit = 5

export const listBeginningsHere = route({
  method: 'GET',
  path: '/dashboard/api/{merchant_id}/beginnings',
  tag: 'Dashboard',
  summary: 'Order references and emails that begin with a text; emails for those who may read shoppers',
  access: signedIn('read_transactions'),
  dialect: 'dashboard',
  query: z.strictObject({ mode: filterChoice(['test', 'live']), text: filterText(254) }),
  status: 200,
  reply: z.object({
    order_references: z.array(z.string()),
    customer_emails: z.array(z.string()),
  }),
  refusals: [],
  handle: async ({ sql }: Context, { holder, query: { mode, text } }) => {
    const { merchant_id } = holder
    const whose = { merchant_id, mode, limit }
    const may_see_emails = holder.can('read_shoppers', mode)
    return {
      order_references: await listReferencesFrom(sql, { ...whose, text }),
      customer_emails: may_see_emails ? await listEmailsFrom(sql, { ...whose, text: emailKey(text) }) : [],
    }
  },
})
