// The SQL that completes what somebody types: order references and e-mails of payments that begin with it or have it inside, and the
// payments that an acquirer calls so, or that we call so to the acquirer.

import type { Fragment, Sql } from '../../database/open.ts'
import type { Mode } from '../../kernel/values.ts'
import { looks_max } from './list-filters.ts'

type Beginning = { merchant_id: string; mode: Mode; text: string; limit: number }

/** Behind every text that begins with another one, in the order of bytes. */
const last_character = '\u{10ffff}'

export async function listReferencesFrom(sql: Sql, beginning: Beginning): Promise<string[]> {
  const { text } = beginning
  return steps(sql, beginning, {
    column: sql`order_reference`,
    // As the index is ordered, whatever the database's language.
    order: sql`order_reference using ~<~`,
    from: sql`order_reference ~>=~ ${text}`,
    after: sql`order_reference ~>~ b.value`,
    until: sql`order_reference ~<~ ${text + last_character}`,
  })
}

/** `text` is in lower case. */
export async function listEmailsFrom(sql: Sql, beginning: Beginning): Promise<string[]> {
  const { text } = beginning
  return steps(sql, beginning, {
    column: sql`customer_email`,
    order: sql`customer_email`,
    from: sql`customer_email >= ${text}`,
    after: sql`customer_email > b.value`,
    until: sql`customer_email < ${text + last_character}`,
  })
}

/** What has the text anywhere in it, the newest first; of emails nothing unless `in_emails`. No index knows the insides of words, so the newest payments are looked at. */
export async function listContaining(
  sql: Sql,
  { merchant_id, mode, text, limit, in_emails }: Beginning & { in_emails: boolean },
): Promise<{ order_references: string[]; customer_emails: string[] }> {
  const those = (column: Fragment) => sql`(
    select coalesce(json_agg(value order by newest_at desc), '[]') from (
      select ${column} as value, max(created_at) as newest_at from newest
      where strpos(lower(${column}), lower(${text}::text)) > 0
      group by 1 order by 2 desc limit ${limit}) m)`
  const [row] = await sql<[{ order_references: string[]; customer_emails: string[] }]>`
    with newest as materialized (
      select order_reference, ${in_emails ? sql`customer_email` : sql`null`} as customer_email, created_at from payments
      where merchant_id = ${merchant_id} and mode = ${mode}
      order by created_at desc, payment_id desc limit ${looks_max}
    )
    select ${those(sql`order_reference`)} as order_references, ${those(sql`customer_email`)} as customer_emails`
  return row
}

/** The simulated acquirer's ids are in no index of operations; they begin so. */
const simulated = 'sim_'
const simulated_max = 1000

/** Payments of which the acquirer, or we to the acquirer, call the authorisation, the capture or a refund so. */
export async function listPaymentsCalled(sql: Sql, { merchant_id, mode, text, limit }: Beginning): Promise<string[]> {
  const name = sql`coalesce(handle, acquirer_transaction_id)`
  const simulatedRefunds = text.startsWith(simulated)
    ? sql`union
      select r.payment_id from (
        select payment_id, operation_id from refunds
        where merchant_id = ${merchant_id} order by refund_id desc limit ${simulated_max}) r
      cross join lateral (
        select 1 from acquirer_operations
        where merchant_id = ${merchant_id} and operation_id = r.operation_id and acquirer_transaction_id = ${text}
        offset 0) o`
    : sql``
  const rows = await sql<{ payment_id: string }[]>`
    select p.payment_id from (
      (select payment_id from payments
        where merchant_id = ${merchant_id} and acquirer_transaction_id = ${text} limit ${limit})
      union
      (select payment_id from acquirer_operations
        where merchant_id = ${merchant_id} and ${name} = ${text} and ${name} is not null and acquirer <> 'simulator'
        limit ${limit})
      union
      (select payment_id from acquirer_operations
        where merchant_id = ${merchant_id} and operation_id = ${text.toLowerCase()})
      ${simulatedRefunds}
    ) n
    cross join lateral (
      select payment_id from payments
      where merchant_id = ${merchant_id} and payment_id = n.payment_id and mode = ${mode} offset 0) p
    limit ${limit}`
  return rows.map(({ payment_id }) => payment_id)
}

type Walk = Record<'column' | 'order' | 'from' | 'after' | 'until', Fragment>

/** Each value costs one look-up in the index, however many payments share it. */
async function steps(sql: Sql, beginning: Beginning, walk: Walk): Promise<string[]> {
  const { merchant_id, mode, limit } = beginning
  const { column, order, from, after, until } = walk
  const next = (begin: Fragment) => sql`
    select ${column} as value from payments
    where merchant_id = ${merchant_id} and mode = ${mode} and ${begin} and ${until}
    order by ${order} limit 1`
  const rows = await sql<{ value: string }[]>`
    with recursive beginnings as (
      select value, 1 as number from (${next(from)}) first
      union all
      select n.value, b.number + 1 from beginnings b cross join lateral (${next(after)}) n
      where b.number < ${limit}
    )
    select value from beginnings order by number`
  return rows.map(({ value }) => value)
}
