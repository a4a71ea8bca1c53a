// Stripe's itemised payout reconciliation report: a line a balance transaction. Its fee is positive, and net is gross less fee.

import type { Line, LineKind } from '../line.ts'
import { rateOf } from '../money.ts'
import type { TableRow } from './table.ts'

export const stripeColumns = [
  ...['automatic_payout_id', 'balance_transaction_id', 'reporting_category'],
  ...['currency', 'gross', 'fee', 'net'],
]

/** By docs.stripe.com/reports/reporting-categories, read in 2026-11. */
const kinds: Record<string, LineKind> = {
  charge: 'payment',
  charge_failure: 'payment',
  partial_capture_reversal: 'payment',
  refund: 'refund',
  refund_failure: 'refund',
  dispute: 'dispute',
  dispute_reversal: 'dispute',
  fee: 'fee',
  network_cost: 'fee',
  tax: 'fee',
  platform_earning: 'other',
  platform_earning_refund: 'other',
  payout: 'payout',
  payout_reversal: 'other',
  ...Object.fromEntries(
    [
      ...['advance', 'advance_funding', 'anticipation_repayment', 'climate_order_purchase', 'climate_order_refund'],
      ...['connect_collection_transfer', 'connect_reserved_funds', 'contribution', 'financing_paydown'],
      ...['financing_paydown_reversal', 'financing_payout', 'financing_payout_reversal', 'issuing_disbursement'],
      ...['issuing_dispute', 'issuing_transaction', 'issuing_authorization_hold', 'issuing_authorization_release'],
      ...['other_adjustment', 'partial_capture_reversal_fee', 'risk_reserved_funds', 'topup', 'topup_reversal'],
      ...['transfer', 'transfer_reversal', 'reserve_transaction', 'obligation'],
    ].map((each): [string, LineKind] => [each, 'other']),
  ),
}

export function stripeLine(row: TableRow): Line {
  const type = row.needed('reporting_category')
  const kind = kinds[type] ?? 'other'
  const currency = row.currency('currency')
  if (currency === null) throw row.fault('currency', 'is empty')
  const [gross, fee, net] = (['gross', 'fee', 'net'] as const).map((column) => {
    const points = row.amount(column, currency)
    if (points === null) throw row.fault(column, 'is empty')
    return points
  }) as [bigint, bigint, bigint]
  if (gross - fee !== net) throw row.fault('net', 'must be gross less fee')
  const vendor_id = row.text('automatic_payout_id')
  const customer = kind === 'payment' || kind === 'refund' ? seenBy(row) : null
  const is_cost = kind === 'fee'
  const transaction_id = row.needed('balance_transaction_id')
  return {
    line: row.line,
    key: transaction_id,
    ids_repeat: false,
    transaction_id,
    type,
    kind,
    payout: vendor_id === '' ? null : { account: '', vendor_id, currency },
    paid_on: row.day('automatic_payout_effective_at') ?? row.day('automatic_payout_effective_at_utc'),
    gross: is_cost ? 0n : gross,
    fee: is_cost ? -net : fee,
    customer: kind === 'payment' || kind === 'refund' ? (customer ?? { amount: gross, currency }) : null,
    exchange_rate:
      customer && customer.currency !== currency
        ? rateOf({ points: gross, currency }, { points: customer.amount, currency: customer.currency })
        : null,
    payment_ref: row.text('payment_intent_id') || row.text('charge_id') || null,
    refund_ref: row.text('refund_id') || (kind === 'refund' ? row.text('source_id') : '') || null,
    finding: type in kinds ? null : 'unknown_type',
  }
}

/** These columns are told only where somebody asked for them. */
function seenBy(row: TableRow): { amount: bigint; currency: string } | null {
  const currency = row.currency('customer_facing_currency')
  const amount = currency && row.amount('customer_facing_amount', currency)
  return amount === null || currency === null ? null : { amount: amount as bigint, currency }
}
