// Takes a vendor's reports: reads their lines, matches them and keeps them, all files or nothing.

import { journalLine } from '../audit/journal.ts'
import { insertLine } from '../audit/journal-store.ts'
import type { Context } from '../context.ts'
import type { AnySql } from '../database/open.ts'
import { modeOfPayments } from '../kernel/connection-mode.ts'
import { Refusal } from '../kernel/errors.ts'
import { type AccountConnection, acquirerName } from '../merchants/account-connection.ts'
import { beginAs, type Writer } from '../merchants/write-as.ts'
import type { Finding, Line, PayoutName } from './line.ts'
import { spelled } from './money.ts'
import { type HeldPayout, holdPayout, insertLines, type ReportOwner, sumPayout } from './payout-store.ts'
import { type ReportFile, readReport, reporting_connectors } from './reports/read-report.ts'

export type ImportResult = {
  lines: number
  matched: number
  known: number
  payouts: string[]
  findings: { line: number; transaction_id: string; reason: Finding }[]
}

/** `open` gives its bytes from the beginning each time: a transaction may begin again. */
export type ImportFile = Omit<ReportFile, 'bytes'> & { open(tx: AnySql): ReportFile['bytes'] }

type Parts = Pick<Context, 'sql' | 'ids'> & { world: Pick<Context['world'], 'clock'> }
type Author = Writer & { request_id: string | null; note?: object }
type ReportConnection = Pick<AccountConnection, 'connection_id' | 'connector' | 'label' | 'mode'>

const lines_at_once = 500

/** Throws a ReportFault, which names the file, where a line cannot be read: then nothing is kept of any file. */
export async function importReports(
  { sql, ids, world }: Parts,
  { merchant_id, connection }: { merchant_id: string; connection: ReportConnection },
  files: readonly ImportFile[],
  author: Author,
): Promise<ImportResult> {
  const { connector, label } = connection
  if (!reporting_connectors.includes(connector)) {
    throw new Refusal('invalid_request', `No reports of ${connector} are read.`, { field: 'connection' })
  }
  const at = world.clock.now()
  const mode = modeOfPayments[connection.mode]
  const owner = { merchant_id, connection_id: connection.connection_id, acquirer: acquirerName(connection), mode }
  return beginAs(sql, author, async (tx) => {
    const payouts = openPayouts(tx, owner, { ids, at })
    const result: ImportResult = { lines: 0, matched: 0, known: 0, payouts: [], findings: [] }
    for (const file of files) await importFile(tx, owner, { connector, file, payouts, result })
    for (const [payout_id, change] of payouts.changes) {
      const payout = await sumPayout(tx, owner, { payout_id, ...change })
      result.payouts.push(payout_id)
      if (change.count === 0) continue
      const { vendor_id, line_count, finding_count } = payout
      const detail = { connection: label, vendor_id, added: change.count, line_count, finding_count, ...author.note }
      const fields = { session_id: null, subject: payout_id, change: 'payout.imported', detail, at }
      const { actor, request_id } = author
      await insertLine(tx, journalLine(ids, { merchant_id, ...fields, actor, request_id }))
    }
    return result
  })
}

type Change = { count: number; paid_on: string | null; paid_amount: string | null }

/** The payouts of an import, each made or locked when its first line comes. */
function openPayouts(tx: AnySql, owner: ReportOwner, { ids, at }: Pick<Parts, 'ids'> & { at: Date }) {
  const known = new Map<string, HeldPayout>()
  const changes = new Map<string, Change>()
  return {
    changes,
    async of(name: PayoutName): Promise<HeldPayout & { change: Change }> {
      const key = JSON.stringify([name.account, name.vendor_id, name.currency])
      const held = known.get(key) ?? (await holdPayout(tx, owner, name, { payout_id: ids.payout(at), at }))
      known.set(key, held)
      const change = changes.get(held.payout_id) ?? { count: 0, paid_on: null, paid_amount: null }
      changes.set(held.payout_id, change)
      return { ...held, change }
    },
  }
}

type Import = {
  connector: string
  file: ImportFile
  payouts: ReturnType<typeof openPayouts>
  result: ImportResult
}

async function importFile(tx: AnySql, owner: ReportOwner, { connector, file, payouts, result }: Import): Promise<void> {
  let batch: (Line & { payout_id: string; change: Change })[] = []
  const flush = async () => {
    const kept = batch.length === 0 ? [] : await insertLines(tx, owner, batch)
    for (const [at, { line, is_new, finding }] of kept.entries()) {
      const { transaction_id, change } = batch[at]!
      if (finding !== null) result.findings.push({ line, transaction_id, reason: finding })
      else if (is_new) result.matched += 1
      else result.known += 1
      if (is_new) change.count += 1
    }
    batch = []
  }
  for await (const line of readReport(connector, { ...file, bytes: file.open(tx) })) {
    result.lines += 1
    if (line.payout === null) {
      const { transaction_id } = line
      result.findings.push({ line: line.line, transaction_id, reason: 'not_paid_out' })
      continue
    }
    const { payout_id, paid_amount, change } = await payouts.of(line.payout)
    change.paid_on ??= line.paid_on
    if (line.kind === 'payout') {
      // What went to the bank left the balance.
      change.paid_amount = spelled(-line.gross)
      if (paid_amount === null) result.matched += 1
      else result.known += 1
    } else batch.push({ ...line, payout_id, change })
    if (batch.length === lines_at_once) await flush()
  }
  await flush()
}
