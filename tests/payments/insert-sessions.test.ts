// Sessions written together: each key makes one session, and one row's trouble is not the others'.

import { afterAll, beforeAll, expect, test } from 'vitest'
import type { JournalLine } from '../../src/audit/journal.ts'
import type { Database, Sql } from '../../src/database/open.ts'
import { type KeyRow, KeyTakenError } from '../../src/http/idempotency.ts'
import { type NewSession, type Session, sessionColumns } from '../../src/payments/session.ts'
import { openSessionInserts } from '../../src/payments/sessions/insert-sessions.ts'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'
import { countLockWaits } from '../support/lock-waits.ts'
import { until } from '../support/service.ts'
import { sessionRow } from '../support/session-row.ts'

let fresh: FreshDatabase
let database: Database

beforeAll(async () => {
  fresh = await freshDatabase('migrated', 'none')
  database = await fresh.open()
})

afterAll(async () => {
  await database.close()
  await fresh.drop()
})

const at = new Date('2026-09-01T12:00:00Z')

function sessionOf(merchant_id: string, name: string, changes: Partial<Session> = {}): Session {
  return sessionRow({
    merchant_id: merchant_id as Session['merchant_id'],
    session_id: `cs_${name}`,
    items: [
      {
        kind: 'product',
        sku: null,
        name: 'Tea',
        quantity: 1,
        unit_amount: 1,
        tax_amount: null,
        tax_rate: null,
        type: null,
      },
    ],
    metadata: JSON.parse('{"__proto__":"x","10":"a","2":"\\"b\\""}'),
    public_key: 'rip_pk_1',
    created_at: at,
    expires_at: at,
    ...changes,
  })
}

function keyOf(merchant_id: string, key: string): KeyRow {
  const answer = Buffer.from([0, 1, 255])
  return {
    merchant_id,
    audience: 'secret',
    key,
    route: 'r',
    fingerprints: () => [answer],
    status: 201,
    answer,
    created_at: at,
  }
}

function lineOf({ merchant_id, session_id }: Session): JournalLine {
  return {
    merchant_id,
    entry_id: session_id,
    session_id,
    subject: session_id,
    change: 'session.created',
    detail: {},
    actor: 'key key_1',
    request_id: 'req_1',
    at,
  }
}

function newSession(
  merchant_id: string,
  { name, key, changes }: { name: string; key: string; changes?: Partial<Session> },
): NewSession {
  const session = sessionOf(merchant_id, name, changes)
  return { session, key: keyOf(merchant_id, key), line: lineOf(session) }
}

const settled = (promises: Promise<void>[]) =>
  Promise.all(
    promises.map((promise) =>
      promise.then(
        () => 'written',
        (error) => (error instanceof KeyTakenError ? 'taken' : 'failed'),
      ),
    ),
  )

const count = (outcomes: string[], word: string) => outcomes.filter((outcome) => outcome === word).length

test('the record of columns is the table', async () => {
  const found = await database.sql<{ column_name: string; data_type: string }[]>`
    select column_name, data_type from information_schema.columns
    where table_schema = 'public' and table_name = 'sessions' order by ordinal_position`
  const spelled = { timestamptz: 'timestamp with time zone' } as Record<string, string>
  expect(found.map(({ column_name, data_type }) => [column_name, data_type])).toEqual(
    Object.entries(sessionColumns).map(([name, { type }]) => [name, spelled[type] ?? type]),
  )
})

test('a hundred at once under thirty keys of two merchants', async () => {
  const write = openSessionInserts(database.sql)
  const outcomes = await settled(
    Array.from({ length: 100 }, (_, index) => {
      const merchant = `m_${index % 2}`
      return write(newSession(merchant, { name: `many_${index}`, key: `key ${index % 30}` }))
    }),
  )
  expect([count(outcomes, 'written'), count(outcomes, 'taken')]).toEqual([30, 70])
  const rows = await database.sql<Session[]>`select * from sessions where session_id like 'cs_many%'`
  expect(rows).toHaveLength(30)
  const { metadata, items } = sessionOf('m', 'm')
  for (const row of rows) {
    expect(JSON.stringify(row.metadata)).toBe(JSON.stringify(metadata))
    expect(row).toMatchObject({ items, customer: null, amount: 4200, created_at: at })
  }
  const lines = await database.sql<JournalLine[]>`
    select * from journal where session_id like 'cs_many%' order by session_id`
  const written = rows.map(({ merchant_id, session_id }) => ({ merchant_id, session_id }))
  expect(lines).toEqual(
    written
      .map(({ merchant_id, session_id }) => lineOf(sessionOf(merchant_id, session_id.slice(3))))
      .sort((a, b) => (a.entry_id < b.entry_id ? -1 : 1)),
  )
  const [key] = await database.sql`select answer, fingerprint from idempotency_keys limit 1`
  expect(key).toEqual({ answer: Buffer.from([0, 1, 255]), fingerprint: Buffer.from([0, 1, 255]) })
})

test('forty at once of twenty merchants share statements', async () => {
  let inserts = 0
  const onStatement = (text: string) => {
    if (text.includes('into sessions')) inserts += 1
  }
  const counted = await fresh.open({ connections_max: 1, onStatement })
  const write = openSessionInserts(counted.sql)
  const outcomes = await settled(
    Array.from({ length: 40 }, (_, index) =>
      write(newSession(`m_shared_${index % 20}`, { name: `shared_${index}`, key: `${index}` })),
    ),
  )
  await counted.close()
  expect(count(outcomes, 'written')).toBe(40)
  expect(inserts).toBe(4)
})

test('many sessions of one merchant do not keep another’s waiting', async () => {
  // What is sent to the database, in its order: which backend is done first is another matter.
  const sent: string[] = []
  const sql = new Proxy(database.sql, {
    apply(target, self, values: Parameters<Sql>) {
      sent.push(JSON.stringify(values))
      return Reflect.apply(target, self, values)
    },
  })
  const write = openSessionInserts(sql)
  const writeAs = (merchant_id: string, name: string) => write(newSession(merchant_id, { name, key: name }))
  const many = Array.from({ length: 150 }, (_, index) => writeAs('m_many', `turn_${index}`))
  await Promise.all([...many, writeAs('m_few', 'turn_few')])
  const before = sent.slice(
    0,
    sent.findIndex((text) => text.includes('m_few')),
  )
  const rows = new Set(before.join().match(/turn_\d+/g))
  expect(rows.size).toBeGreaterThan(0)
  expect(rows.size).toBeLessThan(60)
})

test('a row that cannot be written leaves the others alone', async () => {
  const write = openSessionInserts(database.sql)
  const outcomes = await settled(
    Array.from({ length: 20 }, (_, index) =>
      write(
        newSession('m_2', { name: `one_${index}`, key: `one ${index}`, changes: index === 7 ? { amount: 0 } : {} }),
      ),
    ),
  )
  expect([count(outcomes, 'written'), count(outcomes, 'failed')]).toEqual([19, 1])
})

test('a key that another transaction holds keeps its own row waiting, and no more than that', async () => {
  const write = openSessionInserts(database.sql)
  let outcomes: Promise<string[]>
  await database.sql.begin(async (tx) => {
    await tx`insert into idempotency_keys values ('m_3', 'secret', 'held', 'r', '', 201, null, ${at})`
    outcomes = settled(
      ['held', 'a', 'b', 'c', 'd'].map((key) => write(newSession('m_3', { name: `held_${key}`, key }))),
    )
    await until(
      () => database.sql`select 1 from sessions where session_id in ('cs_held_a', 'cs_held_d')`,
      (rows) => rows.length === 2,
    )
  })
  expect(await outcomes!).toEqual(['taken', 'written', 'written', 'written', 'written'])
})

test('keys of one merchant that another transaction holds keep no other merchant waiting', async () => {
  const write = openSessionInserts(database.sql)
  let outcomes: Promise<string[]>
  await database.sql.begin(async (tx) => {
    for (const key of ['held 1', 'held 2', 'held 3'])
      await tx`insert into idempotency_keys values ('m_4', 'secret', ${key}, 'r', '', 201, null, ${at})`
    outcomes = settled(['held 1', 'held 2', 'held 3'].map((key) => write(newSession('m_4', { name: key, key }))))
    const free = Array.from({ length: 5 }, (_, index) =>
      write(newSession(`m_free_${index}`, { name: `free_${index}`, key: 'free' })),
    )
    await Promise.all(free)
    const countWaits = () => countLockWaits(tx)
    await until(countWaits, (waiting) => waiting === 2)
    expect(await countWaits()).toBe(2)
  })
  expect(await outcomes!).toEqual(['taken', 'taken', 'taken'])
})
