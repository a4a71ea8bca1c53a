// Tells that a statement has come as far as a lock that another one holds.

import type { AnySql } from '../../src/database/open.ts'

/** The backends of this database whose statements wait for a lock. */
export function lockWaits(sql: AnySql): Promise<readonly { pid: number }[]> {
  return sql<{ pid: number }[]>`
    select pid from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and state = 'active'`
}

/** How many statements of this database wait for a lock. */
export async function countLockWaits(sql: AnySql): Promise<number> {
  const waits = await lockWaits(sql)
  return waits.length
}
