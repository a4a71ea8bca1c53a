// A database that goes away: in the middle of a statement, after its COMMIT, or altogether.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BehindProxy, startBehindProxy } from '../support/behind-proxy.ts'
import { type Answer, purchase, refusal } from '../support/client.ts'
import type { FreshDatabase } from '../support/database.ts'
import { lockWaits } from '../support/lock-waits.ts'
import { until } from '../support/service.ts'

let proxy: BehindProxy['proxy']
let service: BehindProxy['service']
let client: BehindProxy['client']
let close: BehindProxy['close']
let admin: Awaited<ReturnType<FreshDatabase['open']>>
beforeAll(async () => {
  const stage = await startBehindProxy({ lock_limit: 'none' })
  ;({ proxy, service, client, close } = stage)
  admin = await stage.database.open()
})
afterAll(async () => {
  await admin.close()
  await close()
})

/** However the first request ended, the key afterwards gives one session, always the same. */
async function expectOneSession(key: string, first: Answer): Promise<void> {
  if (first.status !== 201) expect(refusal(first)).toBe('503 store_unavailable')
  const again = await client.create(purchase, key)
  const third = await client.create(purchase, key)
  expect([again.status, third.status, third.text]).toEqual([201, 201, again.text])
  if (first.status === 201) expect(again.text).toBe(first.text)
  expect(third.headers.get('rip-idempotent-replayed')).toBe('true')
  const made = await admin.sql`select 1 from sessions where metadata->>'key' is null
    and session_id = ${again.body.id}`
  expect(made).toHaveLength(1)
  const [count] = await admin.sql`select (select count(*)::int from sessions) as sessions,
    (select count(*)::int from idempotency_keys) as keys`
  expect(count!.sessions).toBe(count!.keys)
}

/** Creates wait for a lock until `release`. `waiting` resolves with their backends once there are so many. */
async function blockCreates() {
  const { promise: released, resolve } = Promise.withResolvers<void>()
  const { promise: locked, resolve: lock } = Promise.withResolvers<void>()
  const holding = admin.sql.begin(async (tx) => {
    await tx`lock table sessions in exclusive mode`
    lock()
    await released
  })
  await locked
  return {
    waiting: (count: number) =>
      until(
        () => lockWaits(admin.sql),
        (rows) => rows.length === count,
      ),
    release() {
      resolve()
      return holding
    },
  }
}

test.each([1, 2, 3])('its backend is ended while a create waits, round %i', async (round) => {
  const key = `ended ${round}`
  const block = await blockCreates()
  const creating = client.create(purchase, key)
  const waiting = await block.waiting(1)
  await admin.sql`select pg_terminate_backend(${waiting[0]!.pid})`
  await block.release()
  await expectOneSession(key, await creating)
})

test('a create that is written only after its next try has begun is no replay', async () => {
  // Each connection knows the statement, so that it is sent whole at once.
  for (let each = 0; each < 10; each++) await client.create(purchase, `before ${each}`)
  const block = await blockCreates()
  const creating = client.create(purchase, 'written late')
  await block.waiting(1)
  // Its backend waits on, and writes what it was asked for. The next try waits behind it.
  proxy.stop()
  proxy.start()
  await block.waiting(2)
  await block.release()
  const first = await creating
  expect([first.status, first.headers.get('rip-idempotent-replayed')]).toEqual([201, 'false'])
  await expectOneSession('written late', first)
})

test.each([1, 2, 3])('its answer is lost after the COMMIT, round %i', async (round) => {
  const key = `lost ${round}`
  proxy.loseNextAnswer(key)
  const first = await client.create(purchase, key)
  expect(first.status).toBe(201)
  expect(proxy.lost()).toBe(round)
  await expectOneSession(key, first)
})

test('its answer is lost after the COMMIT of an outcome', async () => {
  const session = await client.open()
  await client.present(session)
  proxy.loseNextAnswer('payment.captured')
  const answer = await client.confirm(session)
  if (answer.status !== 200) expect(refusal(answer)).toBe('503 store_unavailable')
  const again = await client.confirm(session)
  expect(again.body.status).toBe('captured')
  const events = await admin.sql`select 1 from events where payment_id = ${again.body.payment_id}`
  const charges = await admin.sql`select 1 from acquirer_operations
    where payment_id = ${again.body.payment_id}`
  expect([events.length, charges.length]).toEqual([1, 1])
})

test('it stops and comes back', async () => {
  const session = await client.open()
  const reference = await client.reference(session)
  proxy.stop()
  const answers = [
    await client.create(purchase, 'stopped'),
    await client.readSession(session.id),
    await client.readPayment('pay_x'),
    await client.state(session),
    await client.authenticate(session, reference),
    await client.confirm(session),
  ]
  expect(answers.map(refusal)).toEqual(answers.map(() => '503 store_unavailable'))
  for (const { headers } of answers) expect(headers.get('retry-after')).toMatch(/^\d+$/)
  const { request_id } = answers[2]!.body
  const told = service.log.filter(({ fields }) => 'request_id' in fields && fields.request_id === request_id)
  expect(told.filter(({ level }) => level !== 'info')).toEqual([
    {
      level: 'warn',
      fields: expect.objectContaining({
        route: '/v1/payments/:payment_id',
        code: expect.any(String),
      }),
      message: 'database could not be reached',
    },
  ])
  expect(service.log.filter(({ message }) => message === 'request failed')).toEqual([])
  const ready = await fetch(`${service.base_url}/readyz`)
  expect(ready.status).toBe(503)
  expect((await fetch(`${service.base_url}/healthz`)).status).toBe(200)
  proxy.start()
  await expectOneSession('stopped', answers[0]!)
  expect((await client.authenticate(session, reference)).status).toBe(200)
  expect((await client.confirm(session)).body.status).toBe('captured')
  expect((await fetch(`${service.base_url}/readyz`)).status).toBe(200)
})
