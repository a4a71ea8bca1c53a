// Stripe's own library drives the fake Stripe, so that the fake is guarded by something that nobody here wrote.

import Stripe from 'stripe'
import { expect, test } from 'vitest'
import { stripe_version } from '../../src/acquirers/stripe/requests.ts'
import { stripe } from '../../src/acquirers/stripe/stripe.ts'
import { numberFor } from './fakes/numbers.ts'
import { openStripeUnderTest, type StripeUnderTest } from './fakes/stripe/under-test.ts'

function clientOf({ fake }: StripeUnderTest, key = fake.secret_key): Stripe {
  const { hostname, port } = new URL(fake.url)
  const at = { host: hostname, port: Number(port), protocol: 'http' as const }
  return new Stripe(key, { ...at, maxNetworkRetries: 0, telemetry: false })
}

async function intentFor(client: Stripe, number: string, capture_method: 'manual' | 'automatic' = 'manual') {
  const card = { number, exp_month: 12, exp_year: 2030, cvc: '123' }
  const method = await client.paymentMethods.create({ type: 'card', card })
  return client.paymentIntents.create({
    amount: 4200,
    currency: 'gbp',
    payment_method: method.id,
    capture_method,
    allowed_payment_method_types: ['card'],
    metadata: { ripper_reference: 'f'.repeat(32), ripper_installation: 'ours' },
  })
}

test('the version that is sent is that of the library whose types are used', () => {
  expect(stripe_version).toBe(Stripe.API_VERSION)
})

test('confirms, captures and refunds', async () => {
  const tested = await openStripeUnderTest()
  const client = clientOf(tested)
  const made = await intentFor(client, numberFor('approve'))
  expect(made.status).toBe('requires_confirmation')
  const confirmed = await client.paymentIntents.confirm(made.id, { error_on_requires_action: true })
  expect(confirmed).toMatchObject({ status: 'requires_capture', amount_capturable: 4200 })
  const captured = await client.paymentIntents.capture(made.id, { amount_to_capture: 4200 })
  expect(captured).toMatchObject({ status: 'succeeded', amount_received: 4200 })
  const refund = await client.refunds.create({ payment_intent: made.id, amount: 200 })
  expect(refund).toMatchObject({ status: 'succeeded', amount: 200 })
  const refunds = await client.refunds.list({ payment_intent: made.id })
  expect(refunds.data.map(({ id }) => id)).toEqual([refund.id])
  const listed = await client.paymentIntents.list({ limit: 1, expand: ['data.latest_charge'] })
  expect(listed.data).toMatchObject([{ id: made.id, latest_charge: { amount_refunded: 200 } }])
})

test('captures a part, and lists what that freed as a refund', async () => {
  const client = clientOf(await openStripeUnderTest())
  const { id } = await intentFor(client, numberFor('approve'))
  const by = { expand: ['latest_charge'] }
  const confirmed = await client.paymentIntents.confirm(id, by)
  const card = { capture_before: confirmed.created + 7 * 24 * 3600 }
  expect(confirmed).toMatchObject({ latest_charge: { payment_method_details: { card } } })
  const captured = await client.paymentIntents.capture(id, { amount_to_capture: 1200 })
  expect(captured).toMatchObject({ status: 'succeeded', amount_received: 1200, amount_capturable: 0 })
  const read = await client.paymentIntents.retrieve(id, by)
  const taken = { amount: 4200, amount_captured: 1200, amount_refunded: 3000, refunded: false }
  expect(read).toMatchObject({ amount_received: 1200, latest_charge: taken })
  const refunds = await client.refunds.list({ payment_intent: id })
  expect(refunds.data.map(({ amount }) => amount)).toEqual([3000])
  const again = await client.paymentIntents.capture(id, { amount_to_capture: 100 }).catch((error: unknown) => error)
  expect(again).toMatchObject({ code: 'payment_intent_unexpected_state' })
})

test('a cancelled intent cannot be confirmed', async () => {
  const client = clientOf(await openStripeUnderTest())
  const { id } = await intentFor(client, numberFor('approve'))
  const cancelled = await client.paymentIntents.cancel(id, { cancellation_reason: 'abandoned' })
  expect(cancelled).toMatchObject({ status: 'canceled', latest_charge: null })
  const error = await client.paymentIntents.confirm(id).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(Stripe.errors.StripeInvalidRequestError)
  expect(error).toMatchObject({ code: 'payment_intent_unexpected_state' })
})

test('errors become its classes', async () => {
  const tested = await openStripeUnderTest()
  const client = clientOf(tested)
  const thrown = (asked: Promise<unknown>) => asked.catch((error: unknown) => error)
  const { id } = await intentFor(client, numberFor('insufficient_funds'))
  const declined = await thrown(client.paymentIntents.confirm(id))
  expect(declined).toBeInstanceOf(Stripe.errors.StripeCardError)
  expect(declined).toMatchObject({ code: 'card_declined', decline_code: 'insufficient_funds' })
  const wrong_key = thrown(clientOf(tested, 'sk_test_wrong').paymentIntents.retrieve(id))
  expect(await wrong_key).toBeInstanceOf(Stripe.errors.StripeAuthenticationError)
  const missing = thrown(client.paymentIntents.retrieve('pi_none'))
  expect(await missing).toBeInstanceOf(Stripe.errors.StripeInvalidRequestError)
  tested.fake.next('too_many')
  const too_many = thrown(client.paymentIntents.cancel(id))
  expect(await too_many).toBeInstanceOf(Stripe.errors.StripeRateLimitError)
  tested.fake.next('error_before')
  const broken = thrown(client.paymentIntents.cancel(id))
  expect(await broken).toBeInstanceOf(Stripe.errors.StripeAPIError)
})

test('a key brings the first result back, and is good for one request only', async () => {
  const client = clientOf(await openStripeUnderTest())
  const { id } = await intentFor(client, numberFor('approve'), 'automatic')
  const idempotencyKey = 'once'
  const first = await client.paymentIntents.confirm(id, {}, { idempotencyKey })
  const second = await client.paymentIntents.confirm(id, {}, { idempotencyKey })
  expect(second).toEqual(first)
  expect(second.lastResponse.headers['idempotent-replayed']).toBe('true')
  const other = client.paymentIntents.cancel(id, {}, { idempotencyKey })
  await expect(other).rejects.toBeInstanceOf(Stripe.errors.StripeIdempotencyError)
})

test('it accepts the notices, which the connector reads alike', async () => {
  const tested = await openStripeUnderTest()
  const { fake, clock, credentials } = tested
  const client = clientOf(tested)
  const { id } = await intentFor(client, numberFor('approve'))
  await client.paymentIntents.confirm(id)
  await client.paymentIntents.capture(id)
  await client.refunds.create({ payment_intent: id })
  const posts = fake.notices()
  const now = clock.now()
  const types = posts.map(({ headers, body }) => {
    const signature = headers['stripe-signature']!
    const { webhook_secret } = credentials
    const by = [webhook_secret, 300, undefined, now.getTime()] as const
    return client.webhooks.constructEvent(body, signature, ...by).type
  })
  expect(types).toEqual([
    'payment_intent.amount_capturable_updated',
    'payment_intent.succeeded',
    'charge.refunded',
    'refund.updated',
  ])
  const read = posts.flatMap((post) =>
    stripe.notices!.read(post, { credentials, mode: 'sandbox', installation: 'ours', now }),
  )
  expect(read.map(({ about }) => about)).toEqual(['authorise', 'capture', 'refund', 'refund'])
  expect(read.every((notice) => notice.authorisation_transaction_id === id)).toBe(true)
})
