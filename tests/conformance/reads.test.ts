// What is read of sessions and payments, and told by events: the members, no others, and their values.

import { describe, expect, test } from 'vitest'
import { type Json, purchase, type SessionSecret } from '../support/client.ts'
import { drivenClock, driving, shop } from '../support/service.ts'
import { useService } from '../support/use-service.ts'

const clock = drivenClock()
const service = await useService({ clock })
const { client } = service

const at = (later_ms = 0) => new Date(clock.now().getTime() + later_ms).toISOString().replace('Z', '0000+00:00')
const line = {
  kind: 'product',
  sku: null,
  name: 'Tea',
  quantity: 2,
  unit_amount: 850,
  tax_amount: 100,
  tax_rate: 625,
  type: 'leaf',
}
const customer = {
  email: 'ada@example.com',
  name: 'Ada',
  account_created: null,
  account_id: 'a-1',
  metadata: { tier: 'x' },
}
const { account_created: _, ...sent } = customer
const full = {
  amount: 1700,
  currency: 'eur',
  items: [line],
  customer: sent,
  metadata: { cart: '7' },
  statement_descriptor_suffix: 'TEA',
  order_reference: 'T-1',
  confirmation_url: `${shop}/done`,
}
const eventsOf = async (payment_id: string) => {
  const rows = await service.sql<{ body: string; sequence: number; type: string }[]>`
    select * from events where payment_id = ${payment_id}`
  return rows.map((row) => ({ ...row, envelope: JSON.parse(row.body) as Json }))
}
const payWith = async (session: SessionSecret, number?: string) => {
  await client.present(session, number)
  return (await driving(clock, client.confirm(session))).body
}

const fresh = {
  status: 'requires_payment',
  mode: 'test',
  attempt_count: 0,
  last_decline: null,
  payment_id: null,
  settlement: null,
  expires_in_seconds: 1800,
  integration: 'default',
  minted_by: 'server',
  amount_verified: true,
  amount_verification_source: 'server_minted',
  amount_verification_detail: null,
  hold: null,
}

test('a session', async () => {
  const { id } = await client.open(full)
  const { body } = await client.readSession(id)
  const basket = { items: [line], basket_total: 1700, tax_total: 100 }
  const times = { created_at: at(), expires_at: at(1_800_000) }
  expect(body).toEqual({
    ...fresh,
    ...basket,
    ...times,
    id,
    amount: 1700,
    currency: 'EUR',
    customer,
    metadata: { cart: '7' },
  })
})

test('a session with nothing in it, and of a merchant without integrations', async () => {
  const bare = await client.open({ amount: 1, currency: 'GBP' })
  expect((await client.readSession(bare.id)).body).toMatchObject({
    items: null,
    basket_total: null,
    tax_total: null,
    customer: null,
    metadata: {},
  })
  const none = await service.newAccount({ integration: null })
  const { id } = await none.client.open()
  expect((await none.client.readSession(id)).body.integration).toBeNull()
})

test('a session runs down and expires', async () => {
  const { id } = await client.open()
  await clock.advance(1_799_001)
  const before = (await client.readSession(id)).body
  expect(before).toMatchObject({ status: 'requires_payment', expires_in_seconds: 1 })
  await clock.advance(999)
  const after = (await client.readSession(id)).body
  expect(after).toMatchObject({ status: 'expired', expires_in_seconds: 0 })
})

test('the state, as the checkout sees it', async () => {
  const session = await client.open(full)
  const answer = await client.state(session)
  expect(answer.headers.get('cache-control')).toBe('no-store')
  expect(answer.body).toEqual({
    session: {
      id: session.id,
      status: 'requires_payment',
      mode: 'test',
      amount: 1700,
      currency: 'EUR',
      items: [line],
      basket_total: 1700,
      tax_total: 100,
      expires_at: at(1_800_000),
      expires_in_seconds: 1800,
      attempt_count: 0,
      attempts_left: 3,
      settlement: null,
      customer_email_required: false,
      last_decline: null,
      order_reference: 'T-1',
    },
    attempt: null,
    three_ds: null,
    result: null,
    links: { terms_url: null, support_url: null, back_url: null },
    shop_url: `${shop}/`,
  })
})

const own = { confirmation_url: 'https://shop.example/thanks?a=1' }
const local = { confirmation_url: 'http://localhost:4000/thanks' }
const back = { back_url: 'https://shop.example/cart' }

// What the integration has | what the session has | where the shopper goes back to.
test.each([
  [{}, {}, null],
  [{}, own, 'https://shop.example/'],
  [own, {}, 'https://shop.example/'],
  [local, {}, 'http://localhost:4000/'],
  [local, own, 'https://shop.example/'],
  [{ ...own, ...back }, own, 'https://shop.example/cart'],
])('the way back to the shop: %j, %j', async (integration, asked, shop_url) => {
  const allowed_origins = ['https://shop.example', 'http://localhost:4000']
  const account = await service.newAccount({ integration: { allowed_origins, ...integration } })
  const session = await account.client.open({ ...purchase, ...asked })
  expect((await account.client.state(session)).body.shop_url).toBe(shop_url)
})

const ofPayment = (body: Json) => ({
  id: body.payment_id,
  checkout_session_id: body.session_id,
  amount: 1700,
  currency: 'EUR',
  mode: 'test',
  created_at: at(),
  amount_verified: true,
  items: [line],
  basket_total: 1700,
  tax_total: 100,
  customer,
})

test('a captured payment and its event', async () => {
  const result = await payWith(await client.open({ ...full, order_reference: 'T-2' }))
  const payment = (await client.readPayment(result.payment_id)).body
  expect(payment).toEqual({
    ...ofPayment(result),
    status: 'captured',
    capture_state: 'captured',
    decline: null,
    executed_at: at(),
    authentication: { outcome: 'Authenticated', liability_shifted: true, eci: '05' },
    acquirer_transaction_id: expect.stringMatching(/^sim_[0-9a-f]{24}$/),
    order_reference: 'T-2',
    order_reference_captured_payments: 1,
    metadata: { cart: '7' },
  })
  const events = await eventsOf(result.payment_id)
  expect(events).toHaveLength(1)
  expect(events[0]).toMatchObject({ sequence: 1, type: 'payment.captured' })
  expect(events[0]!.envelope).toEqual({
    id: expect.stringMatching(/^evt_[0-9a-f]{24}$/),
    type: 'payment.captured',
    created: at(),
    api_version: '2026-09-01',
    merchant_id: expect.stringMatching(/^m_[0-9a-f]{24}$/),
    sequence: 1,
    data: {
      payment_id: result.payment_id,
      checkout_session_id: result.session_id,
      amount: 1700,
      captured_amount: null,
      currency: 'EUR',
      status: 'captured',
      mode: 'test',
      decline: null,
      metadata: { cart: '7' },
      amount_verified: true,
      capture_state: 'captured',
      items: [line],
      basket_total: 1700,
      tax_total: 100,
      customer,
      hold: null,
      order_reference: 'T-2',
    },
  })
})

test.each([
  ['4000000000009995', 'declined', { code: 'insufficient_funds', category: 'soft', reason: 'Insufficient funds' }],
  ['4000000000000119', 'failed', { code: 'processing_error', category: 'provider_error', reason: 'Processing error' }],
])('%s: a payment that %s, and its event', async (number, status, decline) => {
  const result = await payWith(await client.open(full), number)
  const { body } = await client.readPayment(result.payment_id)
  expect(body).toMatchObject({ status, decline, capture_state: null, executed_at: null })
  const events = await eventsOf(result.payment_id)
  expect(events.map(({ type }) => type)).toEqual([`payment.${status}`])
  const { data } = events[0]!.envelope
  expect(data).toMatchObject({ status, decline, captured_amount: null, capture_state: null, hold: null })
  expect(Object.keys(data)).toHaveLength(17)
})

test('payments that share an order reference are counted once captured', async () => {
  const order = { ...purchase, order_reference: 'T-3' }
  const counts = async (ids: string[]) => {
    const reads = await Promise.all(ids.map((id) => client.readPayment(id)))
    return reads.map(({ body }) => body.order_reference_captured_payments)
  }
  const declined = await payWith(await client.open(order), '4000000000009995')
  expect(await counts([declined.payment_id])).toEqual([0])
  const first = await payWith(await client.open(order))
  const second = await payWith(await client.open(order))
  const theirs = await service.newAccount()
  await theirs.client.pay(undefined, order)
  const without = await payWith(await client.open())
  const ids = [declined, first, second, without].map(({ payment_id }) => payment_id)
  expect(await counts(ids)).toEqual([2, 2, 2, null])
  // A trial run of an order and its real payment are not a double payment.
  const live = await payWith(await client.open(order))
  await service.sql`update payments set mode = 'live' where payment_id = ${live.payment_id}`
  expect(await counts([first.payment_id, live.payment_id])).toEqual([2, 1])
})

describe('an amount that could not be verified is held', () => {
  test.each([
    ['none', 'no_price_list', null],
    ['mismatch', 'mismatch', 'tea costs 850'],
  ])('%s', async (source, reason, detail) => {
    const strict = await service.newAccount({ integration: { review_window_seconds: 3600 } })
    const session = await strict.client.open({ ...full, order_reference: `H ${source}` })
    await service.sql`update sessions set amount_verified = false, minted_by = 'client',
      amount_verification_source = ${source}, amount_verification_detail = ${detail}
      where session_id = ${session.id}`
    await strict.client.present(session)
    const { body } = await strict.client.confirm(session)
    expect(body).toMatchObject({
      status: 'held',
      decline: null,
      confirmation_url: expect.stringContaining(body.payment_id),
    })
    const hold = {
      status: 'pending_review',
      reason,
      detail,
      deadline: at(3_600_000),
      decided_by: null,
      decided_at: null,
      operation_refusal: null,
    }
    expect((await strict.client.readSession(session.id)).body).toMatchObject({
      status: 'succeeded',
      minted_by: 'client',
      amount_verified: false,
      amount_verification_source: source,
      amount_verification_detail: detail,
      hold,
    })
    expect((await strict.client.readPayment(body.payment_id)).body).toMatchObject({
      status: 'held',
      capture_state: 'authorised',
      amount_verified: false,
      executed_at: null,
      order_reference_captured_payments: 0,
    })
    const events = await eventsOf(body.payment_id)
    expect(events.map(({ type, sequence }) => [type, sequence])).toEqual([['payment.held', 1]])
    expect(events[0]!.envelope.data).toMatchObject({
      status: 'held',
      capture_state: 'authorised',
      hold,
    })
    const [entry] = await service.sql`select l.capture, l.captured_at from simulator.ledger l
      join acquirer_operations o on o.operation_id = l.reference where o.payment_id = ${body.payment_id}`
    expect(entry).toEqual({ capture: false, captured_at: null })
  })
})
