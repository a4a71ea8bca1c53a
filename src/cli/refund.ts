// `ripper refund create|list`: an operator refunds a captured payment, or sees what became of its refunds.

import { amount as amountRule, optionalText } from '../payments/fields.ts'
import { type PaymentKey, takenOf } from '../payments/payment.ts'
import { findPayment } from '../payments/reading/payment-store.ts'
import { listRefunds } from '../payments/reading/refund-store.ts'
import { type Refund, refundableOf, viewRefund } from '../payments/refund.ts'
import { refundPayment } from '../payments/refunds/refund-payment.ts'
import { type CommandContext, operatorCause } from './command-context.ts'
import { paymentCommand } from './payment-command.ts'
import { flag, option } from './terminal/option.ts'
import { money, oneLine, paintState, printJson, printKnown, printLine, printList, shortTime } from './terminal/print.ts'

export const refundCreate = paymentCommand({
  name: 'refund create',
  summary: 'Refunds a captured payment, or a part of it: the money goes back to the card',
  options: {
    amount: option('N', 'in minor units; by default all that is left of the payment', amountRule),
    reason: option('TEXT', 'in your words; the merchant reads it with the refund', optionalText(255)),
    'accept-dispute': flag('refund although a dispute of the payment is open or lost'),
  },
  remarks: [
    'Several refunds may be made of a payment, up to what was captured. Each runs anew: the command cannot be repeated to\n' +
      'find out what became of it. ripper refund list shows that.',
    'If the acquirer refuses, the exit status is 1, and the amount can be refunded again. If the acquirer carries it out\n' +
      'later, or does not answer, the exit status is 0 and the refund is pending. The service then keeps asking.',
  ],
  moves_money: true,
  work: (context, key, { amount = null, reason = null, 'accept-dispute': accept_dispute }) => {
    const wish = { amount, reason, metadata: {}, accept_dispute }
    return refundPayment(context, key, { ...wish, cause: operatorCause(), key: null })
  },
  show(refund, json) {
    if (json) printJson(viewRefund(refund))
    else printForPeople(refund)
    return refund.status === 'failed' ? 1 : 0
  },
})

export const refundList = paymentCommand({
  name: 'refund list',
  summary: 'Lists the refunds of a payment, newest first, and how much is left of it',
  options: {},
  remarks: ['What is pending counts as refunded; what failed does not.'],
  work: readRefunds,
  show({ view, refunds }, json) {
    if (json) {
      printJson(view)
      return
    }
    const { payment_id, status, currency, left } = view
    printList(refunds, {
      headings: ['refund', 'amount', 'status', 'made', 'settled', 'reason'],
      cells: rowOf,
      notes: ({ failure }) => [failure && `${failure.code}: ${oneLine(failure.reason, 90)}`],
      nothing: `The payment ${payment_id} has no refund.`,
    })
    printLine(
      status === 'captured'
        ? `\nOf ${money(view)} captured, ${money({ amount: left, currency })} is left to refund.`
        : `\nThe payment is ${status}, so there is nothing to refund.`,
    )
  },
})

async function readRefunds({ sql }: CommandContext, key: PaymentKey) {
  const payment = (await findPayment(sql, key.merchant_id, key.payment_id))!
  const refunds = await listRefunds(sql, key)
  const { currency, status, refunded_amount } = payment
  const amount = takenOf(payment)
  const rest = refundableOf(payment)
  const view = { ...key, status, amount, currency, refunded_amount, left: rest, refunds: refunds.map(viewRefund) }
  return { view, refunds }
}

function rowOf(refund: Refund): string[] {
  const { refund_id, status, created_at, settled_at, reason } = refund
  const times = [shortTime(created_at), shortTime(settled_at)]
  return [refund_id, money(refund), paintState(status), ...times, oneLine(reason ?? '–', 40)]
}

function printForPeople(refund: Refund): void {
  const amount = money(refund)
  printLine(`${sentences[refund.status](amount)}\n`)
  const { id: refund_id, payment_id, mode, status, reason, failure } = viewRefund(refund)
  const words = failure && `${failure.code}: ${failure.reason}`
  printKnown({ refund_id, payment_id, amount, mode, status, reason, failure: words })
}

const sentences: Record<Refund['status'], (amount: string) => string> = {
  succeeded: (amount) => `The acquirer has refunded ${amount}.`,
  failed: (amount) => `The acquirer has not refunded ${amount}. It can be refunded again.`,
  pending: (amount) =>
    `The acquirer has not yet said that it refunded ${amount}. The service keeps asking while it runs.`,
}
