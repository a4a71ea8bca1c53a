// The SQL that writes orphans: by themselves, or as part of the statement that gives a charge up.

import { standInReference } from '../../acquirers/reference.ts'
import { wholeOf } from '../../database/cells/cells.ts'
import { rowIf } from '../../database/driver/rows.ts'
import type { AnySql, Fragment, Sql } from '../../database/open.ts'
import { every_acquirer, lapsed, type Orphan, type OrphanLine } from '../orphan.ts'
import { isAnother } from '../orphan-candidates.ts'

/**
 * Writes orphans, each with the reference of its reversal, and lines about those that it returns: new ones, those that
 * have the acquirer's id only now, and live ones whose reversal was settled before `settled_before`. An orphan that a person
 * left stays as it is.
 */
export async function saveOrphans(
  own: Sql,
  orphans: Orphan[],
  { settled_before, lines }: { settled_before: Date; lines: OrphanLine[] },
): Promise<Orphan[]> {
  const sql = wholeOf(own)
  return sql<Orphan[]>`
    with changed as (
      insert into orphan_authorisations as known
        (acquirer, reference, handle, acquirer_transaction_id, mode, amount, currency, authorised_at, found_at, merchant_id, payment_id, operation_id,
         state, tries, next_try_at, watched_until, held_back_at)
      select acquirer, reference, handle, acquirer_transaction_id, mode, amount, currency, authorised_at, found_at, merchant_id, payment_id,
        operation_id, state, tries, next_try_at, watched_until, held_back_at
      from json_to_recordset(${orphans as never}::json) as found (
        acquirer text, reference text, handle text, acquirer_transaction_id text, mode text, amount bigint, currency text, authorised_at timestamptz,
        found_at timestamptz, merchant_id text, payment_id text, operation_id text, state text, tries integer,
        next_try_at timestamptz, watched_until timestamptz, held_back_at timestamptz)
      order by acquirer, reference collate "C"
      on conflict (acquirer, reference) do update set ${foundAnew(sql)}
      where (known.settled_at < ${settled_before} and known.state <> 'left') or ${isNamedNow(sql)}
      returning *
    ), journal as (${journalOfChanged(sql, lines)})
    select * from changed`
}

/**
 * Writes one orphan. If its reference is already that of another authorisation's orphan, the acquirer has made two of one request:
 * this one then gets a reference that its id always gives.
 */
export async function saveOrphan(
  own: Sql,
  orphan: Orphan,
  lines: { settled_before: Date; lines: OrphanLine[] },
): Promise<boolean> {
  if ((await saveOrphans(own, [orphan], lines)).length > 0) return true
  const { acquirer, reference } = orphan
  const [row] = await wholeOf(own)<Pick<Orphan, 'handle' | 'acquirer_transaction_id'>[]>`
    select handle, acquirer_transaction_id from orphan_authorisations
    where acquirer = ${acquirer} and reference = ${reference}`
  if (!row || !isAnother(row, orphan)) return false
  const apart = { ...orphan, reference: standInReference(orphan.acquirer_transaction_id!) }
  const own_lines = lines.lines.map((line) => ({ ...line, reference: apart.reference }))
  return (await saveOrphans(own, [apart], { ...lines, lines: own_lines })).length > 0
}

/** The pool for a statement with `orphanIf`: orphans of all merchants lie together. */
export function poolFor(sql: Sql, orphan: Orphan | null | undefined): Sql {
  return orphan ? wholeOf(sql) : sql
}

/**
 * Part of a statement: an insert that happens where the CTE `gate` has a row, so that a charge is given up and its
 * reversal due, or neither. An orphan that held no money so far is looked up again. Without an orphan nothing is
 * written.
 */
export function orphanIf(sql: Sql, orphan: Orphan | null | undefined, gate: string): Fragment {
  if (!orphan) return sql`select 1`
  return sql`
    insert into orphan_authorisations as known ${rowIf(sql, orphan, gate)}
    on conflict (acquirer, reference) do update set ${foundAnew(sql)}
    where known.state = 'nothing_to_reverse'`
}

/**
 * The charge that was reversed by our reference alone has turned out to exist, and now has the acquirer's id. What the reversal
 * was answered is of no use any more. Not for orphans that a person or the brake decides about.
 */
function isNamedNow(sql: Sql): Fragment {
  return sql`(known.state = 'found' and known.merchant_id is not null and known.held_back_at is null
    and known.acquirer_transaction_id is null and known.handle is null
    and excluded.acquirer_transaction_id is not null)`
}

/** An orphan that was settled and is found again becomes due. A person's decision about it is kept. */
function foundAnew(sql: Sql): Fragment {
  return sql`
    handle = excluded.handle, acquirer_transaction_id = excluded.acquirer_transaction_id,
    amount = excluded.amount, currency = excluded.currency, authorised_at = excluded.authorised_at,
    found_at = excluded.found_at, merchant_id = excluded.merchant_id, payment_id = excluded.payment_id,
    operation_id = excluded.operation_id, state = excluded.state, tries = excluded.tries,
    reversal_transaction_id = null, next_try_at = excluded.next_try_at, watched_until = excluded.watched_until, held_back_at = excluded.held_back_at,
    last_failure = null, settled_at = null`
}

/** The body of a CTE that writes lines about orphans in the CTE `changed` whose payment is known. */
export function journalOfChanged(sql: AnySql, lines: OrphanLine[]): Fragment {
  return sql`
    insert into journal
      (merchant_id, subject, entry_id, session_id, change, detail, actor, request_id, at)
    select p.merchant_id, p.payment_id, l.entry_id, p.session_id, l.change, l.detail, l.actor, l.request_id, l.at
    from json_to_recordset(${lines as never}::json) as l (
      reference text, entry_id text, change text, detail json, actor text, request_id text, at timestamptz)
    join changed c on c.reference = l.reference
    join payments p on p.merchant_id = c.merchant_id and p.payment_id = c.payment_id`
}

/**
 * The orphans of a charge that are not settled, by the acquirer's id of it. One that has no such id yet is known by our reference
 * of the charge.
 */
export async function findOrphansOfCharge(
  sql: Sql,
  charge: { acquirer: string; reference: string | null; transaction_id: string },
): Promise<Orphan[]> {
  return sql<Orphan[]>`
    select * from orphan_authorisations
    where acquirer = ${charge.acquirer} and state = 'found' and (${isOfCharge(sql, charge.transaction_id)}
      or (coalesce(handle, acquirer_transaction_id) is null and reference = ${charge.reference}))`
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
export async function isChargeSettled(
  sql: Sql,
  charge: { acquirer: string; transaction_id: string },
): Promise<boolean> {
  const rows = await sql`
    select from orphan_authorisations
    where acquirer = ${charge.acquirer} and (state = 'reversed' or last_failure = ${lapsed}) and ${isOfCharge(sql, charge.transaction_id)}`
  return rows.length > 0
}

function isOfCharge(sql: Sql, transaction_id: string): Fragment {
  return sql`coalesce(handle, acquirer_transaction_id) = ${transaction_id}`
}

/** Whether a brake of the acquirer was pulled after that time, even if a person has released it again. */
export async function wasPulledAfter(sql: Sql, acquirer: string, at: Date): Promise<boolean> {
  const rows = await sql`
    select 1 from orphan_brakes
    where acquirer in (${acquirer}, ${every_acquirer}) and pulled_at > ${at}`
  return rows.length > 0
}
