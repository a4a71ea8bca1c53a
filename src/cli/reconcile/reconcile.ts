// `ripper reconcile list`: the operations that acquirers never answered, and how far the search for each has come.

import { listOperations, type OperationWithAnswer } from '../../checkout/asking/operation-store.ts'
import { isOpen, isUnanswered, type OperationKind, type UnansweredOperation } from '../../checkout/operation.ts'
import { listUnanswered, type OperationWithPayment } from '../../checkout/reading/operator-store.ts'
import { findWholePayment } from '../../checkout/reading/payment-store.ts'
import { mustBeNamed, outcomesOf, unansweredOf } from '../../checkout/reconciling/resolve-operation.ts'
import { settlementAt } from '../../checkout/session.ts'
import type { WholePayment } from '../../checkout/whole-payment.ts'
import { inCell } from '../../database/cells/cells.ts'
import { timestamp, timestampOrNull } from '../../kernel/values.ts'
import { merchantOrRefuse } from '../../merchants/manage.ts'
import {
  merchantOption,
  paymentKeyOf,
  paymentOptions,
  requirePaymentId,
  text,
  wholeNumber,
  withCommandContext,
} from '../command-context.ts'
import type { Command } from '../terminal/command.ts'
import { money, oneLine, print, printJson, printLine, printTable, shortTime } from '../terminal/print.ts'

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

/**
 * `ripper reconcile show`: shows every operation of a payment at its acquirer, and what to do if one has no answer.
 */
export const reconcileShow: Command = {
  name: 'reconcile show',
  summary: 'Shows every operation of a payment at the acquirer, and what to do if one has no answer',
  positionals: ['PAYMENT_ID'],
  options: paymentOptions,
  remarks: ['The reference is ours; the acquirer knows the operation by it, too.'],
  async run({ options, positionals, json }) {
    const payment_id = requirePaymentId(positionals)
    const found = await withCommandContext(async (context) => {
      const key = await paymentKeyOf(context, options, payment_id)
      const { sql } = await inCell(context, key.merchant_id)
      const whole = (await findWholePayment(sql, key))!
      const operations = await listOperations(sql, key)
      return { whole, operations, now: context.clock.now() }
    })
    if (json) printJson(viewShown(found))
    else printForPeople(found)
  },
}

type OperationDetail = {
  whole: WholePayment
  operations: OperationWithAnswer[]
  now: Date
}

function viewShown({ whole: { payment, session }, operations, now }: OperationDetail) {
  const open = unansweredOf(operations)
  const { payment_id, merchant_id, session_id, status, amount, currency, mode } = payment
  return {
    payment_id,
    merchant_id,
    checkout_session_id: session_id,
    status,
    amount,
    currency,
    mode,
    settlement: settlementAt(session, now),
    operations: operations.map((operation) => ({
      ...viewSearch(operation),
      answered_at: timestampOrNull(operation.answered_at),
      acquirer_transaction_id: operation.acquirer_transaction_id,
      answer: operation.answer,
    })),
    resolvable:
      open && isUnanswered(open, now)
        ? { operation_id: open.operation_id, kind: open.kind, as: outcomesOf(open) }
        : null,
  }
}

function printForPeople(found: OperationDetail): void {
  const { whole, operations, now } = found
  const { settlement, payment_id, merchant_id, checkout_session_id, status, mode } = viewShown(found)
  const amount = money(whole.payment)
  print({ payment_id, merchant_id, checkout_session_id, status, amount, mode, settlement }, false)
  if (operations.length === 0) {
    printLine('\nThe acquirer was never asked.')
    return
  }
  printLine('')
  const headings = ['kind', '#', 'state', 'sent', 'answered', 'looks', 'reference']
  printTable(headings, operations.map(operationRow), operations.map(operationNotes))
  printLine(`\n${adviceOf(operations, now)}`)
}

function operationRow(operation: OperationWithAnswer): string[] {
  const { kind, sequence, state, sent_at, answered_at, checks, operation_id } = operation
  const answered = answered_at ? shortTime(answered_at) : '–'
  return [...[kind, String(sequence), state, shortTime(sent_at), answered, String(checks)], operation_id]
}

const reason_max = 90

function operationNotes(operation: OperationWithAnswer): string[] {
  const { acquirer_transaction_id, last_sent_at, sent_at, answered_at, not_found_count } = operation
  const reason = reasonIn(operation.answer)
  return [
    acquirer_transaction_id && `transaction ${oneLine(acquirer_transaction_id, reason_max)}`,
    reason && `answer: ${oneLine(reason, reason_max)}`,
    last_sent_at > sent_at && `sent again at ${shortTime(last_sent_at)}`,
    !answered_at &&
      not_found_count > 0 &&
      `not found, although it should be there by now: ${not_found_count} of its look-ups`,
  ].filter((note) => typeof note === 'string')
}

/** Why the answer was no, in the words of the acquirer or of the person who resolved it. */
function reasonIn(answer: object | null): string | null {
  const { reason, decline } = (answer ?? {}) as { reason?: string; decline?: { reason?: string } }
  return reason ?? decline?.reason ?? null
}

/** What a person can do, about each refund by itself. */
function adviceOf(operations: OperationWithAnswer[], now: Date): string {
  const open = unansweredOf(operations)
  if (!open) return 'Nothing of this payment waits for an answer.'
  const refunds = operations.filter((each) => each.kind === 'refund' && isOpen(each))
  const all = open.kind === 'refund' ? refunds : [open]
  return all.map((each) => adviceAbout(each, mustBeNamed(operations), now)).join('\n\n')
}

function adviceAbout(open: OperationWithAnswer, is_named: boolean, now: Date): string {
  const { kind, operation_id, acquirer, answer_by } = open
  const noun = kind === 'refund' ? `refund of ${money(open)}` : nouns[kind]
  if (!isUnanswered(open, now)) {
    return `The ${noun} is under way: its answer is due by ${shortTime(answer_by)}.`
  }
  const reversal =
    kind === 'reverse' || open.state === 'reversing'
      ? ['The charge was not found, so the service reverses it. Once that is done, the charge ends as failed.']
      : []
  return [
    ...reversal,
    `The ${noun} has no answer. ${searchOf(open)}`,
    `Ask the acquirer (${acquirer}) for the outcome of ${operation_id}, and give it to the service:`,
    `  ${resolveCommand(open, is_named).join(' ')}`,
  ].join('\n')
}

function searchOf({ waits_for_person_since, next_check_at }: OperationWithAnswer): string {
  if (waits_for_person_since) {
    return `Since ${shortTime(waits_for_person_since)} the service no longer looks for it.`
  }
  return `The service looks for it again${next_check_at ? ` at ${shortTime(next_check_at)}` : ''}.`
}
