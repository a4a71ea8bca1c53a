// The SQL of journal lines: writes them for the rows that a statement changes, and reads them with their places in the
// chain.

import { rowValues } from '../database/driver/rows.ts'
import type { AnySql, Fragment, Sql } from '../database/open.ts'
import { idsFrom } from '../kernel/ids.ts'
import type { PlacedLine } from './chain.ts'
import { writtenLine } from './chain-store.ts'
import type { JournalLine, OpenLine } from './journal.ts'

/**
 * The body of a CTE that writes a line for the one row of `gate`. The columns `merchant_id` and `subject` of `gate` go
 * into the line. If both are known beforehand, `insert into journal ${rowIf(sql, line, 'gate')}` is enough.
 */
export function journalOf(sql: AnySql, line: OpenLine, gate: Fragment) {
  const { entry_id, session_id, change, detail, actor, request_id, at } = line
  return sql`
    insert into journal
      (merchant_id, subject, entry_id, session_id, change, detail, actor, request_id, at)
    select merchant_id, subject, ${entry_id}, ${session_id}, ${change}, ${detail as never}, ${actor},
      ${request_id}, ${at}
    from (${gate}) gate`
}

/**
 * The lines of a session, oldest first. The line of the session's creation is found only by its own id, which begins
 * with its time.
 */
export async function listLines(
  sql: Sql,
  session: { merchant_id: string; session_id: string; created_at: Date },
): Promise<PlacedLine[]> {
  const { merchant_id, session_id, created_at } = session
  const [from, below] = [0, 1].map((ms) => idsFrom(new Date(created_at.getTime() + ms)))
  return sql<PlacedLine[]>`
    select ${writtenLine(sql, sql`j`)} as line, c.position, c.hash, before.hash as previous_hash
    from (
      select * from journal
      where merchant_id = ${merchant_id} and session_id = ${session_id} and change <> 'session.created'
      union all
      select * from journal
      where merchant_id = ${merchant_id} and entry_id > ${from!} and entry_id < ${below!}
        and session_id = ${session_id} and change = 'session.created'
    ) j
    left join lateral (
      select position, hash from audit_chain c
      where c.merchant_id = j.merchant_id and c.entry_id = j.entry_id offset 0
    ) c on true
    left join lateral (
      select hash from audit_chain b
      where b.merchant_id = j.merchant_id and b.position = c.position - 1 offset 0
    ) before on true
    order by j.at, j.entry_id`
}

/** Writes one line, for a change that takes several statements of one transaction. */
export async function insertLine(sql: AnySql, line: JournalLine): Promise<void> {
  await sql`insert into journal ${rowValues(sql, line)}`
}
