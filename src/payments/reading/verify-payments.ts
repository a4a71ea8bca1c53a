// Compares payments with their lines in the journal, page by page, and reports mismatches.

import type { Sql } from '../../database/open.ts'
import { comparePayment, type PaymentRows } from './compared-payment.ts'
import {
  listRecentPayments,
  readLinePage,
  readPaymentPage,
  readPayments,
  type UnmatchedLine,
} from './compared-payment-store.ts'
import type { MoneyFault } from './money-fault.ts'

const page_payments = 200
const page_lines = 1000
/** How many faults of one merchant are named. All of them are counted. */
const faults_named_max = 100

export type PaymentsVerified = {
  payments: number
  /** How many payments have lines of an earlier release, without amounts and hashes. */
  not_bound: number
  faults: MoneyFault[]
  fault_count: number
}

/** Verifies all payments of a merchant, and all lines that begin a payment or a session. */
export async function verifyPayments(sql: Sql, merchant_id: string): Promise<PaymentsVerified> {
  const count = openCount()
  for (let after = ''; ; ) {
    const page = await readPaymentPage(sql, { merchant_id, after }, page_payments)
    for (const rows of page) count.take(rows)
    if (page.length < page_payments) break
    after = page.at(-1)!.payment.payment_id
  }
  for (let after = ''; ; ) {
    const { last, faults } = await readLinePage(sql, { merchant_id, after }, page_lines)
    for (const lone of faults) count.tell(faultOf(lone))
    if (last === null) return count.verified
    after = last
  }
}

/** How many of the newest lines of each merchant are read, and how many payments of all merchants are verified. */
const recentMax = { lines: 500, payments: 1000 }

/** Verifies recently changed payments of all merchants. Only lines after the line id `from` are read. */
export async function verifyRecentPayments(sql: Sql, from: string): Promise<PaymentsVerified> {
  const count = openCount()
  const recent = await listRecentPayments(sql, from, recentMax)
  const merchants = Map.groupBy(recent, ({ merchant_id }) => merchant_id)
  for (const [merchant_id, named] of merchants) {
    const ids = named.map(({ payment_id }) => payment_id)
    for (let at = 0; at < ids.length; at += page_payments) {
      const page = ids.slice(at, at + page_payments)
      const found = await readPayments(sql, merchant_id, page)
      for (const rows of found) count.take(rows)
      const there = new Set<string>(found.map(({ payment }) => payment.payment_id))
      for (const subject of page.filter((id) => !there.has(id))) {
        count.tell(faultOf({ kind: 'payment_removed', subject, entry_id: null, differences: [] }))
      }
    }
  }
  return count.verified
}

function openCount() {
  const verified: PaymentsVerified = { payments: 0, not_bound: 0, faults: [], fault_count: 0 }
  const tell = (fault: MoneyFault) => {
    verified.fault_count += 1
    if (verified.faults.length < faults_named_max) verified.faults.push(fault)
  }
  const take = (rows: PaymentRows) => {
    const { is_bound, faults } = comparePayment(rows)
    verified.payments += 1
    if (!is_bound) verified.not_bound += 1
    for (const fault of faults) tell(fault)
  }
  return { verified, take, tell }
}

function faultOf({ kind, subject, entry_id, differences }: UnmatchedLine): MoneyFault {
  const differing = differences.filter(({ row, line }) => row !== line)
  return {
    kind,
    subject,
    operation_id: null,
    sequence: null,
    entry_id,
    differences: kind === 'session_changed' ? differing : [],
  }
}
