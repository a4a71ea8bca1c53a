// Events in the other platform's words: each outcome at endpoints of both formats, the list and the single event, and what is refused.

import { createHmac } from 'node:crypto'
import { afterAll, describe, expect, test } from 'vitest'
import { compatible_version } from '../../src/kernel/values.ts'
import type { Json } from '../support/client.ts'
import { fault, openCompatible, tea } from '../support/compatible.ts'
import { hold } from '../support/holding.ts'
import { type Account, type Service, until } from '../support/service.ts'
import { useService } from '../support/use-service.ts'
import { openWebhookReceiver, type ReceivedEvent, type WebhookReceiver } from '../support/webhook-receiver.ts'

const service = await useService({ deliver: { schedule: [0] } })
const receivers: WebhookReceiver[] = []
afterAll(async () => {
  for (const receiver of receivers) await receiver.close()
})

async function openShop(asked: object = {}, account?: Account) {
  const shop = account ?? (await service.newAccount())
  const receiver = await openWebhookReceiver()
  receivers.push(receiver)
  const { body: endpoint } = await shop.client.createEndpoint({ url: receiver.url, event_format: 'stripe', ...asked })
  const { bearer } = openCompatible(shop.client, shop)
  const get = (path: string) => shop.client.send('GET', path, { headers: bearer })
  return { account: shop, client: shop.client, receiver, endpoint: endpoint as Json, get, bearer }
}

type Shop = Awaited<ReturnType<typeof openShop>>

/** Pays with a card that is declined, so often that the session is over. */
async function exhaust({ client }: Shop): Promise<Json> {
  const session = await client.open()
  for (let tries = 0; tries < 3; tries += 1) {
    await client.present(session, '4000000000009995')
    await client.confirm(session)
  }
  return session
}

async function cancel({ client, bearer }: Shop, id: string, cancellation_reason: string): Promise<void> {
  const headers = { ...bearer, 'idempotency-key': crypto.randomUUID() }
  const answer = await client.send('POST', `/v1/payment_intents/${id}/cancel`, {
    headers,
    body: { cancellation_reason },
  })
  expect(answer.status, answer.text).toBe(200)
}

const outcomes: [string, (shop: Shop) => Promise<unknown>, [string, object][]][] = [
  [
    'a capture',
    ({ client }) => client.pay(),
    [['payment_intent.succeeded', { status: 'succeeded', amount_received: 4200, latest_charge: /^ch_/ }]],
  ],
  [
    'a hold that is captured',
    async ({ account, client }) => client.decideHold('capture', (await hold(account)).payment_id),
    [
      [
        'payment_intent.amount_capturable_updated',
        { status: 'requires_capture', amount_capturable: 4200, capture_method: 'manual' },
      ],
      ['payment_intent.succeeded', { status: 'succeeded', amount_received: 4200, amount_capturable: 0 }],
    ],
  ],
  [
    'a hold that is voided',
    async ({ account, client }) => client.decideHold('void', (await hold(account)).payment_id),
    [
      ['payment_intent.amount_capturable_updated', { status: 'requires_capture' }],
      ['payment_intent.canceled', { status: 'canceled', cancellation_reason: 'requested_by_customer' }],
    ],
  ],
  [
    'a hold whose intent is canceled',
    async (shop) => {
      const { session } = await hold(shop.account)
      await cancel(shop, session.id, 'duplicate')
    },
    [
      ['payment_intent.amount_capturable_updated', { status: 'requires_capture' }],
      ['payment_intent.canceled', { status: 'canceled', cancellation_reason: 'duplicate' }],
    ],
  ],
  [
    'an unpaid intent that is canceled',
    async (shop) => cancel(shop, (await shop.client.open()).id, 'abandoned'),
    [['payment_intent.canceled', { status: 'canceled', cancellation_reason: 'abandoned', latest_charge: null }]],
  ],
  [
    'a decline',
    ({ client }) => client.pay('4000000000009995'),
    [
      [
        'payment_intent.payment_failed',
        {
          status: 'requires_payment_method',
          last_payment_error: { type: 'card_error', code: 'card_declined', decline_code: 'insufficient_funds' },
        },
      ],
    ],
  ],
  [
    'three declines',
    exhaust,
    [
      ...[0, 1, 2].map((): [string, object] => [
        'payment_intent.payment_failed',
        { status: 'requires_payment_method', cancellation_reason: null },
      ]),
      [
        'payment_intent.canceled',
        { status: 'canceled', cancellation_reason: 'automatic', last_payment_error: { code: 'card_declined' } },
      ],
    ],
  ],
  [
    'a decline for fraud',
    ({ client }) => client.pay('4100000000000019'),
    [
      ['payment_intent.payment_failed', { status: 'requires_payment_method' }],
      ['payment_intent.canceled', { status: 'canceled', cancellation_reason: 'automatic' }],
    ],
  ],
  [
    'a session that its merchant ends',
    async ({ client }) => client.expire((await client.open()).id),
    [['payment_intent.canceled', { status: 'canceled', latest_charge: null, last_payment_error: null }]],
  ],
  [
    'refunds in parts, one of which fails',
    async ({ client }) => {
      const { payment_id } = (await client.pay()).body
      await client.refund(payment_id, { amount: 1000 })
      await client.refund(payment_id, { amount: 1013, reason: 'broken' })
      await client.refund(payment_id, { amount: 200 })
    },
    [
      ['payment_intent.succeeded', {}],
      ['charge.refunded', { object: 'charge', amount: 4200, amount_captured: 4200, amount_refunded: 1000 }],
      ['refund.failed', { object: 'refund', amount: 1013, status: 'failed', ripper: { reason: 'broken' } }],
      ['charge.refunded', { object: 'charge', amount_refunded: 1200, refunded: false }],
    ],
  ],
]

const objectOf = ({ event }: ReceivedEvent): Json => event.data.object

describe.each(outcomes)('%s', async (_name, act, expected) => {
  const shop = await openShop()
  const native = await openWebhookReceiver()
  receivers.push(native)
  await shop.client.createEndpoint({ url: native.url, extension_events: ['refund.succeeded', 'refund.failed'] })
  await act(shop)
  const came = await shop.receiver.has(expected.length)

  test('is told in its order, as the object was at the event', () => {
    expect(came.map(({ event }) => event.type)).toEqual(expected.map(([type]) => type))
    for (const [at, one] of came.entries()) {
      const members = Object.entries(expected[at]![1]).map(([name, value]) => {
        return [name, value instanceof RegExp ? expect.stringMatching(value) : value]
      })
      expect(objectOf(one)).toMatchObject(Object.fromEntries(members))
      expect(one.event).toEqual({
        id: expect.stringMatching(/^evt_[0-9a-f]{24}$/),
        object: 'event',
        api_version: compatible_version,
        created: expect.any(Number),
        data: { object: expect.any(Object) },
        livemode: false,
        pending_webhooks: 1,
        request: { id: null, idempotency_key: null },
        type: expected[at]![0],
      })
    }
  })

  test('is, at its end, what is read of the intent', async () => {
    const last = came.map(objectOf).findLast(({ object }) => object === 'payment_intent')!
    const read = (await shop.get(`/v1/payment_intents/${last.id}`)).body
    if (read.status === last.status) expect(last).toEqual(read)
    else expect([last.status, read.status]).toEqual(['requires_payment_method', 'canceled'])
  })

  test('is signed as its libraries expect', () => {
    for (const { headers, body } of came) {
      const [, t, hex] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(headers['stripe-signature']!)!
      const key = shop.endpoint.signing_secret
      expect(key).toMatch(/^whsec_[0-9a-f]{64}$/)
      expect(createHmac('sha256', key).update(`${t}.${body}`).digest('hex')).toBe(hex)
      expect(headers['rip-signature']).toBe(headers['stripe-signature'])
      expect(headers).not.toHaveProperty('webhook-id')
    }
  })

  test('has one id at endpoints of both formats; what our words lack comes to none of ours', async () => {
    const shared = came.filter(({ event }) => !isAlone(event))
    const ours = await native.has(shared.length)
    expect(ours.map(({ event }) => event.id)).toEqual(shared.map(({ event }) => event.id))
    await settled(service, shop.account)
    expect(native.received).toHaveLength(shared.length)
  })

  test('is listed and read, whoever was told, and not in our own list', async () => {
    const { body: list } = await shop.get('/v1/events')
    expect(list).toMatchObject({ object: 'list', url: '/v1/events', has_more: false })
    const told = came.map(({ event }) => ({ ...event, pending_webhooks: 0 }))
    const byId = (a: Json, b: Json) => (a.id < b.id ? -1 : 1)
    expect(list.data.toSorted(byId)).toEqual(told.toSorted(byId))
    for (const event of told) expect((await shop.get(`/v1/events/${event.id}`)).body).toEqual(event)
    const { body: own } = await shop.client.send('GET', '/v1/events', { headers: shop.client.withKey })
    const types = own.data.map(({ type }: Json) => type)
    expect(types.filter((type: string) => !/^(payment|refund)\./.test(type))).toEqual([])
    expect(types).toHaveLength(came.filter(({ event }) => !isAlone(event)).length)
  })
})

/** Of a void the event has a name of ours, too. */
const isAlone = ({ type, data }: Json) => type === 'payment_intent.canceled' && data.object.ripper.hold === null

async function settled({ sql }: Service, { merchant_id }: Account) {
  await until(
    () => sql`select 1 from webhook_queue where merchant_id = ${merchant_id}`,
    (queued) => queued.length === 0,
  )
}

test('each try and replay has the same bytes, whatever became of the object', async () => {
  const { client, receiver, account } = await openShop({
    event_filter: ['payment_intent.succeeded', 'charge.refunded'],
  })
  receiver.treat(() => 500)
  const { payment_id } = (await client.pay()).body
  await client.refund(payment_id, { amount: 1000 })
  await settled(service, account)
  await client.refund(payment_id, { amount: 100 })
  receiver.treat(() => 200)
  const { body } = await client.listDeliveries('status=dead_lettered')
  for (const { delivery_id } of body.data) await client.replayDelivery(delivery_id)
  await settled(service, account)
  const bodies = Map.groupBy(receiver.received, ({ event }) => event.id as string)
  const counts = [...bodies.values()].map((tries) => [tries.length, new Set(tries.map((each) => each.body)).size])
  expect(counts.toSorted()).toEqual([
    [1, 1],
    [3, 1],
    [3, 1],
  ])
})

describe('an endpoint', () => {
  test.each<[string, object, string[]]>([
    ['that names all', {}, ['payment_intent.succeeded', 'charge.refunded', 'refund.failed']],
    ['that names one', { event_filter: ['charge.refunded'] }, ['charge.refunded']],
    ['that names what did not happen', { event_filter: ['charge.dispute.created'] }, []],
  ])('%s', async (_name, asked, expected) => {
    const { client, receiver, account } = await openShop(asked)
    const { payment_id } = (await client.pay()).body
    await client.refund(payment_id, { amount: 1000 })
    await client.refund(payment_id, { amount: 1013 })
    await settled(service, account)
    expect(receiver.received.map(({ event }) => event.type)).toEqual(expected)
  })

  test('is tried by an event about itself', async () => {
    const { receiver, endpoint, client, account } = await openShop()
    const { sendTestEvent } = await import('../../src/webhooks/sending/send-test-event.ts')
    const { merchant_id } = account
    const result = await sendTestEvent(service.context, { merchant_id, endpoint_id: endpoint.id })
    expect(result).toMatchObject({ succeeded: true })
    const [one] = await receiver.has(1)
    expect(one!.event).toMatchObject({ object: 'event', type: 'endpoint.test', livemode: false })
    expect(objectOf(one!)).toMatchObject({ id: endpoint.id, object: 'webhook_endpoint', url: receiver.url })
    expect(one!.headers['stripe-signature']).toMatch(/^t=\d+,v1=/)
    expect((await client.listDeliveries()).body.data).toEqual([])
  })

  test('shows its format, and one without it nothing of it', async () => {
    const { client, endpoint } = await openShop()
    const { signing_secret, ...shown } = endpoint
    expect(shown).toMatchObject({ event_format: 'stripe', api_version: compatible_version, event_filter: [] })
    const plain = await client.createEndpoint({ url: 'https://shop.example/hooks', event_format: 'ripper' })
    expect(Object.keys(plain.body).toSorted()).toEqual(
      ['created_at', 'event_filter', 'id', 'signing_secret', 'status', 'url'].toSorted(),
    )
    const { endpoints } = (await client.listEndpoints()).body
    expect(endpoints[0]).toEqual(shown)
  })

  test.each<[object, string]>([
    [{ event_filter: ['payment.captured'] }, 'unknown_event_type event_filter[0] (payment.captured) is not one of'],
    [
      { event_format: 'ripper', event_filter: ['charge.refunded'] },
      'unknown_event_type event_filter[0] is an event type',
    ],
    [{ event_format: 'plain' }, 'invalid_request event_format must be ripper or stripe'],
    [{ extension_events: ['refund.failed'] }, 'invalid_request extension_events is not taken'],
    [{ standard_webhooks: 'yes' }, 'invalid_request standard_webhooks must be true or false'],
  ])('%j is refused', async (asked, words) => {
    const url = 'https://shop.example/hooks'
    const { status, body } = await service.client.createEndpoint({ url, event_format: 'stripe', ...asked })
    expect(status).toBe(400)
    expect(`${body.error} ${body.message}`).toContain(words)
  })
})

describe('the list', async () => {
  const shop = await openShop()
  await shop.client.pay()
  const { payment_id } = (await shop.client.pay()).body
  await shop.client.refund(payment_id, { amount: 1000 })
  const { get } = shop
  const typesOf = async (query: string) => {
    const { body } = await get(`/v1/events?${query}`)
    return body.data.map(({ type }: Json) => type).toSorted()
  }
  const succeeded = 'payment_intent.succeeded'

  test.each([
    ['', ['charge.refunded', succeeded, succeeded]],
    ['type=charge.refunded', ['charge.refunded']],
    ['type=payment_intent.*', [succeeded, succeeded]],
    ['type=*', ['charge.refunded', succeeded, succeeded]],
    ['types[0]=charge.refunded&types[1]=refund.failed', ['charge.refunded']],
    ['types[]=charge.refunded', ['charge.refunded']],
    ['type=checkout.session.completed', []],
    ['created[lt]=1', []],
  ])('takes %s', async (query, types) => {
    expect(await typesOf(query)).toEqual(types)
  })

  test('goes both ways, page by page', async () => {
    const { data } = (await get('/v1/events')).body
    const [first, second, third] = data.map(({ id }: Json) => id)
    const page = async (query: string) => {
      const { body } = await get(`/v1/events?${query}`)
      return [body.data.map(({ id }: Json) => id), body.has_more]
    }
    expect(await page('limit=2')).toEqual([[first, second], true])
    expect(await page(`starting_after=${second}`)).toEqual([[third], false])
    expect(await page(`ending_before=${third}&limit=1`)).toEqual([[second], true])
  })

  test.each([
    ['type=customer.created', '400 invalid_request_error invalid_request type invalid_request'],
    ['types[0]=x', '400 invalid_request_error invalid_request types[0] invalid_request'],
    [
      'type=charge.refunded&types[0]=charge.refunded',
      '400 invalid_request_error invalid_request types invalid_request',
    ],
    ['delivery_success=true', '400 invalid_request_error parameter_unknown delivery_success invalid_request'],
    [
      `starting_after=evt_${'0'.repeat(24)}`,
      '400 invalid_request_error resource_missing starting_after invalid_request',
    ],
  ])('refuses %s', async (query, expected) => {
    expect(fault(await get(`/v1/events?${query}`))).toBe(expected)
  })

  test.each(['evt_0', `evt_${'0'.repeat(24)}`, 'pay_x'])('has no %s', async (id) => {
    expect(fault(await get(`/v1/events/${id}`))).toBe(
      '404 invalid_request_error resource_missing id resource_not_found',
    )
  })

  test('shows no event of another merchant', async () => {
    const other = await openShop()
    const [{ id }] = (await get('/v1/events')).body.data
    expect((await other.get(`/v1/events/${id}`)).status).toBe(404)
    expect((await other.get(`/v1/events?starting_after=${id}`)).status).toBe(400)
    expect((await other.get('/v1/events')).body.data).toEqual([])
  })
})

test('an intent of these routes is told as it was created', async () => {
  const { client, receiver, bearer } = await openShop()
  const { body: intent } = await client.send('POST', '/v1/payment_intents', {
    headers: { ...bearer, 'idempotency-key': crypto.randomUUID() },
    body: { ...tea, metadata: { order_id: '7' }, description: 'tea', statement_descriptor_suffix: 'TEA' },
  })
  const session = { id: intent.id, client_secret: intent.client_secret }
  await client.present(session)
  await client.confirm(session)
  const [one] = await receiver.has(1)
  const read = (await client.send('GET', `/v1/payment_intents/${intent.id}`, { headers: bearer })).body
  expect(objectOf(one!)).toEqual(read)
  expect(read).toMatchObject({ metadata: { order_id: '7', description: 'tea' }, statement_descriptor_suffix: 'TEA' })
})

test.each(['/v1/events/evt_x', '/v1/checkout/sessions/cs_x/line_items'])(
  'our own clients find nothing at %s, in our own words',
  async (path) => {
    const { account, get } = await openShop()
    const { status, body } = await account.client.send('GET', path, {
      headers: { 'x-service-api-key': account.secret_key },
    })
    expect([status, body]).toMatchObject([404, { error: 'resource_not_found', request_id: expect.any(String) }])
    expect(fault(await get(path))).toContain('404 invalid_request_error resource_missing')
  },
)
