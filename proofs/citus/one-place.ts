// All rows of a cluster in one embedded PostgreSQL, for checks that join the rows of all merchants.

import { joinEmbedded } from '../../src/database/embedded/embedded.ts'
import { migrate } from '../../src/database/migrate.ts'
import { type AnySql, openDatabase } from '../../src/database/open.ts'
import type { ServiceResources } from '../../src/service/resources.ts'
import { newDataFolder, removeData } from '../../tests/support/setup-database.ts'
import { quiet, realClock } from '../../tests/support/world.ts'

export type OnePlace = { opened: ServiceResources; close(): Promise<void> }

export async function copyToOnePlace(opened: ServiceResources): Promise<OnePlace> {
  const data_dir = newDataFolder()
  const server = await joinEmbedded({ data_dir, log: quiet, clock: realClock })
  await server.admin()`create database copy template template0`
  const url = `postgres://ripper@localhost/copy?host=${encodeURIComponent(server.socket_folder)}`
  const database = await openDatabase({ url, data_dir: '', connections_max: 2, log: quiet, clock: realClock })
  const { sql } = database
  await migrate({ sql, log: quiet, clock: realClock })
  const tables = await sql<{ name: string }[]>`
    select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p') and not c.relispartition and n.nspname in ('public', 'vault')
      and c.relname <> 'migrations'`
  await sql.begin(async (tx) => {
    // In whatever order they come.
    await tx`set local session_replication_role = replica`
    for (const { name } of tables) await copy(opened.database.sql, tx, name)
  })
  return {
    opened: { ...opened, database },
    async close() {
      await database.close()
      await server.leave()
      removeData(data_dir)
    },
  }
}

async function copy(from: AnySql, to: AnySql, table: string): Promise<void> {
  const rows = await from.unsafe<{ row: string }[]>(`select row_to_json(t)::text as row from ${table} t`)
  await to.unsafe(`delete from ${table}`)
  const all = `[${rows.map(({ row }) => row).join(',')}]`
  await to.unsafe(`insert into ${table} select * from json_populate_recordset(null::${table}, $1::text::json)`, [all])
}
