// Compares a payment's rows with the journal's lines about it, and names rows that somebody changed, removed or added.
//
// The journal's own chain (audit/) proves that the lines are unchanged. Lines of earlier releases contain no amount and no
// hash, so these are not bound. They do contain status and ids.

import type { Money, OutcomeDetail } from '../bound-money.ts'
import type { Event } from '../event.ts'
import type { Operation } from '../operation.ts'
import type { Payment, PaymentStatus } from '../payment.ts'

/** A line about the payment. */
export type MoneyLine = {
  entry_id: string
  change: string
  detail: Partial<OutcomeDetail> & { operation_id?: string; decline_code?: string }
}

type PaymentRow = Pick<Payment, 'payment_id' | 'status' | 'capture_state'> &
  Money & { decline_code: string | null }
type OperationRow = Pick<Operation, 'operation_id' | 'kind' | 'state' | 'amount' | 'currency'>
type EventRow = Pick<Event, 'sequence' | 'type'> & { sha256: string }

/** A payment with all rows that hold its money, as they were at one moment. */
export type PaymentRows = {
  payment: PaymentRow
  operations: OperationRow[]
  events: EventRow[]
  lines: MoneyLine[]
}

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

type Value = string | number | null

/** A member of a row that differs from the line. */
export type Difference = { member: string; row: Value; line: Value }

export type MoneyFault = {
  kind: MoneyFaultKind
  /** The id of the payment, or of the session if the fault concerns only the session. */
  subject: string
  /** Our reference for the operation concerned. */
  operation_id: string | null
  /** The sequence of the event concerned. */
  sequence: 1 | 2 | null
  /** The line that the row does not match, or that has no row. */
  entry_id: string | null
  differences: Difference[]
}

/** `is_bound`: the payment's lines contain amounts and the hashes of its events. */
export type MoneyVerdict = { is_bound: boolean; faults: MoneyFault[] }

export function comparePayment(rows: PaymentRows): MoneyVerdict {
  if (rows.lines.length === 0) {
    return { is_bound: false, faults: [faultOf(rows, 'payment_without_line')] }
  }
  const told = tellingLines(rows.lines)
  const binding = [told.begun, told.outcome, told.decision].find((line) => isMoney(line?.detail))
  const outcomes = [told.outcome, told.decision].filter((line) => line !== undefined)
  return {
    is_bound: binding !== undefined && outcomes.every(({ detail }) => detail.event_sha256),
    faults: [
      ...told.repeated.map((line) => faultOf(rows, 'outcome_told_twice', { line })),
      ...paymentFaults(rows, told, binding),
      ...operationFaults(rows, told, binding),
      ...eventFaults(rows, told),
    ],
  }
}

/** The lines about the payment's course: at most one of each kind, and any surplus. */
type PaymentLines = {
  begun: MoneyLine | undefined
  outcome: MoneyLine | undefined
  /** The line about the decision on a held payment. */
  decision: MoneyLine | undefined
  repeated: MoneyLine[]
}

function tellingLines(lines: MoneyLine[]): PaymentLines {
  const outcomes = lines.filter(({ change }) => outcomeOf(change) !== null)
  // The order of the lines proves nothing, because the clocks of two processes differ.
  const held = outcomes.find(({ change }) => change === 'payment.held')
  const outcome = held ?? outcomes[0]
  const decision = held && outcomes.find(({ change }) => decided.includes(change))
  const repeated = outcomes.filter((line) => line !== outcome && line !== decision)
  return {
    begun: lines.find(({ change }) => change === 'charge.begun'),
    outcome,
    decision,
    repeated,
  }
}

const decided = ['payment.captured', 'payment.voided']
const statuses = ['captured', 'held', 'voided', 'declined', 'failed'] as const

function outcomeOf(change: string): (typeof statuses)[number] | null {
  return statuses.find((status) => change === `payment.${status}`) ?? null
}

function paymentFaults(rows: PaymentRows, told: PaymentLines, binding?: MoneyLine): MoneyFault[] {
  const { payment } = rows
  const line = told.decision ?? told.outcome
  const status = line ? outcomeOf(line.change)! : 'pending'
  if (!line && payment.status !== 'pending') return [faultOf(rows, 'payment_without_line')]
  const decline_code = told.outcome?.detail.decline_code ?? null
  const standing = { status, capture_state: captureStates[status], decline_code }
  return changed(rows, 'payment_changed', { line: line ?? told.begun }, [
    ...differences(payment, standing),
    ...differences(payment, moneyIn(binding)),
  ])
}

const captureStates: Record<PaymentStatus, Payment['capture_state']> = {
  pending: null,
  captured: 'captured',
  held: 'authorised',
  voided: 'voided',
  declined: null,
  failed: null,
}

function operationFaults(rows: PaymentRows, told: PaymentLines, binding?: MoneyLine): MoneyFault[] {
  const { operations, lines } = rows
  const { amount, currency } = moneyIn(binding)
  const faults: MoneyFault[] = []
  for (const operation of operations) {
    const { operation_id, state } = operation
    const ofIt = lines.filter(({ detail }) => detail.operation_id === operation_id)
    const [line] = ofIt
    if (!line) {
      faults.push(faultOf(rows, 'operation_without_line', { operation_id }))
      continue
    }
    const allowed = statesOf(operation, told, ofIt)
    const misses = allowed !== null && !allowed.includes(state)
    const found = [
      ...(misses ? [{ member: 'state', row: state, line: allowed.join(' or ') }] : []),
      ...differences(operation, { kind: kindBegunBy(ofIt), amount, currency }),
    ]
    faults.push(...changed(rows, 'operation_changed', { line, operation_id }, found))
  }
  const ids = new Set(operations.map(({ operation_id }) => operation_id))
  for (const line of lines) {
    const { operation_id } = line.detail
    if (operation_id === undefined || ids.has(operation_id) || !isOfOperation(line)) continue
    ids.add(operation_id)
    faults.push(faultOf(rows, 'operation_removed', { line, operation_id }))
  }
  return faults
}

/** Lines about orphans have references of their own. */
function isOfOperation({ change }: MoneyLine): boolean {
  return outcomeOf(change) !== null || (change.endsWith('.begun') && !change.startsWith('orphan.'))
}

function kindBegunBy(lines: MoneyLine[]): string | undefined {
  const begun = lines.find(({ change }) => change.endsWith('.begun'))?.change.replace('.begun', '')
  return begun === 'charge' ? 'authorise' : begun
}

/** The states that an operation may have according to its lines; null if they do not show it. */
function statesOf(
  { kind, operation_id }: OperationRow,
  { outcome, decision }: PaymentLines,
  lines: MoneyLine[],
): Operation['state'][] | null {
  if (kind === 'reverse') return null
  if (kind === 'authorise') {
    if (!outcome) return ['sent', 'unknown', 'reversing']
    const is_approved = outcome.change === 'payment.captured' || outcome.change === 'payment.held'
    return is_approved ? ['approved'] : ['declined', 'failed', 'refused', 'not_sent']
  }
  if (decision?.detail.operation_id === operation_id) return ['approved']
  const is_refused = lines.some(({ change }) => change === `${kind}.refused`)
  return is_refused ? ['refused', 'not_sent'] : ['sent', 'unknown']
}

function eventFaults(rows: PaymentRows, { outcome, decision }: PaymentLines): MoneyFault[] {
  const { events } = rows
  return ([1, 2] as const).flatMap((sequence) => {
    const line = sequence === 1 ? outcome : decision
    const event = events.find((each) => each.sequence === sequence)
    if (!line) return event ? [faultOf(rows, 'event_without_line', { sequence })] : []
    if (!event) return [faultOf(rows, 'event_removed', { sequence, line })]
    const says = { type: line.change, sha256: line.detail.event_sha256 }
    return changed(rows, 'event_changed', { sequence, line }, differences(event, says))
  })
}

function isMoney(detail: Partial<Money> | undefined): boolean {
  return typeof detail?.amount === 'number' && typeof detail.currency === 'string'
}

function moneyIn(line: MoneyLine | undefined): Partial<Money> {
  const { amount, currency, mode } = line?.detail ?? {}
  return { amount, currency, mode } as Partial<Money>
}

/** A member that the line does not contain is no difference. */
function differences(row: object, says: Record<string, Value | undefined>): Difference[] {
  const found = new Map<string, Value>(Object.entries(row))
  return Object.entries(says).flatMap(([member, line]) => {
    const value = found.get(member) ?? null
    return line === undefined || value === line ? [] : [{ member, row: value, line }]
  })
}

type FaultSubject = { line?: MoneyLine | undefined; operation_id?: string; sequence?: 1 | 2 }

function changed(
  rows: PaymentRows,
  kind: MoneyFaultKind,
  meant: FaultSubject,
  found: Difference[],
): MoneyFault[] {
  return found.length === 0 ? [] : [{ ...faultOf(rows, kind, meant), differences: found }]
}

function faultOf(
  { payment }: PaymentRows,
  kind: MoneyFaultKind,
  meant: FaultSubject = {},
): MoneyFault {
  const { line, operation_id = null, sequence = null } = meant
  const subject = payment.payment_id
  return {
    kind,
    subject,
    operation_id,
    sequence,
    entry_id: line?.entry_id ?? null,
    differences: [],
  }
}
