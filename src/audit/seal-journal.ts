// The background job that gives the journal's lines their places in the chains, some seconds after they were written.
//
// A line may come late: its statement was under way, or its process's clock was behind. So the job scans lines again at
// several ages, and records how far it scanned for each age. It scans no line more often than there are ages, unless
// the clock is set back far.

import type { Sql } from '../database/open.ts'
import { idsFrom } from '../kernel/ids.ts'
import type { Clock } from '../kernel/world.ts'
import { genesis, nextHash, type WrittenLine } from './chain.ts'
import {
  type ChainEnd,
  type Extension,
  extendChain,
  listDueScans,
  markScanned,
  readUnsealed,
  type Scan,
  type ScanAge,
} from './chain-store.ts'
import type { Head } from './check-chain.ts'

/** After the first age most lines are there; after the last, even those of a process whose clock was far behind. */
const ages_seconds = [5, 60, 2 * 3600]
/** The age of the last scan of a line. A session that a page made never gets its first attempt later. */
export const last_age_seconds = Math.max(...ages_seconds)
const last_age_ms = last_age_seconds * 1000
/** A line of this age was scanned at every age. */
export const sealed_after_ms = last_age_ms
/**
 * How far another process's clock may be ahead. Its marks then skip only lines that are younger than the last age,
 * which are found at that age. Marks further ahead date from before the clock was set back. Nothing shows how long ago
 * that was, so the job scans all lines once more and sets the marks back.
 */
const ahead_ms = last_age_ms / 2
/** During one page, the process and the database have less time for requests. */
const page_lines = 250
/** After a page the job rests for twice the time that the page took, up to this limit. */
const rest_max_ms = 20
/** A job that has run for this long rests no more. */
const unhurried_ms = 2_500

export type Sealer = { sql: Sql; world: { clock: Clock } }

/**
 * Seals what is due, for all merchants or one. Returns how many lines. A failure at one merchant does not stop the
 * others; it is thrown at the end.
 */
export async function sealJournal({ sql, world }: Sealer, merchant_id: string | null = null): Promise<number> {
  const ages = agesAt(world.clock.now().getTime())
  const failures: string[] = []
  let count = 0
  const rest = openRests(world.clock)
  for (const look of await listDueScans(sql, ages, merchant_id)) {
    try {
      count += await sealLook(sql, look, rest)
    } catch (error) {
      failures.push(`${look.merchant_id}: ${(error as Error).message}`)
    }
  }
  if (failures.length === 0) return count
  throw new Error(`lines are not sealed: ${failures.slice(0, failures_told_max).join('; ')}`)
}

const failures_told_max = 10

function agesAt(now_ms: number): ScanAge[] {
  return ages_seconds.map((age_seconds) => {
    const until_ms = now_ms - age_seconds * 1000
    const marks_max = idsFrom(new Date(until_ms + ahead_ms))
    return { age_seconds, below: idsFrom(new Date(until_ms)), marks_max }
  })
}

type Rest = () => Promise<void>

function openRests({ now, sleep }: Clock): Rest {
  let since_ms = now().getTime()
  const hurried_ms = since_ms + unhurried_ms
  return async () => {
    const now_ms = now().getTime()
    const rest_ms = Math.min(2 * (now_ms - since_ms), rest_max_ms)
    if (rest_ms > 0 && now_ms < hurried_ms) await sleep(rest_ms)
    since_ms = now().getTime()
  }
}

async function sealLook(sql: Sql, look: Scan, rest: Rest): Promise<number> {
  let count = 0
  for (let after: string | null = look.after; after !== null; ) {
    const page = await sealPage(sql, { ...look, after })
    count += page.count
    after = page.last
    if (after !== null) await rest()
  }
  await markScanned(sql, look)
  return count
}

/** Another process extended the chain meanwhile, so this process reads again: those lines are in the chain now. */
async function sealPage(sql: Sql, look: Scan): Promise<{ last: string | null; count: number }> {
  for (;;) {
    const { last, lines, head, last_row } = await readUnsealed(sql, look, page_lines)
    if (lines.length === 0) return { last, count: 0 }
    const rows = chained(trustedEnd({ head, last_row }), lines)
    const extension = { merchant_id: look.merchant_id, from: head, rows }
    if (await extendChain(sql, extension)) return { last, count: rows.length }
  }
}

/** A chain is not extended if its head is not its end, because then its last rows would seem to be right. */
function trustedEnd({ head, last_row }: ChainEnd): Head {
  const agrees =
    head && last_row ? head.position === last_row.position && head.hash.equals(last_row.hash) : head === last_row
  if (!agrees) throw new Error('the head is not where the chain ends; see ripper audit verify')
  return head ?? { position: 0, hash: genesis }
}

function chained(from: Head, lines: WrittenLine[]): Extension['rows'] {
  let { position, hash } = from
  return lines.map((line) => {
    position += 1
    hash = nextHash(hash, line)
    return { position, entry_id: line.entry_id, hash }
  })
}
