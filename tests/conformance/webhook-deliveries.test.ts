// The list of deliveries: rows, pages, filters, what is refused, and how long a row is told of.

import { beforeEach, describe, expect, test } from 'vitest'
import { eventTypes } from '../../src/kernel/values.ts'
import { refusal } from '../support/client.ts'
import { onOneServer } from '../support/one-server.ts'
import { type Account, drivenClock } from '../support/service.ts'
import { useService } from '../support/use-service.ts'
import { type AttemptRow, deadLetter, insertAttempt } from './webhook-delivery-rows.ts'

const clock = drivenClock()
const service = await useService({ clock })
let account: Account
beforeEach(async () => {
  await clock.advance(60_000)
  account = await service.newAccount()
})

const day_ms = 24 * 3600 * 1000
const ago = (ms: number) => new Date(clock.now().getTime() - ms)
const spelled = (at: Date) => `${at.toISOString().slice(0, -1)}0000+00:00`
const insert = (asked: Partial<AttemptRow> = {}, of = account) => insertAttempt({ ...service, account: of }, asked)
const list = async (query = '') => {
  const answer = await account.client.listDeliveries(query)
  expect(answer.status, answer.text).toBe(200)
  return answer.body as {
    data: Record<string, unknown>[]
    has_more: boolean
    next_cursor: string | null
  }
}
const idsOf = ({ data }: { data: Record<string, unknown>[] }) => data.map(({ delivery_id }) => delivery_id)

/** So many attempts, a second apart, the newest last. */
async function insertMany(count: number, asked: Partial<AttemptRow> = {}): Promise<string[]> {
  const ids: string[] = []
  for (let index = 0; index < count; index++) {
    const { delivery_id } = await insert({ ...asked, occurred_at: ago((count - index) * 1000) })
    ids.push(delivery_id)
  }
  return ids.reverse()
}

/** All pages, one behind the other. */
async function pagesOf(query: string): Promise<unknown[][]> {
  const pages: unknown[][] = []
  for (let after = ''; ; ) {
    const page = await list(`${query}${after}`)
    pages.push(idsOf(page))
    expect(page.has_more).toBe(page.next_cursor !== null)
    if (page.next_cursor === null) return pages
    after = `&after=${page.next_cursor}`
  }
}

describe('rows', () => {
  test('none', async () => {
    expect(await list()).toEqual({ data: [], has_more: false, next_cursor: null })
  })

  test('every field of an attempt, and no others', async () => {
    const row = await insert({ next_retry_at: null })
    const { data } = await list()
    expect(data).toEqual([
      {
        delivery_id: row.delivery_id,
        replay_of: null,
        merchant_id: account.merchant_id,
        event_id: `evt:${row.payment_id}#payment.captured#${row.endpoint_id}`,
        event_type: 'webhook.payment.captured',
        attempt_number: 1,
        status: 'succeeded',
        occurred_at: spelled(row.occurred_at),
        endpoint_url: row.endpoint_url,
        response_status_code: 200,
        response_body: 'ok',
        next_retry_at: null,
        replayable: false,
        replay_expires_at: null,
      },
    ])
  })

  test('a retry that is due, an unanswered one, and a replay that waits', async () => {
    const next_retry_at = new Date(clock.now().getTime() + 5000)
    await insert({
      status: 'failed',
      next_retry_at,
      response_status_code: 503,
      occurred_at: ago(3),
    })
    await insert({
      status: 'failed',
      response_status_code: null,
      response_body: null,
      endpoint_url: null,
      occurred_at: ago(2),
    })
    await insert({
      status: 'pending',
      attempt_number: 0,
      replay_of: 'f'.repeat(32),
      occurred_at: ago(1),
    })
    const { data } = await list()
    expect(data).toMatchObject([
      { status: 'pending', attempt_number: 0, replay_of: 'f'.repeat(32), replayable: false },
      { status: 'failed', response_status_code: null, response_body: null, endpoint_url: null },
      { status: 'failed', response_status_code: 503, next_retry_at: spelled(next_retry_at) },
    ])
  })

  test('one of the retired event', async () => {
    await insert({ event_type: 'payment.succeeded' })
    expect((await list()).data[0]).toMatchObject({ event_type: 'webhook.payment.succeeded' })
    expect((await list('event_type=webhook.payment.succeeded')).data).toHaveLength(1)
  })

  test('nobody else’s', async () => {
    await insert({}, service.account)
    expect((await list()).data).toEqual([])
  })

  test('one an attempt, newest first', async () => {
    const delivery_id = 'a'.repeat(32)
    for (const attempt_number of [1, 2, 3]) {
      await insert({ delivery_id, attempt_number, occurred_at: ago(10_000 - attempt_number) })
    }
    const { data } = await list()
    expect(data.map(({ attempt_number }) => attempt_number)).toEqual([3, 2, 1])
    expect(new Set(idsOf({ data }))).toEqual(new Set([delivery_id]))
  })
})

describe('what was given up on', () => {
  const place = () => ({ ...service, account })
  const first = async () => (await list('status=dead_lettered')).data[0]

  test('may be replayed within 30 days of the original delivery', async () => {
    const { created_at } = await deadLetter(place())
    const expires = { replay_expires_at: spelled(new Date(created_at.getTime() + 30 * day_ms)) }
    expect(await first()).toMatchObject({ replayable: true, ...expires })
    await clock.advance(30 * day_ms)
    expect(await first()).toMatchObject({ replayable: true, ...expires })
  })

  test('not when the original is older, however young the replay is', async () => {
    await deadLetter(place(), { root_created_at: ago(30 * day_ms + 1), replay_of: 'e'.repeat(32) })
    expect(await first()).toMatchObject({ replayable: false, replay_expires_at: spelled(ago(1)) })
  })

  test('not while a replay is under way', async () => {
    await deadLetter(place(), { active_replay: 'f'.repeat(32) })
    expect(await first()).toMatchObject({
      replayable: false,
      replay_expires_at: spelled(new Date(clock.now().getTime() + 30 * day_ms)),
    })
  })

  test('not where its endpoint is gone', async () => {
    const { endpoint_id } = await deadLetter(place())
    await account.client.deleteEndpoint(endpoint_id)
    expect(await first()).toMatchObject({ replayable: false, replay_expires_at: null })
  })
})

describe('pages', () => {
  test('20 rows where nothing is asked, and a cursor', async () => {
    const ids = await insertMany(21)
    const page = await list()
    expect(idsOf(page)).toEqual(ids.slice(0, 20))
    expect(page.next_cursor).toMatch(/^[\w-]{43}$/)
    expect(await pagesOf('')).toEqual([ids.slice(0, 20), ids.slice(20)])
  })

  test.each([
    [1, [1, 1, 1, 1, 1]],
    [2, [2, 2, 1]],
    [5, [5]],
    [100, [5]],
  ])('of %i', async (limit, sizes) => {
    const ids = await insertMany(5)
    const pages = await pagesOf(`limit=${limit}`)
    expect(pages.map((page) => page.length)).toEqual(sizes)
    expect(pages.flat()).toEqual(ids)
  })

  test('rows that come meanwhile move nothing', async () => {
    const ids = await insertMany(6)
    const one = await list('limit=2')
    await clock.advance(60_000)
    await insertMany(3)
    const two = await list(`limit=2&after=${one.next_cursor}`)
    await insert()
    const three = await list(`limit=2&after=${two.next_cursor}`)
    expect([one, two, three].flatMap(idsOf)).toEqual(ids)
  })

  test('the page size may change on the way', async () => {
    const ids = await insertMany(5)
    const one = await list('limit=1')
    expect(idsOf(await list(`limit=4&after=${one.next_cursor}`))).toEqual(ids.slice(1))
  })
})

describe('filters', () => {
  test.each(['succeeded', 'failed', 'dead_lettered', 'pending'] as const)('status=%s', async (status) => {
    for (const each of ['succeeded', 'failed', 'dead_lettered', 'pending'] as const) {
      await insertMany(2, { status: each })
    }
    const pages = await pagesOf(`limit=1&status=${status}`)
    expect(pages).toHaveLength(2)
    expect((await list(`status=${status}`)).data.map((row) => row.status)).toEqual([status, status])
  })

  test.each(eventTypes)('event_type=webhook.%s', async (type) => {
    for (const event_type of eventTypes) await insertMany(2, { event_type })
    expect(await pagesOf(`limit=1&event_type=webhook.${type}`)).toHaveLength(2)
    const { data } = await list(`event_type=webhook.${type}&status=succeeded`)
    expect(data.map(({ event_type }) => event_type)).toEqual([`webhook.${type}`, `webhook.${type}`])
  })

  test.each(['payment.captured', 'webhook.payment.unknown', 'webhook.', '', 'x', '%00', 'webhook.%00', '%F0%9F%8D%B5'])(
    'event_type=%s fits no row',
    async (type) => {
      await insert()
      expect(await list(`event_type=${type}`)).toEqual({
        data: [],
        has_more: false,
        next_cursor: null,
      })
    },
  )
})

// What stands higher is told first.
describe('refused, as {error, message}', () => {
  test.each<[string, string, RegExp]>([
    ['page=2', '400 invalid_request', /^page /],
    ['limit=1&endpoint_id=x', '400 invalid_request', /^endpoint_id /],
    ['__proto__=1', '400 invalid_request', /^__proto__ /],
    ['event_type=a&event_type=b', '400 invalid_request', /^event_type must be sent once/],
    ['status=', '400 invalid_status', /^status must be one of succeeded, failed, dead_lettered, pending/],
    ['status=Failed', '400 invalid_status', /^status /],
    ['status=disabled', '400 invalid_status', /^status /],
    ['status=failed&status=failed', '400 invalid_status', /^status /],
    ['limit=', '400 invalid_pagination', /^limit must be a whole number from 1 to 100/],
    ['limit=0', '400 invalid_pagination', /^limit /],
    ['limit=101', '400 invalid_pagination', /^limit /],
    ['limit=-1', '400 invalid_pagination', /^limit /],
    ['limit=1.5', '400 invalid_pagination', /^limit /],
    ['limit=05', '400 invalid_pagination', /^limit /],
    ['limit=1e1', '400 invalid_pagination', /^limit /],
    ['limit=%2B5', '400 invalid_pagination', /^limit /],
    ['limit=ten', '400 invalid_pagination', /^limit /],
    ['limit=5&limit=5', '400 invalid_pagination', /^limit /],
    ['offset=0', '400 invalid_pagination', /^offset /],
    ['offset=', '400 invalid_pagination', /^offset /],
    ['offset=20&limit=20', '400 invalid_pagination', /^offset /],
    ['after=', '400 invalid_pagination', /^after /],
    ['after=x', '400 invalid_pagination', /^after /],
    [`after=${'A'.repeat(43)}`, '400 invalid_pagination', /^after /],
    [`after=${'0'.repeat(32)}`, '400 invalid_pagination', /^after /],
    ['after=%00', '400 invalid_pagination', /^after /],
    ['after=a&after=b', '400 invalid_pagination', /^after /],
    ['page=2&status=x&limit=0&after=x', '400 invalid_request', /^page /],
    ['status=x&limit=0&after=x', '400 invalid_status', /^status /],
  ])('%s', async (query, expected, words) => {
    const answer = await account.client.listDeliveries(query)
    expect(refusal(answer)).toBe(expected)
    expect(answer.body).toEqual({ error: expected.slice(4), message: expect.stringMatching(words) })
  })

  test('a cursor of other filters, of another account, or changed', async () => {
    const others = await service.newAccount()
    for (const owner of [account, others]) {
      for (const event_type of ['payment.captured', 'payment.failed']) {
        for (const index of [1, 2]) await insert({ event_type, status: 'failed', occurred_at: ago(index) }, owner)
      }
    }
    const cursorOf = async (query: string) => (await list(`limit=1&${query}`)).next_cursor!
    const plain = await cursorOf('')
    const failed = await cursorOf('status=failed')
    const typed = await cursorOf('event_type=webhook.payment.failed')
    const both = await cursorOf('status=failed&event_type=webhook.payment.failed')
    const { body } = await others.client.listDeliveries('limit=1')
    const flipped = plain.replace(/^./, (head) => (head === 'A' ? 'B' : 'A'))
    const wrong: [string, string][] = [
      ['', failed],
      ['', typed],
      ['', both],
      ['status=failed', plain],
      ['status=dead_lettered', failed],
      ['status=failed', both],
      ['event_type=webhook.payment.captured', typed],
      ['event_type=webhook.payment.failed', both],
      ['event_type=', plain],
      ['', body.next_cursor],
      ['', flipped],
      ['', plain.slice(0, -1)],
      ['', `${plain}A`],
      ['', `${plain}=`],
      ['', `${plain}%20`],
    ]
    for (const [query, cursor] of wrong) {
      const answer = await account.client.listDeliveries(`${query}&after=${cursor}`)
      expect([query, refusal(answer)]).toEqual([query, '400 invalid_pagination'])
    }
    for (const [query, cursor] of [
      ['', plain],
      ['status=failed', failed],
      ['event_type=webhook.payment.failed', typed],
    ]) {
      await list(`${query}&after=${cursor}`)
    }
  })
})

describe('30 days', () => {
  test('to the millisecond', async () => {
    const inside = await insert({ occurred_at: ago(30 * day_ms) })
    await insert({ occurred_at: ago(30 * day_ms + 1) })
    expect(idsOf(await list())).toEqual([inside.delivery_id])
    expect(idsOf(await list('status=succeeded'))).toEqual([inside.delivery_id])
    await clock.advance(1)
    expect(idsOf(await list())).toEqual([])
  })

  test('a cursor leads no further back', async () => {
    await insert({ occurred_at: ago(30 * day_ms) })
    await insert()
    const { next_cursor } = await list('limit=1')
    await clock.advance(1)
    expect(await list(`limit=1&after=${next_cursor}`)).toEqual({
      data: [],
      has_more: false,
      next_cursor: null,
    })
  })
})

onOneServer.each([
  ['', /_pkey/],
  ["and status = 'failed'", /status_attempt_id/],
  ["and event_type = 'payment.held'", /event_type_attempt_id/],
])('rows are found in order by an index: where … %s', async (filter, index) => {
  const plan = await service.sql.unsafe(`explain select 1 from webhook_attempts
    where merchant_id = 'm_x' and attempt_id >= '0' and attempt_id < 'g' ${filter}
    order by attempt_id desc limit 21`)
  const text = plan.map((row) => row['QUERY PLAN']).join('\n')
  expect(text).toMatch(index)
  expect(text).not.toMatch(/^\s*(->\s+)?Sort /m)
})
