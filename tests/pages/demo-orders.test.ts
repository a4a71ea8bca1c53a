// POST /demo/orders, the demo shop's own little server: what it refuses, and what it makes of its service's refusals.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { OutgoingFailure } from '../../src/kernel/world.ts'
import type { DemoShop } from '../../src/pages/demo-shop.ts'
import { manualClock } from '../support/clock.ts'
import { type Service, startService } from '../support/service.ts'

const tea = { sku: 'tea', name: 'Tea', unit_amount: 850, currency: 'GBP' }
const pot = { sku: 'pot', name: 'Pot', unit_amount: 4200, currency: 'GBP' }
const two = JSON.stringify({
  items: [
    { sku: 'tea', quantity: 2 },
    { sku: 'pot', quantity: 1 },
  ],
})

let service: Service
/** What the shop's server knows now. */
let open: DemoShop | null
let unanswered = false

beforeAll(async () => {
  service = await startService({
    demo_shop: () => open,
    http: (http) => ({
      post: async (request) => {
        if (unanswered) throw new OutgoingFailure('unanswered', true, 'no answer in time')
        return http.post(request)
      },
    }),
  })
})
afterAll(() => service.close())

function shopOf({ secret_key = service.account.secret_key } = {}): DemoShop {
  const { publishable_key } = service.account
  return { secret_key, publishable_key: publishable_key!, handle: 'tea', goods: [tea, pot] }
}

async function order(body: string, sent: Record<string, string> = {}) {
  const headers = { 'content-type': 'application/json', origin: service.base_url, ...sent }
  const answer = await fetch(`${service.base_url}/demo/orders`, { method: 'POST', headers, body })
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
  return { status: answer.status, body: (await answer.json()) as Record<string, string> }
}

async function sessions(): Promise<number> {
  const [row] = await service.sql<{ count: number }[]>`select count(*)::int as count from sessions`
  return row!.count
}

test("an order is a session of the shop's prices", async () => {
  open = shopOf()
  const { status, body } = await order(two)
  expect(status).toBe(201)
  expect(body).toEqual({
    client_secret: expect.stringMatching(/^cs_\w+_secret_/),
    public_key: service.account.publishable_key,
    order_reference: expect.stringMatching(/^HL-[0-9a-f]{8}$/),
  })
  const [id] = body.client_secret!.split('_secret_')
  const [session] = await service.sql`
    select amount::int, currency, order_reference from sessions where session_id = ${id!}`
  const { order_reference } = body
  expect(session).toMatchObject({ amount: 5900, currency: 'GBP', order_reference })
})

const item = (more: object) => JSON.stringify({ items: [{ sku: 'tea', quantity: 1, ...more }] })
const unreadable = 'items must name goods and quantities.'

test.each<[string, string, string]>([
  ['no body', '', unreadable],
  ['bad JSON', '{"items":', unreadable],
  ['JSON that is no object', '[]', unreadable],
  ['no items', '{}', unreadable],
  ['an empty basket', '{"items":[]}', unreadable],
  ['more than a basket holds', JSON.stringify({ items: Array(21).fill({ sku: 'tea', quantity: 1 }) }), unreadable],
  ['quantity 0', item({ quantity: 0 }), unreadable],
  ['a quantity below 0', item({ quantity: -1 }), unreadable],
  ['half a quantity', item({ quantity: 0.5 }), unreadable],
  ['a quantity of 100', item({ quantity: 100 }), unreadable],
  ['a quantity in quotes', item({ quantity: '1' }), unreadable],
  ["a price of the browser's", item({ unit_amount: 1 }), unreadable],
  ['an unknown sku', item({ sku: 'gold' }), 'items names goods that the shop does not have.'],
])('refused: %s', async (_name, body, message) => {
  open = shopOf()
  const before = await sessions()
  expect(await order(body)).toEqual({ status: 400, body: { message } })
  expect(await sessions()).toBe(before)
})

test.each<[string, Record<string, string>, number, RegExp]>([
  ['a form', { 'content-type': 'application/x-www-form-urlencoded' }, 415, /application.json/],
  ['a text', { 'content-type': 'text/plain' }, 415, /application.json/],
  ['what only begins like JSON', { 'content-type': 'application/jsonp' }, 415, /application.json/],
  ['another site', { origin: 'https://evil.example' }, 403, /own page/],
  ['a page without a site', { origin: 'null' }, 403, /own page/],
])('refused: %s', async (_name, sent, status, words) => {
  open = shopOf()
  const before = await sessions()
  const answer = await order(two, sent)
  expect([answer.status, answer.body.message]).toEqual([status, expect.stringMatching(words)])
  expect(await sessions()).toBe(before)
})

test('an address places thirty orders a minute, refused ones too', async () => {
  const clock = manualClock()
  const limited = await startService({
    clock,
    demo_shop: () => open,
    trusted_proxies: ['127.0.0.1'],
  })
  open = shopOf({ secret_key: limited.account.secret_key })
  const from = async (address: string, body = '{}') => {
    const answer = await fetch(`${limited.base_url}/demo/orders`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: limited.base_url, 'x-forwarded-for': address },
      body,
    })
    return `${answer.status} ${answer.headers.get('retry-after')}`
  }
  for (let index = 0; index < 30; index++) expect(await from('203.0.113.7')).toBe('400 null')
  expect(await from('203.0.113.7', two)).toBe('429 60')
  expect(await from('203.0.113.8', two)).toBe('201 null')
  await clock.advance(60_000)
  expect(await from('203.0.113.7', two)).toBe('201 null')
  await limited.close()
})

test('no demo merchant, no shop', async () => {
  open = null
  expect(await order(two)).toEqual({ status: 404, body: { message: 'There is no demo shop.' } })
})

test('the service refuses', async () => {
  open = shopOf({ secret_key: 'rip_sk_wrong' })
  expect(await order(two)).toEqual({
    status: 502,
    body: { message: 'The payment service refused the order.' },
  })
})

test('the service does not answer', async () => {
  open = shopOf()
  unanswered = true
  expect(await order(two)).toEqual({
    status: 502,
    body: { message: 'The payment service did not answer.' },
  })
  unanswered = false
})
