// The SQL of brakes: a person or the service pulls them, and a person releases them.

import type { AnySql, Fragment, Sql } from '../../database/open.ts'
import { type Brake, every_acquirer } from '../orphan.ts'

/** The result of pulling a brake. `is_new` is false where it was pulled before. */
export type BrakeResult = { is_new: boolean; held_back: number }

/**
 * Pulls a brake, and at once holds back due orphans that it covers. A reversal that is under way at this moment may
 * happen all the same. A brake that was pulled before ends, and the new one takes its place: the old one may have come
 * with the restored backup for which this one is pulled, and all acquirers have to be swept again.
 */
export async function pullBrake(sql: AnySql, brake: Brake): Promise<BrakeResult> {
  const { acquirer, pulled_at, pulled_by, reason } = brake
  // Rows are locked in the order in which a sweep locks them.
  const [row] = await sql<[BrakeResult]>`
    with before as (
      update orphan_brakes set released_at = ${pulled_at}, released_by = ${pulled_by}
      where acquirer = ${acquirer} and released_at is null and pulled_at < ${pulled_at}
      returning 1
    ), pulled as (
      insert into orphan_brakes (acquirer, pulled_at, pulled_by, reason)
      -- Reads "before", so that the earlier brake has ended when this row is inserted.
      select ${acquirer}, ${pulled_at}, ${pulled_by}, ${reason} where (select count(*) from before) >= 0
      on conflict do nothing
      returning 1
    ), meant as materialized (
      select acquirer, reference from orphan_authorisations
      where merchant_id is null and state = 'found' and held_back_at is null
        and ${acquirer} in (acquirer, ${every_acquirer})
      order by acquirer, reference for update
    ), held as (
      update orphan_authorisations o set held_back_at = ${pulled_at}, next_try_at = null from meant m
      where o.acquirer = m.acquirer and o.reference = m.reference
      returning 1
    )
    select exists (select 1 from pulled) and not exists (select 1 from before) as is_new, (select count(*)::int from held) as held_back`
  return row
}

/**
 * Holds back an acquirer's unknown orphans that nobody decided about, and pulls the brake of every acquirer unless it
 * is pulled. Returns how many were held back.
 */
export async function holdBackUnknown(
  sql: Sql,
  { acquirer, at, by, reason }: { acquirer: string; at: Date; by: string; reason: string },
): Promise<number> {
  const undecided = sql`acquirer = ${acquirer} and merchant_id is null and state = 'found' and held_back_at is null`
  // The brake first, as where a brake is pulled.
  const [row] = await sql<[{ held_back: number }]>`
    with pulled as (
      insert into orphan_brakes (acquirer, pulled_at, pulled_by, reason)
      select ${every_acquirer}, ${at}, ${by}, ${reason}
      where exists (select 1 from orphan_authorisations where ${undecided})
        and not exists (select 1 from orphan_brakes where acquirer = ${every_acquirer} and released_at is null)
      on conflict do nothing
      returning 1
    ), meant as materialized (
      select reference from orphan_authorisations
      where ${undecided} and (select count(*) from pulled) >= 0
      order by reference for update
    ), held as (
      update orphan_authorisations o set held_back_at = ${at}, next_try_at = null from meant m
      where o.acquirer = ${acquirer} and o.reference = m.reference
      returning 1
    )
    select count(*)::int as held_back from held`
  return row.held_back
}

/** Whether the service has pulled the brake of every acquirer since, even if a person has released it again. */
export async function wasPulledSince(sql: Sql, by: string, since: Date): Promise<boolean> {
  const rows = await sql`
    select 1 from orphan_brakes
    where acquirer = ${every_acquirer} and pulled_by = ${by} and pulled_at >= ${since}`
  return rows.length > 0
}

/**
 * Releases these brakes where they are pulled. Orphans that are held back stay so. Those that no person decided about
 * are held back as well, even if no sweep has judged them yet, or one released them when the brake was just pulled.
 * Returns what was released.
 */
export async function releaseBrakes(
  sql: AnySql,
  { brakes, at, by }: { brakes: Brake[]; at: Date; by: string },
): Promise<Brake[]> {
  const keys = brakes.map(({ acquirer, pulled_at }) => ({ acquirer, pulled_at }))
  return sql<Brake[]>`
    with released as (
      update orphan_brakes b set released_at = ${at}, released_by = ${by}
      from json_to_recordset(${keys as never}::json) as n (acquirer text, pulled_at timestamptz)
      where b.acquirer = n.acquirer and b.pulled_at = n.pulled_at and b.released_at is null
      returning b.*
    ), undecided as materialized (
      select acquirer, reference from orphan_authorisations o
      where merchant_id is null and state = 'found' and held_back_at is null
        and exists (select 1 from released r where r.acquirer in (o.acquirer, ${every_acquirer}))
      order by acquirer, reference for update
    ), held as (
      update orphan_authorisations o set held_back_at = ${at}, next_try_at = null from undecided u
      where o.acquirer = u.acquirer and o.reference = u.reference
    )
    select * from released order by acquirer`
}

/**
 * The pulled brakes, the oldest first; then released ones if they are wanted, the newest first. For a named acquirer:
 * its own, and those of every acquirer.
 */
export async function listBrakes(
  sql: Sql,
  which: { acquirer: string | null; released_too: boolean },
): Promise<Brake[]> {
  const { acquirer, released_too } = which
  return sql<Brake[]>`
    select * from orphan_brakes
    where ${released_too ? sql`true` : sql`released_at is null`}
      ${acquirer === null ? sql`` : sql`and acquirer in (${acquirer}, ${every_acquirer})`}
    order by released_at desc nulls first, pulled_at, acquirer`
}

/** Whether the brake of that acquirer, a column or a value, is pulled. */
export function isBrakePulled(sql: Sql, acquirer: Fragment | string): Fragment {
  return sql`exists (
    select 1 from orphan_brakes b
    where b.acquirer in (${acquirer as never}, ${every_acquirer}) and b.released_at is null)`
}

/**
 * Whether no pulled brake stops the reversal of an orphan, the row `o`. A brake stops an unknown orphan that no person
 * released, and a known one from before the brake that no person released since.
 */
export function isFreeOfBrakes(sql: Sql): Fragment {
  return sql`not exists (
    select 1 from orphan_brakes b
    where b.acquirer in (o.acquirer, ${every_acquirer}) and b.released_at is null and case
      when o.merchant_id is null then o.held_back_at is null
      else coalesce(o.authorised_at, o.found_at) < b.pulled_at and coalesce(o.released_at < b.pulled_at, true)
    end)`
}
