// The SQL of the cards that shoppers tried last. It finds bank's checks that a shopper left: such a session has no decline.

import type { Sql } from '../../database/open.ts'
import type { TriedCard } from '../../payments/reading/life-store.ts'

/** Of each of these sessions the newest attempt. */
export async function listNewestAttempts(
  sql: Sql,
  merchant_id: string,
  session_ids: string[],
): Promise<(TriedCard & { session_id: string })[]> {
  return sql<(TriedCard & { session_id: string })[]>`
    select distinct on (session_id) session_id, attempt_id, number, brand, last4, payment_id, three_ds_state,
      challenge_expires_at, authentication_outcome
    from attempts where merchant_id = ${merchant_id} and session_id = any(${session_ids})
    order by session_id, number desc`
}
