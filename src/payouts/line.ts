// A line of a vendor's report, in one shape for all vendors, and what a payment, refund or dispute has to be so that it fits.

import type { Points } from './money.ts'

/** `payout`: the vendor's own word on what it paid, which is no part of it. `other`: reserves, adjustments, transfers. */
export type LineKind = 'payment' | 'refund' | 'dispute' | 'fee' | 'other' | 'payout'

export type PayoutName = {
  /** The vendor's account, where it counts payouts by it; else empty. */
  account: string
  vendor_id: string
  currency: string
}

export type Line = {
  /** Where it stands in the file; the header is 1. */
  line: number
  /** By the vendor's own ids: the same in every file that has the line. */
  key: string
  /** Another line of the file may have the same ids, and is another line: they name only what kind of cost it is. */
  ids_repeat: boolean
  transaction_id: string
  /** The vendor's word. */
  type: string
  kind: LineKind
  /** Null for what is not paid out yet. */
  payout: PayoutName | null
  paid_on: string | null
  gross: Points
  fee: Points
  /** What the shopper saw; null where the line does not say it, or is no line of a payment or refund itself. */
  customer: { amount: Points; currency: string } | null
  exchange_rate: string | null
  /** The vendor's ids of the payment and of the refund. */
  payment_ref: string | null
  refund_ref: string | null
  /** What is wrong with it whatever the payments are. */
  finding: Finding | null
}

/** Why a line does not fit. */
export const findings = {
  unknown_transaction: 'no payment of the connection has this id',
  unknown_refund: 'no refund of the payment has this id',
  unknown_dispute: 'no dispute of the payment is known',
  not_captured: 'the payment was not captured',
  not_refunded: 'the refund failed',
  another_amount: 'the amount is not that of the payment or refund',
  amount_not_told: 'the report does not tell the amount in the currency of the payment',
  unknown_type: 'the type of the line is not known',
  not_paid_out: 'no payout has it yet, so it was not kept',
  differs_from_earlier: 'an earlier report has it with another amount, which was kept',
} as const
export type Finding = keyof typeof findings

/** A report that cannot be read. Nothing of it is kept. */
export class ReportFault extends Error {
  constructor(line: number, column: string | null, words: string) {
    super(`line ${line}${column === null ? '' : `, column "${column}"`}: ${words}`)
  }

  /** The same with the name of its file. */
  in(file: string): this {
    this.message = `${file}, ${this.message}`
    return this
  }
}
