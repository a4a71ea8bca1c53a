// The overview: counts that equal the payments whoever counts them and however often, and what waits.

import { expect, test } from 'vitest'
import { recount } from '../../src/dashboard/overview/recount.ts'
import { rowValues } from '../../src/database/driver/rows.ts'
import { jobs } from '../../src/jobs.ts'
import { saveFindings } from '../../src/payments/acquirer-operations/finding-store.ts'
import { idAt } from '../conformance/webhook-delivery-rows.ts'
import { type Json, purchase } from '../support/client.ts'
import { hold, runJob } from '../support/holding.ts'
import { newMember, refusalIn } from '../support/person.ts'
import { drivenClock, driving } from '../support/service.ts'
import { useService } from '../support/use-service.ts'

const clock = drivenClock()
const service = await useService({ clock })
const { account, client, sql } = service
const day_ms = 24 * 3_600_000
const viewer = await newMember(service, { role: 'viewer' })
const { merchant_id } = account

const overview = async (query = 'mode=test&zone=UTC'): Promise<Json> => {
  const answer = await viewer.get(`/${merchant_id}/overview?${query}`)
  expect(answer.status, answer.text).toBe(200)
  return answer.body
}
const today = ({ days }: Json) => days.at(-1)
const declinedCard = '4000009105150000'

test('nothing yet', async () => {
  const found = await overview()
  expect(found.days).toHaveLength(30)
  expect(today(found)).toMatchObject({ captured: 0, declined: 0, sessions: 0 })
  expect(found).toMatchObject({
    captured: [],
    declines: [],
    zone: 'UTC',
    waits: { holds: { count: 0, sums: [], next_deadline: null }, given_up: 0 },
    steps: { has_payment: false, has_endpoint: false, has_colleague: false, has_key: false },
  })
})

test('the same before and after the job, however often it runs and in however many processes', async () => {
  await client.pay()
  await client.pay()
  await client.pay(declinedCard)
  const { payment_id } = await hold(account)
  const other = await hold(account)
  await client.decideHold('capture', other.payment_id)
  await client.open()
  const young = await overview()
  expect(today(young)).toMatchObject({
    captured: 2,
    held: 2,
    declined: 1,
    failed: 0,
    sessions: 6,
    succeeded_sessions: 4,
  })
  const hour = clock.now().getUTCHours()
  expect(young.captured).toMatchObject([
    { currency: 'GBP', today: [{ hour, amount: 3 * 4200, count: 3 }], in_span: 3 * 4200 },
  ])
  expect(young.declines).toMatchObject([{ count: 1 }])
  expect(young.steps).toMatchObject({ has_payment: true })
  await clock.advance(60_000)
  await runJob(service, 'seal_journal')
  const twice = jobs.find(({ name }) => name === 'count_payments')!
  await Promise.all([1, 2, 3].map(() => twice.run(service.context as never)))
  expect(await runJob(service, 'count_payments')).toBe(0)
  const [sums] = await sql<{ n: number }[]>`
    select sum(n)::int as n from payment_counts where merchant_id = ${merchant_id} and change like 'payment.%'`
  const [lines] = await sql<{ n: number }[]>`
    select count(*)::int as n from journal where merchant_id = ${merchant_id} and change like 'payment.%'`
  expect(sums).toEqual(lines)
  const { now: _, ...counted } = await overview()
  const { now: __, ...before } = young
  expect(counted).toEqual(before)
  await clock.advance(14 * 60_000)
  expect((await overview()).days).toEqual(young.days)
  await client.decideHold('void', payment_id)
})

test('counted anew, what somebody changed is right again, and the job goes on from where it was', async () => {
  const counts = () => sql`
    select mode, quarter, currency, change, code, n, amount from payment_counts
    where merchant_id = ${merchant_id} order by 1, 2, 3, 4, 5`
  const right = await counts()
  await sql`update payment_counts set n = n + 1, amount = 0 where merchant_id = ${merchant_id} and change = 'payment.captured'`
  await sql`delete from payment_counts where merchant_id = ${merchant_id} and change = 'payment.declined'`
  const [{ quarter }] = right as unknown as [{ quarter: Date }]
  const stray = new Date(quarter.getTime() - 365 * day_ms)
  await sql`
    insert into payment_counts (merchant_id, mode, quarter, currency, change, code, n, amount)
    values (${merchant_id}, 'live', ${stray}, 'GBP', 'payment.captured', '', 7, 7)`
  await client.pay()
  const { corrected, counts: found } = await recount(sql, merchant_id)
  expect({ corrected, found }).toEqual({ corrected: 4, found: right.length })
  expect(await counts()).toEqual(right)
  expect(await recount(sql, merchant_id)).toMatchObject({ corrected: 0 })
  await clock.advance(60_000)
  await runJob(service, 'seal_journal')
  await Promise.all([runJob(service, 'count_payments'), recount(sql, merchant_id)])
  const [{ n }] = await sql<[{ n: number }]>`
    select sum(n)::int as n from payment_counts where merchant_id = ${merchant_id} and change = 'payment.captured'`
  const [{ lines }] = await sql<[{ lines: number }]>`
    select count(*)::int as lines from journal where merchant_id = ${merchant_id} and change = 'payment.captured'`
  expect(n).toBe(lines)
  expect(await recount(sql, merchant_id)).toMatchObject({ corrected: 0 })
})

test('3-D Secure of purged sessions stays counted', async () => {
  const counted = () => sql`
    select code, n from payment_counts where merchant_id = ${merchant_id} and change = 'attempt.moved' order by 1, 2`
  const before = await counted()
  expect(before.length).toBeGreaterThan(0)
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`
    await tx`delete from attempts where merchant_id = ${merchant_id}`
  })
  expect(await recount(sql, merchant_id)).toMatchObject({ corrected: 0 })
  expect(await counted()).toEqual(before)
})

test('what waits is there as long as it waits', async () => {
  const { payment_id } = await hold(account)
  const { waits } = await overview()
  expect(waits.holds).toMatchObject({ count: 1, sums: [{ currency: 'GBP', amount: 4200 }] })
  expect(Date.parse(waits.holds.next_deadline)).toBeGreaterThan(clock.now().getTime())
  expect((await overview('mode=live&zone=UTC')).waits.holds.count).toBe(0)
  await client.decideHold('void', payment_id)
  const session = await client.open()
  await client.present(session, '4000009190450000')
  await driving(clock, client.confirm(session))
  const unknown = { holds: { count: 0 }, unknown_outcomes: 1 }
  expect((await overview()).waits).toMatchObject({ ...unknown, outcomes_for_person: 0 })
  // As the search leaves it after 72 hours.
  await sql`update acquirer_operations set next_check_at = null, waits_for_person_since = ${clock.now()}
    where merchant_id = ${merchant_id} and state = 'unknown'`
  expect((await overview()).waits).toMatchObject({ ...unknown, outcomes_for_person: 1 })
})

test('days are those of the zone', async () => {
  const far = await overview('mode=test&zone=Pacific/Kiritimati')
  const near = await overview('mode=test&zone=Pacific/Pago_Pago')
  expect(far.days.at(-1).day > near.days.at(-1).day).toBe(true)
  const sum = ({ days }: Json) => days.reduce((all: number, { captured }: Json) => all + captured, 0)
  expect(sum(far)).toBe(sum(near))
  await clock.advance(7 * day_ms)
  // A session lasts for twelve hours.
  expect((await viewer.signIn()).status).toBe(200)
  const [captured] = (await overview()).captured
  expect(captured.today).toEqual([])
  expect(captured.week_before.length).toBeGreaterThan(0)
  expect([captured.in_span > 0, captured.in_span_before]).toEqual([true, 0])
  const week = await overview('mode=test&zone=UTC&span=7')
  expect(week.days).toHaveLength(7)
  expect(week.captured[0]).toMatchObject({ in_span: 0, in_span_before: captured.in_span })
  expect(week.span_before.captured).toBe(sum(far))
  for (const span of ['7', '30', '90', 'this_month', 'last_month']) {
    const [same] = (await overview(`mode=test&zone=UTC&span=${span}`)).captured
    expect([span, same.week_before]).toEqual([span, captured.week_before])
  }
})

test('each currency has its own sums, and refunds stand beside what was captured', async () => {
  const { client: other, merchant_id: id } = await service.newAccount()
  const person = await newMember(service, { role: 'viewer', merchant_id: id })
  await other.pay()
  const inEuro = (amount: number) => other.pay(undefined, { ...purchase, items: undefined, amount, currency: 'EUR' })
  const { body: confirmed } = await inEuro(1234)
  await inEuro(100)
  await other.refund(confirmed.payment_id, { amount: 1000 })
  const { body } = await person.get(`/${id}/overview?mode=test&zone=UTC`)
  expect(body.captured).toMatchObject([
    { currency: 'EUR', in_span: 1334, refunded_today: 1000, refunded_in_span: 1000 },
    { currency: 'GBP', in_span: 4200, refunded_today: 0, refunded_in_span: 0 },
  ])
})

// Names that browsers report, and of which databases lack some or take them for other hours.
test.each(['Asia/Calcutta', 'US/Pacific', 'Europe/Kiev', 'AET', 'CST', 'Etc/GMT+5'])(
  'the zone %s is one',
  async (zone) => {
    expect((await overview(`mode=test&zone=${encodeURIComponent(zone)}`)).zone).toBe(zone)
  },
)

test.each(['zone=UTC', 'mode=test', 'mode=test&zone=Nowhere', 'mode=test&zone=%2B01:00', 'mode=test&zone=UTC&span=8'])(
  '%s is refused',
  async (query) => {
    const answer = await viewer.get(`/${merchant_id}/overview?${query}`)
    expect(refusalIn(answer)).toBe('400 invalid_request')
  },
)

test('each first step ticks itself off', async () => {
  const fresh = await service.newAccount()
  const owner = await newMember(service, { role: 'owner', merchant_id: fresh.merchant_id })
  const steps = async () => {
    const { body } = await owner.get(`/${fresh.merchant_id}/overview?mode=test&zone=UTC`)
    return body.steps
  }
  const none = { has_payment: false, has_endpoint: false, has_colleague: false, has_key: false }
  expect(await steps()).toEqual(none)
  const email = 'kit@shop.example'
  await owner.post(`/${fresh.merchant_id}/team/invitations`, { email, role: 'viewer' })
  expect(await steps()).toEqual({ ...none, has_colleague: true })
  const key = { name: 'till', permissions: ['read_transactions'], mode: 'test_only' }
  await owner.post(`/${fresh.merchant_id}/keys`, key)
  expect(await steps()).toEqual({ ...none, has_colleague: true, has_key: true })
  const made_by_command = await service.newAccount()
  const { merchant_id: id, key_id } = made_by_command
  const keeper = await newMember(service, { role: 'owner', merchant_id: id })
  const hasKey = async () => (await keeper.get(`/${id}/overview?mode=test&zone=UTC`)).body.steps.has_key
  await sql`update api_keys set name = null where key_id = ${key_id}`
  expect(await hasKey()).toBe(false)
  // By \`ripper key create\`, before it is used.
  await sql`update api_keys set name = 'till' where key_id = ${key_id}`
  expect(await hasKey()).toBe(true)
  // As the demo's is, which nobody made for a server.
  await sql`update api_keys set name = 'demo' where key_id = ${key_id}`
  expect(await hasKey()).toBe(false)
  await sql`update api_keys set last_used_at = ${clock.now()} where key_id = ${key_id}`
  expect(await hasKey()).toBe(true)
})

const delivered = { delivered: 1, due: 1 }
const late = { delivered: 0, due: 1, within_minute: 0 }
test.each<[string, { ago_s: number; ends?: 'succeeded' | 'dead_lettered'; after_s?: number; replay?: true }[], object]>(
  [
    ['arrived in a minute', [{ ago_s: 90, ends: 'succeeded', after_s: 59 }], { ...delivered, within_minute: 1 }],
    ['arrived later', [{ ago_s: 90, ends: 'succeeded', after_s: 61 }], { ...delivered, within_minute: 0 }],
    ['arrived just now', [{ ago_s: 5, ends: 'succeeded', after_s: 1 }], { ...delivered, within_minute: 1 }],
    ['was given up', [{ ago_s: 90, ends: 'dead_lettered', after_s: 10 }], late],
    ['waits for longer', [{ ago_s: 61 }], late],
    ['has not had its minute', [{ ago_s: 59 }], { delivered: 0, due: 0, within_minute: 0 }],
    [
      'waits for a replay',
      [
        { ago_s: 90, ends: 'dead_lettered', after_s: 10 },
        { ago_s: 70, replay: true },
      ],
      late,
    ],
    [
      'arrived by a replay',
      [
        { ago_s: 90, ends: 'dead_lettered', after_s: 10 },
        { ago_s: 70, ends: 'succeeded', after_s: 10, replay: true },
      ],
      { ...delivered, within_minute: 0 },
    ],
    ['is of the day before', [{ ago_s: 25 * 3_600 }, { ago_s: 25 * 3_600, ends: 'dead_lettered', after_s: 10 }], {}],
  ],
)('an event that %s counts so among webhooks', async (_, rows, expected) => {
  await sql`delete from webhook_deliveries where merchant_id = ${merchant_id}`
  await sql`delete from webhook_queue where merchant_id = ${merchant_id}`
  const ago = (s: number) => new Date(clock.now().getTime() - s * 1_000)
  for (const [place, { ago_s, ends, after_s = 0, replay }] of rows.entries()) {
    const created_at = ago(ago_s)
    const root_created_at = ago(rows[0]!.ago_s)
    const row = {
      merchant_id,
      delivery_id: idAt(created_at, `delivery ${place}`),
      endpoint_id: 'whep_000000000000000000000000',
      payment_id: 'pay_000000000000000000000000',
      sequence: 1,
      replay_of: replay ? idAt(root_created_at, 'delivery 0') : null,
      root_id: idAt(root_created_at, 'delivery 0'),
      root_created_at,
      created_at,
    }
    const settled = { status: ends, attempt_count: 1, settled_at: ago(ago_s - after_s) }
    // Due so late that nobody sends it.
    const waiting = { class: 1, due_at: ago(-day_ms), attempt_number: 0 }
    if (ends) await sql`insert into webhook_deliveries ${rowValues(sql, { ...row, ...settled })}`
    else await sql`insert into webhook_queue ${rowValues(sql, { ...row, ...waiting })}`
  }
  const none = { delivered: 0, due: 0, within_minute: 0 }
  expect((await overview()).webhooks).toMatchObject({ ...none, ...expected })
})

test('a payment that the acquirer records otherwise is named, by the overview and by itself, until that ends', async () => {
  const { payment_id } = (await client.pay(undefined, { ...purchase, order_reference: 'differs' })).body
  const { payment_id: other_id } = (await client.pay()).body
  const [{ operation_id: reference }] = await sql<[{ operation_id: string }]>`
    select operation_id from acquirer_operations where payment_id = ${payment_id}`
  const ours = { state: 'captured', amount: 4200, currency: 'GBP' }
  const theirs = { state: 'unknown' as const, amount: null, currency: null }
  const times = { found_at: clock.now(), seen_at: clock.now() }
  const finding = { acquirer: 'simulator', reference, kind: 'missing_there' as const, merchant_id, payment_id, ours }
  const found = [{ ...finding, ...times, theirs, mode: 'test' as const }]
  const of = { acquirer: 'simulator', references: [reference], at: clock.now() }
  await saveFindings(sql, { ...of, found })
  const differencesOf = async (id: string) => (await viewer.get(`/${merchant_id}/payments/${id}`)).body.differences
  const differing = async (query?: string) => (await overview(query)).waits.differing
  const difference = { kind: 'missing_there', ours, theirs }
  expect(await differencesOf(payment_id)).toEqual([difference])
  expect(await differencesOf(other_id)).toEqual([])
  const named = { payment_id, order_reference: 'differs', amount: 4200, currency: 'GBP' }
  expect(await differing()).toEqual([{ ...named, ...difference }])
  expect(await differing('mode=live&zone=UTC')).toEqual([])
  const stranger = await newMember(service, { role: 'owner', merchant_id: (await service.newAccount()).merchant_id })
  const elsewhere = await stranger.get(`/${stranger.merchant_id}/overview?mode=test&zone=UTC`)
  expect([elsewhere.status, elsewhere.body.waits.differing]).toEqual([200, []])
  await saveFindings(sql, { ...of, found: [] })
  expect([await differencesOf(payment_id), await differing()]).toEqual([[], []])
})
