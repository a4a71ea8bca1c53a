// `ripper receipt show|send`: what a payment's receipt says and what became of its letters; sending it again.

import { readReceipt, sendReceiptAgain } from '../payments/receipts/send-again.ts'
import { operatorCause } from './command-context.ts'
import { paymentCommand } from './payment-command.ts'
import { printJson, printKnown, printLine, shortTime } from './terminal/print.ts'

export const receiptShow = paymentCommand({
  name: 'receipt show',
  summary: "Shows a payment's receipt, and what became of each letter",
  options: {},
  remarks: ['The text is written from what is stored now.'],
  async work({ sql, world }, key) {
    return { ...key, receipt: (await readReceipt(sql, key, world.clock.now())) ?? null }
  },
  show({ receipt, ...key }, json) {
    if (json) printJson({ ...key, receipt })
    else if (!receipt) printLine(`The payment ${key.payment_id} is not captured, so it has no receipt.`)
    else {
      const { to, subject, text, waiting_since, hindrance, letters } = receipt
      printKnown({ to, subject, waits_since: waiting_since && shortTime(waiting_since), not_again: hindrance })
      for (const { state, at, reason } of letters) {
        printLine(`${shortTime(at)}  ${state}${reason === null ? '' : `: ${reason}`}`)
      }
      printLine(`\n${text}`)
    }
    return undefined
  },
})

export const receiptSend = paymentCommand({
  name: 'receipt send',
  summary: "Sends a payment's receipt again, at most three times in 24 hours",
  options: {},
  async work(context, key) {
    const asked = { cause: operatorCause(), now: context.world.clock.now() }
    return { ...key, ...(await sendReceiptAgain(context, key, asked)) }
  },
  show({ waits_since, ...key }, json) {
    if (json) printJson(key)
    else if (waits_since === null) printLine('The receipt waits to be sent, within seconds while the service runs.')
    else printLine(`The receipt waits since ${shortTime(waits_since)}: nothing was added.`)
    return undefined
  },
})
