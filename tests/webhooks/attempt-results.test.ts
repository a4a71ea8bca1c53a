// How attempts' ends are written: together, in spite of a database that goes away, and of one that is never taken.

import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { openAttemptResults } from '../../src/webhooks/sending/attempt-results.ts'
import { manualClock } from '../support/clock.ts'
import { type DatabaseProxy, openDatabaseProxy } from '../support/database-proxy.ts'
import type { LogLine } from '../support/service.ts'
import {
  addEndpoint,
  attemptRows,
  claimed,
  emptyQueue,
  openQueue,
  type Queue,
  settledRows,
  settlementOf,
  tell,
} from '../support/webhook-rows.ts'
import { realClock } from '../support/world.ts'

let queue: Queue
let proxy: DatabaseProxy
let through: Awaited<ReturnType<Queue['database']['open']>>
const log: LogLine[] = []
const fenced: string[] = []
const at = (level: LogLine['level']) => (fields: object, message: string) => {
  log.push({ level, fields, message })
}
const world = {
  clock: realClock,
  log: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') },
}

beforeAll(async () => {
  queue = await openQueue()
  proxy = await openDatabaseProxy(queue.database.url)
  through = await queue.database.open({ url: proxy.url })
})
afterEach(async () => {
  log.length = 0
  fenced.length = 0
  await emptyQueue(queue.sql)
})
afterAll(async () => {
  proxy.start()
  await through.close()
  await proxy.close()
  await queue.drop()
})

const open = () =>
  openAttemptResults(
    { sql: through.sql, world },
    { onFenced: ({ delivery_id }) => fenced.push(delivery_id), onWritten: () => {} },
  )

/** Deliveries that are leased. */
async function begin(count: number) {
  await addEndpoint(queue.sql)
  for (let number = 1; number <= count; number++) {
    await tell(queue.sql, { payment_id: `pay_${number}` })
  }
  const deliveries = await claimed(queue.sql, { room: count })
  expect(deliveries).toHaveLength(count)
  return deliveries
}

test('many are written, and logged only where their lease was lost', async () => {
  const [first, ...others] = await begin(300)
  await queue.sql`update webhook_queue set attempt_id = 'taken over' where delivery_id = ${first!.delivery_id}`
  const attemptResults = open()
  for (const each of [first!, ...others]) attemptResults.add(settlementOf(each))
  expect(attemptResults.unwritten()).toBe(300)
  await attemptResults.close()
  expect(attemptResults.unwritten()).toBe(0)
  expect(await settledRows(queue.sql)).toHaveLength(299)
  expect(await attemptRows(queue.sql)).toHaveLength(300)
  expect(fenced).toEqual([first!.delivery_id])
})

test('a result that the database never takes is logged, and holds up nothing else', async () => {
  const deliveries = await begin(5)
  const attemptResults = open()
  for (const [index, each] of deliveries.entries()) {
    attemptResults.add(settlementOf(each, index === 2 ? { response_body: 'a\0b' } : {}))
  }
  await attemptResults.close()
  expect(await settledRows(queue.sql)).toHaveLength(4)
  const errors = log.filter(({ level }) => level === 'error')
  expect(errors.map(({ fields }) => fields)).toMatchObject([{ attempt_id: deliveries[2]!.attempt_id }])
  expect(JSON.stringify(log)).not.toContain('a\\u0000b')
})

test('while the database is away they are kept, and written when it is back', async () => {
  const deliveries = await begin(3)
  proxy.stop()
  const attemptResults = open()
  for (const each of deliveries) attemptResults.add(settlementOf(each))
  expect(attemptResults.unwritten()).toBe(3)
  proxy.start()
  await attemptResults.close()
  expect(await settledRows(queue.sql)).toHaveLength(3)
  expect(fenced).toEqual([])
})

test('a stop does not wait for a database that stays away', async () => {
  const [delivery] = await begin(1)
  proxy.stop()
  const clock = manualClock()
  const listener = { onFenced: () => {}, onWritten: () => {} }
  const attemptResults = openAttemptResults({ sql: through.sql, world: { ...world, clock } }, listener)
  attemptResults.add(settlementOf(delivery!))
  const closing = attemptResults.close()
  await clock.sleepers(5_000)
  await clock.advance(5_000)
  await closing
  proxy.start()
})
