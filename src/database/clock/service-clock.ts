// Whether the processes that last started on this database run under a shifted clock.

import type { Sql } from '../open.ts'

export async function recordClockOffset(sql: Sql, offset_seconds: number): Promise<void> {
  await sql`
    insert into service_clock (only_row, offset_seconds) values (true, ${offset_seconds})
    on conflict (only_row) do update set offset_seconds = excluded.offset_seconds`
}

export async function recordedClockOffset(sql: Sql): Promise<number> {
  const [row] = await sql<{ offset_seconds: number }[]>`select offset_seconds from service_clock`
  return row?.offset_seconds ?? 0
}
