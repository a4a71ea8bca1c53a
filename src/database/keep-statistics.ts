// A job: updates the planner's statistics of a table that has grown. Each connection makes its plans once. In a new database
// the tables are empty then, so any index that begins with the merchant looks as good as the right one. The database's own
// statistics come a minute later; until then each statement reads thousands of rows too many.

import type { Clock } from '../kernel/world.ts'
import { nodesOf } from './cells/cells.ts'
import type { Sql } from './open.ts'

/** Smaller tables are read equally fast with any plan. */
const pages_min = 8
/** A table has grown if it has more than this many times the pages that the planner knows of. */
const growth = 2
/** Each table takes the database some ten milliseconds, and each statement about it a new plan. Requests go on in between. */
const rest_ms = 300

type Keeping = { sql: Sql; world: { clock: Clock }; stopping?: AbortSignal }

/** Returns how many tables were analysed. Tables that are locked or owned by another role are skipped. */
export async function keepStatistics(keeping: Keeping): Promise<number> {
  let count = await keepOnServer(keeping)
  for (const { cells } of nodesOf(keeping.sql)) {
    count += await keepOnServer({ ...keeping, sql: cells[0]!.sql })
  }
  return count
}

async function keepOnServer({ sql, world, stopping }: Keeping): Promise<number> {
  const grownTables = await sql<{ schema: string; name: string }[]>`
    select n.nspname as schema, c.relname as name
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'r' and n.nspname in ('public', current_schema(), 'vault', 'simulator')
      and pg_has_role(c.relowner, 'usage')
      and pg_relation_size(c.oid) / current_setting('block_size')::int
        > ${growth}::int * greatest(c.relpages, ${pages_min}::int)`
  for (const [at, { schema, name }] of grownTables.entries()) {
    if (at > 0) await world.clock.sleep(rest_ms)
    if (stopping?.aborted) return at
    // New statistics discard the plans that were made with the old ones.
    await sql`analyze (skip_locked) ${sql(`${schema}.${name}`)}`
  }
  return grownTables.length
}
