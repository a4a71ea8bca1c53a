// Our mark at acquirers: drawn once for each database, and carried by every charge from it.

import type { Sql } from '../open.ts'

/** Returns the database's mark, and stores this one if it has none yet. Several processes may do so at once. */
export async function keepInstallation(
  sql: Sql,
  drawn: { installation_id: string; created_at: Date },
): Promise<string> {
  const known = await findInstallation(sql)
  if (known !== null) return known
  await sql`
    insert into installation (only_row, installation_id, created_at)
    values (true, ${drawn.installation_id}, ${drawn.created_at}) on conflict do nothing`
  return (await findInstallation(sql))!
}

async function findInstallation(sql: Sql): Promise<string | null> {
  const [row] = await sql<{ installation_id: string }[]>`select installation_id from installation`
  return row?.installation_id ?? null
}
