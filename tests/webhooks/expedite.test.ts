// A delivery that a person sends at once: which state it may be in, what is claimed next, and what is written once.

import { beforeEach, describe, expect, test } from 'vitest'
import { journalLine } from '../../src/audit/journal.ts'
import { idsFrom } from '../../src/kernel/ids.ts'
import { expediteDelivery } from '../../src/webhooks/deliveries/delivery-store.ts'
import { settleAttempts } from '../../src/webhooks/queue/queue-store.ts'
import { saveHealth } from '../../src/webhooks/sending/health-store.ts'
import {
  addEndpoint,
  at,
  attemptRows,
  begun,
  claimed,
  failedUntil,
  merchant_id,
  noon,
  queueRows,
  replayed,
  runInto,
  settlementOf,
  tell,
  useQueue,
} from '../support/webhook-rows.ts'

const { sql } = await useQueue()

let lines = 0
const lineFor = (subject: string, now: Date) =>
  journalLine(
    { journalEntry: () => `${idsFrom(now)}a${String(lines++).padStart(19, '0')}` },
    {
      ...{ merchant_id, subject, session_id: null, change: 'delivery.expedited', detail: {} },
      ...{ actor: 'operator', request_id: null, at: now },
    },
  )
const expedite = (delivery_id: string, now = noon, of = merchant_id) =>
  expediteDelivery(sql, { merchant_id: of, delivery_id, endpoint_id: 'a' }, lineFor(delivery_id, now))
const written = async () => (await sql`select subject from journal where change = 'delivery.expedited'`).length
const openBreaker = () =>
  saveHealth(sql, {
    ...{ merchant_id, endpoint_id: 'a', state: 'open', open_until: at(900), reopen_count: 3 },
    ...{ last_failure: '500', changed_at: at(-60) },
  })
const idsOf = (rows: { delivery_id: string }[]) => rows.map(({ delivery_id }) => delivery_id)

beforeEach(openBreaker)

/** What each way of waiting leaves: the id of the delivery. */
const waitingIn: Record<string, () => Promise<string>> = {
  async 'without any attempt'() {
    await addEndpoint(sql)
    await tell(sql, { created_at: at(-1_000) })
    return idsOf((await queueRows(sql)) as never)[0]!
  },
  async 'after an attempt that failed'() {
    const delivery = await begun(sql, at(-500))
    await settleAttempts(sql, [settlementOf(delivery, failedUntil(at(3_600)))], at(-499))
    return delivery.delivery_id
  },
  async 'as a replay'() {
    return (await replayed(sql)).delivery_id
  },
}

describe.each(Object.keys(waitingIn))('a delivery that waits %s', (state) => {
  test('is the next that is claimed, before what has waited longer, and the endpoint is tried', async () => {
    const delivery_id = await waitingIn[state]!()
    for (let n = 2; n <= 4; n++) await tell(sql, { payment_id: `pay_${n}`, created_at: at(-2_000 - n) })
    expect(await expedite(delivery_id, at(1))).toBe(true)
    const rooms = [{ endpoint_id: 'a', room: 1, standing: 'other' as const }]
    expect(idsOf(await claimed(sql, { now: at(1), rooms }))).toEqual([delivery_id])
    const [health] = await sql`select open_until, changed_at, state, last_failure from webhook_endpoint_health`
    expect(health).toEqual({ open_until: at(1), changed_at: at(1), state: 'open', last_failure: '500' })
    expect(await written()).toBe(1)
  })

  test.each([0, 2])('passes where the endpoint is shut, as do %i behind it that are overdue', async (overdue) => {
    const delivery_id = await waitingIn[state]!()
    const others = Array.from({ length: overdue }, (_, n) => `pay_${n + 2}`)
    for (const payment_id of others) await tell(sql, { payment_id, created_at: at(-2_000) })
    const rooms = [{ endpoint_id: 'a', room: 16, standing: 'shut' as const }]
    const shut = { rooms, overdue_before: at(-1_500) }
    await expedite(delivery_id, at(1))
    // After it was put first.
    if (overdue > 0) await tell(sql, { payment_id: 'pay_9', created_at: at(-1) })
    const rows = await claimed(sql, { ...shut, now: at(1) })
    const first = rows.find((row) => row.delivery_id === delivery_id)
    const behind = rows.filter((row) => row !== first).map(({ payment_id }) => payment_id)
    expect([first?.delivery_id, behind.sort()]).toEqual([delivery_id, others])
    // It is let through once.
    await settleAttempts(sql, [settlementOf(first!, failedUntil(at(600)))], at(2))
    expect(await claimed(sql, { ...shut, class: 1, now: at(700) })).toEqual([])
  })

  test('pressed twice is due once, and its attempts count on', async () => {
    const delivery_id = await waitingIn[state]!()
    await Promise.all([expedite(delivery_id, at(1)), expedite(delivery_id, at(1))])
    const [first] = await claimed(sql, { now: at(2) })
    expect(first!.delivery_id).toBe(delivery_id)
    // It is under way: nothing is made due a second time, and nothing is written of it.
    const before = await queueRows(sql)
    const lines_before = await written()
    expect(await expedite(delivery_id, at(3))).toBe(true)
    expect([await queueRows(sql), await written()]).toEqual([before, lines_before])
    await settleAttempts(sql, [settlementOf(first!, failedUntil(at(600)))], at(4))
    expect(await queueRows(sql)).toMatchObject([{ class: 1, due_at: at(600), attempt_id: null }])
    const numbers = (await attemptRows(sql)).filter((row) => row.delivery_id === delivery_id)
    expect(numbers.map(({ attempt_number }) => attempt_number)).toEqual(
      state === 'after an attempt that failed' ? [1, 2] : [1],
    )
  })
})

test('the row of its last attempt says when the next one is', async () => {
  const delivery_id = await waitingIn['after an attempt that failed']!()
  await expedite(delivery_id, at(1))
  expect(await attemptRows(sql)).toMatchObject([{ status: 'failed', next_retry_at: at(1) }])
})

test('a second event still waits for the first', async () => {
  const [first_id, second_id] = [await waitingIn['without any attempt']!(), await secondOf()]
  await expedite(second_id, at(1))
  const rooms = [{ endpoint_id: 'a', room: 1, standing: 'other' as const }]
  expect(idsOf(await claimed(sql, { now: at(1), rooms }))).toEqual([first_id])
})

async function secondOf(): Promise<string> {
  await tell(sql, { sequence: 2, created_at: at(-900) })
  return (await queueRows(sql)).find(({ sequence }) => sequence === 2)!.delivery_id
}

test.each<[string, () => Promise<[delivery_id: string, of?: string]>]>([
  [
    'that has arrived',
    async () => {
      const delivery = await begun(sql)
      await settleAttempts(sql, [settlementOf(delivery)], at(1))
      return [delivery.delivery_id]
    },
  ],
  [
    'that was given up',
    async () => {
      const delivery = await begun(sql)
      await settleAttempts(sql, [settlementOf(delivery, failedUntil(null))], at(1))
      return [delivery.delivery_id]
    },
  ],
  ['of another merchant', async () => [await waitingIn['without any attempt']!(), 'm_b']],
  ['that never was', async () => ['0'.repeat(32)]],
])('one %s is not sent, and nothing is written', async (_, make) => {
  const [delivery_id, of] = await make()
  const before = await queueRows(sql)
  expect(await expedite(delivery_id, at(2), of)).toBe(false)
  expect([await queueRows(sql), await written()]).toEqual([before, 0])
  expect(await sql`select open_until from webhook_endpoint_health`).toEqual([{ open_until: at(900) }])
})

test('what a process claims at the same moment is sent once', async () => {
  const delivery_id = await waitingIn['without any attempt']!()
  const { running } = await sql.begin(async (tx) => {
    expect(idsOf(await claimed(tx, { now: noon }))).toEqual([delivery_id])
    return runInto(sql, () => expedite(delivery_id, at(1)))
  })
  expect(await running).toBe(true)
  expect(await queueRows(sql)).toMatchObject([{ attempt_number: 1, due_at: at(30) }])
  expect(await written()).toBe(0)
})
