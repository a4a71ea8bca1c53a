// The SQL that fills the columns by which payments are found, from the attempt and the session of each.

import type { Sql } from '../../database/open.ts'

export type UnfilledPayment = {
  merchant_id: string
  payment_id: string
  email: string | null
  card_brand: string
  card_last4: string | null
}

/** Where the attempt is gone the brand is empty, so that the payment is not looked for again. */
export async function listUnfilled(sql: Sql, limit: number): Promise<UnfilledPayment[]> {
  return sql<UnfilledPayment[]>`
    select p.merchant_id, p.payment_id, s.customer->>'email' as email, coalesce(a.brand, '') as card_brand, a.last4 as card_last4
    from (
      select merchant_id, payment_id, session_id, attempt_id from payments
      where card_brand is null order by merchant_id, payment_id limit ${limit}
    ) p
    left join lateral (
      select customer from sessions
      where merchant_id = p.merchant_id and session_id = p.session_id offset 0) s on true
    left join lateral (
      select brand, last4 from attempts
      where merchant_id = p.merchant_id and attempt_id = p.attempt_id offset 0) a on true
    order by p.merchant_id, p.payment_id`
}

/** Returns how many payments of the merchant were filled. Rows that another process filled meanwhile are left. */
export async function fillPayments(
  sql: Sql,
  merchant_id: string,
  filled: (Omit<UnfilledPayment, 'email'> & { customer_email: string | null })[],
): Promise<number> {
  const rows = await sql`
    with row as materialized (
      select * from json_to_recordset(${filled as never}::json)
        as r (payment_id text, customer_email text, card_brand text, card_last4 text)
    ), locked as materialized (
      select p.payment_id from (select payment_id from row order by payment_id) r
      cross join lateral (
        select payment_id from payments
        where merchant_id = ${merchant_id} and payment_id = r.payment_id and card_brand is null
        offset 0 for update) p
    )
    update payments p set customer_email = row.customer_email, card_brand = row.card_brand,
      card_last4 = row.card_last4
    from row join locked using (payment_id)
    where p.merchant_id = ${merchant_id} and p.payment_id = row.payment_id
    returning 1`
  return rows.length
}
