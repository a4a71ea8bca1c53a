// The background job that gives the journal's lines their places in the chains, some seconds after they were written.
//
// A line may come late: its statement was under way, or its process's clock behind. So lines are looked for at several
// ages. How far those of each age were looked through is kept: no line is looked at more often than there are ages, unless
// the clock is set back far.

import type { Sql } from '../database/open.ts'
import { idsFrom } from '../kernel/ids.ts'
import type { Clock } from '../kernel/world.ts'
import { genesis, nextHash, type WrittenLine } from './chain.ts'
import {
  type ChainEnd,
  type Extension,
  extendChain,
  type Look,
  type LookAge,
  listLooks,
  markLook,
  readUnsealed,
} from './chain-store.ts'
import type { Head } from './check-chain.ts'

/** After the first most lines are there; after the last even those of a process whose clock was far behind. */
const ages_seconds = [5, 60, 2 * 3600]
const last_age_ms = Math.max(...ages_seconds) * 1000
/** A line as old as this was looked for at every age. */
export const sealed_after_ms = last_age_ms
/**
 * Another process's clock may be ahead by so long: what its marks pass over is younger than the last age, and found at that.
 * Marks that lie further ahead were made before the clock was set back. Nothing tells how long ago that was, so all lines
 * are looked through once more, and the marks set back too.
 */
const ahead_ms = last_age_ms / 2
const page_lines = 1000

export type Sealer = { sql: Sql; world: { clock: Clock } }

/**
 * Seals what is due, of all merchants or of one. Returns how many lines. What hinders one merchant's hinders no other's: it
 * is thrown at the end.
 */
export async function sealJournal(
  { sql, world }: Sealer,
  merchantId: string | null = null,
): Promise<number> {
  const ages = agesAt(world.clock.now().getTime())
  const failures: string[] = []
  let count = 0
  for (const look of await listLooks(sql, ages, merchantId)) {
    try {
      count += await sealLook(sql, look)
    } catch (error) {
      failures.push(`${look.merchant_id}: ${(error as Error).message}`)
    }
  }
  if (failures.length === 0) return count
  throw new Error(`lines are not sealed: ${failures.slice(0, failures_told_max).join('; ')}`)
}

const failures_told_max = 10

function agesAt(now_ms: number): LookAge[] {
  return ages_seconds.map((age_seconds) => {
    const until_ms = now_ms - age_seconds * 1000
    const marks_max = idsFrom(new Date(until_ms + ahead_ms))
    return { age_seconds, below: idsFrom(new Date(until_ms)), marks_max }
  })
}

async function sealLook(sql: Sql, look: Look): Promise<number> {
  let count = 0
  for (let after: string | null = look.after; after !== null; ) {
    const page = await sealPage(sql, { ...look, after })
    count += page.count
    after = page.last
  }
  await markLook(sql, look)
  return count
}

/** Who finds that somebody else has made the chain longer meanwhile reads again: those lines are in it now. */
async function sealPage(sql: Sql, look: Look): Promise<{ last: string | null; count: number }> {
  for (;;) {
    const { last, lines, head, last_row } = await readUnsealed(sql, look, page_lines)
    if (lines.length === 0) return { last, count: 0 }
    const rows = chained(trustedEnd({ head, last_row }), lines)
    const extension = { merchant_id: look.merchant_id, from: head, rows }
    if (await extendChain(sql, extension)) return { last, count: rows.length }
  }
}

/** A chain is not made longer where its head is not its end: its last rows would seem to be right. */
function trustedEnd({ head, last_row }: ChainEnd): Head {
  const agrees =
    head && last_row
      ? head.position === last_row.position && head.hash.equals(last_row.hash)
      : head === last_row
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
