// An acquirer that is slow or silent: what is not known is processing, never failed and never charged again.

import { expect, test } from 'vitest'
import { refusal, type SessionSecret } from '../support/client.ts'
import { drivenClock, driving } from '../support/service.ts'
import { useService } from '../support/use-service.ts'

const clock = drivenClock()
const service = await useService({ clock })
const { client } = service

const asked = async (session: SessionSecret) => {
  const rows = await service.sql`select state from acquirer_operations
    join payments using (merchant_id, payment_id) where session_id = ${session.id}`
  return rows.map(({ state }) => state)
}

test.each([
  ['4000009190290000', 'later captured'],
  ['4000009190370000', 'later not found'],
  ['4000009190860000', 'later declined'],
  ['4000009190450000', 'never resolved'],
  ['4100000000000001', 'published by others'],
])('%s: the answer is lost, %s', async (number) => {
  const session = await client.open()
  await client.present(session, number)
  const { body } = await driving(clock, client.confirm(session))
  expect(body).toMatchObject({ status: 'processing', decline: null, confirmation_url: null })
  const payment = (await client.readPayment(body.payment_id)).body
  expect(payment).toMatchObject({
    status: 'pending',
    capture_state: null,
    executed_at: null,
    acquirer_transaction_id: null,
    authentication: { outcome: 'Authenticated' },
  })
  expect((await client.confirm(session)).body).toEqual(body)
})

test('nothing more happens while the outcome is not known, not even expiry', async () => {
  const session = await client.open()
  const other = await client.reference(session)
  await client.present(session, '4000009190450000')
  const { body } = await driving(clock, client.confirm(session))
  for (const minutes of [0, 29, 2, 600]) {
    await clock.advance(minutes * 60_000)
    expect(refusal(await client.authenticate(session, other))).toBe('409 session_processing')
    expect((await client.confirm(session)).body).toEqual(body)
    const read = (await client.readSession(session.id)).body
    expect(read).toMatchObject({ status: 'processing', settlement: 'awaiting_reconciliation' })
    const state = (await client.state(session)).body
    expect(state.session).toMatchObject({
      status: 'processing',
      settlement: 'awaiting_reconciliation',
    })
    expect(state.result).toEqual(body)
  }
  expect(await asked(session)).toEqual(['unknown'])
  const events = await service.sql`select 1 from events where payment_id = ${body.payment_id}`
  expect(events).toHaveLength(0)
})

test('an approval that takes 8 s', async () => {
  const session = await client.open()
  const other = await client.reference(session)
  await client.present(session, '4000009190780000')
  const first = client.confirm(session)
  await clock.pause()
  const meanwhile = await client.confirm(session)
  expect(meanwhile.body).toMatchObject({ status: 'processing', attempts_left: 2 })
  expect((await client.readSession(session.id)).body).toMatchObject({
    status: 'processing',
    settlement: null,
  })
  expect((await client.readPayment(meanwhile.body.payment_id)).body.status).toBe('pending')
  expect(refusal(await client.authenticate(session, other))).toBe('409 session_processing')
  const { body, text } = await driving(clock, first)
  expect(body).toMatchObject({ status: 'captured', payment_id: meanwhile.body.payment_id })
  expect((await client.confirm(session)).text).toBe(text)
  expect(await asked(session)).toEqual(['approved'])
})

test('once answer_by has passed the answer counts as lost, even if no process noted it', async () => {
  const session = await client.open()
  await client.present(session, '4000009190780000')
  const confirming = client.confirm(session)
  await clock.pause()
  const settlement = async () => (await client.readSession(session.id)).body.settlement
  expect(await settlement()).toBeNull()
  await service.sql`update sessions set answer_by = ${clock.now()} where session_id = ${session.id}`
  expect(await settlement()).toBe('awaiting_reconciliation')
  await driving(clock, confirming)
  expect(await settlement()).toBeNull()
})
