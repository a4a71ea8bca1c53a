// Webhook endpoints in the other platform's words: create, read, change, list, delete, as its libraries send them, and what they get.

import { afterAll, describe, expect, test } from 'vitest'
import { compatible_version } from '../../src/kernel/values.ts'
import { liveMerchant } from '../support/both-modes.ts'
import type { Answer, Json } from '../support/client.ts'
import { fault, formOf, formType, openCompatible } from '../support/compatible.ts'
import { type Account, newKey, until } from '../support/service.ts'
import { useService } from '../support/use-service.ts'
import { openWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts'

const day_seconds = 24 * 3600
const service = await useService({ deliver: { schedule: [day_seconds] } })
const receivers: WebhookReceiver[] = []
afterAll(async () => {
  for (const receiver of receivers) await receiver.close()
})

const path = '/v1/webhook_endpoints'
const hooks = 'https://shop.example/hooks'

function openShop(account: Account) {
  const { bearer } = openCompatible(account.client, account)
  const send = (method: string, at = '', fields?: Record<string, string>, headers = {}): Promise<Answer> =>
    account.client.send(method, `${path}${at}`, {
      headers: { ...bearer, ...(fields && formType), ...headers },
      ...(fields && { raw: formOf(fields) }),
    })
  const create = (fields: Record<string, string> = {}) =>
    send('POST', '', { url: hooks, 'enabled_events[0]': '*', ...fields })
  return { account, client: account.client, send, create }
}

const newShop = async () => openShop(await service.newAccount())
const main = await newShop()

test('one is created, read, listed, changed and deleted', async () => {
  const { send, create } = await newShop()
  const made = await create({
    'enabled_events[0]': 'checkout.session.completed',
    'enabled_events[1]': 'charge.refunded',
    description: 'orders',
    'metadata[team]': 'tea',
    'metadata[desk]': '4',
  })
  expect(made.status, made.text).toBe(200)
  const { secret, ...endpoint } = made.body
  expect(secret).toMatch(/^whsec_[0-9a-f]{64}$/)
  expect(endpoint).toEqual({
    id: expect.stringMatching(/^whep_[0-9a-f]{24}$/),
    object: 'webhook_endpoint',
    api_version: compatible_version,
    application: null,
    created: expect.any(Number),
    description: 'orders',
    enabled_events: ['checkout.session.completed', 'charge.refunded'],
    livemode: false,
    metadata: { team: 'tea', desk: '4' },
    status: 'enabled',
    url: hooks,
  })
  const at = `/${endpoint.id}`
  expect((await send('GET', at)).body).toEqual(endpoint)
  expect((await send('GET')).body).toEqual({ object: 'list', url: path, has_more: false, data: [endpoint] })
  const changed = { ...endpoint, url: `${hooks}/2`, enabled_events: ['*'], metadata: { team: 'coffee', desk: '4' } }
  const update = { url: changed.url, 'enabled_events[]': '*', 'metadata[team]': 'coffee' }
  expect((await send('POST', at, update)).body).toEqual(changed)
  expect((await send('POST', at, { 'metadata[desk]': '' })).body.metadata).toEqual({ team: 'coffee' })
  expect((await send('POST', at, { description: '', metadata: '' })).body).toMatchObject({
    ...{ description: null, metadata: {}, url: changed.url },
  })
  expect((await send('DELETE', at)).body).toEqual({ id: endpoint.id, object: 'webhook_endpoint', deleted: true })
  expect((await send('GET', at)).status).toBe(404)
  expect((await send('DELETE', at)).status).toBe(404)
  expect((await send('GET')).body.data).toEqual([])
})

test('its version is as it was given, and its events carry it', async () => {
  const { client, create, receiver } = await receiving()
  const { body } = await create({ url: receiver.url, api_version: '2025-03-31.basil' })
  expect(body.api_version).toBe('2025-03-31.basil')
  await client.pay()
  const [one] = await receiver.has(1)
  expect(one!.event).toMatchObject({ type: 'payment_intent.succeeded', api_version: '2025-03-31.basil' })
  expect(one!.headers['stripe-signature']).toMatch(/^t=\d+,v1=/)
})

async function receiving() {
  const receiver = await openWebhookReceiver()
  receivers.push(receiver)
  return { ...(await newShop()), receiver }
}

test('what waits for it waits while it is disabled, and goes on once it is enabled', async () => {
  const { client, create, send, receiver, account } = await receiving()
  const { id } = (await create({ url: receiver.url })).body
  receiver.treat(() => 500)
  await client.pay()
  const waits = (due_year: number) =>
    until(
      () => service.sql`
        select 1 from webhook_queue where merchant_id = ${account.merchant_id} and class = 1 and attempt_number = 1
          and attempt_id is null and extract(year from due_at) >= ${due_year}`,
      (rows) => rows.length === 1,
    )
  await waits(2000)
  await send('POST', `/${id}`, { disabled: 'true' })
  await service.sql`update webhook_queue set due_at = created_at where merchant_id = ${account.merchant_id}`
  await waits(9999)
  expect(receiver.received).toHaveLength(1)
  receiver.treat(() => 200)
  await send('POST', `/${id}`, { disabled: 'false' })
  const [first, second] = await receiver.has(2)
  expect(second!.body).toBe(first!.body)
  expect(
    await service.sql`
    select 1 from webhook_attempts where merchant_id = ${account.merchant_id} and status = 'dead_lettered'`,
  ).toEqual([])
})

test('while it is disabled it is told of nothing', async () => {
  const { client, create, send, receiver, account } = await receiving()
  const { id } = (await create({ url: receiver.url })).body
  expect((await send('POST', `/${id}`, { disabled: 'true' })).body).toMatchObject({ id, status: 'disabled' })
  await client.pay()
  expect((await send('GET', `/${id}`)).body.status).toBe('disabled')
  expect((await client.listEndpoints()).body.endpoints).toMatchObject([{ id, status: 'disabled' }])
  expect((await send('POST', `/${id}`, { disabled: 'false' })).body).toMatchObject({ id, status: 'enabled' })
  const { payment_id } = (await client.pay()).body
  const [one] = await receiver.has(1)
  expect(one!.event.data.object.ripper).toBeDefined()
  expect(one!.event.data.object.latest_charge).toBe(payment_id.replace('pay_', 'ch_'))
  await until(
    () => service.sql`select 1 from webhook_queue where merchant_id = ${account.merchant_id}`,
    (queued) => queued.length === 0,
  )
  expect(receiver.received).toHaveLength(1)
  await send('POST', `/${id}`, { disabled: 'true' })
  await client.deleteEndpoint(id)
  expect((await send('GET', `/${id}`)).status).toBe(404)
  expect((await send('POST', `/${id}`, { disabled: 'false' })).status).toBe(404)
})

test('the list shows its own kind, newest first, page by page; our own list shows all', async () => {
  const { client, create, send } = await newShop()
  await client.createEndpoint({ url: hooks })
  const first = (await create()).body.id
  const second = (await client.createEndpoint({ url: hooks, event_format: 'stripe' })).body.id
  const third = (await create()).body.id
  const [, , , ...none] = (await client.listEndpoints()).body.endpoints
  expect(none).toHaveLength(1)
  const page = async (query: string) => {
    const { body } = await send('GET', query)
    return [body.data.map(({ id }: Json) => id), body.has_more]
  }
  const all = (await page(''))[0]
  expect(all.toSorted()).toEqual([first, second, third].toSorted())
  expect(await page('?limit=2')).toEqual([all.slice(0, 2), true])
  expect(await page(`?starting_after=${all[1]}`)).toEqual([[all[2]], false])
  expect(await page(`?ending_before=${all[2]}&limit=1`)).toEqual([[all[1]], true])
  expect(fault(await send('GET', '?starting_after=whep_0'))).toMatch(/^400 .* starting_after/)
})

test('one made natively carries the version that it was made with', async () => {
  const { client, send } = await newShop()
  const api_version = '2025-09-30.clover'
  const { status, body } = await client.createEndpoint({ url: hooks, event_format: 'stripe', api_version })
  expect([status, body.api_version]).toEqual([201, api_version])
  expect((await send('GET', `/${body.id}`)).body.api_version).toBe(api_version)
})

test('one of our own kind is not found', async () => {
  const { client, send } = await newShop()
  const { id } = (await client.createEndpoint({ url: hooks })).body
  const answers = [
    await send('GET', `/${id}`),
    await send('POST', `/${id}`, { url: hooks }),
    await send('DELETE', `/${id}`),
  ]
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404])
  expect((await client.listEndpoints()).body.endpoints).toHaveLength(1)
})

test.each<[string, object, string, boolean]>([
  ['a test merchant', {}, 'any', false],
  ['a live merchant', liveMerchant, 'any', true],
  ['a live merchant, by a key for tests', liveMerchant, 'test_only', false],
])('its mode is that of the key: %s', async (_name, merchant, mode, livemode) => {
  const account = await service.newAccount({ merchant })
  const { secret_key } = await newKey(service.operator, account.merchant_id, { mode: mode as never, pair: true })
  const { openClient } = await import('../support/client.ts')
  const shop = openShop({ ...account, secret_key, client: openClient({ base_url: service.base_url, secret_key }) })
  expect((await shop.create()).body.livemode).toBe(livemode)
  const { body } = await account.client.listEndpoints()
  expect(body.endpoints[0].mode).toBe(livemode ? 'live' : 'test')
})

test('a repeated create has the answer of the first, and a repeated change changes nothing', async () => {
  const { send } = await newShop()
  const key = { 'idempotency-key': crypto.randomUUID() }
  const fields = { url: hooks, 'enabled_events[0]': '*' }
  const first = await send('POST', '', fields, key)
  const again = await send('POST', '', fields, key)
  expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true'])
  const other = { 'idempotency-key': crypto.randomUUID() }
  const at = `/${first.body.id}`
  await send('POST', at, { description: 'one' }, other)
  await send('POST', at, { description: 'two' })
  await send('POST', at, { description: 'one' }, other)
  expect((await send('GET', at)).body.description).toBe('two')
})

test('its metadata stays within its bounds, however often it is changed', async () => {
  const { create, send } = await newShop()
  const { id } = (await create()).body
  const many = (name: string, count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`metadata[${name}${at}]`, 'x']))
  expect((await send('POST', `/${id}`, many('a', 30))).status).toBe(200)
  expect(fault(await send('POST', `/${id}`, many('b', 21)))).toMatch(/^400 .* metadata metadata_too_large$/)
  expect((await send('POST', `/${id}`, many('b', 20))).status).toBe(200)
})

describe('a create is refused', () => {
  test.each<[Record<string, string>, string]>([
    [{ url: '' }, '400 invalid_request_error invalid_url url invalid_url'],
    [{ url: 'http://shop.example' }, '400 invalid_request_error invalid_url url invalid_url'],
    [
      { 'enabled_events[0]': 'customer.created' },
      '400 invalid_request_error unknown_event_type enabled_events[0] unknown_event_type',
    ],
    [{ connect: 'true' }, '400 invalid_request_error parameter_unknown connect invalid_request'],
    [{ api_version: 'newest' }, '400 invalid_request_error invalid_request api_version invalid_request'],
  ])('%j', async (fields, expected) => {
    expect(fault(await main.create(fields))).toBe(expected)
  })

  test('without what it needs', async () => {
    expect(fault(await main.send('POST', '', { url: hooks }))).toBe(
      '400 invalid_request_error parameter_missing enabled_events invalid_request',
    )
    expect(fault(await main.send('POST', '', { 'enabled_events[0]': '*' }))).toMatch(/^400 .* url invalid_url$/)
  })
})
