// The stream of events: each event of a merchant once and whole, whatever becomes of connections, keys and readers.

import { describe, expect, test } from 'vitest'
import { openHeard } from '../../src/cli/listen.ts'
import { withdrawKey } from '../../src/merchants/manage.ts'
import { manualClock } from '../support/clock.ts'
import { hold } from '../support/holding.ts'
import { listen as listenAt, type StreamMessage } from '../support/listener.ts'
import { type Account, newKey, startService, until } from '../support/service.ts'
import { useService } from '../support/use-service.ts'

const captured = '4242424242424242'
const declined = '4000000000000002'

const service = await useService()

const path = '/v1/events/stream'
const listen = ({ secret_key }: Pick<Account, 'secret_key'>, query = '', last_id?: string | null) =>
  listenAt({ base_url: service.base_url, secret_key, path: path + query, last_id })

const eventsOf = ({ merchant_id }: Account) =>
  service.sql<{ event_id: string; type: string; payment_id: string; body: string }[]>`
    select event_id, type, payment_id, body from events where merchant_id = ${merchant_id}`

const ids = (news: StreamMessage[]) => news.map(({ data }) => data.event_id)

test('an event comes as it is committed, with the bytes of a delivery', async () => {
  const account = await service.newAccount()
  const listener = await listen(account)
  expect(listener.told).toEqual([
    {
      event: 'ready',
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      data: { merchant_id: account.merchant_id },
    },
  ])
  await account.client.pay(captured)
  await account.client.pay(declined)
  const news = await listener.atLeast(2)
  const events = await eventsOf(account)
  expect(news.map(({ event }) => event)).toEqual(['payment.captured', 'payment.declined'])
  for (const { event, data } of news) {
    expect(data).toEqual(events.find(({ event_id }) => event_id === data.event_id))
    expect(JSON.parse(data.body)).toMatchObject({ id: data.event_id, type: event })
  }
  const metrics = async () => (await fetch(`${service.base_url}/metrics`)).text()
  expect(await metrics()).toContain('ripper_open_streams{route="/v1/events/stream"} 1')
  listener.hangUp()
  const after = await until(metrics, (text) => /open_streams\{[^}]*events[^}]*\} 0/.test(text))
  // How long somebody listened is no duration of a request.
  expect(after).not.toMatch(/duration_seconds_count\{[^}]*events\/stream/)
})

test('100 payments while the connection breaks again and again: each event once', async () => {
  const account = await service.newAccount()
  const heard = openHeard()
  const events: string[] = []
  let listener = await listen(account)
  let last_id = listener.told[0]!.id
  let taken = 0
  const take = () => {
    for (const { id, data } of listener.news().slice(taken)) {
      taken += 1
      last_id = id
      if (heard.isNew({ event_id: data.event_id, cursor: id! })) events.push(data.event_id)
    }
  }
  let is_paying = true
  const paying = Promise.all(
    Array.from({ length: 10 }, async (_, payer) => {
      for (let each = 0; each < 10; each++) {
        await account.client.pay((payer + each) % 3 === 0 ? declined : captured)
      }
    }),
  ).finally(() => {
    is_paying = false
  })
  for (let connections = 0; is_paying; connections++) {
    await Promise.race([listener.atLeast(1 + (connections % 5)).catch(() => {}), paying])
    take()
    listener.hangUp()
    taken = 0
    listener = await listen(account, '', last_id)
  }
  await paying
  const wanted = (await eventsOf(account)).map(({ event_id }) => event_id)
  expect(wanted).toHaveLength(100)
  while (events.length < 100) {
    await listener.atLeast(taken + 1)
    take()
  }
  expect(events.toSorted()).toEqual(wanted.toSorted())
  listener.hangUp()
}, 60_000)

test('on one connection no event comes twice, in the order of their commits for each payment', async () => {
  const account = await service.newAccount()
  const listener = await listen(account)
  const { payment_id } = await hold(account)
  await account.client.decideHold('capture', payment_id)
  await listener.atLeast(2)
  await account.client.pay(captured)
  const news = await listener.atLeast(3)
  expect(news.map(({ event }) => event)).toEqual(['payment.held', 'payment.captured', 'payment.captured'])
  expect(new Set(ids(news)).size).toBe(3)
  listener.hangUp()
})

test('the events of another account are left out', async () => {
  const [mine, theirs] = [await service.newAccount(), await service.newAccount()]
  const [listener, other] = [await listen(mine), await listen(theirs)]
  await mine.client.pay(captured)
  await listener.atLeast(1)
  await theirs.client.pay(captured)
  const [only] = await other.atLeast(1)
  expect(other.news()).toHaveLength(1)
  expect(only!.data.event_id).toBe((await eventsOf(theirs))[0]!.event_id)
  // A cursor leads into one's own journal, wherever it comes from.
  const stranger = await listen(theirs, '', listener.told[0]!.id)
  await stranger.atLeast(1)
  expect(ids(stranger.news())).toEqual([only!.data.event_id])
  for (const each of [listener, other, stranger]) each.hangUp()
})

test('only the types that are asked for come', async () => {
  const account = await service.newAccount()
  const listener = await listen(account, '?events=payment.declined,payment.voided')
  await account.client.pay(captured)
  await account.client.pay(declined)
  expect((await listener.atLeast(1)).map(({ event }) => event)).toEqual(['payment.declined'])
  listener.hangUp()
})

describe('in the other platform’s words', () => {
  const eventsIn = (news: Awaited<ReturnType<Awaited<ReturnType<typeof listen>>['atLeast']>>) =>
    news.map(({ event, data }) => [event, data.type, JSON.parse(data.body).type])

  test('each event has its name there, and those that ours lack come, too', async () => {
    const account = await service.newAccount()
    const [listener, native] = [await listen(account, '?format=stripe'), await listen(account)]
    await account.client.pay('4100000000000019')
    const { payment_id } = (await account.client.pay(captured)).body
    await account.client.refund(payment_id, { amount: 1 })
    const news = await listener.atLeast(4)
    const types = [
      'payment_intent.payment_failed',
      'payment_intent.canceled',
      'payment_intent.succeeded',
      'charge.refunded',
    ]
    expect(eventsIn(news).toSorted()).toEqual(types.map((type) => [type, type, type]).toSorted())
    for (const { data } of news) expect(JSON.parse(data.body)).toMatchObject({ id: data.event_id, object: 'event' })
    expect((await native.atLeast(2)).map(({ event }) => event)).toEqual(['payment.declined', 'payment.captured'])
    for (const each of [listener, native]) each.hangUp()
  })

  test('only the types that are asked for come', async () => {
    const account = await service.newAccount()
    const listener = await listen(account, '?format=stripe&events=payment_intent.succeeded')
    await account.client.pay(declined)
    await account.client.pay(captured)
    const type = 'payment_intent.succeeded'
    expect(eventsIn(await listener.atLeast(1))).toEqual([[type, type, type]])
    listener.hangUp()
  })

  test.each(['?format=stripe&events=payment.captured', '?events=payment_intent.succeeded', '?format=x'])(
    '%s is refused',
    async (query) => {
      const { client } = service.account
      const { status } = await client.send('GET', path + query, { headers: client.withKey })
      expect(status).toBe(400)
    },
  )
})

test('what another process has committed is found', async () => {
  const account = await service.newAccount()
  const listener = await listen(account)
  const { payment_id } = (await account.client.pay(captured)).body
  await listener.atLeast(1)
  // No process tells of this one.
  await service.sql`
    insert into events select merchant_id, payment_id, 2, event_id || '_2', 'payment.voided', body, created_at
    from events where payment_id = ${payment_id}`
  await service.sql`
    insert into journal (merchant_id, entry_id, subject, change, detail, actor, at)
    select merchant_id, ${service.context.ids.journalEntry(new Date())}, subject, 'payment.voided', detail, actor, at
    from journal where subject = ${payment_id} and change = 'payment.captured'`
  const news = await listener.atLeast(2)
  expect(news[1]!.event).toBe('payment.voided')
  listener.hangUp()
})

test('a revoked key gets the reason, and nothing more', async () => {
  const clock = manualClock()
  const own = await startService({ clock })
  const { key_id, secret_key, merchant_id } = own.account
  const listener = await listenAt({ base_url: own.base_url, secret_key, path })
  const spare = await newKey(own.operator, merchant_id)
  const other = await listenAt({ base_url: own.base_url, secret_key: spare.secret_key, path })
  await withdrawKey(own.operator, key_id)
  // The process has heard of it. No more time passes then than one look takes: the end of the stream goes over a real socket.
  const askWithIt = () =>
    fetch(`${own.base_url}/v1/payments/pay_${'0'.repeat(24)}`, {
      headers: { 'x-service-api-key': secret_key },
    })
  await until(askWithIt, ({ status }) => status === 401)
  await clock.advance(20_000)
  await listener.ended
  expect(listener.news()).toMatchObject([{ event: 'refused', data: { code: 'key_revoked' } }])
  expect(other.news()).toEqual([])
  await own.close()
  await other.ended
})

test('a service that stops ends its streams', async () => {
  const own = await startService()
  const { base_url, account } = own
  const listener = await listenAt({ base_url, secret_key: account.secret_key, path })
  await account.client.pay(captured)
  await listener.atLeast(1)
  const began_ms = performance.now()
  await own.close()
  await listener.ended
  expect(performance.now() - began_ms).toBeLessThan(5_000)
})

const no_key = 'rip_sk_none'

test.each([
  ['no key', { key: '' }, '', '401 {"code":"unknown_principal"}'],
  ['a key that nobody has', { key: no_key }, '', '401 {"code":"unknown_principal"}'],
  ['a key that may only read', { may: 'read' }, '', '403 {"code":"key_permission_denied"}'],
  ['a type that is none', {}, '?events=payment.captured,payment.lost', '400 unknown_event_type'],
  ['a retired type', {}, '?events=payment.succeeded', '400 unknown_event_type'],
  ['no type at all', {}, '?events=', '400 unknown_event_type'],
  ['types sent twice', {}, '?events=payment.held&events=payment.held', '400 invalid_request'],
  ['a cursor that is none', {}, '?after=last', '400 invalid_pagination'],
  ['a parameter that is none', {}, '?since=1', '400 invalid_request'],
])('%s is refused', async (_, asked: { key?: string; may?: string }, query, wanted) => {
  const account = await service.newAccount(asked.may ? { key: { permissions: ['read_transactions'] } } : {})
  const secret_key = asked.key ?? account.secret_key
  const refused = await listen({ secret_key }, query).then(
    () => 'listens',
    (error: Error) => error.message,
  )
  expect(refused.replace(/\{"error":"(\w+)".*/s, '$1')).toBe(wanted)
})
