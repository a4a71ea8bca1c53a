// The SQL that completes what somebody types: order references and e-mails of payments that begin with it.

import type { Fragment, Sql } from '../../database/open.ts'
import type { Mode } from '../../kernel/values.ts'

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
