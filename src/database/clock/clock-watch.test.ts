// When the watch compares clocks, which work it then allows, and what it logs.

import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type LogLine, logInto } from '../../../tests/support/service.ts'
import { databaseOf, type SetClock, type SetDatabaseClock, setClock } from '../../../tests/support/set-clock.ts'
import { type ClockWatch, startClockWatch } from './clock-watch.ts'

let time: SetClock
let database: SetDatabaseClock
let log: LogLine[]
let watch: ClockWatch

beforeEach(() => {
  time = setClock('by_pass')
  database = databaseOf(time)
  log = []
})
afterEach(() => watch.stop())

async function start(offset_seconds = 0): Promise<void> {
  const { clock, steady } = time
  const world = { clock, log: logInto(log) }
  watch = await startClockWatch({ sql: database.sql, world, steady, offset_seconds })
}

const loggedLines = () => log.map(({ level, message }) => `${level}: ${message}`)
const wrong = 'error: the clock is wrong: no job runs and nothing is delivered'
const right = 'info: the clock is right again'
const failed = "warn: the clock cannot be compared with the database's"
const day_ms = 86_400_000

test('a clock that is right is compared at the start and each minute, and nothing is said', async () => {
  await start()
  expect([watch.isRight(), watch.fault()]).toEqual([true, null])
  expect(watch.skewSeconds()).toBeCloseTo(0, 1)
  for (let second = 1; second < 60; second++) await time.pass(1_000)
  expect(database.asked()).toBe(1)
  await time.pass(1_000)
  expect(database.asked()).toBe(2)
  expect(loggedLines()).toEqual([])
})

test.each([
  ['ahead', 45_000, '45 s ahead of', false],
  ['behind', -45_000, '45 s behind', false],
  ['a minute and more behind', -61_000, '61 s behind', true],
  ['six days ahead', 6 * day_ms, '518400 s ahead of', true],
])('one that is %s at the start: logged once, and once when it is over', async (...row) => {
  const [, ms, words, is_far_off] = row
  time.set(ms)
  await start()
  expect(watch.isRight()).toBe(false)
  expect(watch.isFarOff()).toBe(is_far_off)
  expect(watch.fault()).toMatch(`is ${words} the database's (2 s are allowed). No job runs`)
  expect(watch.skewSeconds()).toBeCloseTo(ms / 1000, 1)
  for (let second = 0; second < 70; second++) await time.pass(1_000)
  expect(loggedLines()).toEqual([wrong])
  expect(log[0]!.fields).toMatchObject({ reason: expect.stringContaining(words) })
  time.set(0)
  await time.pass(1_000)
  expect([watch.isRight(), watch.isFarOff(), watch.fault()]).toEqual([true, false, null])
  expect(loggedLines()).toEqual([wrong, right])
})

test('an offset that is meant is no skew; its loss is', async () => {
  time.set(6 * day_ms)
  await start((6 * day_ms) / 1000)
  expect(watch.isRight()).toBe(true)
  expect(watch.skewSeconds()).toBeCloseTo(0, 1)
  time.set(0)
  expect(watch.isRight()).toBe(false)
  await time.pass(0)
  expect(watch.fault()).toContain('518400 s behind')
})

test('one that drifts is found by the minute', async () => {
  await start()
  // It is compared again after each second of drift.
  for (let second = 0; second < 70; second++) {
    time.set(second * 60)
    await time.pass(1_000)
  }
  expect(watch.isRight()).toBe(false)
  expect(loggedLines()).toEqual([wrong])
})

describe('a clock that is set', () => {
  test('is not trusted from that moment on, and compared at once', async () => {
    await start()
    const trusted = await watch.untilRight(new AbortController().signal)
    time.set(45_000)
    expect(trusted.aborted).toBe(false)
    expect(watch.isRight()).toBe(false)
    expect(trusted.aborted).toBe(true)
    expect(watch.fault()).toContain('was not compared')
    await time.pass(0)
    expect(database.asked()).toBe(2)
    expect(loggedLines()).toEqual([wrong])
  })

  test('is found within a second without a request, and work under way is warned', async () => {
    await start()
    const trusted = await watch.untilRight(new AbortController().signal)
    time.set(-3_000)
    await time.pass(1_000)
    expect(trusted.aborted).toBe(true)
    expect(loggedLines()).toEqual([wrong])
  })

  test('while its machine slept is compared, and goes on: nothing is said', async () => {
    await start()
    time.sleepMachine(3_600_000)
    expect(watch.isRight()).toBe(false)
    await time.pass(0)
    expect(watch.isRight()).toBe(true)
    expect([database.asked(), loggedLines()]).toEqual([2, []])
  })

  test('while it is read: it is read again', async () => {
    await start()
    database.onAnswer = () => time.set(45_000)
    for (let second = 0; second < 60; second++) await time.pass(1_000)
    database.onAnswer = () => {}
    await time.pass(1_000)
    expect(loggedLines()).toEqual([wrong])
    expect(watch.skewSeconds()).toBeCloseTo(45, 1)
  })
})

test("the database's time is reckoned from the last comparison, whatever the process's clock is set to", async () => {
  time.set(3_600_000)
  await start()
  expect(watch.databaseNow()).toEqual(time.trueTime())
  time.set(-day_ms)
  await time.pass(500)
  expect(watch.databaseNow()).toEqual(time.trueTime())
})

test('a process that was stopped has no skew', async () => {
  await start()
  await time.pass(50_000)
  expect(watch.isRight()).toBe(true)
  expect(loggedLines()).toEqual([])
})

test('a slow answer is no skew: it is asked again', async () => {
  database.onAnswer = () => time.pass(15_000)
  await start()
  expect(watch.isRight()).toBe(false)
  expect(loggedLines()).toEqual([failed])
  expect(watch.fault()).toContain('was not compared')
  database.onAnswer = () => {}
  await time.pass(1_000)
  expect(watch.isRight()).toBe(true)
  database.onAnswer = () => time.pass(15_000)
  for (let second = 0; second < 70; second++) await time.pass(1_000)
  expect(watch.isRight()).toBe(true)
  expect(loggedLines()).toEqual([failed])
})

describe('a database that cannot be asked', () => {
  const away = () => {
    throw new Error('connect ECONNREFUSED')
  }

  test('at the start: nothing begins until it can be, which is logged once', async () => {
    database.onAnswer = away
    await start()
    expect([watch.isRight(), watch.skewSeconds()]).toEqual([false, null])
    for (let second = 0; second < 5; second++) await time.pass(1_000)
    expect(loggedLines()).toEqual([failed])
    database.onAnswer = () => {}
    await time.pass(1_000)
    expect(watch.isRight()).toBe(true)
  })

  test('later: a clock that nobody set stays right, and one that was set is not', async () => {
    await start()
    database.onAnswer = away
    for (let second = 0; second < 300; second++) await time.pass(1_000)
    expect(watch.isRight()).toBe(true)
    time.set(3_000)
    for (let second = 0; second < 5; second++) await time.pass(1_000)
    expect(watch.isRight()).toBe(false)
    expect(watch.fault()).toContain('was not compared')
  })
})

test('a waiting caller goes on when the clock is right, or when the service stops', async () => {
  time.set(45_000)
  await start()
  const ending = new AbortController()
  const gone_on: string[] = []
  const waits = (name: string, signal: AbortSignal) =>
    watch.untilRight(signal).then((trusted) => gone_on.push(`${name} ${trusted.aborted}`))
  const one = waits('ended', ending.signal)
  const other = waits('trusted', new AbortController().signal)
  await time.pass(5_000)
  expect(gone_on).toEqual([])
  ending.abort()
  await one
  expect(gone_on).toEqual(['ended true'])
  time.set(0)
  await time.pass(1_000)
  await other
  expect(gone_on).toEqual(['ended true', 'trusted false'])
})
