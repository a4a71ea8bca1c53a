// The webhook tables' partitions: made ahead, filled with what came before them, dropped to the day, whoever else is there.

import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { countStatements } from '../../src/database/count.ts'
import type { Database, Sql } from '../../src/database/open.ts'
import { idsFrom } from '../../src/kernel/ids.ts'
import { keepPartitions } from '../../src/webhooks/queue/keep-partitions.ts'
import { type ManualClock, manualClock } from '../support/clock.ts'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'
import { countLockWaits } from '../support/lock-waits.ts'
import { until } from '../support/service.ts'
import { quiet } from '../support/world.ts'

const day_ms = 24 * 3600 * 1000
const noon = new Date('2026-11-21T12:00:00Z')
const merchant = 'm_000000000000000000000000'
const ahead = '20 21 22 23 24 25 26 27 28'.split(' ').map((day) => `202611${day}`)

let fresh: FreshDatabase
let database: Database
let sql: Sql
let clock: ManualClock
const statements = countStatements()

beforeEach(async () => {
  fresh = await freshDatabase('migrated', 'none')
  database = await fresh.open({ onStatement: statements.onStatement })
  sql = database.sql
  clock = manualClock(noon)
  for (const table of tables) await leaveAlone(`${table}_other`)
})
afterEach(async () => {
  await database.close()
  await fresh.drop()
})

/** From here on the server does not vacuum a table by itself: a change would wait for that, and leave the rest to the next run. */
async function leaveAlone(table: string) {
  await sql`alter table ${sql(table)} set (autovacuum_enabled = off)`
}

const keep = (at: Sql = sql) => keepPartitions({ sql: at, world: { clock, log: quiet } })

type Table = 'webhook_attempts' | 'webhook_deliveries'
const tables: Table[] = ['webhook_attempts', 'webhook_deliveries']

/** `first`, then `count` - 1 more in the same millisecond, all through the table. */
async function insert(table: Table, at: Date, { count = 1, tail = 0, into = sql } = {}) {
  const ids = Array.from({ length: count }, (_, index) => idAt(at, tail + index))
  const rows = ids.map((id) => (table === 'webhook_attempts' ? attempt(id, at) : delivery(id, at)))
  await into`insert into ${into(table)} select * from
    json_populate_recordset(null::${into(table)}, ${rows as never}::json)`
  return ids[0]!
}

function idAt(at: Date, tail: number): string {
  return `${idsFrom(at)}7000a000${tail.toString(16).padStart(12, '0')}`
}

function attempt(attempt_id: string, at: Date) {
  return {
    merchant_id: merchant,
    attempt_id,
    delivery_id: attempt_id,
    endpoint_id: 'whep_1',
    payment_id: 'pay_1',
    event_type: 'payment.captured',
    attempt_number: 1,
    root_created_at: at,
    status: 'succeeded',
    occurred_at: at,
  }
}

function delivery(delivery_id: string, at: Date) {
  return {
    merchant_id: merchant,
    delivery_id,
    endpoint_id: 'whep_1',
    payment_id: 'pay_1',
    sequence: 1,
    status: 'succeeded',
    attempt_count: 1,
    root_id: delivery_id,
    root_created_at: at,
    created_at: at,
    settled_at: at,
  }
}

/** The days that a table has partitions for, in order. */
async function daysOf(table: Table): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select relname as name from pg_inherits join pg_class on oid = inhrelid
    where inhparent = ${table}::regclass and relname <> ${`${table}_other`} order by relname`
  return rows.map(({ name }) => name.slice(table.length + 1))
}

/** How many rows stand where: `{ other: 2, '20261121': 1 }`. */
async function rowsOf(table: Table): Promise<Record<string, number>> {
  const rows = await sql<{ name: string; count: number }[]>`
    select tableoid::regclass::text as name, count(*)::int as count from ${sql(table)} group by 1`
  return Object.fromEntries(rows.map(({ name, count }) => [name.slice(table.length + 1), count]))
}

describe.each(tables)('%s', (table) => {
  test('has partitions from yesterday to a week ahead, each once', async () => {
    expect(await keep()).toBe(18)
    expect(await daysOf(table)).toEqual(ahead)
    statements.reset()
    expect(await keep()).toBe(0)
    expect(statements.texts().filter((text) => !/from pg_inherits/.test(text))).toEqual([])
    await clock.advance(12 * 3600 * 1000 - 1)
    expect(await keep()).toBe(0)
    await clock.advance(1)
    expect(await keep()).toBe(2)
    expect(await daysOf(table)).toEqual([...ahead, '20261129'])
  })

  test('has partitions that are like any that it would make itself', async () => {
    await keep()
    const rows = await sql`
      select c.relname, array_to_string(array(
          select pg_get_constraintdef(o.oid) || coninhcount || conislocal from pg_constraint o
          where conrelid = c.oid and contype in ('c', 'p') order by 1), ' ') as constraints,
        array_to_string(array(select attname || attnotnull || atttypid from pg_attribute
          where attrelid = c.oid and attnum > 0 order by attnum), ' ') as columns,
        (select count(*)::int from pg_index where indrelid = c.oid) as indexes,
        (select count(*)::int from pg_index i join pg_inherits h on h.inhrelid = i.indexrelid
          join pg_index p on p.indexrelid = h.inhparent
          where i.indrelid = c.oid and p.indrelid = ${table}::regclass and i.indisvalid
            and p.indisprimary = i.indisprimary) as attached
      from pg_class c join pg_inherits h on h.inhrelid = c.oid
      where h.inhparent = ${table}::regclass`
    const [own] = await sql`
      select count(*)::int as indexes from pg_index where indrelid = ${table}::regclass`
    const other = rows.find(({ relname }) => relname === `${table}_other`)!
    const { columns, constraints } = other
    const { indexes } = own!
    for (const { relname, ...row } of rows) {
      expect(row).toEqual({ columns, constraints, indexes, attached: indexes })
    }
    expect(rows).toHaveLength(10)
  })

  test('takes each row into the partition of its day, to the millisecond', async () => {
    await keep()
    const today = Date.parse('2026-11-21T00:00:00Z')
    for (const at of [today - day_ms - 1, today - 1, today, today + day_ms - 1, today + day_ms]) {
      await insert(table, new Date(at), { count: 2, tail: 0xfffffffffff0 })
    }
    await insert(table, new Date(today + 8 * day_ms - 1))
    await insert(table, new Date(today + 8 * day_ms))
    const others = { '20261120': 2, '20261122': 2, '20261128': 1 }
    expect(await rowsOf(table)).toEqual({ ...others, other: 3, '20261121': 4 })
  })

  test('gets rows that came before their partition, and finds them', async () => {
    const at = new Date(noon.getTime() - 3600 * 1000)
    const id = await insert(table, at, { count: 300 })
    await insert(table, new Date(noon.getTime() - 3 * day_ms), { count: 2 })
    const before = await sql`select * from ${sql(table)} order by 1, 2`
    expect(await keep()).toBe(18 + 300)
    expect(await rowsOf(table)).toEqual({ other: 2, '20261121': 300 })
    expect(await sql`select * from ${sql(table)} order by 1, 2`).toEqual(before)
    const key = sql(table === 'webhook_attempts' ? 'attempt_id' : 'delivery_id')
    const found = await sql`
      select 1 from ${sql(table)} where merchant_id = ${merchant} and ${key} = ${id}`
    expect(found).toHaveLength(1)
  })

  test('leaves more rows than can be moved in passing where they are', async () => {
    await insert(table, noon, { count: 10_001 })
    await insert(table, new Date(noon.getTime() - day_ms), { count: 10_000 })
    // A busy machine may take too long with them once: what is left the next run does.
    let moved = 0
    for (let runs = 0; runs < 20 && moved < 17 + 10_000; runs++) moved += await keep()
    expect(moved).toBe(17 + 10_000)
    expect(await rowsOf(table)).toEqual({ other: 10_001, '20261120': 10_000 })
    expect(await daysOf(table)).toEqual(ahead.filter((day) => day !== '20261121'))
    expect(await keep()).toBe(0)
  })
})

describe.each([
  { table: 'webhook_attempts' as const, kept_days: 31 },
  { table: 'webhook_deliveries' as const, kept_days: 38 },
])('old rows of $table', ({ table, kept_days }) => {
  const last = new Date('2026-11-21T23:59:59.999Z')
  const next = new Date('2026-11-22T00:00:00Z')

  /** Moves time to so many milliseconds after the end of the 21st, seen from the end of what is kept. */
  const goTo = (after_ms: number) =>
    clock.advance(next.getTime() + kept_days * day_ms + after_ms - clock.now().getTime())

  test('go with their day, when the last of them may', async () => {
    await keep()
    await insert(table, last)
    await insert(table, next)
    await goTo(-1)
    await keep()
    expect(await rowsOf(table)).toEqual({ '20261121': 1, '20261122': 1 })
    expect((await daysOf(table))[0]).toBe('20261121')
    await goTo(0)
    expect(await keep()).toBeGreaterThan(0)
    expect(await rowsOf(table)).toEqual({ '20261122': 1 })
    expect((await daysOf(table))[0]).toBe('20261122')
  })

  test('go to the millisecond and in batches where no partition has them', async () => {
    await insert(table, last, { count: 5_001 })
    await insert(table, next, { count: 2 })
    await goTo(-1)
    await keep()
    expect(await rowsOf(table)).toEqual({ other: 5_003 })
    await goTo(0)
    const made = (await daysOf(table)).length
    statements.reset()
    const count = await keep()
    expect(count - 5_001).toBe(2)
    expect((await daysOf(table)).length).toBe(made + 1)
    expect(await rowsOf(table)).toEqual({ other: 2 })
    const deletes = statements.texts().filter((text) => /^delete from "\w+_other"/.test(text))
    expect(new Set(deletes).size).toBe(1)
    expect(deletes.length).toBeGreaterThanOrEqual(2)
  })
})

test('a partition made by hand is judged by what it holds', async () => {
  const [from, to] = ['2026-11-16', '2026-11-25'].map((day) => idsFrom(new Date(day)))
  await sql.unsafe(`create table "A week" partition of webhook_attempts
    for values from ('${from}') to ('${to}')`)
  await insert('webhook_attempts', noon)
  await keep()
  expect(await daysOf('webhook_attempts')).toEqual(['', ...ahead.slice(5)])
  await clock.advance(Date.parse('2026-11-25') + 31 * day_ms - 1 - noon.getTime())
  await keep()
  expect(await sql`select 1 from webhook_attempts`).toHaveLength(1)
  await clock.advance(1)
  await keep()
  expect(await sql`select 1 from pg_class where relname = 'A week'`).toHaveLength(0)
})

test('a clock that jumps gets partitions wherever it is, and loses what is old by it', async () => {
  await keep()
  const id = await insert('webhook_attempts', noon)
  await clock.advance(400 * day_ms)
  await keep()
  expect(await daysOf('webhook_attempts')).toHaveLength(9)
  expect(await sql`select 1 from webhook_attempts where attempt_id = ${id}`).toHaveLength(0)
  const then = await insert('webhook_attempts', clock.now())
  clock = manualClock(noon)
  expect(await keep()).toBe(18)
  expect(await daysOf('webhook_attempts')).toHaveLength(18)
  expect(await sql`select 1 from webhook_attempts where attempt_id = ${then}`).toHaveLength(1)
  expect((await daysOf('webhook_attempts')).slice(0, 9)).toEqual(ahead)
})

describe('with others at work', () => {
  let second: Database
  beforeEach(async () => {
    second = await fresh.open()
  })
  afterEach(() => second.close())

  test('two at once make each partition once', async () => {
    for (const table of tables) await insert(table, noon, { count: 100 })
    const counts = await Promise.all([keep(), keep(second.sql), keep(), keep(second.sql)])
    const rest = await keep()
    expect([...counts, rest].reduce((sum, count) => sum + count)).toBe(18 + 200)
    for (const table of tables) {
      expect(await daysOf(table)).toEqual(ahead)
      expect(await rowsOf(table)).toEqual({ '20261121': 100 })
      await leaveAlone(`${table}_20261121`)
    }
    await clock.advance(60 * day_ms)
    await Promise.all([keep(), keep(second.sql), keep(), keep(second.sql)])
    await keep()
    for (const table of tables) expect(await daysOf(table)).toHaveLength(9)
  })

  test('a table that is in use is left for the next run, the other one is not', async () => {
    await second.sql.begin(async (tx) => {
      await tx`select 1 from webhook_attempts`
      expect(await keep()).toBe(9)
      expect(await daysOf('webhook_attempts')).toEqual([])
    })
    expect(await keep()).toBe(9)
    await clock.advance(60 * day_ms)
    await second.sql.begin(async (tx) => {
      await tx`select 1 from webhook_attempts`
      await keep()
    })
    expect(await daysOf('webhook_attempts')).toEqual(ahead)
    await keep()
    expect(await daysOf('webhook_attempts')).toHaveLength(9)
  })

  test('a partition that is being vacuumed does not prevent others from being made', async () => {
    await keep()
    await second.sql.begin(async (tx) => {
      await tx`lock table webhook_attempts_20261121 in share update exclusive mode`
      await clock.advance(day_ms)
      expect(await keep()).toBe(2)
    })
  })

  test('a rest that is being vacuumed is left for the next run, the other table is not', async () => {
    await insert('webhook_attempts', noon, { count: 100 })
    await second.sql.begin(async (tx) => {
      // As the server's own vacuum and analyze lock it, soon after so many rows have come.
      await tx`lock table webhook_attempts_other in share update exclusive mode`
      expect(await keep()).toBe(9)
    })
    expect(await keep()).toBe(9 + 100)
  })

  test('a statement that comes while a change waits for the table is let through in time', async () => {
    let inserted: Promise<string> | null = null
    await second.sql.begin(async (tx) => {
      await tx`select 1 from webhook_attempts`
      const kept = keep()
      await waitsOrIsDone(kept)
      inserted = insert('webhook_attempts', noon)
      expect(await kept).toBe(9)
      await inserted
    })
    expect(await keep()).toBe(10)
    expect(await rowsOf('webhook_attempts')).toEqual({ '20261121': 1 })
  })

  test('an insert that is under way comes first, and its row is moved', async () => {
    let kept: Promise<number> | null = null
    await second.sql.begin(async (tx) => {
      await insert('webhook_attempts', noon, { into: tx as unknown as Sql })
      kept = keep()
      await waitsOrIsDone(kept)
    })
    await kept
    // The commit may have come after the change had waited for long enough.
    await keep()
    expect(await rowsOf('webhook_attempts')).toEqual({ '20261121': 1 })
  })

  test('writes and reads meanwhile lose nothing and are never refused', async () => {
    const inserted: string[] = []
    let going = true
    const writing = [0, 1].map(async (writer) => {
      for (let tail = writer * 1_000_000; going; tail += 1) {
        inserted.push(await insert('webhook_attempts', clock.now(), { tail, into: second.sql }))
      }
    })
    const reading = (async () => {
      for (; going; ) {
        const id = inserted.at(-1) ?? null
        if (id === null) await until(async () => inserted.length, Boolean)
        else expect(await find(second.sql, id)).toHaveLength(1)
      }
    })()
    const changing = (async () => {
      for (let round = 0; round < 6; round += 1) {
        await clock.advance(9 * day_ms)
        const before = inserted.length
        await until(
          async () => inserted.length,
          (count) => count > before + 20,
        )
        await keep()
        for (const id of inserted.slice(-20)) expect(await find(sql, id)).toHaveLength(1)
      }
      going = false
    })().finally(() => {
      going = false
    })
    await Promise.all([...writing, reading, changing])
  })

  const find = (at: Sql, id: string) => at`
    select 1 from webhook_attempts where merchant_id = ${merchant} and attempt_id = ${id}`
})

/** Resolves when a statement of this database waits for a lock, or `kept` has given up waiting. */
async function waitsOrIsDone(kept: Promise<number>): Promise<void> {
  let isDone = false
  void kept.then(() => {
    isDone = true
  })
  await until(async () => isDone || (await countLockWaits(sql)) > 0, Boolean)
}

test('a role that may not make tables is logged once, and still purges', async () => {
  const role = `user_of_${new URL(fresh.url).pathname.slice(1)}`
  const lines: object[] = []
  const log = {
    ...quiet,
    warn: (fields: object, message: string) => lines.push({ fields, message }),
  }
  await insert('webhook_deliveries', new Date(noon.getTime() - 39 * day_ms), { count: 3 })
  await sql.unsafe(`create role ${role}`)
  const lesser = await fresh.open({ connections_max: 1 })
  try {
    await sql.unsafe(`grant all on all tables in schema public to ${role}`)
    await lesser.sql.unsafe(`set role ${role}`)
    const run = () => keepPartitions({ sql: lesser.sql, world: { clock, log } })
    expect(await run()).toBe(3)
    expect(await run()).toBe(0)
    const message = expect.stringContaining('the database role may not')
    expect(lines).toEqual([{ fields: { table: 'webhook_attempts' }, message }])
    expect(await daysOf('webhook_attempts')).toEqual([])
    expect(await insert('webhook_attempts', noon, { into: lesser.sql })).toBeTruthy()
  } finally {
    await lesser.close()
    await sql.unsafe(`drop owned by ${role}`)
    await sql.unsafe(`drop role ${role}`)
  }
})

test('the newest rows of a merchant are read in order, a page of them and no more', async () => {
  await keep()
  for (let day = -1; day < 7; day += 1) {
    await insert('webhook_attempts', new Date(noon.getTime() + day * day_ms), { count: 50 })
  }
  const plan = await sql.begin(async (tx) => {
    await tx.unsafe(`prepare newest (text, text) as select * from webhook_attempts
      where merchant_id = $1 and attempt_id >= $2 order by attempt_id desc limit 20`)
    return tx.unsafe(`explain (analyze, costs off, timing off, summary off)
      execute newest ('${merchant}', '${idsFrom(noon)}')`)
  })
  const lines = plan.map((row) => row['QUERY PLAN'] as string)
  // Days before the first id are left out, when the plan is made or when it is begun.
  expect(lines.filter((line) => line.includes('->')).map(shapeOf)).toEqual([
    // The rest may have any id, so partitions are merged, not read one after the other.
    'Merge Append 20',
    ...ahead.slice(1, 8).map((day) => `Index Scan Backward on ${day} ${day === '20261127' ? 20 : 1}`),
    'Index Scan Backward on 20261128 0',
    'Index Scan Backward on other 0',
  ])
})

/** A line of a plan: what is done, on which partition, and how many rows came of it. */
function shapeOf(line: string): string {
  return line
    .trim()
    .replace('->  ', '')
    .replace(/ using \w+ on webhook_attempts_(\w+) \w+/, ' on $1')
    .replace(/ \(actual rows=(\d+)(\.\d+)? .*$/, ' $1')
}
