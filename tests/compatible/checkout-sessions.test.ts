// The life of a Checkout Session: from its create to a payment, a hold, or an end without one.

import { beforeEach, describe, expect, test } from 'vitest'
import { testNumber } from '../../src/cards/test-cards.ts'
import { compatibleNameOf, type StoredEventType } from '../../src/kernel/values.ts'
import { checkouts, openCheckouts } from '../support/checkout-sessions.ts'
import { type Answer, type Json, purchase } from '../support/client.ts'
import { fault } from '../support/compatible.ts'
import { runJob } from '../support/holding.ts'
import { meeting } from '../support/meeting.ts'
import { type Account, drivenClock, driving } from '../support/service.ts'
import { useService } from '../support/use-service.ts'

const minute_ms = 60_000
const day_ms = 24 * 60 * minute_ms
const clock = drivenClock()
const service = await useService({ clock })
let account: Account
let shop: ReturnType<typeof openCheckouts>
beforeEach(async () => {
  account = await service.newAccount()
  shop = openCheckouts(service, account)
})

const made = async (more: object = {}): Promise<Json> => {
  const { status, body, text } = await shop.create(more)
  expect(status, text).toBe(200)
  return body
}
type Session = NonNullable<Awaited<ReturnType<typeof shop.open>>>
const opened = async (id: string) => (await shop.open(id)) as Session
const pay = async (session: Session, number?: string) => {
  await account.client.present(session, number)
  return (await account.client.confirm(session)).body
}
const soft = testNumber('visa', { abc: '051' })
const fraud = testNumber('visa', { abc: '059' })
const unanswered = testNumber('visa', { abc: '904' })
/** Both wait for the row, first the first, and then go on. */
const atSession = <First, Second>(id: string, first: () => Promise<First>, second: () => Promise<Second>) =>
  meeting(service.sql, first, second, (tx) => tx`select 1 from sessions where session_id = ${id} for update`)
const atCheckout = <First, Second>(id: string, first: () => Promise<First>, second: () => Promise<Second>) =>
  meeting(
    service.sql,
    first,
    second,
    (tx) => tx`select 1 from checkout_sessions where checkout_session_id = ${id} for update`,
  )
const sweep = () => runJob(service, 'sweep_checkout_sessions')
const linesOf = async (change: string) => {
  const rows = await service.sql`
    select 1 from journal where merchant_id = ${account.merchant_id} and change = ${change}`
  return rows.length
}

describe('a payment', () => {
  test('completes it, and its address goes', async () => {
    const { id, url, ...created } = await made({ client_reference_id: 'W-1', metadata: { a: '1' } })
    expect(id).toMatch(/^cs_test_[0-9a-zA-Z]{56}$/)
    expect(url).toMatch(new RegExp(`/pay/c/${id}#page_secret_[0-9a-f]{64}$`))
    expect(created).toMatchObject({
      object: 'checkout.session',
      status: 'open',
      payment_status: 'unpaid',
      amount_total: 4200,
      currency: 'gbp',
      payment_intent: null,
      client_reference_id: 'W-1',
      metadata: { a: '1' },
      expires_at: created.created + day_ms / 1000,
      customer_details: { email: 'ada@example.com' },
    })
    expect(await shop.read(id)).toEqual({ id, url, ...created })
    const session = (await shop.open(id))!
    expect(await shop.read(id)).toMatchObject({ status: 'open', payment_intent: session.id, url })
    await account.client.present(session)
    expect((await account.client.confirm(session)).body).toMatchObject({
      status: 'captured',
      order_reference: 'W-1',
      confirmation_url: `http://localhost:4242/done?session_id=${id}`,
    })
    expect(await shop.read(id)).toMatchObject({
      status: 'complete',
      payment_status: 'paid',
      payment_intent: session.id,
      url: null,
    })
    expect((await account.client.readSession(session.id)).body).toMatchObject({
      amount_verified: true,
      metadata: {},
      items: [{ name: 'Cup', quantity: 2, unit_amount: 2100 }],
    })
    expect(await shop.open(id)).toBeNull()
  })

  test('that is held completes it unpaid, and its capture or void decides', async () => {
    for (const [decision, payment_status] of [
      ['capture', 'paid'],
      ['void', 'unpaid'],
    ] as const) {
      const { id } = await made()
      const session = await opened(id)
      await service.sql`
        update sessions set amount_verified = false, amount_verification_source = 'none' where session_id = ${session.id}`
      const { status, payment_id } = await pay(session)
      expect([status, await shop.read(id)]).toMatchObject(['held', { status: 'complete', payment_status: 'unpaid' }])
      await account.client.decideHold(decision, payment_id)
      expect(await shop.read(id)).toMatchObject({ status: 'complete', payment_status })
    }
  })

  test('whose outcome is unknown leaves it open, also past its end, and nothing ends it', async () => {
    const { id } = await made()
    const session = await opened(id)
    expect(await driving(clock, pay(session, unanswered))).toMatchObject({ status: 'processing' })
    const open = { status: 'open', payment_status: 'unpaid', payment_intent: session.id }
    expect(await shop.read(id)).toMatchObject(open)
    expect(fault(await shop.expire(id))).toBe('400 invalid_request_error invalid_request session invalid_request')
    await clock.advance(day_ms)
    await sweep()
    expect(await shop.read(id)).toMatchObject(open)
    expect(await linesOf('checkout.session.expired')).toBe(0)
  })
})

describe('the sessions of its page', () => {
  test('go on until they are over: by three declines, or by their time', async () => {
    const { id } = await made()
    const first = await opened(id)
    expect((await opened(id)).id).toBe(first.id)
    for (const left of [2, 1, 0]) expect(await pay(first, soft)).toMatchObject({ attempts_left: left })
    expect(await shop.read(id)).toMatchObject({ status: 'open', payment_status: 'unpaid' })
    const second = await opened(id)
    expect(second.id).not.toBe(first.id)
    await clock.advance(30 * minute_ms)
    const third = await opened(id)
    expect(new Set([first.id, second.id, third.id]).size).toBe(3)
    expect((await account.client.confirm(second)).body.error).toBe('session_expired')
    expect(await pay(third)).toMatchObject({ status: 'captured' })
  })

  test('end with it', async () => {
    const { id, created } = await made()
    await clock.advance(day_ms - 10 * minute_ms)
    const session = await opened(id)
    const { body } = await account.client.readSession(session.id)
    expect(body.expires_in_seconds).toBe(600)
    await clock.advance(10 * minute_ms)
    expect((await account.client.confirm(session)).body).toMatchObject({
      error: 'session_expired',
      message: 'The session’s time is over.',
    })
    expect(await shop.read(id)).toMatchObject({ status: 'expired', expires_at: created + day_ms / 1000 })
    expect(await shop.open(id)).toBeNull()
  })

  test('are five at most, and the last one’s end is its own', async () => {
    const { id } = await made()
    for (let count = 1; count <= 5; count++) {
      expect(await shop.open(id)).not.toBeNull()
      expect((await shop.read(id)).status).toBe('open')
      await clock.advance(30 * minute_ms)
    }
    expect(await shop.read(id)).toMatchObject({ status: 'expired', url: null })
    expect(await shop.open(id)).toBeNull()
    await sweep()
    expect(await linesOf('checkout.session.expired')).toBe(1)
  })

  test('stop at a decline for fraud', async () => {
    const { id } = await made()
    expect(await pay(await opened(id), fraud)).toMatchObject({ status: 'declined' })
    expect(await shop.read(id)).toMatchObject({ status: 'expired', payment_status: 'unpaid' })
    expect(await shop.open(id)).toBeNull()
    await sweep()
    expect(await linesOf('checkout.session.expired')).toBe(1)
    expect(fault(await shop.expire(id))).toContain('400')
  })

  test('one for two tabs', async () => {
    const { id } = await made()
    const [one, other] = await atCheckout(
      id,
      () => opened(id),
      () => opened(id),
    )
    expect(one.id).toBe(other.id)
    await clock.advance(30 * minute_ms)
    const [next, same] = await atSession(
      one.id,
      () => opened(id),
      () => opened(id),
    )
    expect(next.id).toBe(same.id)
    expect(next.id).not.toBe(one.id)
  })

  test('not for an account that no longer takes payments', async () => {
    const { id } = await made()
    await service.sql`update merchants set status = 'suspended' where merchant_id = ${account.merchant_id}`
    await clock.advance(minute_ms)
    await expect(shop.open(id)).rejects.toMatchObject({ code: 'merchant_not_active' })
  })
})

describe('its end', () => {
  test('by its merchant ends its session, once, and the answer is kept under its key', async () => {
    const { id } = await made()
    const session = await opened(id)
    const key = { 'idempotency-key': `k-${id}` }
    const answer = await shop.expire(id, key)
    expect(answer.body).toMatchObject({ id, status: 'expired', url: null, payment_intent: session.id })
    expect(await shop.read(id)).toEqual(answer.body)
    expect((await shop.expire(id, key)).text).toBe(answer.text)
    expect(fault(await shop.expire(id))).toBe('400 invalid_request_error invalid_request session invalid_request')
    expect((await account.client.readSession(session.id)).body.status).toBe('expired')
    expect((await account.client.confirm(session)).body.error).toBe('session_expired')
    await clock.advance(day_ms)
    await sweep()
    expect(await linesOf('checkout.session.expired')).toBe(1)
  })

  test('by its time is written once, by whichever process comes first', async () => {
    const { id } = await made()
    await opened(id)
    await clock.advance(day_ms)
    await Promise.all([sweep(), sweep(), sweep()])
    expect(await linesOf('checkout.session.expired')).toBe(1)
    expect(await sweep()).toBe(0)
  })

  test.each([
    ['before', 0],
    ['after', 0],
    ['before', 1],
    ['after', 1],
  ] as const)('%s a payment began, %i ms late: one of the two happens', async (order, late_ms) => {
    const { id } = await made()
    await clock.advance(day_ms - 10 * minute_ms)
    const session = await opened(id)
    await account.client.present(session)
    await clock.advance(10 * minute_ms - 1)
    const expire = async () => {
      await clock.advance(late_ms)
      return shop.expire(id)
    }
    // Admitted in time.
    const confirm = async () => {
      await clock.advance(order === 'before' ? -late_ms : 0)
      return account.client.confirm(session)
    }
    const [first, second] = order === 'before' ? [expire, confirm] : [confirm, expire]
    const answers = await atSession<Answer, Answer>(session.id, first, second)
    const [ended, confirmed] = order === 'before' ? answers : answers.toReversed()
    const { status } = await shop.read(id)
    const outcome = [ended!.status, confirmed!.body.status ?? confirmed!.body.error, status]
    const refused = [late_ms === 0 ? 200 : 400, 'session_expired', 'expired']
    expect(outcome).toEqual(order === 'before' ? refused : [400, 'captured', 'complete'])
    const words = order === 'before' ? 'this one is expired' : /being processed|this one is complete/
    if (ended!.status === 400) expect(ended!.body.error.message).toMatch(words)
    expect(await linesOf('checkout.session.expired')).toBe(order === 'before' ? 1 : 0)
    expect(await linesOf('checkout.session.completed')).toBe(order === 'before' ? 0 : 1)
  })

  test.each([1, 5])('by its native session, the page’s session %i, and the answer is kept', async (count) => {
    const { id } = await made()
    let session = await opened(id)
    for (let place = 1; place < count; place++) {
      await clock.advance(30 * minute_ms)
      session = await opened(id)
    }
    const key = `k-${id}`
    const answer = await account.client.expire(session.id, key)
    expect(answer.body).toMatchObject({ id: session.id, status: 'expired' })
    expect((await account.client.readSession(session.id)).body).toEqual(answer.body)
    expect(await shop.read(id)).toMatchObject({ status: 'expired', url: null, payment_intent: session.id })
    expect(await shop.open(id)).toBeNull()
    expect((await account.client.expire(session.id, key)).text).toBe(answer.text)
    expect((await account.client.expire(session.id)).body).toEqual(answer.body)
    const ends = (await shop.get('/v1/events')).body.data.map(({ type }: Json) => type)
    expect(ends).toEqual(['checkout.session.expired'])
    await sweep()
    expect(await linesOf('checkout.session.expired')).toBe(1)
  })

  test.each(['before', 'after'] as const)('by its native session, %s a charge or an attempt began', async (order) => {
    for (const act of ['confirm', 'authenticate'] as const) {
      const { id } = await made()
      const session = await opened(id)
      await account.client.present(session)
      const card = await account.client.reference(session)
      const expire = () => account.client.expire(session.id)
      const acting = () =>
        act === 'confirm' ? account.client.confirm(session) : account.client.authenticate(session, card)
      const [first, second] = order === 'before' ? [expire, acting] : [acting, expire]
      const answers = await atSession<Answer, Answer>(session.id, first, second)
      const [ended, acted] = order === 'before' ? answers : answers.toReversed()
      const is_paid = order === 'after' && act === 'confirm'
      expect([ended!.status, acted!.status]).toEqual([is_paid ? 409 : 200, order === 'before' ? 409 : 200])
      expect((await shop.read(id)).status).toBe(is_paid ? 'complete' : 'expired')
      if (!is_paid) expect((await account.client.readSession(session.id)).body).toEqual(ended!.body)
    }
  })

  test('meets the page that makes its session: that one ends, too, or is not made', async () => {
    const { id } = await made()
    const [session, { status }] = await atCheckout(
      id,
      () => opened(id),
      () => shop.expire(id),
    )
    expect(status).toBe(200)
    expect((await account.client.readSession(session.id)).body.status).toBe('expired')
    const other = (await made()).id
    const [, late] = await atCheckout(
      other,
      () => shop.expire(other),
      () => shop.open(other),
    )
    expect(late).toBeNull()
  })

  test.each(['charge', 'page'] as const)('of its session meets a charge; first comes the %s', async (first) => {
    const { id } = await made()
    const session = await opened(id)
    await account.client.present(session)
    await clock.advance(30 * minute_ms - 1)
    // Admitted in time; its statement comes when the session is over.
    const charge = () => account.client.confirm(session)
    const page = async () => {
      await clock.advance(1)
      return opened(id)
    }
    if (first === 'charge') {
      const [{ body }, next] = await atSession(session.id, charge, page)
      // The same session, while it is being charged or once it is paid.
      expect([body.status, next?.id ?? session.id]).toEqual(['captured', session.id])
    } else {
      const lateCharge = async () => {
        await clock.advance(-1)
        return charge()
      }
      const [next, { body }] = await atSession(session.id, page, lateCharge)
      expect([body.error, next.id === session.id]).toEqual(['session_expired', false])
    }
    expect((await shop.read(id)).status).toBe(first === 'charge' ? 'complete' : 'open')
  })

  test('is forgotten like unpaid sessions, and a payment is not', async () => {
    const unpaid = (await made()).id
    const paid = (await made()).id
    await pay(await opened(paid))
    await clock.advance(day_ms)
    await sweep()
    await clock.advance(2 * day_ms - minute_ms)
    await sweep()
    expect(await shop.read(unpaid)).toMatchObject({ status: 'expired' })
    await clock.advance(2 * minute_ms)
    await sweep()
    expect((await shop.read(unpaid)).error.code).toBe('resource_missing')
    expect(await shop.read(paid)).toMatchObject({ status: 'complete' })
  })
})

describe('its events', () => {
  const told = async (): Promise<Json[]> =>
    (await shop.get('/v1/events?type=checkout.session.*')).body.data.toReversed()
  const typesOf = (events: Json[]) => events.map(({ type }) => type.replace('checkout.session.', ''))

  test('completed, with the session as it is read', async () => {
    const { id } = await made({ customer_email: null, metadata: { a: '1' } })
    const session = await opened(id)
    await account.client.present(session)
    await account.client.confirm(session, { customer: { email: 'bob@example.com' } })
    const [event, ...others] = await told()
    expect([event.type, others]).toEqual(['checkout.session.completed', []])
    expect(event.data.object).toEqual(await shop.read(id))
    expect(event.data.object.customer_details.email).toBe('bob@example.com')
    expect((await shop.get('/v1/events')).body.data.map(({ type }: Json) => type).toSorted()).toEqual([
      'checkout.session.completed',
      'payment_intent.succeeded',
    ])
  })

  test.each([
    ['capture', 'async_payment_succeeded', 'paid'],
    ['void', 'async_payment_failed', 'unpaid'],
  ] as const)('of a held payment: %s', async (decision, type, payment_status) => {
    const { id } = await made()
    const session = await opened(id)
    await service.sql`
      update sessions set amount_verified = false, amount_verification_source = 'none' where session_id = ${session.id}`
    const { payment_id } = await pay(session)
    await clock.advance(1000)
    await account.client.decideHold(decision, payment_id)
    const events = await told()
    expect(typesOf(events)).toEqual(['completed', type])
    expect(events.map(({ data }) => data.object.payment_status)).toEqual(['unpaid', payment_status])
    expect(events[1].data.object).toEqual(await shop.read(id))
  })

  test.each<[string, string[], string[][]]>([
    [
      'everything',
      [],
      [['amount_capturable_updated'], ['completed'], ['succeeded'], ['async_payment_succeeded'], ['refunded']],
    ],
    [
      'the Checkout Session alone',
      ['checkout.session.completed', 'checkout.session.async_payment_succeeded'],
      [['completed'], ['async_payment_succeeded']],
    ],
    [
      'when it was paid',
      ['checkout.session.async_payment_succeeded', 'payment_intent.succeeded'],
      [['succeeded'], ['async_payment_succeeded']],
    ],
    [
      'when it is complete, and refunds',
      ['checkout.session.completed', 'charge.refunded'],
      [['completed'], ['refunded']],
    ],
  ])('an endpoint that wants %s is told of each when the one before was attempted', async (_name, types, order) => {
    const endpoint = { url: 'https://1.1.1.1/', event_format: 'stripe', event_filter: types }
    expect((await account.client.createEndpoint(endpoint)).status).toBe(201)
    const { id } = await made()
    const session = await opened(id)
    await service.sql`
      update sessions set amount_verified = false, amount_verification_source = 'none' where session_id = ${session.id}`
    const { payment_id } = await pay(session)
    await account.client.decideHold('capture', payment_id)
    await shop.post('/v1/refunds', { payment_intent: session.id })
    const rows = await service.sql<{ delivery_id: string; after_id: string | null; type: string }[]>`
      select q.delivery_id, q.after_id, e.type from webhook_queue q
      join events e on e.merchant_id = q.merchant_id and e.payment_id = q.payment_id and e.sequence = q.sequence
      where q.merchant_id = ${account.merchant_id}`
    const turns: string[][] = []
    for (let waiting = [...rows]; waiting.length > 0; ) {
      const ids = new Set(waiting.map(({ delivery_id }) => delivery_id))
      const due = waiting.filter(({ after_id }) => after_id === null || !ids.has(after_id))
      turns.push(due.map(({ type }) => compatibleNameOf(type as StoredEventType).replace(/^.*\./, '')).toSorted())
      waiting = waiting.filter((row) => !due.includes(row))
    }
    expect(turns).toEqual(order)
  })

  test('expired, by its merchant and by its time, also when its row has gone, without what it said', async () => {
    const first = (await made()).id
    await opened(first)
    await shop.expire(first)
    await clock.advance(1000)
    const second = (await made()).id
    await clock.advance(day_ms)
    await sweep()
    const objects = await Promise.all([first, second].map(shop.read))
    expect((await told()).map(({ type, data }) => [type, data.object])).toEqual(
      objects.map((object) => ['checkout.session.expired', object]),
    )
    await clock.advance(3 * day_ms)
    await sweep()
    const unsaid = { customer_details: null, customer_email: null, client_reference_id: null, metadata: {} }
    expect((await told()).map(({ data }) => data.object)).toEqual(
      objects.map((object) => ({ ...object, ...unsaid, success_url: '', cancel_url: null })),
    )
  })

  test('keep what they show of one that nobody paid, and nothing else', async () => {
    const { id } = await made({ client_reference_id: 'shown', metadata: { order: 'shown' } })
    const { id: session_id } = await opened(id)
    await shop.expire(id)
    await clock.advance(1000)
    const native = await account.client.open({
      ...purchase,
      items: [{ kind: 'product', name: 'Cup', quantity: 1, unit_amount: purchase.amount }],
      customer: { email: 'ada@example.com', name: 'Ada L' },
      confirmation_url: 'https://shop.example/cup',
      metadata: { order: 'shown' },
    })
    await shop.post(`/v1/payment_intents/${native.id}/cancel`, {})
    const rows = await service.sql<{ payment_id: string; body: string }[]>`
      select payment_id, body from events where merchant_id = ${account.merchant_id} order by type desc`
    expect(rows.map(({ payment_id }) => payment_id)).toEqual([native.id, id])
    for (const { body } of rows) {
      expect(body).toContain('ada@example.com')
      expect(body).toContain('shown')
      expect(body).not.toMatch(/Cup|Ada L|public_key|payment_metadata|look_at|items|lines|confirmation_url/)
    }
    const { data } = (await shop.get('/v1/events')).body
    const read = async (path: string) => (await shop.get(path)).body
    expect(data.map((event: Json) => event.data.object)).toEqual([
      await read(`/v1/payment_intents/${native.id}`),
      await read(`${checkouts}/${id}`),
    ])
    expect(data[1].data.object.payment_intent).toBe(session_id)
    await clock.advance(3 * day_ms)
    await sweep()
    await runJob(service, 'purge_sessions')
    const later = (await shop.get('/v1/events')).body.data.map((event: Json) => event.data.object)
    expect(later).toMatchObject([{ id: native.id, status: 'canceled', receipt_email: null }, { id }])
    expect(JSON.stringify(later)).not.toMatch(/ada@|shown/)
  })

  test('none of a session of ours, nor natively', async () => {
    await account.client.pay()
    expect(await told()).toEqual([])
    await pay(await opened((await made()).id))
    const native = (
      await account.client.send('GET', '/v1/events', { headers: { 'x-service-api-key': account.secret_key } })
    ).body
    expect(JSON.stringify(native)).not.toContain('checkout.session.')
  })
})

describe('its page', () => {
  const statusOf = async (url: string) => (await account.client.send('GET', new URL(url).pathname)).status
  const outage = {
    merchant: () => service.sql`update merchants set status = 'suspended' where merchant_id = ${account.merchant_id}`,
    key: () =>
      service.sql`update publishable_keys set revoked_at = ${clock.now()} where merchant_id = ${account.merchant_id}`,
  }

  test.each(['merchant', 'key'] as const)('is there without its %s where it begins no payment', async (what) => {
    const pages = [await made(), await made(), await made(), await made()]
    const [, under_way, paid, over] = pages as [Json, Json, Json, Json]
    await opened(under_way.id)
    await pay(await opened(paid.id))
    await shop.expire(over.id)
    await outage[what]()
    await clock.advance(minute_ms)
    expect(await Promise.all(pages.map(({ url }) => statusOf(url)))).toEqual([503, 200, 200, 200])
  })
})
