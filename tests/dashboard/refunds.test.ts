// Refunds at the dashboard: what is pending or has failed is never told as given back, and the list of all of them.

import { expect, test } from 'vitest'
import { listOperations } from '../../src/payments/acquirer-operations/operation-store.ts'
import { failRefund } from '../../src/payments/acquirer-operations/record-answer.ts'
import { findWholePayment } from '../../src/payments/reading/payment-store.ts'
import { type Json, purchase } from '../support/client.ts'
import { runJob } from '../support/holding.ts'
import { newMember, refusalIn } from '../support/person.ts'
import { drivenClock } from '../support/service.ts'
import { useService } from '../support/use-service.ts'

const clock = drivenClock()
const service = await useService({ clock })
const { account, client, sql } = service
const at = `/${account.merchant_id}`
const owner = await newMember(service, { role: 'owner' })
const viewer = await newMember(service, { role: 'viewer' })
const day_ms = 24 * 3_600_000

/** By their last digits the simulated acquirer refuses an amount, or takes its time. */
const amounts = { succeeded: 1000, failed: 513, pending: 517 }

async function pay(order_reference: string): Promise<string> {
  await clock.advance(2000)
  return (await client.pay(undefined, { ...purchase, order_reference })).body.payment_id
}

async function refund(payment_id: string, amount: number): Promise<Json> {
  await clock.advance(2000)
  const { body, status } = await client.refund(payment_id, { amount })
  expect(status).toBe(201)
  return body
}

const read = async (path: string): Promise<Json> => {
  const answer = await owner.get(`${at}/${path}`)
  expect(answer.status, answer.text).toBe(200)
  return answer.body
}
const overview = async () => (await read('overview?mode=test&zone=UTC')).waits
const idsIn = ({ data }: Json) => data.map(({ id }: Json) => id)

test.each<[string, (keyof typeof amounts)[], object]>([
  ['no refund', [], {}],
  ['one that was done', ['succeeded'], { refunded: 1000 }],
  ['one that is pending', ['pending'], { refunded: 517, pending: 517 }],
  ['one that failed', ['failed'], { failed: 513 }],
  ['one that failed after another', ['succeeded', 'failed'], { refunded: 1000, failed: 513 }],
  ['one that failed before another', ['failed', 'pending'], { refunded: 517, pending: 517 }],
  ['two tries of one that failed', ['failed', 'failed'], { failed: 513 }],
  ['one that is pending after another', ['succeeded', 'pending'], { refunded: 1517, pending: 517 }],
])('%s is told by the payment, alone and in the list', async (name, refunds, sums) => {
  const id = await pay(name)
  for (const each of refunds) await refund(id, amounts[each])
  const { data } = await read(`payments?mode=test&order_reference=${encodeURIComponent(name)}`)
  const payment = await read(`payments/${id}`)
  for (const { refunded_amount, pending_refund_amount, failed_refund_amount } of [payment, data[0]]) {
    const told = { refunded: refunded_amount, pending: pending_refund_amount, failed: failed_refund_amount }
    expect(told).toEqual({ refunded: undefined, pending: undefined, failed: undefined, ...sums })
  }
  expect(payment.refund_count).toBe(refunds.length)
  expect((await read(`payments/${id}/refunds`)).refunds).toHaveLength(refunds.length)
})

test('all refunds are listed, newest first, by what became of them and by day', async () => {
  const id = await pay('listed')
  const [done, failed, pending] = [await refund(id, 1000), await refund(id, 513), await refund(id, 517)]
  const { data } = await read('refunds?mode=test&limit=3')
  expect(data).toMatchObject([
    {
      ...pending,
      acquirer_transaction_id: expect.stringMatching(/./),
      order_reference: 'listed',
      customer_email: 'ada@example.com',
    },
    { ...failed, acquirer_transaction_id: null },
    { ...done, acquirer_transaction_id: expect.stringMatching(/./) },
  ])
  for (const each of [done, failed, pending]) {
    expect(idsIn(await read(`refunds?mode=test&limit=1&status=${each.status}`))).toEqual([each.id])
    // Whatever the mode of the page that leads there.
    expect(idsIn(await read(`refunds?refund_id=${each.id}`))).toEqual([each.id])
  }
  const between = String(new URLSearchParams({ created_from: failed.created_at, created_before: pending.created_at }))
  expect(idsIn(await read(`refunds?mode=test&${between}`))).toEqual([failed.id])
  const [first, second] = await Promise.all(
    ['', '&status=failed'].map((filter) => read(`refunds?mode=test&limit=1${filter}`)),
  )
  expect(idsIn(await read(`refunds?mode=test&limit=1&after=${first.next_cursor}`))).toEqual([failed.id])
  const strange = await owner.get(`${at}/refunds?mode=test&after=${second.next_cursor}`)
  expect(refusalIn(strange)).toBe('400 invalid_pagination')
  expect((await read('refunds?mode=live')).data).toEqual([])
  const masked = await viewer.get(`${at}/refunds?mode=test&limit=1`)
  expect(masked.body.data[0].customer_email).toBe('a…@example.com')
})

test('a refund is found by a part of what is known of it, and its row has who made it', async () => {
  const id = await pay('Shelf-7731')
  await clock.advance(2000)
  await owner.prove()
  const body = { amount: 700, reason: 'One cup broken, 50% off' }
  const by_person = await owner.post(`${at}/payments/${id}/refunds`, body, {
    headers: { 'rip-idempotency-key': crypto.randomUUID() },
  })
  expect(by_person.status, by_person.text).toBe(201)
  await sql`update api_keys set name = 'till' where key_id = ${account.key_id}`
  const by_key = await refund(id, 800)
  const { id: refund_id } = by_person.body
  const [row] = (await read('refunds?mode=test&text=cup')).data
  const { acquirer_transaction_id: reference } = row
  const found = async (text: string, by = owner) => {
    const { body } = await by.get(`${at}/refunds?mode=test&limit=2&text=${encodeURIComponent(text)}`)
    return idsIn(body)
  }
  const both = [by_key.id, refund_id]
  expect(await found('CUP broken')).toEqual([refund_id])
  expect(await found('50%')).toEqual([refund_id])
  expect(await found(reference)).toEqual([refund_id])
  expect(await found('shelf-77')).toEqual(both)
  expect(await found('ada@')).toEqual(both)
  expect(await found('brokenShelf')).toEqual([])
  // Whoever reads masked emails must not learn them by asking.
  expect(await found('ada@', viewer)).toEqual([])
  expect(await found('shelf-77', viewer)).toEqual(both)
  // Whose name stands in the row.
  expect((await found('TILL'))[0]).toBe(by_key.id)
  const { name } = (await read('team')).members.find(({ user_id }: Json) => user_id === owner.user_id)
  expect(await found(name.slice(1))).toEqual([refund_id])
  expect(await found(name, viewer)).toEqual([])
  const { data, people, next_cursor } = await read('refunds?mode=test&limit=1&text=shelf')
  expect([data[0].actor, people]).toEqual([`key ${account.key_id}`, { [account.key_id]: 'till' }])
  const rest = await read(`refunds?mode=test&limit=1&text=shelf&after=${next_cursor}`)
  expect([rest.data[0].actor, rest.people]).toEqual([`user ${owner.user_id}`, { [owner.user_id]: expect.any(String) }])
  expect(refusalIn(await owner.get(`${at}/refunds?mode=test&after=${next_cursor}`))).toBe('400 invalid_pagination')
})

test.each([
  ['amount=801', '8.01'],
  ['amount=801&currency=GBP', '£8.01'],
])('a refund is found by the amount that a text means: %s', async (meaning, text) => {
  const { id } = await refund(await pay('8.01 of an order'), 801)
  const query = `refunds?mode=test&limit=1&text=${encodeURIComponent(text)}`
  expect(idsIn(await read(`${query}&${meaning}`))).toEqual([id])
  expect(idsIn(await read(`${query}&amount=802`))).toEqual(text === '8.01' ? [id] : [])
  expect(idsIn(await read(`refunds?mode=test&limit=1&text=none&amount=801&currency=EUR`))).toEqual([])
})

test('a refund that was given back another way is found by the note of it, by whoever may read shoppers', async () => {
  const { id } = await refund(await pay('noted'), amounts.failed)
  await owner.prove()
  const noted = await owner.post(`${at}/refunds/${id}/otherwise`, { amount: amounts.failed, note: 'Transfer FT-991' })
  expect(noted.status, noted.text).toBe(204)
  expect(idsIn(await read('refunds?mode=test&text=ft-991'))).toEqual([id])
  expect((await viewer.get(`${at}/refunds?mode=test&text=ft-991`)).body.data).toEqual([])
})

test('a refund that failed waits for somebody until as much is given back', async () => {
  await clock.advance(15 * day_ms)
  await owner.signIn()
  expect((await overview()).failed_refunds).toBe(0)
  const id = await pay('waits')
  const { created_at } = await refund(id, 513)
  expect(await overview()).toMatchObject({ failed_refunds: 1, failed_refunds_from: created_at })
  // Another try of it is not another debt.
  await refund(id, 513)
  expect((await overview()).failed_refunds).toBe(1)
  // Nor is one of more: had it been done, nothing would be owed.
  await refund(id, 1013)
  expect((await overview()).failed_refunds).toBe(1)
  await refund(id, 517)
  expect((await overview()).failed_refunds).toBe(1)
  const { body: payment } = await owner.get(`${at}/payments/${id}`)
  expect(payment.failed_refund_amount).toBe(496)
  expect((await read(`payments/${id}/refunds`)).refunds).toMatchObject([
    { amount: 517, owed_amount: null },
    { amount: 1013, owed_amount: 496 },
    { amount: 513, owed_amount: null },
    { amount: 513, owed_amount: null },
  ])
  await refund(id, 400)
  expect((await overview()).failed_refunds).toBe(1)
  await refund(id, 96)
  expect(await overview()).toMatchObject({ failed_refunds: 0, failed_refunds_from: null })
})

test.each([
  ['by refunds', [1000, 3200], false],
  ['by a refund and another way', [3687, 513], true],
])(
  'an order paid twice waits until one payment was given back %s; the page of each says so',
  async (way, refunds, otherwise) => {
    const paidOften = async () => (await overview()).paid_twice.filter((each: Json) => each.order_reference === way)
    const first = await pay(way)
    await pay(`once ${way}`)
    expect(await paidOften()).toEqual([])
    const second = await pay(way)
    const counts = () =>
      Promise.all([first, second].map(async (id) => (await read(`payments/${id}`)).order_paid_payments))
    expect([await paidOften(), await counts()]).toEqual([[{ order_reference: way, count: 2 }], [2, 2]])
    const bodies = [await refund(first, refunds[0]!)]
    expect([(await paidOften()).length, await counts()]).toEqual([1, [2, 2]])
    bodies.push(await refund(first, refunds[1]!))
    if (otherwise) {
      expect([(await paidOften()).length, await counts()]).toEqual([1, [2, 2]])
      const body = { amount: 513, note: 'Bank transfer' }
      expect((await owner.post(`${at}/refunds/${bodies[1]!.id}/otherwise`, body)).status).toBe(204)
    }
    expect([await paidOften(), await counts()]).toEqual([[], [1, 1]])
    expect((await read(`payments/${second}`)).other_payments).toEqual([])
  },
)

test('refunds of one second stand newest first', async () => {
  const fresh = await service.newAccount()
  const person = await newMember(service, { role: 'owner', merchant_id: fresh.merchant_id })
  const { body: paid } = await fresh.client.pay()
  await clock.advance(1000 - (clock.now().getTime() % 1000))
  const made: string[] = []
  for (let count = 0; count < 6; count++) {
    made.unshift((await fresh.client.refund(paid.payment_id, { amount: 100 })).body.id)
    await clock.advance(10)
  }
  const { body } = await person.get(`/${fresh.merchant_id}/refunds?mode=test`)
  expect(idsIn(body)).toEqual(made)
})

test('movements are rows of their own, each on its own day', async () => {
  const fresh = await service.newAccount()
  const person = await newMember(service, { role: 'owner', merchant_id: fresh.merchant_id })
  const { body: paid } = await fresh.client.pay()
  const captured_at = clock.now()
  await clock.advance(2 * day_ms)
  await fresh.client.refund(paid.payment_id, { amount: 513 })
  const { body: done } = await fresh.client.refund(paid.payment_id, { amount: 1000 })
  const { body: slow } = await fresh.client.refund(paid.payment_id, { amount: 517 })
  const refunded_at = clock.now()
  await person.signIn()
  const movements = async (query = '') => {
    const { text, headers, status } = await person.get(`/${fresh.merchant_id}/export/movements?mode=test${query}`)
    expect(status, text).toBe(200)
    const [heading, ...rows] = text.replace('\uFEFF', '').trim().split('\r\n')
    const names = heading!.split(',')
    const cells = rows.map((row) => Object.fromEntries(row.split(',').map((cell, index) => [names[index], cell])))
    return { cells, file: headers['content-disposition'] }
  }
  const of_payment = { payment_id: paid.payment_id, currency: 'GBP', mode: 'test' }
  const capture = { ...of_payment, kind: 'capture', amount: '42.00', at: captured_at.toISOString(), refund_id: '' }
  const refund = { ...of_payment, kind: 'refund', amount: '10.00', at: refunded_at.toISOString(), refund_id: done.id }
  // Neither what failed nor what is pending has moved anything.
  expect((await movements()).cells).toMatchObject([refund, capture])
  expect((await movements(`&created_from=${refunded_at.toISOString()}`)).cells).toMatchObject([refund])
  expect((await movements(`&created_before=${refunded_at.toISOString()}`)).cells).toMatchObject([capture])
  expect((await movements('&zone=Asia/Kathmandu')).cells[1]!.at).toMatch(/^2026-\d\d-\d\dT[\d:.]+\+05:45$/)
  await clock.advance(31_000)
  await runJob(service, 'reconcile')
  expect((await movements()).cells[0]).toMatchObject({ kind: 'refund', amount: '5.17', refund_id: slow.id })
  // What came in is the sum of the last column.
  const { cells } = await movements()
  expect(Object.keys(cells[0]!).at(-1)).toBe('net_amount')
  expect(cells.map(({ net_amount }) => net_amount)).toEqual(['-5.17', '-10.00', '42.00'])
  // The acquirer says days later that a refund which it had done came back.
  await clock.advance(5 * day_ms)
  await failLate(done.id, { merchant_id: fresh.merchant_id, payment_id: paid.payment_id })
  const returned = { ...of_payment, kind: 'refund_returned', amount: '10.00', at: clock.now().toISOString() }
  await person.signIn()
  const { cells: later } = await movements()
  expect(later).toMatchObject([
    { ...returned, net_amount: '10.00', refund_id: done.id },
    { refund_id: slow.id },
    refund,
    capture,
  ])
})

async function failLate(refund_id: string, key: { merchant_id: string; payment_id: string }): Promise<void> {
  const { sql, context } = service
  const [row] = await sql`select operation_id from refunds where refund_id = ${refund_id}`
  const operation = (await listOperations(sql, key)).find(({ operation_id }) => operation_id === row!.operation_id)!
  const whole = (await findWholePayment(sql, key))!
  const cause = { actor: 'reconciler' as const, request_id: null }
  const answer = {
    result: 'refused' as const,
    reason: 'The account is closed',
    decline_code: null,
    authorisation_known: true,
  }
  expect(await failRefund(context, { ...whole, operation, cause }, answer)).toBe(true)
}

test.each([
  ['Europe/London', '2026-10-31T00:00:00Z', '2026-12-01T00:00:00Z', '2026-10-31-2026-11-30'],
  // As the browser there sends the whole of November.
  ['Pacific/Auckland', '2026-10-31T11:00:00Z', '2026-11-30T11:00:00Z', '2026-11-01-2026-11-30'],
  ['America/New_York', '2026-11-01T04:00:00Z', '2026-12-01T05:00:00Z', '2026-11-01-2026-11-30'],
])('a file is named by the days of %s', async (zone, from, before, days) => {
  await owner.signIn()
  for (const [path, name] of [
    ['export?mode=test', 'payments-test'],
    ['export/movements?mode=test', 'movements-test'],
    ['audit/export?kind=keys', 'journal'],
  ]) {
    const span = `zone=${zone}&created_from=${from}&created_before=${before}`
    const { headers } = await owner.get(`${at}/${path}&${span}`)
    expect(headers['content-disposition']).toBe(`attachment; filename="${name}-${days}.csv"`)
  }
})
