// `ripper restore`: puts a backup into an empty database, checks it, and pulls the brake.

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { every_acquirer } from '../../checkout/orphan.ts'
import { pullBrake } from '../../checkout/orphans/orphan-brake-store.ts'
import { type Config, readConfig } from '../../config/config.ts'
import { readMasterKey } from '../../config/master-key.ts'
import {
  type BackupCounts,
  BackupFileError,
  type BackupHead,
  type BackupReader,
  openBackup,
} from '../../database/backup/backup-file.ts'
import { loadBackup, migrationsOf, restoreFault } from '../../database/backup/load-backup.ts'
import { hasCitus } from '../../database/cells/distribute.ts'
import { migrate } from '../../database/migrate.ts'
import { type Database, openDatabase } from '../../database/open.ts'
import { openKeyring } from '../../kernel/keyring.ts'
import { openWorld } from '../../outgoing/real-world.ts'
import { keepFolder } from '../../service/resources.ts'
import { endAllSessions } from '../../users/keep-users.ts'
import { verifyAll } from '../audit/verify.ts'
import { operatorName, withCommandContext } from '../command-context.ts'
import { type Command, CommandError } from '../terminal/command.ts'
import { printJson, printLine } from '../terminal/print.ts'
import { terminal } from '../terminal/terminal.ts'
import { rowWords } from './backup.ts'

export const restoreCommand: Command = {
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
      return verifyAll(context, {}, new Set())
    }).catch((error: Error) => {
      throw new CommandError(
        `the backup is restored and the brake is pulled, but: ${error.message}. Sign everybody out (ripper user sign-out), and run ripper audit verify`,
      )
    })
    const faults = chains.reduce((sum, { fault_count, payments }) => sum + fault_count + payments.fault_count, 0)
    if (json) printJson({ file: path, ...head, rows: counts, chains: chains.length, faults })
    else tell({ head, counts, description, faults })
    return faults === 0 ? 0 : 1
  },
}

type Restored = { head: BackupHead; counts: BackupCounts; description: string }

async function restore(config: Config, path: string): Promise<Restored> {
  const { head, reader, close } = await openBackup(path).catch((error) => {
    throw sayingOf(path, error)
  })
  try {
    refuseWithoutKey(config, head)
    if (config.database_url === null) keepFolder(config.data_dir)
    const { clock, log } = openWorld({ ...config, log_level: 'error' }, terminal().stderr)
    const { data_dir, database_url: url } = config
    const database = await openDatabase({ url, data_dir, connections_max: 1, clock, log })
    const { sql, description } = database
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
  const wanted = `the backup was sealed with the master key ${key_id}`
  if (keys === null) {
    throw new CommandError(`${wanted}. Put it into ${resolve(data_dir)}/master.key, or set RIPPER_MASTER_KEY.`)
  }
  const { key_ids } = openKeyring(keys, { bytes: (length) => Buffer.alloc(length) })
  if (key_ids.includes(key_id)) return
  throw new CommandError(
    `${wanted}, and ${master_keys ? 'RIPPER_MASTER_KEY' : `${resolve(data_dir)}/master.key`} holds ${key_ids.join(', ')}.`,
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
