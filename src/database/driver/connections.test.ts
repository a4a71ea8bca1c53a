// Which connection a statement goes to, and what becomes of statements when connections end.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../../tests/support/database.ts'
import { dial } from './dial.ts'
import { connect, destinationOf } from './driver.ts'
import { openPool } from './pool.ts'

let fresh: FreshDatabase

beforeAll(async () => {
  fresh = await freshDatabase()
})

afterAll(() => fresh.drop())

const pids = async (sql: ReturnType<typeof connect>, count: number) => {
  const rows = await Promise.all(
    Array.from({ length: count }, () => sql<{ pid: number }[]>`select pg_backend_pid() as pid`),
  )
  return rows.map(([row]) => row!.pid)
}

test('statements that come together spread over as many connections as may be', async () => {
  const sql = connect(fresh.url, { connections_max: 3 })
  await Promise.all([1, 2, 3].map(() => sql`select pg_sleep(0.05)`))
  expect(new Set(await pids(sql, 30)).size).toBe(3)
  await sql.end()
})

test('one that comes alone goes to a connection that is there', async () => {
  const sql = connect(fresh.url, { connections_max: 3 })
  const first = await pids(sql, 1)
  for (let count = 0; count < 5; count += 1) expect(await pids(sql, 1)).toEqual(first)
  await sql.end()
})

test('what waits for a connection when the pool ends is done before', async () => {
  const sql = connect(fresh.url, { connections_max: 1 })
  const answers = [1, 2, 3].map((n) => sql`select ${n}::int as n`.then(([row]) => row!.n))
  await sql.end()
  expect(await Promise.all(answers)).toEqual([1, 2, 3])
  await expect(sql`select 1`).rejects.toMatchObject({ code: 'CONNECTION_ENDED' })
})

test('what still waits after the time of the end fails', async () => {
  const sql = connect(fresh.url, { connections_max: 1 })
  const work = sql.begin((tx) => tx`select pg_sleep(20)`).catch((error) => error)
  const waiting = sql`select 1`.catch((error) => error)
  await sql.end({ timeout: 0.05 })
  expect(await work).toMatchObject({ code: 'CONNECTION_DESTROYED' })
  expect(await waiting).toMatchObject({ code: 'CONNECTION_ENDED' })
})

test('a statement that its transaction has outlived is not sent', async () => {
  const sql = connect(fresh.url, { connections_max: 1 })
  await sql`create table strays (id int)`
  let stray: Promise<unknown> | null = null
  const failed = sql.begin(async (tx) => {
    const later = new Promise((resolve) => setImmediate(resolve))
    stray = later.then(() => tx`insert into strays values (1)`).catch((error) => error)
    throw new Error('no')
  })
  await expect(failed).rejects.toThrow('no')
  expect(await stray).toMatchObject({ message: 'its transaction has ended' })
  expect(await sql`select id from strays`).toEqual([])
  await sql.end()
})

test('the statements of a transaction keep their order, and end with it', async () => {
  const sql = connect(fresh.url, { connections_max: 1 })
  await sql`create table steps (id int)`
  // The server is asked for the parameters of the first statement before that one is sent.
  await sql.begin((tx) => [
    tx`insert into steps values (${1})`,
    tx.unsafe('insert into steps select max(id) + 1 from steps'),
  ])
  await sql.begin(async (tx) => {
    void tx`insert into steps select ${3}::int`.catch(() => {})
  })
  expect(await sql`select id from steps order by ctid`).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }])
  const unheard = sql.begin(async (tx) => {
    void tx`insert into steps select ${4}::int / 0`.catch(() => {})
  })
  await expect(unheard).rejects.toMatchObject({ code: '22012' })
  await sql.end()
})

test('a connection that was used for its time is replaced', async () => {
  const destination = destinationOf(fresh.url, {})
  const sql = openPool({
    connections_max: 1,
    dial: () => dial(destination),
    has_names: true,
    silence_max_ms: 0,
    lasts_ms: () => 1,
    beginSpan: () => null,
    rename: null,
  })
  const [first] = await pids(sql, 1)
  const look = async () => (await pids(sql, 1))[0]
  await expect.poll(look).not.toBe(first)
  await sql.end()
})
