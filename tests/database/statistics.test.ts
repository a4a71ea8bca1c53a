// Plans made for small tables serve large ones, and the planner hears of tables that have grown.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { keepStatistics } from '../../src/database/keep-statistics.ts'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'

let database: FreshDatabase
let opened: Awaited<ReturnType<FreshDatabase['open']>>
beforeAll(async () => {
  database = await freshDatabase()
  opened = await database.open({ connections_max: 3 })
})
afterAll(async () => {
  await opened.close()
  await database.drop()
})

const sleeps: number[] = []
const clock = {
  now: () => new Date(),
  async sleep(duration_ms: number) {
    sleeps.push(duration_ms)
  },
}
const keep = (stopping?: AbortSignal) =>
  keepStatistics({ sql: opened.sql, world: { clock }, ...(stopping && { stopping }) })

const known = async () => {
  const [row] = await opened.sql<{ rows: number }[]>`
    select reltuples::int as rows from pg_class where relname = 'grown'`
  return row!.rows
}
const grow = (rows: number) => opened.sql`
  insert into grown select g, repeat('x', 100) from generate_series(1, ${rows}::int) g`

test('a plan made for a table of a few rows does not read all of it', async () => {
  const { sql } = opened
  await sql`create table few (number integer primary key)`
  await sql`insert into few select generate_series(1, 3)`
  await sql`analyze few`
  const plan = await sql<Record<string, string>[]>`explain select * from few where number = 2`
  const text = plan.map((row) => row['QUERY PLAN']).join('\n')
  expect(text).toContain('few_pkey')
  expect(text).not.toContain('Seq Scan')
})

test('once for each time that a table has doubled, and not of small ones', async () => {
  const { sql } = opened
  await sql`create table grown (number integer, filler text) with (autovacuum_enabled = off)`
  while ((await keep()) > 0);
  await grow(500)
  expect([await keep(), await known()]).toEqual([0, -1])
  await grow(4_500)
  expect([await keep(), await known()]).toEqual([1, 5_000])
  await grow(4_000)
  expect([await keep(), await known()]).toEqual([0, 5_000])
  await grow(2_000)
  expect([await keep(), await known()]).toEqual([1, 11_000])
})

test('requests go on between two tables, and a process that stops leaves the rest to the next', async () => {
  const { sql } = opened
  await sql`create table another (number integer, filler text) with (autovacuum_enabled = off)`
  await grow(20_000)
  await sql`insert into another select g, repeat('x', 100) from generate_series(1, 20000) g`
  sleeps.length = 0
  expect([await keep(AbortSignal.abort()), sleeps]).toEqual([0, []])
  expect([await keep(), sleeps]).toEqual([2, [300]])
  await sql`drop table another`
})

test('a table that is locked is left for the next time', async () => {
  const { sql } = opened
  await grow(50_000)
  await sql.begin(async (tx) => {
    await tx`lock table grown in share update exclusive mode`
    await keep()
    expect(await known()).toBe(31_000)
  })
  await keep()
  expect(await known()).toBe(81_000)
})

test('of tables in another schema, where the service has its own there', async () => {
  const { sql } = opened
  await sql.unsafe('create schema shop; create table shop.filled (number integer, filler text)')
  await sql`insert into shop.filled select g, repeat('x', 100) from generate_series(1, 5000) g`
  while ((await keep()) > 0);
  const other = await database.open({ url: `${database.url}&search_path=shop` })
  expect(await keepStatistics({ sql: other.sql, world: { clock } })).toBe(1)
  await other.close()
})
