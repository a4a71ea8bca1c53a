// A month of payouts, line by line: what the bank's statement shows as one sum each.

import type { Sql } from '../database/open.ts'
import type { Mode } from '../kernel/values.ts'
import { difference, inMajor } from './money.ts'

export type MonthLine = {
  paid_on: string
  payout_id: string
  connection: string
  vendor_id: string
  /** `rounding` is what the fractions of a payout's lines lack to the sum that was paid. */
  kind: 'payment' | 'refund' | 'dispute' | 'fee' | 'other' | 'rounding'
  type: string | null
  transaction_id: string | null
  payment_id: string | null
  refund_id: string | null
  order_reference: string | null
  /** Decimals of the major unit. */
  gross: string
  fee: string
  net: string
  currency: string
  customer_amount: string | null
  customer_currency: string | null
  finding: string | null
}

/** The columns of a file, in its order. */
export const month_columns = [
  ...(['paid_on', 'payout_id', 'connection', 'vendor_id', 'kind', 'type', 'transaction_id', 'payment_id'] as const),
  ...(['refund_id', 'order_reference', 'gross', 'fee', 'net', 'currency', 'customer_amount'] as const),
  ...(['customer_currency', 'finding'] as const),
] satisfies (keyof MonthLine)[]

type Month = { merchant_id: string; mode: Mode; month: string }

/** The rule for months. */
export const monthForm = /^20\d\d-(0[1-9]|1[0-2])$/

const lines_at_once = 1000
const payouts_at_once = 100

type PayoutHead = {
  payout_id: string
  paid_on: string
  vendor_id: string
  currency: string
  label: string
  /** What the sums lack to be whole. */
  gross_rest: string
  net_rest: string
}
type Row = Omit<MonthLine, 'connection' | 'paid_on' | 'payout_id' | 'vendor_id' | 'currency'> & { line_key: string }

/** Some lines at a time: each statement reads so many along one index. */
export async function* linesOfMonth(sql: Sql, { merchant_id, mode, month }: Month): AsyncGenerator<MonthLine[]> {
  const first = `${month}-01`
  let behind = { paid_on: first, payout_id: '' }
  for (;;) {
    const payouts: PayoutHead[] = await sql<PayoutHead[]>`
      select p.payout_id, p.paid_on::text as paid_on, p.vendor_id, p.currency, c.label,
        (round(p.gross) - p.gross)::text as gross_rest, (round(p.gross - p.fee) - p.gross + p.fee)::text as net_rest
      from payouts p join connections c using (merchant_id, connection_id)
      where p.merchant_id = ${merchant_id} and p.mode = ${mode} and p.paid_on >= ${first}::text::date
        and p.paid_on < (${first}::text::date + interval '1 month')::date
        and (p.paid_on, p.payout_id) > (${behind.paid_on}::text::date, ${behind.payout_id})
      order by p.paid_on, p.payout_id limit ${payouts_at_once}`
    for (const payout of payouts) yield* linesOf(sql, merchant_id, payout)
    if (payouts.length < payouts_at_once) return
    behind = payouts.at(-1)!
  }
}

async function* linesOf(sql: Sql, merchant_id: string, payout: PayoutHead): AsyncGenerator<MonthLine[]> {
  const { payout_id, label: connection, paid_on, vendor_id, currency, gross_rest, net_rest } = payout
  const head = { paid_on, payout_id, connection, vendor_id, currency }
  for (let behind = ''; ; ) {
    const rows: Row[] = await sql<Row[]>`
      select l.line_key, l.kind, l.type, l.transaction_id, l.payment_id, l.refund_id, m.order_reference,
        l.gross::text as gross, l.fee::text as fee, (l.gross - l.fee)::text as net,
        l.customer_amount::text as customer_amount, l.customer_currency, l.finding
      from payout_lines l
      left join payments m on m.merchant_id = l.merchant_id and m.payment_id = l.payment_id
      where l.merchant_id = ${merchant_id} and l.payout_id = ${payout_id} and l.line_key > ${behind}
      order by l.line_key limit ${lines_at_once}`
    yield rows.map(({ line_key: _, customer_amount, customer_currency, ...row }) => ({
      ...head,
      ...row,
      ...majorOf(row, currency),
      customer_amount: customer_amount && customer_currency && inMajor(customer_amount, customer_currency),
      customer_currency,
    }))
    if (rows.length < lines_at_once) break
    behind = rows.at(-1)!.line_key
  }
  const rest = majorOf({ gross: gross_rest, net: net_rest, fee: difference(gross_rest, net_rest) }, currency)
  if (Object.values(rest).some((each) => /[1-9]/.test(each))) yield [{ ...head, ...noSubject, ...rest }]
}

const noSubject = {
  kind: 'rounding',
  type: null,
  transaction_id: null,
  payment_id: null,
  refund_id: null,
  order_reference: null,
  customer_amount: null,
  customer_currency: null,
  finding: null,
} as const

type Amounts = Pick<MonthLine, 'gross' | 'fee' | 'net'>

function majorOf({ gross, fee, net }: Amounts, currency: string): Amounts {
  return { gross: inMajor(gross, currency), fee: inMajor(fee, currency), net: inMajor(net, currency) }
}
