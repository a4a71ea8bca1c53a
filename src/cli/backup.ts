// `ripper backup|restore`: the database in one file, while the service runs, and from it back into an empty one.

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Config, readConfig } from '../config/config.ts'
import { readMasterKey } from '../config/master-key.ts'
import {
  type BackupCounts,
  BackupFileError,
  type BackupHead,
  type BackupReader,
  openBackup,
} from '../database/backup/backup-file.ts'
import { loadBackup, migrationsOf, restoreFault } from '../database/backup/load-backup.ts'
import { type WrittenBackup, writeBackup } from '../database/backup/write-backup.ts'
import { nodesOf } from '../database/cells/cells.ts'
import { hasCitus } from '../database/cells/distribute.ts'
import { migrate, readMigrated } from '../database/migrate.ts'
import type { Database, Sql } from '../database/open.ts'
import { openKeyring } from '../kernel/keyring.ts'
import { version } from '../kernel/version.ts'
import { realClock } from '../outgoing/real-world.ts'
import { every_acquirer } from '../payments/orphan.ts'
import { pullBrake } from '../payments/orphans/orphan-brake-store.ts'
import { keepFolder, refuseUnlessMade } from '../service/resources.ts'
import { endAllSessions } from '../users/keep-users.ts'
import { faultsIn, verifyAll } from './audit-verify.ts'
import { openBareDatabase, operatorName, withCommandContext } from './command-context.ts'
import { CommandError } from './terminal/command.ts'
import { command } from './terminal/option.ts'
import { printJson, printLine } from './terminal/print.ts'
import { terminal } from './terminal/terminal.ts'

export const backupCommand = command({
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
})

/** The key need not be at hand, nor the tables be of this release: a backup comes before an upgrade. */
async function write(path: string, now: Date): Promise<WrittenBackup> {
  const config = readConfig(terminal().environment)
  refuseUnlessMade(config)
  const { sql, openCopies, close } = await openBareDatabase(config)
  const copies = openCopies()
  try {
    if (nodesOf(sql).length > 0) throw new CommandError(of_citus)
    await refuseUnknownRelease(sql)
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
    await close()
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

/** `ripper restore`: puts a backup into an empty database, checks it, and pulls the brake. */
export const restoreCommand = command({
  name: 'restore',
  summary: 'Puts a backup into an empty database, checks it and pulls the brake',
  positionals: ['FILE'],
  options: {},
  remarks: [
    'It works on the database of RIPPER_DATABASE_URL, or on the embedded one of RIPPER_DATA_DIR: that is how an installation moves from\n' +
      'one to the other. Where the database has anything in it, the command refuses.',
    'The key that the backup names has to be at hand: in RIPPER_MASTER_KEY, or as master.key in the data folder.',
    'What happened since the backup is missing, and the acquirer still knows of it. So the brake is pulled in the moment in which the\n' +
      'backup is there; see ripper help orphan brake. People have to sign in anew.',
    'The exit status is 1 if the journal or a payment is not as it was sealed.',
  ],
  async run({ positionals: [file], json }) {
    const path = resolve(file!)
    const config = readConfig(terminal().environment)
    const { head, counts, description } = await restore(config, path)
    const chains = await withCommandContext(async (context) => {
      await endAllSessions(context)
      return verifyAll(context, null, new Set())
    }).catch((error: Error) => {
      throw new CommandError(
        `the backup is restored and the brake is pulled, but: ${error.message}. Sign everybody out (ripper user sign-out), and run ripper audit verify`,
      )
    })
    const faults = faultsIn(chains)
    if (json) printJson({ file: path, ...head, rows: counts, chains: chains.length, faults })
    else tell({ head, counts, description, faults })
    return faults === 0 ? 0 : 1
  },
})

type Restored = { head: BackupHead; counts: BackupCounts; description: string }

async function restore(config: Config, path: string): Promise<Restored> {
  const { head, reader, close } = await openBackup(path).catch((error) => {
    throw sayingOf(path, error)
  })
  try {
    refuseWithoutKey(config, head)
    if (config.database_url === null) keepFolder(config.data_dir)
    const database = await openBareDatabase(config)
    const { sql, description, clock, log } = database
    try {
      if (await hasCitus(sql)) {
        throw new CommandError(`${description} has Citus, for which there is no ripper restore`)
      }
      const fault = await restoreFault(sql, head)
      if (fault !== null) throw new CommandError(`${description}: ${fault}`)
      await migrate({ sql, clock, log, migrations: migrationsOf(head) })
      const counts = await load(database, reader, { head, now: clock.now() })
      await migrate({ sql, clock, log })
      return { head, counts, description }
    } finally {
      await database.close()
    }
  } catch (error) {
    throw sayingOf(path, error)
  } finally {
    close()
  }
}

/** The brake is there with the first row: whoever dies after that has nothing reversed. */
async function load(
  { openCopies }: Database,
  reader: BackupReader,
  { head, now }: { head: BackupHead; now: Date },
): Promise<BackupCounts> {
  const copies = openCopies()
  try {
    return await loadBackup(copies, reader, (tx) =>
      pullBrake(tx, {
        acquirer: every_acquirer,
        reason: `the backup of ${head.made_at} was restored`,
        pulled_at: now,
        pulled_by: operatorName(),
        released_at: null,
        released_by: null,
      }),
    )
  } finally {
    await copies.end()
  }
}

function refuseWithoutKey({ master_keys, data_dir }: Config, { key_id }: BackupHead): void {
  if (key_id === null) return
  const keys = master_keys ?? readMasterKey(data_dir)
  const reason = `the backup was sealed with the master key ${key_id}`
  if (keys === null) {
    throw new CommandError(`${reason}. Put it into ${resolve(data_dir)}/master.key, or set RIPPER_MASTER_KEY.`)
  }
  const { key_ids } = openKeyring(keys, { bytes: (length) => Buffer.alloc(length) })
  if (key_ids.includes(key_id)) return
  throw new CommandError(
    `${reason}, and ${master_keys ? 'RIPPER_MASTER_KEY' : `${resolve(data_dir)}/master.key`} holds ${key_ids.join(', ')}.`,
  )
}

function sayingOf(path: string, error: unknown): unknown {
  if (!(error instanceof BackupFileError)) return error
  const missing = existsSync(path) ? '' : ' (there is no such file)'
  return new CommandError(`${path} ${error.message}${missing}`)
}

function tell({ head, counts, description, faults }: Restored & { faults: number }): void {
  printLine(`${description}: ${rowWords(counts)}, as of ${head.made_at}.`)
  printLine(
    faults === 0
      ? 'The journal is whole, and every payment agrees with its lines.'
      : `Something is wrong: ${faults} faults, which ripper audit verify names.`,
  )
  printLine('The brake is pulled: nothing that is unknown here is reversed.')
  printLine(
    'Next: revoke again what was revoked since the backup, start the service, and go through ripper orphan list; then ripper orphan release.',
  )
}
