// Goes through payments in pages, compares each with its lines in the journal, and tells what does not fit.

import type { Sql } from '../../database/open.ts'
import { comparePayment, type MoneyFault, type PaymentRows } from './compared-payment.ts'
import {
  listRecentPayments,
  readLinePage,
  readPaymentPage,
  readPayments,
  type UnmatchedLine,
} from './compared-payment-store.ts'

const page_payments = 200
const page_lines = 1000
/** Of one merchant so many faults are named; all are counted. */
const faults_named_max = 100

export type PaymentsVerified = {
  payments: number
  /** Payments whose lines, of a release before, do not say amounts and hashes. */
  not_bound: number
  faults: MoneyFault[]
  fault_count: number
}

/** All payments of a merchant, and all lines that begin one or a session. */
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

/** Of one merchant the newest lines so many; of all merchants together so many payments. */
const recentMax = { lines: 500, payments: 1000 }

/** Payments that something became of lately, of all merchants. `from` is an id of a line: those behind it are looked at. */
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
