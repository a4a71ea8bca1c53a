// `ripper refund create|list`: an operator refunds a captured payment, or sees what became of its refunds.

import type { Cause } from '../checkout/outcome.ts'
import type { PaymentKey } from '../checkout/payment.ts'
import { findPayment } from '../checkout/reading/payment-store.ts'
import { type Refund, viewRefund } from '../checkout/refund.ts'
import { refundPayment } from '../checkout/refunds/refund-payment.ts'
import { listRefunds } from '../checkout/refunds/refund-store.ts'
import { inCell } from '../database/cells/cells.ts'
import { amount_max } from '../kernel/values.ts'
import {
  type CommandContext,
  operatorName,
  paymentKeyOf,
  paymentOptions,
  requirePaymentId,
  text,
  wholeNumber,
  withCommandContext,
} from './command-context.ts'
import { type Command, type Options, UsageError } from './terminal/command.ts'
import { money, oneLine, paintState, print, printJson, printLine, printTable, shortTime } from './terminal/print.ts'

const reason_max = 255

export const refundCreate: Command = {
  name: 'refund create',
  summary: 'Refunds a captured payment, or a part of it: the money goes back to the card',
  positionals: ['PAYMENT_ID'],
  options: {
    amount: { value: 'N', meaning: 'in minor units; by default all that is left of the payment' },
    reason: { value: 'TEXT', meaning: 'in your words; the merchant reads it with the refund' },
    ...paymentOptions,
  },
  remarks: [
    'Several refunds may be made of a payment, up to what was captured. Each runs anew: the command cannot be repeated to\n' +
      'find out what became of it. ripper refund list shows that.',
    'If the acquirer refuses, the exit status is 1, and the amount can be refunded again. If the acquirer carries it out\n' +
      'later, or does not answer, the exit status is 0 and the refund is pending. The service then keeps asking.',
  ],
  async run({ options, positionals, json }) {
    const payment_id = requirePaymentId(positionals)
    const wish = { amount: wholeNumber(options, 'amount', amount_max), reason: reasonOf(options) }
    const refund = await withCommandContext(
      async (context) => {
        const key = await paymentKeyOf(context, options, payment_id)
        const own = await inCell(context, key.merchant_id)
        return refundPayment(own, key, { ...wish, metadata: {}, cause: causeOf(), key: null })
      },
      { moves_money: true },
    )
    if (json) printJson(viewRefund(refund))
    else printForPeople(refund)
    return refund.status === 'failed' ? 1 : 0
  },
}

export const refundList: Command = {
  name: 'refund list',
  summary: 'Lists the refunds of a payment, newest first, and how much is left of it',
  positionals: ['PAYMENT_ID'],
  options: paymentOptions,
  remarks: ['What is pending counts as refunded; what failed does not.'],
  async run({ options, positionals, json }) {
    const payment_id = requirePaymentId(positionals)
    const found = await withCommandContext(async (context) =>
      readRefunds(context, await paymentKeyOf(context, options, payment_id)),
    )
    if (json) printJson(found.view)
    else printList(found)
  },
}

async function readRefunds(context: CommandContext, key: PaymentKey) {
  const { sql } = await inCell(context, key.merchant_id)
  const payment = (await findPayment(sql, key.merchant_id, key.payment_id))!
  const refunds = await listRefunds(sql, key)
  const { amount, currency, status, refunded_amount } = payment
  const left = status === 'captured' ? amount - refunded_amount : 0
  const view = { ...key, status, amount, currency, refunded_amount, left, refunds: refunds.map(viewRefund) }
  return { view, refunds }
}

type FoundRefunds = Awaited<ReturnType<typeof readRefunds>>

function printList({ view, refunds }: FoundRefunds): void {
  const { payment_id, status, currency } = view
  if (refunds.length === 0) printLine(`The payment ${payment_id} has no refund.\n`)
  else {
    const headings = ['refund', 'amount', 'status', 'made', 'settled', 'reason']
    printTable(headings, refunds.map(rowOf), refunds.map(notesOf))
    printLine('')
  }
  printLine(
    status === 'captured'
      ? `Of ${money(view)} captured, ${money({ amount: view.left, currency })} is left to refund.`
      : `The payment is ${status}, so there is nothing to refund.`,
  )
}

function rowOf(refund: Refund): string[] {
  const { refund_id, status, created_at, settled_at, reason } = refund
  return [
    ...[refund_id, money(refund), paintState(status), shortTime(created_at)],
    ...[settled_at ? shortTime(settled_at) : '–', oneLine(reason ?? '–', 40)],
  ]
}

function notesOf({ failure }: Refund): string[] {
  return failure ? [`${failure.code}: ${oneLine(failure.reason, 90)}`] : []
}

function printForPeople(refund: Refund): void {
  printLine(`${sentences[refund.status](money(refund))}\n`)
  const { id, payment_id, mode, status, reason, failure } = viewRefund(refund)
  print(
    {
      refund_id: id,
      payment_id,
      amount: money(refund),
      mode,
      status,
      ...(reason && { reason }),
      ...(failure && { failure: `${failure.code}: ${failure.reason}` }),
    },
    false,
  )
}

const sentences: Record<Refund['status'], (amount: string) => string> = {
  succeeded: (amount) => `The acquirer has refunded ${amount}.`,
  failed: (amount) => `The acquirer has not refunded ${amount}. It can be refunded again.`,
  pending: (amount) =>
    `The acquirer has not yet said that it refunded ${amount}. The service keeps asking while it runs.`,
}

function reasonOf(options: Options): string | null {
  const reason = text(options, 'reason')
  if (reason !== null && reason.length > reason_max) {
    throw new UsageError(`--reason must have at most ${reason_max} characters`)
  }
  return reason || null
}

function causeOf(): Cause {
  return { actor: 'operator', request_id: null, note: { by: operatorName() } }
}
