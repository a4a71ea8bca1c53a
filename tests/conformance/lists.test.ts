// The lists of payments, sessions and events: rows, pages, filters, and what is refused.

import { describe, expect, test } from 'vitest'
import { type Json, purchase, refusal } from '../support/client.ts'
import { hold } from '../support/holding.ts'
import { drivenClock } from '../support/service.ts'
import { useService } from '../support/use-service.ts'

const clock = drivenClock()
const service = await useService({ clock })
const account = await service.newAccount()
const { client } = account

type Page = { data: Json[]; has_more: boolean; next_cursor: string | null }

const ask = (path: string) => client.send('GET', path, { headers: client.withKey })
const list = async (path: string): Promise<Page> => {
  const answer = await ask(path)
  expect(answer.status, answer.text).toBe(200)
  return answer.body
}
const idsOf = ({ data }: Page) => data.map(({ id }) => id as string)
const pagesOf = async (path: string): Promise<string[][]> => {
  const pages: string[][] = []
  for (let after = ''; ; ) {
    const page = await list(`${path}${after}`)
    pages.push(idsOf(page))
    expect(page.has_more).toBe(page.next_cursor !== null)
    if (page.next_cursor === null) return pages
    after = `${path.includes('?') ? '&' : '?'}after=${page.next_cursor}`
  }
}
const pay = async (number?: string, more: object = {}): Promise<Json> => {
  await clock.advance(1000)
  return (await client.pay(number, { ...purchase, ...more })).body
}
const declinedCard = '4000009105150000'

const [grace, declined, other, held] = await (async () => {
  const first = await pay(undefined, {
    customer: { email: 'Grace@Example.com', name: 'Grace' },
    order_reference: 'G-1',
    items: [{ name: 'Tea', quantity: 1, unit_amount: 4200 }],
  })
  const second = await pay(declinedCard, { order_reference: 'G-1' })
  const third = await pay('5555555555554444', { amount: 999, currency: 'eur' })
  await clock.advance(1000)
  return [first, second, third, await hold(account)] as const
})()
// What happens in one millisecond is listed in no order.
await clock.advance(1000)
const { body: refund } = await client.refund(grace.payment_id, { amount: 100 })
const all = [held, other, declined, grace].map(({ payment_id }) => payment_id)
const timeOf = async (id: string) => (await client.readPayment(id)).body.created_at as string
const times = await Promise.all(all.map(timeOf))

describe('payments', () => {
  test('each as it is read, without items, with its card', async () => {
    const { data, has_more, next_cursor } = await list('/v1/payments')
    expect([has_more, next_cursor]).toEqual([false, null])
    const cards = ['4242', '4444', '0000', '4242']
    const brands = ['visa', 'mastercard', 'visa', 'visa']
    for (const [at, id] of all.entries()) {
      const { items: _, ...read } = (await client.readPayment(id)).body
      expect(data[at]).toEqual({ ...read, card: { brand: brands[at], last4: cards[at] } })
    }
    expect(data).toHaveLength(4)
    expect(data[3]).toMatchObject({ basket_total: 4200, order_reference_captured_payments: 1 })
    expect(data.map(({ refunded_amount }) => refunded_amount)).toEqual([...Array(3), 100])
    expect(data[3]).not.toHaveProperty('items')
  })

  test.each([1, 2, 3])('in pages of %i', async (limit) => {
    const pages = await pagesOf(`/v1/payments?limit=${limit}`)
    expect(pages.flat()).toEqual(all)
    expect(pages).toHaveLength(Math.ceil(4 / limit))
  })

  test.each<[string, number[]]>([
    ['mode=test', [0, 1, 2, 3]],
    ['mode=live', []],
    ['status=captured', [1, 3]],
    ['status=declined', [2]],
    ['status=held', [0]],
    ['status=failed', []],
    ['customer_email=gRACE%40example.COM', [3]],
    ['customer_email=nobody%40example.com', []],
    ['card_last4=4242', [0, 3]],
    ['card_last4=4444', [1]],
    ['order_reference=G-1', [2, 3]],
    ['order_reference=G', []],
    ['amount=999', [1]],
    ['amount=4200&currency=gbp', [0, 2, 3]],
    ['currency=EUR', [1]],
    ['decline_code=suspected_fraud', []],
    ['order_reference=G-1&status=declined&card_last4=0000&customer_email=ADA@example.com', [2]],
    ['order_reference=G-1&status=captured&mode=test', [3]],
    ['refunded=true', [3]],
    ['refunded=false', [0, 1, 2]],
    ['refunded=true&mode=test&status=captured', [3]],
    ['refunded=true&currency=EUR', []],
    ['refunded=false&status=captured', [1]],
  ])('%s', async (query, expected) => {
    const ids = expected.map((at) => all[at])
    expect((await pagesOf(`/v1/payments?limit=1&${query}`)).flat()).toEqual(ids)
    expect(idsOf(await list(`/v1/payments?${query}`))).toEqual(ids)
  })

  test('by the code of their decline', async () => {
    const { decline } = (await client.readPayment(declined.payment_id)).body
    const page = await list(`/v1/payments?decline_code=${decline.code}`)
    expect(idsOf(page)).toEqual([declined.payment_id])
  })

  test('of a span of time: from a time on, before another', async () => {
    const [third, first] = [times[1]!, times[3]!].map(encodeURIComponent)
    expect(idsOf(await list(`/v1/payments?created_from=${third}`))).toEqual(all.slice(0, 2))
    expect(idsOf(await list(`/v1/payments?created_before=${third}`))).toEqual(all.slice(2))
    const between = `created_from=${first}&created_before=${third}`
    expect(idsOf(await list(`/v1/payments?${between}`))).toEqual(all.slice(2))
  })
})

describe('sessions', () => {
  const sessions = [held.session.id, other.session_id, declined.session_id, grace.session_id]

  test('each as it is read, without items and metadata, with its order reference', async () => {
    const { data } = await list('/v1/checkout/sessions')
    expect(data.map(({ id }) => id)).toEqual(sessions)
    for (const [at, id] of sessions.entries()) {
      const { items: _, metadata: __, ...read } = (await client.readSession(id)).body
      const order_reference = at > 1 ? 'G-1' : null
      expect(data[at]).toEqual({ ...read, order_reference })
    }
    expect(data[0]).toMatchObject({ hold: { status: 'pending_review' } })
  })

  test.each<[string, number[]]>([
    ['mode=test', [0, 1, 2, 3]],
    ['mode=live', []],
    ['status=succeeded', [0, 1, 3]],
    ['status=requires_payment', [2]],
    ['status=expired', []],
    ['order_reference=G-1', [2, 3]],
    ['order_reference=G-1&status=succeeded', [3]],
  ])('%s', async (query, expected) => {
    const ids = expected.map((at) => sessions[at])
    expect((await pagesOf(`/v1/checkout/sessions?limit=1&${query}`)).flat()).toEqual(ids)
  })

  test('of a span of time', async () => {
    const { created_at } = (await client.readSession(other.session_id)).body
    const at = encodeURIComponent(created_at)
    const path = '/v1/checkout/sessions'
    expect(idsOf(await list(`${path}?created_from=${at}`))).toEqual(sessions.slice(0, 2))
    expect(idsOf(await list(`${path}?created_before=${at}`))).toEqual(sessions.slice(2))
  })

  test('an open one reads as expired after its time', async () => {
    const later = await service.newAccount()
    const open = await later.client.open()
    const ofStatus = async (status: string) => {
      const path = `/v1/checkout/sessions?status=${status}`
      return (await later.client.send('GET', path, { headers: later.client.withKey })).body
    }
    expect(idsOf(await ofStatus('requires_payment'))).toEqual([open.id])
    await clock.advance(30 * 60_000)
    expect(idsOf(await ofStatus('expired'))).toEqual([open.id])
    expect(idsOf(await ofStatus('requires_payment'))).toEqual([])
  })
})

describe('events', () => {
  test('each as a receiver gets it, whether or not there is one', async () => {
    const { data } = await list('/v1/events')
    expect(data.map(({ type }) => type)).toEqual([
      ...['refund.succeeded', 'payment.held', 'payment.captured'],
      ...['payment.declined', 'payment.captured'],
    ])
    const rows = await service.sql<{ event_id: string; body: string }[]>`
      select event_id, body from events where merchant_id = ${account.merchant_id}`
    expect(rows).toHaveLength(5)
    const bodies = new Map(rows.map(({ event_id, body }) => [event_id, body]))
    for (const event of data) expect(JSON.stringify(event)).toBe(bodies.get(event.id))
  })

  test('in pages', async () => {
    const pages = await pagesOf('/v1/events?limit=2')
    expect(pages.map((page) => page.length)).toEqual([2, 2, 1])
    expect(new Set(pages.flat()).size).toBe(5)
  })

  test.each<[string, string[]]>([
    ['mode=live', []],
    ['mode=test&type=payment.declined', ['payment.declined']],
    ['type=refund.succeeded', ['refund.succeeded']],
    ['type=refund.failed', []],
    [`payment_id=${grace.payment_id}`, ['refund.succeeded', 'payment.captured']],
    [`payment_id=${grace.payment_id}&type=payment.captured`, ['payment.captured']],
    [`payment_id=${declined.payment_id}`, ['payment.declined']],
    [`payment_id=pay_${'f'.repeat(24)}`, []],
  ])('%s', async (query, expected) => {
    const { data } = await list(`/v1/events?${query}`)
    expect(data.map(({ type }) => type)).toEqual(expected)
  })

  test('of a span of time', async () => {
    const at = encodeURIComponent(times[1]!)
    const until = await list(`/v1/events?created_before=${at}`)
    expect(until.data.map(({ data }) => data.payment_id)).toEqual([declined.payment_id, grace.payment_id])
    const { data } = await list(`/v1/events?created_from=${at}&type=refund.succeeded`)
    expect(data.map(({ data }) => data.id)).toEqual([refund.id])
  })
})

const paths = ['/v1/payments', '/v1/checkout/sessions', '/v1/events']

describe.each(paths)('%s refuses', (path) => {
  test.each<[string, string, string]>([
    ['limit=0', 'invalid_pagination', 'limit'],
    ['limit=101', 'invalid_pagination', 'limit'],
    ['limit=ten', 'invalid_pagination', 'limit'],
    ['limit=5&limit=6', 'invalid_pagination', 'limit'],
    ['offset=20', 'invalid_pagination', 'offset'],
    ['after=x', 'invalid_pagination', 'after'],
    ['after=', 'invalid_pagination', 'after'],
    ['mode=sandbox', 'invalid_request', 'mode'],
    ['mode=test&mode=live', 'invalid_request', 'mode'],
    ['created_from=yesterday', 'invalid_request', 'created_from'],
    ['created_from=2026-09-01', 'invalid_request', 'created_from'],
    ['created_before=2026-13-01T00:00:00Z', 'invalid_request', 'created_before'],
    ['created_before=2026-02-30T00:00:00Z', 'invalid_request', 'created_before'],
    ['page=2', 'invalid_request', 'page'],
    ['%00=2', 'invalid_request', ''],
  ])('%s', async (query, code, named) => {
    const answer = await ask(`${path}?${query}`)
    expect(refusal(answer)).toBe(`400 ${code}`)
    expect(answer.body.message).toContain(named)
  })

  test('a cursor of other filters, of another list, and of another merchant', async () => {
    const { next_cursor } = await list(`${path}?limit=1&mode=test`)
    const again = (query: string) => ask(`${query}after=${next_cursor}`)
    expect((await again(`${path}?mode=test&limit=2&`)).status).toBe(200)
    const elsewhere = paths.find((each) => each !== path)
    for (const query of [`${path}?`, `${path}?mode=live&`, `${elsewhere}?mode=test&`]) {
      expect(refusal(await again(query))).toBe('400 invalid_pagination')
    }
    const theirs = await service.newAccount()
    const foreign = await theirs.client.send('GET', `${path}?mode=test&after=${next_cursor}`, {
      headers: theirs.client.withKey,
    })
    expect(refusal(foreign)).toBe('400 invalid_pagination')
  })

  test('a key without the permission, and none', async () => {
    const answer = await client.send('GET', path)
    expect(refusal(answer)).toBe('401 unauthorized')
  })
})

test.each([
  ['/v1/payments', 'status=paid'],
  ['/v1/payments', 'status=expired'],
  ['/v1/payments', 'customer_email='],
  ['/v1/payments', `customer_email=${'a'.repeat(255)}`],
  ['/v1/payments', 'customer_email=%00'],
  ['/v1/payments', 'card_last4=424'],
  ['/v1/payments', 'card_last4=42424'],
  ['/v1/payments', 'card_last4=abcd'],
  ['/v1/payments', `order_reference=${'x'.repeat(65)}`],
  ['/v1/payments', 'amount=0'],
  ['/v1/payments', 'amount=1.5'],
  ['/v1/payments', 'amount=999999999999'],
  ['/v1/payments', 'currency=XXX'],
  ['/v1/payments', 'decline_code=%0a'],
  ['/v1/payments', 'refunded=yes'],
  ['/v1/payments', 'refunded=true&refunded=true'],
  ['/v1/payments', 'type=payment.held'],
  ['/v1/checkout/sessions', 'status=captured'],
  ['/v1/checkout/sessions', 'order_reference=%00'],
  ['/v1/events', 'type=payment.succeeded'],
  ['/v1/events', 'type=payment.held&type=payment.failed'],
  ['/v1/events', 'payment_id=pay_1'],
])('%s refuses %s, and names it', async (path, query) => {
  const answer = await ask(`${path}?${query}`)
  expect(refusal(answer)).toBe('400 invalid_request')
  expect(answer.body.message).toContain(query.split('=')[0])
})
