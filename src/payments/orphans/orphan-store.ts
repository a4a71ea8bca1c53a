// The SQL of orphans: how far each acquirer was swept, which of its authorisations we know, the brake, and the
// reversals.

import { fromCells, wholeOf } from '../../database/cells/cells.ts'
import type { AnySql, Fragment, Sql } from '../../database/open.ts'
import { journalOfChanged } from '../acquirer-operations/orphan-rows-store.ts'
import { type Orphan, type OrphanLine, type RecordedCharge, unreversed_ms } from '../orphan.ts'
import { isBrakePulled, isFreeOfBrakes } from './orphan-brake-store.ts'

/** Null where the acquirer was never swept. */
export async function findSweptUntil(sql: Sql, acquirer: string): Promise<Date | null> {
  const [row] = await sql<{ swept_until: Date }[]>`
    select swept_until from orphan_sweeps where acquirer = ${acquirer}`
  return row?.swept_until ?? null
}

/** How far an acquirer was swept. */
export type Sweep = { acquirer: string; swept_until: Date }

/** Of one acquirer that is named, else of all. */
export async function listSweeps(sql: Sql, acquirer: string | null): Promise<Sweep[]> {
  return sql<Sweep[]>`
    select acquirer, swept_until from orphan_sweeps
    ${acquirer === null ? sql`` : sql`where acquirer = ${acquirer}`} order by acquirer`
}

export async function saveSweptUntil(sql: Sql, acquirer: string, swept_until: Date): Promise<void> {
  await sql`
    insert into orphan_sweeps (acquirer, swept_until) values (${acquirer}, ${swept_until})
    on conflict (acquirer) do update set swept_until = excluded.swept_until`
}

export async function deleteSweptUntil(sql: Sql, acquirer: string): Promise<void> {
  await sql`delete from orphan_sweeps where acquirer = ${acquirer}`
}

/**
 * Our rows under these references, which must be sorted. References name no merchant, so each merchant's operations
 * between the first and the last are read: references are ordered by time, and come from a short period.
 */
export async function findCharges(whole: Sql, references: string[]): Promise<RecordedCharge[]> {
  return fromCells(
    whole,
    (sql) => sql<RecordedCharge[]>`
    with charge as materialized (
      select o.* from merchants m cross join lateral (
        select merchant_id, operation_id, payment_id, state, handle, acquirer_transaction_id from acquirer_operations
        where merchant_id = m.merchant_id and operation_id between ${references[0]!} and ${references.at(-1)!}
        offset 0) o
      where o.operation_id = any(${references}::text[])
    )
    select c.operation_id as reference, c.handle, c.acquirer_transaction_id, c.merchant_id, c.payment_id, c.state,
      p.payment_status, r.is_being_reversed
    from charge c cross join lateral (
      select status as payment_status from payments
      where merchant_id = c.merchant_id and payment_id = c.payment_id offset 0) p
    cross join lateral (
      select exists (
        select 1 from acquirer_operations
        where merchant_id = c.merchant_id and payment_id = c.payment_id and kind = 'reverse'
          and state in ('sent', 'unknown', 'accepted')) as is_being_reversed offset 0) r`,
  )
}

/** Corrects unsettled orphans by the acquirer's list: amount, and time of the authorisation. */
export async function correctOrphans(sql: Sql, orphans: Orphan[]): Promise<void> {
  await sql`
    with right_ones as materialized (
      select * from json_to_recordset(${orphans as never}::json) as listed (
        acquirer text, reference text, amount bigint, currency text, authorised_at timestamptz)
      order by acquirer, reference collate "C"
    )
    update orphan_authorisations o set
      amount = r.amount, currency = r.currency, authorised_at = r.authorised_at
    from right_ones r
    where o.acquirer = r.acquirer and o.reference = r.reference and o.state = 'found'
      and (o.amount <> r.amount or o.currency <> r.currency or o.authorised_at is null)`
}

/**
 * Applies the brake of an acquirer to unknown orphans, where the operator has them reversed automatically. It is on
 * where more than `most` were found since `found_since`, where one waits for a person, or where it was pulled. Then all
 * unsettled ones are held back, except those that a person released. Otherwise those that were not released yet are, if
 * `may_release`. Returns what was changed.
 *
 * Several processes may do this at once: each releases only what it has counted, and never what another held back
 * meanwhile.
 */
export async function applyBrake(
  sql: Sql,
  { acquirer, now, ...rule }: { acquirer: string; now: Date; found_since: Date; most: number; may_release: boolean },
): Promise<Orphan[]> {
  return sql<Orphan[]>`
    with brake as (
      select count(*) filter (where found_at > ${rule.found_since} or next_try_at is null) > ${rule.most}
        or coalesce(bool_or(${isHeldBack(sql)}), false) or ${isBrakePulled(sql, acquirer)} as is_on
      from orphan_authorisations
      where acquirer = ${acquirer} and merchant_id is null and (found_at > ${rule.found_since} or state = 'found')
    ), undecided as materialized (
      select reference from orphan_authorisations
      where acquirer = ${acquirer} and merchant_id is null and state = 'found' and held_back_at is null
      order by reference for update
    )
    update orphan_authorisations o set
      held_back_at = case when is_on then ${now}::timestamptz end,
      next_try_at = case when is_on then null else ${now}::timestamptz end
    from brake, undecided u
    where o.acquirer = ${acquirer} and o.reference = u.reference
      and (is_on or (next_try_at is null and ${rule.may_release}::boolean))
    returning o.*`
}

/** Whether it waits for a person. Orphans that a sweep has just written do not: nobody has seen or counted them yet. */
export function isHeldBack(sql: AnySql): Fragment {
  return sql`(state = 'found' and next_try_at is null and held_back_at is not null)`
}

/** Of those in state `found`. What `isUnreversed` says of one row. */
export function isUnreversedAt(sql: AnySql, now: Date): Fragment {
  const due_before = new Date(now.getTime() - unreversed_ms)
  return sql`(next_try_at is not null and tries > 0 and greatest(found_at, released_at) < ${due_before})`
}

/** How many wait: to be reversed, `unreversed` of them for days; and for a person's decision. */
export async function countUnsettled(
  sql: Sql,
  { acquirer, now }: { acquirer: string | null; now: Date },
): Promise<Record<'due' | 'unreversed' | 'held_back', number>> {
  const [row] = await sql<Record<'due' | 'unreversed' | 'held_back', number>[]>`
    select count(next_try_at)::int as due, count(*) filter (where ${isHeldBack(sql)})::int as held_back,
      count(*) filter (where ${isUnreversedAt(sql, now)})::int as unreversed
    from orphan_authorisations
    where state = 'found' ${acquirer === null ? sql`` : sql`and acquirer = ${acquirer}`}`
  return row!
}

/** Longer than any wait for the next try. */
export const longest_wait_ms = 2 * 3_600_000

/**
 * Claims orphans whose reversal is due and that no brake stops, until `lease_until`. Orphans that a sweep released just
 * as the brake was pulled are left to the next sweep, which holds them back. One that is due hours ahead was postponed
 * by a wrong clock.
 */
export async function claimOrphans(
  sql: Sql,
  { now, lease_until, limit }: { now: Date; lease_until: Date; limit: number },
): Promise<Orphan[]> {
  const never = new Date(now.getTime() + longest_wait_ms)
  return sql<Orphan[]>`
    with claimed as (
      update orphan_authorisations set tries = tries + 1, next_try_at = ${lease_until}
      where ctid = any(array(
        select ctid from orphan_authorisations o
        where state = 'found' and (next_try_at <= ${now} or next_try_at > ${never}) and ${isFreeOfBrakes(sql)}
        -- In one order everywhere: each copy of the table picks the same.
        order by next_try_at, acquirer, reference limit ${limit} for update skip locked))
      returning *
    )
    select * from claimed order by operation_id`
}

/**
 * The orphan whose last reversal has our reference, or the acquirer's id for it, if that reversal is under way or was carried out.
 * There are few orphans.
 */
export async function findOrphanOfReversal(
  sql: Sql,
  reversal: { acquirer: string; reference: string | null; acquirer_transaction_id: string | null },
): Promise<Orphan | null> {
  const [orphan] = await sql<Orphan[]>`
    select * from orphan_authorisations
    where acquirer = ${reversal.acquirer} and state in ('found', 'reversed')
      and (operation_id = ${reversal.reference} or reversal_transaction_id = ${reversal.acquirer_transaction_id})
    order by state limit 1`
  return orphan ?? null
}

/** Reversed orphans of the acquirer whose reversal has a reference in the range. */
export async function listReversed(
  sql: Sql,
  { acquirer, from, below }: { acquirer: string; from: string; below: string },
): Promise<Orphan[]> {
  return sql<Orphan[]>`
    select * from orphan_authorisations
    where acquirer = ${acquirer} and state = 'reversed' and operation_id >= ${from} and operation_id < ${below}
    order by operation_id`
}

/** A reversal that was carried out has come to nothing: another one is due. False if another process has done this. */
export async function reviveOrphan(
  own: Sql,
  orphan: Orphan,
  next: { operation_id: string; at: Date; failure: string; line: OrphanLine },
): Promise<boolean> {
  const sql = wholeOf(own)
  const rows = await sql`
    with changed as (
      update orphan_authorisations set state = 'found', settled_at = null, found_at = ${next.at}, next_try_at = ${next.at},
        operation_id = ${next.operation_id}, reversal_transaction_id = null, tries = 0, last_failure = ${next.failure}
      where ${isThis(sql, orphan)} and state = 'reversed'
      returning *
    ), journal as (${journalOfChanged(sql, [next.line])})
    select 1 from changed`
  return rows.length > 0
}

/** Whether its reversal is still due, claimed by this process, and stopped by no brake. */
export async function isStillClaimed(sql: Sql, orphan: Orphan): Promise<boolean> {
  const rows = await sql`
    select 1 from orphan_authorisations o
    where ${isThis(sql, orphan)} and state = 'found' and tries = ${orphan.tries} and next_try_at is not null
      and ${isFreeOfBrakes(sql)}`
  return rows.length > 0
}

/** What a notice has named: the charge, and what took it back. */
export type OrphanNames = Partial<Pick<Orphan, 'acquirer_transaction_id' | 'reversal_transaction_id'>>

/**
 * False where it was settled before, or its reversal has another reference by now. A reversal that was under way when a
 * person left the orphan has reversed it all the same.
 */
export async function settleOrphan(
  own: Sql,
  orphan: Orphan,
  end: {
    state: 'reversed' | 'nothing_to_reverse'
    reason: string | null
    at: Date
    line: OrphanLine
    names?: OrphanNames
  },
): Promise<boolean> {
  const sql = wholeOf(own)
  const { acquirer_transaction_id = null, reversal_transaction_id = null } = end.names ?? {}
  const rows = await sql`
    with changed as (
      update orphan_authorisations set state = ${end.state}, settled_at = ${end.at}, next_try_at = null,
        last_failure = ${end.reason},
        acquirer_transaction_id = coalesce(acquirer_transaction_id, ${acquirer_transaction_id}),
        reversal_transaction_id = coalesce(${reversal_transaction_id}, reversal_transaction_id)
      where ${isThis(sql, orphan)}
        and (state = 'found' or (state = 'left' and ${end.state === 'reversed'}::boolean))
      returning *
    ), journal as (${journalOfChanged(sql, [end.line])})
    select 1 from changed`
  return rows.length > 0
}

/**
 * Returns false and writes nothing where another process has claimed it meanwhile. One that was held back meanwhile
 * does not become due.
 */
export async function postponeReversal(
  own: Sql,
  orphan: Orphan,
  next: Pick<Orphan, 'operation_id' | 'reversal_transaction_id' | 'amount' | 'currency'> & {
    at: Date
    failure: string
  },
): Promise<boolean> {
  const sql = wholeOf(own)
  const rows = await sql`
    update orphan_authorisations set operation_id = ${next.operation_id},
      reversal_transaction_id = ${next.reversal_transaction_id}, amount = ${next.amount}, currency = ${next.currency},
      next_try_at = case when next_try_at is null then null else ${next.at}::timestamptz end,
      last_failure = ${next.failure}
    where ${isThis(sql, orphan)} and state = 'found' and tries = ${orphan.tries} returning 1`
  return rows.length > 0
}

/** With the reversal that was begun. */
function isThis(sql: Sql, { acquirer, reference, operation_id }: Orphan): Fragment {
  return sql`acquirer = ${acquirer} and reference = ${reference} and operation_id = ${operation_id}`
}
