// The background job that fills the columns by which payments are found in rows that an earlier release wrote.

import type { Sql } from '../../database/open.ts'
import { emailKey } from '../payment.ts'
import { fillPayments, listUnfilled } from './fill-store.ts'

const page_payments = 500
/** How many pages one run fills, so that what waits for the job's turn does not wait long. */
const pages_max = 20

export type FillContext = { sql: Sql; stopping?: AbortSignal }

/** Returns how many payments were filled. Once none is left it costs one look at an empty index. */
export async function fillPaymentColumns({ sql, stopping }: FillContext): Promise<number> {
  let count = 0
  for (let page = 0; page < pages_max && !stopping?.aborted; page += 1) {
    const found = await listUnfilled(sql, page_payments)
    if (found.length === 0) return count
    const rows = found.map(({ email, ...row }) => ({
      ...row,
      customer_email: email === null || email === '' ? null : emailKey(email),
    }))
    // Each statement touches one merchant.
    for (const [merchant_id, own] of Map.groupBy(rows, (row) => row.merchant_id)) {
      count += await fillPayments(sql, merchant_id, own)
    }
  }
  return count
}
