// One limit for an address over several processes: how much passes, whoever is asked, and what happens without a database.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Database, Sql } from '../../src/database/open.ts'
import { openRequestCounts } from '../../src/http/request-counts.ts'
import { purgeCounts, takePlaces } from '../../src/http/shared-count-store.ts'
import { counts_patience_ms, openSharedCounts, shares_max } from '../../src/http/shared-counts.ts'
import { type ManualClock, manualClock } from '../support/clock.ts'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'
import { quiet } from '../support/world.ts'

const limit = 600
const most = 1.2 * limit
const address = '203.0.113.7'
let fresh: FreshDatabase
let database: Database
let sql: Sql
let now: Date
beforeAll(async () => {
  fresh = await freshDatabase()
  database = await fresh.open({ connections_max: 8 })
  sql = database.sql
})
beforeEach(async () => {
  now = new Date('2026-09-01T12:00:00Z')
  await sql`delete from gateway_counts`
})
afterAll(async () => {
  await database.close()
  await fresh.drop()
})

/** Rests last no time; whoever waits for an answer waits until it comes. */
const patient = {
  sleep: (_: number, signal?: AbortSignal) =>
    signal
      ? new Promise<void>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      : Promise.resolve(),
}

type Options = {
  processes?: number
  clock?: Pick<ManualClock, 'sleep'>
  sql?: Sql
  told?: string[]
}

/** A process that counts as the gateway does. */
function start({ processes = 4, clock = patient, told = [], ...options }: Options = {}) {
  const counts = openRequestCounts(Buffer.alloc(16), { is_aligned: true })
  const shared = openSharedCounts({
    sql: options.sql ?? sql,
    clock,
    log: { ...quiet, warn: (_, message) => told.push(message) },
    now: () => now,
    serving: () => processes,
    digest: (kind, from) => `${kind} ${from}`,
  })
  let passed = 0
  return {
    passed: () => passed,
    async ask(from = address): Promise<boolean> {
      const { count: used } = counts.count(from, now)
      const may_pass = used <= limit && (await shared.admits({ kind: 'requests', address: from, used, limit }))
      if (may_pass) passed += 1
      return may_pass
    },
  }
}

/** A database that never answers. */
const silent = (): Sql => (() => new Promise(() => {})) as unknown as Sql

type Process = ReturnType<typeof start>

const sum = (processes: Process[]) => processes.reduce((all, { passed }) => all + passed(), 0)
const rows = () => sql<{ name: string; taken: number }[]>`select name, taken from gateway_counts`

describe('four processes', () => {
  const four = () => [start(), start(), start(), start()]

  test('in turns: no less than the limit, and no more than a fifth beyond it', async () => {
    const processes = four()
    for (let asked = 0; asked < 5 * limit; asked += 1) await processes[asked % 4]!.ask()
    expect(sum(processes)).toBeGreaterThanOrEqual(limit)
    expect(sum(processes)).toBeLessThanOrEqual(most)
  })

  test('all at the same moment', async () => {
    const processes = four()
    const asking = Array.from({ length: 5 * limit }, (_, asked) => processes[asked % 4]!.ask())
    await Promise.all(asking)
    expect(sum(processes)).toBeGreaterThanOrEqual(limit)
    expect(sum(processes)).toBeLessThanOrEqual(most)
  })

  test.each([1, 2, 3])('of which an address comes to %i', async (reached) => {
    const processes = four()
    for (let asked = 0; asked < 5 * limit; asked += 1) await processes[asked % reached]!.ask()
    expect(sum(processes)).toBeGreaterThanOrEqual(limit)
    expect(sum(processes)).toBeLessThanOrEqual(most)
  })

  test('the next minute begins anew', async () => {
    const processes = four()
    const ask = async () => {
      for (let asked = 0; asked < 2 * limit; asked += 1) await processes[asked % 4]!.ask()
    }
    await ask()
    const first = sum(processes)
    now = new Date(now.getTime() + 59_999)
    expect(await processes[0]!.ask()).toBe(false)
    now = new Date(now.getTime() + 1)
    await ask()
    expect(sum(processes) - first).toBeGreaterThanOrEqual(limit)
    expect(sum(processes) - first).toBeLessThanOrEqual(most)
  })

  test('an address that asks little is never written', async () => {
    const processes = four()
    for (let asked = 0; asked < 60; asked += 1) await processes[asked % 4]!.ask()
    expect([sum(processes), await rows()]).toEqual([60, []])
  })
})

test('a process that is alone writes nothing', async () => {
  const alone = start({ processes: 1 })
  for (let asked = 0; asked < 2 * limit; asked += 1) await alone.ask()
  expect([alone.passed(), await rows()]).toEqual([limit, []])
})

test('of many addresses at once, each has its own limit', async () => {
  const processes = [start({ processes: 2 }), start({ processes: 2 })]
  const addresses = Array.from({ length: 700 }, (_, each) => `10.0.${each >> 8}.${each & 255}`)
  const asking = addresses.flatMap((from) => Array.from({ length: 130 }, (_, asked) => processes[asked % 2]!.ask(from)))
  expect(new Set(await Promise.all(asking))).toEqual(new Set([true]))
  const written = await rows()
  expect(written).toHaveLength(700)
  for (const { taken } of written) expect(taken).toBeLessThanOrEqual(limit)
})

test('beyond so many addresses, no more are kept or written', async () => {
  const shared = openSharedCounts({
    sql: silent(),
    clock: patient,
    log: quiet,
    now: () => now,
    serving: () => 2,
    digest: (kind, from) => `${kind} ${from}`,
  })
  const asked = { kind: 'requests', used: 31, limit }
  for (let each = 0; each < shares_max; each += 1) {
    void shared.admits({ ...asked, address: `a${each}` })
  }
  // It needs no answer: its own process alone counts it.
  expect(shared.admits({ ...asked, used: 599, address: 'one more' })).toBe(true)
})

describe('without a database', () => {
  const none = (): Sql => {
    const refuse = () => Promise.reject(new Error('connection refused'))
    return refuse as unknown as Sql
  }
  test('each process counts by itself, refuses nobody before, and says so once', async () => {
    const told: string[] = []
    const processes = [0, 1, 2, 3].map(() => start({ sql: none(), told }))
    for (let asked = 0; asked < 4 * limit; asked += 1) await processes[asked % 4]!.ask()
    expect(processes.map(({ passed }) => passed())).toEqual([limit, limit, limit, limit])
    expect(await processes[0]!.ask()).toBe(false)
    expect(told).toEqual(Array.from({ length: 4 }, () => 'the gateway limit counts in each process by itself'))
  })

  test('one that is silent holds up requests for a moment, and then nobody', async () => {
    const clock = manualClock()
    const process = start({ sql: silent(), clock })
    for (let asked = 0; asked < 30; asked += 1) expect(await process.ask()).toBe(true)
    const waiting = Promise.all([process.ask(), process.ask()])
    let is_over = false
    void waiting.then(() => {
      is_over = true
    })
    await clock.advance(counts_patience_ms - 1)
    expect(is_over).toBe(false)
    await clock.advance(1)
    expect(await waiting).toEqual([true, true])
    for (let asked = 32; asked < limit; asked += 1) expect(await process.ask()).toBe(true)
    expect(await process.ask()).toBe(false)
  })

  test('once it answers again, the limit is shared again', async () => {
    let is_away = true
    const refuse = () => Promise.reject(new Error('connection refused'))
    const flaky = ((...args: [TemplateStringsArray, ...never[]]) =>
      is_away ? refuse() : sql(...args)) as unknown as Sql
    const processes = [0, 1, 2, 3].map(() => start({ sql: flaky }))
    for (let asked = 0; asked < 200; asked += 1) await processes[asked % 4]!.ask()
    is_away = false
    for (let asked = 0; asked < 5 * limit; asked += 1) {
      await processes[asked % 4]!.ask()
      // Their statements get their answers.
      if (asked % 4 === 3) await sql`select 1`
    }
    expect(sum(processes)).toBeLessThanOrEqual(most + 200)
  })
})

describe('the places of a minute', () => {
  const ask = (wanted: number, name = 'a') => takePlaces(sql, now, [{ name, places: 10, wanted }])

  test('are given while they last', async () => {
    const given: (number | undefined)[] = []
    for (const wanted of [4, 4, 4, 4]) given.push((await ask(wanted)).get('a'))
    expect(given).toEqual([4, 4, 2, 0])
    expect((await ask(20, 'b')).get('b')).toBe(10)
  })

  test('are never given twice, however many ask at once', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(3)))
    expect(answers.reduce((all, given) => all + given.get('a')!, 0)).toBe(10)
  })

  test('go when the minute is over', async () => {
    await ask(1)
    const at = (seconds: number) => new Date(now.getTime() + seconds * 1000)
    expect(await purgeCounts(sql, at(120))).toBe(0)
    expect(await purgeCounts(sql, at(121))).toBe(1)
  })
})
