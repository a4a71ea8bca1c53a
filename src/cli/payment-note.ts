// `ripper payment note`: an operator writes a note on a payment.

import { notePayment } from '../payments/history/note-payment.ts'
import { operatorCause, reasonRule } from './command-context.ts'
import { paymentCommand } from './payment-command.ts'
import { UsageError } from './terminal/command.ts'
import { printJson, printLine } from './terminal/print.ts'

export const paymentNote = paymentCommand({
  name: 'payment note',
  summary: 'Writes a note on a payment, which its timeline shows',
  more: ['TEXT'],
  options: {},
  remarks: ['It stays in the audit journal and cannot be changed. Do not write what has to be deleted one day.'],
  judge: (_, [text]) => {
    noteIn(text)
  },
  async work(context, key, _, [text]) {
    const note = noteIn(text)
    await notePayment(context, key, { cause: operatorCause(), note, now: context.world.clock.now() })
    return { ...key, note }
  },
  show(noted, json) {
    if (json) printJson(noted)
    else printLine(`The payment ${noted.payment_id} has the note.`)
    return undefined
  },
})

function noteIn(text = ''): string {
  const read = reasonRule.safeParse(text)
  if (read.success) return read.data
  throw new UsageError(`TEXT ${read.error.issues[0]!.message}`)
}
