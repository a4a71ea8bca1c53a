// Compares the rows of a payment's refunds with the journal's lines about them.

import type { Money } from '../bound-money.ts'
import type { Operation } from '../operation.ts'
import type { Refund } from '../refund.ts'
import {
  changed,
  differences,
  type EventRow,
  faultOf,
  type MoneyFault,
  type MoneyLine,
  moneyIn,
  type OperationRow,
} from './money-fault.ts'

/** A refund and its events. */
export type RefundRow = Pick<Refund, 'refund_id' | 'operation_id' | 'status'> & Money & { events: EventRow[] }

/** All rows of a payment's refunds, and all lines about them. */
export type RefundRows = {
  payment: { payment_id: string; refunded_amount: number }
  refunds: RefundRow[]
  operations: OperationRow[]
  lines: MoneyLine[]
}

export function compareRefunds({ payment, refunds, operations, lines }: RefundRows): MoneyFault[] {
  const { payment_id } = payment
  const begun = lines.filter(({ change }) => change === 'refund.begun')
  const known = new Set<string | undefined>(refunds.map(({ refund_id }) => refund_id))
  const sent = new Set(refunds.map(({ operation_id }) => operation_id))
  return [
    ...refunds.flatMap((refund) => refundFaults(refund, operations, lines)),
    ...begun
      .filter(({ detail }) => !known.has(detail.refund_id))
      .map((line) => faultOf(line.detail.refund_id!, 'refund_removed', { line })),
    ...operations
      .filter(({ operation_id }) => !sent.has(operation_id))
      .map(({ operation_id }) => faultOf(payment_id, 'operation_without_line', { operation_id })),
    ...changed(payment_id, 'payment_changed', {}, differences(payment, countedIn(begun, lines))),
  ]
}

/** How much is refunded or on its way, by the lines alone. */
function countedIn(begun: MoneyLine[], lines: MoneyLine[]): { refunded_amount: number } {
  const failed = new Set(lines.filter(isFailure).map(({ subject }) => subject))
  const counted = begun.filter(({ detail }) => !failed.has(detail.refund_id!))
  return { refunded_amount: counted.reduce((sum, { detail }) => sum + detail.amount!, 0) }
}

function isFailure({ change }: MoneyLine): boolean {
  return change === 'refund.failed'
}

function refundFaults(refund: RefundRow, operations: OperationRow[], lines: MoneyLine[]): MoneyFault[] {
  const { refund_id, operation_id } = refund
  const begun = lines.find(({ change, detail }) => change === 'refund.begun' && detail.refund_id === refund_id)
  if (!begun) return [faultOf(refund_id, 'refund_without_line')]
  const own = lines.filter(({ subject }) => subject === refund_id)
  const success = own.find(({ change }) => change === 'refund.succeeded')
  const failure = own.find(isFailure)
  const outcomes = [success, failure].filter((line) => line !== undefined)
  const line = outcomes.at(-1) ?? begun
  const { amount, currency } = moneyIn(begun)
  const status = failure ? 'failed' : success ? 'succeeded' : 'pending'
  const { mode } = moneyIn(line)
  const operation = operations.find((each) => each.operation_id === operation_id)
  return [
    ...own.filter((each) => !outcomes.includes(each)).map((line) => faultOf(refund_id, 'outcome_told_twice', { line })),
    ...changed(
      refund_id,
      'refund_changed',
      { line },
      differences(refund, { amount, currency, status, mode, operation_id: begun.detail.operation_id }),
    ),
    ...(operation
      ? changed(refund_id, 'operation_changed', { line, operation_id }, [
          ...differences(operation, { amount, currency }),
          ...stateDifference(operation, states[status]),
        ])
      : [faultOf(refund_id, 'operation_removed', { line, operation_id })]),
    ...eventFaults(refund, outcomes),
  ]
}

const states: Record<RefundRow['status'], Operation['state'][]> = {
  pending: ['sent', 'unknown', 'accepted'],
  succeeded: ['approved'],
  failed: ['refused', 'not_sent'],
}

function stateDifference({ state }: OperationRow, allowed: Operation['state'][]) {
  if (allowed.includes(state)) return []
  return [{ member: 'state', row: state, line: allowed.join(' or ') }]
}

/** An event for each outcome, in their order. */
function eventFaults({ refund_id, events }: RefundRow, outcomes: MoneyLine[]): MoneyFault[] {
  return ([1, 2] as const).flatMap((sequence) => {
    const line = outcomes[sequence - 1]
    const event = events.find((each) => each.sequence === sequence)
    if (!line) return event ? [faultOf(refund_id, 'event_without_line', { sequence })] : []
    if (!event) return [faultOf(refund_id, 'event_removed', { sequence, line })]
    const says = { type: line.change, sha256: line.detail.event_sha256 }
    return changed(refund_id, 'event_changed', { sequence, line }, differences(event, says))
  })
}
