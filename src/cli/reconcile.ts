// `ripper reconcile list|show`: the operations that acquirers never answered, how far the search for each has come, and
// what to do.

import { listOperations, type OperationWithAnswer } from '../payments/acquirer-operations/operation-store.ts'
import { mustBeNamed, outcomesOf, unansweredOf } from '../payments/acquirer-operations/resolve.ts'
import { isOpen, isUnanswered, type OperationKind, type UnansweredOperation } from '../payments/operation.ts'
import { listUnanswered, type OperationWithPayment } from '../payments/reading/operator-store.ts'
import { findWholePayment } from '../payments/reading/payment-store.ts'
import { settlementAt } from '../payments/session.ts'
import type { WholePayment } from '../payments/whole-payment.ts'
import { everyMerchantOption, limitOption, merchantNamed, withCommandContext } from './command-context.ts'
import { paymentCommand } from './payment-command.ts'
import { command, flag } from './terminal/option.ts'
import { minutes, money, oneLine, print, printJson, printLine, printList, shortTime, within } from './terminal/print.ts'

/** The words for operations that people use. */
export const nouns: Record<OperationKind, string> = {
  authorise: 'charge',
  capture: 'capture',
  void: 'void',
  reverse: 'reversal',
  refund: 'refund',
}

export const reconcileList = command({
  name: 'reconcile list',
  summary: 'Lists charges, captures, voids and refunds that the acquirer has not answered, oldest first',
  options: { merchant: everyMerchantOption, waiting: flag('only those that wait for a person'), limit: limitOption },
  remarks: [
    'Their outcome is unknown: money may have moved. The service looks up each at the acquirer, and leaves it to a person\n' +
      'after 72 hours. ripper reconcile show shows one and what you can do.',
  ],
  async run({ options: { merchant, waiting: waiting_for_person, limit }, json }) {
    const { merchant_id, shown, has_more } = await withCommandContext(async ({ sql, clock }) => {
      const merchant_id = await merchantNamed(sql, merchant)
      const which = { merchant_id, waiting_for_person, now: clock.now(), limit: limit + 1 }
      return { merchant_id, ...within(limit, await listUnanswered(sql, which)) }
    })
    if (json) printJson({ merchant_id, operations: shown.map(viewListed), has_more })
    else {
      printList(shown, {
        headings: ['payment', 'kind', 'amount', 'sent', 'looks', 'waits for'],
        cells: rowOf,
        notes: notesOf,
        nothing: waiting_for_person ? 'Nothing waits for a person.' : 'Every operation was answered.',
        has_more,
      })
    }
  },
})

function viewListed(operation: OperationWithPayment) {
  const { merchant_id, payment_id, session_id: checkout_session_id, mode } = operation
  return { merchant_id, payment_id, checkout_session_id, mode, ...viewSearch(operation) }
}

/** The command that settles it. It names the operation where the payment's id says too little. */
function resolveCommand(operation: UnansweredOperation, is_named: boolean): [string, string] {
  const { kind, payment_id, operation_id } = operation
  const outcomes = outcomesOf(operation)
  const operation_option = is_named ? ` --operation ${operation_id}` : ''
  const id = kind === 'authorise' && outcomes.includes('approved') ? ' [--transaction ID]' : ''
  return [`ripper reconcile resolve ${payment_id}${operation_option}`, `--as ${outcomes.join('|')}${id} --reason TEXT`]
}

/** An operation, and how far the search for its answer has come. */
function viewSearch(operation: UnansweredOperation) {
  return {
    operation_id: operation.operation_id,
    kind: operation.kind,
    sequence: operation.sequence,
    state: operation.state,
    acquirer: operation.acquirer,
    amount: operation.amount,
    currency: operation.currency,
    asked_by: operation.asked_by,
    sent_at: operation.sent_at,
    last_sent_at: operation.last_sent_at,
    answer_by: operation.answer_by,
    looks: operation.checks,
    looks_not_found: operation.not_found_count,
    next_look_at: operation.next_check_at,
    waits_for_person_since: operation.waits_for_person_since,
  }
}

/** The widest values take 120 characters. */
function rowOf(operation: OperationWithPayment): string[] {
  const { payment_id, kind, sent_at, checks } = operation
  return [payment_id, kind, money(operation), shortTime(sent_at), String(checks), waitWords(operation)]
}

/** In two lines, to copy: a payment may have several refunds. */
function notesOf(operation: OperationWithPayment): string[] {
  if (operation.kind !== 'refund') return []
  const [resolve, outcome] = resolveCommand(operation, true)
  return [`${resolve} \\`, `  ${outcome}`]
}

function waitWords({ waits_for_person_since, next_check_at }: OperationWithPayment): string {
  if (waits_for_person_since) return `a person since ${minutes(waits_for_person_since)}`
  return next_check_at ? `a look at ${shortTime(next_check_at)}` : '–'
}

/**
 * `ripper reconcile show`: shows every operation of a payment at its acquirer, and what to do if one has no answer.
 */
export const reconcileShow = paymentCommand({
  name: 'reconcile show',
  summary: 'Shows every operation of a payment at the acquirer, and what to do if one has no answer',
  options: {},
  remarks: ['The reference is ours; the acquirer knows the operation by it, too.'],
  async work({ sql, clock }, key): Promise<OperationDetail> {
    const whole = (await findWholePayment(sql, key))!
    return { whole, operations: await listOperations(sql, key), now: clock.now() }
  },
  show(detail, json) {
    if (json) printJson(viewShown(detail))
    else printForPeople(detail)
  },
})

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
      answered_at: operation.answered_at,
      acquirer_transaction_id: operation.acquirer_transaction_id,
      answer: operation.answer,
    })),
    resolvable:
      open && isUnanswered(open, now)
        ? { operation_id: open.operation_id, kind: open.kind, as: outcomesOf(open) }
        : null,
  }
}

function printForPeople(detail: OperationDetail): void {
  const { whole, operations, now } = detail
  const { settlement, payment_id, merchant_id, checkout_session_id, status, mode } = viewShown(detail)
  const amount = money(whole.payment)
  print({ payment_id, merchant_id, checkout_session_id, status, amount, mode, settlement }, false)
  if (operations.length > 0) printLine('')
  printList(operations, {
    headings: ['kind', '#', 'state', 'sent', 'answered', 'looks', 'reference'],
    cells: ({ kind, sequence, state, sent_at, answered_at, checks, operation_id }) => [
      ...[kind, String(sequence), state, shortTime(sent_at), shortTime(answered_at), String(checks), operation_id],
    ],
    notes: operationNotes,
    nothing: '\nThe acquirer was never asked.',
  })
  if (operations.length > 0) printLine(`\n${adviceOf(operations, now)}`)
}

const reason_max = 90

function operationNotes(operation: OperationWithAnswer) {
  const { acquirer_transaction_id, last_sent_at, sent_at, answered_at, not_found_count } = operation
  const reason = reasonIn(operation.answer)
  return [
    acquirer_transaction_id && `transaction ${oneLine(acquirer_transaction_id, reason_max)}`,
    reason && `answer: ${oneLine(reason, reason_max)}`,
    last_sent_at > sent_at && `sent again at ${shortTime(last_sent_at)}`,
    !answered_at &&
      not_found_count > 0 &&
      `not found, although it should be there by now: ${not_found_count} of its look-ups`,
  ]
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
