// `ripper backup`: the database in one file, while the service runs.

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { readConfig } from '../../config/config.ts'
import type { BackupCounts } from '../../database/backup/backup-file.ts'
import { type WrittenBackup, writeBackup } from '../../database/backup/write-backup.ts'
import { nodesOf } from '../../database/cells/cells.ts'
import { readMigrated } from '../../database/migrate.ts'
import { openDatabase, type Sql } from '../../database/open.ts'
import { version } from '../../kernel/version.ts'
import { openWorld, realClock } from '../../outgoing/real-world.ts'
import { refuseUnlessMade } from '../../service/resources.ts'
import { type Command, CommandError } from '../terminal/command.ts'
import { printJson, printLine } from '../terminal/print.ts'
import { terminal } from '../terminal/terminal.ts'

export const backupCommand: Command = {
  name: 'backup',
  summary: 'Writes the whole database into one file, while the service runs',
  positionals: ['[FILE]'],
  options: {},
  remarks: [
    'Without FILE it is ripper-TIME.backup in this folder. It replaces no file, and its user alone may read it: what is sealed in the\n' +
      'database is sealed in it, but names, email addresses and orders are not.',
    'It holds every table as it was at one moment, without security codes, and what ripper restore needs to put it back into the\n' +
      'embedded database or into a PostgreSQL 15 or later. It needs no pg_dump.',
    'Of the service, it holds everything. Tables and columns that somebody has added are not in it, and it names those columns.',
    'It does not hold the master key: keep that elsewhere. Nothing sealed opens without it.',
    'For a database of many gigabytes a base backup of PostgreSQL and its archived log lose less and are back sooner. A database that is\n' +
      'spread over Citus has backups of its own.',
  ],
  async run({ positionals: [named], json }) {
    const now = realClock().now()
    const path = resolve(named ?? `ripper-${now.toISOString().replace(/[-:]|\.\d+/g, '')}.backup`)
    if (existsSync(path)) throw new CommandError(`${path} is there already, and is not replaced`)
    const { head, counts, columns_left_out } = await write(path, now)
    if (json) {
      printJson({ file: path, ...head, rows: counts, columns_left_out })
      return
    }
    printLine(`${path}: ${rowWords(counts)}, as of ${head.made_at}, migration ${head.migration}.`)
    printLine(
      head.key_id === null
        ? 'Nothing was sealed yet.'
        : `It opens with the master key ${head.key_id}, and what an older key still seals with that one. It holds no key: keep them elsewhere.`,
    )
    if (columns_left_out.length > 0) {
      printLine(
        `It lacks these columns, which are not of the service: ${columns_left_out.join(', ')}. Back them up yourself.`,
      )
    }
  },
}

/** The key need not be at hand, nor the tables be of this release: a backup comes before an upgrade. */
async function write(path: string, now: Date): Promise<WrittenBackup> {
  const config = readConfig(terminal().environment)
  refuseUnlessMade(config)
  const { clock, log } = openWorld({ ...config, log_level: 'error' }, terminal().stderr)
  const { data_dir, database_url: url } = config
  const database = await openDatabase({ url, data_dir, connections_max: 1, clock, log })
  const copies = database.openCopies()
  try {
    if (nodesOf(database.sql).length > 0) throw new CommandError(of_citus)
    await refuseUnknownRelease(database.sql)
    return await writeBackup(copies, { path, version: version(), now })
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') {
      throw new CommandError(
        syscall === 'link'
          ? `${path} is there since, and a backup replaces no file`
          : `${path}.part is there: another backup is being written, or one broke off. Then remove it`,
      )
    }
    throw error
  } finally {
    await copies.end()
    await database.close()
  }
}

const of_citus =
  'this database is spread over Citus, for which there is no ripper backup: citus_create_restore_point on all nodes is for that'

async function refuseUnknownRelease(sql: Sql): Promise<void> {
  const { newest, known } = await readMigrated(sql)
  if (newest === null) throw new CommandError('the database is empty')
  if (newest > known) {
    throw new CommandError(
      `the database has migration ${newest}, and this version knows only ${known}: back it up with the one that uses it`,
    )
  }
}

export function rowWords(counts: BackupCounts): string {
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
  return `${total.toLocaleString('en')} rows`
}
