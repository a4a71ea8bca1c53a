// The official clients, three majors of them, against the service: told only another host, port and protocol.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Json, purchase } from '../support/client.ts'
import { hold } from '../support/holding.ts'
import { type Account, type Service, startService } from '../support/service.ts'
import { openTellingProxy, type RecordingProxy } from '../support/telling-proxy.ts'
import { openWebhookReceiver } from '../support/webhook-receiver.ts'

let service: Service
let proxy: RecordingProxy
beforeAll(async () => {
  service = await startService({ deliver: {} })
  proxy = await openTellingProxy(service.base_url)
})
afterAll(async () => {
  await proxy.close()
  await service.close()
})
beforeEach(() => {
  proxy.passed.length = 0
  proxy.loseAnswers(0)
  proxy.onAnswer(() => {})
})

const tea = { amount: 1999, currency: 'GBP', receipt_email: 'ada@example.com' }

/** What the client throws. */
async function thrown(promise: Promise<unknown>): Promise<Json> {
  const outcome = await promise.then(
    (value) => ({ value }),
    (error) => ({ error }),
  )
  if ('value' in outcome) throw new Error(`it gave ${JSON.stringify(outcome.value)}`)
  return outcome.error
}

const sessionsOf = async ({ merchant_id }: Account) => {
  const rows = await service.sql`select 1 from sessions where merchant_id = ${merchant_id}`
  return rows.length
}

describe.each([
  ['stripe', '23.'],
  ['stripe-17', '17.'],
  ['stripe-14', '14.'],
])('%s', (name, version) => {
  let Stripe: Json
  let stripe: Json
  beforeAll(async () => {
    Stripe = (await import(name)).default
    expect(Stripe.PACKAGE_VERSION).toMatch(version)
    stripe = open(service.account.secret_key)
  })

  function open(key: string, more: object = {}): Json {
    return new Stripe(key, { host: '127.0.0.1', port: proxy.port, protocol: 'http', ...more })
  }

  test('create and retrieve', async () => {
    const created = await stripe.paymentIntents.create({
      ...tea,
      description: null,
      metadata: { order_id: 'A 1', 'lines[0][sku]': 'tea & milk', été: '☕' },
    })
    expect(created).toMatchObject({
      object: 'payment_intent',
      amount: 1999,
      currency: 'gbp',
      status: 'requires_payment_method',
      livemode: false,
      client_secret: expect.stringMatching(/^cs_.*_secret_/),
      metadata: { order_id: 'A 1', 'lines[0][sku]': 'tea & milk', été: '☕' },
    })
    expect(created.metadata).not.toHaveProperty('description')
    const read = await stripe.paymentIntents.retrieve(created.id)
    expect({ ...read }).toEqual({ ...created, client_secret: null })
    expect(proxy.passed.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /v1/payment_intents',
      `GET /v1/payment_intents/${created.id}`,
    ])
    const { headers } = proxy.passed[0]!
    expect(created.lastResponse).toMatchObject({
      statusCode: 200,
      requestId: expect.stringMatching(/^req_[0-9a-f]{24}$/),
      idempotencyKey: headers['idempotency-key'],
      apiVersion: headers['stripe-version'],
    })
  })

  test('the state of a payment', async () => {
    const { client } = service
    const intent = await stripe.paymentIntents.create(tea)
    await client.present(intent, '4000009105150000')
    await client.confirm(intent)
    expect(await stripe.paymentIntents.retrieve(intent.id)).toMatchObject({
      status: 'requires_payment_method',
      last_payment_error: { code: 'card_declined', decline_code: 'insufficient_funds' },
    })
    await client.present(intent)
    await client.confirm(intent)
    const paid = await stripe.paymentIntents.retrieve(intent.id)
    expect(paid).toMatchObject({ status: 'succeeded', last_payment_error: null })
  })

  test('refunds', async () => {
    const { client } = service
    const intent = await stripe.paymentIntents.create(tea)
    const early = await thrown(stripe.refunds.create({ payment_intent: intent.id }))
    expect(early).toMatchObject({ code: 'payment_not_refundable', param: 'payment_intent' })
    expect(early.raw).toMatchObject({ type: 'invalid_request_error', statusCode: 400 })
    await client.present(intent)
    await client.confirm(intent)

    const refund = await stripe.refunds.create({
      payment_intent: intent.id,
      amount: 500,
      reason: 'requested_by_customer',
      metadata: { 'case[0]': 'A & B' },
    })
    expect(refund).toMatchObject({
      id: expect.stringMatching(/^ref_[0-9a-f]{24}$/),
      object: 'refund',
      amount: 500,
      currency: 'gbp',
      status: 'succeeded',
      payment_intent: intent.id,
      charge: expect.stringMatching(/^ch_[0-9a-f]{24}$/),
      reason: 'requested_by_customer',
      metadata: { 'case[0]': 'A & B' },
    })
    expect(refund).not.toHaveProperty('failure_reason')
    expect({ ...(await stripe.refunds.retrieve(refund.id)) }).toEqual({ ...refund })
    expect((await stripe.paymentIntents.retrieve(intent.id)).status).toBe('succeeded')

    proxy.passed.length = 0
    const exceeding = await thrown(stripe.refunds.create({ payment_intent: intent.id, amount: 1500 }))
    expect(exceeding).toMatchObject({ statusCode: 400, code: 'refund_exceeds_captured' })
    expect(exceeding.raw.ripper_code).toBe('refund_exceeds_captured')
    expect(proxy.passed).toHaveLength(1)

    proxy.loseAnswers(1)
    const rest = await stripe.refunds.create({ payment_intent: intent.id })
    expect(rest.amount).toBe(1499)
    const again = await thrown(stripe.refunds.create({ payment_intent: intent.id }))
    expect(again).toMatchObject({ code: 'charge_already_refunded' })
    const missing = await thrown(stripe.refunds.retrieve(`ref_${'0'.repeat(24)}`))
    expect(missing).toMatchObject({ statusCode: 404, code: 'resource_missing' })
  })

  test('lists, page by page in both directions, with the charges', async () => {
    const account = await service.newAccount()
    const own = open(account.secret_key)
    const quick_start = { ...tea, automatic_payment_methods: { enabled: true }, payment_method_types: ['card'] }
    const ids: string[] = []
    for (let count = 0; count < 5; count++) ids.unshift((await own.paymentIntents.create(quick_start)).id)
    await account.client.pay()
    const all: Json[] = await own.paymentIntents.list({ limit: 2 }).autoPagingToArray({ limit: 100 })
    expect(all.slice(1).map(({ id }) => id)).toEqual(ids)
    const newer: Json[] = await own.paymentIntents
      .list({ limit: 2, ending_before: ids.at(-1) })
      .autoPagingToArray({ limit: 100 })
    // The library goes through each page from its older end.
    expect(newer.map(({ id }) => id)).toEqual([...ids.slice(0, -1).toReversed(), all[0]!.id])
    const { data } = await own.paymentIntents.list({
      created: { gte: all[0]!.created },
      expand: ['data.latest_charge'],
    })
    expect(data[0].latest_charge).toMatchObject({ object: 'charge', payment_intent: all[0]!.id })
    const read = await own.paymentIntents.retrieve(all[0]!.id, { expand: ['latest_charge'] })
    expect(read.latest_charge).toEqual(data[0].latest_charge)
  })

  test('capture and cancel', async () => {
    const [kept, released] = [await hold(service.account), await hold(service.account)]
    const captured = await stripe.paymentIntents.capture(kept.session.id, { amount_to_capture: 4200 })
    expect(captured).toMatchObject({ status: 'succeeded', amount_received: 4200 })
    const reason = { cancellation_reason: 'duplicate' }
    expect(await stripe.paymentIntents.cancel(released.session.id, reason)).toMatchObject({
      status: 'canceled',
      ...reason,
    })
    const { id } = await stripe.paymentIntents.create(tea)
    expect(await stripe.paymentIntents.cancel(id)).toMatchObject({ status: 'canceled', cancellation_reason: null })
    for (const act of ['cancel', 'capture'] as const) {
      const error = await thrown(stripe.paymentIntents[act](id))
      expect(error).toBeInstanceOf(Stripe.errors.StripeInvalidRequestError)
      expect(error).toMatchObject({ statusCode: 400, code: 'payment_intent_unexpected_state' })
    }
  })

  describe('errors', () => {
    test('authentication', async () => {
      const error = await thrown(open('rip_sk_wrong').paymentIntents.create(tea))
      expect(error).toBeInstanceOf(Stripe.errors.StripeAuthenticationError)
      expect(error).toMatchObject({ statusCode: 401, code: 'unauthorized' })
      expect(error.requestId).toMatch(/^req_/)
      expect(error.raw.ripper_code).toBe('unauthorized')
      expect(error.message).not.toContain('wrong')
    })

    test('permission', async () => {
      const { secret_key } = await service.newAccount({ key: { permissions: [] } })
      const error = await thrown(open(secret_key).paymentIntents.retrieve('cs_x'))
      expect(error).toBeInstanceOf(Stripe.errors.StripePermissionError)
      expect(error).toMatchObject({ statusCode: 403, code: 'permission_denied' })
    })

    test.each<[string, (stripe: Json) => Promise<unknown>, object]>([
      [
        'a parameter that is not supported',
        ({ paymentIntents }) => paymentIntents.create({ ...tea, payment_method_types: ['card', 'link'] }),
        { code: 'parameter_unknown', param: 'payment_method_types', statusCode: 400 },
      ],
      [
        'expand on retrieve',
        ({ paymentIntents }) => paymentIntents.retrieve('cs_x', { expand: ['customer'] }),
        { code: 'parameter_unknown', param: 'expand', statusCode: 400 },
      ],
      [
        'a missing parameter',
        ({ paymentIntents }) => paymentIntents.create({ currency: 'gbp' }),
        { code: 'parameter_missing', param: 'amount', statusCode: 400 },
      ],
      [
        'an amount that is none',
        ({ paymentIntents }) => paymentIntents.create({ ...tea, amount: 19.99 }),
        { code: 'parameter_invalid_integer', param: 'amount', statusCode: 400 },
      ],
      [
        'an unknown id',
        ({ paymentIntents }) => paymentIntents.retrieve('pi_123'),
        { code: 'resource_missing', param: 'intent', statusCode: 404 },
      ],
      [
        'another resource',
        ({ customers }) => customers.create({ email: 'ada@example.com' }),
        { code: 'resource_missing', statusCode: 404 },
      ],
      [
        'capture',
        ({ paymentIntents }) => paymentIntents.capture('cs_x'),
        { code: 'resource_missing', param: 'intent', statusCode: 404 },
      ],
      ['update', ({ paymentIntents }) => paymentIntents.update('cs_x', {}), { statusCode: 404 }],
      [
        'a list from nowhere',
        ({ paymentIntents }) => paymentIntents.list({ starting_after: 'cs_x' }),
        { code: 'resource_missing', param: 'starting_after', statusCode: 400 },
      ],
      [
        'a checkout session of a price that nobody has',
        ({ checkout }) =>
          checkout.sessions.create({
            mode: 'payment',
            line_items: [{ price: 'price_1', quantity: 1 }],
            success_url: 'http://localhost:4242/done',
          }),
        { code: 'resource_missing', statusCode: 400, param: 'line_items[0][price]' },
      ],
      ['an unknown event', ({ events }) => events.retrieve('evt_1'), { code: 'resource_missing', statusCode: 404 }],
      [
        'another account',
        ({ paymentIntents }) => paymentIntents.create(tea, { stripeAccount: 'acct_1' }),
        { statusCode: 400, param: 'Stripe-Account' },
      ],
    ])('%s is an invalid request, sent once', async (_name, act, members) => {
      const error = await thrown(act(stripe))
      expect(error).toMatchObject({ type: expect.any(String), ...members })
      expect(error.rawType).toBe('invalid_request_error')
      expect(error.type).toBe('StripeInvalidRequestError')
      expect(error.message).toMatch(/\w/)
      expect(error.requestId).toMatch(/^req_/)
      expect(proxy.passed).toHaveLength(1)
    })

    test('a key that was used for something else, sent once', async () => {
      const idempotencyKey = `${name} reused`
      await stripe.paymentIntents.create(tea, { idempotencyKey })
      proxy.passed.length = 0
      const error = await thrown(stripe.paymentIntents.create({ ...tea, amount: 1 }, { idempotencyKey }))
      expect(error).toMatchObject({ statusCode: 409, code: 'idempotency_key_reused' })
      expect(error.rawType).toBe('invalid_request_error')
      expect(proxy.passed).toHaveLength(1)
    })

    test('a failure of the service', async () => {
      const { insertSession } = service.context
      service.context.insertSession = () => Promise.reject(new Error('broken'))
      try {
        const error = await thrown(
          open(service.account.secret_key, { maxNetworkRetries: 0 }).paymentIntents.create(tea),
        )
        expect(error).toBeInstanceOf(Stripe.errors.StripeAPIError)
        expect(error).toMatchObject({ statusCode: 500, code: 'internal_error' })
        expect(error.requestId).toMatch(/^req_/)
      } finally {
        service.context.insertSession = insertSession
      }
    })

    test('too many requests, sent once', async () => {
      const limited = await startService({ gateway_limit: 1 })
      const between = await openTellingProxy(limited.base_url)
      try {
        const { paymentIntents } = open(limited.account.secret_key, { port: between.port })
        await paymentIntents.create(tea)
        const error = await thrown(paymentIntents.create(tea))
        expect(error).toBeInstanceOf(Stripe.errors.StripeRateLimitError)
        expect(error).toMatchObject({ statusCode: 429, code: 'rate_limit' })
        expect(between.passed).toHaveLength(2)
      } finally {
        await between.close()
        await limited.close()
      }
    })
  })

  describe('retries by itself', () => {
    test('after a lost answer, with the same key: one session', async () => {
      const account = await service.newAccount()
      proxy.loseAnswers(1)
      const client = open(account.secret_key, { maxNetworkRetries: 2 })
      const intent = await client.paymentIntents.create(tea)
      expect(intent.client_secret).toMatch(/_secret_/)
      const keys = proxy.passed.map(({ headers }) => headers['idempotency-key'])
      expect(keys).toEqual([expect.stringMatching(/^stripe-node-retry-/), keys[0]])
      expect(await sessionsOf(account)).toBe(1)
      expect(intent.lastResponse.headers['idempotent-replayed']).toBe('true')
    })

    test('while the first request with its key is still running', async () => {
      const { merchant_id, secret_key } = await service.newAccount()
      const idempotencyKey = `${name} running`
      const { promise: answered, resolve: release } = Promise.withResolvers<void>()
      const { promise: locked, resolve: lock } = Promise.withResolvers<void>()
      const holding = service.sql.begin(async (tx) => {
        await tx`insert into idempotency_keys
          (merchant_id, audience, key, route, fingerprint, status, answer, created_at)
          values (${merchant_id}, 'secret', ${idempotencyKey}, 'r', ${Buffer.alloc(32)}, 200,
            ${Buffer.alloc(1)}, ${new Date()})`
        lock()
        await answered
        throw new Error('taken back')
      })
      await locked
      proxy.onAnswer(async ({ status }) => {
        expect(status).toBe(409)
        proxy.onAnswer(() => {})
        release()
        await holding.catch(() => {})
      })
      const client = open(secret_key, { maxNetworkRetries: 2 })
      const intent = await client.paymentIntents.create(tea, { idempotencyKey })
      expect(intent.object).toBe('payment_intent')
      expect(proxy.passed.map(({ status }) => status)).toEqual([409, 200])
    })
  })

  test('verifies a delivery', async () => {
    const account = await service.newAccount()
    const receiver = await openWebhookReceiver()
    try {
      const { body: endpoint } = await account.client.createEndpoint({ url: receiver.url })
      const { body: paid } = await account.client.pay(undefined, purchase)
      const [received] = await receiver.has(1)
      const { body, headers } = received!
      const verify = (raw: string, secret: string) =>
        stripe.webhooks.constructEvent(raw, headers['rip-signature'], secret)
      const event = verify(body, endpoint.signing_secret)
      expect(event).toMatchObject({
        type: 'payment.captured',
        data: { payment_id: paid.payment_id, status: 'captured' },
      })
      const refused = Stripe.errors.StripeSignatureVerificationError
      expect(() => verify(`${body} `, endpoint.signing_secret)).toThrow(refused)
      expect(() => verify(body, 'rip_whsec_other')).toThrow(refused)
    } finally {
      await receiver.close()
    }
  })
})
