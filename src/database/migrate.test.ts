// Migrations against a real PostgreSQL: once each, in order, by however many processes at once.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { manualClock } from '../../tests/support/clock.ts'
import { type FreshDatabase, freshDatabase } from '../../tests/support/database.ts'
import { countLockWaits } from '../../tests/support/lock-waits.ts'
import { until } from '../../tests/support/service.ts'
import { quiet } from '../../tests/support/world.ts'
import { type Migration, migrate, ownMigrations, readMigrations } from './migrate.ts'
import type { Database } from './open.ts'

let fresh: FreshDatabase
let database: Database

beforeEach(async () => {
  fresh = await freshDatabase('empty')
  database = await fresh.open({ connections_max: 3 })
})

afterEach(async () => {
  await database.close()
  await fresh.drop()
})

const clock = manualClock()

const migration = (number: number, text: string): Migration => ({ number, name: `${number}.sql`, text })

const three = [
  migration(1, 'create table a (n int); insert into a values (1);'),
  migration(2, '-- adds a column\nalter table a add column m int;'),
  migration(3, 'insert into a values (3, 3)'),
]

const run = (migrations: readonly Migration[], target: Database = database) =>
  migrate({ sql: target.sql, log: quiet, clock, migrations })

test('what is missing is applied, in order and once', async () => {
  expect(await run(three.slice(0, 2))).toEqual([1, 2])
  expect(await run(three)).toEqual([3])
  expect(await run(three)).toEqual([])
  expect(await database.sql`select * from a order by n`).toEqual([
    { n: 1, m: null },
    { n: 3, m: 3 },
  ])
  expect(await database.sql`select * from migrations where number = 2`).toEqual([
    { number: 2, name: '2.sql', applied_at: clock.now() },
  ])
})

test('one that fails leaves nothing of itself and keeps those before', async () => {
  const broken = [three[0]!, migration(2, 'create table b (n int); select nonsense;')]
  await expect(run(broken)).rejects.toThrow('nonsense')
  expect(await database.sql`select to_regclass('b') as b, max(number) as n from migrations`).toEqual([
    { b: null, n: 1 },
  ])
  expect(await run(three)).toEqual([2, 3])
})

test('a role that may not change tables is refused, with the name of the role that may', async () => {
  const forbidden = migration(1, 'do $$ begin raise insufficient_privilege; end $$')
  await expect(run([forbidden])).rejects.toThrow(
    'lacks migration 1, and this role may not apply it: run ripper migrate as the owner',
  )
})

test('several processes at once apply each once', async () => {
  const others = await Promise.all([1, 2, 3, 4].map(() => fresh.open({ connections_max: 1 })))
  const slow = [migration(1, 'select pg_sleep(0.3); create table a (n int)'), ...three.slice(1)]
  const applied = await Promise.all(others.map((other) => run(slow, other)))
  expect(applied.flat().sort()).toEqual([1, 2, 3])
  await Promise.all(others.map((other) => other.close()))
})

test('waiting for another takes as long as that one takes', async () => {
  const hasty = await fresh.open({ url: `${fresh.url}&lock_timeout=50&statement_timeout=100` })
  await run([])
  const first = run([migration(1, 'select pg_sleep(0.5); create table a (n int)')])
  const inserted = () =>
    database.sql`select 1 from pg_stat_activity where query like 'select pg_sleep(0.5)%' and state = 'active'`
  while ((await inserted()).length === 0);
  expect(await run([migration(1, 'select 1')], hasty)).toEqual([])
  expect(await first).toEqual([1])
  await hasty.close()
})

test('a database of a newer version is refused', async () => {
  await run(three)
  await expect(run(three.slice(0, 2))).rejects.toThrow('has migration 3, and this version knows only 2')
})

test('a database that stands before the first is refused, and told what brings it there', async () => {
  await run(three.slice(0, 1))
  await expect(run(three.slice(1))).rejects.toThrow(
    'has migration 1, and this version begins with 2: bring it there with the release of commit',
  )
})

describe('an older version on the same empty database', () => {
  const older = [migration(1, 'create table a (n int)'), migration(2, 'create table b (n int)')]
  const schema = migration(2, 'create table b (n int); create table a (n int);')

  test('that has begun is waited for, and then refused', async () => {
    const other = await fresh.open({ connections_max: 1 })
    await run([])
    const { promise: beginning, resolve: hasBegun } = Promise.withResolvers<void>()
    const { promise: lasts, resolve: end } = Promise.withResolvers<void>()
    const making = other.sql.begin(async (tx) => {
      await tx`insert into migrations values (1, '1.sql', ${clock.now()})`
      await tx`create table a (n int)`
      hasBegun()
      await lasts
    })
    await beginning
    const refused = expect(run([schema])).rejects.toThrow('has migration 1, and this version')
    await until(
      () => countLockWaits(database.sql),
      (count) => count === 1,
    )
    end()
    await making
    await refused
    // Once the older one is through, its tables are this version's.
    await run(older, other)
    expect(await database.sql`select number from migrations order by 1`).toHaveLength(2)
    await other.close()
  })

  test('that comes later makes nothing, and destroys nothing', async () => {
    await run([schema])
    // It had found the database empty before.
    const late = database.sql.begin(async (tx) => {
      await tx`insert into migrations values (1, '1.sql', ${clock.now()}) on conflict do nothing`
      await tx.unsafe(older[0]!.text)
    })
    await expect(late).rejects.toThrow('already exists')
    expect(await database.sql`select number from migrations`).toEqual([{ number: 2 }])
    expect(await run([schema])).toEqual([])
  })
})

describe('the files of a folder', () => {
  const table: [files: string[], expected: number[] | string][] = [
    [
      ['0036_a.sql', '0037_b.sql', 'README'],
      [36, 37],
    ],
    [
      ['0037_b.sql', '0036_a.sql'],
      [36, 37],
    ],
    [[], []],
    [['0036_a.sql', '0038_c.sql'], '0038_c.sql should begin with 0037_'],
    [['0036_a.sql', '0036_b.sql'], '0036_b.sql should begin with 0037_'],
    [['0001_a.sql'], '0001_a.sql should begin with 0036_'],
    [['schema.sql'], 'schema.sql should begin with 0036_'],
  ]

  test.each(table)('%j', (files, expected) => {
    const folder = mkdtempSync(`${tmpdir()}/ripper-migrations-`)
    try {
      for (const file of files) writeFileSync(`${folder}/${file}`, file)
      const read = () => readMigrations(pathToFileURL(`${folder}/`), 36)
      if (typeof expected === 'string') expect(read).toThrow(expected)
      else expect(read().map(({ number }) => number)).toEqual(expected)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  test('the real ones are well numbered, and the template has them all', async () => {
    const copy = await freshDatabase()
    const migrated = await copy.open()
    expect(await run(ownMigrations(), migrated)).toEqual([])
    await migrated.close()
    await copy.drop()
  })
})

test("a table that is in use is waited for in turns, and is everybody else's in between", async () => {
  await run(three.slice(0, 1))
  const reader = await fresh.open({ connections_max: 1 })
  const { promise: reads, resolve: hasRead } = Promise.withResolvers<void>()
  const { promise: lasts, resolve: endReading } = Promise.withResolvers<void>()
  const reading = reader.sql.begin(async (tx) => {
    await tx`select * from a`
    hasRead()
    await lasts
  })
  await reads
  const waiting = run(three)
  await clock.sleepers()
  expect(await database.sql`select n from a`).toEqual([{ n: 1 }])
  endReading()
  await reading
  await clock.advance(2_000)
  expect(await waiting).toEqual([2, 3])
  await reader.close()
})

test('a transaction that holds the next table and wants the last one goes first', async () => {
  await run([migration(1, 'create table a (n int); create table b (n int)')])
  const { name } = (await database.sql`select current_database() as name`)[0]!
  // The migration's session notices the deadlock. The reader's session would notice it much later.
  await database.sql.unsafe(`alter database "${name}" set deadlock_timeout = '500ms'`)
  const [reader, migrating] = [await fresh.open({ connections_max: 1 }), await fresh.open({ connections_max: 1 })]
  const { promise: reads, resolve: hasRead } = Promise.withResolvers<void>()
  const { promise: goesOn, resolve: goOn } = Promise.withResolvers<void>()
  const reading = reader.sql.begin(async (tx) => {
    await tx`set local deadlock_timeout = '10s'`
    await tx`select from b`
    hasRead()
    await goesOn
    await tx`select from a`
  })
  await reads
  const both = migration(2, 'alter table a add column m int; alter table b add column m int')
  const waiting = run([migration(1, ''), both], migrating)
  await until(
    () => countLockWaits(database.sql),
    (count) => count === 1,
  )
  goOn()
  await reading
  await clock.sleepers()
  await clock.advance(2_000)
  expect(await waiting).toEqual([2])
  await Promise.all([reader.close(), migrating.close()])
})
