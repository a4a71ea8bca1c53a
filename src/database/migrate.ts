// Brings a database's tables up to this version: numbered files, each applied once, in order, permanently.

import { readdirSync, readFileSync } from 'node:fs'
import type { Clock, Log } from '../kernel/world.ts'
import { areCellsCurrent, isDistributed, makeCells } from './cells/distribute.ts'
import type { Sql } from './driver/pool.ts'
import { isLockTimeout, isRetriable } from './failures.ts'

export type Migration = { number: number; name: string; text: string }

const day_ms = 24 * 3_600_000
/** A new database gets all its migrations within this time, and no upgrade comes so soon. */
const one_run_ms = 10_000

type MigrateOptions = { sql: Sql; log: Log; clock: Clock; migrations?: readonly Migration[] }

/**
 * Applies the missing migrations and returns their numbers. Several processes may do this at once while others serve requests:
 * each wait for a table is short, and is repeated without limit.
 */
export async function migrate(options: MigrateOptions): Promise<number[]> {
  const { sql, log, migrations = ownMigrations() } = options
  await ensureTable(sql)
  const [row] = await sql<[{ newest: number | null }]>`select max(number) as newest from migrations`
  const known = migrations.at(-1)?.number ?? 0
  if (row.newest !== null && row.newest > known) throw newer({ newest: row.newest, known })
  const applied: number[] = []
  for (const migration of migrations) {
    if (migration.number <= (row.newest ?? 0)) continue
    if (!(await applyInTurns(options, migration))) continue
    log.info({ migration: migration.name }, 'migrated')
    applied.push(migration.number)
  }
  if (await isDistributed(sql)) await keepCells(options)
  return applied
}

/** A node that is away makes them when somebody migrates after it is back: its own cells are as old as its rows until then. */
async function keepCells({ sql, log }: MigrateOptions): Promise<void> {
  try {
    if (!(await areCellsCurrent(sql))) await makeCells(sql)
  } catch (error) {
    log.error({ error: (error as Error).message }, 'cells not made: run ripper migrate')
  }
}

/** For processes that must not migrate. */
export async function refuseUnlessMigrated(sql: Sql): Promise<void> {
  const { newest, known } = await readMigrated(sql)
  if (newest === null) {
    throw new Error(
      'The database is empty. A first start of the service, or ripper migrate, makes its tables.',
    )
  }
  if (newest > known) throw newer({ newest, known })
  if (newest === known) return
  throw new Error(
    `The database has migration ${newest}, and this version needs ${known}. Read how to upgrade in the change log, back up, ` +
      'and run ripper migrate.',
  )
}

function newer({ newest, known }: { newest: number; known: number }): Error {
  return new Error(
    `The database has migration ${newest}, and this version knows only ${known}. ` +
      'It was used by a newer version: run that one, or a newer one.',
  )
}

/** The newest migration that a database has, null if it has none, and the newest that this version knows. */
export async function readMigrated(sql: Sql): Promise<{ newest: number | null; known: number }> {
  const known = ownMigrations().length
  const [table] = await sql`select to_regclass('migrations') is not null as made`
  if (table?.made !== true) return { newest: null, known }
  const [row] = await sql<[{ newest: number | null }]>`select max(number) as newest from migrations`
  return { newest: row.newest, known }
}

/** The files `0001_name.sql`, … of a folder; numbers count up from 1 without a gap. */
export function readMigrations(folder: URL): Migration[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.sql'))
  return names.sort().map((name, index) => {
    const number = Number(/^(\d{4})_/.exec(name)?.[1])
    if (number !== index + 1) {
      throw new Error(
        `The migration ${name} should begin with ${String(index + 1).padStart(4, '0')}_`,
      )
    }
    return { number, name, text: readFileSync(new URL(name, folder), 'utf8') }
  })
}

/** Those of this release. */
export function ownMigrations(): Migration[] {
  return readMigrations(ownFolder)
}

const ownFolder = new URL('migrations/', import.meta.url)

/** insufficient_privilege */
const not_allowed = '42501'
/**
 * While a migration waits for a table, all requests for that table wait behind it. They are refused after 1.5 s of their own.
 */
const wait_for_table_ms = 1_000
const pause_ms = 2_000

/** False if another process applied the migration meanwhile. */
async function applyInTurns(
  { sql, log, clock }: MigrateOptions,
  migration: Migration,
): Promise<boolean> {
  for (;;) {
    try {
      return await apply(sql, migration, clock.now())
    } catch (error) {
      if ((error as { code?: string }).code === not_allowed) {
        throw new Error(
          `The database lacks migration ${migration.number}, and this role may not apply it: run ripper migrate as the ` +
            `owner of the tables (${(error as Error).message}).`,
          { cause: error },
        )
      }
      // A migration that holds one table and waits for the next may deadlock with the holder of that one.
      if (!isLockTimeout(error) && !isRetriable(error)) throw error
      log.warn({ migration: migration.name }, 'migration waits for a table that is in use')
      await clock.sleep(pause_ms)
    }
  }
}

/**
 * From when on no process of a release before this migration serves: a day after it ran, because an upgrade takes less, and at
 * once where the database was made with it.
 */
export async function aloneSince(sql: Sql, number: number): Promise<Date> {
  const { made_at, alone_at } = await ranAt(sql, number)
  return alone_at ?? made_at
}

/** The same; null where the database was made with it, so that no release before it ever wrote there. */
export async function upgradedSince(sql: Sql, number: number): Promise<Date | null> {
  return (await ranAt(sql, number)).alone_at
}

async function ranAt(sql: Sql, number: number): Promise<{ made_at: Date; alone_at: Date | null }> {
  const [row] = await sql<{ applied_at: Date; made_at: Date }[]>`
    select applied_at, (select min(applied_at) from migrations) as made_at
    from migrations where number = ${number}`
  if (!row) throw new Error(`migration ${number} has not run`)
  const { applied_at, made_at } = row
  const is_new = applied_at.getTime() - made_at.getTime() < one_run_ms
  return { made_at, alone_at: is_new ? null : new Date(applied_at.getTime() + day_ms) }
}

/** The insert waits as long as another process takes to apply the same migration. */
async function apply(sql: Sql, migration: Migration, at: Date): Promise<boolean> {
  return sql.begin(async (tx) => {
    await tx`set local lock_timeout = 0`
    await tx`set local statement_timeout = 0`
    await tx`set local idle_in_transaction_session_timeout = 0`
    const inserted = await tx`
      insert into migrations (number, name, applied_at)
      values (${migration.number}, ${migration.name}, ${at})
      on conflict do nothing
      returning number`
    if (inserted.length === 0) return false
    await tx.unsafe(`set local lock_timeout = ${wait_for_table_ms}`)
    await tx.unsafe(migration.text)
    return true
  })
}

/** A table, its type or its catalogue row already exists, or another process is creating it. */
const lostRace = new Set<string | undefined>(['42P07', '42710', '23505', '55P03'])

async function ensureTable(sql: Sql): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      // A role that may only use the tables is not even allowed to run `create table if not exists`.
      const [row] = await sql`select to_regclass('migrations') is not null as made`
      if (row?.made === true) return
      await sql`
        create table if not exists migrations (
          number integer primary key,
          name text not null,
          applied_at timestamptz not null
        )`
      return
    } catch (error) {
      // If two processes create the same table at once, one of them fails.
      const { code } = error as { code?: string }
      if (tries === 5 || !lostRace.has(code)) throw error
    }
  }
}
