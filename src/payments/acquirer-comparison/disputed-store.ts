// The SQL that finds what a dispute at an acquirer is about. A connection's rows are its merchant's.

import { fromCells } from '../../database/cells/cells.ts'
import type { Sql } from '../../database/open.ts'

export type DisputedPayment = { merchant_id: string; payment_id: string; transaction_id: string }

/** The payments whose charges the acquirer knows by these ids. */
export async function findDisputed(
  whole: Sql,
  acquirer: string,
  transaction_ids: readonly string[],
): Promise<DisputedPayment[]> {
  if (transaction_ids.length === 0) return []
  return fromCells(
    whole,
    (sql) => sql<DisputedPayment[]>`
      select o.* from connections c cross join lateral (
        select merchant_id, payment_id, coalesce(handle, acquirer_transaction_id) as transaction_id
        from acquirer_operations
        where merchant_id = c.merchant_id and coalesce(handle, acquirer_transaction_id) = any(${transaction_ids}::text[])
          and acquirer <> 'simulator' and acquirer = ${acquirer} and kind = 'authorise' offset 0
      ) o
      where c.connection_id = ${connectionOf(acquirer)}`,
  )
}

/** Open disputes at the acquirer, those first that were heard of longest ago. */
export async function listOpenOf(
  whole: Sql,
  acquirer: string,
  limit: number,
): Promise<{ merchant_id: string; payment_id: string; vendor_id: string }[]> {
  return fromCells(
    whole,
    (sql) => sql<{ merchant_id: string; payment_id: string; vendor_id: string }[]>`
      select d.* from connections c cross join lateral (
        select merchant_id, payment_id, vendor_id from disputes
        where merchant_id = c.merchant_id and closed_at is null and acquirer = ${acquirer}
        order by told_at limit ${limit}
      ) d
      where c.connection_id = ${connectionOf(acquirer)}`,
  )
}

/** `stripe:conn_…` is a connection's. */
function connectionOf(acquirer: string): string {
  return acquirer.slice(acquirer.indexOf(':') + 1)
}
