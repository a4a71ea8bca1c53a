// Refused requests of merchants' servers: kept for a month, written together, bounded, and without what could be secret.

import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { keepRefusals } from '../../src/http/keep-refusals.ts'
import { openMetrics } from '../../src/http/metrics.ts'
import { openRefusalLog } from '../../src/http/refusal-log.ts'
import type { Json } from '../support/client.ts'
import { manualClock } from '../support/clock.ts'
import { newMember, refusalIn } from '../support/person.ts'
import { newKey, startService } from '../support/service.ts'
import { useService } from '../support/use-service.ts'

const clock = manualClock()
const service = await useService({ clock })
const { account, client, sql, context } = service
const developer = await newMember(service, { role: 'developer' })
const minute_ms = 60_000
const day_ms = 24 * 3_600_000

const list = async (query = '', merchant_id: string = account.merchant_id) =>
  developer.get(`/${merchant_id}/requests${query}`)

const kept = async (merchant_id: string = account.merchant_id) =>
  (await sql`select 1 from request_log where merchant_id = ${merchant_id}`).length

/** Until so many are written, which takes a second of the clock. */
async function untilKept(count: number): Promise<void> {
  const looked = async () => {
    await clock.advance(1_000)
    return kept()
  }
  await expect.poll(looked).toBe(count)
}

describe('what is kept', () => {
  test('a refusal of a secret key, with its field, and neither query nor body', async () => {
    await client.pay()
    const { headers } = await client.create({ amount: 0, order_reference: 'secret-order' })
    await untilKept(1)
    await client.send('GET', `/v1/payments?customer_email=secret@shop.example&limit=0`, {
      headers: { 'x-service-api-key': account.secret_key },
    })
    await untilKept(2)
    const { body, text } = await list()
    expect(body.data, text).toEqual([
      expect.objectContaining({ path: '/v1/payments', code: 'invalid_pagination', field: 'limit' }),
      {
        request_id: headers.get('rip-request-id'),
        at: expect.any(String),
        method: 'POST',
        path: '/v1/checkout/sessions',
        route: '/v1/checkout/sessions',
        status: 400,
        code: 'invalid_request',
        field: 'amount',
        asker_id: account.key_id,
        duration_ms: expect.any(Number),
      },
    ])
    expect(text).not.toMatch(/secret/)
    expect([body.has_more, body.next_cursor]).toEqual([false, null])
  })

  test('not of a page without a session, nor of a key that nobody knows', async () => {
    const before = (await list()).body.data.length
    const session = await client.open()
    await client.send('GET', `/v1/checkout/sessions/${session.id}/state`)
    await client.send('GET', '/v1/payments', { headers: { 'x-service-api-key': 'rip_sk_none' } })
    await client.create({ amount: 0 })
    await untilKept(before + 1)
    const { body } = await developer.get(`/${account.merchant_id}/requests/recent`)
    expect(body.keeps_refused).toBe(true)
    expect(body.data.map(({ status }: Json) => status)).toContain(201)
  })

  test('none where it is off', async () => {
    const shared = { database: service.database, master_key: randomBytes(32), clock }
    const off = await startService({ ...shared, request_log: 'off' })
    const { status } = await off.client.create({ amount: 0 })
    await off.close()
    expect([status, await kept(off.account.merchant_id)]).toEqual([400, 0])
  })

  test('what waits when the process ends', async () => {
    const shared = { database: service.database, master_key: randomBytes(32), clock }
    const ending = await startService(shared)
    const { merchant_id } = ending.account
    await ending.client.create({ amount: 0 })
    await ending.close()
    expect(await kept(merchant_id)).toBe(1)
  })
})

describe('the list', () => {
  test('by key, route, code, time and request, and page by page', async () => {
    const other = await newKey(service.operator, account.merchant_id)
    await clock.advance(minute_ms)
    const since = clock.now().toISOString()
    const { headers } = await client.send('GET', `/v1/payments/pay_${'0'.repeat(24)}`, {
      headers: { 'x-service-api-key': other.secret_key },
    })
    await untilKept(4)
    const request_id = headers.get('rip-request-id')
    const only = [expect.objectContaining({ request_id })]
    const found = async (query: string) => (await list(query)).body.data
    expect(await found(`?asker_id=${other.key.key_id}`)).toEqual(only)
    const names = async (query: string) => (await list(query)).body.key_names
    await sql`update api_keys set name = 'till' where key_id = ${other.key.key_id}`
    const till = { [other.key.key_id]: 'till' }
    expect(await names('?code=resource_not_found')).toEqual(till)
    // Of a key that was refused nothing, the filter has a name all the same.
    expect(await names(`?asker_id=${other.key.key_id}&code=none`)).toEqual(till)
    expect(await found('?route=/v1/payments/:payment_id')).toEqual(only)
    expect(await found('?code=resource_not_found')).toEqual(only)
    expect(await found(`?request_id=${request_id}`)).toEqual(only)
    expect(await found(`?created_from=${since}`)).toEqual(only)
    const older = await found(`?created_before=${since}`)
    expect(older).not.toEqual(expect.arrayContaining(only))
    const all = await found('')
    expect(all.length).toBe(older.length + 1)
    const first = (await list('?limit=1')).body
    const rest = (await list(`?limit=100&after=${first.next_cursor}`)).body
    expect([...first.data, ...rest.data]).toEqual(all)
    const strange = await list(`?code=x&after=${first.next_cursor}`)
    expect(refusalIn(strange)).toBe('400 invalid_pagination')
  })

  test('looks at five thousand rows at most, and then says where it stopped', async () => {
    const many = await service.newAccount()
    const owner = await newMember(service, { merchant_id: many.merchant_id })
    await sql`
      insert into request_log
        (merchant_id, entry_id, request_id, key_id, at, method, path, route, status, code, duration_ms)
      select ${many.merchant_id}, lpad(to_hex(${clock.now().getTime()}::bigint - n), 12, '0') || repeat('0', 20),
        'req_' || n, 'key_1', ${clock.now()}, 'GET', '/', '/', 404,
        case when n = 6000 then 'rare' else 'common' end, 1
      from generate_series(1, 6000) n`
    const first = await owner.get(`/${many.merchant_id}/requests?code=rare`)
    expect(first.body).toMatchObject({ data: [], has_more: true })
    const next = await owner.get(`/${many.merchant_id}/requests?code=rare&after=${first.body.next_cursor}`)
    expect(next.body).toMatchObject({ data: [{ request_id: 'req_6000' }], has_more: false })
  })

  test('is for those who may read requests, and for no other merchant', async () => {
    const support = await newMember(service, { role: 'support' })
    const refused = await support.get(`/${account.merchant_id}/requests`)
    expect(refusalIn(refused)).toBe('403 permission_denied')
    const other = await service.newAccount()
    expect(refusalIn(await list('', other.merchant_id))).toBe('404 resource_not_found')
  })
})

describe('the queue', () => {
  const refusalOf = (merchant_id: string, number: number) => ({
    merchant_id,
    request_id: `req_${String(number).padStart(24, '0')}`,
    asker_id: 'key_1',
    at: clock.now(),
    method: 'GET',
    path: '/',
    route: '/',
    status: 500,
    code: null,
    field: null,
    duration_ms: 1,
  })
  const notKept = async (metrics: ReturnType<typeof openMetrics>) =>
    /^ripper_refusals_not_kept_total (\d+)$/m.exec(await metrics.text())?.[1]

  test('holds a hundred of a merchant, counts the others, and has room again when they are written', async () => {
    const metrics = openMetrics()
    const log = openRefusalLog({ sql, world: context.world, metrics })
    for (let n = 0; n < 150; n += 1) log.add(refusalOf('m_wild', n))
    log.add(refusalOf('m_calm', 1))
    await clock.advance(1_000)
    await expect.poll(() => kept('m_calm')).toBe(1)
    expect(await kept('m_wild')).toBe(100)
    expect(await notKept(metrics)).toBe('50')
    log.add(refusalOf('m_wild', 200))
    await log.close()
    expect(await kept('m_wild')).toBe(101)
  })

  test('holds twenty of a session and of all shoppers, beside those of servers, and counts none of them', async () => {
    const metrics = openMetrics()
    const log = openRefusalLog({ sql, world: context.world, metrics })
    const of = (merchant_id: string, session: string, from: number, until: number) => {
      for (let n = from; n < until; n += 1) log.add({ ...refusalOf(merchant_id, n), asker_id: `cs_${session}` })
    }
    for (let n = 0; n < 100; n += 1) log.add(refusalOf('m_shop', n))
    of('m_shop', 'one', 100, 115)
    of('m_shop', 'two', 200, 215)
    await clock.advance(1_000)
    await expect.poll(() => kept('m_shop')).toBe(120)
    of('m_shop', 'one', 300, 330)
    log.add({ ...refusalOf('m_shop', 400), asker_id: 'cs_three', code: 'authentication_incomplete' })
    await log.close()
    expect(await kept('m_shop')).toBe(125)
    expect(await notKept(metrics)).toBe('0')
  })

  test('holds sixty of all shoppers of a merchant in a minute, and goes on in the next one', async () => {
    const log = openRefusalLog({ sql, world: context.world, metrics: openMetrics() })
    const everyShopper = async (from: number) => {
      for (let n = from; n < from + 20; n += 1) log.add({ ...refusalOf('m_busy', n), asker_id: `cs_${n}` })
      await log.close()
    }
    for (let second = 0; second < 5; second += 1) await everyShopper(second * 20)
    expect(await kept('m_busy')).toBe(60)
    await clock.advance(minute_ms)
    await everyShopper(100)
    expect(await kept('m_busy')).toBe(80)
  })

  test('knows what a session has had, however many others come', async () => {
    const log = openRefusalLog({ sql, world: context.world, metrics: openMetrics() })
    const add = (merchant_id: string, n: number, session: string) =>
      log.add({ ...refusalOf(merchant_id, n), asker_id: session })
    const addOthers = async (from: number, until: number) => {
      for (let n = from; n < until; n += 1) {
        add(`m_other_${Math.floor(n / 20)}`, n, `cs_${n}`)
        if (n % 1_000 === 999) await log.close()
      }
      await log.close()
    }
    await addOthers(0, 9_980)
    for (let n = 0; n < 20; n += 1) add('m_known', n, 'cs_known')
    await addOthers(9_980, 10_020)
    add('m_known', 20, 'cs_known')
    await log.close()
    expect(await kept('m_known')).toBe(20)
    await sql`delete from request_log where starts_with(merchant_id, 'm_other_')`
  })

  test('counts what the database does not take, and says so once a second at most', async () => {
    const metrics = openMetrics()
    const log = openRefusalLog({ sql, world: context.world, metrics })
    log.add({ ...refusalOf('m_x', 1), status: 2 ** 40 })
    log.add(refusalOf('m_x', 2))
    await log.close()
    expect(await notKept(metrics)).toBe('2')
    const told = service.log.filter(({ message }) => message === 'refused requests not kept')
    expect(told).toHaveLength(1)
  })
})

test('each day has its partition, which goes after a month', async () => {
  const partitions = () =>
    sql<{ name: string }[]>`
      select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = 'request_log'::regclass order by 1`.then((rows) => rows.map(({ name }) => name))
  expect(await keepRefusals(context)).toBeGreaterThan(0)
  const today = `request_log_${clock.now().toISOString().slice(0, 10).replaceAll('-', '')}`
  expect(await partitions()).toContain(today)
  expect((await list()).body.data.length).toBeGreaterThan(0)
  await clock.advance(33 * day_ms)
  await keepRefusals(context)
  expect(await partitions()).not.toContain(today)
  expect(await sql`select 1 from request_log where at < ${new Date(clock.now().getTime() - 32 * day_ms)}`).toEqual([])
})
