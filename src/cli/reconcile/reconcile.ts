// `ripper reconcile list`: the operations that acquirers never answered, and how far the search for each has come.

import { outcomesOf } from '../../checkout/acquirer-operations/resolve.ts'
import type { OperationKind, UnansweredOperation } from '../../checkout/operation.ts'
import { listUnanswered, type OperationWithPayment } from '../../checkout/reading/operator-store.ts'
import { timestamp, timestampOrNull } from '../../kernel/values.ts'
import { merchantOrRefuse } from '../../merchants/manage.ts'
import { merchantOption, text, wholeNumber, withCommandContext } from '../command-context.ts'
import type { Command } from '../terminal/command.ts'
import { money, printJson, printLine, printTable, shortTime } from '../terminal/print.ts'

/** The words for operations that people use. */
export const nouns: Record<OperationKind, string> = {
  authorise: 'charge',
  capture: 'capture',
  void: 'void',
  reverse: 'reversal',
  refund: 'refund',
}

const limit_default = 50
const limit_max = 1000

export const reconcileList: Command = {
  name: 'reconcile list',
  summary: 'Lists charges, captures, voids and refunds that the acquirer has not answered, oldest first',
  options: {
    merchant: { ...merchantOption, meaning: "only this merchant's; by default all merchants'" },
    waiting: { meaning: 'only those that wait for a person' },
    limit: { value: 'N', meaning: `how many, 1 to ${limit_max} (${limit_default})` },
  },
  remarks: [
    'Their outcome is unknown: money may have moved. The service looks up each at the acquirer, and leaves it to a person\n' +
      'after 72 hours. ripper reconcile show shows one and what you can do.',
  ],
  async run({ options, json }) {
    const limit = wholeNumber(options, 'limit', limit_max) ?? limit_default
    const waiting_for_person = options.waiting === true
    const named = text(options, 'merchant')
    const { merchant_id, found } = await withCommandContext(async ({ sql, clock }) => {
      const merchant_id = named && (await merchantOrRefuse(sql, named)).merchant_id
      const which = { merchant_id, waiting_for_person, now: clock.now(), limit: limit + 1 }
      return { merchant_id, found: await listUnanswered(sql, which) }
    })
    const shown = found.slice(0, limit)
    const has_more = found.length > limit
    if (json) printJson({ merchant_id, operations: shown.map(viewListed), has_more })
    else if (shown.length === 0) {
      printLine(waiting_for_person ? 'Nothing waits for a person.' : 'Every operation was answered.')
    } else {
      printTable(headings, shown.map(rowOf), shown.map(notesOf))
      if (has_more) printLine(`\nThere are more: --limit takes up to ${limit_max}.`)
    }
  },
}

function viewListed(operation: OperationWithPayment) {
  const { merchant_id, payment_id, session_id, mode } = operation
  return {
    merchant_id,
    payment_id,
    checkout_session_id: session_id,
    mode,
    ...viewSearch(operation),
  }
}

/** The command that settles it. It names the operation where the payment's id says too little. */
export function resolveCommand(operation: UnansweredOperation, is_named: boolean): [string, string] {
  const { kind, payment_id, operation_id } = operation
  const outcomes = outcomesOf(operation)
  const named = is_named ? ` --operation ${operation_id}` : ''
  const id = kind === 'authorise' && outcomes.includes('approved') ? ' [--transaction ID]' : ''
  return [`ripper reconcile resolve ${payment_id}${named}`, `--as ${outcomes.join('|')}${id} --reason TEXT`]
}

/** An operation, and how far the search for its answer has come. */
export function viewSearch(operation: UnansweredOperation) {
  return {
    operation_id: operation.operation_id,
    kind: operation.kind,
    sequence: operation.sequence,
    state: operation.state,
    acquirer: operation.acquirer,
    amount: operation.amount,
    currency: operation.currency,
    asked_by: operation.asked_by,
    sent_at: timestamp(operation.sent_at),
    last_sent_at: timestamp(operation.last_sent_at),
    answer_by: timestamp(operation.answer_by),
    looks: operation.checks,
    looks_not_found: operation.not_found_count,
    next_look_at: timestampOrNull(operation.next_check_at),
    waits_for_person_since: timestampOrNull(operation.waits_for_person_since),
  }
}

// The widest values take 120 characters.
const headings = ['payment', 'kind', 'amount', 'sent', 'looks', 'waits for']

function rowOf(operation: OperationWithPayment): string[] {
  const { payment_id, kind, sent_at, checks } = operation
  return [...[payment_id, kind, money(operation), shortTime(sent_at), String(checks)], waitWords(operation)]
}

/** In two lines, to copy: a payment may have several refunds. */
function notesOf(operation: OperationWithPayment): string[] {
  if (operation.kind !== 'refund') return []
  const [resolve, outcome] = resolveCommand(operation, true)
  return [`${resolve} \\`, `  ${outcome}`]
}

/** To the minute. */
export const minutes = (at: Date) => `${at.toISOString().slice(0, 16)}Z`

function waitWords({ waits_for_person_since, next_check_at }: OperationWithPayment): string {
  if (waits_for_person_since) return `a person since ${minutes(waits_for_person_since)}`
  return next_check_at ? `a look at ${shortTime(next_check_at)}` : '–'
}
