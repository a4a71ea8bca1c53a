// The limits as they are stored: who takes their places, who waits for whom, and what is purged.

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Database } from '../../src/database/open.ts'
import { purgeLimits, reservePlaces } from '../../src/payments/limits/limits-store.ts'
import { manualClock } from '../support/clock.ts'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'

let fresh: FreshDatabase
let database: Database
beforeAll(async () => {
  fresh = await freshDatabase()
  database = await fresh.open({ clock: manualClock(), connections_max: 10 })
})
afterAll(async () => {
  await database.close()
  await fresh.drop()
})
beforeEach(async () => {
  await database.sql`delete from limit_uses`
})
const at = (seconds: number) => new Date(Date.UTC(2026, 8, 2) + seconds * 1000)
const use = (name: string, mark: string, ends: number) => ({ name, marks: [mark], places: 2, ends_at: at(ends) })

test('two requests with the same limits in another order do not wait for each other', async () => {
  const names = Array.from({ length: 12 }, (_, index) => `order ${index}`)
  const take = (turn: number) => {
    const list = turn % 2 ? names : names.toReversed()
    const own = list.map((name) => ({ ...use(name, `m${turn}`, 60), places: 100 }))
    return reservePlaces(database.sql, 'm_1', { own, shared: [] }, at(0))
  }
  const full = await Promise.all(Array.from({ length: 40 }, (_, turn) => take(turn)))
  expect(full.flat()).toEqual([])
})

test('those that are over are purged, and no others', async () => {
  const own = [use('short', 'a', 60), use('long', 'b', 3_600)]
  await reservePlaces(database.sql, 'm_1', { own, shared: [] }, at(0))
  await reservePlaces(database.sql, 'm_1', { own: [use('long', 'c', 60)], shared: [] }, at(1))
  expect(await purgeLimits(database.sql, at(60))).toBe(1)
  expect(await database.sql`select name, ends_at from limit_uses`).toEqual([{ name: 'long', ends_at: at(3_600) }])
  expect(await purgeLimits(database.sql, at(3_600))).toBe(1)
})

test('a purge takes as many batches as it needs, and none that a request holds', async () => {
  await database.sql`
    insert into limit_uses select 'm_1', n::text, '{}', ${at(0)} from generate_series(1, 10001) n`
  await database.sql.begin(async (tx) => {
    await tx`select 1 from limit_uses where name = '7' for update`
    expect(await purgeLimits(database.sql, at(0))).toBe(10_000)
  })
  expect(await purgeLimits(database.sql, at(0))).toBe(1)
})
