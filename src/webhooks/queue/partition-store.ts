// The SQL of tables that are partitioned by day: what partitions there are, making and dropping one, purging the rest.
// Names come from this file's own types, so they may stand in a statement's text.

import type { AnySql, Sql } from '../../database/open.ts'

/** A table whose ids sort by time, the column of them, and the partition of all rows that no other one takes. */
export type PartitionedTable = {
  name: 'webhook_attempts' | 'webhook_deliveries'
  id: 'attempt_id' | 'delivery_id'
  rest: 'webhook_attempts_other' | 'webhook_deliveries_other'
}

/** Holds the ids from one up to, but not including, another. */
export type Partition = { name: string; from: string; to: string }

/** `rest_is_used`: rows stand in the partition of all others, or did lately. */
export type Partitions = { partitions: Partition[]; rest_is_used: boolean }

/** Reads nothing but the catalogue. Partitions that were made by hand are among them, unless they hold no range. */
export async function readPartitions(sql: Sql, table: PartitionedTable): Promise<Partitions> {
  type Row = { name: string; bounds: string | null; is_used: boolean | null }
  const rows = await sql<Row[]>`
    select c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bounds,
      pg_relation_size(c.oid) > 0 as is_used
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = ${table.name}::regclass`
  return {
    partitions: rows.flatMap(({ name, bounds }) => {
      const found = /^FOR VALUES FROM \('(\w+)'\) TO \('(\w+)'\)$/.exec(bounds ?? '')
      return found ? [{ name, from: found[1]!, to: found[2]! }] : []
    }),
    rest_is_used: rows.some(({ name, is_used }) => name === table.rest && is_used),
  }
}

/** So many rows are moved while nobody else can use the table. */
const moved_rows_max = 10_000

/**
 * Makes a partition, with the rows of it that the rest has; returns how many partitions and rows that were. Where the rest has
 * too many they stay there, and there is no partition: 0.
 *
 * Attaching needs but a weak lock on the table and a strong one on its rest. That gains nothing, since whoever reads, changes
 * or deletes locks the rest as well, and costs much: a statement that began before would look for the moved rows where
 * they were, or be refused for a row that it puts there. With the strong lock on the table both wait for us, some milliseconds:
 * the new table and its indexes are made before.
 */
export async function makePartition(
  sql: Sql,
  table: PartitionedTable,
  { name, from, to }: Partition,
): Promise<number> {
  return sql.begin(async (tx) => {
    await beBrief(tx)
    const ofPartition = `from ${table.rest} where ${table.id} >= '${from}' and ${table.id} < '${to}'`
    const tooMany = await tx.unsafe(`select 1 ${ofPartition} offset ${moved_rows_max} limit 1`)
    if (tooMany.length > 0) return 0
    await tx.unsafe(`create table ${name} (like ${table.name} including all)`)
    // Only: a partition that is being vacuumed is not in the way.
    await tx.unsafe(`lock table only ${table.name} in access exclusive mode`)
    const moved = await tx.unsafe(
      `with moved as (delete ${ofPartition} returning *) insert into ${name} select * from moved`,
    )
    await tx.unsafe(
      `alter table ${table.name} attach partition ${name} for values from ('${from}') to ('${to}')`,
    )
    return 1 + moved.count
  })
}

/**
 * Drops a partition with all its rows. To detach it first without the strong lock (`concurrently`) is refused for a table that
 * has a partition for the rest.
 */
export async function dropPartition(sql: Sql, { name }: Pick<Partition, 'name'>): Promise<number> {
  return sql.begin(async (tx) => {
    await beBrief(tx)
    await tx`drop table if exists ${tx(name)}`
    return 1
  })
}

/** Whoever uses the table waits while we wait for it, so that is less than any of them would wait (see driver.ts). */
async function beBrief(tx: AnySql): Promise<void> {
  await tx`set local lock_timeout = 250`
  await tx`set local statement_timeout = 5000`
}

const purge_batch = 5_000

/** Deletes rows before an id that no partition took; returns how many. */
export async function purgeRest(
  sql: Sql,
  table: PartitionedTable,
  before: string,
): Promise<number> {
  const rest = sql(table.rest)
  for (let total = 0; ; ) {
    // Rows that somebody else holds are passed over: two who lock many rows in different orders could wait for each other.
    const { count } = await sql`
      delete from ${rest} where ctid = any(array(
        select ctid from ${rest} where ${sql(table.id)} < ${before}
        limit ${purge_batch} for update skip locked))`
    total += count
    if (count < purge_batch) return total
  }
}
