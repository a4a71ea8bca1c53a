// The SQL that starts from a single id and finds its session and that session's payments.

import { fromCells, reachOf } from '../../database/cells/cells.ts'
import type { Sql } from '../../database/open.ts'
import type { SessionHolder } from '../../http/access.ts'
import type { Attempt } from '../attempt.ts'

export type LifeKey = SessionHolder & {
  /** The payment that was named, or a named session's newest payment; null if it has none. */
  payment_id: string | null
}

/** The session of a payment or session id. It takes one look-up by key for each merchant, unless a merchant is named. */
export async function findLifeKey(whole: Sql, id: string, merchant_id: string | null): Promise<LifeKey | undefined> {
  const [row] = await fromCells(await reachOf(whole, merchant_id), (sql) => {
    const found = id.startsWith('cs_')
      ? sql`select session_id, payment_id from sessions s
          where s.merchant_id = m.merchant_id and s.session_id = ${id} offset 0`
      : sql`select session_id, payment_id from payments p
          where p.merchant_id = m.merchant_id and p.payment_id = ${id} offset 0`
    return sql<LifeKey[]>`
      select m.merchant_id, found.session_id, found.payment_id
      from merchants m cross join lateral (${found}) found
      ${merchant_id === null ? sql`` : sql`where m.merchant_id = ${merchant_id}`}
      limit 1`
  })
  return row
}

/** A card that was tried, and its payment; null where it was never confirmed. */
export type TriedCard = Pick<
  Attempt,
  | 'attempt_id'
  | 'number'
  | 'brand'
  | 'last4'
  | 'payment_id'
  | 'three_ds_state'
  | 'challenge_expires_at'
  | 'authentication_outcome'
>

/** A session's attempts, in order. */
export async function listTriedCards(
  sql: Sql,
  { merchant_id, session_id }: Pick<LifeKey, 'merchant_id' | 'session_id'>,
): Promise<TriedCard[]> {
  return sql<TriedCard[]>`
    select attempt_id, number, brand, last4, payment_id, three_ds_state, challenge_expires_at, authentication_outcome
    from attempts
    where merchant_id = ${merchant_id} and session_id = ${session_id} order by number`
}
