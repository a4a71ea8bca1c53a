// Our mark at acquirers: drawn once for each database, and borne by every charge that it has.

import type { Sql } from './open.ts'

/** Returns the mark that the database has; gives it this one where it has none yet. Several processes may do so at once. */
export async function keepInstallation(
  sql: Sql,
  drawn: { installation_id: string; created_at: Date },
): Promise<string> {
  const [row] = await sql<{ installation_id: string }[]>`
    with kept as (
      insert into installation (only_row, installation_id, created_at)
      values (true, ${drawn.installation_id}, ${drawn.created_at})
      on conflict do nothing returning installation_id
    )
    select installation_id from kept union all select installation_id from installation`
  // Another process was faster, and its row came after this statement had begun.
  return row?.installation_id ?? keepInstallation(sql, drawn)
}
