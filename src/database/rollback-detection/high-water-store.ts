// The SQL of high-water marks, and of the identity of the server that holds them.

import { isStoreUnavailable } from '../failures.ts'
import type { Sql } from '../open.ts'
import type { DatabaseObservation, DatabaseServer, Mark } from './high-water.ts'

export async function observeDatabase(sql: Sql, mark: Mark | null): Promise<DatabaseObservation> {
  const [row] = await sql<
    [{ database: string; installation: string | null; at_remembered: string | null; newest: KeptMark | null } & May]
  >`
    select current_database() as database, (select installation_id from installation) as installation,
      (select mark from high_water_marks where epoch = ${mark?.epoch ?? null}::bigint) as at_remembered,
      (select row_to_json(m) from high_water_marks m order by epoch desc limit 1) as newest,
      ${mayRead(sql)}`
  const { database, installation, at_remembered, newest, ...may } = row
  return {
    database,
    installation,
    at_remembered,
    newest: newest && { ...newest, written_at: new Date(newest.written_at) },
    server: await readAllowed(sql, may),
  }
}

/** As JSON has it. */
type KeptMark = Omit<Mark, 'written_at'> & { written_at: string }

/** The identity of the server that answers. Members that its role may not read are null. */
export async function readServer(sql: Sql): Promise<DatabaseServer> {
  const [may] = await sql<[May]>`select ${mayRead(sql)}`
  return readAllowed(sql, may)
}

/** What of a server's identity the role may read. */
type May = { system: boolean; wal: boolean }

function mayRead(sql: Sql) {
  return sql`${mayCall(sql, 'pg_control_system()')} as system,
    ${mayCall(sql, 'pg_current_wal_lsn()')} and ${mayCall(sql, 'pg_walfile_name(pg_lsn)')}
      and not pg_is_in_recovery() as wal`
}

/** Does not even name a function that the role may not call, because the server would log an error each time. */
async function readAllowed(sql: Sql, may: May): Promise<DatabaseServer> {
  const [[system], [wal]] = await Promise.all([
    may.system ? orNothing(sql<{ id: string }[]>`select system_identifier::text as id from pg_control_system()`) : [],
    may.wal
      ? orNothing(sql<{ segment: string }[]>`
          select pg_walfile_name(pg_current_wal_lsn()) as segment`)
      : [],
  ])
  return {
    system_identifier: system?.id ?? null,
    // A WAL segment's name begins with the timeline in hex. The last checkpoint's timeline would be outdated after a promotion.
    timeline: wal ? Number.parseInt(wal.segment.slice(0, 8), 16) : null,
  }
}

/** Returns the mark; null if another process wrote one with that number. Marks from before `keep_since` are deleted. */
export async function writeMark(
  sql: Sql,
  {
    mark,
    written_at,
    server,
    keep_since,
  }: Omit<Mark, 'epoch' | keyof DatabaseServer> & {
    server: DatabaseServer
    keep_since: Date
  },
): Promise<Mark | null> {
  const { system_identifier, timeline } = server
  const [row] = await sql<Mark[]>`
    with old as (delete from high_water_marks where written_at < ${keep_since})
    insert into high_water_marks (epoch, mark, written_at, system_identifier, timeline)
    select coalesce(max(epoch), 0) + 1, ${mark}, ${written_at}, ${system_identifier}, ${timeline}
    from high_water_marks
    on conflict do nothing
    returning epoch, mark, written_at, system_identifier, timeline`
  return row ?? null
}

function mayCall(sql: Sql, name: string) {
  return sql`coalesce(has_function_privilege(to_regprocedure(${`pg_catalog.${name}`}), 'execute'), false)`
}

/** A PostgreSQL-compatible service may have the function and refuse to answer. */
async function orNothing<Row>(rows: PromiseLike<readonly Row[]>): Promise<readonly Row[]> {
  try {
    return await rows
  } catch (error) {
    if (isStoreUnavailable(error)) throw error
    return []
  }
}
