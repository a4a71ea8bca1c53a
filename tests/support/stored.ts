// All that a service has stored, as a search for secrets reads it.

import type { Sql } from '../../src/database/open.ts'

/** Every row of every table, by the name of its table, as PostgreSQL prints it or as JSON: bytes in hex. */
export async function everythingStored(sql: Sql, as: 'text' | 'json' = 'text'): Promise<Map<string, string[]>> {
  const text = as === 'text' ? 't::text' : 'row_to_json(t)::text'
  const tables = await sql<{ name: string }[]>`
    select format('%I.%I', table_schema, table_name) as name from information_schema.tables
    where table_schema not in ('pg_catalog', 'information_schema') and table_type = 'BASE TABLE'`
  const stored = new Map<string, string[]>()
  for (const { name } of tables) {
    const rows = await sql.unsafe<{ text: string }[]>(`select ${text} as text from ${name} t`)
    stored.set(
      name,
      rows.map(({ text }) => text),
    )
  }
  return stored
}
