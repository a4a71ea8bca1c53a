// Writes a backup: every table as it was at one moment, while the service goes on.

import { closeSync, createWriteStream, fsyncSync, linkSync, openSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { Copies, CopyTransaction } from '../driver/copies.ts'
import {
  type BackupCounts,
  type BackupHead,
  begin_line,
  copyLine,
  countsLine,
  end_line,
  first_line,
  headLine,
  partitionLine,
  rows_end,
  rowsIn,
} from './backup-file.ts'
import { type BackupTables, backupPartitions, backupTables } from './backup-tables.ts'

export type WrittenBackup = Pick<BackupTables, 'columns_left_out'> & {
  head: BackupHead
  counts: BackupCounts
}

/**
 * The file appears when it is whole and on the disk, readable only by its user. It never replaces a file: throws EEXIST
 * if there is one.
 */
export async function writeBackup(
  copies: Copies,
  { path, version, now }: { path: string; version: string; now: Date },
): Promise<WrittenBackup> {
  const draft = `${path}.part`
  /** What went wrong first: the connection that is cut for it has an error of its own. */
  let fault: unknown = null
  try {
    const backup = await copies.begin('isolation level repeatable read read only', async (tx) => {
      await liftLimits(tx)
      const head = await readHead(tx, { version, now })
      const own = await backupTables(tx)
      const counts: BackupCounts = {}
      const file = createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true })
      await pipeline(backupText(tx, { head, own, counts }), createGzip(), file).catch((error) => {
        fault = error
        // The driver would wait for a reader of the rows that the server still sends.
        void copies.end()
        throw error
      })
      return { head, counts, columns_left_out: own.columns_left_out }
    })
    linkSync(draft, path)
    syncEntries(dirname(path))
    rmSync(draft)
    return backup
  } catch (error) {
    const first = fault ?? error
    // Another run may be writing its own.
    if (!isOfAnother(first, draft)) rmSync(draft, { force: true })
    throw first
  }
}

function isOfAnother(error: unknown, draft: string): boolean {
  const { code, path, syscall } = error as NodeJS.ErrnoException
  return code === 'EEXIST' && path === draft && syscall === 'open'
}

/** A pooler may not have passed on the settings of the connection. */
export async function liftLimits(tx: CopyTransaction): Promise<void> {
  await tx.unsafe(
    `set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0;
    set local enable_seqscan = on; set local datestyle = 'ISO, MDY'; set local intervalstyle = 'postgres';
    set local timezone = 'UTC'`,
  )
}

async function readHead(tx: CopyTransaction, { version, now }: { version: string; now: Date }): Promise<BackupHead> {
  const [row] = await tx<[{ migration: number; key_id: string | null }]>`
    select (select max(number) from migrations) as migration,
      (select key_id from sealing_keys order by made_current_at desc, key_id limit 1) as key_id`
  return { version, ...row, made_at: now.toISOString() }
}

async function* backupText(
  tx: CopyTransaction,
  { head, own, counts }: { head: BackupHead; own: BackupTables; counts: BackupCounts },
): AsyncGenerator<string | Buffer> {
  yield `${first_line}\n${headLine(head)}\n${begin_line}\n`
  for (const partition of await backupPartitions(tx, own)) yield `${partitionLine(partition)}\n`
  for (const table of own.tables) {
    const { name, columns } = table
    yield `${copyLine(table)}\n`
    let count = 0
    const rows = tx.copyOut(`copy (select ${columns} from ${own.placeOf(name)}) to stdout`)
    for await (const bytes of rows) {
      count += rowsIn(bytes)
      yield bytes
    }
    counts[name] = count
    yield rows_end
  }
  yield `${end_line}\n${countsLine(counts)}\n`
}

function syncEntries(folder: string): void {
  const descriptor = openSync(folder, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
