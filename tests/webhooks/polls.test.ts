// When a delivery loop asks the database again: at once while more is due, otherwise when it polls, however many endpoints wait.

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { InOtherWords } from '../../src/context.ts'
import { countStatements } from '../../src/database/count.ts'
import type { Database, Sql } from '../../src/database/open.ts'
import type { DeliveryLoop } from '../../src/webhooks/sending/delivery-loop.ts'
import { until } from '../support/service.ts'
import {
  addEndpoints,
  newKeyring,
  openPosts,
  type PollClock,
  type Posts,
  pollClock,
  startLoop,
  urlOf,
} from '../support/webhook-loop.ts'
import { at, emptyQueue, openQueue, type Queue, queueRows, settledRows, tell } from '../support/webhook-rows.ts'

const keyring = newKeyring()
const statements = countStatements()
let queue: Queue
let sql: Sql
let counted: Database
let loop: DeliveryLoop | null = null

beforeAll(async () => {
  queue = await openQueue()
  sql = queue.sql
  counted = await queue.database.open({ onStatement: statements.onStatement })
})
afterEach(async () => {
  await loop?.stop()
  loop = null
  await emptyQueue(sql)
})
afterAll(async () => {
  await counted.close()
  await queue.drop()
})

function start(words?: InOtherWords): { clock: PollClock; http: Posts } {
  const [clock, http] = [pollClock(), openPosts()]
  statements.reset()
  loop = startLoop(counted.sql, { clock, http, keyring, ...(words && { words }) })
  return { clock, http }
}

const claims = () => statements.texts().filter((text) => text.includes('picked as materialized'))

/** Waits until a delivery's first attempt counts as made, and its second is due then. */
const waitAsRetries = (due_at: Date, endpointIds: string[]) => sql`
  update webhook_queue set class = 1, attempt_number = 1, due_at = ${due_at}
  where endpoint_id = any(${endpointIds})`

describe('nothing is due', () => {
  const polls = 20
  const claimsOver = async (endpoints: number): Promise<number> => {
    const ids = await addEndpoints(sql, keyring, endpoints)
    await tell(sql)
    await waitAsRetries(at(3_600), ids)
    const { clock } = start()
    for (let each = 0; each < polls; each++) await clock.poll()
    const { length } = claims()
    await loop!.stop()
    loop = null
    await emptyQueue(sql)
    return length
  }

  test('each poll asks once, and looks at the retries of 501 endpoints in two claims', async () => {
    const [few, many] = [await claimsOver(400), await claimsOver(501)]
    // Every fourth poll looks at the retries too: a round.
    const rounds = polls / 4
    expect(few).toBe(polls + rounds)
    expect(many - few).toBeLessThanOrEqual(2 * rounds)
    expect(many).toBeGreaterThan(few)
  })
})

describe('all that is due goes out before the first poll ends', () => {
  const arrived = (http: Posts, count: number) =>
    until(
      async () => http.came,
      ({ length }) => length >= count,
    )
  const settled = (count: number) =>
    until(
      () => settledRows(sql),
      ({ length }) => length >= count,
    )

  test.each<[string, { retries: boolean; later: number }]>([
    ['one first attempt each', { retries: false, later: 0 }],
    ['one retry each', { retries: true, later: 0 }],
    ['one retry each, of which the first 700 are due later', { retries: true, later: 700 }],
  ])('of 1,200 endpoints: %s', async (_name, { retries, later }) => {
    const ids = await addEndpoints(sql, keyring, 1_200)
    await tell(sql)
    if (retries) await waitAsRetries(at(-1), ids)
    await waitAsRetries(at(3_600), ids.slice(0, later))
    const due = ids.slice(later)
    const { http } = start()
    await arrived(http, due.length)
    await settled(due.length)
    expect(http.came.toSorted()).toEqual(due.map(urlOf))
    expect(await queueRows(sql)).toHaveLength(later)
  })

  test('of 1,200 endpoints, after results could not be written until they took all slots', async () => {
    const ids = await addEndpoints(sql, keyring, 1_200)
    await tell(sql)
    const { http } = await sql.begin(async (tx) => {
      await tx`lock table webhook_deliveries in share mode`
      const started = start()
      await arrived(started.http, 512)
      return started
    })
    await settled(1_200)
    expect(http.came.toSorted()).toEqual(ids.map(urlOf))
  })

  test('of one endpoint: 200 replays, and nothing else', async () => {
    const ids = await addEndpoints(sql, keyring, 1)
    for (let n = 1; n <= 200; n++) await tell(sql, { payment_id: `pay_${n}` })
    await waitAsRetries(at(-1), ids)
    const { http } = start()
    await arrived(http, 200)
    await settled(200)
    expect(http.came).toHaveLength(200)
    expect(await queueRows(sql)).toEqual([])
  })
})

test('what other words need is read without keeping our own waiting, and fails only those that need it', async () => {
  const [own, other] = await addEndpoints(sql, keyring, 2)
  // In the order of their claim the other one comes first.
  await sql`update webhook_endpoints set endpoint_id = 'd' || endpoint_id, event_format = 'stripe' where endpoint_id = ${other!}`
  await tell(sql)
  const { promise, reject } = Promise.withResolvers<never>()
  const { http } = start(() => promise)
  await until(
    async () => http.came,
    ({ length }) => length > 0,
  )
  expect(http.came).toEqual([urlOf(own!)])
  reject(new Error('the database is away'))
  const settled = await until(
    () => sql`select endpoint_id, status, failure from webhook_attempts order by endpoint_id desc`,
    ({ length }) => length === 2,
  )
  expect(settled).toEqual([
    { endpoint_id: own, status: 'succeeded', failure: null },
    { endpoint_id: `d${other}`, status: 'failed', failure: 'internal' },
  ])
  expect(await queueRows(sql)).toMatchObject([
    { endpoint_id: `d${other}`, class: 1, attempt_number: 1, attempt_id: null },
  ])
  expect(http.came).toHaveLength(1)
})
