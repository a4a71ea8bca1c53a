// Payments as a file for bookkeeping: what the filters say.

import { z } from 'zod'
import { journalLine } from '../../audit/journal.ts'
import { insertLine } from '../../audit/journal-store.ts'
import type { Context } from '../../checkout/context.ts'
import { filterChoice } from '../../checkout/reading/list-filters.ts'
import { filtersOf, paymentFilters } from '../../checkout/reading/list-payments.ts'
import { listPayments, type PaymentFilters, positionOfPayment } from '../../checkout/reading/payment-list-store.ts'
import type { PaymentRead } from '../../checkout/reading/payment-store.ts'
import { actorOf } from '../../http/access.ts'
import { type FileAnswer, route } from '../../http/route.ts'
import { inMajorUnits } from '../../kernel/values.ts'
import type { Member } from '../../users/member.ts'
import { signedIn } from '../../users/signed-in.ts'
import type { Cell } from './csv.ts'
import { bounds, days_max, type ExportedList, fileName, linesOf, withSpan } from './export-file.ts'

export const exportPaymentsHere = route({
  method: 'GET',
  path: '/dashboard/api/{merchant_id}/export',
  tag: 'Dashboard',
  summary: `Payments as comma-separated values: of ${days_max} days and ${bounds.rows_max} rows at most; the last line says where there are more`,
  access: signedIn('export_transactions', { gravity: 'grave', mode: 'query' }),
  dialect: 'dashboard',
  query: paymentFilters.extend({ mode: filterChoice(['test', 'live']) }),
  status: 200,
  file: 'text/csv; charset=utf-8',
  reply: z.unknown(),
  refusals: ['invalid_request'],
  handle: async (context: Context, { holder, query, now, request_id }): Promise<FileAnswer> => {
    const filters = withSpan({ merchant_id: holder.merchant_id, ...filtersOf(query) }, now)
    const payments = exportedPayments(context, { filters, member: holder, request_id })
    return { name: fileName(`payments-${query.mode}`, filters), parts: linesOf(payments, bounds) }
  },
})

type Export = {
  filters: PaymentFilters
  member: Pick<Member, 'user_id'>
  request_id: string
}

export function exportedPayments(
  { sql, ids, world }: Pick<Context, 'sql' | 'ids' | 'world'>,
  { filters, member, request_id }: Export,
): ExportedList<PaymentRead> {
  return {
    noun: 'payments',
    columns: Object.keys(columns),
    read: (place) => listPayments(sql, filters, place),
    positionOf: positionOfPayment,
    cellsOf: (payments) => payments.map((payment) => Object.values(columns).map((cell) => cell(payment))),
    writeDown: async (count) => {
      const { merchant_id, customer_email, ...others } = filters
      const named = { ...others, ...(customer_email !== undefined && { customer_email: '…' }) }
      const line = journalLine(ids, {
        merchant_id,
        session_id: null,
        subject: merchant_id,
        change: count === null ? 'export.begun' : 'export.made',
        detail: { of: 'payments', filters: named, ...(count !== null && { count }) },
        actor: actorOf(member),
        request_id,
        at: world.clock.now(),
      })
      await insertLine(sql, line)
    },
  }
}

// An amount begins with a digit, so it is no formula.
const columns: Record<string, (payment: PaymentRead) => Cell> = {
  created_at: ({ created_at }) => created_at.toISOString(),
  payment_id: ({ payment_id }) => payment_id,
  checkout_session_id: ({ session_id }) => session_id,
  mode: ({ mode }) => mode,
  status: ({ status }) => status,
  amount: ({ amount, currency }) => inMajorUnits(amount, currency),
  currency: ({ currency }) => currency,
  refunded_amount: ({ refunded_amount, currency }) => inMajorUnits(refunded_amount, currency),
  executed_at: ({ executed_at }) => executed_at?.toISOString() ?? null,
  order_reference: ({ order_reference }) => order_reference,
  customer_email: ({ customer }) => customer?.email ?? null,
  card_brand: ({ card_brand }) => card_brand,
  card_last4: ({ card_last4 }) => card_last4,
  decline_code: ({ decline }) => decline?.code ?? null,
  acquirer: ({ acquirer }) => acquirer,
  acquirer_transaction_id: ({ acquirer_transaction_id }) => acquirer_transaction_id,
}
