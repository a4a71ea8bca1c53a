// The SQL by which sessions that nobody paid are deleted. The journal, which has a line of each session in the order of
// time, says which are old enough: an index by time would cost every create.

import type { Fragment, Sql } from '../../database/open.ts'
import type { Mode } from '../../kernel/values.ts'

/** Sessions of a mode are deleted where their line is below this id. */
export type PurgeAge = { mode: Mode; below: string }

/** A merchant whose lines have come to an age and were not gone through since: those behind `after`. */
export type DuePurge = PurgeAge & { merchant_id: string; after: string }

/** `limit` is null for all there are. */
export async function listDuePurges(
  sql: Sql,
  ages: PurgeAge[],
  limit: number | null,
): Promise<DuePurge[]> {
  return sql<DuePurge[]>`
    select m.merchant_id, a.mode, a.below, coalesce(p.until, '') as after
    from merchants m
    cross join json_to_recordset(${ages as never}::json) as a (mode text, below text collate "C")
    left join session_purges p on p.merchant_id = m.merchant_id and p.mode = a.mode
    cross join lateral (
      select 1 from journal j
      where j.merchant_id = m.merchant_id and j.entry_id > coalesce(p.until, '') and j.entry_id < a.below
      limit 1
    ) line
    order by m.merchant_id, a.mode limit ${limit}`
}

/** `last` is null where there was no line any more. */
export type PurgePage = { last: string | null; count: number }

/**
 * Goes through the next lines, and deletes the unpaid sessions among those they name, with their attempts. A session with a
 * payment stays, whatever became of that: its rows are what the journal and the acquirer are compared with. Where any are
 * deleted, a line says how many.
 */
export async function purgePage(
  sql: Sql,
  { merchant_id, mode, after, below }: DuePurge,
  line: { entry_id: string; at: Date },
  limit: number,
): Promise<PurgePage> {
  const [row] = await sql<PurgePage[]>`
    with page as materialized (
      select entry_id, subject, change from journal
      where merchant_id = ${merchant_id} and entry_id > ${after} and entry_id < ${below}
      order by entry_id limit ${limit}
    ), unpaid as materialized (
      select s.session_id
      from (select subject from page where change = 'session.created' order by entry_id) p
      cross join lateral (
        select session_id from sessions
        where merchant_id = ${merchant_id} and session_id = p.subject and mode = ${mode}
          and payment_id is null and expires_at < ${line.at}
        offset 0 for update
      ) s
    ), tried as (
      delete from attempts where merchant_id = ${merchant_id}
        and session_id = any(array(select session_id from unpaid))
    ), gone as (
      delete from sessions where merchant_id = ${merchant_id}
        and session_id = any(array(select session_id from unpaid))
      returning 1
    ), counted as materialized (
      select (select count(*)::integer from gone) as count, (select max(entry_id) from page) as last
    ), told as (
      insert into journal
        (merchant_id, entry_id, session_id, subject, change, detail, actor, request_id, at)
      select ${merchant_id}, ${line.entry_id}, null, ${merchant_id}, 'sessions.purged',
        json_build_object('mode', ${mode}::text, 'count', count), 'service', null, ${line.at}
      from counted where count > 0
    ), marked as (
      -- After the sessions, whose count it needs: two who purge the same lock both in one order.
      insert into session_purges (merchant_id, mode, until)
      select ${merchant_id}, ${mode}, last from counted where last is not null and count >= 0
      on conflict (merchant_id, mode) do update
        set until = greatest(session_purges.until, excluded.until)
    )
    select last, count from counted`
  return row!
}

/**
 * Whether the line that a session was created, `page` with its columns, is of one that was purged: it lies before the mark,
 * and no line tells that anything was to be paid.
 */
export function wasPurged(sql: Sql, merchant_id: string): Fragment {
  return sql`(
    exists (
      select 1 from session_purges p
      where p.merchant_id = ${merchant_id} and p.mode = page.detail->>'mode' and p.until >= page.entry_id)
    and not exists (
      select 1 from journal j
      where j.merchant_id = ${merchant_id} and j.session_id = page.subject
        and j.change <> 'session.created' and (j.change = 'charge.begun' or j.change like 'payment.%')))`
}
