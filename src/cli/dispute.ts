// `ripper dispute list|show|simulate`: what shoppers dispute at their banks.

import { z } from 'zod'
import { inCell } from '../database/cells/cells.ts'
import { type Dispute, disputeStatuses, viewDispute } from '../payments/dispute.ts'
import { findDisputeAnywhere, listDisputes, listOpenDisputes } from '../payments/disputes/dispute-store.ts'
import { simulateDispute } from '../payments/disputes/simulate-dispute.ts'
import { amount as amountRule } from '../payments/fields.ts'
import {
  limitOption,
  merchantNamed,
  merchantOf,
  merchantOption,
  operatorCause,
  withCommandContext,
} from './command-context.ts'
import { paymentCommand } from './payment-command.ts'
import { CommandError, UsageError } from './terminal/command.ts'
import { command, flag, option } from './terminal/option.ts'
import {
  money,
  oneLine,
  paintState,
  printJson,
  printKnown,
  printLine,
  printList,
  shortTime,
  within,
} from './terminal/print.ts'

export const disputeList = command({
  name: 'dispute list',
  summary: 'Lists the open disputes of a merchant, by the time until which they may be answered',
  options: {
    merchant: merchantOption,
    all: flag('all disputes, the newest first'),
    limit: limitOption,
  },
  remarks: ['A dispute is answered at the acquirer: ripper dispute show has the address.'],
  async run({ options: { merchant, all, limit }, json }) {
    const { merchant_id, shown, has_more } = await withCommandContext(async (context) => {
      const merchant_id = await merchantOf(context, merchant, json)
      const { sql } = await inCell(context, merchant_id)
      const page = { behind: null, limit: limit + 1 }
      const disputes = all
        ? (await listDisputes(sql, { merchant_id, ...everyDispute }, page)).rows
        : await listOpenDisputes(sql, { merchant_id, mode: null, ...page })
      return { merchant_id, ...within(limit, disputes) }
    })
    if (json) printJson({ merchant_id, disputes: shown.map(viewDispute), has_more })
    else {
      printList(shown, {
        headings: ['dispute', 'payment', 'amount', 'status', 'respond by'],
        cells: rowOf,
        notes: ({ reason }) => [reason && oneLine(reason, 90)],
        nothing: `The merchant ${merchant_id} has no ${all ? '' : 'open '}dispute.`,
        has_more,
      })
    }
  },
})

const everyDispute = {
  ...{ mode: undefined, status: undefined, payment_id: undefined },
  ...{ created_from: undefined, created_before: undefined },
}

export const disputeShow = command({
  name: 'dispute show',
  summary: 'Shows a dispute, and where it is answered',
  positionals: ['DISPUTE_ID'],
  options: { merchant: { ...merchantOption, meaning: 'its merchant; by default found by the dispute' } },
  async run({ options: { merchant }, positionals, json }) {
    const dispute_id = positionals[0]!
    if (!/^dsp_[0-9a-f]{24}$/.test(dispute_id)) {
      throw new UsageError('DISPUTE_ID must be dsp_ and 24 hexadecimal characters')
    }
    const dispute = await withCommandContext(async (context) => {
      const merchant_id = await merchantNamed(context.sql, merchant)
      return findDisputeAnywhere(context.sql, { dispute_id, merchant_id })
    })
    if (!dispute) throw new CommandError(`There is no dispute ${dispute_id}.`)
    show(dispute, json)
  },
})

export const disputeSimulate = paymentCommand({
  name: 'dispute simulate',
  summary: 'Has the shopper of a test payment dispute it, or moves the dispute on',
  options: {
    status: option(null, 'what it becomes (needs_response)', z.enum(disputeStatuses)),
    amount: option('N', 'in minor units; by default all of the payment', amountRule),
  },
  remarks: [
    'The events are those of a dispute that an acquirer tells of. won, lost and closed end the dispute; it is never opened again.',
  ],
  async work(context, key, { status = 'needs_response', amount = null }) {
    const recorded = await simulateDispute(context, key, { status, amount, cause: operatorCause() })
    if (recorded === 'later') throw new CommandError('The outcome of the payment is not known yet.')
    return recorded
  },
  show({ told, dispute }, json) {
    if (!json && told === 'nothing_new') printLine('Nothing has changed.\n')
    show(dispute, json)
    return undefined
  },
})

/** The widest values take 105 characters. */
function rowOf(dispute: Dispute): string[] {
  const { dispute_id, payment_id, status, respond_by } = dispute
  return [dispute_id, payment_id, money(dispute), paintState(status), shortTime(respond_by)]
}

function show(dispute: Dispute, json: boolean): void {
  if (json) {
    printJson(viewDispute(dispute))
    return
  }
  const { dispute_id, payment_id, mode, status, reason, respond_by, opened_at, closed_at, vendor_url } = dispute
  printKnown({
    ...{ dispute_id, payment_id, amount: money(dispute), mode, status, reason },
    respond_by: respond_by && shortTime(respond_by),
    opened_at: shortTime(opened_at),
    closed_at: closed_at && shortTime(closed_at),
    vendor_url,
  })
}
