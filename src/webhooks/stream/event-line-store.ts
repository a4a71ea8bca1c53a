// The SQL that finds events by their lines in the journal: by time, without an index of their own.

import type { Fragment, Sql } from '../../database/open.ts'
import type { Mode, StoredEventType } from '../../kernel/values.ts'
import type { ReadResult, TrailRead } from './trail.ts'

/**
 * A journal line that was written together with an event. Its change is the event's type, and its subject the event's
 * subject.
 */
export type EventLine = { entry_id: string; payment_id: string; type: StoredEventType }

/** How many lines of any type one read takes from each range. */
export const lines_of_read_max = 2_000

/** The lines of events of these types in each range, oldest first. Other lines count towards the limit. */
export async function listEventLines(
  sql: Sql,
  merchant_id: string,
  { ranges, types }: Pick<TrailRead, 'ranges'> & { types: readonly StoredEventType[] },
): Promise<ReadResult<EventLine>> {
  const result = await listLinesOf(sql, { merchant_id, ranges }, sql`type = any(${types})`)
  return result as ReadResult<EventLine>
}

/** A line of the journal: `type` is its change, and `payment_id` its subject of any kind. */
export type SubjectLine = { entry_id: string; payment_id: string; type: string }

/** The lines in each range that fit a condition on `type`, oldest first. Other lines count towards the limit. */
export async function listLinesOf(
  sql: Sql,
  { merchant_id, ranges }: { merchant_id: string } & Pick<TrailRead, 'ranges'>,
  condition: Fragment,
): Promise<ReadResult<SubjectLine>> {
  const [newest, ...aged] = ranges
  const openRanges = aged
    .map((range, index) => ({ ...range, at: index + 1 }))
    .filter(({ from, below }) => below! > from)
  const selection = sql`
    select entry_id, subject as payment_id, change as type from journal
    where merchant_id = ${merchant_id}`
  const upTo = sql`order by entry_id limit ${lines_of_read_max + 1}`
  // The newest range has no end: with one, PostgreSQL would expect few rows and sort all of them for each page.
  const rows = await sql<(SubjectLine & { at: number; is_beyond: boolean })[]>`
    select * from (
      select found.*, row_number() over (partition by at order by entry_id) > ${lines_of_read_max} as is_beyond from (
        (select 0 as at, n.* from (${selection} and entry_id >= ${newest!.from} ${upTo}) n)
        union all
        select s.at, j.* from json_to_recordset(${openRanges as never}::json) as s(at integer, "from" text, below text)
        cross join lateral (
          ${selection} and entry_id >= s."from" and entry_id < s.below ${upTo}
        ) j
      ) found
    ) numbered
    where is_beyond or ${condition}
    order by at, entry_id`
  return ranges.map((_, at) => {
    const here = rows.filter((row) => row.at === at)
    const cut_at = here.find(({ is_beyond }) => is_beyond)?.entry_id ?? null
    return { lines: here.filter(({ is_beyond }) => !is_beyond), cut_at }
  })
}

export type EventOfLine = EventLine & { event_id: string; sequence: number; body: string }

/** The events of these lines, in their order, each with its line; only those of one mode if it is not null. */
export async function listEventsOf(
  sql: Sql,
  reading: { merchant_id: string; only_mode: Mode | null; lines: EventLine[] },
): Promise<EventOfLine[]> {
  const { merchant_id, only_mode, lines } = reading
  const ofMode = only_mode === null ? sql`` : sql`where e.body::json->'data'->>'mode' = ${only_mode}`
  return sql<EventOfLine[]>`
    select l.entry_id, e.* from json_to_recordset(${lines as never}::json)
      as l(entry_id text, payment_id text, type text)
    cross join lateral (
      select event_id, payment_id, sequence, type, body from events
      where merchant_id = ${merchant_id} and payment_id = l.payment_id and type = l.type
        and ${isOfLine(sql, sql`l.entry_id`)} offset 0
    ) e ${ofMode}
    order by l.entry_id`
}

/**
 * Whether the event `events` was written with a line: both have one time. A dispute that is reopened has two of one type; all others
 * are found by subject and type alone.
 */
export function isOfLine(sql: Sql, entryId: Fragment): Fragment {
  const ms = sql`lpad(to_hex((extract(epoch from events.created_at) * 1000)::bigint), 12, '0')`
  return sql`(events.type not like 'dispute.%' or left(${entryId}, 12) = ${ms})`
}
