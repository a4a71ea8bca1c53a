// A row of money against the journal's line about it: which members differ, and what is wrong then.

import type { Money, OutcomeDetail, RefundDetail } from '../bound-money.ts'
import type { Event } from '../event.ts'
import type { Operation } from '../operation.ts'

/** A line about a payment or one of its refunds, its subject. */
export type MoneyLine = {
  entry_id: string
  subject: string
  change: string
  detail: Partial<Omit<OutcomeDetail, 'status'> & { status: OutcomeDetail['status'] | RefundDetail['status'] }> & {
    operation_id?: string
    /** The charge that was declined before this one began. */
    declined_operation_id?: string
    refund_id?: string
    decline_code?: string
  }
}

export type OperationRow = Pick<Operation, 'operation_id' | 'kind' | 'state' | 'amount' | 'currency'>
export type EventRow = Pick<Event, 'sequence' | 'type'> & { sha256: string }

export type MoneyFaultKind =
  | 'payment_changed'
  | 'payment_removed'
  | 'payment_without_line'
  | 'session_changed'
  | 'session_removed'
  | 'operation_changed'
  | 'operation_removed'
  | 'operation_without_line'
  | 'event_changed'
  | 'event_removed'
  | 'event_without_line'
  | 'outcome_told_twice'
  | 'refund_changed'
  | 'refund_removed'
  | 'refund_without_line'

export type Value = string | number | null

/** A member of a row that differs from the line. */
export type Difference = { member: string; row: Value; line: Value }

export type MoneyFault = {
  kind: MoneyFaultKind
  /** The id of the payment, or of the refund or session if the fault concerns only that. */
  subject: string
  /** Our reference for the operation concerned. */
  operation_id: string | null
  /** The sequence of the event concerned. */
  sequence: 1 | 2 | null
  /** The line that the row does not match, or that has no row. */
  entry_id: string | null
  differences: Difference[]
}

export function isMoney(detail: Partial<Money> | undefined): boolean {
  return typeof detail?.amount === 'number' && typeof detail.currency === 'string'
}

export function moneyIn(line: MoneyLine | undefined): Partial<Money> {
  const { amount, currency, mode } = line?.detail ?? {}
  return { amount, currency, mode } as Partial<Money>
}

/** A member that the line does not contain is no difference. */
export function differences(row: object, says: Record<string, Value | undefined>): Difference[] {
  const found = new Map<string, Value>(Object.entries(row))
  return Object.entries(says).flatMap(([member, line]) => {
    const value = found.get(member) ?? null
    return line === undefined || value === line ? [] : [{ member, row: value, line }]
  })
}

export type FaultSubject = { line?: MoneyLine | undefined; operation_id?: string; sequence?: 1 | 2 }

/** No fault where nothing differs. */
export function changed(subject: string, kind: MoneyFaultKind, meant: FaultSubject, found: Difference[]): MoneyFault[] {
  return found.length === 0 ? [] : [{ ...faultOf(subject, kind, meant), differences: found }]
}

export function faultOf(subject: string, kind: MoneyFaultKind, meant: FaultSubject = {}): MoneyFault {
  const { line, operation_id = null, sequence = null } = meant
  return {
    kind,
    subject,
    operation_id,
    sequence,
    entry_id: line?.entry_id ?? null,
    differences: [],
  }
}
