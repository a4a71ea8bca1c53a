// The vendor's own library drives the fake Checkout.com: what it sends is taken, what it is answered becomes its own words and
// errors. Nobody here wrote it, so that it guards the fake.

import { Checkout } from 'checkout-sdk-node'
import { expect, onTestFinished, test } from 'vitest'
import { manualClock } from '../support/clock.ts'
import type { Fault } from './fakes/checkout/faults.ts'
import { type CheckoutFake, openCheckoutFake } from './fakes/checkout/server.ts'
import { numberFor } from './fakes/numbers.ts'

const settles_after_ms = 1000

async function open() {
  const clock = manualClock()
  const fake = await openCheckoutFake({ clock, settles_after_ms })
  onTestFinished(fake.close)
  const library = new Checkout(fake.secret_key, { host: fake.url })
  return { clock, fake, payments: library.payments }
}

const body = {
  source: { type: 'card', number: numberFor('approve'), expiry_month: 1, expiry_year: 2031 },
  amount: 4200,
  currency: 'GBP',
  reference: 'ORD-1',
  capture: false,
}

test('pays, captures, refunds, and reads what became of it', async () => {
  const { clock, fake, payments } = await open()
  const paid = await payments.request(body, 'key-1')
  expect(paid).toMatchObject({ approved: true, status: 'Authorized', amount: 4200 })
  expect(await payments.request(body, 'key-1')).toEqual(paid)
  const captured = await payments.capture(paid.id, { amount: 4200, reference: 'CAP-1' }, 'key-2')
  expect(captured).toMatchObject({ action_id: expect.stringMatching(/^act_/), reference: 'CAP-1' })
  await clock.advance(settles_after_ms)
  expect(await payments.get(paid.id)).toMatchObject({ status: 'Captured' })
  await payments.refund(paid.id, { amount: 200, reference: 'REF-1' }, 'key-3')
  await clock.advance(settles_after_ms)
  expect(await payments.getActions(paid.id)).toMatchObject([
    { type: 'Refund', amount: 200, approved: true, reference: 'REF-1' },
    { type: 'Capture', amount: 4200, id: captured.action_id },
    { type: 'Authorization', response_code: '10000' },
  ])
  const listed = await payments.getPaymentList({ reference: 'ORD-1', limit: 10 })
  expect(listed).toMatchObject({ data: [{ id: paid.id, status: 'Partially Refunded' }] })
  const now = clock.now().toISOString()
  const found = await payments.search({ limit: 10, from: '2026-09-01T00:00:00Z', to: now })
  expect(found).toMatchObject({ data: [{ id: paid.id }] })
  expect(fake.wrong).toEqual([])
})

test('captures a part', async () => {
  const { clock, fake, payments } = await open()
  const paid = await payments.request(body, 'key-1')
  expect(paid).toMatchObject({ expires_on: expect.stringMatching(/^2026-09-08/) })
  await payments.capture(paid.id, { amount: 1200, reference: 'CAP-1' }, 'key-2')
  await clock.advance(settles_after_ms)
  const balances = { total_authorized: 4200, total_captured: 1200, available_to_capture: 0, available_to_refund: 1200 }
  expect(await payments.get(paid.id)).toMatchObject({ status: 'Partially Captured', balances })
  const again = await payments.capture(paid.id, { amount: 100 }, 'key-3').catch((thrown: unknown) => thrown)
  expect((again as Error).constructor.name).toBe('ActionNotAllowed')
  expect(fake.wrong).toEqual([])
})

test('voids, reverses, and is declined', async () => {
  const { clock, fake, payments } = await open()
  const [one, other] = [await payments.request(body, 'a'), await payments.request(body, 'b')]
  await payments.void(one.id, { reference: 'VOID-1' }, 'c')
  await payments.reverse(other.id, { reference: 'BACK-1' }, 'd')
  await clock.advance(settles_after_ms)
  expect(await payments.get(one.id)).toMatchObject({ status: 'Voided' })
  expect(await payments.get(other.id)).toMatchObject({ status: 'Voided' })
  const source = { ...body.source, number: numberFor('insufficient_funds') }
  expect(await payments.request({ ...body, source }, 'e')).toMatchObject({
    approved: false,
    status: 'Declined',
    response_code: '20051',
  })
  expect(fake.wrong).toEqual([])
})

test.each<[string, Fault | null, (opened: { payments: Payments; fake: CheckoutFake }) => unknown]>([
  ['AuthenticationError', 'unauthorised', ({ payments }) => payments.request(body, 'a')],
  ['ActionNotAllowed', 'forbidden', ({ payments }) => payments.request(body, 'a')],
  ['ValidationError', 'unprocessable', ({ payments }) => payments.request(body, 'a')],
  ['TooManyRequestsError', 'too_many', ({ payments }) => payments.request(body, 'a')],
  ['ApiError', 'error_before', ({ payments }) => payments.request(body, 'a')],
  ['NotFoundError', null, ({ payments }) => payments.get('pay_nobodys')],
  ['NotFoundError', null, ({ payments }) => payments.capture('pay_nobodys', {}, 'a')],
])('%s', async (name, fault, call) => {
  const { fake, payments } = await open()
  if (fault) fake.next(fault)
  const error = await Promise.resolve(call({ payments, fake })).catch((thrown: unknown) => thrown)
  expect((error as Error).constructor.name).toBe(name)
})

type Payments = Checkout['payments']
