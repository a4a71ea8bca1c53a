// What a backup contains and a restore brings back, wherever the tables are and whatever an operator has added to them.

import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, test } from 'vitest'
import { freshDatabase } from '../../../tests/support/database.ts'
import type { Database } from '../open.ts'
import { openBackup } from './backup-file.ts'
import { loadBackup, restoreFault } from './load-backup.ts'
import { writeBackup } from './write-backup.ts'

const place = mkdtempSync(join(tmpdir(), 'ripper-backup-'))
afterAll(() => rmSync(place, { recursive: true }))

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

/** With its tables in a schema, and changed. */
async function databaseIn(schema: string, changes = ''): Promise<Database> {
  const fresh = await freshDatabase()
  closing.push(fresh.drop)
  const quoted = `"${schema.replaceAll('"', '""')}"`
  const other = await fresh.open({ connections_max: 1 })
  if (schema !== 'public') {
    await other.sql.unsafe(`alter schema public rename to ${quoted}; create schema public`)
  }
  await other.close()
  const database = await fresh.open({
    url: `${fresh.url}&search_path=${encodeURIComponent(quoted)}`,
    connections_max: 2,
  })
  closing.push(database.close)
  await database.sql.unsafe(changes)
  return database
}

const rows = `
  insert into merchants (merchant_id, routing, name, status, live, live_enabled, created_at)
    values ('m', 1, 'Tea', 'active', false, false, '2026-11-20');
  insert into request_log (merchant_id, entry_id, request_id, key_id, at, method, path, route, status, duration_ms)
    values ('m', '05', 'r', 'k', '2026-11-20', 'GET', '/', '/', 200, 1)`

async function backUp(database: Database) {
  const path = join(place, randomBytes(8).toString('hex'))
  const copies = database.openCopies()
  try {
    const backup = await writeBackup(copies, { path, version: '0', now: new Date(0) })
    return { ...backup, path }
  } finally {
    await copies.end()
  }
}

/** The rows that came. */
async function restore(database: Database, path: string) {
  const { head, reader, close } = await openBackup(path)
  const copies = database.openCopies()
  try {
    expect(await restoreFault(database.sql, head)).toBe(null)
    const counts = await loadBackup(copies, reader, async () => {})
    const [merchant] = await database.sql`select * from merchants`
    const [line] = await database.sql`select * from request_log`
    return { counts, merchant, line }
  } finally {
    await copies.end()
    close()
  }
}

test.each([
  ['public', 'shop 1'],
  ['shop 1', 'public'],
  ['payments', '$1 "$&"'],
])('from the schema «%s» into the schema «%s»', async (from, to) => {
  const day = `create table request_log_d1 partition of request_log for values from ('00') to ('10')`
  const backup = await backUp(await databaseIn(from, `${day}; ${rows}`))
  expect(backup.counts).toMatchObject({ 'public.merchants': 1, 'public.payments': 0 })
  const target = await databaseIn(to)
  const restored = await restore(target, backup.path)
  expect(restored).toMatchObject({
    counts: backup.counts,
    merchant: { name: 'Tea' },
    line: { entry_id: '05' },
  })
  expect(await target.sql`select count(*)::int as n from request_log_d1`).toEqual([{ n: 1 }])
})

test.each([
  ["alter table merchants add column note text not null default 'mine'", ['public.merchants.note']],
  [
    'alter table merchants add column "Their note" text; alter table vault.cards add column note text',
    ['public.merchants."Their note"', 'vault.cards.note'],
  ],
  ['create table request_log_d1 (like request_log); create table notes (note text)', []],
  [`create table "Week 1" partition of request_log for values from ('00') to ('10')`, []],
  [`create schema theirs; create table theirs.week partition of request_log for values from ('00') to ('10')`, []],
  [`create table week partition of request_log for values from (minvalue) to ('10')`, []],
])('what was added is left out: %s', async (change, columns_left_out) => {
  const backup = await backUp(await databaseIn('public', `${change}; ${rows}`))
  expect(backup.columns_left_out).toEqual(columns_left_out)
  for (const target of [await databaseIn('public'), await databaseIn('public', change)]) {
    expect(await restore(target, backup.path)).toMatchObject({
      counts: backup.counts,
      merchant: { name: 'Tea' },
      line: { entry_id: '05' },
    })
  }
})

test.each([
  ['alter table webhook_queue rename to theirs', 'public.webhook_queue'],
  ['alter table webhook_queue set unlogged', 'public.webhook_queue'],
  ['create schema theirs; alter table vault.cards set schema theirs', 'vault.cards'],
])('without a table there is none: %s', async (change, name) => {
  const database = await databaseIn('public', change)
  await expect(backUp(database)).rejects.toThrow(`the database lacks the table ${name}`)
})

test('without a column of the service there is none', async () => {
  const database = await databaseIn('public', 'alter table refunds drop column reason')
  await expect(backUp(database)).rejects.toThrow('the table public.refunds lacks reason')
})

test('each column that the schema and the migrations make is in it', async () => {
  const database = await databaseIn('public')
  const { columns_left_out, counts } = await backUp(database)
  expect(columns_left_out).toEqual([])
  expect(Object.keys(counts).length).toBeGreaterThan(40)
})

test('an own table in the schema is in the way of a restore into an empty database', async () => {
  const fresh = await freshDatabase('empty')
  closing.push(fresh.drop)
  const { sql, close } = await fresh.open({ url: `${fresh.url}&search_path=shop` })
  closing.push(close)
  await sql.unsafe('create schema shop; create table shop.notes (note text)')
  const head = { version: '0', migration: 35, key_id: null, made_at: '' }
  expect(await restoreFault(sql, head)).toContain('it has tables already')
})
