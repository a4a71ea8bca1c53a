// Whether the processes that last started on this database run under a shifted clock.

import type { Sql } from '../open.ts'

/** Throws an Error for people where other processes run under another clock: deadlines and sweeps would go by both. */
export async function agreeOnClockOffset(sql: Sql, offset_seconds: number, has_others: boolean): Promise<void> {
  const others_seconds = has_others ? await recordedClockOffset(sql) : offset_seconds
  if (others_seconds !== offset_seconds) {
    throw new Error(
      `RIPPER_CLOCK_OFFSET_SECONDS must be ${others_seconds}, as in the other processes of this database (it is ${offset_seconds}). ` +
        'Stop them first to change it; one that was killed counts for 17 s more.',
    )
  }
  await recordClockOffset(sql, offset_seconds)
}

export async function recordClockOffset(sql: Sql, offset_seconds: number): Promise<void> {
  await sql`
    insert into service_clock (only_row, offset_seconds) values (true, ${offset_seconds})
    on conflict (only_row) do update set offset_seconds = excluded.offset_seconds`
}

export async function recordedClockOffset(sql: Sql): Promise<number> {
  const [row] = await sql<{ offset_seconds: number }[]>`select offset_seconds from service_clock`
  return row?.offset_seconds ?? 0
}
