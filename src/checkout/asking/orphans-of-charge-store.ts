// The SQL that finds orphans by the acquirer's id of their charge.

import type { Fragment, Sql } from '../../database/open.ts'
import { lapsed, type Orphan } from '../orphan.ts'

/**
 * The orphans of a charge that are not settled, by the acquirer's id of it. One that has no such id yet is known by our reference
 * of the charge.
 */
export async function findOrphansOfCharge(
  sql: Sql,
  named: { acquirer: string; reference: string | null; transaction_id: string },
): Promise<Orphan[]> {
  return sql<Orphan[]>`
    select * from orphan_authorisations
    where acquirer = ${named.acquirer} and state = 'found' and (${isOfCharge(sql, named.transaction_id)}
      or (coalesce(handle, acquirer_transaction_id) is null and reference = ${named.reference}))`
}

/** Which of these ids of charges at the acquirer are orphans', settled or not. */
export async function listOrphanIds(
  sql: Sql,
  { acquirer, transaction_ids }: { acquirer: string; transaction_ids: string[] },
): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select coalesce(handle, acquirer_transaction_id) as id from orphan_authorisations
    where acquirer = ${acquirer} and coalesce(handle, acquirer_transaction_id) = any(${transaction_ids}::text[])`
  return rows.map(({ id }) => id)
}

/** Whether an orphan of the charge with this id was settled by what ended an approved charge: a decline may yet be followed by an approval. */
export async function isChargeSettled(sql: Sql, named: { acquirer: string; transaction_id: string }): Promise<boolean> {
  const rows = await sql`
    select from orphan_authorisations
    where acquirer = ${named.acquirer} and (state = 'reversed' or last_failure = ${lapsed}) and ${isOfCharge(sql, named.transaction_id)}`
  return rows.length > 0
}

function isOfCharge(sql: Sql, transaction_id: string): Fragment {
  return sql`coalesce(handle, acquirer_transaction_id) = ${transaction_id}`
}
