// GET /v1/payments: the payments of a merchant, newest first.

import { z } from 'zod'
import { secretKey } from '../../http/access.ts'
import { currency } from '../../http/currency.ts'
import { beginOf, limit_default, pageOf, pageQuery, pageView } from '../../http/list-page.ts'
import { route } from '../../http/route.ts'
import { amount_max } from '../../kernel/values.ts'
import { admitKey } from '../../merchants/admit.ts'
import type { Context } from '../context.ts'
import { must } from '../fields.ts'
import { emailKey } from '../payment.ts'
import { cardView } from '../views.ts'
import { boundSpan, counted_max, filterChoice, filterText, spanQuery } from './list-filters.ts'
import { listPayments as listRows, type PaymentFilters, positionOfPayment } from './payment-list-store.ts'
import type { PaymentRead } from './payment-store.ts'
import { paymentView, viewPayment } from './read-payment.ts'

const amountWords = must(`be a whole number from 1 to ${amount_max}, in minor units`)

/** What payments are found by. */
export const paymentFilters = z.strictObject({
  ...spanQuery,
  status: filterChoice(['captured', 'held', 'voided', 'pending', 'declined', 'failed']).optional(),
  customer_email: filterText(254).transform(emailKey).optional().meta({ description: 'without regard to case' }),
  card_last4: z
    .string(must('be four digits'))
    .regex(/^\d{4}$/, must('be four digits'))
    .optional(),
  order_reference: filterText(64).optional(),
  amount: z
    .string(amountWords)
    .refine((text) => /^[1-9]\d{0,10}$/.test(text), amountWords)
    .transform(Number)
    .optional()
    .meta({ type: 'integer', minimum: 1, maximum: amount_max, description: 'in minor units' }),
  currency: currency.optional(),
  decline_code: filterText(100).optional(),
  refunded: filterChoice(['true', 'false'])
    .transform((text) => text === 'true')
    .optional()
    .meta({ type: 'boolean', enum: undefined, description: 'whether something of it was refunded' }),
})

const listQuery = z.strictObject({ ...pageQuery, ...paymentFilters.shape })

export const listedPayment = paymentView
  .omit({ items: true })
  .extend({
    order_reference_captured_payments: z
      .int()
      .nullable()
      .meta({ description: `among the newest ${counted_max} of the order reference` }),
    card: cardView.nullable(),
  })
  .meta({ title: 'ListedPayment', note: 'A payment in a list: as it is read, without items, with its card.' })

export const listPayments = route({
  method: 'GET',
  path: '/v1/payments',
  tag: 'Payments',
  summary: 'List payments',
  access: secretKey('read_transactions'),
  mode: 'query',
  dialect: 'checkout',
  query: listQuery,
  status: 200,
  reply: pageView(listedPayment).meta({ title: 'PaymentPage', note: 'A page of payments, newest first.' }),
  refusals: ['invalid_pagination'],
  admit: admitKey,
  handle: (context: Context, { holder, query }) => {
    const { limit, after, offset: _, ...filters } = query
    const { merchant_id } = holder
    return pageOfPayments(
      context,
      { merchant_id, ...filtersOf(filters) },
      { limit: Number(limit ?? limit_default), after },
    )
  },
})

/** A page of payments. Throws `invalid_pagination` where `after` is no cursor for these filters. */
export async function pageOfPayments(
  { sql, keyring }: Pick<Context, 'sql' | 'keyring'>,
  filters: PaymentFilters,
  { limit, after }: { limit: number; after: string | undefined },
) {
  const { merchant_id, status, customer_email, card_last4 } = filters
  const { order_reference, amount, currency, decline_code, refunded, payment_link_id } = filters
  const own = [
    ...[status, customer_email, card_last4, order_reference, amount, currency, decline_code],
    // Cursors of the release before go on.
    ...[refunded === undefined ? undefined : String(refunded), payment_link_id].filter((each) => each !== undefined),
  ]
  const scope = { purpose: 'payment cursor', merchant_id, filters: [...boundSpan(filters), ...own] }
  const asked = { ...scope, limit, after }
  const behind = beginOf(keyring, asked)
  const found = await listRows(sql, filters, { behind, limit: limit + 1 })
  const { rows, ...page } = pageOf(keyring, asked, found, positionOfPayment)
  return { data: rows.map(viewListed), ...page }
}

/** Filters that were not sent are there as undefined. */
export function filtersOf(filters: z.output<typeof paymentFilters>): Omit<PaymentFilters, 'merchant_id'> {
  const { mode, created_from, created_before, status, customer_email, card_last4 } = filters
  const { order_reference, amount, currency, decline_code, refunded } = filters
  return {
    mode,
    created_from,
    created_before,
    status,
    customer_email,
    card_last4,
    order_reference,
    amount,
    currency,
    decline_code,
    refunded,
  }
}

function viewListed(payment: PaymentRead): z.input<typeof listedPayment> {
  const { items: _, ...view } = viewPayment(payment)
  const { card_brand: brand, card_last4: last4 } = payment
  return { ...view, card: brand && last4 ? { brand, last4 } : null }
}
