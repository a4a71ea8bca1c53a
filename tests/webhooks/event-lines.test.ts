// The journal's lines of events: one each, in its statement; and what the stream of events asks of the database to find them.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { scenarios } from '../../src/cards/scenarios.ts'
import { countStatements } from '../../src/database/count.ts'
import type { AnySql } from '../../src/database/open.ts'
import { idsFrom } from '../../src/kernel/ids.ts'
import { eventTypes, timestamp } from '../../src/kernel/values.ts'
import { lines_of_read_max } from '../../src/webhooks/stream/event-line-store.ts'
import { cursor_overlap_ms, cursorOf, readCursor, retention_days } from '../../src/webhooks/stream/trail.ts'
import { type ManualClock, manualClock } from '../support/clock.ts'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'
import { hold } from '../support/holding.ts'
import { type Listener, listen as listenAt } from '../support/listener.ts'
import { type Account, type Service, startService, until } from '../support/service.ts'

const path = '/v1/events/stream'
const declined = '4000000000000002'
const fails = '4000000000000119'
const rejected = scenarios.find(({ name }) => name === 'rejected by the bank')!.numbers.visa
const day_ms = 24 * 3_600_000
const count = countStatements()

let service: Service
let database: FreshDatabase
let clock: ManualClock
let account: Account
const listeners: Listener[] = []

beforeAll(async () => {
  clock = manualClock()
  const made = await freshDatabase()
  const { onStatement } = count
  database = { ...made, open: (options) => made.open({ ...options, onStatement }) }
  service = await startService({ clock, database })
})
afterAll(async () => {
  await service.close()
  await database.drop()
})
beforeEach(async () => {
  account = await service.newAccount()
})
afterEach(() => {
  for (const listener of listeners.splice(0)) listener.hangUp()
})

async function listen(query = '', last_id?: string | null, who = account): Promise<Listener> {
  const { secret_key } = who
  const { base_url } = service
  const listener = await listenAt({ base_url, secret_key, path: path + query, last_id })
  listeners.push(listener)
  return listener
}

/** Lets time pass until something holds. */
const passing = (ms: number, holds: () => boolean) =>
  until(async () => {
    await clock.advance(ms)
    return holds()
  }, Boolean)

const looks = () => count.texts().filter((text) => text.includes('from journal')).length
const payments = (listener: Listener) => listener.news().map(({ data }) => data.payment_id)
const pay = async (number?: string): Promise<string> => (await account.client.pay(number)).body.payment_id

/** A second event of a payment, as another process would write it. */
async function tellAgain(sql: AnySql, payment_id: string, at: Date): Promise<void> {
  await sql`
    insert into events select merchant_id, payment_id, 2, event_id || '_2', 'payment.voided', body, created_at
    from events where payment_id = ${payment_id}`
  await sql`
    insert into journal (merchant_id, entry_id, subject, change, detail, actor, at)
    select merchant_id, ${service.context.ids.journalEntry(at)}, subject, 'payment.voided', detail, actor, at
    from journal where subject = ${payment_id} and change = 'payment.captured'`
}

test('each event has exactly its line, of its type and payment, written with it', async () => {
  const { client } = account
  for (const number of [undefined, declined, fails, rejected]) await client.pay(number)
  const [captured, voided] = [await hold(account), await hold(account)]
  await client.decideHold('capture', captured.payment_id)
  await client.decideHold('void', voided.payment_id)
  const rows = await service.sql<{ type: string; lines: number; together: boolean }[]>`
    select e.type, count(j.*)::int as lines, bool_and(j.xmin = e.xmin) as together from events e
    left join journal j on j.merchant_id = e.merchant_id and j.subject = e.payment_id and j.change = e.type
    group by e.event_id, e.type order by e.type`
  const types = ['captured', 'captured', 'declined', 'declined', 'failed', 'held', 'held', 'voided']
  const told = [...types.map((type) => `payment.${type}`), 'payment_intent.canceled']
  expect(rows).toEqual(told.map((type) => ({ type, lines: 1, together: true })))
  const [{ lines } = { lines: 0 }] = await service.sql<{ lines: number }[]>`
    select count(*)::int as lines from journal where change = any(${[...eventTypes]})`
  expect(lines).toBe(types.length)
})

describe('at its beginning', () => {
  test('an outcome that was decided before and is committed after is sent, one committed before is not', async () => {
    const payment_id = await pay()
    const written = Promise.withResolvers<void>()
    const opened = Promise.withResolvers<void>()
    const committed = service.sql.begin(async (tx) => {
      await tellAgain(tx, payment_id, clock.now())
      written.resolve()
      await opened.promise
    })
    await written.promise
    const listener = await listen()
    opened.resolve()
    await committed
    await passing(500, () => listener.news().length > 0)
    expect(listener.news().map(({ event }) => event)).toEqual(['payment.voided'])
  })

  test('an outcome decided more than the overlap before is not sent to a reader that comes again at once, either', async () => {
    await pay()
    await clock.advance(cursor_overlap_ms + 1)
    const first = await listen()
    const paid = await pay()
    const again = await listen('', first.told[0]!.id)
    await passing(500, () => again.news().length > 0)
    expect(payments(again)).toEqual([paid])
  })
})

describe('while it listens', () => {
  test("another merchant's event costs it nothing", async () => {
    const other = await service.newAccount()
    const listener = await listen()
    await clock.sleepers(500)
    count.reset()
    for (let times = 0; times < 10; times++) {
      service.context.wakeDeliveries('event', other.merchant_id)
      await clock.advance(20)
    }
    expect(looks()).toBe(0)
    const paid = await pay()
    count.reset()
    await passing(20, () => listener.news().length > 0)
    expect(payments(listener)).toEqual([paid])
    expect(looks()).toBeLessThanOrEqual(2)
  })

  test('a filter lets nothing through, and yet its place moves on', async () => {
    const listener = await listen('?events=payment.voided')
    const began = readCursor(listener.told[0]!.id!)!
    await pay()
    // A heartbeat tells how far the last read came. That may have begun long before the heartbeat.
    await passing(5_000, () => (readCursor(listener.place() ?? '')?.sent_until_ms ?? 0) > began.sent_until_ms + 10_000)
    expect(listener.news()).toEqual([])
    expect(readCursor(listener.place()!)!.floor_ms).toBe(began.floor_ms)
  })
})

describe('a reader that was away for long', () => {
  test('gets what came meanwhile once, by few statements', async () => {
    const listener = await listen()
    const cursor = listener.told[0]!.id
    listener.hangUp()
    await clock.advance(10 * day_ms)
    const then = await pay()
    await clock.advance(10 * day_ms)
    const now = await pay()
    const paid_ms = clock.now().getTime()
    count.reset()
    const again = await listen('', cursor)
    await passing(100, () => again.news().length === 2)
    expect(payments(again)).toEqual([then, now])
    expect(looks()).toBeLessThanOrEqual(5)
    expect(readCursor(again.place()!)!.sent_until_ms).toBeGreaterThan(paid_ms - 1_000)
  })

  test('with an invented cursor gets the time from which events are kept', async () => {
    await pay()
    await clock.advance((retention_days + 1) * day_ms)
    const paid = await pay()
    count.reset()
    const listener = await listen(`?after=${cursorOf({ sent_until_ms: 0, floor_ms: 0 })}`)
    const opened_ms = clock.now().getTime()
    await passing(20, () => listener.news().length === 2)
    const [missed, event] = listener.news()
    const before = timestamp(new Date(opened_ms - retention_days * day_ms))
    expect(missed).toMatchObject({ event: 'missed', data: { before } })
    expect(event!.data.payment_id).toBe(paid)
    expect(looks()).toBeLessThanOrEqual(5)
  })

  test('reads past lines of all else, a page at a time with a rest after each', async () => {
    const cursor = cursorOf({
      sent_until_ms: clock.now().getTime(),
      floor_ms: clock.now().getTime(),
    })
    await service.sql`
      insert into journal (merchant_id, entry_id, subject, change, detail, actor, at)
      select ${account.merchant_id}, ${idsFrom(clock.now())} || lpad(n::text, 20, '0'), 'cs_0', 'session.created', '{}',
        'service', ${clock.now()}
      from generate_series(1, ${3 * lines_of_read_max}) n`
    await clock.advance(day_ms)
    const paid = await pay()
    count.reset()
    const listener = await listen('', cursor)
    await until(
      async () => looks(),
      (made) => made === 1,
    )
    await passing(20, () => listener.news().length > 0)
    expect(payments(listener)).toEqual([paid])
    expect(looks()).toBeGreaterThanOrEqual(4)
    expect(looks()).toBeLessThanOrEqual(8)
  })
})
