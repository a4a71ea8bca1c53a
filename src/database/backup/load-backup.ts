// Loads a backup into tables that hold nothing yet: all of it, or nothing.

import { pipeline } from 'node:stream/promises'
import type { Copies, CopyTransaction } from '../driver/copies.ts'
import { last_release, ownMigrations, readMigrated } from '../migrate.ts'
import type { AnySql, Sql } from '../open.ts'
import { schema_migration } from '../schema/schema.ts'
import {
  type BackupCounts,
  BackupFileError,
  type BackupHead,
  type BackupPartition,
  type BackupReader,
  type BackupTable,
  begin_line,
  copyIn,
  countsIn,
  cutOff,
  end_line,
  partitionIn,
  partitionLine,
  rowsIn,
} from './backup-file.ts'
import { type BackupTables, backupTables } from './backup-tables.ts'
import { liftLimits } from './write-backup.ts'

/**
 * Why a backup cannot be loaded into this database; null if it can. Tables that a service or `ripper migrate` has made
 * do not prevent it as long as there is no merchant. So a restore that broke off can be repeated.
 */
export async function restoreFault(sql: Sql, head: BackupHead): Promise<string | null> {
  const { newest, known } = await readMigrated(sql)
  if (head.migration > known) {
    return `the backup is of release ${head.version}, with migration ${head.migration}, and this one knows only ${known}: restore it with that release or a newer one`
  }
  if (head.migration < schema_migration) {
    return `the backup is of release ${head.version}, with migration ${head.migration}, and this one begins with ${schema_migration}: restore it with the release of commit ${last_release}, and take a new backup there`
  }
  if (newest === null) {
    const [row] = await sql<[{ count: number }]>`
      select count(*)::int as count from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind in ('r', 'p') and n.nspname in (current_schema(), 'vault', 'simulator')`
    return row.count === 0 ? null : has_tables
  }
  if (newest > head.migration) {
    return `its tables are of migration ${newest} and the backup's of ${head.migration}: restore into an empty database, and ripper restore brings it up to this release`
  }
  return (await holdsSomething(sql)) ? has_tables : null
}

const has_tables =
  'it has tables already. A backup is restored into an empty database or a new data folder, so that nothing is lost by it'

async function holdsSomething(sql: AnySql): Promise<boolean> {
  const [row] = await sql<[{ holds: boolean }]>`
    select exists (select 1 from merchants) or exists (select 1 from journal) or exists (select 1 from users) as holds`
  return row.holds
}

/** The migrations that the tables need before they can take it. */
export function migrationsOf({ migration }: BackupHead) {
  return ownMigrations().filter(({ number }) => number <= migration)
}

/** `atLast` does what has to be there with the first row. Throws a BackupFileError, and then nothing was loaded. */
export async function loadBackup(
  copies: Copies,
  reader: BackupReader,
  atLast: (tx: AnySql) => Promise<unknown>,
): Promise<BackupCounts> {
  return copies.begin('', async (tx) => {
    await liftLimits(tx)
    // A service that starts now waits, and then finds what was loaded.
    await tx`lock table merchants in access exclusive mode`
    if (await holdsSomething(tx)) throw new Error(has_tables)
    const own = await backupTables(tx)
    await tx.unsafe(`truncate ${own.tables.map(({ name }) => own.placeOf(name)).join()} cascade`)
    const counts = await loadLines(tx, reader, own)
    await atLast(tx)
    return counts
  })
}

async function loadLines(tx: CopyTransaction, reader: BackupReader, own: BackupTables): Promise<BackupCounts> {
  const counts: BackupCounts = {}
  for (;;) {
    const line = await reader.line()
    if (line === null) throw cutOff()
    const fileCounts = countsIn(line)
    if (fileCounts) {
      // The end of the file is read, too: only then its checksum has been compared.
      const is_whole = JSON.stringify(fileCounts) === JSON.stringify(counts)
      if (is_whole && (await reader.line()) === null) return counts
      throw new BackupFileError('was damaged: it has other rows than it says')
    }
    const partition = partitionIn(line)
    const copy = copyIn(line)
    if (partition) await tx.unsafe(partitionLine(inPlace(partition, own)))
    else if (copy) counts[copy.name] = await loadRows(tx, reader, statementOf(copy, own))
    else if (line !== begin_line && line !== end_line) {
      throw new BackupFileError(`has a line that no backup has: ${line.slice(0, 60)}`)
    }
  }
}

/** The order of columns is the file's: tables that migrations made have others at their end. */
function statementOf({ name, columns }: BackupTable, { tables, placeOf }: BackupTables): string {
  const target = tables.find((table) => table.name === name)
  if (!target || sorted(target.columns) !== sorted(columns)) {
    throw new BackupFileError(`has a table that is not of its release: ${name}`)
  }
  return `copy ${placeOf(name)} (${columns}) from stdin`
}

function inPlace({ name, parent, bounds }: BackupPartition, own: BackupTables): BackupPartition {
  return { name: own.placeOf(name), parent: own.placeOf(parent), bounds }
}

function sorted(columns: string): string {
  return columns.split(', ').toSorted().join()
}

async function loadRows(tx: CopyTransaction, reader: BackupReader, statement: string): Promise<number> {
  let count = 0
  async function* counted() {
    for await (const bytes of reader.rows()) {
      count += rowsIn(bytes)
      yield bytes
    }
  }
  await pipeline(counted(), tx.copyIn(statement))
  return count
}
