// Reports as vendors write them, from the columns that they publish.

export type Cells = Record<string, string>

/** A file of these rows; a column that a row lacks is empty. */
export function fileOf(
  columns: readonly string[],
  rows: Cells[],
  { delimiter = ',', end = '\n', mark = '' } = {},
): string {
  const cell = (text: string) => (/[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
  const lines = [columns, ...rows.map((row) => columns.map((column) => row[column] ?? ''))]
  return mark + lines.map((cells) => cells.map(cell).join(delimiter) + end).join('')
}

export const columnsOf = {
  stripe: [
    ...['automatic_payout_id', 'automatic_payout_effective_at', 'balance_transaction_id', 'created_utc', 'created'],
    ...[
      'available_on_utc',
      'available_on',
      'currency',
      'gross',
      'fee',
      'net',
      'reporting_category',
      'source_id',
      'description',
    ],
    ...[
      'customer_facing_amount',
      'customer_facing_currency',
      'charge_id',
      'payment_intent_id',
      'refund_id',
      'dispute_id',
    ],
  ],
  adyen: [
    ...[
      'Company Account',
      'Merchant Account',
      'Psp Reference',
      'Merchant Reference',
      'Payment Method',
      'Creation Date',
    ],
    ...['TimeZone', 'Type', 'Modification Reference', 'Gross Currency', 'Gross Debit (GC)', 'Gross Credit (GC)'],
    ...['Exchange Rate', 'Net Currency', 'Net Debit (NC)', 'Net Credit (NC)', 'Commission (NC)', 'Markup (NC)'],
    ...[
      'Scheme Fees (NC)',
      'Interchange (NC)',
      'Payment Method Variant',
      'Modification Merchant Reference',
      'Batch Number',
    ],
  ],
  checkout: [
    ...['Client Entity ID', 'Payment ID', 'Reference', 'Action ID', 'Action Type', 'Breakdown Type', 'Payout ID'],
    ...['Requested On', 'Processed On', 'Processing Currency', 'Processing Currency Amount', 'FX Rate Applied'],
    ...['Holding Currency', 'Holding Currency Amount'],
  ],
} as const

export type Vendor = keyof typeof columnsOf

export const report_names: Record<Vendor, string> = {
  stripe: 'payout_reconciliation.csv',
  adyen: 'settlement_detail_report_batch_42.csv',
  checkout: 'financial-actions_ent_abc_20270131_000G7HDD96SH_1.csv',
}

export function bytesOf(text: string): Uint8Array[] {
  return [Buffer.from(text)]
}

export const stripeCells = (more: Cells): Cells => ({
  automatic_payout_id: 'po_1',
  automatic_payout_effective_at: '2027-01-31 00:00:00',
  currency: 'gbp',
  fee: '0.00',
  reporting_category: 'charge',
  ...more,
})
export const adyenCells = (more: Cells): Cells => ({
  ...{ 'Merchant Account': 'Shop', 'Creation Date': '2027-01-31 10:00:00', TimeZone: 'CET', 'Net Currency': 'GBP' },
  ...{ 'Gross Currency': 'GBP', 'Exchange Rate': '1', 'Batch Number': '42' },
  ...more,
})
export const checkoutCells = (more: Cells): Cells => ({
  ...{ 'Payout ID': '000G7HDD96SH', 'Processing Currency': 'GBP', 'Holding Currency': 'GBP' },
  ...more,
})
