// The service's database in the embedded server, and the role that owns it and may do nothing else there.

import { connect } from '../driver/driver.ts'
import type { AnySql, Sql } from '../driver/pool.ts'
import { owner_role, service_role } from './access.ts'

export const service_database = 'ripper'

const making_lock = 7_214_002
/** A change of owner waits for statements that use the table. */
const lock_timeout_ms = 10_000

/**
 * Creates the database and the role if they are missing. Objects that an older release created as the superuser become the
 * role's. `admin` is the superuser's connection to the database `postgres`.
 */
export async function ensureServiceDatabase(admin: Sql, socket_folder: string): Promise<void> {
  await admin`select pg_advisory_lock(${making_lock})`
  try {
    const [state] = await admin<[{ has_role: boolean; owner: string | null }]>`
      select exists (select 1 from pg_roles where rolname = ${service_role}) as has_role,
        (select pg_get_userbyid(datdba) from pg_database where datname = ${service_database}) as owner`
    if (!state.has_role) await admin`create role ${admin(service_role)} login`
    if (state.owner === null) {
      await admin`
        create database ${admin(service_database)} owner ${admin(service_role)} template template0`
    } else {
      await handOver(admin, state.owner, socket_folder)
    }
  } finally {
    await admin`select pg_advisory_unlock(${making_lock})`
  }
}

async function handOver(admin: Sql, owner: string, socket_folder: string): Promise<void> {
  const address = { socket_folder, database: service_database, user: owner_role }
  const sql = connect(address, { connections_max: 1, lock_timeout_ms, statement_timeout_ms: 0 })
  try {
    for (const { kind, name } of await ownedBySuperuser(sql)) {
      await sql.unsafe(`alter ${kind} ${name} owner to ${service_role}`)
    }
  } finally {
    await sql.end({ timeout: 1 })
  }
  if (owner !== service_role) {
    await admin`alter database ${admin(service_database)} owner to ${admin(service_role)}`
  }
}

/** Tables come before objects that may belong to them and then change owner with them. */
async function ownedBySuperuser(sql: AnySql): Promise<{ kind: string; name: string }[]> {
  return sql<{ kind: string; name: string }[]>`
    with ours as (
      select oid, nspname, nspowner from pg_namespace
      where nspname not in ('pg_catalog', 'information_schema') and nspname not like 'pg\\_toast%'
        and nspname not like 'pg\\_temp%'
    ), superuser as (select oid from pg_roles where rolname = ${owner_role})
    select kind, name from (
      select 1 as turn, 'schema' as kind, quote_ident(nspname) as name from ours
      where nspowner = (select oid from superuser)
      union all
      select 2, case relkind when 'v' then 'view' when 'm' then 'materialized view' else 'table' end,
        format('%I.%I', nspname, relname)
      from pg_class join ours on ours.oid = relnamespace
      where relowner = (select oid from superuser) and relkind in ('r', 'p', 'v', 'm')
      union all
      select 3, 'sequence', format('%I.%I', nspname, relname)
      from pg_class c join ours on ours.oid = relnamespace
      where relowner = (select oid from superuser) and relkind = 'S' and not exists (
        select 1 from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid
          and d.deptype in ('a', 'i'))
      union all
      select 4, 'routine', p.oid::regprocedure::text
      from pg_proc p join ours on ours.oid = pronamespace
      where proowner = (select oid from superuser)
    ) each order by turn, name`
}
