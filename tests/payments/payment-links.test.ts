// Payment links: what they take, who opens their pages, and that no more is paid by one than it may take.

import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { testNumber } from '../../src/cards/test-cards.ts'
import { timestamp } from '../../src/kernel/values.ts'
import { type Answer, refusal, type SessionSecret } from '../support/client.ts'
import { meeting } from '../support/meeting.ts'
import { type Account, drivenClock, driving } from '../support/service.ts'
import { useService } from '../support/use-service.ts'

const minute_ms = 60_000
const day_ms = 24 * 60 * minute_ms
const clock = drivenClock()
const service = await useService({ clock })
let account: Account
beforeEach(async () => {
  account = await service.newAccount()
})

type Link = { id: string; url: string } & Record<string, unknown>
const links = '/v1/payment_links'

const send = (method: string, path: string, body?: object, key: string | null = randomUUID()): Promise<Answer> =>
  account.client.send(method, path, {
    headers: { ...account.client.withKey, ...(key && { 'rip-idempotency-key': key }) },
    ...(body && { body }),
  })
const create = (more: object = {}, key?: string) => send('POST', links, { amount: 4200, currency: 'GBP', ...more }, key)
async function made(more: object = {}): Promise<Link> {
  const { status, body, text } = await create(more)
  expect(status, text).toBe(201)
  return body
}
const read = async ({ id }: Link) => (await send('GET', `${links}/${id}`)).body
const disable = ({ id }: Link, key?: string) => send('POST', `${links}/${id}/disable`, undefined, key)

const pathOf = ({ url }: Pick<Link, 'url'>) => new URL(url).pathname
const page = (link: Pick<Link, 'url'>) => account.client.send('GET', pathOf(link), { headers: { accept: 'text/html' } })
async function open(link: Pick<Link, 'url'>): Promise<{ status: string; session: SessionSecret | null }> {
  const { body, status, text } = await account.client.send('POST', pathOf(link), { body: {} })
  expect(status, text).toBe(200)
  const { client_secret } = body
  return { status: body.status, session: client_secret && { id: client_secret.split('_secret_')[0], client_secret } }
}
/** Another shopper opens the page, and their card is authenticated. */
async function ready(link: Link, number?: string): Promise<SessionSecret> {
  const { session } = await open(link)
  await account.client.present(session!, number)
  return session!
}
const confirm = (session: SessionSecret) => account.client.confirm(session, { customer: { email: 'ada@example.com' } })
const pay = async (link: Link, number?: string) => (await confirm(await ready(link, number))).body
const ahead = (ms: number) => timestamp(new Date(clock.now().getTime() + ms))
const over = '409 session_expired'
const soft = testNumber('visa', { abc: '051' })
const unanswered = testNumber('visa', { abc: '904' })

describe('a link', () => {
  test('is told with all that was sent, and null where nothing was', async () => {
    const all = {
      items: [
        {
          kind: 'product',
          sku: null,
          name: 'Cup',
          quantity: 2,
          unit_amount: 2100,
          tax_amount: null,
          tax_rate: null,
          type: null,
        },
      ],
      order_reference: 'W-1',
      description: 'Two cups',
      expires_at: ahead(day_ms),
      max_payments: 3,
    }
    const link = await made(all)
    expect(link).toEqual({
      id: expect.stringMatching(/^plink_[0-9a-f]{24}$/),
      url: expect.stringMatching(/\/pay\/l\/[\w-]{43}$/),
      status: 'active',
      mode: 'test',
      amount: 4200,
      currency: 'GBP',
      ...all,
      payments_count: 0,
      created_at: expect.any(String),
    })
    expect(await read(link)).toEqual(link)
    const plain = await made()
    const nothing = { items: null, order_reference: null, description: null, expires_at: null, max_payments: null }
    expect(plain).toMatchObject(nothing)
    const { data } = (await send('GET', links)).body
    expect(data.map(({ id }: Link) => id).sort()).toEqual([link.id, plain.id].sort())
  })

  test.each<[string, object, string]>([
    ['no amount', { amount: undefined }, 'amount'],
    ['no currency', { currency: undefined }, 'currency'],
    ['an amount of nothing', { amount: 0 }, 'amount'],
    ['an end in the past', { expires_at: '2020-01-01T00:00:00Z' }, 'expires_at'],
    ['an end beyond all years', { expires_at: '9999-12-31T23:59:59-14:00' }, 'expires_at'],
    ['an end without an offset', { expires_at: '2099-01-01T00:00:00' }, 'expires_at'],
    ['no payments', { max_payments: 0 }, 'max_payments'],
    ['half a payment', { max_payments: 1.5 }, 'max_payments'],
    ['more payments than may be counted', { max_payments: 10_001 }, 'max_payments'],
    ['a description of two lines', { description: 'a\nb' }, 'description'],
    ['a card number as its description', { description: '4242 4242 4242 4242' }, 'description'],
    ['a member that it has not', { customer: {} }, 'customer'],
    [
      'discounts above the rest',
      {
        items: [
          { kind: 'discount', name: 'a', quantity: 1, unit_amount: 1 },
          { name: 'b', quantity: 1, unit_amount: 0 },
        ],
      },
      'items',
    ],
  ])('with %s is refused', async (_, more, field) => {
    const answer = await create(more)
    expect(refusal(answer)).toBe('400 invalid_request')
    expect(answer.headers.get('rip-error-field')).toBe(field)
  })

  test('is made once under a key, and withdrawn once', async () => {
    const [key, end] = [randomUUID(), randomUUID()]
    const [first, second] = [await create({}, key), await create({}, key)]
    expect(second.text).toBe(first.text)
    const answers = [await disable(first.body, end), await disable(first.body, end), await disable(first.body)]
    for (const { status, body } of answers) expect([status, body.status]).toEqual([200, 'disabled'])
    const lines = await service.sql`
      select change from journal where merchant_id = ${account.merchant_id} and subject = ${first.body.id} order by change`
    expect(lines.map(({ change }) => change)).toEqual(['payment_link.created', 'payment_link.disabled'])
  })

  test('needs a publishable key of the account', async () => {
    await service.sql`update publishable_keys set revoked_at = ${clock.now()} where merchant_id = ${account.merchant_id}`
    expect(refusal(await create())).toBe('401 public_key_missing')
  })

  test('is listed by its state', async () => {
    const [active, ended, withdrawn, paid] = [
      await made(),
      await made({ expires_at: ahead(minute_ms) }),
      await made(),
      await made({ max_payments: 1 }),
    ]
    await disable(withdrawn)
    await pay(paid)
    await clock.advance(minute_ms)
    for (const [status, link] of Object.entries({ active, expired: ended, disabled: withdrawn, completed: paid })) {
      const { data } = (await send('GET', `${links}?status=${status}`)).body
      expect(data.map(({ id }: Link) => id)).toEqual([link.id])
    }
    const seen: string[] = []
    for (let after = ''; ; ) {
      const { body } = await send('GET', `${links}?limit=1${after}`)
      seen.push(...body.data.map(({ id }: Link) => id))
      if (!body.has_more) break
      after = `&after=${encodeURIComponent(body.next_cursor)}`
    }
    expect(seen.sort()).toEqual([active.id, ended.id, withdrawn.id, paid.id].sort())
  })
})

describe('its page', () => {
  test('takes a payment of the amount, which is verified', async () => {
    const link = await made({ order_reference: 'W-1', description: 'Two cups' })
    const shown = await page(link)
    expect(shown.status).toBe(200)
    expect(shown.text).toContain('Two cups')
    const session = await ready(link)
    expect((await confirm(session)).body).toMatchObject({ status: 'captured', order_reference: 'W-1' })
    expect((await account.client.readSession(session.id)).body).toMatchObject({ amount: 4200, amount_verified: true })
    expect(await read(link)).toMatchObject({ status: 'active', payments_count: 1 })
    expect((await open(link)).session!.id).not.toBe(session.id)
  })

  test('makes no session by being looked at', async () => {
    const link = await made()
    await page(link)
    const rows = await service.sql`select 1 from sessions where merchant_id = ${account.merchant_id}`
    expect(rows).toHaveLength(0)
  })

  test.each<[string, (path: string) => string]>([
    ['nobody', (path) => path.replace(/..$/, (end) => (end === 'AA' ? 'BB' : 'AA'))],
    ['a shorter token', (path) => path.slice(0, -1)],
    ['a token in other letters', (path) => `${path}=`],
    ['no token', (path) => path.replace(/[^/]+$/, 'x')],
  ])('of %s is not there', async (_, other) => {
    const url = other((await made()).url)
    expect((await page({ url })).status).toBe(404)
    expect((await account.client.send('POST', pathOf({ url }), { body: {} })).status).toBe(404)
  })

  test.each<[string, (link: Link) => Promise<unknown>]>([
    ['completed', (link) => pay(link)],
    ['disabled', (link) => disable(link)],
    ['expired', () => clock.advance(minute_ms)],
  ])('says that it is %s, and makes no session', async (status, finish) => {
    const link = await made({ max_payments: status === 'completed' ? 1 : undefined, expires_at: ahead(minute_ms) })
    await finish(link)
    const shown = await page(link)
    expect(shown.status).toBe(410)
    expect(shown.text).toContain(`"status":"${status}"`)
    expect(await open(link)).toEqual({ status, session: null })
    expect(await read(link)).toMatchObject({ status })
  })

  test('of a suspended account takes nothing', async () => {
    const link = await made()
    await service.sql`update merchants set status = 'suspended' where merchant_id = ${account.merchant_id}`
    await clock.advance(minute_ms)
    expect((await page(link)).status).toBe(503)
    expect(refusal(await account.client.send('POST', pathOf(link), { body: {} }))).toBe('403 merchant_not_active')
  })
})

describe('an open page cannot begin to pay', () => {
  test.each<[string, (link: Link) => Promise<unknown>]>([
    ['completed', (link) => pay(link)],
    ['disabled', (link) => disable(link)],
    ['expired', () => clock.advance(minute_ms)],
  ])('once the link is %s', async (status, finish) => {
    const link = await made({ max_payments: status === 'completed' ? 1 : undefined, expires_at: ahead(minute_ms) })
    const session = await ready(link)
    await finish(link)
    expect(refusal(await confirm(session))).toBe(over)
    expect((await account.client.readSession(session.id)).body.payment_id).toBeNull()
  })
})

describe('places', () => {
  test('a charge that nobody has answered has one, until it fails', async () => {
    const link = await made({ max_payments: 1 })
    const first = await ready(link, unanswered)
    const second = await ready(link)
    expect(await driving(clock, confirm(first))).toMatchObject({ body: { status: 'processing' } })
    expect(await read(link)).toMatchObject({ status: 'completed', payments_count: 1 })
    expect(refusal(await confirm(second))).toBe(over)
  })

  test('a decline has none', async () => {
    const link = await made({ max_payments: 1 })
    expect(await pay(link, soft)).toMatchObject({ status: 'declined' })
    expect(await read(link)).toMatchObject({ status: 'active', payments_count: 0 })
    expect(await pay(link)).toMatchObject({ status: 'captured' })
  })

  test('a hold has one, and its void gives it back', async () => {
    account = await service.newAccount({ integration: { capture: 'manual' } })
    const link = await made({ max_payments: 1 })
    const { status, payment_id } = await pay(link)
    expect([status, (await read(link)).status]).toEqual(['held', 'completed'])
    await account.client.decideHold('void', payment_id)
    expect(await read(link)).toMatchObject({ status: 'active', payments_count: 0 })
    const next = await pay(link)
    await account.client.decideHold('capture', next.payment_id)
    expect(await read(link)).toMatchObject({ status: 'completed', payments_count: 1 })
  })

  test('a refund keeps its', async () => {
    const link = await made({ max_payments: 1 })
    const { payment_id } = await pay(link)
    await account.client.refund(payment_id)
    expect(await read(link)).toMatchObject({ status: 'completed', payments_count: 1 })
  })

  test.each([2, 10])('of %i shoppers at the last place one pays', async (count) => {
    const link = await made({ max_payments: 1 })
    const sessions: SessionSecret[] = []
    for (let index = 0; index < count; index++) sessions.push(await ready(link))
    const answers = await Promise.all(sessions.map(confirm))
    expect(answers.filter(({ body }) => body.status === 'captured')).toHaveLength(1)
    expect(answers.filter((answer) => answer.status !== 200).map(refusal)).toEqual(Array(count - 1).fill(over))
    expect(await read(link)).toMatchObject({ payments_count: 1 })
  })

  const lockLink =
    ({ id }: Link) =>
    (tx: typeof service.sql) =>
      tx`select 1 from payment_links where payment_link_id = ${id} for update`

  test.each(['confirm first', 'disable first'])('a confirm beside a disable, %s', async (order) => {
    const link = await made()
    const session = await ready(link)
    const acts = [() => confirm(session), () => disable(link)] as const
    const [first, second] = order === 'confirm first' ? acts : ([acts[1], acts[0]] as const)
    const answers = await meeting(service.sql, first, second, lockLink(link) as never)
    const confirmed = answers[order === 'confirm first' ? 0 : 1]!
    if (order === 'confirm first') expect(confirmed.body).toMatchObject({ status: 'captured' })
    else expect(refusal(confirmed)).toBe(over)
    expect(await read(link)).toMatchObject({ status: 'disabled' })
  })
})
