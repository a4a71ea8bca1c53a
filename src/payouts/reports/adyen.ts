// Adyen's settlement details report: a line a journal entry of a batch. Debits and credits have a column each; gross is in the
// shopper's currency, net and costs in the payout's.

import type { Line, LineKind } from '../line.ts'
import type { Points } from '../money.ts'
import type { TableRow } from './table.ts'

export const adyenColumns = [
  ...['Psp Reference', 'Type', 'Modification Reference', 'Gross Currency', 'Gross Debit (GC)', 'Gross Credit (GC)'],
  ...['Net Currency', 'Net Debit (NC)', 'Net Credit (NC)', 'Batch Number'],
]

/** By docs.adyen.com/reporting/settlement-reconciliation/transaction-level/settlement-details-report, read in 2026-11. */
const kindsByNames: Record<LineKind, string> = {
  payment: `Settled SettledBulk SettledReversed SettledBulkReversed SettledInInstallments SettledInInstallmentsReversed
    SettledExternallyWithInfo SettledByThirdParty`,
  refund:
    'Refunded RefundedBulk RefundedReversed RefundedBulkReversed RefundedExternallyWithInfo RefundedInInstallments',
  dispute: `Chargeback ChargebackReversed SecondChargeback SecondChargebackReversed ChargebackExternallyWithInfo
    ChargebackReversedExternallyWithInfo InformationSupplied DisputeDefended Prearbitration PrearbitrationWon PrearbitrationLost`,
  fee: 'Fee MiscCosts PaymentCost InvoiceDeduction InvoiceDeductionRefund MerchantServiceFee AdvancementCommissionFee',
  other: `DepositCorrection ManualCorrected MatchedStatement BankInstructionReturned EpaPaid Balancetransfer PaidOut
    PaidOutReversed ReserveAdjustment InternalCompanyPayout MerchantPayin TerminalSale Advancement AdvancementReversed
    RecurringReserve BPPaidOut`,
  payout: 'MerchantPayout',
}
const kinds = new Map(
  Object.entries(kindsByNames).flatMap(([kind, names]) =>
    names.split(/\s+/).map((name): [string, LineKind] => [name.toLowerCase(), kind as LineKind]),
  ),
)

const costs = ['Commission (NC)', 'Markup (NC)', 'Scheme Fees (NC)', 'Interchange (NC)']

export function adyenLine(row: TableRow): Line {
  const type = row.needed('Type')
  const known_kind = kinds.get(type.toLowerCase())
  const kind = known_kind ?? 'other'
  const currency = row.currency('Net Currency')
  if (currency === null) throw row.fault('Net Currency', 'is empty')
  const net = signed(row, { credit: 'Net Credit (NC)', debit: 'Net Debit (NC)' }, currency) ?? 0n
  const fees = costs.reduce((sum, column) => sum + (row.amount(column, currency) ?? 0n), 0n)
  const gross_currency = row.currency('Gross Currency')
  const shopper =
    gross_currency && signed(row, { credit: 'Gross Credit (GC)', debit: 'Gross Debit (GC)' }, gross_currency)
  const has_subject = kind === 'payment' || kind === 'refund' || kind === 'dispute'
  // In one currency the difference is the cost, whatever columns of it the report has.
  const fee = has_subject && shopper !== null && gross_currency === currency ? (shopper as Points) - net : fees
  const psp = row.text('Psp Reference')
  const modification = row.text('Modification Reference')
  const account = row.text('Merchant Account')
  const batch = row.text('Batch Number')
  return {
    line: row.line,
    key: JSON.stringify([type, psp, modification, ...(psp === '' ? [spelledCells(row)] : [])]),
    ids_repeat: psp === '',
    transaction_id: modification || psp || type,
    type,
    kind,
    payout: batch === '' ? null : { account, vendor_id: batch, currency },
    // The day of its own line is that of the payout.
    paid_on: kind === 'payout' ? row.day('Creation Date') : row.day('Payable Date'),
    gross: kind === 'fee' ? 0n : kind === 'payout' ? net : net + fee,
    fee: kind === 'fee' ? -net : kind === 'payout' ? 0n : fee,
    customer:
      (kind === 'payment' || kind === 'refund') && shopper !== null && gross_currency
        ? { amount: shopper as Points, currency: gross_currency }
        : null,
    exchange_rate: gross_currency === null || gross_currency === currency ? null : rateIn(row),
    payment_ref: has_subject || kind === 'fee' ? psp || null : null,
    refund_ref: kind === 'refund' ? modification || null : null,
    finding: known_kind ? null : 'unknown_type',
  }
}

/** A credit is positive. Null where neither is told. */
function signed(row: TableRow, columns: { credit: string; debit: string }, currency: string): Points | null {
  const credit = row.amount(columns.credit, currency)
  const debit = row.amount(columns.debit, currency)
  return credit === null && debit === null ? null : (credit ?? 0n) - (debit ?? 0n)
}

function rateIn(row: TableRow): string | null {
  const rate = row.text('Exchange Rate').replace(',', '.')
  if (rate === '') return null
  if (!/^\d{1,12}(\.\d{1,12})?$/.test(rate)) throw row.fault('Exchange Rate', 'must be a decimal')
  return rate
}

/** What tells two lines apart that have no transaction. */
function spelledCells(row: TableRow): string {
  return ['Payment Method', 'Creation Date', 'Net Currency', 'Net Debit (NC)', 'Net Credit (NC)']
    .map((column) => row.text(column))
    .join('|')
}
