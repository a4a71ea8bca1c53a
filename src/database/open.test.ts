// What an open database offers, how it fails, and which servers are refused, against a real PostgreSQL.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../tests/support/database.ts'
import { quiet, realClock } from '../../tests/support/world.ts'
import { countStatements } from './count.ts'
import { describeAddress } from './driver/driver.ts'
import { rowValues } from './driver/rows.ts'
import { isConnectionLost, isLockTimeout, isStoreUnavailable, isUniqueViolation } from './failures.ts'
import { type AnySql, type Database, openDatabase, problemOf } from './open.ts'

let fresh: FreshDatabase
let database: Database

beforeAll(async () => {
  fresh = await freshDatabase('empty')
  database = await fresh.open({ connections_max: 3 })
  await database.sql`
    create table things (id int primary key, big bigint, at timestamptz, body json, raw bytea, words text[])`
})

afterAll(async () => {
  await database.close()
  await fresh.drop()
})

describe('values come back as they went in', () => {
  const at = new Date('2026-09-01T12:00:00.123Z')
  const own = JSON.parse('{"z":1,"a":{"__proto__":{"x":1}},"list":[null,"ü\\n"]}') as object
  const values: [name: string, column: string, value: unknown][] = [
    ['the largest number', 'big', Number.MAX_SAFE_INTEGER],
    ['the smallest number', 'big', Number.MIN_SAFE_INTEGER],
    ['a time', 'at', at],
    ['bytes', 'raw', Buffer.from([0, 1, 255])],
    ['texts', 'words', ['a', '', 'c,"d"', 'NULL']],
    ['no texts', 'words', []],
    ['nothing', 'big', null],
  ]

  test.each(values)('%s', async (_, column, value) => {
    const { sql } = database
    await sql`delete from things`
    await sql`insert into things ${rowValues(sql, { id: 1, [column]: value })}`
    const [row] = await sql`select * from things`
    expect(row?.[column]).toEqual(value)
  })

  test.each(['sql', 'transaction'])('JSON, member for member, with %s', async (way) => {
    const write = async (sql: AnySql) => {
      await sql`delete from things`
      await sql`insert into things (id, body) values (1, ${own})`
    }
    await (way === 'sql' ? write(database.sql) : database.sql.begin(write))
    const [row] = await database.sql`select body, body::text as text from things`
    expect(row?.text).toBe(JSON.stringify(own))
    expect(JSON.stringify(row?.body)).toBe(JSON.stringify(own))
    expect(Object.hasOwn(row?.body.a, '__proto__')).toBe(true)
  })

  const arrays: [type: string, value: unknown[]][] = [
    ['text', ['a', 'NULL', '{"']],
    ['int8', [1, Number.MAX_SAFE_INTEGER]],
    ['int4', [-1]],
    ['bool', [true, false]],
    ['timestamptz', [at, at]],
    ['json', [own, 'x']],
    ['bytea', [Buffer.from([1, 2])]],
  ]

  test.each(arrays)('a list of %s', async (type, value) => {
    const [row] = await database.sql.unsafe(`select $1::${type}[] as list`, [value])
    expect(row?.list).toEqual(value)
  })

  test('a time is read the same whatever the database thinks of time zones', async () => {
    const [row] =
      await database.sql`select '1880-01-01 00:00:00+00'::timestamptz as at, current_setting('TimeZone') as zone`
    expect(row).toEqual({ at: new Date('1880-01-01T00:00:00Z'), zone: 'UTC' })
  })
})

describe('what cannot be a value fails alone, among others on one connection', () => {
  const wrong: [name: string, value: unknown, type: string][] = [
    ['undefined', undefined, 'text'],
    ['a number beyond 2^53 - 1', 2 ** 53, 'int8'],
    ['a fraction as a whole number', 1.5, 'int8'],
    ['no time', new Date(Number.NaN), 'timestamptz'],
    ['JSON of a big integer', { n: 1n }, 'json'],
  ]

  test.each(wrong)('%s', async (_, value, type) => {
    const one = await fresh.open({ connections_max: 1 })
    const ask = (input: unknown) => one.sql.unsafe(`select $1::${type} is not null as there`, [input])
    const good = { text: 'a', int8: 1, timestamptz: new Date(0), json: { n: 1 } }[type]
    const questions = [good, value, good, value, good].map(ask)
    const answers = await Promise.allSettled(questions)
    expect(answers.map(({ status }) => status)).toEqual(
      [true, false, true, false, true].map((ok) => (ok ? 'fulfilled' : 'rejected')),
    )
    expect(await one.sql`select 1 as n`).toEqual([{ n: 1 }])
    await one.close()
  })

  test('a number too large to be read', async () => {
    const one = await fresh.open({ connections_max: 1 })
    const large = one.sql`select 9007199254740993 as n from generate_series(1, 3)`
    const small = one.sql`select 2::int8 as n`
    await expect(large).rejects.toThrow('beyond 2^53 - 1')
    expect(await small).toEqual([{ n: 2 }])
    await one.close()
  })
})

describe('a lost connection', () => {
  const ways = ['running', 'idle', 'commit'] as const

  test.each(ways)('in a transaction (%s) is an error, and the pool goes on', async (way) => {
    const { sql } = database
    const loss = sql.begin(async (tx) => {
      const [me] = await tx`select pg_backend_pid() as pid`
      const kill = () => sql`select pg_terminate_backend(${me?.pid}, 5000)`
      if (way === 'running') await Promise.all([tx`select pg_sleep(20)`, kill()])
      else await kill()
      if (way !== 'commit') await tx`select 1`
    })
    await expect(loss).rejects.toSatisfy(isConnectionLost)
    const after = await Promise.all([1, 2, 3, 4, 5, 6].map((n) => sql`select ${n}::int as n`))
    expect(after.map(([row]) => row?.n)).toEqual([1, 2, 3, 4, 5, 6])
    expect(await sql.begin((tx) => tx`select 1 as n`)).toEqual([{ n: 1 }])
  })

  test('fails the statements on it, and closing does not wait for them', async () => {
    const other = await fresh.open({ connections_max: 2 })
    const asleep = [1, 2].map(() => other.sql`select pg_sleep(20)`.catch((error) => error))
    const sleepers = () => database.sql`
      select pid from pg_stat_activity
      where query like 'select pg_sleep(20)%' and state = 'active' and datname = current_database()`
    while ((await sleepers()).length < 2) await realClock.sleep(5)
    for (const { pid } of await sleepers()) await database.sql`select pg_terminate_backend(${pid})`
    for (const error of await Promise.all(asleep)) expect(error).toSatisfy(isConnectionLost)
    expect(await other.sql`select 1 as n`).toEqual([{ n: 1 }])
    const started = performance.now()
    await other.close()
    expect(performance.now() - started).toBeLessThan(2000)
  })
})

test('a channel is heard, again after its connection was lost, until it is stopped', async () => {
  const { sql } = database
  const words: string[] = []
  let wake = () => {}
  const note = (word: string) => {
    words.push(word)
    wake()
  }
  const next = (count: number) =>
    new Promise<void>((resolve) => {
      wake = () => words.length >= count && resolve()
      wake()
    })
  const listeners = () => sql`
    select pid from pg_stat_activity where query like 'listen %' and datname = current_database()`
  const stop = await database.listen('news', { heard: note, opened: () => note('opened') })
  await sql`select pg_notify('news', 'one')`
  await next(2)
  for (const { pid } of await listeners()) await sql`select pg_terminate_backend(${pid}, 5000)`
  await next(3)
  await sql`select pg_notify('news', 'two')`
  await next(4)
  expect(words).toEqual(['opened', 'one', 'opened', 'two'])
  await stop()
  expect(await listeners()).toEqual([])
})

test('a lock that is not free is given up in time, and the transaction leaves nothing', async () => {
  const { sql } = database
  await sql`delete from things`
  await sql.begin(async (tx) => {
    await tx`insert into things (id) values (1)`
    const other = sql.begin((second) => second`insert into things (id) values (1)`)
    await expect(other).rejects.toSatisfy(isLockTimeout)
  })
  await expect(sql`insert into things (id) values (1)`).rejects.toSatisfy((error) =>
    isUniqueViolation(error, 'things_pkey'),
  )
  expect(await sql`select id from things`).toEqual([{ id: 1 }])
})

test('the limits of a session', async () => {
  const [row] = await database.sql`
    select current_setting('lock_timeout') as lock, current_setting('statement_timeout') as statement,
      current_setting('idle_in_transaction_session_timeout') as idle, current_setting('application_name') as name,
      current_setting('jit') as jit`
  const limits = { lock: '1500ms', statement: '15s', idle: '30s' }
  expect(row).toEqual({ ...limits, name: 'ripper', jit: 'off' })
})

test('statements can be counted', async () => {
  const count = countStatements()
  const countingDatabase = await fresh.open({ onStatement: count.onStatement })
  count.reset()
  await countingDatabase.sql.begin(async (tx) => {
    await tx`select ${1}::int`
  })
  expect(count.texts()).toEqual(['begin', 'select $1::int', 'commit'])
  await countingDatabase.close()
})

test('a closed database refuses', async () => {
  const closed = await fresh.open()
  await closed.close()
  await expect(closed.sql`select 1`).rejects.toSatisfy(isStoreUnavailable)
})

describe('a server is refused', () => {
  const good = [
    { name: 'fsync', setting: 'on' },
    { name: 'full_page_writes', setting: 'on' },
    { name: 'synchronous_commit', setting: 'local' },
    { name: 'server_version_num', setting: '150004' },
  ]
  const table: [name: string, setting: string, problem: string | null][] = [
    ['fsync', 'off', 'fsync is off'],
    ['full_page_writes', 'off', 'full_page_writes is off'],
    ['synchronous_commit', 'off', 'synchronous_commit is off'],
    ['server_version_num', '140012', 'PostgreSQL 14.12; 15 or later'],
    ['server_version_num', '150000', null],
    ['synchronous_commit', 'remote_apply', null],
  ]

  test.each(table)('%s %s', (name, setting, problem) => {
    const result = problemOf(good.map((row) => (row.name === name ? { name, setting } : row)))
    if (problem === null) expect(result).toBeNull()
    else {
      expect(result?.words).toContain(problem)
      expect(result?.why).toBe(name === 'server_version_num' ? 'version' : 'settings')
    }
  })

  test('that does not keep what it is told', async () => {
    const url = `${fresh.url}${fresh.url.includes('?') ? '&' : '?'}synchronous_commit=off`
    const failure = await fresh.open({ url }).catch((error: Error) => error)
    expect(failure).toMatchObject({ why: 'settings' })
    expect(String(failure)).toContain('synchronous_commit is off')
  })

  test('that is not there, without a word of the password', async () => {
    const url = 'postgres://someone:secret@127.0.0.1:1/things?sslmode=disable'
    const options = { url, data_dir: '', connections_max: 1, log: quiet, clock: realClock }
    const failure = await openDatabase(options).catch((error: Error) => error)
    expect(String(failure)).toContain('The database at 127.0.0.1:1/things cannot be used')
    expect(String(failure)).not.toMatch(/secret|someone/)
    expect(failure).toMatchObject({ why: null })
  })

  test('that has no database of that name', async () => {
    const url = fresh.url.replace(/test_\w+/, 'nobodys')
    await expect(fresh.open({ url })).rejects.toMatchObject({ why: 'address' })
  })
})

test.each([
  ['postgres://u:p@db.example:5432/shop?sslmode=require', 'db.example:5432/shop'],
  ['postgresql://u:p%40x@a:1,b:2/shop', 'a:1,b:2/shop'],
  ['postgres://db/shop', 'db/shop'],
])('%s is described as %s', (url, description) => {
  expect(describeAddress(url)).toBe(description)
})
