// Whoever never got as far as a payment is found: by search, from an empty list of payments, by the id of the session.

import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import * as more from './more-samples.ts'
import { playEach } from './played.ts'
import * as samples from './samples.ts'
import { type Asked, refuse, type StandIn } from './stand-in.ts'

const place = `/dashboard/${samples.merchant_id}/test`
const [, , expired] = more.sessions

let standIn: StandIn
let page: Page
let queries: Asked['query'][]

playEach((played) => {
  standIn = played.standIn
  page = played.page
  queries = []
})

const open = (path: string) => page.goto(`${standIn.base_url}${place}/${path}`)

/** The pages of a search that begins with so many without a match. */
function answerAfter(empty_pages: number, data: unknown[]): void {
  standIn.on('GET /sessions', ({ query }) => {
    queries.push(query)
    const is_there = queries.length > empty_pages
    return {
      body: { data: is_there ? data : [], has_more: !is_there, next_cursor: is_there ? null : `${queries.length}` },
    }
  })
}

const heading = () => page.getByRole('heading', { level: 1 })

test('a text is searched for as far as it takes, and the row leads to the session with what the shopper was refused', async () => {
  await open('sessions')
  await page.getByText('A session without a payment is kept for 2 days').waitFor()
  answerAfter(3, [expired])
  const box = page.getByRole('searchbox', { name: 'Search sessions' })
  await box.fill('li.wei')
  await box.press('Enter')
  await page.getByRole('link', { name: '£120.50' }).click()
  await page.getByText('The shopper could not go on: 3-D Secure could not be reached').waitFor()
  expect(await heading().textContent()).toBe('£120.50')
  await page.getByText('Nothing was taken.', { exact: true }).waitFor()
  expect(queries.map(({ text, after }) => [text, after])).toEqual([
    ['li.wei', undefined],
    ['li.wei', '1'],
    ['li.wei', '2'],
    ['li.wei', '3'],
  ])
})

test('sessions and requests in which a shopper could not go on are found by the minute', async () => {
  await open('sessions')
  const row = page.getByRole('table', { name: 'Sessions' }).getByRole('row').filter({ hasText: 'Expired' }).first()
  await row.getByText('Could not go on: 3-D Secure could not be reached').waitFor()
  answerAfter(0, [expired, expired])
  await page.getByRole('button', { name: 'Could not go on' }).click()
  await page.getByLabel('Since').fill('2026-11-27T10:15')
  await expect.poll(() => queries.at(-1)).toMatchObject({ status: 'could_not_go_on' })
  const minute = new Date('2026-11-27T10:15').toISOString()
  await expect.poll(() => queries.at(-1)?.created_from).toBe(minute)
  // One that was refused twice stands there once.
  await expect.poll(() => page.getByRole('table', { name: 'Sessions' }).getByRole('row').count()).toBe(2)
  standIn.on('GET /requests', ({ query }) => {
    queries.push(query)
    const data = [{ ...more.requests[0]!, asker_id: more.session.id }]
    return { body: { data, has_more: false, next_cursor: null } }
  })
  await open('requests')
  await page.getByRole('button', { name: 'Refused to shoppers' }).click()
  await expect.poll(() => queries.at(-1)).toMatchObject({ askers: 'shoppers' })
  await page.getByRole('link', { name: 'Session', exact: true }).click()
  await page.getByText('The shopper could not go on: 3-D Secure could not be reached').waitFor()
})

test.each<[string, string[], string, string | null, string]>([
  ['was not passed', ['awaiting_challenge', 'failed'], 'failed', null, 'Bank’s check was not passed'],
  ['took too long', ['awaiting_challenge', 'failed'], 'timeout', null, 'Bank’s check not finished in time'],
  ['was left', ['awaiting_challenge', 'failed'], 'canceled', null, 'Shopper left the bank’s check'],
  ['nobody came back from', ['awaiting_challenge'], 'timeout', samples.ago(3), 'Bank’s check not finished in time'],
  ['failed without a challenge', ['failed'], 'failed', null, 'Bank’s check was not passed'],
])('the timeline says of a check that it %s', async (_, states, code, unrecorded_since, words) => {
  const [attempt] = more.sessionLife.attempts
  const [line] = more.sessionLife.lines
  const lines = states.map((three_ds_state, index) => ({
    ...line!,
    entry_id: String(index),
    at: samples.ago(9 - index),
    change: 'attempt.moved',
    subject: attempt!.attempt_id,
    detail: { three_ds_state },
  }))
  const failure = { code: `authentication_${code}`, unrecorded_since }
  const attempts = [{ ...attempt, authentication_failure: failure }]
  standIn.on('GET /sessions/cs/timeline', () => ({ body: { ...more.sessionLife, refusals: [], lines, attempts } }))
  await open(`sessions/${more.session.id}`)
  const entries = page.getByRole('region', { name: 'Timeline' }).getByRole('listitem')
  await entries.filter({ hasText: words }).waitFor()
  const begun = states.includes('awaiting_challenge') ? ['Bank asked for a code'] : []
  const titles = await entries.locator('.timeline-what').allTextContents()
  expect(titles.filter((title) => /ank/.test(title))).toEqual([...begun, words])
})

test('an expired session says when its time was over, and an open one until when it may be paid', async () => {
  await page.clock.setFixedTime(samples.now)
  await open(`sessions/${more.session.id}`)
  const timeline = page.getByRole('region', { name: 'Timeline' })
  const end = timeline.getByRole('listitem').filter({ hasText: /^Expired/ })
  await end.waitFor()
  expect(await end.locator('time').getAttribute('datetime')).toBe(more.session.expires_at)
  const expires_at = new Date(samples.now.getTime() + 23 * 60_000).toISOString()
  standIn.on('GET /sessions/cs', () => ({ body: { ...more.session, status: 'requires_payment', expires_at } }))
  await open(`sessions/${more.session.id}`)
  await page.getByText(/^Can be paid until \d+ Nov, \d\d:\d\d$/).waitFor()
  expect(await end.count()).toBe(0)
})

test.each([
  ['voided', 'Voided'],
  ['pending_review', 'Held'],
])('a session whose hold is %s stands as %s, in the list and on its page', async (status, words) => {
  const hold = { status, reason: 'mismatch', detail: null, deadline: '', decided_by: null, decided_at: null }
  const [session] = more.sessions
  answerAfter(0, [{ ...session, hold }])
  standIn.on('GET /sessions/cs', () => ({ body: { ...more.session, ...session, hold } }))
  await open('sessions')
  await page.getByRole('table', { name: 'Sessions' }).getByText(words).waitFor()
  await page.getByRole('button', { name: 'Ended by a decline' }).waitFor()
  await open(`sessions/${session!.id}`)
  await page.getByText(words, { exact: true }).first().waitFor()
  expect(await page.getByText('Succeeded').count()).toBe(0)
})

test.each<[string, string, string]>([
  ['sessions', 'sessions?text=nobody', 'What is older has not been searched yet.'],
  ['requests', 'requests?code=nothing', 'What is older has not been searched yet.'],
  ['webhooks/deliveries', 'webhooks', 'What is older has not been searched yet.'],
])('%s that were not all searched are not said to be none', async (route, path, words) => {
  let count = 0
  standIn.on(`GET /${route}`, () => ({ body: { data: [], has_more: true, next_cursor: `${count++}` } }))
  await open(path)
  await page.getByText(words).waitFor()
  const before = count
  await page.getByRole('button', { name: 'Older' }).click()
  await expect.poll(() => count).toBeGreaterThan(before)
})

test('no payment of an email: its sessions are offered', async () => {
  standIn.on('GET /payments', () => ({ body: { data: [], has_more: false, next_cursor: null } }))
  answerAfter(0, [expired])
  await open('payments?customer_email=li.wei@example.com')
  const sessions = page.getByRole('region', { name: 'Sessions' })
  await sessions.getByText('li.wei@example.com').waitFor()
  await sessions.getByText('kept for 2 days').waitFor()
  expect(queries[0]).toMatchObject({ text: 'li.wei@example.com', mode: 'test' })
})

test('some payments of an order: the search among sessions is one press away', async () => {
  await open('payments?order_reference=A-1040')
  answerAfter(0, [expired])
  await page.getByRole('link', { name: 'Look among sessions for “A-1040”' }).click()
  await page.getByRole('searchbox', { name: 'Search sessions' }).waitFor()
  await expect.poll(() => queries.at(-1)).toMatchObject({ text: 'A-1040' })
})

test.each<[string, () => void, heading: string, words: string]>([
  ['without a payment', () => {}, '£120.50', 'could not be reached'],
  [
    'that is gone',
    () => {
      standIn.on('GET /sessions/cs', () => refuse(404, 'resource_not_found'))
      standIn.on('GET /sessions/cs/timeline', () => refuse(404, 'resource_not_found'))
    },
    'Session',
    'A session without a payment is kept for 2 days, then it is deleted.',
  ],
])('the id of a session %s, typed among payments', async (_, begin, title, words) => {
  begin()
  await open('payments')
  const box = page.getByRole('searchbox', { name: 'Search payments' })
  await box.fill(more.session.id)
  await box.press('Enter')
  await page.getByText(words).first().waitFor()
  expect(await heading().textContent()).toBe(title)
  expect(new URL(page.url()).pathname).toBe(`${place}/sessions/${more.session.id}`)
})

test('what the overview counts leads to what was counted', async () => {
  await page.clock.setFixedTime(samples.now)
  await open('overview')
  const days = more.overview.days
  const from = new Date(`${days[0]!.day}T00:00`).toISOString()
  const hrefs = await Promise.all(
    ['Abandoned at the challenge', 'Not enough money'].map((name) =>
      page.getByRole('link', { name }).first().getAttribute('href'),
    ),
  )
  const [sessions, payments] = hrefs.map((href) => new URL(href!, 'http://localhost').searchParams)
  expect([sessions!.get('three_ds'), sessions!.get('created_from')]).toEqual(['abandoned', from])
  expect([payments!.get('status'), payments!.get('created_from')]).toEqual(['declined', from])
})

const others = (...statuses: ('captured' | 'held' | 'pending')[]) =>
  statuses.map((status, at) => ({ payment_id: samples.id('pay', 77 + at), status }))
const decline = { code: 'insufficient_funds', category: 'soft', reason: null }
const another_card = 'The shopper may use another card now, or this one again later.'
const paid_already = 'The order is paid already: nothing to do.'
const reservation = 'The reservation may show at the shopper’s bank for some days.'
const captured_words = 'Another payment of this order was captured'

test.each<[string, { status: string; decline?: object }, ReturnType<typeof others>, string[], string[]]>([
  ['declined', { status: 'declined', decline }, [], [another_card], [paid_already, reservation]],
  [
    'declined',
    { status: 'declined', decline },
    others('captured'),
    [paid_already, 'Paid by another payment'],
    [another_card],
  ],
  ['declined', { status: 'declined', decline }, others('pending'), ['Another payment of this order is pending'], []],
  ['voided', { status: 'voided' }, [], [reservation], []],
  ['voided', { status: 'voided' }, others('captured'), ['Paid by another payment', reservation], [captured_words]],
  ['held', { status: 'held' }, others('captured'), [captured_words], ['Paid by another payment', reservation]],
  ['captured', { status: 'captured' }, [], ['liable for fraud'], [paid_already, reservation]],
  [
    'captured',
    { status: 'captured' },
    others('captured', 'held', 'pending'),
    ['Another payment of this order is held', 'Another payment of this order is pending'],
    [captured_words],
  ],
])('a payment that was %s (%o), beside others of its order: %o', async (_, it, other_payments, words, absent) => {
  standIn.on('GET /payments/pay', () => ({ body: { ...samples.held, hold: null, ...it, other_payments } }))
  standIn.on('GET /payments/pay/timeline', () => ({ body: { ...samples.timeline, payments: [] } }))
  await open(`payments/${samples.held.id}`)
  await page.getByText('sealed').waitFor()
  for (const text of words) {
    const place = page.getByText(text)
    await place.first().waitFor()
    const link = page.getByRole('link', { name: text })
    if (/another payment/i.test(text)) expect(await link.getAttribute('href')).toMatch(/payments\/pay_/)
  }
  for (const text of absent) expect(await page.getByText(text).count()).toBe(0)
})

const often = 'This order was charged 2 times. Refund all but one, unless the shopper wanted that.'
const back = 'Another payment of this order was given back already.'

test.each<[string, object, string | null]>([
  ['both hold money', { order_paid_payments: 2 }, often],
  ['the other was given back', { order_paid_payments: 1 }, back],
  ['this one was given back', { order_paid_payments: 1, refunded_amount: 4200 }, null],
  ['this one was given back another way', { order_paid_payments: 1, refunded_amount: 0, otherwise_amount: 4200 }, null],
  ['it is alone', { order_paid_payments: 1, order_reference_captured_payments: 1 }, null],
])('a captured payment of an order that was paid twice, where %s: page and dialog', async (_, it, words) => {
  standIn.on('GET /payments/pay', () => ({ body: { ...samples.refunded, ...it } }))
  await open(`payments/${samples.refunded.id}`)
  await page.getByText('sealed').waitFor()
  const page_count = (text: string) => page.getByText(text).count()
  expect(await Promise.all([often, back].map(page_count))).toEqual(
    [often, back].map((text) => (text === words ? 1 : 0)),
  )
  await page.getByRole('button', { name: 'Refund', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.waitFor()
  const counts = await Promise.all([often, back].map((text) => dialog.getByText(text).count()))
  expect(counts).toEqual([often, back].map((text) => (text === words ? 1 : 0)))
})

test.each([
  ['approved', 1],
  ['refused', 0],
])('a failed charge whose reversal was %s: the words of its reservation %i times', async (state, count) => {
  const body = { ...samples.held, status: 'failed', hold: null, decline: { ...decline, code: 'processing_error' } }
  const [first] = samples.timeline.payments
  const reversal = { operation_id: 'op_2', kind: 'reverse', sequence: 2, state, sent_at: samples.ago(3) }
  const operations = [{ ...reversal, answered_at: samples.ago(2), asking: null }]
  const payments = [{ ...first!, payment_id: samples.held.id, status: 'failed', operations }]
  standIn.on('GET /payments/pay', () => ({ body }))
  standIn.on('GET /payments/pay/timeline', () => ({ body: { ...samples.timeline, payments } }))
  await open(`payments/${samples.held.id}`)
  await page.getByText('sealed').waitFor()
  expect(await page.getByText(reservation).count()).toBe(count)
})

test.each([
  ['captured', `user ${samples.id('usr', 1)}`, 'Jo Marsh', { resolved_as: 'approved' }],
  ['failed', `user ${samples.id('usr', 1)}`, 'Jo Marsh', { resolved_as: 'failed', decline_code: 'processing_error' }],
  ['captured', 'operator', 'Operator', { settled_as: 'captured' }],
])(
  'a payment that is %s as %s said: who and how they know, in timeline, facts and audit',
  async (status, actor, who, own) => {
    const reason = 'Their portal shows it, ticket 77'
    const line = {
      ...samples.timeline.lines[0]!,
      subject: samples.held.id,
      actor,
      request_id: null,
      at: samples.ago(2),
    }
    const begun = {
      ...line,
      entry_id: 'e1',
      change: 'charge.begun',
      actor: 'shopper',
      detail: { operation_id: 'op_9' },
    }
    const end = {
      ...line,
      entry_id: 'e2',
      change: `payment.${status}`,
      detail: { operation_id: 'op_9', reason, ...own },
    }
    standIn.on('GET /payments/pay', () => ({ body: { ...samples.held, status, hold: null } }))
    standIn.on('GET /payments/pay/timeline', () => ({ body: { ...samples.timeline, lines: [begun, end] } }))
    await open(`payments/${samples.held.id}`)
    await page.getByText('sealed').waitFor()
    const entry = page.locator('.timeline li').last().locator('.notes')
    const row = page.locator('dl > div').filter({ has: page.getByText('Settled by hand', { exact: true }) })
    expect(await entry.textContent()).toContain(`Settled by hand${reason}${who}`)
    expect(await row.textContent()).toContain(`${reason} · ${who}`)
    standIn.on('GET /audit', () => ({ body: { data: [{ ...end, hold_deadline: null }], people: {}, has_more: false } }))
    await open('audit')
    expect(await page.getByRole('row').nth(1).textContent()).toContain(` · Settled by hand · ${reason}`)
  },
)

test('a hold in the list and its dialog say that the order was paid, each with a link', async () => {
  const [first] = samples.holds
  const data = [{ ...first!, other_payments: others('captured') }]
  standIn.on('GET /holds', () => ({ body: { data, has_more: false, next_cursor: null } }))
  await open('holds')
  const row = page.getByRole('row').nth(1)
  await row.getByRole('button', { name: 'Capture', exact: true }).click()
  for (const place of [row, page.getByRole('dialog')]) {
    const link = place.getByRole('link', { name: captured_words, includeHidden: true })
    expect(await link.getAttribute('href')).toContain(samples.id('pay', 77))
  }
})

test.each([
  ['voided', 'a person', `user ${samples.id('usr', 1)}`, -1, 'Jo Marsh', 'sent twice by mistake'],
  ['voided', 'the rules', 'rules', 1, 'The rules, at the deadline', null],
  // It lapsed at the acquirer.
  ['voided', 'the rules', 'rules', -1, 'Rules', null],
  ['captured', 'the rules', 'rules', -1, 'The rules, below the limit', null],
])('a hold %s by %s (%s, %i): who and why, in timeline and facts', async (status, _, actor, after, who, note) => {
  const deadline = samples.ago(10)
  const at = samples.ago(10 - after)
  const kind = status === 'voided' ? 'void' : 'capture'
  const hold = { ...samples.held.hold!, status, deadline, decided_at: at }
  const line = { ...samples.timeline.lines[0]!, subject: samples.held.id, at, actor, request_id: null }
  const lines = [
    { ...line, entry_id: 'e1', change: `${kind}.begun`, detail: { operation_id: 'op_9', ...(note && { note }) } },
    // The acquirer answered later, to nobody who knew the reason.
    {
      ...line,
      entry_id: 'e2',
      change: `payment.${status}`,
      actor: 'reconciler',
      detail: { operation_id: 'op_9', decided_by: 'merchant' },
    },
  ]
  const payments = [{ ...samples.timeline.payments[0]!, hold_deadline: deadline }]
  const life = { ...samples.timeline, lines, payments }
  standIn.on('GET /payments/pay', () => ({ body: { ...samples.held, status, hold, permitted: [] } }))
  standIn.on('GET /payments/pay/timeline', () => ({ body: life }))
  standIn.on('GET /sessions/cs/timeline', () => ({ body: life }))
  const entry = page
    .getByRole('region', { name: 'Timeline' })
    .getByRole('listitem')
    .filter({ hasText: status === 'voided' ? 'Voided' : 'Captured' })
  await open(`sessions/${more.session.id}`)
  await entry.getByText(who, { exact: true }).waitFor()
  await open(`payments/${samples.held.id}`)
  await entry.getByText(who, { exact: true }).waitFor()
  const fact = (name: string) =>
    page
      .getByRole('term')
      .filter({ hasText: new RegExp(`^${name}$`) })
      .locator('xpath=following-sibling::dd[1]')
  expect(await fact('Decided by').textContent()).toContain(who)
  expect(await fact('Why').count()).toBe(note ? 1 : 0)
  if (note) {
    await entry.getByText(note).waitFor()
    expect(await fact('Why').textContent()).toBe(note)
  }
})

test('the id of a session, typed among sessions, leads to its own page', async () => {
  standIn.on('GET /sessions', () => ({ body: { data: more.sessions, has_more: false, next_cursor: null } }))
  const { payments } = samples.timeline
  standIn.on('GET /payments/cs/timeline', () => ({ body: { ...more.sessionLife, payments } }))
  await open('sessions')
  const box = page.getByRole('searchbox', { name: 'Search sessions' })
  await box.fill(more.session.id)
  await box.press('Enter')
  await page.getByText('sealed').waitFor()
  expect(new URL(page.url()).pathname).toBe(`${place}/sessions/${more.session.id}`)
})

test('refunds are searched by a text, an id leads to what it names, and a row says who made it and why', async () => {
  const queries: Record<string, string>[] = []
  standIn.on('GET /refunds', ({ query }) => {
    queries.push(query)
    const people = { [samples.id('usr', 1)]: 'Jo Marsh', [samples.id('key', 1)]: 'shop' }
    return { body: { data: samples.refunds, people, has_more: false, next_cursor: null } }
  })
  await open('refunds?status=succeeded')
  const rows = page.getByRole('table', { name: 'Refunds' }).getByRole('row')
  await rows.nth(1).getByText('shop', { exact: true }).waitFor()
  await rows.nth(3).getByText('Jo Marsh').waitFor()
  await rows.nth(3).getByText(samples.refunds[2]!.reason!).waitFor()
  const box = page.getByRole('searchbox', { name: 'Search refunds' })
  await box.fill(' one cup ')
  await box.press('Enter')
  await expect.poll(() => queries.at(-1)).toMatchObject({ text: 'one cup', status: 'succeeded' })
  await page.getByRole('button', { name: 'Remove the filter one cup' }).click()
  await expect.poll(() => new URL(page.url()).search).toBe('?status=succeeded')
  await box.fill(samples.held.id)
  await box.press('Enter')
  await expect.poll(() => new URL(page.url()).pathname).toBe(`${place}/payments/${samples.held.id}`)
})

test.each([true, false])(
  'payments of chosen days, where some are listed: %s, lead to the sessions that could not go on',
  async (some) => {
    const data = some ? samples.payments : []
    standIn.on('GET /payments', () => ({ body: { data, has_more: false, next_cursor: null } }))
    const sessions = page.getByRole('link', { name: /Sessions of these days that could not go on/ })
    await open('payments')
    await page.getByLabel('Since').waitFor()
    expect(await sessions.count()).toBe(0)
    await page.getByLabel('Since').fill('2026-11-20')
    await page.getByLabel('Until').fill('2026-11-20')
    const { searchParams } = new URL(page.url())
    await sessions.click()
    const { pathname, searchParams: next } = new URL(page.url())
    expect(pathname).toBe(`${place}/sessions`)
    expect(Object.fromEntries(next)).toEqual({ status: 'could_not_go_on', ...Object.fromEntries(searchParams) })
  },
)

test('a refund that is not there is named, and can be dropped', async () => {
  standIn.on('GET /refunds', ({ query }) => {
    const data = query.refund_id ? [] : samples.refunds
    return { body: { data, has_more: false, next_cursor: null } }
  })
  const refund_id = samples.id('ref', 99)
  await open(`refunds?refund_id=${refund_id}`)
  await page.getByText('No refund matches.').waitFor()
  await page.getByRole('button', { name: refund_id }).click()
  await page.getByRole('table', { name: 'Refunds' }).waitFor()
})

test('of a refund that succeeded and then failed it is said that the money came back', async () => {
  const [, failed] = samples.refunds
  const line = { ...samples.timeline.lines[0]!, entry_id: 'e1', subject: failed!.id, change: 'refund.succeeded' }
  const body = { ...samples.held, status: 'captured', hold: null, refund_count: 1 }
  standIn.on('GET /payments/pay', () => ({ body }))
  standIn.on('GET /payments/pay/refunds', () => ({ body: { refunds: [failed] } }))
  await open(`payments/${samples.held.id}`)
  await page.getByText('Nothing was given back.').waitFor()
  const lines = [...samples.timeline.lines, line]
  standIn.on('GET /payments/pay/timeline', () => ({ body: { ...samples.timeline, lines } }))
  await page.reload()
  await page.getByText('The refund had succeeded, then its money came back').waitFor()
  expect(await page.getByText('Nothing was given back.').count()).toBe(0)
})

test.each([
  ['declined', 'Decline'],
  ['failed', 'Failed'],
])('the facts of a payment that %s name its reason as %s', async (status, name) => {
  const decline = { ...samples.payments.find((each) => each.decline)!.decline!, code: 'processing_error' }
  standIn.on('GET /payments/pay', () => ({ body: { ...samples.held, hold: null, permitted: [], status, decline } }))
  await open(`payments/${samples.held.id}`)
  const row = page.getByRole('term').filter({ hasText: new RegExp(`^${name}$`) })
  await row.locator('xpath=following-sibling::dd[1]').getByText('Processing error').waitFor()
})

test('a phone shows the order and card of a payment that was declined', async () => {
  await page.setViewportSize({ width: 390, height: 844 })
  await open('payments')
  const row = page
    .getByRole('table', { name: 'Payments' })
    .getByRole('row')
    .filter({ hasText: 'Not enough money' })
    .first()
  for (const text of ['A-1038', '4242']) await row.getByText(text).waitFor({ state: 'visible' })
})

test('pending payments are listed, and one says until when the acquirer has time', async () => {
  await page.clock.setFixedTime(samples.now)
  const answer_by = new Date(samples.now.getTime() + 20_000).toISOString()
  const pending = { ...samples.held, status: 'pending', hold: null, answer_by, permitted: [] }
  standIn.on('GET /payments/pay', () => ({ body: pending }))
  await open('payments')
  await page.getByRole('button', { name: 'Pending', exact: true }).click()
  await page.getByRole('table', { name: 'Payments' }).getByText('Pending').first().waitFor()
  expect(new URL(page.url()).searchParams.get('status')).toBe('pending')
  await page.getByRole('row').nth(1).getByRole('link').click()
  await page.getByText(/the acquirer has until .*10:24.* to answer/).waitFor()
})

test.each<[string, object, RegExp | null]>([
  ['expired', { status: 'expired' }, /unless the order has been paid since: “Nothing was taken\. Please go back/],
  ['open', { status: 'requires_payment' }, /“Nothing was taken\. Please try again on the payment page/],
  // Who was shut out for suspected fraud is not invited.
  ['closed', { status: 'declined' }, null],
])('a session that could not go on and is %s says why, and what to tell the shopper', async (_, state, advice) => {
  standIn.on('GET /sessions/cs', () => ({ body: { ...more.session, payment_id: null, last_decline: null, ...state } }))
  standIn.on('GET /sessions/cs/timeline', () => ({ body: { ...more.sessionLife, payments: [] } }))
  await open(`sessions/${more.session.id}`)
  await page.getByText('sealed').waitFor()
  const head = page.locator('.lead')
  expect(await head.getByText('Could not go on: ').count()).toBe(advice ? 1 : 0)
  expect(await head.getByText(advice ?? 'For the shopper').count()).toBe(advice ? 1 : 0)
})

test('the list names a check of the bank that nobody finished', async () => {
  const [first] = more.sessions
  const left = { attempt_count: 1, last_decline: null, authentication_failure: 'authentication_timeout' }
  const data = [{ ...first!, status: 'requires_payment', payment_id: null, refusal: null, ...left }]
  standIn.on('GET /sessions', () => ({ body: { data, has_more: false, next_cursor: null } }))
  await open('sessions')
  await page.getByText('1 · Bank’s check not finished in time').first().waitFor()
})
