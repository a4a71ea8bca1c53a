// The SQL that finds events by the journal's lines of them: by their time, without an index of their own.

import type { Sql } from '../database/open.ts'
import { type EventType, eventTypes } from '../values.ts'
import type { Found, Stretch } from './trail.ts'

/** A journal line that was written in one statement with an event, whose type is the line's change. */
export type EventLine = { entry_id: string; payment_id: string; type: EventType }

export type ToldEvent = {
  event_id: string
  payment_id: string
  type: EventType
  /** The envelope's bytes. */
  body: string
}

/** The lines of each stretch, oldest first, at most so many of each. */
export async function listEventLines(
  sql: Sql,
  merchant_id: string,
  { stretches, lines_max }: { stretches: Stretch[]; lines_max: number },
): Promise<Found<EventLine>> {
  const asked = stretches
    .map((stretch, at) => ({ ...stretch, at }))
    .filter(({ from, below }) => below === null || below > from)
  const rows = await sql<(EventLine & { at: number })[]>`
    select s.at, j.* from json_to_recordset(${asked as never}::json)
      as s(at integer, "from" text, below text)
    cross join lateral (
      select entry_id, subject as payment_id, change as type from journal
      where merchant_id = ${merchant_id} and entry_id >= s."from"
        and entry_id < coalesce(s.below, ${above_all_ids}) and change in ${sql(eventTypes)}
      order by entry_id limit ${lines_max + 1} offset 0
    ) j
    order by s.at, j.entry_id`
  return stretches.map((_, at) => {
    const found = rows.filter((row) => row.at === at)
    return { lines: found.slice(0, lines_max), is_cut: found.length > lines_max }
  })
}

/** Ids are hexadecimal. */
const above_all_ids = 'g'

/** The events of lines, in their order, each with its line. */
export async function readEvents(
  sql: Sql,
  merchant_id: string,
  lines: EventLine[],
): Promise<(ToldEvent & { entry_id: string })[]> {
  return sql<(ToldEvent & { entry_id: string })[]>`
    select l.entry_id, e.* from json_to_recordset(${lines as never}::json)
      as l(entry_id text, payment_id text, type text)
    cross join lateral (
      select event_id, payment_id, type, body from events
      where merchant_id = ${merchant_id} and payment_id = l.payment_id and type = l.type offset 0
    ) e
    order by l.entry_id`
}
