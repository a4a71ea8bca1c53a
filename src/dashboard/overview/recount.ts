// Counts a merchant's whole journal anew, while the service runs: the overview is right at every moment of it.

import type { Sql } from '../../database/open.ts'
import { nextQuarter, quarter_ms, recountQuarter } from './recount-store.ts'

/** How many quarters of an hour have counts, how many counts those are, and how many of them were wrong. */
export type Recount = { merchant_id: string; quarters: number; counts: number; corrected: number }

/** Each quarter is a transaction. Whoever stops it leaves no harm: what was gone through is right, the rest as it was. */
export async function recount(sql: Sql, merchant_id: string): Promise<Recount> {
  const done: Recount = { merchant_id, quarters: 0, counts: 0, corrected: 0 }
  let from = new Date(0)
  for (;;) {
    const quarter = await nextQuarter(sql, merchant_id, from)
    if (quarter === null) return done
    const { rows, changed } = await recountQuarter(sql, merchant_id, quarter)
    done.quarters += rows > 0 ? 1 : 0
    done.counts += rows
    done.corrected += changed
    from = new Date(quarter.getTime() + quarter_ms)
  }
}
