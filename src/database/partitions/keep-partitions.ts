// Keeps a partition for each day around now, and drops those whose rows have expired.

import { idsFrom } from '../../kernel/ids.ts'
import type { World } from '../../kernel/world.ts'
import { isLockTimeout, isRetriable, isUniqueViolation } from '../failures.ts'
import type { Sql } from '../open.ts'
import {
  dropPartition,
  makePartition,
  type Partition,
  type PartitionedTable,
  purgeRest,
  readPartitions,
} from './partition-store.ts'

export type PartitionContext = { sql: Sql; world: Pick<World, 'clock' | 'log'> }

/** For how long rows are kept after the time in their id. */
export type RetainedTable = PartitionedTable & { kept_ms: number }

const day_ms = 24 * 3600 * 1000
/** Rows of yesterday may still be written: by a machine whose clock is behind, or for a long attempt. */
const days_behind = 1
/** Partitions are made this far ahead, in case no process runs for a while. */
const days_ahead = 7
/** Rows are kept this much longer, for machines whose clocks differ. */
const margin_ms = day_ms

/**
 * Returns how many partitions were made or dropped, and how many rows moved or purged. If a table is in use, or another
 * process works on it, the next run does the rest; until then rows go to the default partition.
 */
export async function keepPartitionsOf(context: PartitionContext, tables: RetainedTable[]): Promise<number> {
  let total = 0
  for (const table of tables) total += await keepTable(context, table)
  return total
}

async function keepTable(context: PartitionContext, table: RetainedTable): Promise<number> {
  const { sql, world } = context
  const now = world.clock.now()
  const first_kept = idsFrom(new Date(now.getTime() - table.kept_ms - margin_ms))
  const { partitions, rest_is_used } = await readPartitions(sql, table)
  const purged_count = rest_is_used ? await purgeRest(sql, table, first_kept) : 0
  const missing = daysAround(table, now).filter(
    (day) => !partitions.some(({ from, to }) => from <= day.from && to >= day.to),
  )
  const over = partitions.filter(({ to }) => to <= first_kept)
  const changed_count = await runChanges(context, table, [
    ...missing.map((day) => () => makePartition(sql, table, day)),
    ...over.map((partition) => () => dropPartition(sql, partition)),
  ])
  return purged_count + changed_count
}

function daysAround({ name }: PartitionedTable, now: Date): Partition[] {
  const today = Math.floor(now.getTime() / day_ms)
  return Array.from({ length: days_behind + 1 + days_ahead }, (_, index) => {
    const start = new Date((today - days_behind + index) * day_ms)
    const date = start.toISOString().slice(0, 10).replaceAll('-', '')
    const end = new Date(start.getTime() + day_ms)
    return { name: `${name}_${date}`, from: idsFrom(start), to: idsFrom(end) }
  })
}

/** Makes one change after the other, each in a transaction, and stops at the first table that is in use. */
async function runChanges(
  context: PartitionContext,
  { name }: PartitionedTable,
  changes: (() => Promise<number>)[],
): Promise<number> {
  let total = 0
  for (const change of changes) {
    try {
      total += await change()
    } catch (error) {
      if (isMadeElsewhere(error)) continue
      if (isLockTimeout(error) || isRetriable(error)) break
      if (codeOf(error) !== '42501') throw error
      tellOfMissingRight(context, name)
      break
    }
  }
  return total
}

/** The table, its type or an index exists already, or the range is taken. */
function isMadeElsewhere(error: unknown): boolean {
  const code = codeOf(error)
  return code === '42P07' || code === '42710' || code === '42P17' || isUniqueViolation(error)
}

function codeOf(error: unknown): unknown {
  return (error as { code?: unknown }).code
}

const warnedDatabases = new WeakSet<Sql>()

/** Logged once per process: it stays true until a person changes it, and nothing is lost meanwhile. */
function tellOfMissingRight({ sql, world }: PartitionContext, table: string): void {
  if (warnedDatabases.has(sql)) return
  warnedDatabases.add(sql)
  world.log.warn({ table }, 'tables are not partitioned: the database role may not make or drop their partitions')
}
