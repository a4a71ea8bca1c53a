// The SQL of what operators see of the database.

import type { Sql } from '../../database/open.ts'

export type DatabaseState = { server_version: string; size_bytes: number; migration: number }

export async function readDatabaseState(sql: Sql): Promise<DatabaseState> {
  const [row] = await sql<[DatabaseState]>`
    select current_setting('server_version') as server_version,
      pg_database_size(current_database()) as size_bytes,
      (select max(number) from migrations) as migration`
  return row
}
