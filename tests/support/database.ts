// A database of its own for each test file, copied from the migrated template.

import { randomBytes } from 'node:crypto'
import { inject } from 'vitest'
import { connect } from '../../src/database/driver/driver.ts'
import type { Sql } from '../../src/database/driver/pool.ts'
import { type Database, type OpenOptions, openDatabase } from '../../src/database/open.ts'
import type { TestServer } from './setup-database.ts'
import { quiet, realClock } from './world.ts'

export type FreshDatabase = {
  url: string
  open(options?: Partial<OpenOptions>): Promise<Database>
  /** Call this when the tests are over; connections that are still open are cut. */
  drop(): Promise<void>
}

/** `none`: whoever waits for a lock waits for as long as the test takes to let it go, not for the 1.5 s of the service. */
export type LockLimit = 'none' | 'usual'

/** Makes a database with all migrations applied, or with nothing in it. */
export async function freshDatabase(
  content: 'migrated' | 'empty' = 'migrated',
  lock_limit: LockLimit = 'usual',
): Promise<FreshDatabase> {
  const server = inject('database')
  const { url_of, template } = server
  const name = `test_${randomBytes(8).toString('hex')}`
  const url = addressOf(url_of.replace('{name}', name), lock_limit)
  const source = content === 'empty' ? 'template0' : template
  await atEach(server, (sql) => copyTemplate(sql, name, source))
  return {
    url,
    open: (options = {}) =>
      openDatabase({ url, data_dir: '', connections_max: 5, log: quiet, clock: realClock, ...options }),
    drop: () =>
      atEach(server, async (sql) => {
        await sql.unsafe(`drop database if exists ${name} with (force)`)
      }),
  }
}

/** What an address asks for counts more than what the driver is told. */
function addressOf(url: string, lock_limit: LockLimit): string {
  const address = new URL(url)
  if (lock_limit === 'none') address.searchParams.set('lock_timeout', '0')
  return address.href
}

/** On the server, and on each node of a cluster. */
async function atEach({ url_of, nodes }: TestServer, work: (sql: Sql) => Promise<void>): Promise<void> {
  for (const url of [url_of, ...nodes]) await withAdmin(url, work)
}

async function withAdmin(url_of: string, work: (sql: Sql) => Promise<void>): Promise<void> {
  const sql = connect(url_of.replace('{name}', 'template1'), {
    connections_max: 1,
    lock_timeout_ms: 0,
  })
  try {
    await work(sql)
  } finally {
    await sql.end({ timeout: 1 })
  }
}

async function copyTemplate(sql: Sql, name: string, template: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await sql.unsafe(`create database ${name} template ${template} strategy wal_log`)
      return
    } catch (error) {
      // "source database is being accessed by other users": autovacuum, for one, looks in now and then.
      if ((error as { code?: string }).code !== '55006' || tries === 100) throw error
      await realClock.sleep(20)
    }
  }
}
