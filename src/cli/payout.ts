// `ripper payout import|list|show`: reads an acquirer's reports of what it paid out, and shows what became of their lines.

import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import { z } from 'zod'
import { listConnections } from '../connections/connection-store.ts'
import { fileOfMonth } from '../dashboard/payouts/month-file.ts'
import { inCell } from '../database/cells/cells.ts'
import { importReports } from '../payouts/import-reports.ts'
import { findings as findingWords, ReportFault } from '../payouts/line.ts'
import { linesOfMonth, monthForm } from '../payouts/month.ts'
import { isShort, type Payout, viewPayout } from '../payouts/payout.ts'
import { findPayout, listFindings, listPayouts } from '../payouts/payout-store.ts'
import { dayOf } from '../payouts/reports/table.ts'
import {
  type CommandContext,
  limitOption,
  merchantNamed,
  merchantOf,
  merchantOption,
  operatorCause,
  withCommandContext,
} from './command-context.ts'
import { CommandError, UsageError } from './terminal/command.ts'
import { command, needed, option, withDefault } from './terminal/option.ts'
import { money, printJson, printJsonLine, printKnown, printLine, printList, within } from './terminal/print.ts'
import { terminal } from './terminal/terminal.ts'

const day_words = 'must be a day such as 2027-01-31'
const monthRule = z.string().regex(monthForm, 'must be a month such as 2027-01')
const dayRule = z.string().refine((text) => text.length === 10 && dayOf(text) !== null, day_words)

export const payoutImport = command({
  name: 'payout import',
  summary: "Reads an acquirer's reports of what it paid out, and matches each line",
  positionals: ['FILE…'],
  options: {
    merchant: needed(option('ID', 'the merchant')),
    connection: needed(option('LABEL', 'the connection whose reports these are')),
    'paid-on': option('DATE', 'when it was paid, where neither the report nor its name says it', dayRule),
  },
  remarks: [
    "Stripe's payout reconciliation (itemised), Adyen's settlement details and Checkout.com's financial actions reports, as\n" +
      'CSV. A line that is known already changes nothing.',
    'All files or nothing: where a line cannot be read, the exit status is 1 and nothing is kept. What matches nothing, or\n' +
      'another amount, is kept as a finding, and the exit status is 0.',
  ],
  async run({ options, positionals, json }) {
    const { merchant, connection: label, 'paid-on': paid_on = null } = options
    const result = await withCommandContext(async (context) => {
      const merchant_id = (await merchantNamed(context.sql, merchant))!
      const connection = await connectionLabelled(context, merchant_id, label)
      const files = positionals.map((path) => ({ name: basename(path), open: () => createReadStream(path), paid_on }))
      const cell = await inCell(context, merchant_id)
      return importReports(cell, { merchant_id, connection }, files, operatorCause()).catch(rethrow)
    })
    if (json) printJson(result)
    else {
      const { lines, matched, known, payouts, findings } = result
      printKnown({ lines, matched, known, findings: findings.length, payouts: payouts.join(', ') || '–' })
      const shown = findings.slice(0, findings_shown)
      if (shown.length > 0) printLine('')
      printFindings(shown)
      if (findings.length > shown.length) printLine(`\nThere are ${findings.length - shown.length} more.`)
    }
  },
})

const findings_shown = 50

function rethrow(error: unknown): never {
  if (error instanceof ReportFault) throw new CommandError(`${error.message}. Nothing was kept.`)
  const { code, path, message } = error as NodeJS.ErrnoException
  if (code !== undefined && path !== undefined) throw new CommandError(`${message}. Nothing was kept.`)
  throw error
}

async function connectionLabelled({ sql }: CommandContext, merchant_id: string, label: string) {
  const connections = await listConnections(sql, merchant_id)
  const connection = connections.find((each) => each.label === label && each.kind === 'acquirer')
  if (!connection) throw new CommandError(`The merchant ${merchant_id} has no acquirer connection labelled ${label}.`)
  return connection
}

function printFindings(findings: { line: number; transaction_id: string; reason: keyof typeof findingWords }[]): void {
  printList(findings, {
    headings: ['line', 'transaction', 'finding'],
    cells: ({ line, transaction_id, reason }) => [String(line), transaction_id, findingWords[reason]],
    nothing: 'All lines fit.',
  })
}

export const payoutList = command({
  name: 'payout list',
  summary: "Lists a merchant's payouts, those read last first",
  options: { merchant: merchantOption, limit: limitOption },
  async run({ options: { merchant, limit }, json }) {
    const { merchant_id, rows } = await withCommandContext(async (context) => {
      const merchant_id = await merchantOf(context, merchant, json)
      const filters = { merchant_id, mode: undefined, created_from: undefined, created_before: undefined }
      const { sql } = await inCell(context, merchant_id)
      return { merchant_id, rows: await listPayouts(sql, filters, { behind: null, limit: limit + 1 }) }
    })
    const { shown, has_more } = within(limit, rows)
    if (json) printJson({ merchant_id, payouts: shown.map(viewPayout), has_more })
    else {
      printList(shown, {
        headings: ['payout', 'connection', "vendor's id", 'paid on', 'gross', 'fee', 'net', 'lines', 'findings'],
        cells: cellsOf,
        nothing: `The merchant ${merchant_id} has no payout. ripper payout import reads reports.`,
        has_more,
      })
    }
  },
})

const signed = (amount: number, currency: string) =>
  amount < 0 ? `-${money({ amount: -amount, currency })}` : money({ amount, currency })

function cellsOf(payout: Payout): string[] {
  const { id, connection, vendor_id, paid_on, gross, fee, net, currency, lines, findings } = viewPayout(payout)
  const amounts = [gross, fee, net].map((amount) => signed(amount, currency))
  return [id, connection, vendor_id, paid_on ?? '–', ...amounts, String(lines), String(findings)]
}

export const payoutExport = command({
  name: 'payout export',
  summary: 'Prints the lines of all payouts of a month as CSV: they add up to what the bank got',
  options: {
    merchant: merchantOption,
    month: needed(option('MONTH', 'such as 2027-01, by the days of payment', monthRule)),
    mode: withDefault(option(null, 'of which mode (live)', z.enum(['test', 'live'])), 'live'),
  },
  remarks: [
    'Where the fractions of fees do not come to a whole amount, a line of the kind `rounding` has the rest. A payout whose\n' +
      'day is not known is in no month: payout import takes --paid-on.',
  ],
  async run({ options: { merchant, month, mode }, json }) {
    await withCommandContext(async (context) => {
      const merchant_id = await merchantOf(context, merchant, json)
      const { sql } = await inCell(context, merchant_id)
      const lines = linesOfMonth(sql, { merchant_id, mode, month })
      const { stdout } = terminal()
      if (json) for await (const some of lines) for (const line of some) printJsonLine(line)
      else for await (const { text } of fileOfMonth(lines)) stdout.write(text)
    })
  },
})

export const payoutShow = command({
  name: 'payout show',
  summary: 'Shows a payout, and its lines that do not fit',
  positionals: ['PAYOUT_ID'],
  options: { merchant: merchantOption, limit: limitOption },
  async run({ options: { merchant, limit }, positionals, json }) {
    const [payout_id] = positionals as [string]
    if (!/^po_[0-9a-f]{24}$/.test(payout_id)) {
      throw new UsageError('PAYOUT_ID must be po_ and 24 hexadecimal characters')
    }
    const { payout, rows } = await withCommandContext(async (context) => {
      const merchant_id = await merchantOf(context, merchant, json)
      const { sql } = await inCell(context, merchant_id)
      const payout = await findPayout(sql, { merchant_id, payout_id })
      if (!payout) throw new CommandError(`The merchant ${merchant_id} has no payout ${payout_id}.`)
      return { payout, rows: await listFindings(sql, payout, limit + 1) }
    })
    const { shown, has_more } = within(limit, rows)
    const { merchant_id, mode, currency, paid_amount } = payout
    const view = viewPayout(payout)
    if (json) printJson({ merchant_id, ...view, mode, paid_amount, lines_with_findings: shown, has_more })
    else {
      const [gross, fee, net] = [view.gross, view.fee, view.net].map((amount) => signed(amount, currency))
      const paid = paid_amount === null ? null : signed(paid_amount, currency)
      printKnown({ ...view, mode, gross, fee, net, paid: isShort(payout) ? `${paid}, by the report` : null })
      printLine('')
      printFindings(shown)
      if (has_more) printLine('\nThere are more: --limit takes up to 1000.')
    }
  },
})
