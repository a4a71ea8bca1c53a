// The SQL of the processes that work on this database.

import type { Sql } from '../open.ts'

export type ProcessRow = { process_id: string; serves: boolean; seen_at: Date }

/** How many other processes were seen of late. */
export type Others = { serving: number; all: number }

/** Writes that this process is here, forgets one that was gone long ago, and counts the others. */
export async function saveProcess(
  sql: Sql,
  { process_id, serves, seen_at }: ProcessRow,
  { here_since, forgotten_before }: { here_since: Date; forgotten_before: Date },
): Promise<Others> {
  const [row] = await sql<Others[]>`
    with forgotten as (
      delete from processes where process_id in (
        select process_id from processes
        where seen_at < ${forgotten_before} and process_id <> ${process_id}
        limit 1)
    ), here as (
      insert into processes (process_id, serves, seen_at) values (${process_id}, ${serves}, ${seen_at})
      on conflict (process_id) do update set seen_at = excluded.seen_at
    )
    select count(*)::int as all, (count(*) filter (where serves))::int as serving
    from processes where seen_at >= ${here_since} and process_id <> ${process_id}`
  return row!
}

export async function deleteProcess(sql: Sql, process_id: string): Promise<void> {
  await sql`delete from processes where process_id = ${process_id}`
}
