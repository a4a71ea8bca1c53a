// Deliveries that are given up, on a real database: with their endpoint, or after a last attempt that was lost. And the
// queue's statements at once, in every order: none waits for the other for ever, and nothing is lost or told twice.

import { describe, expect, test } from 'vitest'
import { assignments } from '../../src/database/driver/rows.ts'
import type { AnySql, Sql } from '../../src/database/open.ts'
import { wakeDeliveries } from '../../src/webhooks/endpoints/endpoint-store.ts'
import type { ClaimedDelivery } from '../../src/webhooks/queue/claimed-delivery.ts'
import { endDeliveries, keepDeliveries, type Settlement, settleAttempts } from '../../src/webhooks/queue/queue-store.ts'
import {
  addEndpoint,
  at,
  attemptRows,
  begun,
  claimed,
  emptyQueue,
  failedUntil,
  fill,
  lease_seconds,
  merchant_id,
  noon,
  openConnection,
  queueReads,
  queueRows,
  replayed,
  runInto,
  settledRows,
  settlementOf,
  tell,
  useQueue,
} from '../support/webhook-rows.ts'

const queue = await useQueue()
const { sql } = queue

const retry = failedUntil(at(5))
const write = (settlements: Settlement[], on: AnySql = sql) => settleAttempts(on as Sql, settlements, noon)
const endEndpoint = (on: AnySql = sql) => endDeliveries(on, { merchant_id, endpoint_id: 'a' }, at(9))
const endUnclaimed = () => endDeliveries(sql, { merchant_id, endpoint_id: 'a', but_claimed: true }, at(9))
const endDelivery = (delivery_id: string, on: AnySql = sql) =>
  endDeliveries(on, { merchant_id, delivery_ids: [delivery_id] }, at(9))

const dead = { status: 'dead_lettered', next_retry_at: null }
const later = at(lease_seconds)

/** The second attempt of a delivery whose first has failed at noon, begun five seconds later. */
async function begunAgain(): Promise<{ first: ClaimedDelivery; second: ClaimedDelivery }> {
  const first = await begun(sql)
  await write([settlementOf(first, retry)])
  const [second] = await claimed(sql, { class: 1, now: at(5) })
  return { first, second: second! }
}

describe('an endpoint is disabled until it is enabled again, and what is claimed meanwhile', () => {
  const off = { status: 'disabled', may_return: true, disabled_at: noon }
  const on = { status: 'active', may_return: false, disabled_at: null }
  const turn = (state: object, tx: AnySql = sql) => tx`update webhook_endpoints set ${assignments(tx, state)}`
  const keep = ({ delivery_id, attempt_id }: ClaimedDelivery) =>
    keepDeliveries(sql, { merchant_id, endpoint_id: 'a', delivery_ids: [delivery_id], attempt_ids: [attempt_id] }, noon)
  const enable = () =>
    sql.begin(async (tx) => {
      await turn(on, tx)
      await wakeDeliveries(tx, { merchant_id, endpoint_id: 'a' }, at(60))
    })
  const stages: [string, () => Promise<ClaimedDelivery>, number][] = [
    ['a first attempt', () => begun(sql), 0],
    ['a retry', async () => (await begunAgain()).second, 1],
  ]

  test.each(stages)('%s waits, does not count, and is due when it is enabled', async (_name, start, attempt_number) => {
    const delivery = await start()
    await turn(off)
    await keep(delivery)
    const [row] = await queueRows(sql)
    expect(row).toMatchObject({ class: Math.min(attempt_number, 1), attempt_number, attempt_id: null })
    expect(await claimed(sql, { class: row!.class, now: at(365 * 24 * 3600) })).toEqual([])
    await enable()
    const [again] = await claimed(sql, { class: row!.class, now: at(60) })
    expect(again).toMatchObject({
      ...{ delivery_id: delivery.delivery_id, attempt_number: attempt_number + 1, endpoint_status: 'active' },
    })
    expect((await attemptRows(sql)).map(({ status }) => status)).toEqual(attempt_number ? ['failed'] : [])
  })

  test('is due at once if it is enabled before the process lets it wait', async () => {
    const delivery = await begun(sql)
    await turn(off)
    const enabling = await openConnection(queue)
    const locked = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<void>()
    const enabled = enabling.sql.begin(async (tx) => {
      await turn(on, tx)
      locked.resolve()
      await ended.promise
      await wakeDeliveries(tx, { merchant_id, endpoint_id: 'a' }, noon)
    })
    await locked.promise
    const { running } = await runInto(sql, () => keep(delivery))
    ended.resolve()
    await Promise.all([enabled, running])
    await enabling.close()
    expect(await claimed(sql, { now: at(1) })).toMatchObject([{ delivery_id: delivery.delivery_id }])
  })

  test('is left to another process that has taken it over', async () => {
    const delivery = await begun(sql)
    await turn(off)
    const [other] = await claimed(sql, { now: later })
    await keep(delivery)
    expect(await queueRows(sql)).toMatchObject([{ attempt_id: other!.attempt_id, attempt_number: 2 }])
  })
})

describe('an endpoint is deleted, and with it a delivery', () => {
  test('that was never attempted: nothing is left of it', async () => {
    await addEndpoint(sql)
    await tell(sql)
    expect(await endEndpoint()).toBe(1)
    expect(await queueRows(sql)).toEqual([])
    expect(await settledRows(sql)).toEqual([])
    expect(await attemptRows(sql)).toEqual([])
  })

  test('that waits for a retry: its newest row says so', async () => {
    const first = await begun(sql)
    const { attempt_id } = first
    await write([settlementOf(first, retry)])
    expect(await endEndpoint()).toBe(1)
    expect(await queueRows(sql)).toEqual([])
    expect(await settledRows(sql)).toMatchObject([
      { status: 'dead_lettered', attempt_count: 1, last_attempt_id: attempt_id, settled_at: at(9) },
    ])
    expect(await attemptRows(sql)).toMatchObject([{ attempt_id, ...dead, response_body: 'no' }])
  })

  test('under way: the attempt has its row at once', async () => {
    const { first, second } = await begunAgain()
    expect(await endEndpoint()).toBe(1)
    expect(await settledRows(sql)).toMatchObject([
      { status: 'dead_lettered', attempt_count: 2, last_attempt_id: second.attempt_id },
    ])
    expect(await attemptRows(sql)).toMatchObject([
      { attempt_id: first.attempt_id, attempt_number: 1, status: 'failed' },
      { attempt_id: second.attempt_id, attempt_number: 2, ...dead, occurred_at: at(5) },
    ])
  })

  test.each<[string, Partial<Settlement>, object]>([
    ['a success', {}, { status: 'succeeded', response_status_code: 200, failure: null }],
    ['a failure', retry, { ...dead, response_status_code: 500, failure: null }],
    ['no answer', { ...retry, response_status_code: null, failure: 'timeout' }, { ...dead, failure: 'timeout' }],
  ])('under way: %s that comes later completes the row', async (_name, how, row) => {
    const delivery = await begun(sql)
    await endEndpoint()
    expect(await write([settlementOf(delivery, how)])).toEqual(new Set())
    expect(await queueRows(sql)).toEqual([])
    expect(await settledRows(sql)).toHaveLength(1)
    expect(await attemptRows(sql)).toMatchObject([
      { attempt_number: 1, ...row, duration_ms: 1_000, next_retry_at: null },
    ])
  })

  test('that is a replay, not attempted yet: its pending row says so, the original is free', async () => {
    const { original, delivery_id, pending_id } = await replayed(sql)
    expect(await endEndpoint()).toBe(1)
    expect(await settledRows(sql)).toMatchObject([
      { delivery_id: original.delivery_id, active_replay: null },
      { delivery_id, status: 'dead_lettered', attempt_count: 0, last_attempt_id: pending_id },
    ])
    expect(await attemptRows(sql)).toMatchObject([
      { attempt_number: 1, ...dead },
      { attempt_number: 0, ...dead },
    ])
  })

  test('that is a replay, under way: the row of its attempt takes the place of the pending one', async () => {
    const { original, delivery_id } = await replayed(sql)
    const [attempt] = await claimed(sql, { class: 1 })
    await endEndpoint()
    const rows = async () => (await attemptRows(sql)).filter((row) => row.delivery_id === delivery_id)
    expect(await rows()).toMatchObject([{ attempt_number: 1, ...dead, duration_ms: null }])
    await write([settlementOf(attempt!, retry)])
    expect(await rows()).toMatchObject([{ attempt_number: 1, ...dead, duration_ms: 1_000 }])
    expect((await settledRows(sql))[0]).toMatchObject({ delivery_id: original.delivery_id, active_replay: null })
  })

  test('and no other', async () => {
    for (const endpoint_id of ['a', 'b']) {
      await addEndpoint(sql, { endpoint_id })
      await addEndpoint(sql, { endpoint_id, merchant_id: 'm_b' })
    }
    await tell(sql)
    await tell(sql, { merchant_id: 'm_b' })
    expect(await endEndpoint()).toBe(1)
    const left = (await queueRows(sql)).map((row) => `${row.merchant_id} ${row.endpoint_id}`)
    expect(left.sort()).toEqual(['m_a b', 'm_b a', 'm_b b'])
  })

  test('but not if a process has claimed it to end it: no attempt is reported that was never made', async () => {
    const { delivery_id, attempt_id } = await begun(sql)
    await tell(sql, { payment_id: 'pay_2' })
    await tell(sql, { payment_id: 'pay_3' })
    expect(await endUnclaimed()).toBe(2)
    expect(await queueRows(sql)).toMatchObject([{ delivery_id, attempt_id }])
    expect(await endDelivery(delivery_id)).toBe(1)
    expect(await queueRows(sql)).toEqual([])
    expect(await settledRows(sql)).toEqual([])
    expect(await attemptRows(sql)).toEqual([])
  })

  test('but not if a process claims it while the ending waits for it', async () => {
    await addEndpoint(sql)
    await tell(sql)
    await tell(sql, { payment_id: 'pay_2' })
    const { running, claims } = await sql.begin(async (tx) => {
      const taken = await claimed(tx, { room: 1 })
      return { ...(await runInto(sql, endUnclaimed)), claims: taken }
    })
    expect(await running).toBe(1)
    const [{ delivery_id, attempt_id }] = claims as [ClaimedDelivery]
    expect(await queueRows(sql)).toMatchObject([{ delivery_id, attempt_id }])
    expect(await settledRows(sql)).toEqual([])
    expect(await attemptRows(sql)).toEqual([])
  })

  test('of very many: a batch at a time', async () => {
    await fill(sql, { count: 4_990 })
    await fill(sql, { count: 20, class: 1 })
    expect(await endEndpoint()).toBe(5_000)
    expect(await endEndpoint()).toBe(10)
    expect(await endEndpoint()).toBe(0)
  })
})

describe('a delivery is given up', () => {
  test('after its last attempt was lost', async () => {
    const { first, second } = await begunAgain()
    const [claim] = await claimed(sql, { class: 1, now: at(5 + lease_seconds) })
    expect(claim).toMatchObject({ attempt_number: 3, was_lost: true })
    expect(await endDelivery(first.delivery_id)).toBe(1)
    expect(await queueRows(sql)).toEqual([])
    expect(await settledRows(sql)).toMatchObject([
      { status: 'dead_lettered', attempt_count: 2, last_attempt_id: second.attempt_id },
    ])
    expect(await attemptRows(sql)).toMatchObject([
      { attempt_number: 1, status: 'failed', next_retry_at: at(5) },
      { attempt_number: 2, ...dead, failure: 'lost' },
    ])
  })

  test('and the answer came after all', async () => {
    const delivery = await begun(sql)
    await claimed(sql, { now: later })
    await endDelivery(delivery.delivery_id)
    await write([settlementOf(delivery)])
    expect(await attemptRows(sql)).toMatchObject([
      { attempt_number: 1, status: 'succeeded', response_status_code: 200, failure: null },
    ])
  })

  test.each<[string, () => Promise<{ first: ClaimedDelivery; second?: ClaimedDelivery }>]>([
    ['its only one', async () => ({ first: await begun(sql) })],
    ['its second', begunAgain],
  ])('after its last attempt counted as lost, and had succeeded after all: %s', async (_name, begin) => {
    const { first, second } = await begin()
    const last = second ?? first
    await claimed(sql, { class: second ? 1 : 0, now: at(5 + lease_seconds) })
    expect(await write([settlementOf(last)])).toEqual(new Set())
    const { delivery_id, attempt_id, attempt_number } = last
    expect(await endDelivery(delivery_id)).toBe(1)
    expect(await queueRows(sql)).toEqual([])
    expect(await settledRows(sql)).toMatchObject([
      { delivery_id, status: 'succeeded', attempt_count: attempt_number, last_attempt_id: attempt_id },
    ])
    const succeeded = { status: 'succeeded', response_status_code: 200, failure: null }
    expect((await attemptRows(sql)).at(-1)).toMatchObject({
      attempt_id,
      attempt_number,
      ...succeeded,
      next_retry_at: null,
    })
  })

  test('that was a replay without an answer: no row is left pending', async () => {
    const { delivery_id } = await replayed(sql)
    await claimed(sql, { class: 1 })
    await claimed(sql, { class: 1, now: later })
    await endDelivery(delivery_id)
    expect(await attemptRows(sql)).toMatchObject([
      { attempt_number: 1, ...dead },
      { delivery_id, attempt_number: 1, ...dead, failure: 'lost' },
    ])
    expect(await settledRows(sql)).toMatchObject([{ active_replay: null }, { attempt_count: 1 }])
  })

  test('that was claimed for an endpoint that is gone, and never attempted: nothing is left', async () => {
    const { delivery_id } = await begun(sql)
    await endDelivery(delivery_id)
    expect(await settledRows(sql)).toEqual([])
    expect(await attemptRows(sql)).toEqual([])
  })

  test.each([
    ['another id', { merchant_id, delivery_ids: ['0'] }],
    ["another merchant's", { merchant_id: 'm_b', delivery_ids: [] as string[] }],
  ])('and no other: %s', async (_name, which) => {
    const { delivery_id } = await begun(sql)
    const delivery_ids = [...which.delivery_ids, ...(which.merchant_id === 'm_b' ? [delivery_id] : [])]
    expect(await endDeliveries(sql, { ...which, delivery_ids }, noon)).toBe(0)
    expect(await queueRows(sql)).toHaveLength(1)
  })
})

/** What may happen to a delivery whose first attempt was begun at noon, when its lease is over. */
const acts = {
  success: (delivery: ClaimedDelivery, on: AnySql) => write([settlementOf(delivery)], on),
  failure: (delivery: ClaimedDelivery, on: AnySql) => write([settlementOf(delivery, retry)], on),
  'take over': (_: ClaimedDelivery, on: AnySql) => claimed(on, { now: later }),
  'give up': async (_: ClaimedDelivery, on: AnySql) => {
    for (const { delivery_id } of await claimed(on, { now: later })) {
      await endDelivery(delivery_id, on)
    }
  },
  'end all': (_: ClaimedDelivery, on: AnySql) => endEndpoint(on),
}
type Act = keyof typeof acts
const names = Object.keys(acts) as Act[]

/** Does the first in a transaction, lets the others run into it one after the other, and commits. */
async function meet(delivery: ClaimedDelivery, [first, ...others]: Act[]): Promise<void> {
  const started: { running: Promise<unknown> }[] = []
  await sql.begin(async (tx) => {
    await acts[first!](delivery, tx)
    for (const name of others) {
      started.push(await runInto<unknown>(sql, () => acts[name](delivery, sql)))
    }
  })
  await Promise.all(started.map(({ running }) => running))
}

describe('at once, each begun before the first is committed', () => {
  /** One attempt ends in one way, though it may be written twice. */
  const canBe = (...order: Act[]) => !(order.includes('success') && order.includes('failure'))
  const pairs = names
    .flatMap((first) => names.map((second) => [first, second] as const))
    .filter((pair) => canBe(...pair))
  test.each(pairs)('%s, %s, and any third', async (first, second) => {
    for (const third of names.filter((name) => canBe(first, second, name))) {
      await emptyQueue(sql)
      const order = [first, second, third]
      await meet(await begun(sql), order)
      const told = order.join(', ')
      const [queued, settled] = [await queueRows(sql), await settledRows(sql)]
      const attempts = await attemptRows(sql)

      expect(queued.length + settled.length, told).toBe(1)
      if (order.includes('end all')) expect(queued, told).toEqual([])
      const numbers = attempts.map((row) => row.attempt_number)
      expect(numbers, told).toEqual([1, 2].slice(0, numbers.length))
      if (order.includes('success')) expect(attempts[0]!.status, told).toBe('succeeded')
      const newest = attempts.at(-1)
      expect([...queued, ...settled][0]!.last_attempt_id, told).toBe(newest?.attempt_id ?? null)
      for (const { status } of settled) {
        // An answer that came after all says better what became of it.
        expect(['succeeded', status], told).toContain(newest!.status)
        expect(newest!.next_retry_at, told).toBeNull()
      }
    }
  })

  test.each<Act[]>([
    ['success', 'end all'],
    ['failure', 'end all'],
    ['end all', 'success'],
    ['end all', 'failure'],
  ])('%s, %s, of a replay: the original is free, and nothing is left pending', async (...order) => {
    await replayed(sql)
    const [attempt] = await claimed(sql, { class: 1 })
    await meet(attempt!, order)
    expect(await queueRows(sql)).toEqual([])
    expect(await settledRows(sql)).toMatchObject([{ active_replay: null }, {}])
    const ending = order.includes('success') ? 'succeeded' : 'dead_lettered'
    const statuses = (await attemptRows(sql)).map((row) => row.status)
    expect(statuses).toEqual(['dead_lettered', ending])
  })

  test('a batch is settled while an endpoint ends: neither waits for what the other holds', async () => {
    await addEndpoint(sql, { event_filter: ['payment.captured'] })
    await addEndpoint(sql, { endpoint_id: 'b', event_filter: ['payment.held'] })
    const types = ['payment.captured', 'payment.held', 'payment.captured'] as const
    const deliveries: ClaimedDelivery[] = []
    for (const [n, type] of types.entries()) {
      await tell(sql, { payment_id: `pay_${n}`, type, created_at: at(n - 10) })
      // The later one is begun, the earlier its lease ends: due times and places have opposite orders.
      deliveries.push(...(await claimed(sql, { now: at(-n) })))
    }
    const [first, between, last] = deliveries as [ClaimedDelivery, ClaimedDelivery, ClaimedDelivery]
    const batch = [settlementOf(last, retry), settlementOf(between, retry), settlementOf(first)]
    const started: { running: Promise<unknown> }[] = []
    await sql.begin(async (tx) => {
      await tx`select 1 from webhook_queue where delivery_id = ${between.delivery_id} for update`
      started.push(await runInto<unknown>(sql, () => write(batch)))
      started.push(await runInto<unknown>(sql, () => endEndpoint()))
    })
    await Promise.all(started.map(({ running }) => running))
    expect(await settledRows(sql)).toMatchObject([
      { delivery_id: first.delivery_id, status: 'succeeded' },
      { delivery_id: last.delivery_id, status: 'dead_lettered' },
    ])
    expect(await queueRows(sql)).toMatchObject([{ delivery_id: between.delivery_id, class: 1 }])
  })
})

describe('with ten thousand others in the queue', () => {
  test.each(['empty', 'full'])('settling and ending read only their own, planned while it was %s', async (planned) => {
    const connection = await openConnection(queue)
    const delivery = await begun(sql)
    const other = { merchant_id, endpoint_id: 'b' }
    const run = async (on: AnySql) => {
      await write([settlementOf(delivery, retry)], on)
      await endDeliveries(on, other, noon)
      await endDelivery(delivery.delivery_id, on)
    }
    const readsOf = () =>
      connection.sql.begin(async (tx) => {
        await run(tx)
        const reads = await queueReads(tx)
        await tx`rollback`
        return reads
      })
    if (planned === 'empty') await readsOf()
    await fill(sql, { count: 10_000, endpoint_id: 'm' })
    await fill(sql, { count: 10_000, endpoint_id: 'm', class: 1 })
    await sql`analyze webhook_queue`
    expect(await readsOf()).toBeLessThan(20)
    await connection.close()
  })
})
