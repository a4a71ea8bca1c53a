// Our mark at acquirers: drawn once for each database, and carried by every charge from it.

import type { Sql } from '../open.ts'

/** Returns the database's mark, and stores this one if it has none yet. Several processes may do so at once. */
export async function keepInstallation(
  sql: Sql,
  draft: { installation_id: string; created_at: Date },
): Promise<string> {
  const existing_id = await findInstallation(sql)
  if (existing_id !== null) return existing_id
  await sql`
    insert into installation (only_row, installation_id, created_at)
    values (true, ${draft.installation_id}, ${draft.created_at}) on conflict do nothing`
  return (await findInstallation(sql))!
}

async function findInstallation(sql: Sql): Promise<string | null> {
  const [row] = await sql<{ installation_id: string }[]>`select installation_id from installation`
  return row?.installation_id ?? null
}
