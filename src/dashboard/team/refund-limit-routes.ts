// Up to how much support may refund of a payment, by currency; nothing of a currency without a limit.

import { z } from 'zod'
import { currency } from '../../http/currency.ts'
import { route } from '../../http/route.ts'
import { beginAs } from '../../merchants/write-as.ts'
import type { Context } from '../../payments/context.ts'
import { amount } from '../../payments/fields.ts'
import { listRefundLimits, setRefundLimit } from '../../payments/refunds/refund-limit-store.ts'
import { signedIn } from '../../users/signed-in.ts'
import { authorOf } from '../../users/start-session.ts'
import { personLine } from '../../users/user-journal.ts'

const shared = { tag: 'Dashboard', dialect: 'dashboard' as const }

export const listRefundLimitsHere = route({
  where: 'whole',
  ...shared,
  method: 'GET',
  path: '/dashboard/api/{merchant_id}/team/refund-limits',
  summary: 'Up to how much support may refund of a payment',
  access: signedIn('read_transactions'),
  status: 200,
  reply: z.object({ limits: z.array(z.object({ currency: z.string(), amount: z.int() })) }),
  refusals: [],
  handle: async ({ sql }: Context, { holder }) => ({
    limits: await listRefundLimits(sql, holder.merchant_id),
  }),
})

export const setRefundLimitHere = route({
  where: 'whole',
  ...shared,
  method: 'POST',
  path: '/dashboard/api/{merchant_id}/team/refund-limits',
  summary: 'Set the limit of a currency; null drops it',
  access: signedIn('manage_members', { gravity: 'grave' }),
  body: z.strictObject({ currency, amount: amount.nullable() }),
  status: 204,
  reply: z.null(),
  refusals: [],
  handle: async (context: Context, { holder, body, now, ...request }) => {
    const { merchant_id, user_id } = holder
    const limit = { merchant_id, ...body }
    const author = authorOf(user_id, request)
    const lineAfter = (before: number) =>
      personLine(context, author, {
        merchant_id,
        subject: merchant_id,
        change: 'refund_limit.set',
        at: now,
        detail: { ...body, before: before || null },
      })
    await beginAs(context.sql, holder, (tx) => setRefundLimit(tx, limit, lineAfter))
    return null
  },
})
