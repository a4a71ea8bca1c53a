// A database that migrations have made is compared with the schema once, and goes on unchanged.

import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../../tests/support/database.ts'
import { countLockWaits, lockWaits } from '../../../tests/support/lock-waits.ts'
import { until } from '../../../tests/support/service.ts'
import { quiet, realClock } from '../../../tests/support/world.ts'
import { countStatements } from '../count.ts'
import { migrate, ownMigrations, refuseUnlessMigrated } from '../migrate.ts'
import type { Database } from '../open.ts'
import { schemaText } from './schema.ts'

let fresh: FreshDatabase
let database: Database

/** As the migrations up to 35 left it: with rows of their own, and with columns at the end that were added. */
beforeEach(async () => {
  fresh = await freshDatabase('empty')
  database = await fresh.open({ connections_max: 3 })
  await database.sql.begin(async (tx) => {
    await tx`create table migrations (number integer primary key, name text not null, applied_at timestamptz not null)`
    await tx`insert into migrations select n, n || '_of_then.sql', ${new Date(0)} from generate_series(1, 35) n`
    await tx.unsafe(schemaText())
    await tx`alter table api_keys drop column name, add column name text`
    await tx`alter table acquirer_operations drop constraint acquirer_operations_check2, add constraint
      acquirer_operations_check2 check ((kind in ('capture', 'void')) = (asked_by is not null)) not valid`
  })
})

afterEach(async () => {
  await database.close()
  await fresh.drop()
})

const run = ({ sql } = database) => migrate({ sql, log: quiet, clock: realClock })
const later = ownMigrations().flatMap(({ number }) => (number > 35 ? [number] : []))

const stateOf = () => database.sql`
  select (select count(*)::int from migrations) as migrations,
    (select name from migrations where number = 35) as name,
    (select count(*)::int from pg_namespace where nspname like 'ripper%') as schemas`
const untouched = [{ migrations: 35, name: '35_of_then.sql', schemas: 0 }]

test('one that is as the schema makes it is adopted, once, and gets what is newer', async () => {
  expect(await run()).toEqual(later)
  expect(await stateOf()).toEqual([{ migrations: 35 + later.length, name: 'schema', schemas: 0 }])
  await refuseUnlessMigrated(database.sql)
  const statements = countStatements()
  const other = await fresh.open({ onStatement: statements.onStatement })
  expect(await run(other)).toEqual([])
  expect(statements.texts().filter((text) => /create|lock|update/.test(text))).toEqual([])
  await other.close()
})

test('one that has newer migrations already is compared with those, too', async () => {
  await run()
  await database.sql`update migrations set name = '35_of_then.sql' where number = 35`
  const [index] = await database.sql`select pg_get_indexdef('payments_refunded'::regclass) as text`
  await database.sql`drop index payments_refunded`
  await expect(run()).rejects.toThrow('the index payments_refunded of payments is missing')
  await database.sql.unsafe(index!.text)
  expect(await run()).toEqual([])
  expect((await stateOf())[0]!.name).toBe('schema')
})

test('one that is otherwise is refused, and left as it is', async () => {
  await database.sql`drop index payments_by_time`
  await expect(run()).rejects.toThrow('the index payments_by_time of payments is missing')
  expect(await stateOf()).toEqual(untouched)
})

test.each([
  'shop 1',
  'shop,1',
  'the "shop"',
  'Shop$',
  // What tables, columns, values and other names begin with, too.
  'payments',
  'payment',
  'sessions',
  'merchant_id',
  'user',
])('one whose tables lie in the schema «%s» of its search_path is adopted, too', async (name) => {
  const quoted = `"${name.replaceAll('"', '""')}"`
  await database.sql.unsafe(`alter schema public rename to ${quoted}; create schema public`)
  const elsewhere = await fresh.open({
    url: `${fresh.url}&search_path=${encodeURIComponent(quoted)}`,
  })
  expect(await run(elsewhere)).toEqual(later)
  await elsewhere.close()
})

test('one that stands before the schema is refused, with what brings it there', async () => {
  await database.sql`delete from migrations where number > 20`
  const words = 'The database has migration 20, and this version begins with 35: bring it there with'
  await expect(run()).rejects.toThrow(words)
  await expect(refuseUnlessMigrated(database.sql)).rejects.toThrow(words)
})

test('a role that may not make tables is told who may; afterwards it starts', async () => {
  const role = `ripper_test_${randomBytes(6).toString('hex')}`
  const { sql } = database
  await sql.unsafe(`create role ${role};
    grant usage on schema public, vault, simulator to ${role};
    grant select, insert, update, delete on all tables in schema public, vault, simulator to ${role}`)
  const service = await fresh.open({ url: `${fresh.url}&role=${role}`, connections_max: 1 })
  try {
    await expect(run(service)).rejects.toThrow(
      'was not compared with this version yet, which this role may not do: run ripper migrate as the owner',
    )
    expect(await stateOf()).toEqual(untouched)
    await run()
    expect(await run(service)).toEqual([])
  } finally {
    await service.close()
    await sql.unsafe(`drop owned by ${role}; drop role ${role}`)
  }
})

test('several processes at once adopt it once, and apply each migration once', async () => {
  const others = await Promise.all([1, 2, 3].map(() => fresh.open({ connections_max: 1 })))
  const applied = await Promise.all(others.map((other) => run(other)))
  expect(applied.flat().sort()).toEqual(later)
  expect((await stateOf())[0]).toMatchObject({ name: 'schema', schemas: 0 })
  await Promise.all(others.map((other) => other.close()))
})

test('a process that dies while it compares leaves nothing, and the next one adopts', async () => {
  const dying = await fresh.open({ connections_max: 1 })
  const { promise: dies, resolve: die } = Promise.withResolvers<void>()
  const { promise: holds, resolve: hold } = Promise.withResolvers<void>()
  const holding = database.sql.begin(async (tx) => {
    await tx`create schema ripper_compared_simulator`
    hold()
    await dies
    await tx`drop schema ripper_compared_simulator`
  })
  await holds
  const adopting = expect(run(dying)).rejects.toThrow('terminating connection')
  await until(
    () => countLockWaits(database.sql),
    (count) => count === 1,
  )
  const [waiting] = await lockWaits(database.sql)
  await database.sql`select pg_terminate_backend(${waiting!.pid})`
  await adopting
  die()
  await holding
  expect(await stateOf()).toEqual(untouched)
  expect(await run()).toEqual(later)
  await dying.close()
})
