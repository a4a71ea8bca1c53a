// GET /v1/disputes and /v1/disputes/{dispute_id}: what shoppers dispute at their banks.

import { z } from 'zod'
import { secretKey } from '../../http/access.ts'
import { beginOf, limit_default, pageOf, pageQuery, pageView } from '../../http/list-page.ts'
import { route } from '../../http/route.ts'
import { Refusal } from '../../kernel/errors.ts'
import { admitKey } from '../../merchants/admit.ts'
import type { Context } from '../context.ts'
import { disputeStatuses, viewDispute } from '../dispute.ts'
import { must } from '../fields.ts'
import { boundSpan, filterChoice, spanQuery } from '../reading/list-filters.ts'
import { disputeView } from '../views.ts'
import { type DisputeFilters, findDispute, listDisputes as listRows, positionOfDispute } from './dispute-store.ts'

const idWords = must('be the id of a payment')

const listQuery = z.strictObject({
  ...pageQuery,
  ...spanQuery,
  created_from: spanQuery.created_from.meta({ format: 'date-time', description: 'opened at that time or later' }),
  created_before: spanQuery.created_before.meta({ format: 'date-time', description: 'opened before that time' }),
  status: filterChoice(disputeStatuses).optional(),
  payment_id: z
    .string(idWords)
    .regex(/^pay_[0-9a-f]{24}$/, idWords)
    .optional(),
})

const shared = {
  method: 'GET',
  tag: 'Disputes',
  access: secretKey('read_transactions'),
  dialect: 'checkout',
  status: 200,
  admit: admitKey,
} as const

export const listDisputes = route({
  ...shared,
  path: '/v1/disputes',
  summary: 'List disputes',
  mode: 'query',
  query: listQuery,
  reply: pageView(disputeView).meta({ title: 'DisputePage', note: 'A page of disputes, the newest first.' }),
  refusals: ['invalid_pagination'],
  handle: (context: Context, { holder, query }) => {
    const { limit, after, offset: _, mode, created_from, created_before, status, payment_id } = query
    const span = { mode, created_from, created_before }
    const filters = { merchant_id: holder.merchant_id, ...span, status, payment_id }
    return pageOfDisputes(context, filters, { limit: Number(limit ?? limit_default), after })
  },
})

/** A page of disputes. Throws `invalid_pagination` where `after` is no cursor for these filters. */
export async function pageOfDisputes(
  { sql, keyring }: Pick<Context, 'sql' | 'keyring'>,
  filters: DisputeFilters,
  { limit, after }: { limit: number; after: string | undefined },
) {
  const { merchant_id, status, payment_id } = filters
  const bound = [...boundSpan(filters), status, payment_id]
  const asked = { purpose: 'dispute cursor', merchant_id, filters: bound, limit, after }
  const behind = beginOf(keyring, asked)
  const found = await listRows(sql, filters, { behind, limit: limit + 1 })
  const { rows, ...page } = pageOf(keyring, asked, found, positionOfDispute)
  return { data: rows.map(viewDispute), ...page }
}

export const readDispute = route({
  ...shared,
  path: '/v1/disputes/{dispute_id}',
  summary: 'Read a dispute',
  mode: { of: 'reply', unknown: noDispute },
  reply: disputeView,
  refusals: ['resource_not_found'],
  handle: async ({ sql }: Context, { holder: { merchant_id }, params }) => {
    const dispute = await findDispute(sql, { merchant_id, dispute_id: params.dispute_id! })
    if (!dispute) throw noDispute()
    return viewDispute(dispute)
  },
})

export function noDispute(): Refusal {
  return new Refusal('resource_not_found', 'There is no dispute with this id.')
}
