// The SQL of what a person sees of orphans and decides about them.

import type { AnySql, Fragment, Sql } from '../../database/open.ts'
import { journalOfChanged } from '../acquirer-operations/orphan-rows-store.ts'
import type { Orphan, OrphanLine } from '../orphan.ts'
import { isHeldBack } from './orphan-store.ts'

/** Which orphans: those of the references, or all that are held back. `acquirer` null is any. */
export type OrphanSelection = { references: string[] | null; acquirer: string | null }

/** Unsettled orphans, the oldest first, those held back before the others; then settled ones, the newest first. */
export async function listOrphans(
  sql: Sql,
  which: { acquirer: string | null; settled_too: boolean; limit: number },
): Promise<Orphan[]> {
  const { acquirer, settled_too, limit } = which
  return sql<Orphan[]>`
    select * from orphan_authorisations
    where ${settled_too ? sql`true` : sql`state = 'found'`} ${isOf(sql, acquirer)}
    order by settled_at desc nulls first, ${isHeldBack(sql)} desc, found_at, acquirer, reference
    limit ${limit}`
}

/** Those of the references, as they are. */
export async function findOrphans(sql: AnySql, which: OrphanSelection): Promise<Orphan[]> {
  return sql<Orphan[]>`select * from orphan_authorisations where ${isMeant(sql, which)}`
}

/**
 * Makes orphans due that were held back and, of named ones, those that were left. Returns them. From then on the brake
 * does not stop them.
 */
export async function releaseOrphans(
  sql: AnySql,
  which: OrphanSelection,
  { at, by, lines }: { at: Date; by: string; lines: OrphanLine[] },
): Promise<Orphan[]> {
  return changeOrphans(sql, which, {
    fits: sql`(${isHeldBack(sql)} or state = 'left')`,
    becomes: sql`
      state = 'found', next_try_at = ${at}, settled_at = null, released_by = ${by}, released_at = ${at},
      held_back_at = case when merchant_id is null then coalesce(held_back_at, ${at}::timestamptz) end`,
    lines,
  })
}

/** Settles orphans that are not reversed yet: they never will be. Returns those that were not. */
export async function leaveOrphans(
  sql: AnySql,
  which: OrphanSelection,
  { at, by, reason, lines }: { at: Date; by: string; reason: string; lines: OrphanLine[] },
): Promise<Orphan[]> {
  return changeOrphans(sql, which, {
    fits: sql`state = 'found'`,
    becomes: sql`
      state = 'left', next_try_at = null, settled_at = ${at}, left_by = ${by}, left_reason = ${reason}`,
    lines,
  })
}

/** Rows are locked in the order in which the brake locks them. */
async function changeOrphans(
  sql: AnySql,
  which: OrphanSelection,
  { fits, becomes, lines }: { fits: Fragment; becomes: Fragment; lines: OrphanLine[] },
): Promise<Orphan[]> {
  return sql<Orphan[]>`
    with meant as materialized (
      select acquirer, reference from orphan_authorisations
      where ${isMeant(sql, which)} and ${fits} order by acquirer, reference for update
    ), changed as (
      update orphan_authorisations o set ${becomes} from meant m
      where o.acquirer = m.acquirer and o.reference = m.reference
      returning o.*
    ), journal as (${journalOfChanged(sql, lines)})
    select * from changed order by acquirer, reference`
}

function isMeant(sql: AnySql, { references, acquirer }: OrphanSelection): Fragment {
  const those = references === null ? isHeldBack(sql) : sql`reference = any(${references}::text[])`
  return sql`${those} ${isOf(sql, acquirer)}`
}

function isOf(sql: AnySql, acquirer: string | null): Fragment {
  return acquirer === null ? sql`` : sql`and acquirer = ${acquirer}`
}
