// Tells that a statement has come as far as a lock that another one holds.

import type { AnySql } from '../../src/database/open.ts'

/** How many statements of this database wait for a lock. */
export async function countLockWaits(sql: AnySql): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`
  return row!.count
}
