// A process whose clock is wrong, on a real database: nothing is decided, purged or delivered by it, and all goes on by
// itself once it is right.

import { afterEach, beforeEach, expect, test } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { type ClockWatch, startClockWatch } from '../../src/database/clock/clock-watch.ts'
import type { Database } from '../../src/database/open.ts'
import { openMetrics } from '../../src/http/metrics.ts'
import { type JobContext, jobs } from '../../src/jobs.ts'
import { startBackground } from '../../src/service/background.ts'
import { startWorker } from '../../src/service/cell-work.ts'
import { booksOf, hold, openUnverified } from '../support/holding.ts'
import { type Service, startService, until } from '../support/service.ts'
import { type SetClock, setClock } from '../support/set-clock.ts'
import { addEndpoints, newKeyring, openPosts, pollClock, startLoop } from '../support/webhook-loop.ts'
import { openQueue, queueRows, tell } from '../support/webhook-rows.ts'
import { realClock } from '../support/world.ts'

const six_days_ms = 6 * 86_400_000
let service: Service
let time: SetClock
let watch: ClockWatch

beforeEach(async () => {
  time = setClock()
  const clock = { ...realClock, now: time.clock.now }
  service = await startService({ clock })
})
afterEach(async () => {
  await watch?.stop()
  await service.close()
})

async function watchClock(sql = service.sql): Promise<void> {
  const { clock, steady } = time
  const world = { clock, log: service.context.world.log }
  watch = await startClockWatch({ sql, world, steady, offset_seconds: 0 })
}

const words = /^the clock of this process is 5184\d\d s ahead of the database's/

/** Waits until it is so, while the watch looks each second. */
function becoming<T>(ask: () => T | Promise<T>, fits: (answer: T) => boolean): Promise<T> {
  const look = async () => {
    await time.wake(1_000)
    return ask()
  }
  return until(look, fits)
}

/** What a clock that is days ahead takes for over. */
async function standing(payment_id: string) {
  const [counts] = await service.sql`
    select (select status from holds where payment_id = ${payment_id}) as hold,
      (select count(*)::int from vault.cards) as cards,
      (select count(*)::int from limit_uses) as counted`
  const books = await booksOf(service, payment_id)
  return { ...counts, voided_at: books!.voided_at }
}

test('six days ahead no job runs: no hold is voided, nothing is purged; set right, every job runs', async () => {
  const { payment_id } = await hold(service.account)
  await service.client.reference(await openUnverified(service.account))
  const before = await standing(payment_id)
  expect(before).toMatchObject({ hold: 'pending_review', cards: 1, voided_at: null })
  time.set(six_days_ms)
  await watchClock()
  const begun: string[] = []
  const ended = new Set<string>()
  const watched = jobs.map((job) => ({
    ...job,
    async run(context: JobContext) {
      begun.push(job.name)
      return job.run(context).finally(() => ended.add(job.name))
    },
  }))
  const worker = startWorker(service.context as JobContext, watched, watch)
  for (let second = 0; second < 5; second++) await time.wake(1_000)
  expect(begun).toEqual([])
  expect(watch.fault()).toMatch(words)
  time.set(0)
  await becoming(
    () => ended.size,
    (size) => size === jobs.length,
  )
  await worker.stop()
  expect(await standing(payment_id)).toEqual(before)
  expect(service.log.filter(({ level }) => level === 'error')).toHaveLength(1)
})

test('a job that is under way when the clock is set ends what it has begun, and begins nothing more', async () => {
  await watchClock()
  const [begun, gone_on] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let runs = 0
  let was_to_stop = false
  const job = {
    name: 'long',
    every_seconds: 0,
    async run({ stopping }: JobContext) {
      runs += 1
      begun.resolve()
      await gone_on.promise
      was_to_stop = stopping!.aborted
      return 0
    },
  }
  const worker = startWorker(service.context as JobContext, [job], watch)
  await begun.promise
  time.set(45_000)
  await time.wake(1_000)
  gone_on.resolve()
  await becoming(watch.fault, (fault) => fault!.includes('45 s ahead'))
  expect(was_to_stop).toBe(true)
  await worker.stop()
  expect(runs).toBe(1)
})

test('a process that starts so makes and drops no partition until its clock is right', async () => {
  const config = readConfig({
    RIPPER_DATABASE_URL: service.database.url,
    RIPPER_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
  })
  const { sql } = service
  const partitions = async () => {
    const rows = await sql<{ name: string }[]>`
      select inhrelid::regclass::text as name from pg_inherits
      where inhparent = 'webhook_attempts'::regclass and inhrelid::regclass::text ~ '\\d{8}$' order by 1`
    return rows.map(({ name }) => name.slice(-8))
  }
  const day = (ms: number) => new Date(ms).toISOString().slice(0, 10).replaceAll('-', '')
  const before = await partitions()
  time.set(six_days_ms)
  await watchClock()
  const { context } = service
  const world = { ...context.world, clock: { ...realClock, now: time.clock.now } }
  const database = { sql } as Database
  const { keyring } = context
  const parts = { world, database, keyring, metrics: openMetrics(), trust: watch, committed() {} }
  const background = await startBackground(config, parts)
  expect(await partitions()).toEqual(before)
  time.set(0)
  const made = await becoming(partitions, (names) => names.length === 9)
  await background.stop()
  expect(made.at(-1)).toBe(day(Date.now() + 7 * 86_400_000))
})

test('deliveries are not claimed while the clock is wrong, and go out by themselves afterwards', async () => {
  await watchClock()
  const keyring = newKeyring()
  const queue = await openQueue()
  await addEndpoints(queue.sql, keyring, 1)
  await tell(queue.sql)
  const [clock, http] = [pollClock(), openPosts()]
  let is_right = false
  const trust = { ...watch, isRight: () => is_right }
  const loop = startLoop(queue.sql, { clock, http, keyring, trust })
  for (let polls = 0; polls < 5; polls++) await clock.poll()
  expect(await queueRows(queue.sql)).toMatchObject([{ attempt_number: 0 }])
  is_right = true
  await clock.poll()
  await until(
    async () => http.came,
    (came) => came.length === 1,
  )
  await loop.stop()
  await queue.drop()
})
