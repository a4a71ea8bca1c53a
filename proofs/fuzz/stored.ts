// What the database kept of cards: nothing that could be read. Looks through every row of every table.

import type { Sql } from '../../src/database/open.ts'
import { cardNumbersIn } from './judge.ts'

/** The tables that hold a number of a card that was entered, in clear text. */
export async function tablesWithCards(sql: Sql, cards: Set<string>): Promise<string[]> {
  const tables = await sql<{ name: string }[]>`
    select format('%I.%I', n.nspname, c.relname) as name from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p') and not c.relispartition
      and n.nspname !~ '^pg_' and n.nspname <> 'information_schema' order by 1`
  const found: string[] = []
  for (const { name } of tables) {
    const rows = await sql.unsafe<{ row: string }[]>(
      `select t::text as row from ${name} t where t::text ~ '[2-5][0-9 -]{14,}'`,
    )
    if (rows.some(({ row }) => cardNumbersIn(row).some((number) => cards.has(number)))) {
      found.push(name)
    }
  }
  return found
}
