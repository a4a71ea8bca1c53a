// Refunds at the dashboard: those of a payment, and all of a merchant, each with what the acquirer calls it.

import { z } from 'zod'
import { beginOf, limit_default, pageOf, pageQuery, pageView } from '../../http/list-page.ts'
import { route } from '../../http/route.ts'
import type { Context } from '../../payments/context.ts'
import { boundSpan, filterChoice, filterText, spanQuery } from '../../payments/reading/list-filters.ts'
import { paymentFilters } from '../../payments/reading/list-payments.ts'
import { owedRefunds } from '../../payments/reading/owed-refunds.ts'
import { findPayment } from '../../payments/reading/payment-store.ts'
import { viewRefund } from '../../payments/refund.ts'
import {
  listNamedRefunds,
  listRefundRows,
  type NamedRefund,
  positionOfRefund,
} from '../../payments/refunds/refund-list-store.ts'
import { refundView } from '../../payments/views.ts'
import { notThere } from '../../users/member.ts'
import { signedIn } from '../../users/signed-in.ts'
import { peopleIn, peopleView, seesPeople } from '../people.ts'
import { shownEmail } from '../shoppers.ts'

const shared = {
  method: 'GET' as const,
  tag: 'Dashboard',
  dialect: 'dashboard' as const,
  status: 200,
  access: signedIn('read_transactions'),
}
const namedRefund = refundView.extend({
  acquirer_transaction_id: z.string().nullable(),
  /** How much of a failed one a person gave back another way; null where nobody said so. */
  otherwise_amount: z.int().nullable(),
})

export const listRefundsHere = route({
  ...shared,
  path: '/dashboard/api/{merchant_id}/payments/{payment_id}/refunds',
  summary: 'The refunds of a payment, newest first',
  reply: z.object({
    refunds: z.array(
      namedRefund.extend({
        /** What of a failed one the shopper still lacks; null where nothing. */
        owed_amount: z.int().nullable(),
      }),
    ),
  }),
  refusals: [],
  handle: async ({ sql }: Context, { holder, params }) => {
    const which = { merchant_id: holder.merchant_id, payment_id: params.payment_id! }
    const payment = await findPayment(sql, which.merchant_id, which.payment_id)
    if (!payment) throw notThere()
    const refunds = await listNamedRefunds(sql, which)
    const owed = owedRefunds(payment)
    const owedOf = (id: string) => owed.find(({ refund_id }) => refund_id === id)?.owed_amount ?? null
    return {
      refunds: refunds.map((refund) => ({ ...viewNamed(refund), owed_amount: owedOf(refund.refund_id) })),
    }
  },
})

export const listAllRefundsHere = route({
  ...shared,
  path: '/dashboard/api/{merchant_id}/refunds',
  summary:
    'The refunds of a merchant, newest first; emails are masked and not searched for those who may not read shoppers',
  query: z.strictObject({
    ...pageQuery,
    ...spanQuery,
    status: filterChoice(['pending', 'succeeded', 'failed']).optional(),
    refund_id: z
      .string()
      .regex(/^ref_[0-9a-f]{24}$/, 'must be the id of a refund')
      .optional(),
    text: filterText(254).optional(),
    amount: paymentFilters.shape.amount.meta({
      type: 'integer',
      description: 'that the text may mean, in minor units',
    }),
    currency: paymentFilters.shape.currency.meta({ description: 'of that amount' }),
  }),
  reply: pageView(
    namedRefund.extend({
      order_reference: z.string().nullable(),
      customer_email: z.string().nullable(),
      /** Who began it, as the journal has it. */
      actor: z.string().nullable(),
    }),
  ).extend({ people: peopleView }),
  refusals: ['invalid_pagination'],
  handle: async ({ sql, keyring }: Context, { holder, query }) => {
    const { merchant_id } = holder
    const { mode, created_from, created_before, status, refund_id, text, amount, currency } = query
    const of_shoppers = holder.can('read_shoppers', mode ?? 'live')
    const search =
      text === undefined ? undefined : { text, amount, currency, of_shoppers, of_people: seesPeople(holder) }
    const filters = { merchant_id, mode, created_from, created_before, status, refund_id, search }
    const limit = Number(query.limit ?? limit_default)
    const bound = [...boundSpan(filters), status, refund_id, text, amount, currency]
    const list = { purpose: 'refund cursor', merchant_id, filters: bound, limit, after: query.after }
    const refunds = await listRefundRows(sql, filters, { behind: beginOf(keyring, list), limit: limit + 1 })
    const { rows, ...page } = pageOf(keyring, list, refunds, positionOfRefund)
    // An id has the second of its refund, and the cursor goes by ids.
    const newest = rows.toSorted((a, b) => b.created_at.getTime() - a.created_at.getTime())
    const data = newest.map(({ order_reference, customer_email, actor, ...refund }) => ({
      ...viewNamed(refund),
      order_reference,
      actor,
      customer_email: shownEmail(customer_email, refund.mode, holder),
    }))
    const lines = rows.map(({ actor }) => ({ actor: actor ?? '', subject: '' }))
    return { data, people: await peopleIn(sql, lines, holder), ...page }
  },
})

function viewNamed(refund: NamedRefund) {
  const { acquirer_transaction_id, otherwise_amount } = refund
  return { ...viewRefund(refund), acquirer_transaction_id, otherwise_amount }
}
