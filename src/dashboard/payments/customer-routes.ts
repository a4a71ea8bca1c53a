// The payments of a payment's customer, and what they come to. The address names the payment, never the email.

import { z } from 'zod'
import { limit_default, pageQuery, pageView } from '../../http/list-page.ts'
import { route } from '../../http/route.ts'
import { timestamp } from '../../kernel/values.ts'
import type { Context } from '../../payments/context.ts'
import { filtersOf, listedPayment, pageOfPayments } from '../../payments/reading/list-payments.ts'
import { findPayment } from '../../payments/reading/payment-store.ts'
import { notThere } from '../../users/member.ts'
import { signedIn } from '../../users/signed-in.ts'
import { sumPayments } from './customer-store.ts'
import { paymentMode } from './payment-routes.ts'

export const listCustomerPaymentsHere = route({
  method: 'GET',
  path: '/dashboard/api/{merchant_id}/payments/{payment_id}/customer',
  summary: 'The payments of the customer of a payment, newest first, with their sums',
  tag: 'Dashboard',
  dialect: 'dashboard',
  access: signedIn('read_shoppers', { mode: paymentMode }),
  query: z.strictObject(pageQuery),
  status: 200,
  reply: pageView(listedPayment).extend({
    email: z.string(),
    sums: z.array(
      z.object({
        currency: z.string(),
        status: z.string(),
        count: z.int(),
        amount: z.int(),
        refunded_amount: z.int(),
        first_at: z.string(),
        last_at: z.string(),
      }),
    ),
    /** False where the customer has more payments than were summed. */
    is_whole: z.boolean(),
  }),
  refusals: ['invalid_pagination'],
  handle: async (context: Context, { holder, params, query }) => {
    const { merchant_id } = holder
    const payment = await findPayment(context.sql, merchant_id, params.payment_id!)
    if (!payment?.customer_email) throw notThere()
    const { mode, customer_email } = payment
    const { limit, after } = query
    const [page, { sums, is_whole }] = await Promise.all([
      pageOfPayments(
        context,
        { ...filtersOf({ mode, customer_email }), merchant_id },
        { limit: Number(limit ?? limit_default), after },
      ),
      sumPayments(context.sql, { merchant_id, mode, customer_email }),
    ])
    const times = ({ first_at, last_at }: (typeof sums)[number]) => ({
      first_at: timestamp(first_at),
      last_at: timestamp(last_at),
    })
    return { ...page, email: customer_email, sums: sums.map((sum) => ({ ...sum, ...times(sum) })), is_whole }
  },
})
