// Requests that meet: whatever the order, one session a key, one attempt a card, one charge and one event a payment.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Answer, type Client, type Json, purchase, type SessionSecret, visa } from '../support/client.ts'
import { type Service, startService } from '../support/service.ts'
import { together } from '../support/together.ts'

let areqs = 0
let service: Service
let client: Client
beforeAll(async () => {
  service = await startService({
    http: ({ post }) => ({
      post(request) {
        if (JSON.parse(request.body).messageType === 'AReq') areqs += 1
        return post(request)
      },
    }),
  })
  client = service.client
})
afterAll(() => service.close())

const rounds = Array.from({ length: 20 }, (_, round) => round)
const declining = '4000000000009995'

const rowsOf = async (session: SessionSecret) => {
  const { sql } = service
  const charges = await sql`select l.* from simulator.ledger l
    join acquirer_operations o on o.operation_id = l.reference
    join payments p on p.merchant_id = o.merchant_id and p.payment_id = o.payment_id
    where p.session_id = ${session.id}`
  const events = await sql<{ type: string }[]>`select e.type from events e
    join payments p using (merchant_id, payment_id) where p.session_id = ${session.id}`
  const attempts = await sql<Json[]>`
    select number, three_ds_state, phase from attempts where session_id = ${session.id} order by number`
  const live = await sql`select 1 from payments where session_id = ${session.id}
    and status in ('pending', 'captured', 'held')`
  return {
    charges: charges.length,
    events: events.map(({ type }) => type),
    attempts,
    live: live.length,
  }
}
const statuses = (answers: Answer[]) => answers.map(({ status }) => status)

test.each(rounds)('20 creates with one key, round %i', async (round) => {
  const create = () => client.create(purchase, `one key ${round}`)
  const answers = await together(round, ...Array<typeof create>(20).fill(create))
  expect(new Set(statuses(answers))).toEqual(new Set([201]))
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
  const first = answers.filter(({ headers }) => headers.get('rip-idempotent-replayed') === 'false')
  expect(first).toHaveLength(1)
  const keys = await service.sql`select 1 from idempotency_keys where key = ${`one key ${round}`}`
  expect(keys).toHaveLength(1)
})

test('each of those keys made one session', async () => {
  const [row] = await service.sql`select
    (select count(*)::int from sessions) as sessions, (select count(*)::int from idempotency_keys) as keys`
  expect(row!.sessions).toBe(row!.keys)
})

test.each(rounds)('one key and two bodies, round %i', async (round) => {
  const key = `two bodies ${round}`
  const answers = await together(
    round,
    ...[1, 2, 1, 2].map((amount) => () => client.create({ ...purchase, amount }, key)),
  )
  expect(statuses(answers).sort()).toEqual([201, 201, 409, 409])
  const made = answers.filter(({ status }) => status === 201)
  expect(made[0]!.text).toBe(made[1]!.text)
})

describe.each([
  [visa, 'captured'],
  [declining, 'declined'],
  ['4000000000000119', 'failed'],
  ['4000000000002925', 'declined'],
])('%s confirmed at once', (number, status) => {
  test.each(rounds)('round %i', async (round) => {
    const session = await client.open()
    await client.present(session, number)
    const confirm = () => client.confirm(session)
    const answers = await together(round, confirm, confirm, confirm)
    expect(statuses(answers)).toEqual([200, 200, 200])
    const told = new Set(answers.map(({ body }) => body.status))
    told.delete('processing')
    expect([...told]).toEqual([status])
    expect(new Set(answers.map(({ body }) => body.payment_id)).size).toBe(1)
    const { charges, events } = await rowsOf(session)
    expect(charges).toBe(number === '4000000000002925' ? 0 : 1)
    expect(events).toEqual([`payment.${status}`])
  })
})

test.each(rounds)('one card authenticated at once, round %i', async (round) => {
  const session = await client.open()
  const reference = await client.reference(session)
  const before = areqs
  const authenticate = () => client.authenticate(session, reference)
  const answers = await together(round, authenticate, authenticate, authenticate)
  expect(statuses(answers)).toEqual([200, 200, 200])
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
  expect(areqs - before).toBe(1)
  expect((await rowsOf(session)).attempts).toHaveLength(1)
})

test.each(rounds)('a provider that is down, asked at once, round %i', async (round) => {
  const session = await client.open()
  const reference = await client.reference(session, '4000009900040000')
  const authenticate = () => client.authenticate(session, reference)
  const answers = await together(round, authenticate, authenticate)
  expect(statuses(answers)).toEqual([503, 503])
  expect((await client.readSession(session.id)).body.attempt_count).toBe(0)
  expect((await rowsOf(session)).attempts).toHaveLength(0)
})

test.each(rounds)('two cards authenticated at once, round %i', async (round) => {
  const session = await client.open()
  const references = [await client.reference(session), await client.reference(session)]
  const answers = await together(round, ...references.map((reference) => () => client.authenticate(session, reference)))
  expect(statuses(answers)).toEqual([200, 200])
  expect(answers.map(({ body }) => body.attempt.number).sort()).toEqual([1, 2])
  const { attempts } = await rowsOf(session)
  expect(attempts).toMatchObject([
    { number: 1, three_ds_state: 'superseded', phase: 'settled' },
    { number: 2, three_ds_state: 'authenticated', phase: 'authenticating' },
  ])
  expect((await client.readSession(session.id)).body.attempt_count).toBe(2)
})

test.each(rounds)('five cards authenticated at once: three attempts, round %i', async (round) => {
  const session = await client.open()
  const references = await Promise.all(rounds.slice(0, 5).map(() => client.reference(session)))
  const answers = await together(round, ...references.map((reference) => () => client.authenticate(session, reference)))
  expect(statuses(answers).sort()).toEqual([200, 200, 200, 409, 409])
  const { attempts } = await rowsOf(session)
  expect(attempts.map(({ number }) => number)).toEqual([1, 2, 3])
  expect(attempts.filter(({ phase }) => phase === 'authenticating')).toHaveLength(1)
})

test.each(rounds)('confirm against another card, round %i', async (round) => {
  const session = await client.open()
  await client.present(session)
  const reference = await client.reference(session)
  const [confirmed, authenticated] = (await together(
    round,
    () => client.confirm(session),
    () => client.authenticate(session, reference),
  )) as [Answer, Answer]
  const { charges, attempts, live, events } = await rowsOf(session)
  if (authenticated.status === 200) {
    // The new card came first: the old one is not charged, but the new one may be.
    expect([200, 409]).toContain(confirmed.status)
    expect(attempts).toHaveLength(2)
    expect(charges).toBe(confirmed.status === 200 ? 1 : 0)
    if (confirmed.status === 200) expect(confirmed.body.attempt.number).toBe(2)
  } else {
    expect(authenticated.body.error).toMatch(/^session_(processing|completed)$/)
    expect(confirmed.body).toMatchObject({ status: 'captured', attempt: { number: 1 } })
    expect([attempts.length, charges, live]).toEqual([1, 1, 1])
  }
  expect(events).toHaveLength(charges)
})

test.each(rounds)('a decline against the same card again, round %i', async (round) => {
  const session = await client.open()
  const reference = await client.reference(session, declining)
  await client.authenticate(session, reference)
  const next = await client.reference(session)
  const answers = await together(
    round,
    () => client.confirm(session),
    () => client.authenticate(session, reference),
    () => client.authenticate(session, next),
  )
  for (const { status } of answers) expect([200, 409]).toContain(status)
  const { attempts, charges, events } = await rowsOf(session)
  expect(attempts.length).toBeLessThanOrEqual(2)
  expect(events).toHaveLength(charges)
})
