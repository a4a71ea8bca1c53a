// Says in words how a payment's rows contradict the journal.

import type { MoneyFault } from '../../checkout/reading/money-fault.ts'

export function moneyFaultWords(fault: MoneyFault): string {
  const { kind, subject, operation_id, sequence, entry_id } = fault
  const operation = `operation ${operation_id} of ${subject}`
  const event = `event ${sequence} of ${subject}`
  const line = `line ${entry_id}`
  switch (kind) {
    case 'payment_changed':
      return `payment ${subject} was changed: ${differing(fault)}`
    case 'payment_removed':
      return `payment ${subject} was removed${entry_id === null ? '' : `; ${line} is about it`}`
    case 'payment_without_line':
      return `no line explains the state of payment ${subject}`
    case 'session_changed':
      return `session ${subject} was changed: ${differing(fault)}`
    case 'session_removed':
      return `session ${subject} was removed; ${line} is about it`
    case 'operation_changed':
      return `${operation} was changed: ${differing(fault)}`
    case 'operation_removed':
      return `${operation} was removed; ${line} is about it`
    case 'operation_without_line':
      return `${operation} has no line`
    case 'event_changed':
      return `${event} was changed: ${differing(fault)}`
    case 'event_removed':
      return `${event} was removed; ${line} is about it`
    case 'event_without_line':
      return `${event} has no line`
    case 'refund_changed':
      return `refund ${subject} was changed: ${differing(fault)}`
    case 'refund_removed':
      return `refund ${subject} was removed; ${line} is about it`
    case 'refund_without_line':
      return `no line explains refund ${subject}`
    case 'outcome_told_twice':
      return `${line} gives ${subject.startsWith('ref_') ? 'refund' : 'payment'} ${subject} an outcome that another line gave it before`
  }
}

function differing({ differences, entry_id }: MoneyFault): string {
  const each = differences.map(({ member, row, line }) => {
    if (member === 'sha256') return 'its body is another'
    return `${member} is ${row ?? 'empty'} and was ${line ?? 'empty'}`
  })
  return `${each.join(', ')}, by line ${entry_id}`
}
