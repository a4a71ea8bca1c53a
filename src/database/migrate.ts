// Brings a database's tables up to this version: first the schema, then numbered files, each applied once, in order, permanently.

import { readdirSync, readFileSync } from 'node:fs'
import type { Clock, Log } from '../kernel/world.ts'
import { areCellsCurrent, isDistributed, makeCells } from './cells/distribute.ts'
import type { AnySql, Sql } from './driver/pool.ts'
import { isLockTimeout, isRetriable } from './failures.ts'
import { compareTables } from './schema/compare-tables.ts'
import { schema_migration, schemaText } from './schema/schema.ts'

export type Migration = { number: number; name: string; text: string }

type MigrateOptions = { sql: Sql; log: Log; clock: Clock; migrations?: readonly Migration[] }

/**
 * Applies the missing migrations and returns their numbers. Several processes may do this at once while others serve requests:
 * each wait for a table is short, and is repeated without limit. The first migration is the schema of an empty database.
 */
export async function migrate(options: MigrateOptions): Promise<number[]> {
  const { sql, log, migrations = ownMigrations() } = options
  await ensureTable(sql)
  const newest = await newestOf(sql)
  refuseOther(newest, migrations)
  if (newest !== null) await adopt(options, migrations)
  const appliedNumbers: number[] = []
  for (const migration of migrations) {
    if (migration.number <= (newest ?? 0)) continue
    if (!(await applyInTurns(options, migration, migrations))) continue
    log.info({ migration: migration.name }, 'migrated')
    appliedNumbers.push(migration.number)
  }
  if (await isDistributed(sql)) await keepCells(options)
  return appliedNumbers
}

/**
 * A node that is away gets its cells at the next migration after its return: until then its cells are as old as its
 * rows.
 */
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
    throw new Error('The database is empty. A first start of the service, or ripper migrate, makes its tables.')
  }
  refuseOther(newest, ownMigrations())
  if (newest === known) return
  throw new Error(
    `The database has migration ${newest}, and this version needs ${known}. Read how to upgrade in the change log, back up, ` +
      'and run ripper migrate.',
  )
}

/** Throws an Error with a message for people where these migrations do not lead on from the newest that a database has. */
function refuseOther(newest: number | null, migrations: readonly Migration[]): void {
  if (newest === null) return
  const first = migrations[0]?.number ?? 0
  const newest_known = migrations.at(-1)?.number ?? 0
  if (newest > newest_known) {
    throw new Error(
      `The database has migration ${newest}, and this version knows only ${newest_known}. ` +
        'It was used by a newer version: run that one, or a newer one.',
    )
  }
  if (newest < first) {
    throw new Error(
      `The database has migration ${newest}, and this version begins with ${first}: bring it there with the release of ` +
        `commit ${last_release} (its ripper migrate), and then come back to this one.`,
    )
  }
}

/** The newest release that still has the migrations which the schema took the place of. */
export const last_release = 'e52af54'

/** The newest migration that a database has, null if it has none, and the newest that this version knows. */
export async function readMigrated(sql: Sql): Promise<{ newest: number | null; known: number }> {
  const known = ownMigrations().at(-1)!.number
  const [table] = await sql`select to_regclass('migrations') is not null as made`
  return { newest: table?.made === true ? await newestOf(sql) : null, known }
}

export async function newestOf(sql: AnySql): Promise<number | null> {
  const [row] = await sql<[{ newest: number | null }]>`select max(number) as newest from migrations`
  return row.newest
}

/** The files `0036_name.sql`, … of a folder; numbers count up from the first without a gap. */
export function readMigrations(folder: URL, first: number): Migration[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.sql'))
  return names.sort().map((name, index) => {
    const number = Number(/^(\d{4})_/.exec(name)?.[1])
    if (number !== first + index) {
      throw new Error(`The migration ${name} should begin with ${String(first + index).padStart(4, '0')}_`)
    }
    return { number, name, text: readFileSync(new URL(name, folder), 'utf8') }
  })
}

/** The migrations of this release. The schema has the number of the last migration that it replaced. */
export function ownMigrations(): Migration[] {
  const schema = { number: schema_migration, name: 'schema', text: schemaText() }
  return [schema, ...readMigrations(ownFolder, schema_migration + 1)]
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
  migrations: readonly Migration[],
): Promise<boolean> {
  for (;;) {
    try {
      return await apply(sql, migration, { at: clock.now(), migrations })
    } catch (error) {
      refuseForbidden(error, `lacks migration ${migration.number}, and this role may not apply it`)
      // A migration that holds one table and waits for the next may deadlock with the holder of that one.
      if (!isLockTimeout(error) && !isRetriable(error)) throw error
      log.warn({ migration: migration.name }, 'migration waits for a table that is in use')
      await clock.sleep(pause_ms)
    }
  }
}

function refuseForbidden(error: unknown, words: string): void {
  const { code, message } = error as { code?: string; message: string }
  if (code !== not_allowed) return
  throw new Error(`The database ${words}: run ripper migrate as the owner of the tables (${message}).`, {
    cause: error,
  })
}

async function apply(
  sql: Sql,
  { number, name, text }: Migration,
  { at, migrations }: { at: Date; migrations: readonly Migration[] },
): Promise<boolean> {
  return sql.begin(async (tx) => {
    const newest = await lockNewest(tx)
    if (newest !== null && newest >= number) return false
    // A process of an older version may be making the tables.
    refuseOther(newest, migrations)
    await tx`insert into migrations (number, name, applied_at) values (${number}, ${name}, ${at})`
    await tx.unsafe(`set local lock_timeout = ${wait_for_table_ms}`)
    await tx.unsafe(text)
    return true
  })
}

/** The newest migration, which stays so until the transaction ends. The lock waits as long as another process takes for one. */
async function lockNewest(tx: AnySql): Promise<number | null> {
  await tx`set local lock_timeout = 0`
  await tx`set local statement_timeout = 0`
  await tx`set local idle_in_transaction_session_timeout = 0`
  await tx`lock table migrations in share row exclusive mode`
  return newestOf(tx)
}

/**
 * Compares the tables of earlier migrations with those of the schema, once. From then on the database counts as made by
 * the schema. Earlier releases that run beside this one read no name of a migration.
 */
async function adopt({ sql, log }: MigrateOptions, migrations: readonly Migration[]): Promise<void> {
  const [schema] = migrations
  if (!schema || (await nameOf(sql, schema)) === schema.name) return
  const adopting = sql.begin(async (tx) => {
    const newest = await lockNewest(tx)
    if ((await nameOf(tx, schema)) === schema.name) return false
    const texts = migrations.filter(({ number }) => number <= newest!).map(({ text }) => text)
    await compareTables(tx, texts)
    await tx`update migrations set name = ${schema.name} where number = ${schema.number}`
    return true
  })
  const is_first = await adopting.catch((error) => {
    refuseForbidden(error, 'was not compared with this version yet, which this role may not do')
    throw error
  })
  if (is_first) log.info({}, 'tables of an earlier release adopted')
}

async function nameOf(sql: AnySql, { number }: Migration): Promise<string | undefined> {
  const [row] = await sql<{ name: string }[]>`select name from migrations where number = ${number}`
  return row?.name
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
