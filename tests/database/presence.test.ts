// How processes of one database know how many they are.

import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Database } from '../../src/database/open.ts'
import { gone_after_ms, here_every_ms, openPresence, type Presence } from '../../src/database/presence/presence.ts'
import { listProcesses, listUnnamedProxies } from '../../src/database/presence/presence-store.ts'
import { type ManualClock, manualClock } from '../support/clock.ts'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'
import { until } from '../support/service.ts'
import { quiet } from '../support/world.ts'

let fresh: FreshDatabase
let database: Database
let clock: ManualClock
let open: Presence[]
beforeEach(async () => {
  fresh = await freshDatabase()
  database = await fresh.open()
  clock = manualClock()
  open = []
})
afterEach(async () => {
  for (const { stop } of open) await stop()
  await database.close()
  await fresh.drop()
})

async function start({
  serves = true,
  warn = quiet.warn,
  unnamedProxy = (): string | null => null,
  missing = (): string | null => null,
} = {}): Promise<Presence> {
  const world = { clock, random: { bytes: randomBytes }, log: { ...quiet, warn } }
  const { sql } = database
  const presence = await openPresence({
    sql,
    world,
    place: { host: 'web1', pid: 4711 },
    serves,
    databaseNow: clock.now,
    unnamedProxy,
    keys: { note() {}, missing },
  })
  open.push(presence)
  return presence
}

const counts = ({ serving, delivering }: Presence) => [serving(), delivering()]

const knows = (presence: Presence, expected: number[]) =>
  until(
    async () => counts(presence).join(),
    (found) => found === expected.join(),
  )

test('a process that is alone is one, whatever it does', async () => {
  expect(counts(await start())).toEqual([1, 1])
  await open.pop()!.stop()
  expect(counts(await start({ serves: false }))).toEqual([1, 1])
})

test('others count as soon as they have told, and until they stop', async () => {
  const one = await start()
  const other = await start()
  const worker = await start({ serves: false })
  expect([counts(other), counts(worker)]).toEqual([
    [2, 2],
    [2, 3],
  ])
  await clock.advance(here_every_ms)
  await knows(one, [2, 3])
  await open.splice(1, 1)[0]!.stop()
  await clock.advance(here_every_ms)
  await knows(one, [1, 2])
})

test('one that died is counted until it was silent for long, and its row goes later', async () => {
  const { sql } = database
  await start()
  const ago = (duration_ms: number) => new Date(clock.now().getTime() - duration_ms)
  await sql`
    insert into processes (process_id, serves, seen_at) values
      ('late', true, ${ago(gone_after_ms)}), ('gone', true, ${ago(gone_after_ms + 1)}),
      ('long gone', true, ${ago(600_001)})`
  expect(counts(await start())).toEqual([3, 3])
  const rows = await sql`select process_id from processes where process_id like '%g%n%e%'`
  expect(rows).toEqual([{ process_id: 'gone' }])
})

test('a proxy that a process was not told of stands in its row, as long as it is in use', async () => {
  const { sql } = database
  let address: string | null = null
  await start({ unnamedProxy: () => address })
  const told = () => listUnnamedProxies(sql, 10)
  expect(await told()).toEqual([])
  for (address of ['10.0.0.2', null]) {
    await clock.advance(here_every_ms)
    await until(told, (proxies) => proxies.join() === (address ?? ''))
  }
})

test('a key that a process lacks stands in its row, until it has it', async () => {
  const { sql } = database
  let key_id: string | null = null
  await start()
  await start({ missing: () => key_id })
  const here_since = clock.now()
  const lacked = async () => (await listProcesses(sql, here_since)).map(({ lacks_key }) => lacks_key)
  expect(await lacked()).toEqual([null, null])
  for (key_id of ['aaaaaaaa', null]) {
    await clock.advance(here_every_ms)
    const count = key_id === null ? 0 : 1
    await until(lacked, (keys) => keys.length === 2 && keys.filter((each) => each === 'aaaaaaaa').length === count)
  }
})

test('its row says where a process runs, and since when', async () => {
  await start()
  await start({ serves: false })
  const since = clock.now()
  const words = (kind: string) => `${kind}, pid 4711 on web1, since 2026-09-01 12:00 UTC`
  const expected = ['serve', 'worker'].map((kind) => ({ words: words(kind), since, lacks_key: null }))
  const rows = await listProcesses(database.sql, since)
  expect(rows.toSorted((a, b) => a.words.localeCompare(b.words))).toEqual(expected)
})

test('of a process of an earlier release nothing is known', async () => {
  const { sql } = database
  await sql`insert into processes (process_id, serves, seen_at) values ('0123456789ab', true, ${clock.now()})`
  const rows = await listProcesses(sql, clock.now())
  expect(rows).toEqual([{ words: 'serve of an earlier release', since: null, lacks_key: null }])
})

test('where the database does not answer, those that were there last count, and the log says so once', async () => {
  const told: string[] = []
  const one = await start({ warn: (_, message) => told.push(message) })
  await start({ serves: false })
  await clock.advance(here_every_ms)
  await knows(one, [1, 2])
  await database.sql`alter table processes rename to elsewhere`
  for (let sign = 1; sign <= 3; sign += 1) await clock.advance(here_every_ms)
  await until(
    async () => told.length,
    (count) => count > 0,
  )
  expect([told, counts(one)]).toEqual([['other processes not counted'], [1, 2]])
  await database.sql`alter table elsewhere rename to processes`
})
