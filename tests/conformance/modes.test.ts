// A key that is bound to a mode sees and changes nothing of the other mode: each route of keys, made from the records.

import { describe, expect, test } from 'vitest'
import type { ModeRule } from '../../src/http/only-mode.ts'
import type { Mode } from '../../src/kernel/values.ts'
import { routes, streams } from '../../src/routes.ts'
import { bothModes, type KeyMode, keyModes, modes, openBothModes, sees } from '../support/both-modes.ts'
import { type Answer, bytes, type Client, refusal } from '../support/client.ts'
import { listen } from '../support/listener.ts'
import { useService } from '../support/use-service.ts'
import { deadLetter } from './webhook-delivery-rows.ts'

const service = await useService(bothModes)
const { accounts, makers, makes, idOf } = await openBothModes(service)
const { any: account } = accounts
const { merchant_id } = account

type Keyed = {
  name: string
  method: string
  path: string
  kind: string
  rule: ModeRule | undefined
}

const keyed: Keyed[] = [...routes, ...streams].flatMap(({ method, path, access, mode }) =>
  access.kind === 'secret_key' || access.kind === 'bearer_key'
    ? [{ name: `${method} ${path}`, method, path, kind: access.kind, rule: mode }]
    : [],
)

test('every route of a key says how it keeps to the mode of its key', () => {
  expect(keyed.filter(({ rule }) => rule === undefined).map(({ name }) => name)).toEqual([])
  expect(keyed.length).toBeGreaterThan(30)
})

function call({ method, path, kind }: Keyed, client: Client, id: string | null): Promise<Answer> {
  const { secret_key } = client
  const headers: Record<string, string> = {
    ...(kind === 'secret_key' ? client.withKey : { authorization: `Bearer ${secret_key}` }),
    ...(method === 'GET' ? {} : { 'rip-idempotency-key': crypto.randomUUID() }),
  }
  const is_endpoint = path.endsWith('/{webhook_endpoint_id}')
  const is_compatible_refund = kind === 'bearer_key' && path.endsWith('/refunds')
  const body = is_compatible_refund
    ? { payment_intent: id, amount: 1 }
    : is_endpoint
      ? { description: 'of another' }
      : path.endsWith('/refunds')
        ? { amount: 1 }
        : undefined
  const at = path.replace(/\{\w+\}/, id ?? '')
  return client.send(method, at, { headers, ...(method === 'POST' && body && { body }) })
}

/** Acts on what is in a certain state. */
const namesOfActs: [RegExp, string][] = [
  [/\/hold\//, 'held_id'],
  [/\/capture$/, 'held_session_id'],
  [/\/(cancel|expire)$/, 'unpaid_session_id'],
]

/** A Checkout Session of the other platform, at the same paths as sessions of ours. */
const isCheckout = ({ kind, path }: Keyed) => kind === 'bearer_key' && path.includes('/checkout/sessions')

/** An id that nobody has. */
const nobodys = (id: string) =>
  id.replace(/[0-9a-f]{8,}$/, (hex) =>
    hex.replace(/[0-9a-f]/g, (digit) => ((Number.parseInt(digit, 16) + 5) % 16).toString(16)),
  )

describe('an object', () => {
  const objects = keyed.filter(({ rule }) => typeof rule === 'object')
  const rows = objects.flatMap((route) => keyModes.flatMap((key) => modes.map((mode) => ({ ...route, key, mode }))))
  test.each(rows)('$name, key $key, $mode', async ({ key, mode, ...route }) => {
    const [, named] = /\{(\w+)\}/.exec(route.path) ?? [null, 'session_id']
    const name = isCheckout(route) ? 'checkout_id' : (namesOfActs.find(([act]) => act.test(route.path))?.[1] ?? named!)
    const { client } = accounts[key]
    const consumes = route.method === 'DELETE' || /\/(hold\/\w+|replay|expire|capture|cancel|disable)$/.test(route.path)
    await forgetLimits()
    if (sees(key, mode)) {
      const id = consumes ? await makes[name]!(mode) : await idOf(name, mode)
      const answer = await call(route, client, id)
      expect(answer.status, answer.text).toBeLessThan(300)
      return
    }
    const id = await idOf(name, mode)
    const stored = () => storedOf(merchant_id)
    const before = await stored()
    await forgetLimits()
    const answer = await call(route, client, id)
    expect(answer.status, answer.text).toBe(404)
    expect(bytes(answer)).toBe(bytes(await call(route, client, nobodys(id))))
    expect(await stored()).toEqual(before)
  })

  test('an endpoint of both modes belongs to no key of one', async () => {
    const both = (await account.client.createEndpoint({ url: 'https://shop.example/both' })).body.id
    for (const mode of modes) {
      const answer = await makers[mode].client.deleteEndpoint(both)
      expect(refusal(answer)).toBe('404 endpoint_not_found')
    }
    expect((await account.client.deleteEndpoint(both)).status).toBe(204)
  })
})

/** Refusals of a limit would say nothing of the mode. */
async function forgetLimits(): Promise<void> {
  await service.sql`delete from webhook_rate_limits`
  await service.sql`delete from limit_uses`
}

/** What an act on the other mode would change. */
async function storedOf(merchant_id: string) {
  const [row] = await service.sql`
    select (select count(*) from refunds where merchant_id = ${merchant_id}) as refunds,
      (select count(*) from acquirer_operations where merchant_id = ${merchant_id}) as operations,
      (select count(*) from holds where merchant_id = ${merchant_id} and status = 'pending_review') as holds,
      (select count(*) from sessions where merchant_id = ${merchant_id} and cancellation is not null) as ended,
      (select count(*) from payment_links where merchant_id = ${merchant_id} and disabled_at is not null) as disabled,
      (select count(*) from webhook_queue where merchant_id = ${merchant_id}) as queued,
      (select count(*) || coalesce(string_agg(description, '' order by endpoint_id), '') from webhook_endpoints
        where merchant_id = ${merchant_id} and status = 'active') as endpoints`
  return row
}

/** What lists have that do not list payments, by the name that paths give its id. */
const listedBy: Record<string, string> = {
  '/v1/disputes': 'dispute_id',
  '/v1/payment_links': 'payment_link_id',
  '/v1/payouts': 'payout',
}

describe('a list', () => {
  const lists = keyed.filter(({ rule }) => rule === 'query')
  const wishes = ['', 'mode=test', 'mode=live']
  const rows = lists.flatMap((route) => keyModes.flatMap((key) => wishes.map((wish) => ({ ...route, key, wish }))))
  test.each(rows)('$name, key $key, $wish', async ({ key, wish, path }) => {
    const name = listedBy[path] ?? 'payment_id'
    for (const mode of modes) await idOf(name, mode)
    const { client } = accounts[key]
    const { status, body } = await client.send('GET', `${path}?limit=100&${wish}`, {
      headers: client.withKey,
    })
    expect(status).toBe(200)
    const seen = new Set(
      body.data.map(
        (row: { mode?: Mode; data?: { mode: Mode }; vendor_id?: string }) =>
          row.mode ?? row.data?.mode ?? row.vendor_id,
      ),
    )
    const expected = modes.filter((mode) => sees(key, mode) && (wish === '' || wish.endsWith(mode)))
    expect([...seen].sort()).toEqual([...expected].sort())
    if (expected.length === 0) expect(body).toEqual({ data: [], has_more: false, next_cursor: null })
  })

  test('a cursor of another key is one of other filters', async () => {
    for (let count = 0; count < 2; count++) await makes.payment_id!('test')
    const page = await account.client.send('GET', '/v1/payments?limit=1', {
      headers: account.client.withKey,
    })
    const { client } = accounts.test_only
    const after = encodeURIComponent(page.body.next_cursor)
    const next = await client.send('GET', `/v1/payments?limit=1&after=${after}`, {
      headers: client.withKey,
    })
    expect(refusal(next)).toBe('400 invalid_pagination')
  })
})

/** What routes do that keep to the mode in their handler: the modes that a key meets there. */
const handlers: Record<string, (key: KeyMode) => Promise<(Mode | 'both')[]>> = {
  'POST /v1/checkout/sessions': async (key) => [(await accounts[key].client.create()).body.mode],
  'POST /v1/payment_links': async (key) => {
    const { client } = accounts[key]
    const headers = { ...client.withKey, 'rip-idempotency-key': crypto.randomUUID() }
    return [
      (await client.send('POST', '/v1/payment_links', { headers, body: { amount: 1, currency: 'GBP' } })).body.mode,
    ]
  },
  'POST /v1/webhooks/endpoints': async (key) => {
    const { body } = await accounts[key].client.createEndpoint({ url: 'https://shop.example/new' })
    return [body.mode ?? 'both']
  },
  'GET /v1/webhooks/endpoints': async (key) => {
    for (const mode of modes) await idOf('endpoint_id', mode)
    await account.client.createEndpoint({ url: 'https://shop.example/both' })
    const { endpoints } = (await accounts[key].client.listEndpoints()).body
    return endpoints.map((each: { mode?: Mode }) => each.mode ?? 'both')
  },
  'GET /v1/webhooks/deliveries': async (key) => {
    const ids = await Promise.all(modes.map((mode) => idOf('delivery_id', mode)))
    const { data } = (await accounts[key].client.listDeliveries('limit=100')).body
    return modes.filter((_, at) => data.some(({ delivery_id }: { delivery_id: string }) => delivery_id === ids[at]))
  },
  'GET /v1/events/stream': async (key) => {
    const listener = await listen({ ...listening(key), path: '/v1/events/stream' })
    for (const mode of ownLast(key)) await makes.payment_id!(mode)
    const heard = await listener.atLeast(key === 'any' ? 2 : 1)
    listener.hangUp()
    return heard.map(({ data }) => JSON.parse(data.body).data.mode)
  },
  'GET /v1/logs/stream': async (key) => {
    const listener = await listen({ ...listening(key), path: '/v1/logs/stream?path=/v1/payments' })
    for (const mode of ownLast(key)) {
      const id = await idOf('payment_id', mode)
      // By a key of both modes what is read says the mode.
      await account.client.readPayment(id)
      await makers[mode].client.readPayment(id)
      await makers[mode].client.readPayment(nobodys(id))
    }
    const heard = await listener.atLeast(key === 'any' ? 6 : 3)
    listener.hangUp()
    const ids = await Promise.all(modes.map((mode) => idOf('payment_id', mode)))
    return heard.map(
      ({ data }) => modes[ids.findIndex((id) => data.path.endsWith(id) || data.path.endsWith(nobodys(id)))]!,
    )
  },
}

/** What a key of both modes makes: here the account is live. */
const createdByAny: Record<string, Mode | 'both'> = {
  'POST /v1/checkout/sessions': 'live',
  'POST /v1/payment_links': 'live',
  'POST /v1/webhooks/endpoints': 'both',
}

/** Whoever has heard all of its own mode would have heard of the other before. */
const ownLast = (key: KeyMode): Mode[] =>
  modes.toSorted((one, other) => Number(sees(key, one)) - Number(sees(key, other)))

const listening = (key: KeyMode) => ({
  base_url: service.base_url,
  secret_key: accounts[key].secret_key,
})

describe('a route that keeps to the mode by itself', () => {
  const byHandler = keyed.filter(({ rule }) => rule === 'handler')
  const own = byHandler.filter(({ kind }) => kind === 'secret_key')
  const compatible = byHandler.filter(({ kind }) => kind === 'bearer_key')

  test('has rows', () => {
    expect(Object.keys(handlers).sort()).toEqual(own.map(({ name }) => name).sort())
  })

  const rows = own.flatMap(({ name }) => keyModes.map((key) => ({ name, key })))
  test.each(rows)('$name, key $key', async ({ name, key }) => {
    const met = new Set(await handlers[name]!(key))
    const created_mode = createdByAny[name]
    if (key !== 'any') expect([...met]).toEqual([key === 'test_only' ? 'test' : 'live'])
    else if (created_mode) expect([...met]).toEqual([created_mode])
    else expect([...met].filter((mode) => mode !== 'both').sort()).toEqual(['live', 'test'])
  })

  test.each(keyModes)('a payment intent that a key %s creates', async (key) => {
    const creates = compatible.filter(({ name }) => /^POST .*\/payment_intents$/.test(name))
    expect(creates).toHaveLength(5)
    for (const { path } of creates) {
      const { client } = accounts[key]
      const { body } = await client.send('POST', path, {
        headers: { authorization: `Bearer ${client.secret_key}` },
        body: { amount: 4200, currency: 'gbp' },
      })
      expect(body.livemode).toBe(key !== 'test_only')
    }
  })

  /** The price list has no mode: what it says is of the mode in which the key sells. */
  const isOfOffers = (path: string) => /\/(prices|products)(\/\{sku\})?$/.test(path)
  const offers = compatible.filter(({ path }) => isOfOffers(path))
  test.each(offers.flatMap((route) => keyModes.map((key) => ({ ...route, key }))))('$name, key $key', async (row) => {
    const { client } = accounts[row.key]
    const headers = { authorization: `Bearer ${client.secret_key}` }
    const { body } = await client.send('GET', row.path.replace('{sku}', 'tea'), { headers })
    expect((body.data?.[0] ?? body).livemode).toBe(row.key !== 'test_only')
  })

  const lists = compatible.filter(({ method, path }) => method === 'GET' && !isOfOffers(path))
  const listRows = lists.flatMap((route) => keyModes.map((key) => ({ ...route, key })))
  test.each(listRows)('$name, key $key', async ({ path, key }) => {
    const ids: Record<string, string[]> = {}
    const { client } = accounts[key]
    const headers = { authorization: `Bearer ${client.secret_key}` }
    const ask = async (query: string) => client.send('GET', `${path}?limit=100&${query}`, { headers })
    await forgetLimits()
    for (const mode of modes) ids[mode] = [await idOf(listed(path), mode), await makes[listed(path)]!(mode)]
    const { data } = (await ask('')).body
    const seen = modes.filter((mode) => data.some(({ id }: { id: string }) => id === ids[mode]![1]))
    expect(seen).toEqual(modes.filter((mode) => sees(key, mode)))
    for (const mode of modes) {
      const [older, newer] = ids[mode]!
      for (const query of [`starting_after=${newer}`, `ending_before=${older}`]) {
        const answer = await ask(query)
        expect([query, answer.status]).toEqual([query, sees(key, mode) ? 200 : 400])
        if (!sees(key, mode)) expect(bytes(answer)).toBe(bytes(await ask(nobodys(query))))
      }
    }
  })
})

/** What a list is of, by the name that paths give its id. */
const listedNames: Record<string, string> = {
  payment_intents: 'unpaid_session_id',
  sessions: 'checkout_id',
  refunds: 'refund_id',
  charges: 'charge_id',
  events: 'event_id',
  webhook_endpoints: 'webhook_endpoint_id',
}
const listed = (path: string) => listedNames[path.split('/').at(-1)!] ?? 'unknown'

test('an endpoint is told of events of its own mode alone', async () => {
  await forgetLimits()
  const url = 'https://shop.example/told'
  const ids: Record<string, string> = {}
  for (const key of keyModes) ids[key] = (await accounts[key].client.createEndpoint({ url })).body.id
  const payments = { test: await makes.payment_id!('test'), live: await makes.payment_id!('live') }
  for (const key of keyModes) {
    const rows = await service.sql<{ payment_id: string }[]>`
      select payment_id from webhook_queue where endpoint_id = ${ids[key]!}`
    const heard = modes.filter((mode) => rows.some((row) => row.payment_id === payments[mode]))
    expect([key, heard]).toEqual([key, modes.filter((mode) => sees(key, mode))])
  }
})

test('a delivery shows a key of one mode no more of an endpoint of both than its origin', async () => {
  const url = 'https://shop.example/x?token=secret'
  const { body } = await account.client.createEndpoint({ url, event_filter: ['payment.voided'] })
  const place = { ...service, account }
  const payment_id = await idOf('payment_id', 'test')
  const letter = await deadLetter(place, { endpoint_id: body.id, payment_id })
  await service.sql`update webhook_attempts set endpoint_url = ${url} where delivery_id = ${letter.delivery_id}`
  const shown = async (key: KeyMode) => {
    const { data } = (await accounts[key].client.listDeliveries('limit=100')).body
    return data.find((row: { delivery_id: string }) => row.delivery_id === letter.delivery_id)?.endpoint_url
  }
  expect(await shown('any')).toBe(url)
  expect(await shown('test_only')).toBe('https://shop.example')
  expect(await shown('live_only')).toBe(undefined)
})
