// The SQL of the processes that work on this database.

import type { Sql } from '../open.ts'
import { processWords, sinceOf } from './process-id.ts'

export type ProcessRow = {
  process_id: string
  serves: boolean
  seen_at: Date
  /** An unnamed proxy through which its requests come; null without one. */
  unnamed_proxy: string | null
  /** The current master key, if the process lacks it; otherwise null. */
  lacks_key: string | null
}

/**
 * How many other processes were seen recently, and which master key is current for all; null if nothing was ever
 * sealed.
 */
export type Others = { serving: number; all: number; current_key_id: string | null }

/** Writes that this process is here, forgets one that was gone long ago, and counts the others. */
export async function saveProcess(
  sql: Sql,
  { process_id, serves, seen_at, unnamed_proxy, lacks_key }: ProcessRow,
  { here_since, forgotten_before }: { here_since: Date; forgotten_before: Date },
): Promise<Others> {
  const [row] = await sql<Others[]>`
    with forgotten as (
      delete from processes where process_id in (
        select process_id from processes
        where seen_at < ${forgotten_before} and process_id <> ${process_id}
        limit 1)
    ), here as (
      insert into processes (process_id, serves, seen_at, unnamed_proxy, lacks_key)
      values (${process_id}, ${serves}, ${seen_at}, ${unnamed_proxy}, ${lacks_key})
      on conflict (process_id) do update set seen_at = excluded.seen_at, unnamed_proxy = excluded.unnamed_proxy,
        lacks_key = excluded.lacks_key
    )
    select count(*)::int as all, (count(*) filter (where serves))::int as serving,
      (select key_id from sealing_keys order by made_current_at desc, key_id limit 1) as current_key_id
    from processes where seen_at >= ${here_since} and process_id <> ${process_id}`
  return row!
}

/** Unnamed proxies of all processes, at most `limit`. */
export async function listUnnamedProxies(sql: Sql, limit: number): Promise<string[]> {
  const rows = await sql<{ unnamed_proxy: string }[]>`
    select distinct unnamed_proxy from processes where unnamed_proxy is not null
    order by unnamed_proxy limit ${limit}`
  return rows.map(({ unnamed_proxy }) => unnamed_proxy)
}

export type ProcessHere = Pick<ProcessRow, 'lacks_key'> & {
  /** Which one it is, for people. */
  words: string
  /** Null in one of an earlier release. */
  since: Date | null
}

export async function listProcesses(sql: Sql, here_since: Date): Promise<ProcessHere[]> {
  const rows = await sql<Pick<ProcessRow, 'process_id' | 'serves' | 'lacks_key'>[]>`
    select process_id, serves, lacks_key from processes where seen_at >= ${here_since} order by process_id`
  return rows.map((row) => ({ words: processWords(row), since: sinceOf(row.process_id), lacks_key: row.lacks_key }))
}

export async function deleteProcess(sql: Sql, process_id: string): Promise<void> {
  await sql`delete from processes where process_id = ${process_id}`
}
