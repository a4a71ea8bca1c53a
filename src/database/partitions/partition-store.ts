// The SQL of tables that are partitioned by day: lists, makes and drops partitions, and purges the default one. Names
// come from this file's own types, so they may be part of a statement's text.

import type { AnySql, Sql } from '../../database/open.ts'

/** A table whose ids sort by time, its id column, and its default partition. */
export type PartitionedTable = {
  name: 'webhook_attempts' | 'webhook_deliveries' | 'request_log'
  id: 'attempt_id' | 'delivery_id' | 'entry_id'
  rest: 'webhook_attempts_other' | 'webhook_deliveries_other' | 'request_log_other'
}

/** Holds the ids from one up to, but not including, another. */
export type Partition = { name: string; from: string; to: string }

/** `rest_is_used`: the default partition has rows, or had some lately. */
export type Partitions = { partitions: Partition[]; rest_is_used: boolean }

/** Reads only the catalogue. Includes partitions that were made by hand, if they hold a range. */
export async function readPartitions(sql: Sql, table: PartitionedTable): Promise<Partitions> {
  type Row = { name: string; bounds: string | null; is_used: boolean | null }
  const rows = await sql<Row[]>`
    select c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bounds,
      pg_relation_size(c.oid) > 0 as is_used
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = ${table.name}::regclass`
  return {
    partitions: rows.flatMap(({ name, bounds }) => {
      const match = /^FOR VALUES FROM \('(\w+)'\) TO \('(\w+)'\)$/.exec(bounds ?? '')
      return match ? [{ name, from: match[1]!, to: match[2]! }] : []
    }),
    rest_is_used: rows.some(({ name, is_used }) => name === table.rest && is_used),
  }
}

/** How many rows may be moved while the table is locked for all others. */
const moved_rows_max = 10_000

/**
 * Makes a partition and moves its rows out of the default one; returns how many partitions and rows that were. If the
 * default partition has too many such rows, they stay and no partition is made: 0. Attaching would need only a weak
 * lock on the table and a strong one on the default partition. That gains nothing, because every statement locks the
 * default partition as well. And it costs much: an earlier statement would look for moved rows in their old place, or
 * fail to insert there. With the strong lock on the table such statements wait some milliseconds: the new table and its
 * indexes are made before.
 */
export async function makePartition(sql: Sql, table: PartitionedTable, { name, from, to }: Partition): Promise<number> {
  return sql.begin(async (tx) => {
    await beBrief(tx)
    const of_partition = `from ${table.rest} where ${table.id} >= '${from}' and ${table.id} < '${to}'`
    const overflow = await tx.unsafe(`select 1 ${of_partition} offset ${moved_rows_max} limit 1`)
    if (overflow.length > 0) return 0
    await tx.unsafe(`create table ${name} (like ${table.name} including all)`)
    // `only`: a partition that is being vacuumed is not in the way.
    await tx.unsafe(`lock table only ${table.name} in access exclusive mode`)
    const movedRows = await tx.unsafe(
      `with moved as (delete ${of_partition} returning *) insert into ${name} select * from moved`,
    )
    await tx.unsafe(`alter table ${table.name} attach partition ${name} for values from ('${from}') to ('${to}')`)
    return 1 + movedRows.count
  })
}

/**
 * Drops a partition with all its rows. PostgreSQL refuses to detach it `concurrently` if the table has a default
 * partition.
 */
export async function dropPartition(sql: Sql, { name }: Pick<Partition, 'name'>): Promise<number> {
  return sql.begin(async (tx) => {
    await beBrief(tx)
    await tx`drop table if exists ${tx(name)}`
    return 1
  })
}

/**
 * While this waits for the table, its users wait as well, so the limit is shorter than any of theirs (see driver.ts).
 */
async function beBrief(tx: AnySql): Promise<void> {
  await tx`set local lock_timeout = 250`
  await tx`set local statement_timeout = 5000`
}

const purge_batch = 5_000

/** Deletes rows before an id from the default partition; returns how many. */
export async function purgeRest(sql: Sql, table: PartitionedTable, before: string): Promise<number> {
  const rest = sql(table.rest)
  for (let total = 0; ; ) {
    // Locked rows are skipped: two statements that lock many rows in different orders could wait for each other.
    const { count } = await sql`
      delete from ${rest} where ctid = any(array(
        select ctid from ${rest} where ${sql(table.id)} < ${before}
        limit ${purge_batch} for update skip locked))`
    total += count
    if (count < purge_batch) return total
  }
}
