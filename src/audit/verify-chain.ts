// Goes through one merchant's chain and journal in pages, and reports what is there and what is wrong.

import { idsFrom, millisecondsOf } from '../kernel/ids.ts'
import { findChainEnd, readChain, readUnsealed } from './chain-store.ts'
import { type ChainFault, type Head, openCheck } from './check-chain.ts'
import { type Sealer, sealed_after_ms, sealJournal } from './seal-journal.ts'

const page_rows = 1000
/** How many faults of one chain are listed; all are counted. */
const faults_named_max = 100

export type ChainVerification = {
  merchant_id: string
  lines: number
  /** The time of the newest line; null without lines. */
  newest_line_at: Date | null
  /** The recorded end of the chain; null if there is none. */
  head: Head | null
  /** Lines that were due, and were sealed by this check. */
  sealed_now: number
  /** Lines that are too young, or that came late and will be scanned once more. */
  not_sealed_yet: number
  faults: ChainFault[]
  fault_count: number
  /** The positions of hashes that were noted earlier. */
  found_heads: { hash: string; position: number }[]
}

/**
 * Verifies a chain. It seals due lines first, as the job would. Afterwards a line that was scanned at every age and is
 * in no chain was not written by the service. `heads` are hashes in hex.
 */
export async function verifyChain(
  sealer: Sealer,
  merchant_id: string,
  heads: ReadonlySet<string>,
): Promise<ChainVerification> {
  // If the chain cannot be extended, it has a fault, which the check then finds.
  const sealed_now = await sealJournal(sealer, merchant_id).catch(() => 0)
  const faults: ChainFault[] = []
  let fault_count = 0
  const tell = (fault: ChainFault) => {
    fault_count += 1
    if (faults.length < faults_named_max) faults.push(fault)
  }
  const chain = await checkRows(sealer, { merchant_id, heads, report: tell })
  const journal = await checkLines(sealer, { merchant_id, report: tell })
  return { merchant_id, sealed_now, ...chain, ...journal, faults, fault_count }
}

type FaultReporter = { merchant_id: string; report(fault: ChainFault): void }

async function checkRows(
  { sql }: Sealer,
  { merchant_id, heads, report: tell }: FaultReporter & { heads: ReadonlySet<string> },
): Promise<Pick<ChainVerification, 'head' | 'found_heads'>> {
  const { head, last_row } = await findChainEnd(sql, merchant_id)
  const check = openCheck(head, tell)
  const foundHeads: ChainVerification['found_heads'] = []
  const until = last_row?.position ?? 0
  // A forged row may stand before the first one.
  for (let after = Number.MIN_SAFE_INTEGER; ; ) {
    const rows = await readChain(sql, { merchant_id, after, until }, page_rows)
    for (const row of rows) {
      check.take(row)
      const hash = row.hash.toString('hex')
      if (heads.has(hash)) foundHeads.push({ hash, position: row.position })
    }
    if (rows.length < page_rows) break
    after = rows.at(-1)!.position
  }
  check.end()
  return { head, found_heads: foundHeads }
}

async function checkLines(
  { sql, world }: Sealer,
  { merchant_id, report: tell }: FaultReporter,
): Promise<Pick<ChainVerification, 'lines' | 'newest_line_at' | 'not_sealed_yet'>> {
  const due_before_id = idsFrom(new Date(world.clock.now().getTime() - sealed_after_ms))
  const summary = { lines: 0, newest_line_at: null as Date | null, not_sealed_yet: 0 }
  for (let after = ''; ; ) {
    const page = await readUnsealed(sql, { merchant_id, after, below: last_of_all }, page_rows)
    if (page.last === null) return summary
    summary.lines += page.count
    summary.newest_line_at = timeOf(page.last)
    for (const { entry_id } of page.lines) {
      if (entry_id >= due_before_id) summary.not_sealed_yet += 1
      else tell({ kind: 'line_not_sealed', position: null, until_position: null, entry_id })
    }
    after = page.last
  }
}

/** Sorts after every id. */
const last_of_all = '~'

/** The time that an id begins with; null for a forged id without one. */
function timeOf(entry_id: string): Date | null {
  return /^0[0-9a-f]{31}$/.test(entry_id) ? new Date(millisecondsOf(entry_id)) : null
}
