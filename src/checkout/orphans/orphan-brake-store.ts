// The SQL of brakes: a person or the service pulls them, and a person lets them go.

import type { Fragment, Sql } from '../../database/open.ts'
import { every_acquirer, type PulledBrake } from '../orphan.ts'

/** What pulling a brake came to. `is_new` is false where it was pulled before. */
export type Pulled = { is_new: boolean; held_back: number }

/**
 * Pulls a brake, and holds back at once what it is for and was due. A reversal that is under way at this moment may happen
 * all the same. One that was pulled before ends, and the new one takes its place: the old may have come with the backup that
 * this one is pulled for, and acquirers have to be gone through anew.
 */
export async function pullBrake(sql: Sql, brake: PulledBrake): Promise<Pulled> {
  const { acquirer, pulled_at, pulled_by, reason } = brake
  // Rows are locked in the order in which a sweep locks them.
  const [row] = await sql<[Pulled]>`
    with before as (
      update orphan_brakes set released_at = ${pulled_at}, released_by = ${pulled_by}
      where acquirer = ${acquirer} and released_at is null and pulled_at < ${pulled_at}
      returning 1
    ), pulled as (
      insert into orphan_brakes (acquirer, pulled_at, pulled_by, reason)
      -- Where it reads the one before, that has ended.
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
 * Holds back what nobody here knows at an acquirer and nobody decided about, and pulls the brake of every acquirer, unless it
 * is pulled. Returns how many were held back.
 */
export async function holdBackUnknown(
  sql: Sql,
  { acquirer, at, by, reason }: { acquirer: string; at: Date; by: string; reason: string },
): Promise<number> {
  const undecided = sql`acquirer = ${acquirer} and merchant_id is null and state = 'found' and held_back_at is null`
  // The brake first, as where one is pulled.
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

/** Whether a brake of the acquirer was pulled after that time, and nobody let it go. */
export async function isPulledAfter(sql: Sql, acquirer: string, at: Date): Promise<boolean> {
  const rows = await sql`
    select 1 from orphan_brakes
    where acquirer in (${acquirer}, ${every_acquirer}) and released_at is null and pulled_at > ${at}`
  return rows.length > 0
}

/** Whether the service has pulled the brake of every acquirer since, whether or not a person has let it go again. */
export async function wasPulledSince(sql: Sql, by: string, since: Date): Promise<boolean> {
  const rows = await sql`
    select 1 from orphan_brakes
    where acquirer = ${every_acquirer} and pulled_by = ${by} and pulled_at >= ${since}`
  return rows.length > 0
}

/**
 * Lets go of these brakes where they are pulled. What is held back stays so, and what a person has not decided about is held
 * back as well, though a sweep has not come to judge it, or let it go when the brake was just pulled. Returns what was let
 * go.
 */
export async function releaseBrakes(
  sql: Sql,
  { brakes, at, by }: { brakes: PulledBrake[]; at: Date; by: string },
): Promise<PulledBrake[]> {
  const named = brakes.map(({ acquirer, pulled_at }) => ({ acquirer, pulled_at }))
  return sql<PulledBrake[]>`
    with released as (
      update orphan_brakes b set released_at = ${at}, released_by = ${by}
      from json_to_recordset(${named as never}::json) as n (acquirer text, pulled_at timestamptz)
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
 * The brakes that are pulled, the oldest first; then those that were let go if they are asked for, the newest first. Of an
 * acquirer that is named: its own, and those of every one.
 */
export async function listBrakes(
  sql: Sql,
  which: { acquirer: string | null; released_too: boolean },
): Promise<PulledBrake[]> {
  const { acquirer, released_too } = which
  return sql<PulledBrake[]>`
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
 * Whether no pulled brake stops the reversal of an orphan, the row `o`: of one that nobody here knows and no person released,
 * or of a known one that was there when the brake was pulled and that no person released since.
 */
export function isFreeOfBrakes(sql: Sql): Fragment {
  return sql`not exists (
    select 1 from orphan_brakes b
    where b.acquirer in (o.acquirer, ${every_acquirer}) and b.released_at is null and case
      when o.merchant_id is null then o.held_back_at is null
      else coalesce(o.authorised_at, o.found_at) < b.pulled_at and coalesce(o.released_at < b.pulled_at, true)
    end)`
}
