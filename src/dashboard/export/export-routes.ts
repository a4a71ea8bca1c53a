// Files for bookkeeping: the payments that the filters show, and what was captured and refunded on which day.

import { z } from 'zod'
import { journalLine } from '../../audit/journal.ts'
import { insertLine } from '../../audit/journal-store.ts'
import { actorOf } from '../../http/access.ts'
import { type FileAnswer, route } from '../../http/route.ts'
import { inMajorUnits } from '../../kernel/values.ts'
import type { Context } from '../../payments/context.ts'
import { filterChoice, spanQuery } from '../../payments/reading/list-filters.ts'
import { filtersOf, paymentFilters } from '../../payments/reading/list-payments.ts'
import { refundSums } from '../../payments/reading/owed-refunds.ts'
import { listPayments, type PaymentFilters, positionOfPayment } from '../../payments/reading/payment-list-store.ts'
import type { PaymentRead } from '../../payments/reading/payment-store.ts'
import type { Member } from '../../users/member.ts'
import { signedIn } from '../../users/signed-in.ts'
import type { Cell } from './csv.ts'
import {
  bounds,
  days_max,
  type ExportedList,
  fileName,
  linesOf,
  timesOfFile,
  withSpan,
  zoneOfFile,
} from './export-file.ts'
import { listMovements, type Movement, type MovementFilters } from './movement-store.ts'

const shared = {
  method: 'GET' as const,
  tag: 'Dashboard',
  access: signedIn('export_transactions', { gravity: 'grave', mode: 'query' }),
  dialect: 'dashboard' as const,
  status: 200,
  file: 'text/csv; charset=utf-8',
  reply: z.unknown(),
  refusals: ['invalid_request'] as const,
}

export const exportPaymentsHere = route({
  ...shared,
  path: '/dashboard/api/{merchant_id}/export',
  summary: `Payments as comma-separated values: of ${days_max} days and ${bounds.rows_max} rows at most; the last line says where there are more`,
  query: paymentFilters.extend({ mode: filterChoice(['test', 'live']), ...zoneOfFile }),
  handle: async (context: Context, { holder, query: { zone, ...query }, now, request_id }): Promise<FileAnswer> => {
    const filters = withSpan({ merchant_id: holder.merchant_id, ...filtersOf(query) }, now)
    const timeOf = timesOfFile({ zone })
    const payments = exportedPayments(context, { filters, member: holder, request_id, timeOf })
    return { name: fileName(`payments-${query.mode}`, filters, timeOf), parts: linesOf(payments, bounds) }
  },
})

export const exportMovementsHere = route({
  ...shared,
  path: '/dashboard/api/{merchant_id}/export/movements',
  summary: `Captures and refunds as comma-separated values, each with its own time: of ${days_max} days and ${bounds.rows_max} rows at most; the last line says where there are more`,
  query: z.strictObject({ ...spanQuery, mode: filterChoice(['test', 'live']), ...zoneOfFile }),
  handle: async (context: Context, { holder, query: { zone, ...query }, now, request_id }): Promise<FileAnswer> => {
    const { mode, created_from, created_before } = query
    const filters = withSpan({ merchant_id: holder.merchant_id, mode, created_from, created_before }, now)
    const timeOf = timesOfFile({ zone })
    const movements = exportedMovements(context, { filters, member: holder, request_id, timeOf })
    return { name: fileName(`movements-${mode}`, filters, timeOf), parts: linesOf(movements, bounds) }
  },
})

type Export<Filters> = {
  filters: Filters
  member: Pick<Member, 'user_id'>
  request_id: string
  timeOf: (at: Date) => string
}

export function exportedPayments(
  context: Pick<Context, 'sql' | 'ids' | 'world'>,
  { filters, member, request_id, timeOf }: Export<PaymentFilters>,
): ExportedList<PaymentRead> {
  const { merchant_id, customer_email, ...others } = filters
  const named = { ...others, ...(customer_email !== undefined && { customer_email: '…' }) }
  return {
    noun: 'payments',
    columns: Object.keys(columns),
    read: (place) => listPayments(context.sql, filters, { ...place, has_payouts: false }),
    positionOf: positionOfPayment,
    cellsOf: (payments) => payments.map((payment) => Object.values(columns).map((cell) => cell(payment, timeOf))),
    writeDown: journalWriter(context, { of: 'payments', merchant_id, filters: named, member, request_id }),
  }
}

function exportedMovements(
  context: Pick<Context, 'sql' | 'ids' | 'world'>,
  { filters, member, request_id, timeOf }: Export<MovementFilters>,
): ExportedList<Movement> {
  const { merchant_id, ...named } = filters
  return {
    noun: 'movements',
    columns: Object.keys(movementColumns),
    read: (place) => listMovements(context.sql, filters, place),
    positionOf: ({ entry_id }) => entry_id,
    cellsOf: (rows) => rows.map((row) => Object.values(movementColumns).map((cell) => cell(row, timeOf))),
    writeDown: journalWriter(context, { of: 'movements', merchant_id, filters: named, member, request_id }),
  }
}

/** Writes into the journal that an export has begun, and how much of it left. */
export function journalWriter(
  { sql, ids, world }: Pick<Context, 'sql' | 'ids' | 'world'>,
  {
    of,
    merchant_id,
    filters,
    member,
    request_id,
  }: { of: string; merchant_id: string } & Omit<Export<object>, 'timeOf'>,
): ExportedList<never>['writeDown'] {
  return async (count) => {
    const line = journalLine(ids, {
      merchant_id,
      session_id: null,
      subject: merchant_id,
      change: count === null ? 'export.begun' : 'export.made',
      detail: { of, filters, ...(count !== null && { count }) },
      actor: actorOf(member),
      request_id,
      at: world.clock.now(),
    })
    await insertLine(sql, line)
  }
}

type Cells<Row> = Record<string, (row: Row, timeOf: (at: Date) => string) => Cell>

// An amount begins with a digit, so it is no formula.
const columns: Cells<PaymentRead> = {
  created_at: ({ created_at }, timeOf) => timeOf(created_at),
  payment_id: ({ payment_id }) => payment_id,
  checkout_session_id: ({ session_id }) => session_id,
  mode: ({ mode }) => mode,
  status: ({ status }) => status,
  amount: ({ amount, currency }) => inMajorUnits(amount, currency),
  currency: ({ currency }) => currency,
  refunded_amount: ({ refunded_amount, currency }) => inMajorUnits(refunded_amount, currency),
  executed_at: ({ executed_at }, timeOf) => executed_at && timeOf(executed_at),
  order_reference: ({ order_reference }) => order_reference,
  customer_email: ({ customer }) => customer?.email ?? null,
  card_brand: ({ card_brand }) => card_brand,
  card_last4: ({ card_last4 }) => card_last4,
  decline_code: ({ decline }) => decline?.code ?? null,
  acquirer: ({ acquirer }) => acquirer,
  acquirer_transaction_id: ({ acquirer_transaction_id }) => acquirer_transaction_id,
  // What was taken, where that is less than `amount`.
  captured_amount: ({ captured_amount, currency }) =>
    captured_amount === null ? null : inMajorUnits(captured_amount, currency),
  // What of `refunded_amount` is still on its way.
  pending_refund_amount: ({ currency, ...payment }) => inMajorUnits(refundSums(payment).pending_amount, currency),
  settled_another_way_amount: ({ currency, ...payment }) =>
    inMajorUnits(refundSums(payment).otherwise_amount, currency),
}

const movementColumns: Cells<Movement> = {
  at: ({ at }, timeOf) => timeOf(at),
  kind: ({ kind }) => kind,
  amount: ({ amount, currency }) => inMajorUnits(amount, currency),
  currency: ({ currency }) => currency,
  payment_id: ({ payment_id }) => payment_id,
  refund_id: ({ refund_id }) => refund_id,
  checkout_session_id: ({ session_id }) => session_id,
  mode: ({ mode }) => mode,
  order_reference: ({ order_reference }) => order_reference,
  customer_email: ({ customer_email }) => customer_email,
  acquirer: ({ acquirer }) => acquirer,
  acquirer_transaction_id: ({ acquirer_transaction_id }) => acquirer_transaction_id,
  payment_created_at: ({ payment_created_at }, timeOf) => timeOf(payment_created_at),
  // The sum of the column is what came in.
  net_amount: ({ kind, amount, currency }) => {
    const sign = (kind === 'refund' || kind === 'settled_another_way') && amount > 0 ? '-' : ''
    return { decimal: sign + inMajorUnits(amount, currency) }
  },
}
