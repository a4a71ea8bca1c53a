// How deliveries leave the queue, on a real database: settled, in time or too late, once or twice.

import { describe, expect, test } from 'vitest'
import type { ClaimedDelivery } from '../../src/webhooks/queue/claimed-delivery.ts'
import { type Settlement, settleAttempts } from '../../src/webhooks/queue/queue-store.ts'
import {
  addEndpoint,
  at,
  attemptRows,
  begun,
  claimed,
  failedUntil,
  lease_seconds,
  merchant_id,
  noon,
  queueRows,
  replayed,
  settledRows,
  settlementOf,
  tell,
  useQueue,
} from '../support/webhook-rows.ts'

const queue = await useQueue()
const { sql } = queue

const retry = failedUntil(at(5))
const last = failedUntil(null)
const write = (settlements: Settlement[]) => settleAttempts(sql, settlements, noon)

/** The next attempt of the one delivery that waits, or whose lease has run out. */
async function again(now: Date, queueClass: 0 | 1 = 1): Promise<ClaimedDelivery> {
  const [delivery] = await claimed(sql, { now, class: queueClass })
  return delivery!
}

describe('an attempt is settled', () => {
  test('that succeeded: the delivery has left the queue', async () => {
    const delivery = await begun(sql)
    const { attempt_id, delivery_id, created_at } = delivery
    expect(await write([settlementOf(delivery)])).toEqual(new Set([attempt_id]))
    expect(await queueRows(sql)).toEqual([])
    expect(await settledRows(sql)).toEqual([
      {
        merchant_id,
        delivery_id,
        endpoint_id: 'a',
        payment_id: 'pay_1',
        sequence: 1,
        status: 'succeeded',
        attempt_count: 1,
        last_attempt_id: attempt_id,
        replay_of: null,
        root_id: delivery_id,
        root_created_at: created_at,
        active_replay: null,
        created_at,
        settled_at: noon,
      },
    ])
    expect(await attemptRows(sql)).toEqual([
      {
        merchant_id,
        attempt_id,
        delivery_id,
        endpoint_id: 'a',
        payment_id: 'pay_1',
        endpoint_url: 'https://a.example/',
        event_type: 'payment.captured',
        attempt_number: 1,
        previous_attempt_id: null,
        replay_of: null,
        status: 'succeeded',
        root_created_at: created_at,
        occurred_at: noon,
        duration_ms: 1_000,
        response_status_code: 200,
        response_body: 'ok',
        failure: null,
        next_retry_at: null,
      },
    ])
  })

  test('that failed: the delivery waits, as a retry', async () => {
    const delivery = await begun(sql)
    const { attempt_id } = delivery
    await write([settlementOf(delivery, retry)])
    expect(await queueRows(sql)).toMatchObject([
      { class: 1, due_at: at(5), attempt_number: 1, attempt_id: null, last_attempt_id: attempt_id },
    ])
    expect(await settledRows(sql)).toEqual([])
    expect(await attemptRows(sql)).toMatchObject([
      { status: 'failed', next_retry_at: at(5), response_status_code: 500 },
    ])
    const second = await again(at(5))
    expect(second).toMatchObject({
      attempt_number: 2,
      last_attempt_id: attempt_id,
      was_lost: false,
    })
    await write([settlementOf(second)])
    expect(await attemptRows(sql)).toMatchObject([
      { attempt_number: 1, previous_attempt_id: null },
      { attempt_number: 2, previous_attempt_id: attempt_id },
    ])
    expect(await settledRows(sql)).toMatchObject([{ attempt_count: 2 }])
  })

  test('that was the last: the delivery is given up', async () => {
    const delivery = await begun(sql)
    await write([settlementOf(delivery, last)])
    expect(await queueRows(sql)).toEqual([])
    expect(await settledRows(sql)).toMatchObject([{ status: 'dead_lettered' }])
    expect(await attemptRows(sql)).toMatchObject([{ status: 'dead_lettered', next_retry_at: null }])
  })

  test('many at once, each in its own way', async () => {
    await addEndpoint(sql)
    const payments = Array.from({ length: 8 }, (_, n) => `pay_${n}`)
    for (const payment_id of payments) await tell(sql, { payment_id })
    const deliveries = await claimed(sql)
    const ways = [{}, retry, last, retry, {}, last, {}, retry]
    const [fenced, ...held] = deliveries.map((each, n) => settlementOf(each, ways[n]))
    const lost = { ...fenced!, attempt_id: `${fenced!.attempt_id.slice(0, -1)}!` }
    const written = await write([lost, ...held])
    expect(written).toEqual(new Set(held.map(({ attempt_id }) => attempt_id)))
    const statuses = new Map<string, string>()
    for (const row of await settledRows(sql)) statuses.set(row.delivery_id, row.status)
    for (const row of await queueRows(sql)) statuses.set(row.delivery_id, row.attempt_id ?? 'failed')
    for (const { delivery_id, status } of held) expect(statuses.get(delivery_id)).toBe(status)
    expect(statuses.get(fenced!.delivery_id)).toBe(fenced!.attempt_id)
    expect(await attemptRows(sql)).toHaveLength(8)
  })

  test.each([
    ['succeeded', {}],
    ['failed', retry],
    ['given up', last],
  ])('twice, since the first may have been written: %s', async (_name, how) => {
    const settlement = settlementOf(await begun(sql), how)
    const all = async () => [await queueRows(sql), await settledRows(sql), await attemptRows(sql)]
    await write([settlement])
    const once = await all()
    expect(await write([settlement])).toEqual(new Set())
    expect(await all()).toEqual(once)
  })

  test.each([
    ['nothing', ''],
    ['quotes', `"'\`''""$$`],
    ['backslashes', 'C:\\new\\u0041\\x41\\\\"'],
    ['lines', 'a\r\nb\tc\u2028d\u2029e\u0085f'],
    ['controls', '\u0001\u0008\u001b[31m\u007f'],
    ['emoji and other planes', '👩‍👩‍👧 😀 𝕏 é'],
    ['JSON', '{"status":"succeeded","next_retry_at":null,"a":[1,{}]}'],
    ['an array of PostgreSQL', '{a,NULL,"b"}'],
    ['SQL', "'); drop table webhook_queue; --"],
    ['1,024 characters of four bytes', '😀'.repeat(1_024)],
  ])('whose answer has odd characters: %s', async (_name, response_body) => {
    await write([settlementOf(await begun(sql), { response_body })])
    expect(await attemptRows(sql)).toMatchObject([{ response_body }])
  })

  test('of a replay: its pending row goes with the first, the original is free after the last', async () => {
    const { original, delivery_id, pending_id } = await replayed(sql)
    const standing = async () => ({
      active: (await settledRows(sql)).map((row) => row.active_replay).filter(Boolean),
      rows: (await attemptRows(sql)).filter((row) => row.delivery_id === delivery_id),
    })
    expect(await standing()).toMatchObject({
      active: [delivery_id],
      rows: [{ attempt_id: pending_id, attempt_number: 0, status: 'pending' }],
    })
    const first = await again(noon)
    expect(first).toMatchObject({ attempt_number: 1, pending_id, replay_of: original.delivery_id })
    await write([settlementOf(first, retry)])
    expect(await standing()).toMatchObject({
      active: [delivery_id],
      rows: [{ attempt_number: 1, status: 'failed', replay_of: original.delivery_id }],
    })
    await write([settlementOf(await again(at(5)))])
    expect(await standing()).toMatchObject({ active: [], rows: [{}, { status: 'succeeded' }] })
    expect(await settledRows(sql)).toMatchObject([
      { status: 'dead_lettered', active_replay: null },
      { replay_of: original.delivery_id, root_id: original.delivery_id },
    ])
  })
})

describe('a lease that has run out', () => {
  const later = at(lease_seconds)
  const lost = { attempt_number: 1, status: 'failed', failure: 'lost', duration_ms: null }

  test('is taken over, and the lost attempt is reported', async () => {
    const first = await begun(sql)
    const second = await again(later, 0)
    expect(second).toMatchObject({
      delivery_id: first.delivery_id,
      attempt_number: 2,
      was_lost: true,
      last_attempt_id: first.attempt_id,
      attempted_at: later,
    })
    const { attempt_id, created_at } = first
    expect(await attemptRows(sql)).toMatchObject([
      {
        ...lost,
        attempt_id,
        occurred_at: noon,
        next_retry_at: later,
        endpoint_url: 'https://a.example/',
        event_type: 'payment.captured',
        response_status_code: null,
        response_body: null,
        root_created_at: created_at,
      },
    ])
    expect(await queueRows(sql)).toMatchObject([{ class: 0, attempt_id: second.attempt_id }])
  })

  test('and again, as often as it is lost', async () => {
    await begun(sql)
    for (const number of [2, 3, 4]) {
      const delivery = await again(at(lease_seconds * (number - 1)), 0)
      expect(delivery).toMatchObject({ attempt_number: number, was_lost: true })
    }
    const rows = await attemptRows(sql)
    expect(rows.map((row) => [row.attempt_number, row.failure])).toEqual([
      ...[
        [1, 'lost'],
        [2, 'lost'],
        [3, 'lost'],
      ],
    ])
    expect(rows.map((row) => row.previous_attempt_id)).toEqual([...[null, rows[0]!.attempt_id, rows[1]!.attempt_id]])
  })

  test('is still good for its holder until another process takes over', async () => {
    const delivery = await begun(sql)
    expect(await write([settlementOf(delivery)])).toEqual(new Set([delivery.attempt_id]))
    expect(await again(later, 0)).toBeUndefined()
  })

  test.each<[string, Partial<Settlement>, object]>([
    ['a success', {}, { status: 'succeeded', response_status_code: 200, failure: null, next_retry_at: null }],
    ['a failure', retry, { status: 'failed', response_status_code: 500, failure: null, next_retry_at: later }],
    ['the last failure', last, { status: 'failed', response_status_code: 500, next_retry_at: later }],
    [
      'no answer',
      { ...retry, response_status_code: null, failure: 'timeout' },
      { status: 'failed', failure: 'timeout' },
    ],
  ])('%s that comes too late is written, and changes nothing else', async (_name, how, row) => {
    const first = await begun(sql)
    const second = await again(later, 0)
    const before = await queueRows(sql)
    expect(await write([settlementOf(first, how)])).toEqual(new Set())
    expect(await queueRows(sql)).toEqual(before)
    expect(await settledRows(sql)).toEqual([])
    expect(await attemptRows(sql)).toMatchObject([{ attempt_number: 1, duration_ms: 1_000, ...row }])
    await write([settlementOf(second)])
    expect(await attemptRows(sql)).toMatchObject([row, { attempt_number: 2, status: 'succeeded' }])
    expect(await settledRows(sql)).toMatchObject([{ status: 'succeeded', attempt_count: 2 }])
  })

  test('and too late even for that: the delivery is settled already', async () => {
    const first = await begun(sql)
    await write([settlementOf(await again(later, 0))])
    expect(await write([settlementOf(first, retry)])).toEqual(new Set())
    expect(await queueRows(sql)).toEqual([])
    expect(await settledRows(sql)).toMatchObject([{ status: 'succeeded', attempt_count: 2 }])
  })
})
