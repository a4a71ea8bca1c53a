// The SQL that deletes unpaid sessions. The journal has a line for each session in the order of time, and shows which ones are
// old enough. An index by time would make every create more expensive.

import { isOutsideChain } from '../../audit/chain-store.ts'
import type { Fragment, Sql } from '../../database/open.ts'
import type { Mode } from '../../kernel/values.ts'
import { withoutShopper } from '../../webhooks/queue/compatible-event.ts'

/** Sessions of a mode are deleted if their line's id is below this one. */
export type PurgeAge = { mode: Mode; below: string }

/** A merchant with lines that have become old enough since the last purge. Those lines come after `after`. */
export type DuePurge = PurgeAge & { merchant_id: string; after: string }

/** `limit` is null for all of them. */
export async function listDuePurges(sql: Sql, ages: PurgeAge[], limit: number | null): Promise<DuePurge[]> {
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

/** Whether the role may delete lines of the journal, which some installations do not let it. */
export async function mayForgetLines(sql: Sql): Promise<boolean> {
  const [row] = await sql<{ may: boolean }[]>`select has_table_privilege('journal', 'delete') as may`
  return row!.may
}

/** `last` is null if no line was left. */
export type PurgePage = { last: string | null; count: number }

/**
 * Processes the next lines, and deletes the unpaid sessions among those they name, with their attempts. A session with a
 * payment stays, whatever the payment's outcome: its rows are compared with the journal and the acquirer. If any are deleted, a
 * line records their number. The line of a session that a page made is deleted with it, unless it is in a chain: `forgets_lines` says
 * whether the role may delete lines.
 */
export async function purgePage(
  sql: Sql,
  { merchant_id, mode, after, below }: DuePurge,
  { line, forgets_lines }: { line: { entry_id: string; at: Date }; forgets_lines: boolean },
  limit: number,
): Promise<PurgePage> {
  const forgotten = forgets_lines
    ? sql`
      delete from journal where merchant_id = ${merchant_id} and entry_id = any(array(
        select entry_id from page
        where subject = any(array(select session_id from unpaid)) and ${isOutsideChain(sql, sql`page`)}
          and not exists (
            select 1 from audit_chain c
            where c.merchant_id = page.merchant_id and c.entry_id = page.entry_id offset 0)))`
    : sql`select 1`
  const [row] = await sql<PurgePage[]>`
    with page as materialized (
      select merchant_id, entry_id, session_id, subject, change, actor from journal
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
    ), events as (
      update events e set body = ${withoutShopper(sql, 'session')}
      where merchant_id = ${merchant_id} and payment_id = any(array(select session_id from unpaid))
    ), forgotten as (${forgotten}
    ), counted as materialized (
      select (select count(*)::integer from gone) as count, (select max(entry_id) from page) as last
    ), told as (
      insert into journal
        (merchant_id, entry_id, session_id, subject, change, detail, actor, request_id, at)
      select ${merchant_id}, ${line.entry_id}, null, ${merchant_id}, 'sessions.purged',
        json_build_object('mode', ${mode}::text, 'count', count), 'service', null, ${line.at}
      from counted where count > 0
    ), marked as (
      -- Needs the count of the sessions, so that two purges lock sessions and this row in one order.
      insert into session_purges (merchant_id, mode, until)
      select ${merchant_id}, ${mode}, last from counted where last is not null and count >= 0
      on conflict (merchant_id, mode) do update
        set until = greatest(session_purges.until, excluded.until)
    )
    select last, count from counted`
  return row!
}

/**
 * Whether a line about a session's creation belongs to a purged session; `page` has the line's columns. The line must lie
 * before the mark, and no other line may show that a payment was begun.
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
