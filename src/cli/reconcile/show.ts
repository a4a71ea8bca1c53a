// `ripper reconcile show`: shows every operation of a payment at its acquirer, and what to do if one has no answer.

import { listOperations, type OperationWithAnswer } from '../../checkout/acquirer-operations/operation-store.ts'
import { mustBeNamed, outcomesOf, unansweredOf } from '../../checkout/acquirer-operations/resolve.ts'
import { isOpen, isUnanswered } from '../../checkout/operation.ts'
import { findWholePayment } from '../../checkout/reading/payment-store.ts'
import { settlementAt } from '../../checkout/session.ts'
import type { WholePayment } from '../../checkout/whole-payment.ts'
import { inCell } from '../../database/cells/cells.ts'
import { timestampOrNull } from '../../kernel/values.ts'
import { withCommandContext } from '../command-context.ts'
import { paymentKeyOf, paymentOptions, requirePaymentId } from '../payment-key.ts'
import type { Command } from '../terminal/command.ts'
import { money, oneLine, print, printJson, printLine, printTable, shortTime } from '../terminal/print.ts'
import { nouns, resolveCommand, viewSearch } from './reconcile.ts'

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
  printTable(headings, operations.map(operationRow), operations.map(notesOf))
  printLine(`\n${adviceOf(operations, now)}`)
}

function operationRow(operation: OperationWithAnswer): string[] {
  const { kind, sequence, state, sent_at, answered_at, checks, operation_id } = operation
  const answered = answered_at ? shortTime(answered_at) : '–'
  return [...[kind, String(sequence), state, shortTime(sent_at), answered, String(checks)], operation_id]
}

const reason_max = 90

function notesOf(operation: OperationWithAnswer): string[] {
  const { acquirer_transaction_id, last_sent_at, sent_at, answered_at, not_found_count } = operation
  const reason = reasonOf(operation.answer)
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
function reasonOf(answer: object | null): string | null {
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
