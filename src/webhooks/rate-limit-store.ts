// The SQL of the rate limits of webhook routes: one row for each merchant and kind counts the requests of one minute.

import type { Sql } from '../database/open.ts'

export type RequestKind = 'read' | 'write' | 'replay'

/**
 * Counts a request. Returns its minute and the count. If a process with a clock ahead has begun the next minute, the
 * request counts there.
 */
export async function countRequest(
  sql: Sql,
  request: { merchant_id: string; kind: RequestKind; minute: Date },
): Promise<{ minute: Date; used: number }> {
  const same = sql`kept.minute between excluded.minute and excluded.minute + interval '1 minute'`
  const [row] = await sql<{ minute: Date; used: number }[]>`
    insert into webhook_rate_limits as kept (merchant_id, kind, minute, used)
    values (${request.merchant_id}, ${request.kind}, ${request.minute}, 1)
    on conflict (merchant_id, kind) do update set
      minute = case when ${same} then kept.minute else excluded.minute end,
      used = case when ${same} then kept.used + 1 else 1 end
    returning minute, used`
  return row!
}
