// GET /v1/payouts: what a merchant's acquirers paid out, those reports first that were read last.

import { z } from 'zod'
import type { Context } from '../context.ts'
import { secretKey } from '../http/access.ts'
import { beginOf, limit_default, pageOf, pageQuery, pageView } from '../http/list-page.ts'
import { route } from '../http/route.ts'
import { admitKey } from '../merchants/admit.ts'
import { boundSpan, spanQuery } from '../payments/reading/list-filters.ts'
import { payoutView, viewPayout } from './payout.ts'
import { listPayouts as listRows, type PayoutFilters, positionOfPayout } from './payout-store.ts'

export const listPayouts = route({
  method: 'GET',
  path: '/v1/payouts',
  tag: 'Payouts',
  summary: 'List payouts',
  access: secretKey('read_transactions'),
  mode: 'query',
  dialect: 'checkout',
  query: z.strictObject({ ...pageQuery, ...spanQuery }),
  status: 200,
  reply: pageView(payoutView).meta({
    title: 'PayoutPage',
    note: 'A page of payouts, those that were read last first.',
  }),
  refusals: ['invalid_pagination'],
  admit: admitKey,
  handle: (context: Context, { holder, query }) => {
    const { mode, created_from, created_before, limit, after } = query
    const filters = { merchant_id: holder.merchant_id, mode, created_from, created_before }
    return pageOfPayouts(context, filters, { limit: Number(limit ?? limit_default), after })
  },
})

/** A page of payouts. Throws `invalid_pagination` where `after` is no cursor for these filters. */
export async function pageOfPayouts(
  { sql, keyring }: Pick<Context, 'sql' | 'keyring'>,
  filters: PayoutFilters,
  { limit, after }: { limit: number; after: string | undefined },
) {
  const { merchant_id } = filters
  const asked = { purpose: 'payout cursor', merchant_id, filters: boundSpan(filters), limit, after }
  const behind = beginOf(keyring, asked)
  const found = await listRows(sql, filters, { behind, limit: limit + 1 })
  const { rows, ...page } = pageOf(keyring, asked, { rows: found, ended_at: null }, positionOfPayout)
  return { data: rows.map(viewPayout), ...page }
}
