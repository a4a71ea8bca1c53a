// The background job that counts the journal's lines for the overview, behind the chain: a payment pays nothing for it.

import type { Sql } from '../../database/open.ts'
import { countRange, listUncounted } from './count-store.ts'

const merchants_max = 100
const page_lines = 1000
/** How many pages one run counts of a merchant, so that others have their turn. */
const pages_max = 50

/** Returns how many places of chains were counted. */
export async function countPayments({ sql, stopping }: { sql: Sql; stopping?: AbortSignal }): Promise<number> {
  let count = 0
  for (const { merchant_id, after, until } of await listUncounted(sql, merchants_max)) {
    const last = Math.min(until, after + pages_max * page_lines)
    for (let from = after; from < last && !stopping?.aborted; from += page_lines) {
      const to = Math.min(last, from + page_lines)
      if (!(await countRange(sql, { merchant_id, after: from, until: to }))) break
      count += to - from
    }
  }
  return count
}
