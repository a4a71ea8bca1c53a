// The SDK against the service as it is: every method, what it refuses, and a webhook from payment to verified event.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Hold, WebhookEvent } from '../../sdk/src/api-types.ts'
import { ApiError } from '../../sdk/src/errors.ts'
import { Ripper } from '../../sdk/src/ripper.ts'
import { answerMeta } from '../../sdk/src/send.ts'
import { verifyWebhook } from '../../sdk/src/verify-webhook.ts'
import { deadLetter, insertAttempt } from '../conformance/webhook-delivery-rows.ts'
import { hold } from '../support/holding.ts'
import { newKey, type Service, startService } from '../support/service.ts'
import { openWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts'

let service: Service
let receiver: WebhookReceiver
let ripper: Ripper
beforeAll(async () => {
  receiver = await openWebhookReceiver()
  service = await startService({ deliver: {} })
  ripper = clientOf(service.account.secret_key)
})
afterAll(async () => {
  await service.close()
  await receiver.close()
})

function clientOf(secretKey: string): Ripper {
  return new Ripper(secretKey, { base_url: service.base_url })
}

const purchase = { amount: 4200, currency: 'gbp', order_reference: 'order-1001' }

describe('sessions', () => {
  test('are created and read', async () => {
    const created = await ripper.checkout.sessions.create({
      ...purchase,
      items: [{ name: 'Tea', quantity: 2, unit_amount: 2100 }],
      customer: { email: 'ada@example.com', metadata: { tier: 'gold' } },
      metadata: { cart: '7' },
    })
    expect(created).toMatchObject({ status: 'requires_payment', mode: 'test', currency: 'GBP' })
    expect(created.client_secret).toMatch(/^cs_[0-9a-f]{24}_secret_[0-9a-f]{64}$/)
    expect(answerMeta(created)).toMatchObject({
      status: 201,
      request_id: expect.stringMatching(/^req_/),
      replayed: false,
    })
    const session = await ripper.checkout.sessions.retrieve(created.id)
    const { id } = await ripper.checkout.sessions.create(purchase)
    expect(await ripper.checkout.sessions.expire(id)).toMatchObject({ id, status: 'expired' })
    expect(session).toMatchObject({ id: created.id, metadata: { cart: '7' }, basket_total: 4200 })
    expect(answerMeta(session)).toMatchObject({ status: 200, idempotency_key: null })
  })

  test('are created once under one key', async () => {
    const { sessions } = ripper.checkout
    const [first, again] = [
      await sessions.create(purchase, { idempotency_key: 'once' }),
      await sessions.create(purchase, { idempotency_key: 'once' }),
    ]
    expect(again).toEqual(first)
    expect(answerMeta(again)).toMatchObject({ replayed: true, idempotency_key: 'once' })
    const other = sessions.create({ ...purchase, amount: 1 }, { idempotency_key: 'once' })
    await expect(other).rejects.toMatchObject({ code: 'idempotency_key_reused', status: 409 })
  })
})

describe('refusals of every shape', () => {
  const strange = 'f'.repeat(24)
  test.each<[string, (ripper: Ripper) => Promise<unknown>, object]>([
    [
      'of a checkout route',
      ({ checkout }) => checkout.sessions.create({ ...purchase, amount: 0 }),
      { status: 400, code: 'invalid_request', message: expect.stringContaining('amount') },
    ],
    [
      'of an unknown session',
      ({ checkout }) => checkout.sessions.retrieve(`cs_${strange}`),
      { status: 404, code: 'resource_not_found' },
    ],
    [
      'of an unknown payment',
      ({ payments }) => payments.capture(`pay_${strange}`),
      { status: 404, code: 'resource_not_found' },
    ],
    [
      'of an unknown event',
      ({ webhooks }) =>
        webhooks.endpoints.create({
          url: 'https://shop.example/x',
          event_filter: ['payment.succeeded' as never],
        }),
      {
        status: 400,
        code: 'unknown_event_type',
        allowed: expect.arrayContaining(['payment.held']),
      },
    ],
    [
      'of an address',
      ({ webhooks }) => webhooks.endpoints.create({ url: 'https://10.0.0.1/' }),
      { status: 400, code: 'invalid_url', allowed: null },
    ],
    [
      'of an unknown endpoint',
      ({ webhooks }) => webhooks.endpoints.delete(`whep_${strange}`),
      { status: 404, code: 'endpoint_not_found' },
    ],
    [
      'of a page',
      ({ webhooks }) => webhooks.deliveries.list({ limit: 101 }),
      { status: 400, code: 'invalid_pagination', idempotency_key: null },
    ],
    [
      'of a replay',
      ({ webhooks }) => webhooks.deliveries.replay('0'.repeat(32)),
      { status: 404, code: 'delivery_not_found', message: expect.any(String) },
    ],
    [
      'of a path that a proxy in front got wrong',
      () =>
        new Ripper(service.account.secret_key, {
          base_url: `${service.base_url}/x`,
        }).payments.retrieve('pay_1'),
      { status: 404, code: 'resource_not_found' },
    ],
  ])('%s', async (_, call, fields) => {
    const error = await call(ripper).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({
      ...fields,
      request_id: expect.stringMatching(/^req_[0-9a-f]{24}$/),
    })
  })

  test('of an unknown key', async () => {
    const stranger = clientOf(`rip_sk_${'0'.repeat(48)}`)
    const read = stranger.payments.retrieve(`pay_${strange}`)
    await expect(read).rejects.toMatchObject({ status: 401, code: 'unauthorized' })
    const list = stranger.webhooks.endpoints.list()
    await expect(list).rejects.toMatchObject({ status: 401, code: 'unknown_principal' })
  })

  test('of a permission', async () => {
    const { operator, account } = service
    const { secret_key } = await newKey(operator, account.merchant_id, { permissions: [] })
    const list = clientOf(secret_key).webhooks.endpoints.list()
    await expect(list).rejects.toMatchObject({ status: 403, code: 'key_permission_denied' })
  })

  test('of the gateway, in plain text', async () => {
    const limited = await startService({ gateway_limit: 1 })
    const waits: number[] = []
    const { payments } = new Ripper(limited.account.secret_key, {
      base_url: limited.base_url,
      retries_max: 1,
      sleep: async (duration_ms) => {
        waits.push(duration_ms)
      },
    })
    await payments.retrieve(`pay_${strange}`).catch(() => {})
    const read = payments.retrieve(`pay_${strange}`)
    await expect(read).rejects.toMatchObject({
      status: 429,
      code: 'rate_limit_exceeded',
      message: expect.stringMatching(/^Too many requests/),
    })
    expect(waits).toHaveLength(1)
    expect(waits[0]! % 1000).toBe(0)
    await limited.close()
  })
})

test.each<['capture' | 'void', string]>([
  ['capture', 'captured'],
  ['void', 'voided'],
])('a held payment: escalate, %s', async (verb, status) => {
  const { payment_id } = await hold(service.account)
  const { payments } = ripper
  expect(await payments.retrieve(payment_id)).toMatchObject({ id: payment_id, status: 'held' })
  const escalated = await payments.escalate(payment_id)
  expect(escalated).toMatchObject({ status: 'held', hold: { status: 'escalated' } })
  const decided = await payments[verb](payment_id, { idempotency_key: `decide ${payment_id}` })
  const decision: Hold = decided.hold
  expect(decided).toMatchObject({ status, settlement: null })
  expect(decision).toMatchObject({ status, decided_by: 'merchant' })
  const again = await payments[verb](payment_id, { idempotency_key: `decide ${payment_id}` })
  expect(answerMeta(again)).toMatchObject({ replayed: true })
  const late = payments.void(payment_id)
  await expect(late).rejects.toMatchObject({ code: 'hold_already_decided', status: 409 })
})

test('a captured payment is refunded in parts, and each refund is read', async () => {
  const { payment_id } = (await service.client.pay()).body
  const { refunds } = ripper
  const options = { idempotency_key: `refund ${payment_id}` }
  const part = await refunds.create(payment_id, { amount: 1200, reason: 'broken' }, options)
  expect(part).toMatchObject({ payment_id, amount: 1200, status: 'succeeded', reason: 'broken' })
  const again = await refunds.create(payment_id, { amount: 1200, reason: 'broken' }, options)
  expect(answerMeta(again)).toMatchObject({ replayed: true })
  const rest = await refunds.create(payment_id)
  expect(rest.amount).toBe(3000)
  expect(await refunds.retrieve(part.id)).toEqual(part)
  expect(await refunds.list(payment_id)).toEqual({ refunds: [rest, part] })
  const more = refunds.create(payment_id, { amount: 1 })
  await expect(more).rejects.toMatchObject({ code: 'refund_exceeds_captured', status: 409 })
})

test('payments, sessions and events: every row over all pages', async () => {
  const account = await service.newAccount()
  const { payments, checkout, events } = clientOf(account.secret_key)
  const paid: string[] = []
  for (const number of [undefined, '4000009105150000', undefined]) {
    paid.unshift((await account.client.pay(number)).body.payment_id)
  }
  const seen: string[] = []
  for await (const { id, card } of payments.list({ limit: 2, customer_email: 'ADA@example.com' })) {
    expect(card?.brand).toBe('visa')
    seen.push(id)
  }
  expect(seen).toEqual(paid)
  const declined = await payments.list({ status: 'declined', amount: 4200 })
  expect(declined.data.map(({ id }) => id)).toEqual([paid[1]])
  const sessions: (string | null)[] = []
  for await (const { payment_id } of checkout.sessions.list({ limit: 1 })) sessions.push(payment_id)
  expect(sessions).toEqual(paid)
  for await (const event of events.list({ limit: 1, payment_id: paid[1]! })) {
    expect(event satisfies WebhookEvent).toMatchObject({ type: 'payment.declined' })
  }
  const wrong = payments.list({ card_last4: '42' })
  await expect(wrong).rejects.toMatchObject({ status: 400, code: 'invalid_request' })
})

test('endpoints are registered, listed and deleted, each once', async () => {
  const { endpoints } = clientOf((await service.newAccount()).secret_key).webhooks
  const asked = { url: 'https://shop.example/hooks', event_filter: ['payment.held'] as const }
  const made = await endpoints.create({ ...asked, event_filter: [...asked.event_filter] })
  expect(made.signing_secret).toMatch(/^rip_whsec_[0-9a-f]{64}$/)
  expect(answerMeta(made)?.headers.get('rip-idempotency-warning')).toBeNull()
  const { signing_secret: _, ...shown } = made
  expect(await endpoints.list()).toEqual({ endpoints: [shown] })
  const options = { idempotency_key: 'delete' }
  expect(await endpoints.delete(made.id, options)).toBeUndefined()
  expect(await endpoints.delete(made.id, options)).toBeUndefined()
  expect(await endpoints.list()).toEqual({ endpoints: [] })
})

test('deliveries: every row over all pages, and a replay', async () => {
  const account = await service.newAccount()
  const { deliveries } = clientOf(account.secret_key).webhooks
  const place = { ...service, account }
  const dead = await deadLetter(place)
  for (let count = 0; count < 4; count++) await insertAttempt(place)
  const seen: string[] = []
  for await (const row of deliveries.list({ limit: 2 })) seen.push(row.delivery_id)
  expect(seen).toHaveLength(5)
  expect(new Set(seen).size).toBe(5)
  const page = await deliveries.list({ status: 'dead_lettered' })
  expect(page).toMatchObject({ has_more: false, next_cursor: null })
  expect(page.data).toMatchObject([{ delivery_id: dead.delivery_id, replayable: true }])
  const replay = await deliveries.replay(dead.delivery_id)
  expect(replay).toEqual({ delivery_id: expect.any(String), replay_of: dead.delivery_id })
})

test('a webhook, from the payment to the verified event', async () => {
  const { signing_secret } = await ripper.webhooks.endpoints.create({ url: receiver.url })
  const { body: confirmed } = await service.client.pay()
  const received = await receiver.has(1)
  const { body, headers } = received[0]!
  const event: WebhookEvent = verifyWebhook(body, headers, signing_secret)
  expect(event).toEqual(JSON.parse(body))
  if (event.type !== 'payment.captured') throw new Error(event.type)
  expect(event.data.capture_state satisfies 'captured').toBe('captured')
  expect(event.data.payment_id).toBe(confirmed.payment_id)
  expect(await ripper.payments.retrieve(event.data.payment_id)).toMatchObject({
    status: 'captured',
    checkout_session_id: event.data.checkout_session_id,
  })
})
