// The SQL that finds what belongs together for whoever knows one id alone: which session, and which payments it has.

import type { Sql } from '../../database/open.ts'
import type { SessionHolder } from '../../http/access.ts'

export type LifeKey = SessionHolder & {
  /** The payment that was named; of a session its newest, null where it has none. */
  payment_id: string | null
}

/** The session of a payment or session id: a look by key for each merchant, unless one is named. */
export async function findLifeKey(
  sql: Sql,
  id: string,
  merchant_id: string | null,
): Promise<LifeKey | undefined> {
  const found = id.startsWith('cs_')
    ? sql`select session_id, payment_id from sessions s
        where s.merchant_id = m.merchant_id and s.session_id = ${id} offset 0`
    : sql`select session_id, payment_id from payments p
        where p.merchant_id = m.merchant_id and p.payment_id = ${id} offset 0`
  const [row] = await sql<LifeKey[]>`
    select m.merchant_id, found.session_id, found.payment_id
    from merchants m cross join lateral (${found}) found
    ${merchant_id === null ? sql`` : sql`where m.merchant_id = ${merchant_id}`}
    limit 1`
  return row
}

/** A session's payments, one for each of its attempts that was confirmed, in their order. */
export async function listPaymentIds(
  sql: Sql,
  { merchant_id, session_id }: Pick<LifeKey, 'merchant_id' | 'session_id'>,
): Promise<string[]> {
  const rows = await sql<{ payment_id: string }[]>`
    select payment_id from attempts
    where merchant_id = ${merchant_id} and session_id = ${session_id} and payment_id is not null
    order by number`
  return rows.map(({ payment_id }) => payment_id)
}
