// The SQL of seats that streams take, over all processes.

import type { Sql } from '../database/open.ts'

export type SeatRow = { seat_id: string; process_id: string; owner: string }

/** False if the owner has the maximum of seats in processes that were seen since then. */
export async function insertSeat(
  sql: Sql,
  { seat_id, process_id, owner }: SeatRow,
  { max, here_since }: { max: number; here_since: Date },
): Promise<boolean> {
  const rows = await sql`
    insert into stream_seats (seat_id, process_id, owner)
    select ${seat_id}, ${process_id}, ${owner}
    where (
      select count(*) from stream_seats s join processes p on p.process_id = s.process_id
      where s.owner = ${owner} and p.seen_at >= ${here_since}) < ${max}
    returning 1`
  return rows.length > 0
}

export async function deleteSeat(sql: Sql, seat_id: string): Promise<void> {
  await sql`delete from stream_seats where seat_id = ${seat_id}`
}
