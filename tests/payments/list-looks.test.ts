// Lists look at so many rows a request and no more, by one statement, and go on where they stopped.

import { beforeAll, expect, test } from 'vitest'
import { countStatements } from '../../src/database/count.ts'
import { lines_max } from '../../src/payments/reading/line-look.ts'
import { looks_max } from '../../src/payments/reading/list-filters.ts'
import type { Json } from '../support/client.ts'
import { freshDatabase } from '../support/database.ts'
import { drivenClock } from '../support/service.ts'
import { useService } from '../support/use-service.ts'

const count = countStatements()
const database = await freshDatabase()
const open: typeof database.open = (options) => database.open({ ...options, onStatement: count.onStatement })
const clock = drivenClock()
const service = await useService({ clock, database: { ...database, open } })
const { client, sql } = service
const more = 30
let first: Json

beforeAll(async () => {
  first = (await client.pay()).body
  const { merchant_id } = service.account
  // Copies of the payment and of its session's line, each a second later than the one before.
  await sql`
    insert into payments select (json_populate_record(p, json_build_object(
      'payment_id', 'pay_' || lpad(to_hex(n), 24, '0'), 'attempt_id', 'att_' || lpad(to_hex(n), 24, '0'),
      'status', 'declined', 'capture_state', null, 'executed_at', null, 'order_reference', null,
      'decline', json_build_object('code', 'do_not_honour', 'category', 'soft', 'reason', null),
      'amount', 5000 + n, 'created_at', p.created_at + n * interval '1 second'))).*
    from payments p, generate_series(1, ${looks_max + more}) n
    where p.merchant_id = ${merchant_id} and p.payment_id = ${first.payment_id}`
  await sql`
    insert into journal select (json_populate_record(j, json_build_object(
      'entry_id', lpad(to_hex(('x' || lpad(left(j.entry_id, 12), 16, '0'))::bit(64)::bigint + n * 1000), 12, '0')
        || substr(j.entry_id, 13),
      'change', 'attempt.opened', 'at', j.at + n * interval '1 second'))).*
    from journal j, generate_series(1, ${lines_max + more}) n
    where j.merchant_id = ${merchant_id} and j.change = 'session.created'`
  await clock.advance((looks_max + more) * 1000)
  // The key is kept in memory from here on.
  await client.readPayment(first.payment_id)
})

const ask = async (path: string) => {
  count.reset()
  const { status, body, text } = await client.send('GET', path, { headers: client.withKey })
  expect(status, text).toBe(200)
  expect(count.texts()).toHaveLength(1)
  return body
}

test.each([
  ['/v1/payments?amount=4200&mode=test', 'payment_id'],
  ['/v1/payments?status=captured&mode=test', 'payment_id'],
  ['/v1/checkout/sessions?status=succeeded', 'session_id'],
  ['/v1/events?mode=test', 'event'],
])('%s: a short page with more behind it, then the row beyond', async (path, id) => {
  await ask(path)
  const short = await ask(path)
  expect(short).toMatchObject({ data: [], has_more: true })
  const next = await ask(`${path}&after=${short.next_cursor}`)
  expect(next.data).toHaveLength(1)
  if (id !== 'event') expect(next.data[0].id).toBe(first[id])
  expect(next).toMatchObject({ has_more: false, next_cursor: null })
})

test('what an index leads to is found however many are before it', async () => {
  await sql`update payments set customer_email = 'rare@example.com' where payment_id = ${first.payment_id}`
  const { data, has_more } = await ask('/v1/payments?customer_email=Rare@example.com')
  expect([data.map(({ id }: Json) => id), has_more]).toEqual([[first.payment_id], false])
})

test('charges beyond the end of a look are found by the time that the refusal names', async () => {
  const headers = { authorization: `Bearer ${service.account.secret_key}` }
  const get = (query: string) => client.send('GET', `/v1/charges?${query}`, { headers })
  const bounds: string[] = []
  let answer = await get('')
  while (answer.status === 400) {
    const [, bound] = /go on with (\S+)\.$/.exec(answer.body.error.message) ?? []
    bounds.push(bound!)
    answer = await get(bound!)
  }
  // A half of the looks is for the other mode.
  expect(new Set(bounds).size).toBe(2)
  const { data, has_more } = answer.body
  expect([data.map(({ id }: Json) => id), has_more]).toEqual([[first.payment_id.replace('pay_', 'ch_')], false])
})

const amountsOf = async (query: string): Promise<number[]> => {
  const seen: number[] = []
  for (let after = ''; ; ) {
    const page = await ask(`/v1/payments?limit=100&${query}${after}`)
    seen.push(...page.data.map(({ amount }: Json) => amount))
    if (!page.has_more) return seen
    after = `&after=${page.next_cursor}`
  }
}
const copies = Array.from({ length: looks_max + more }, (_, n) => 5000 + looks_max + more - n)

test.each(['', '&mode=test'])('looks that end among matches lose none%s', async (mode) => {
  expect(await amountsOf(`decline_code=do_not_honour${mode}`)).toEqual(copies)
})

test('payments of both modes come in one order, however the modes lie', async () => {
  const { merchant_id } = service.account
  const change = (mode: string) => sql`
    update payments set mode = ${mode}
    where merchant_id = ${merchant_id} and amount > 5000 and (amount % 3 = 0 or amount < 7000)`
  await change('live')
  try {
    expect(await amountsOf('decline_code=do_not_honour')).toEqual(copies)
    expect(await amountsOf('')).toEqual([...copies, 4200])
  } finally {
    await change('test')
  }
})
