// `ripper hold list`: the held payments of a merchant, what the rules will do with them, and when.

import { type HoldWithPayment, listHolds } from '../../checkout/reading/operator-store.ts'
import { viewHeldPayment } from '../../checkout/reading/read-holds.ts'
import { settlementAt } from '../../checkout/session.ts'
import { inCell } from '../../database/cells/cells.ts'
import { choices, merchantOf, merchantOption, wholeNumber, withCommandContext } from '../command-context.ts'
import type { Command, Options } from '../terminal/command.ts'
import { paintState } from '../terminal/paint.ts'
import { money, printJson, printLine, printTable, shortTime } from '../terminal/print.ts'
import { decisionWords, type OpenOperation, operationWords, refusalWords, ruleWords } from './words.ts'

const waiting = ['pending_review', 'escalated'] as const
const statuses = [...waiting, 'captured', 'voided'] as const
const listed = `${statuses.slice(0, -1).join(', ')} or ${statuses.at(-1)}`
const limit_default = 50
const limit_max = 1000

export const holdList: Command = {
  name: 'hold list',
  summary: 'Lists the held payments of a merchant that wait for a decision, by their deadline',
  options: {
    merchant: merchantOption,
    all: { meaning: 'also decided ones, the newest first, after those that wait' },
    status: { value: 'STATUS', many: true, meaning: `only those that are ${listed}` },
    limit: { value: 'N', meaning: `how many, 1 to ${limit_max} (${limit_default})` },
  },
  remarks: [
    'pending_review and escalated wait for a decision; escalated means that a person is looking. If nobody decides by the\n' +
      "deadline, the merchant's rules void or capture the payment, as the last column says.",
    'ripper hold capture takes the money, and ripper hold void releases it.',
  ],
  async run({ options, json }) {
    const asked = statusesOf(options)
    const limit = wholeNumber(options, 'limit', limit_max) ?? limit_default
    const page = await withCommandContext(async (context) => {
      const merchant_id = await merchantOf(context, options)
      // One more than is shown, to know whether there are more.
      const which = { merchant_id, statuses: asked, limit: limit + 1 }
      const { sql } = await inCell(context, merchant_id)
      const found = await listHolds(sql, which)
      const now = context.clock.now()
      return { merchant_id, has_more: found.length > limit, found: found.slice(0, limit), now }
    })
    const { merchant_id, has_more, found, now } = page
    if (json) {
      printJson({ merchant_id, holds: found.map((hold) => viewHeldPayment(hold, now)), has_more })
      return
    }
    if (found.length === 0) {
      printLine(`The merchant ${merchant_id} has no hold that is ${asked.join(' or ')}.`)
      return
    }
    const notes = found.map((hold) => notesOf(hold, now))
    printTable(headings, found.map(rowOf), notes)
    if (has_more) printLine(`\nThere are more: --limit takes up to ${limit_max}.`)
  },
}

function statusesOf(options: Options): (typeof statuses)[number][] {
  const named = choices(options, 'status', statuses)
  if (named.length > 0) return named
  return options.all === true ? [...statuses] : [...waiting]
}

/** The capture or void that has no answer yet. */
function operationOf(hold: HoldWithPayment): OpenOperation | null {
  const { operation_kind: kind, operation_asked_by: asked_by, operation_sent_at: sent_at } = hold
  const { operation_state: state } = hold
  return kind && sent_at && state && { kind, asked_by, sent_at, state }
}

// The widest values take 112 characters.
const headings = ['payment', 'amount', 'status', 'reason', 'deadline', 'at deadline']

function rowOf(hold: HoldWithPayment): string[] {
  const { payment_id, status, reason, deadline, at_deadline, decided_at } = hold
  const rule = decided_at === null ? at_deadline : '–'
  return [payment_id, money(hold), paintState(status), reason, shortTime(deadline), rule]
}

function notesOf(hold: HoldWithPayment, now: Date): string[] {
  const operation = operationOf(hold)
  const { operation_refusal } = hold
  return [
    decisionWords(hold),
    ruleWords(hold),
    operation && operationWords(operation, settlementAt(hold, now)),
    operation_refusal && refusalWords(operation_refusal),
  ].filter((note) => note !== null)
}
