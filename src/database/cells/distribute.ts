// Spreads a database over the nodes of a Citus cluster, once, and keeps its cells as its tables are.

import { readFileSync } from 'node:fs'
import type { Sql } from '../driver/pool.ts'

/** Throws an Error with a message for people if the database cannot be spread. Cells are made by `makeCells`. */
export async function distribute(sql: Sql, shards: number): Promise<void> {
  if (!(await hasCitus(sql))) throw new Error('The database has no extension citus: create it on every node.')
  if (await isDistributed(sql)) return
  const merchants = await sql`select 1 from merchants limit 1`
  if (merchants.length > 0) throw new Error('The database has merchants: only an empty one can be spread.')
  await sql.begin(async (tx) => {
    await tx`set local statement_timeout = 0`
    await tx`set local lock_timeout = 0`
    await tx.unsafe(`set local citus.shard_count = ${shards}`)
    await tx.unsafe(fileOf('citus.sql'))
  })
}

/** Whether the tables are spread. Works without Citus, too. */
export async function isDistributed(sql: Sql): Promise<boolean> {
  if (!(await hasCitus(sql))) return false
  const rows = await sql`select 1 from pg_dist_partition where logicalrelid = to_regclass('sessions')`
  return rows.length > 0
}

export async function hasCitus(sql: Sql): Promise<boolean> {
  const rows = await sql`select 1 from pg_extension where extname = 'citus'`
  return rows.length > 0
}

/** Makes the cells of every node again, as is needed after each migration. Returns how many there are. */
export async function makeCells(sql: Sql): Promise<number> {
  await sql.unsafe(fileOf('make-cells.sql'))
  for (const name of ['refuse_shared_write()', 'make_cells(integer)']) {
    await sql`select create_distributed_function(${name}::regprocedure)`
  }
  const newest = await newestMigration(sql)
  const results = await onNodes(sql, `select make_cells(${newest})`)
  return results.reduce((sum, result) => sum + Number(result), 0)
}

/** Whether every node has made its cells since the newest migration: a process may have died in between. */
export async function areCellsCurrent(sql: Sql): Promise<boolean> {
  const text = `select coalesce(obj_description(to_regnamespace('node'), 'pg_namespace'), '')`
  const newest = await newestMigration(sql)
  return (await onNodes(sql, text)).every((migration) => migration === String(newest))
}

async function newestMigration(sql: Sql): Promise<number> {
  const [row] = await sql<[{ newest: number }]>`select max(number)::int as newest from migrations`
  return row.newest
}

/**
 * The result of a statement without parameters on each server. Throws an Error with a message for people if one fails.
 */
async function onNodes(sql: Sql, text: string): Promise<string[]> {
  const nodes = await sql<{ host: string; success: boolean; result: string }[]>`
    select n.nodename || ':' || n.nodeport as host, r.success, r.result
    from run_command_on_all_nodes(${text}) r join pg_dist_node n using (nodeid)`
  const failed = nodes.find(({ success }) => !success)
  if (failed) throw new Error(`The cells of ${failed.host} cannot be made: ${failed.result}`)
  return nodes.map(({ result }) => result)
}

function fileOf(name: string): string {
  return readFileSync(new URL(name, import.meta.url), 'utf8')
}
