// A job: tells the planner that a table has grown. Plans are made once a connection, in a new database while its tables are
// empty, and then any index that begins with the merchant looks as good as the right one. The database's own look at
// its tables comes a minute later, when each statement reads thousands of rows that it does not need.

import type { Sql } from './open.ts'

/** Smaller tables are read as fast by any plan. */
const pages_min = 8
/** It has grown where it has more than so many times the pages that the planner knows of. */
const growth = 2

/** Returns how many tables were looked at. Those that are locked, or are another role's, are left as they are. */
export async function keepStatistics({ sql }: { sql: Sql }): Promise<number> {
  const grown = await sql<{ schema: string; name: string }[]>`
    select n.nspname as schema, c.relname as name
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'r' and n.nspname in ('public', 'vault', 'simulator')
      and pg_has_role(c.relowner, 'usage')
      and pg_relation_size(c.oid) / current_setting('block_size')::int
        > ${growth}::int * greatest(c.relpages, ${pages_min}::int)`
  for (const { schema, name } of grown) {
    // New statistics throw the plans away that were made with the old ones.
    await sql`analyze (skip_locked) ${sql(`${schema}.${name}`)}`
  }
  return grown.length
}
