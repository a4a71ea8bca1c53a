// Compares a payment's rows with the journal's lines about it, and names rows that somebody changed, removed or added.
//
// The journal's own chain (audit/) proves that the lines are unchanged. Lines of earlier releases contain no amount and no
// hash, so these are not bound. They do contain status and ids.

import type { Money } from '../bound-money.ts'
import type { Operation } from '../operation.ts'
import type { Payment, PaymentStatus } from '../payment.ts'
import { compareRefunds, type RefundRow } from './compared-refund.ts'
import {
  changed,
  differences,
  type EventRow,
  faultOf,
  isMoney,
  type MoneyFault,
  type MoneyLine,
  moneyIn,
  type OperationRow,
} from './money-fault.ts'

type PaymentRow = Pick<Payment, 'payment_id' | 'status' | 'capture_state' | 'captured_amount'> &
  Money & { decline_code: string | null; refunded_amount: number }

/** A payment with all rows that hold its money, as they were at one moment. */
export type PaymentRows = {
  payment: PaymentRow
  operations: OperationRow[]
  events: EventRow[]
  refunds: RefundRow[]
  lines: MoneyLine[]
}

/** Without what belongs to its refunds. */
type OwnRows = Omit<PaymentRows, 'refunds'> & { payment_id: string }

/** `is_bound`: the payment's lines contain amounts and the hashes of its events. */
export type MoneyVerdict = { is_bound: boolean; faults: MoneyFault[] }

export function comparePayment({ refunds, ...all }: PaymentRows): MoneyVerdict {
  const { payment_id } = all.payment
  const [ofRefunds, lines] = split(all.lines, ({ change }) => change.startsWith('refund.'))
  const [sent, operations] = split(all.operations, ({ kind }) => kind === 'refund')
  const rows: OwnRows = { ...all, payment_id, operations, lines }
  if (lines.length === 0) {
    return { is_bound: false, faults: [faultOf(payment_id, 'payment_without_line')] }
  }
  const told = tellingLines(rows.lines)
  const binding = [told.begun, told.outcome, told.decision].find((line) => isMoney(line?.detail))
  const outcomes = [told.outcome, told.decision].filter((line) => line !== undefined)
  return {
    is_bound: binding !== undefined && outcomes.every(({ detail }) => detail.event_sha256),
    faults: [
      ...told.repeated.map((line) => faultOf(payment_id, 'outcome_told_twice', { line })),
      ...paymentFaults(rows, told, binding),
      ...operationFaults(rows, told, binding),
      ...eventFaults(rows, told),
      ...compareRefunds({ payment: all.payment, refunds, operations: sent, lines: ofRefunds }),
    ],
  }
}

function split<Row>(rows: Row[], isOne: (row: Row) => boolean): [those: Row[], others: Row[]] {
  return [rows.filter(isOne), rows.filter((row) => !isOne(row))]
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

function paymentFaults(rows: OwnRows, told: PaymentLines, binding?: MoneyLine): MoneyFault[] {
  const { payment } = rows
  const line = told.decision ?? told.outcome
  const status = line ? outcomeOf(line.change)! : 'pending'
  if (!line && payment.status !== 'pending') return [faultOf(rows.payment_id, 'payment_without_line')]
  const decline_code = told.outcome?.detail.decline_code ?? null
  const captured_amount = line?.detail.captured_amount ?? null
  const standing = { status, capture_state: captureStates[status], captured_amount, decline_code }
  return changed(rows.payment_id, 'payment_changed', { line: line ?? told.begun }, [
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

function operationFaults(rows: OwnRows, told: PaymentLines, binding?: MoneyLine): MoneyFault[] {
  const { operations, lines } = rows
  const { amount, currency } = moneyIn(binding)
  const faults: MoneyFault[] = []
  for (const operation of operations) {
    const { operation_id, state } = operation
    const ofIt = lines.filter(({ detail }) => detail.operation_id === operation_id)
    const [line] = ofIt
    if (!line) {
      faults.push(faultOf(rows.payment_id, 'operation_without_line', { operation_id }))
      continue
    }
    // After this decline the charge was sent to the next acquirer, whose answer is the outcome.
    const was_declined = lines.some(({ detail }) => detail.declined_operation_id === operation_id)
    const allowed = was_declined ? ['declined'] : statesOf(operation, told, ofIt)
    const misses = allowed !== null && !allowed.includes(state)
    const found = [
      ...(misses ? [{ member: 'state', row: state, line: allowed.join(' or ') }] : []),
      ...differences(operation, { kind: kindBegunBy(ofIt), amount: partBegunBy(ofIt) ?? amount, currency }),
    ]
    faults.push(...changed(rows.payment_id, 'operation_changed', { line, operation_id }, found))
  }
  const ids = new Set(operations.map(({ operation_id }) => operation_id))
  for (const line of lines) {
    const { operation_id } = line.detail
    if (operation_id === undefined || ids.has(operation_id) || !isOfOperation(line)) continue
    ids.add(operation_id)
    faults.push(faultOf(rows.payment_id, 'operation_removed', { line, operation_id }))
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

/** What a capture was to take, or took where it was found at the acquirer; undefined where that was all. */
function partBegunBy(lines: MoneyLine[]): number | undefined {
  const begun = lines.find(({ change }) => change === 'capture.begun')
  return begun ? begun.detail.amount : lines.find(({ change }) => change === 'payment.captured')?.detail.captured_amount
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
  return is_refused ? ['refused', 'not_sent'] : ['sent', 'unknown', 'accepted']
}

function eventFaults(rows: OwnRows, { outcome, decision }: PaymentLines): MoneyFault[] {
  const { events } = rows
  return ([1, 2] as const).flatMap((sequence) => {
    const line = sequence === 1 ? outcome : decision
    const event = events.find((each) => each.sequence === sequence)
    if (!line) return event ? [faultOf(rows.payment_id, 'event_without_line', { sequence })] : []
    if (!event) return [faultOf(rows.payment_id, 'event_removed', { sequence, line })]
    const says = { type: line.change, sha256: line.detail.event_sha256 }
    return changed(rows.payment_id, 'event_changed', { sequence, line }, differences(event, says))
  })
}
