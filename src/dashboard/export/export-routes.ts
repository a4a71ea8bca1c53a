// Payments as a file for bookkeeping: what the filters say, of a year at most. The file streams, and each statement reads one page.

import { z } from 'zod'
import { journalLine } from '../../audit/journal.ts'
import { insertLine } from '../../audit/journal-store.ts'
import type { Context } from '../../checkout/context.ts'
import { filterChoice } from '../../checkout/reading/list-filters.ts'
import { filtersOf, paymentFilters } from '../../checkout/reading/list-payments.ts'
import {
  listPayments,
  type PaymentFilters,
  positionOfPayment,
} from '../../checkout/reading/payment-list-store.ts'
import type { PaymentRead } from '../../checkout/reading/payment-store.ts'
import { actorOf } from '../../http/access.ts'
import { type FileAnswer, route } from '../../http/route.ts'
import { Refusal } from '../../kernel/errors.ts'
import { inMajorUnits } from '../../kernel/values.ts'
import type { Member } from '../../users/member.ts'
import { signedIn } from '../../users/signed-in.ts'
import { byte_order_mark, type Cell, csvLine } from './csv.ts'

const bounds = { page_rows: 1000, rows_max: 100_000 }
const day_ms = 24 * 3_600_000
/** A leap year, and the hour that a day of it may have more or less. */
const days_max = 366
const days_default = 90
const hour_ms = 3_600_000

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
    const filters = spanned({ merchant_id: holder.merchant_id, ...filtersOf(query) }, now)
    const parts = linesOf(context, { filters, member: holder, request_id }, bounds)
    const [from, to] = [filters.created_from!, filters.created_before!].map(dayOf)
    return { name: `payments-${query.mode}-${from}-${to}.csv`, parts }
  },
})

type Export = {
  filters: PaymentFilters
  member: Pick<Member, 'user_id'>
  request_id: string
}

/** The file's text in parts. Where there are more rows than it may have, its last line says so. */
export async function* linesOf(
  context: Pick<Context, 'sql' | 'ids' | 'world'>,
  { filters, ...by }: Export,
  { page_rows, rows_max }: typeof bounds,
): AsyncGenerator<string> {
  const { sql } = context
  let count = 0
  try {
    let text = byte_order_mark + csvLine(Object.keys(columns))
    for (let behind: string | null = null; ; ) {
      const limit = Math.min(page_rows, rows_max - count)
      const found = await listPayments(sql, filters, { behind, limit: limit + 1 })
      const rows = found.rows.slice(0, limit)
      count += rows.length
      const is_more = found.rows.length > limit
      const is_cut = is_more && count === rows_max
      yield text + rows.map(lineOf).join('') + (is_cut ? csvLine([cutWords(rows_max)]) : '')
      text = ''
      behind = is_more && rows.length > 0 ? positionOfPayment(rows.at(-1)!) : found.ended_at
      if (is_cut || behind === null) return
    }
  } finally {
    await writeDown(context, { filters, ...by }, count)
  }
}

/** In the first column, where no time begins with a letter: no program reads it as a payment without a word. */
function cutWords(rows_max: number): string {
  return `NOT ALL: the file ends at ${rows_max} payments. Export a shorter span for the older ones.`
}

/** However the export ended: what was sent has left. */
async function writeDown(
  { sql, ids, world }: Pick<Context, 'sql' | 'ids' | 'world'>,
  { filters, member, request_id }: Export,
  count: number,
): Promise<void> {
  const { merchant_id, customer_email, ...others } = filters
  const named = { ...others, ...(customer_email !== undefined && { customer_email: '…' }) }
  const line = journalLine(ids, {
    merchant_id,
    session_id: null,
    subject: merchant_id,
    change: 'export.made',
    detail: { of: 'payments', filters: named, count },
    actor: actorOf(member),
    request_id,
    at: world.clock.now(),
  })
  await insertLine(sql, line)
}

/** Without a time, the last 90 days. Throws `invalid_request` for a longer span. */
function spanned(filters: PaymentFilters, now: Date): PaymentFilters {
  const created_before = filters.created_before ?? new Date(now.getTime() + 1)
  const ago = (ms: number) => new Date(created_before.getTime() - ms)
  const created_from = filters.created_from ?? ago(days_default * day_ms)
  if (created_from >= ago(days_max * day_ms + hour_ms))
    return { ...filters, created_from, created_before }
  const field = 'created_from'
  const words = `${field} must be at most ${days_max} days before created_before.`
  throw new Refusal('invalid_request', words, { field, fault: 'too_many_days', bound: days_max })
}

function dayOf(at: Date): string {
  return at.toISOString().slice(0, 10)
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

function lineOf(payment: PaymentRead): string {
  return csvLine(Object.values(columns).map((cell) => cell(payment)))
}
