// The queue of deliveries on a real database: who is told of an event, and what a claim takes, in which order, at what cost.

import { createHash } from 'node:crypto'
import { afterEach, describe, expect, test } from 'vitest'
import type { Database } from '../../src/database/open.ts'
import { type ClaimOrder, claim, readBacklog, type Standing } from '../../src/webhooks/queue/claim-store.ts'
import { endDeliveries, settleAttempts } from '../../src/webhooks/queue/queue-store.ts'
import { saveHealth } from '../../src/webhooks/sending/health-store.ts'
import {
  addEndpoint,
  at,
  claimed,
  claimOrder,
  failedUntil,
  fill,
  lease_seconds,
  merchant_id,
  noon,
  openConnection,
  queueReads,
  queueRows,
  settlementOf,
  tell,
  useQueue,
} from '../support/webhook-rows.ts'

const queue = await useQueue()
const { sql } = queue

/** As `webhook_id` spells it. */
function idOf(time: Date, seed: string): string {
  const hash = createHash('sha256').update(seed).digest('hex')
  const hex = time.getTime().toString(16).padStart(12, '0')
  return `${hex}7${hash.slice(0, 3)}a${hash.slice(3, 18)}`
}

const endpointsOf = (rows: { endpoint_id: string }[]) => rows.map(({ endpoint_id }) => endpoint_id)
const namesOf = (count: number) => Array.from({ length: count }, (_, n) => `e${String(n).padStart(4, '0')}`)

describe('an event is queued', () => {
  test.each<[string, object, number]>([
    ['for who wants all', { event_filter: [] }, 1],
    ['for who wants its type', { event_filter: ['payment.captured'] }, 1],
    ['for who wants it and others', { event_filter: ['payment.held', 'payment.captured'] }, 1],
    ['not for who wants others', { event_filter: ['payment.held', 'payment.failed'] }, 0],
    ['not for an endpoint that was deleted', { status: 'disabled', disabled_at: at(-9) }, 0],
    ["not for another merchant's endpoint", { merchant_id: 'm_b' }, 0],
  ])('%s', async (_name, endpoint, count) => {
    await addEndpoint(sql, endpoint)
    await tell(sql)
    expect(await queueRows(sql)).toHaveLength(count)
  })

  test('for each endpoint that wants it', async () => {
    for (const endpoint_id of ['a', 'b', 'c']) await addEndpoint(sql, { endpoint_id })
    await tell(sql)
    const rows = await queueRows(sql)
    expect(endpointsOf(rows as never).sort()).toEqual(['a', 'b', 'c'])
    expect(new Set(rows.map(({ delivery_id }) => delivery_id)).size).toBe(3)
  })

  test('not where the gate let nothing through', async () => {
    await addEndpoint(sql)
    await tell(sql, {}, false)
    expect(await queueRows(sql)).toHaveLength(0)
  })

  test('due at once, under an id that follows from the event and the endpoint', async () => {
    await addEndpoint(sql)
    const { event_id, created_at } = await tell(sql)
    const delivery_id = idOf(created_at, `${event_id}a`)
    const none = { attempt_id: null, attempted_at: null, last_attempt_id: null, pending_id: null }
    expect(await queueRows(sql)).toEqual([
      {
        merchant_id,
        delivery_id,
        endpoint_id: 'a',
        class: 0,
        due_at: created_at,
        attempt_number: 0,
        ...none,
        payment_id: 'pay_1',
        sequence: 1,
        after_id: null,
        replay_of: null,
        root_id: delivery_id,
        root_created_at: created_at,
        created_at,
      },
    ])
    expect(delivery_id).toMatch(/^[0-9a-f]{32}$/)
  })

  test("a payment's second event names the delivery of its first to the same endpoint", async () => {
    await addEndpoint(sql)
    await addEndpoint(sql, { endpoint_id: 'b', event_filter: ['payment.voided'] })
    await tell(sql, { type: 'payment.held', created_at: at(-60) })
    const [first] = await queueRows(sql)
    await tell(sql, { type: 'payment.voided', sequence: 2 })
    const seconds = (await queueRows(sql)).filter(({ sequence }) => sequence === 2)
    const after = Object.fromEntries(seconds.map((row) => [row.endpoint_id, row.after_id]))
    // To b the first was never told.
    expect(after).toEqual({ a: first!.delivery_id, b: null })
    expect(first!.endpoint_id).toBe('a')
  })
})

test('a claim brings all that the attempt needs, and the row is leased', async () => {
  const until = at(3_600)
  await addEndpoint(sql, {
    previous_sealed_secret: Buffer.from('old'),
    previous_secret_until: until,
  })
  const { event_id, created_at } = await tell(sql)
  const seen = { state: 'open', open_until: at(-5), reopen_count: 3, changed_at: at(-60) } as const
  await saveHealth(sql, { merchant_id, endpoint_id: 'a', last_failure: '500', ...seen })
  const delivery_id = idOf(created_at, `${event_id}a`)
  const attempt_id = idOf(noon, `${delivery_id}#1`)
  const { deliveries, ...walk } = await claim(sql, claimOrder())
  expect(walk).toEqual({ last_endpoint: 'a', endpoints: 1, next_due_at: null })
  expect(deliveries).toMatchObject([
    {
      merchant_id,
      delivery_id,
      endpoint_id: 'a',
      attempt_id,
      attempt_number: 1,
      attempted_at: noon,
      last_attempt_id: null,
      pending_id: null,
      payment_id: 'pay_1',
      sequence: 1,
      replay_of: null,
      root_created_at: created_at,
      created_at,
      event_type: 'payment.captured',
      body: `{"id":"${event_id}"}`,
      was_lost: false,
      endpoint_url: 'https://a.example/',
      endpoint_status: 'active',
      sealed_secret: Buffer.from('sealed'),
      previous_sealed_secret: Buffer.from('old'),
      previous_secret_until: until,
      breaker_changed_at: at(-60),
      open_until: at(-5),
      reopen_count: 3,
    },
  ])
  expect(await queueRows(sql)).toMatchObject([{ attempt_id, due_at: at(lease_seconds) }])
  expect(await claimed(sql, { now: at(lease_seconds - 1) })).toEqual([])
})

test('a delivery that was queued when its endpoint was deleted is claimed, and says so', async () => {
  await addEndpoint(sql)
  await tell(sql)
  await sql`update webhook_endpoints set status = 'disabled', disabled_at = ${noon}`
  expect(await claimed(sql)).toMatchObject([{ endpoint_status: 'disabled' }])
})

describe('how much a claim takes of an endpoint', () => {
  const room = (count: number, standing: Standing = 'other') => ({
    rooms: [{ endpoint_id: 'a', room: count, standing }],
  })
  const overdue = (count: number) => ({ ...room(count, 'shut'), overdue_before: at(-0.004) })

  test.each<[string, Partial<ClaimOrder>, number]>([
    ['no room', room(0), 0],
    ['some room', room(3), 3],
    ['room for more than there is', room(20), 10],
    ['room of who is not named', { room: 4 }, 4],
    ['no room for who is not named', { room: 0 }, 0],
    ['room for who is named alone', { ...room(2), room: 0 }, 2],
    ['trusted: the slots of the trusted', { ...room(20, 'trusted'), trusted_slots: 4, other_slots: 0 }, 4],
    ['trusted: not those of others', { ...room(20, 'trusted'), trusted_slots: 0 }, 0],
    ['other: the slots of the others', { ...room(20), trusted_slots: 0, other_slots: 4 }, 4],
    ['other: not those of the trusted', { ...room(20), other_slots: 0 }, 0],
    ['new: the slots of the new', { ...room(20, 'new'), new_slots: 4, other_slots: 0 }, 4],
    ['new: not those of others', { ...room(20, 'new'), new_slots: 0 }, 0],
    ['other: not those of the new', { ...room(20), new_slots: 0, other_slots: 4 }, 4],
    ['not named: as new', { trusted_slots: 0, new_slots: 4, other_slots: 0 }, 4],
    ['shut: the slots of the others', { ...overdue(20), new_slots: 0, other_slots: 4 }, 4],
    ['no more than all slots', { ...room(20), slots: 5 }, 5],
    ['not due yet', { now: at(-1) }, 0],
    ['due by now', { now: at(-0.007) }, 3],
    ['another class', { class: 1 }, 0],
    ['shut: nothing', room(1, 'shut'), 0],
    ['shut: what is overdue, and comes first', overdue(1), 1],
    ['shut: of that only', overdue(20), 6],
  ])('%s', async (_name, order, count) => {
    await addEndpoint(sql)
    await fill(sql, { count: 10 })
    const deliveries = await claimed(sql, order)
    expect(deliveries).toHaveLength(count)
    // What is due first, first.
    const due = deliveries.map(({ created_at }) => created_at.getTime() - noon.getTime()).sort()
    expect(due).toEqual(Array.from({ length: count }, (_, n) => n - 9).sort())
  })

  test('a claim that passes a shut endpoint by does not write to its rows', async () => {
    await addEndpoint(sql)
    await fill(sql, { count: 10 })
    await claimed(sql, room(1, 'shut'))
    expect(await sql`select 1 from webhook_queue where xmax <> 0`).toHaveLength(0)
  })

  test('it says when more is due', async () => {
    await addEndpoint(sql)
    await tell(sql, { payment_id: 'pay_2', created_at: at(40) })
    await tell(sql, { payment_id: 'pay_3', created_at: at(20) })
    expect(await claim(sql, claimOrder())).toMatchObject({ deliveries: [], next_due_at: at(20) })
  })
})

describe('which endpoint is next', () => {
  test('many endpoints are walked a part at a time, until all were reached', async () => {
    const names = namesOf(1_200)
    for (const endpoint_id of names) await fill(sql, { count: 1, endpoint_id })
    const order = { endpoints_max: 500, room: 1 }
    const walks: number[] = []
    const served: string[] = []
    for (let after_endpoint = ''; walks.length < 3; ) {
      const { deliveries, endpoints, last_endpoint } = await claim(sql, claimOrder({ ...order, after_endpoint }))
      walks.push(endpoints)
      served.push(...endpointsOf(deliveries))
      after_endpoint = last_endpoint!
    }
    expect(walks).toEqual([500, 500, 200])
    expect(served.sort()).toEqual(names)
  })

  test('where slots are few, those behind the mark come first, then the rest', async () => {
    for (const endpoint_id of ['a', 'b', 'c', 'd']) {
      await addEndpoint(sql, { endpoint_id })
      await fill(sql, { count: 1, endpoint_id })
    }
    const rooms = ['a', 'b', 'c', 'd'].map((endpoint_id) => ({ endpoint_id, room: 1, standing: 'other' as const }))
    const served = await claimed(sql, { rooms, slots: 3, after_other: 'b' })
    expect(endpointsOf(served).sort()).toEqual(['a', 'c', 'd'])
  })

  test.each<[Standing, number, number[]]>([
    ['trusted', 30, [10, 10, 10]],
    ['new', 14, [5, 5, 4]],
    ['other', 6, [4, 2]],
  ])('%s: %i slots are shared, but no share is under four', async (standing, slots, counts) => {
    const names = ['a', 'b', 'c']
    for (const endpoint_id of names) await fill(sql, { count: 20, endpoint_id })
    const rooms = names.map((endpoint_id) => ({ endpoint_id, standing, room: 15 }))
    const its_slots = { trusted_slots: slots, new_slots: slots, other_slots: slots }
    const served = Object.groupBy(endpointsOf(await claimed(sql, { rooms, ...its_slots })), String)
    expect(Object.values(served).map((each) => each!.length)).toEqual(counts)
  })

  test('the trusted and the others go round on their own', async () => {
    const standings = { a: 'trusted', b: 'other', c: 'trusted', d: 'other' } as const
    for (const endpoint_id of Object.keys(standings)) await fill(sql, { count: 5, endpoint_id })
    const rooms = Object.entries(standings).map(([endpoint_id, standing]) => ({ endpoint_id, standing, room: 1 }))
    const few = { rooms, trusted_slots: 1, other_slots: 1 }
    const marks = { after_trusted: 'a', after_other: 'b' }
    expect(endpointsOf(await claimed(sql, few)).sort()).toEqual(['a', 'b'])
    expect(endpointsOf(await claimed(sql, { ...few, ...marks })).sort()).toEqual(['c', 'd'])
  })

  test('two claims at once share no delivery, and leave none', async () => {
    await addEndpoint(sql)
    await fill(sql, { count: 10 })
    const [one, other] = await sql.begin(async (tx) => {
      const first = await claimed(tx, { room: 6 })
      return [first, await claimed(sql, { room: 6 })]
    })
    const ids = [...one!, ...other!].map(({ delivery_id }) => delivery_id)
    expect([one!.length, other!.length, new Set(ids).size]).toEqual([6, 4, 10])
  })
})

describe("a payment's second event waits until the first was attempted", () => {
  const retry = failedUntil(at(3_600))
  const settleFirst = async (changes: object) => {
    const [first] = await claimed(sql)
    await settleAttempts(sql, [settlementOf(first!, changes)], noon)
  }
  test.each<[string, () => Promise<unknown>, boolean]>([
    ['is under way', () => claimed(sql), false],
    [
      'is under way, taken over',
      async () => {
        await claimed(sql, { now: at(-100) })
        return claimed(sql)
      },
      false,
    ],
    ['succeeded', () => settleFirst({}), true],
    ['failed, and waits for its second attempt', () => settleFirst(retry), true],
    [
      'failed, and is under way again',
      async () => {
        await settleFirst(retry)
        return claimed(sql, { class: 1, now: at(3_600) })
      },
      true,
    ],
    ['was given up', () => settleFirst(failedUntil(null)), true],
    ['ended with its endpoint', () => endDeliveries(sql, { merchant_id, endpoint_id: 'a' }, noon), true],
  ])('the first %s', async (_name, prepare, isReady) => {
    await addEndpoint(sql)
    await tell(sql, { created_at: at(-200) })
    await prepare()
    await tell(sql, { sequence: 2, created_at: at(-100) })
    const deliveries = await claimed(sql)
    expect(deliveries.map(({ sequence }) => sequence)).toEqual(isReady ? [2] : [])
  })

  test('both wait: one claim takes the first alone', async () => {
    await addEndpoint(sql)
    await tell(sql, { created_at: at(-200) })
    await tell(sql, { sequence: 2 })
    expect(await claimed(sql)).toMatchObject([{ sequence: 1 }])
    expect(await claimed(sql)).toEqual([])
  })

  test('the first was never for this endpoint', async () => {
    await addEndpoint(sql, { event_filter: ['payment.voided'] })
    await tell(sql, { type: 'payment.held' })
    await tell(sql, { type: 'payment.voided', sequence: 2 })
    expect(await claimed(sql)).toMatchObject([{ sequence: 2 }])
  })

  test('one that waits does not hold up what comes after it', async () => {
    await addEndpoint(sql)
    await tell(sql, { created_at: at(-200) })
    await claimed(sql)
    await tell(sql, { sequence: 2, created_at: at(-100) })
    await tell(sql, { payment_id: 'pay_2' })
    expect(await claimed(sql, { room: 1 })).toMatchObject([{ payment_id: 'pay_2' }])
  })
})

describe('ten thousand due deliveries do not hold up a fresh event', () => {
  const connections: Database[] = []
  const connect = async () => {
    const opened = await openConnection(queue)
    connections.push(opened)
    return opened.sql
  }
  afterEach(() => Promise.all(connections.splice(0).map(({ close }) => close())))

  const shut = { endpoint_id: 'm', room: 0, standing: 'shut' as const }
  const resting = { ...shut, standing: 'other' as const }
  test.each<[string, 'empty' | 'full', { class: 0 | 1; endpoint_id: string }, ClaimOrder['rooms']]>([
    ['of an endpoint that is shut', 'empty', { class: 0, endpoint_id: 'm' }, [shut]],
    ['of an endpoint that is shut', 'full', { class: 0, endpoint_id: 'm' }, [shut]],
    ['of an endpoint that rests', 'empty', { class: 0, endpoint_id: 'm' }, [resting]],
    ['of an endpoint that rests', 'full', { class: 0, endpoint_id: 'm' }, [resting]],
    ['retries of the same endpoint', 'empty', { class: 1, endpoint_id: 'a' }, []],
    ['retries of the same endpoint', 'full', { class: 1, endpoint_id: 'a' }, []],
  ])('%s, in a plan made while the queue was %s', async (_name, planned, crowd, rooms) => {
    const early = await connect()
    await claimed(early)
    await fill(sql, { count: 10_000, ...crowd })
    await sql`analyze webhook_queue`
    for (const endpoint_id of ['a', 'z']) await addEndpoint(sql, { endpoint_id })
    await tell(sql)
    const connection = planned === 'empty' ? early : await connect()
    const [fresh, reads] = await connection.begin(async (tx) => {
      const deliveries = await claimed(tx, { rooms })
      return [endpointsOf(deliveries), await queueReads(tx)] as const
    })
    expect(fresh.toSorted()).toEqual(['a', 'z'])
    expect(reads).toBeLessThan(20)
  })
})

test('what waits is counted by class, and the age of the oldest that an endpoint could take', async () => {
  await addEndpoint(sql)
  await fill(sql, { count: 3, endpoint_id: 'a' })
  await fill(sql, { count: 5, endpoint_id: 'b' })
  await fill(sql, { count: 2, endpoint_id: 'b', class: 1 })
  const [fresh, retries] = await readBacklog(sql, noon)
  expect(fresh).toEqual({ class: 0, depth: 8, oldest_due_at: at(-0.004) })
  expect(retries).toEqual({ class: 1, depth: 2, oldest_due_at: at(-0.001) })
  const seen = { state: 'open', open_until: at(60), reopen_count: 0, changed_at: noon } as const
  await saveHealth(sql, { merchant_id, endpoint_id: 'b', last_failure: '500', ...seen })
  const [without, none] = await readBacklog(sql, noon)
  expect(without).toEqual({ class: 0, depth: 8, oldest_due_at: at(-0.002) })
  expect(none).toEqual({ class: 1, depth: 2, oldest_due_at: null })
})
