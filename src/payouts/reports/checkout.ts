// Checkout.com's financial actions report: a line a part of an action, such as what was captured and each fee of it. Amounts have
// signs, and up to eight digits behind the point.

import type { Line, LineKind } from '../line.ts'
import { spelled } from '../money.ts'
import type { TableRow } from './table.ts'

export const checkoutColumns = [
  ...['Payment ID', 'Action ID', 'Action Type', 'Breakdown Type', 'Payout ID'],
  ...['Processing Currency', 'Processing Currency Amount', 'Holding Currency', 'Holding Currency Amount'],
]

/** Of an action: what its parts belong to. By checkout.com/docs, "Breakdown types", read in 2026-11. */
const kindOfAction: Record<string, LineKind> = {
  capture: 'payment',
  'partial capture': 'payment',
  refund: 'refund',
  'partial refund': 'refund',
  chargeback: 'dispute',
  authorization: 'fee',
  void: 'fee',
  authentication: 'fee',
  'card verification': 'fee',
  payout: 'payout',
}

const knownOther =
  /^(adjustment|cover negative position|invoice settlement|operational funding .*|(rolling )?reserve.*|top up|transfer.*|standard payout.*|payout.*|minimum billing.*|fx .*|.* fee)$/

export function checkoutLine(row: TableRow, paid_on: string | null): Line {
  const type = row.needed('Action Type')
  const breakdown = row.needed('Breakdown Type')
  const currency = row.currency('Holding Currency')
  if (currency === null) throw row.fault('Holding Currency', 'is empty')
  const held = row.amount('Holding Currency Amount', currency)
  if (held === null) throw row.fault('Holding Currency Amount', 'is empty')
  const is_cost = /\b(fee|tax)$/i.test(breakdown)
  const kind = kindOf(type, is_cost)
  const processing_currency = row.currency('Processing Currency')
  const processed = processing_currency && row.amount('Processing Currency Amount', processing_currency)
  const is_money = !is_cost && (kind === 'payment' || kind === 'refund')
  const payment = row.text('Payment ID')
  const action = row.needed('Action ID')
  const vendor_id = row.text('Payout ID')
  const is_part = kind !== 'other' && kind !== 'payout'
  return {
    line: row.line,
    // An action may have two costs of one name.
    key: JSON.stringify([action, breakdown, ...(is_cost ? [spelled(held)] : [])]),
    ids_repeat: is_cost,
    transaction_id: action,
    type: `${type}: ${breakdown}`,
    kind,
    payout: vendor_id === '' ? null : { account: '', vendor_id, currency },
    paid_on,
    gross: is_cost ? 0n : held,
    fee: is_cost ? -held : 0n,
    customer:
      is_money && processing_currency && processed !== null
        ? { amount: processed as bigint, currency: processing_currency }
        : null,
    exchange_rate: is_money && processing_currency !== null && processing_currency !== currency ? rateIn(row) : null,
    payment_ref: is_part ? payment || null : null,
    refund_ref: kind === 'refund' ? action : null,
    finding: kind === 'other' && !is_cost && !knownOther.test(type.toLowerCase()) ? 'unknown_type' : null,
  }
}

function kindOf(type: string, is_cost: boolean): LineKind {
  const kind = kindOfAction[type.toLowerCase()]
  if (kind) return kind === 'fee' && !is_cost ? 'other' : kind
  return is_cost ? 'fee' : 'other'
}

function rateIn(row: TableRow): string | null {
  const rate = row.text('FX Rate Applied')
  if (rate === '') return null
  if (!/^\d{1,12}(\.\d{1,12})?$/.test(rate)) throw row.fault('FX Rate Applied', 'must be a decimal')
  return rate
}

/** The day in a file's name, such as `financial-actions_ent_abc_20270131_000G7HDD96SH_1.csv`; null where there is none. */
export function dayInName(name: string): string | null {
  for (const [, year, month, day] of name.matchAll(/(?<!\d)(20\d\d)-?(\d\d)-?(\d\d)(?!\d)/g)) {
    const at = new Date(`${year}-${month}-${day}T00:00:00Z`)
    if (!Number.isNaN(at.getTime()) && at.getUTCDate() === Number(day)) return `${year}-${month}-${day}`
  }
  return null
}
