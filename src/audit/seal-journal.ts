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
/** At which age a line is scanned last: no session that a page made gets its first attempt so late. */
export const last_age_seconds = Math.max(...ages_seconds)
const last_age_ms = last_age_seconds * 1000
/** A line of this age was scanned at every age. */
export const sealed_after_ms = last_age_ms
/**
 * How far another process's clock may be ahead: what its marks skip is younger than the last age, and found at that
 * age. Marks further ahead were made before the clock was set back. Nothing shows how long ago that was, so the job
 * scans all lines once more and sets the marks back.
 */
const ahead_ms = last_age_ms / 2
/** For as long as a page takes, the process or the database has less time for requests. */
const page_lines = 250
/** The job rests behind a page for twice the time that the page took, and at most so long. */
const rest_max_ms = 20
/** A job that has gone on for so long rests no more. */
const unhurried_ms = 2_500

export type Sealer = { sql: Sql; world: { clock: Clock } }

/**
 * Seals what is due, of all merchants or of one. Returns how many lines. A failure of one merchant does not stop the
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

/** Another process extended the chain meanwhile, so this one reads again: those lines are in the chain now. */
async function sealPage(sql: Sql, look: Scan): Promise<{ last: string | null; count: number }> {
  for (;;) {
    const { last, lines, head, last_row } = await readUnsealed(sql, look, page_lines)
    if (lines.length === 0) return { last, count: 0 }
    const rows = chained(trustedEnd({ head, last_row }), lines)
    const extension = { merchant_id: look.merchant_id, from: head, rows }
    if (await extendChain(sql, extension)) return { last, count: rows.length }
  }
}

/** A chain whose head is not its end is not extended: its last rows would seem to be right. */
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
