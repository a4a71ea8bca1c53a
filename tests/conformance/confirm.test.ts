// POST …/confirm: what it needs, what it answers, and that it answers the same again.

import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AuthoriseRequest } from '../../src/acquirers/acquirer.ts'
import { timestamp } from '../../src/kernel/values.ts'
import { type Client, purchase, refusal, type SessionSecret, visa } from '../support/client.ts'
import { drivenClock, type Service, shop, startService } from '../support/service.ts'

const clock = drivenClock()
let service: Service
let client: Client
/** What the acquirer was asked. */
const asked: AuthoriseRequest[] = []
beforeAll(async () => {
  service = await startService({
    clock,
    wrapSimulator: (simulator) => ({
      ...simulator,
      authorise(request) {
        asked.push(request)
        return simulator.authorise(request)
      },
    }),
  })
  client = service.client
})
afterAll(() => service.close())

const declining = '4000000000009995'
const hard = '4000000000009987'
const otp = '4000000000003220'
const attempted = '4000000000002719'

test('the answer has its members and no others, and stays', async () => {
  const session = await client.open({
    ...purchase,
    order_reference: 'A 1',
    confirmation_url: 'https://shop.example/x?a=1',
  })
  const { attempt } = (await client.present(session)).body
  const first = await client.confirm(session)
  expect(first.body).toEqual({
    status: 'captured',
    session_id: session.id,
    payment_id: expect.stringMatching(/^pay_[0-9a-f]{24}$/),
    attempt: { id: attempt.id, number: 1 },
    decline: null,
    attempts_left: 2,
    order_reference: 'A 1',
    confirmation_url: `https://shop.example/x?a=1&payment_id=${first.body.payment_id}&order_reference=A%201`,
    receipt: {
      paid_at: timestamp(clock.now()),
      brand: 'visa',
      last4: expect.stringMatching(/^\d{4}$/),
      email: purchase.customer.email,
    },
  })
  await clock.advance(3_600_000)
  const again = await client.confirm(session, { customer: { email: 'other@example.com' } })
  expect(again.text).toBe(first.text)
  const { email: _, ...receipt } = first.body.receipt
  const state = await client.state(session)
  expect(state.body.result).toEqual({ ...first.body, receipt })
  // The client secret alone shows nothing of the customer.
  expect(state.text).not.toContain(purchase.customer.email)
})

test.each([
  ['?flag&a=b%20c', '&'],
  ['?a=%FF&b=1;2&c=ä+d', '&'],
  ['/?a[]=1&a[]=2&', ''],
  ['/x?', ''],
  ['/%7Ex/../y', '?'],
])('the address %s keeps its spelling', async (rest, joint) => {
  const confirmation_url = `https://Shop.example${rest}`
  const session = await client.open({ ...purchase, confirmation_url, order_reference: 'A&1=ü/ 2' })
  await client.present(session)
  const { body } = await client.confirm(session)
  expect(body.confirmation_url).toBe(
    `${confirmation_url}${joint}payment_id=${body.payment_id}&order_reference=A%261%3D%C3%BC%2F%202`,
  )
})

test('a setting may lead the shoppers of tests to a shop on this machine', async () => {
  const local = 'http://localhost:3000'
  const { client, publishable_key } = await service.newAccount({
    integration: { allowed_origins: [local], confirmation_url: `${local}/thanks?flag` },
  })
  const config = await client.send('GET', `/v1/checkout/config/${publishable_key}`)
  expect(config.body.confirmation_url).toBe(`${local}/thanks?flag`)
  const { body } = await client.pay()
  expect(body.confirmation_url).toBe(`${local}/thanks?flag&payment_id=${body.payment_id}`)
  const named = await client.create({ ...purchase, confirmation_url: `${local}/` })
  expect(refusal(named)).toBe('400 invalid_request')
})

test('an email is needed, and the one in the body is kept', async () => {
  const session = await client.open({ amount: 1, currency: 'GBP', customer: { name: 'Ada' } })
  await client.present(session)
  expect((await client.state(session)).body.session.customer_email_required).toBe(true)
  const none = [null, ''].map((email) => ({ customer: { email } }))
  for (const body of [undefined, {}, { customer: null }, ...none]) {
    expect(refusal(await client.confirm(session, body))).toBe('400 customer_email_required')
  }
  for (const email of ['x', 'x@y']) {
    expect(refusal(await client.confirm(session, { customer: { email } }))).toBe('400 invalid_request')
  }
  expect(refusal(await client.confirm(session, { customer: { name: 'x' } }))).toBe('400 invalid_request')
  const { body } = await client.confirm(session, { customer: { email: 'b@example.com' } })
  const customer = {
    email: 'b@example.com',
    name: 'Ada',
    account_created: null,
    account_id: null,
    metadata: null,
  }
  expect((await client.readPayment(body.payment_id)).body.customer).toEqual(customer)
  expect((await client.readSession(session.id)).body.customer).toEqual(customer)
  expect((await client.state(session)).body.session.customer_email_required).toBe(false)
})

test.each([
  ['a server', (email: string) => client.open({ ...purchase, customer: { email } })],
  [
    'a page',
    async (email: string) => {
      const { publishable_key: public_key } = service.account
      const created = await client.createFrom(shop, {
        ...purchase,
        customer: { email },
        public_key,
      })
      return created.body as SessionSecret
    },
  ],
])('the email that %s named is not replaced by that of confirm', async (_, open) => {
  const session = await open('ada@example.com')
  for (const [number, email] of [
    ['4000000000000002', 'eve@example.com'],
    ['4242424242424242', 'mallory@example.com'],
  ] as const) {
    await client.present(session, number)
    const { body } = await client.confirm(session, { customer: { email } })
    const { customer } = (await client.readPayment(body.payment_id)).body
    expect(customer.email).toBe('ada@example.com')
    const [event] = await service.sql<{ body: string }[]>`
      select body from events where payment_id = ${body.payment_id}`
    expect(event!.body).not.toContain(email)
  }
})

test.each(['Y', 'A'])('%s without an ECI: told as it was received, and no shift of liability', async (status) => {
  const session = await client.open()
  await client.present(session, status === 'Y' ? visa : attempted)
  await service.sql`
    update attempts set authentication_outcome = (authentication_outcome::jsonb || '{"eci": null}')::json
    where session_id = ${session.id}`
  const { body } = await client.confirm(session)
  expect(body.status).toBe('captured')
  expect(asked.at(-1)!.three_ds).toMatchObject({ eci: null, status, authentication_value: expect.any(String) })
  const { authentication } = (await client.readPayment(body.payment_id)).body
  const outcome = status === 'Y' ? 'Authenticated' : 'Attempted'
  expect(authentication).toEqual({ outcome, liability_shifted: false, eci: null })
})

test('before any authenticate', async () => {
  const answer = await client.confirm(await client.open())
  expect(refusal(answer)).toBe('409 authentication_incomplete')
  expect(answer.body).toEqual({
    error: 'authentication_incomplete',
    message: expect.any(String),
    request_id: expect.any(String),
    attempt: null,
    three_ds: { state: 'not_started', version: null, challenge: null, cardholder_info: null },
  })
})

test('before the challenge has ended', async () => {
  const session = await client.open()
  const { attempt, three_ds } = (await client.present(session, otp)).body
  const answer = await client.confirm(session)
  expect(refusal(answer)).toBe('409 authentication_incomplete')
  expect(answer.body).toMatchObject({ attempt, three_ds })
  const payments = await service.sql`select 1 from payments where session_id = ${session.id}`
  expect(payments).toHaveLength(0)
})

test('takes an empty body, whatever its type', async () => {
  const session = await client.open()
  await client.present(session)
  const path = `/v1/checkout/sessions/${session.id}/confirm`
  const headers = {
    'rip-client-secret': session.client_secret,
    'content-type': 'application/json',
  }
  expect((await client.send('POST', path, { headers, raw: '' })).body.status).toBe('captured')
})

const payWith = async (session: SessionSecret, number: string) => {
  await client.present(session, number)
  return client.confirm(session)
}

test('each decline has a payment of its own', async () => {
  const session = await client.open()
  const first = (await payWith(session, declining)).body
  const second = (await payWith(session, hard)).body
  expect(second.payment_id).not.toBe(first.payment_id)
  expect((await client.readSession(session.id)).body.payment_id).toBe(second.payment_id)
  expect((await client.readPayment(first.payment_id)).body.status).toBe('declined')
})

test('a card that is no longer held must be typed again', async () => {
  const session = await client.open()
  await client.present(session)
  await service.sql`delete from vault.cards where session_id = ${session.id}`
  expect(refusal(await client.confirm(session))).toBe('400 invalid_request')
  expect(await payWith(session, visa)).toMatchObject({ body: { status: 'captured' } })
})
