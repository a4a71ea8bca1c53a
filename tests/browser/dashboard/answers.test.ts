// What whoever answers shoppers must find without pressing "Details": until when an outcome is asked for, why a decision or refund was
// refused and what to do then, both times of a refund, and what became of a delivery.

import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import * as more from './more-samples.ts'
import { playEach } from './played.ts'
import * as samples from './samples.ts'
import { refuse, type StandIn } from './stand-in.ts'

const place = `/dashboard/${samples.merchant_id}/test`
const { held, id, ago } = samples

let standIn: StandIn
let page: Page

playEach(async (played) => {
  standIn = played.standIn
  page = played.page
  await page.clock.setFixedTime(samples.now)
})

const open = (path: string) => page.goto(`${standIn.base_url}${place}/${path}`)
const says = (text: string) => page.getByText(text).first().waitFor()

const asked = { operation_id: id('op', 1), sequence: 1, state: 'unknown', sent_at: ago(20), answered_at: null }
const lifeWith = (operation: object) => {
  const [payment] = samples.timeline.payments
  return { body: { ...samples.timeline, payments: [{ ...payment, operations: [{ ...asked, ...operation }] }] } }
}
const unknown = { ...held, status: 'pending', hold: null, settlement: 'awaiting_reconciliation' }
const refunding = { ...held, status: 'captured', hold: null, refunded_amount: 517, pending_refund_amount: 517 }
const paid = [{ payment_id: id('pay', 77), status: 'captured' }]
const asking = { next_at: ago(-5), until: ago(-60 * 72) }

test.each<[string, object, object, RegExp[]]>([
  [
    'a payment that is asked for',
    unknown,
    { kind: 'authorise', asking },
    [
      /The service asks until 26 Nov.*, next at 23 Nov/,
      /“Your payment is not confirmed yet\. Please do not pay again/,
      /ask the acquirer by our reference/,
    ],
  ],
  [
    'a payment that was asked for as long as it is asked',
    unknown,
    { kind: 'authorise', asking: { ...asking, until: ago(1) } },
    [/The service asks again at 23 Nov/, /“Your payment is still not confirmed\. Please do not pay again/],
  ],
  [
    'a refund that is asked for',
    refunding,
    { kind: 'refund', asking },
    [/The service asks until 26 Nov.*, next at 23 Nov/, /“Your refund has been sent and is not confirmed yet/],
  ],
  [
    'a payment that waits for a person',
    unknown,
    { kind: 'authorise', asking: { ...asking, next_at: null } },
    [/it waits for a person under Operations/, /“Your payment is still not confirmed\. Please do not pay again/],
  ],
  [
    'a refund that waits for a person',
    refunding,
    { kind: 'refund', asking: { ...asking, next_at: null } },
    [/it waits for a person under Operations/, /“Your refund is still not confirmed/],
  ],
  [
    'a payment of a paid order that is asked for',
    { ...unknown, other_payments: paid },
    { kind: 'authorise', asking },
    [/The service asks until 26 Nov/, /“Your order is paid\. If a second charge appears/],
  ],
  [
    'a payment of a paid order that waits for a person',
    { ...unknown, other_payments: paid },
    { kind: 'authorise', asking: { ...asking, next_at: null } },
    [/it waits for a person under Operations/, /“Your order is paid\. If a second charge appears/],
  ],
  [
    'a refund of one of two payments',
    { ...refunding, other_payments: paid },
    { kind: 'refund', asking },
    [/The service asks until 26 Nov/, /“Your refund has been sent and is not confirmed yet/],
  ],
  [
    'a payment of an order with another that is pending',
    { ...unknown, other_payments: [{ ...paid[0]!, status: 'pending' }] },
    { kind: 'authorise', asking },
    [/The service asks until 26 Nov/, /“Your payment is not confirmed yet\. Please do not pay again/],
  ],
])('%s says until when, and what to tell the shopper', async (_, payment, operation, words) => {
  standIn.on('GET /payments/pay', () => ({ body: payment }))
  standIn.on('GET /payments/pay/timeline', () => lifeWith(operation))
  await open(`payments/${held.id}`)
  for (const each of words) await page.getByText(each).waitFor()
  expect(await page.getByText('For the shopper').count()).toBe(1)
  if (!String(words[0]).includes('waits for a person')) return
  await page.getByRole('link', { name: words[0]! }).click()
  await page.waitForURL(`**${place}/operations`)
})

const ours = { state: 'captured', amount: 4200, currency: 'GBP' }
const elsewhere = { state: 'unknown', amount: null, currency: null }
const returned = { state: 'refunded', amount: 513, currency: 'GBP' }

test.each<[string, object, object, string, string]>([
  ['missing_there', {}, elsewhere, 'Missing there', 'Not found'],
  ['reversed_there', { state: 'refund_failed', amount: 513 }, returned, 'Other refunds', 'Refunded · £5.13'],
  [
    'amount_differs',
    { refunded_amount: 0 },
    { ...ours, refunded_amount: 1250 },
    'Other refunds',
    'Captured · £42.00 · £12.50 refunded',
  ],
  ['amount_differs', {}, { ...ours, amount: 4100 }, 'Another amount', 'Captured · £41.00'],
])('a record that differs (%s of %o and %o): payment, refund and overview', async (kind, own, theirs, what, there) => {
  const { refunded } = samples
  const difference = { kind, ours: { ...ours, ...own }, theirs }
  standIn.on('GET /payments/pay', () => ({ body: { ...refunded, differences: [difference] } }))
  await open(`payments/${refunded.id}`)
  const words = page.getByText(/^The acquirer’s record differs: .*before anything is sent or refunded\.$/)
  const plain = async (place: ReturnType<Page['getByText']>) =>
    (await place.textContent())!.replaceAll(/[\u2066-\u2069]/g, '')
  expect(await plain(words)).toMatch(`differs: ${what}. Here: `)
  expect(await plain(words)).toContain(`At the acquirer: ${there}. Ask`)
  await page.getByRole('button', { name: 'Refund', exact: true }).click()
  await page.getByRole('dialog').waitFor()
  expect(await plain(page.getByRole('dialog').getByText('record differs'))).toContain(there)
  const { id: payment_id, amount, currency } = refunded
  const row = { ...difference, payment_id, order_reference: 'A-1021', amount, currency }
  const waits = { ...more.overview.waits, differing: [row] }
  standIn.on('GET /overview', () => ({ body: { ...more.overview, waits } }))
  await open('overview')
  const link = page.getByRole('link', { name: 'the acquirer’s record differs' })
  expect(await plain(link)).toBe(`£42.00 · A-1021: the acquirer’s record differs (${what})`)
  expect(await link.getAttribute('href')).toMatch(`/test/payments/${payment_id}`)
})

test('what waits for a person is told apart from what the service asks for', async () => {
  const waits = { ...more.overview.waits, unknown_outcomes: 3, outcomes_for_person: 1 }
  standIn.on('GET /overview', () => ({ body: { ...more.overview, waits } }))
  await open('overview')
  await page.getByRole('link', { name: 'One unknown outcome waits for you' }).waitFor()
  await page.getByRole('link', { name: '2 outcomes still unknown' }).waitFor()
})

test('a deadline has the time of the clock, and how long yet', async () => {
  const soon = { ...held.hold!, deadline: ago(-125) }
  standIn.on('GET /payments/pay', () => ({ body: { ...held, hold: soon } }))
  standIn.on('GET /holds', () => ({ body: { data: [{ ...samples.holds[0]!, hold: soon }], has_more: false } }))
  for (const path of [`payments/${held.id}`, 'holds', 'overview']) {
    const waits = { ...more.overview.waits, holds: { ...more.overview.waits.holds, next_deadline: soon.deadline } }
    standIn.on('GET /overview', () => ({ body: { ...more.overview, waits } }))
    await open(path)
    await page
      .getByText(/23 Nov, \d\d:\d\d\u2069 \(\u2068in 2 hours/)
      .first()
      .waitFor()
  }
})

test('a refused capture says why on the payment and in its row under Holds', async () => {
  const refusal = {
    kind: 'capture',
    sequence: 1,
    reason: 'The issuer refused it',
    decline_code: 'do_not_honor',
    at: ago(3),
  }
  const hold = { ...held.hold!, operation_refusal: refusal }
  const line = {
    ...samples.timeline.lines[0]!,
    entry_id: 'e1',
    change: 'capture.refused',
    detail: { decline_code: 'do_not_honor' },
  }
  standIn.on('GET /payments/pay', () => ({ body: { ...held, hold } }))
  standIn.on('GET /payments/pay/timeline', () => ({ body: { ...samples.timeline, lines: [line] } }))
  await open(`payments/${held.id}`)
  await says('Capture: refused by the acquirer · The bank says no')
  await page.getByRole('region', { name: 'Timeline' }).getByText('The bank says no').waitFor()
  const [first] = samples.holds
  standIn.on('GET /holds', () => ({ body: { data: [{ ...first, hold }], has_more: false, next_cursor: null } }))
  await open('holds')
  await page.getByRole('table', { name: 'Holds' }).getByText('Capture: refused by the acquirer').waitFor()
})

test('a refund shows when it was asked for and given back; one that failed says what to do, and begins with its amount', async () => {
  const [refund] = samples.refunds
  const slow = {
    ...refund!,
    owed_amount: null,
    acquirer_transaction_id: 'sim_re_1',
    id: id('ref', 31),
    status: 'succeeded',
    failure: null,
    created_at: ago(600),
    settled_at: ago(60),
  }
  const code = { code: 'refund_refused', reason: 'The issuer refused the refund' }
  const failed = { ...refund!, id: id('ref', 32), status: 'failed', failure: code, amount: 517, owed_amount: 517 }
  const tried = { ...failed, id: id('ref', 33), owed_amount: null }
  const at_once = { ...slow, id: id('ref', 34), settled_at: slow.created_at, acquirer_transaction_id: null }
  const money = { amount: 4200, refunded_amount: 1000, refund_max: 3200, failed_refund_amount: 517, refund_count: 2 }
  const payment = { ...held, status: 'captured', hold: null, permitted: ['refund'], ...money }
  standIn.on('GET /payments/pay', () => ({ body: payment }))
  standIn.on('GET /payments/pay/refunds', () => ({ body: { refunds: [slow, failed, tried, at_once] } }))
  standIn.on('GET /refunds', () => ({ body: { data: [{ ...slow, order_reference: null, customer_email: null }] } }))
  await open(`payments/${held.id}`)
  await page
    .getByText(/^Asked for 23 Nov/)
    .first()
    .waitFor()
  await page
    .getByText(/^Given back 23 Nov/)
    .first()
    .waitFor()
  await says('The shopper’s bank or the acquirer refused the refund. Nothing was given back.')
  await says('If it is refused again, give the money back another way')
  const refunds = page.locator('.refunds')
  await says('A refund of £5.17 failed: the shopper does not have this money.')
  // Of two tries only the later one may be tried again.
  await expect.poll(() => refunds.getByText('If it is refused again').count()).toBe(1)
  await expect.poll(() => refunds.getByText(/^Given back 2\d Nov/).count()).toBe(2)
  await refunds.getByText(`give it this reference: ${slow.acquirer_transaction_id}.`).waitFor()
  await refunds.getByText('Banks show it within 5 to 10 working days.”').waitFor()
  await refunds.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('button', { name: 'Refund £5.17' }).waitFor()
  const twice = [failed, { ...failed, id: id('ref', 35), amount: 913, owed_amount: 913 }]
  standIn.on('GET /payments/pay', () => ({ body: { ...payment, failed_refund_amount: 1430 } }))
  standIn.on('GET /payments/pay/refunds', () => ({ body: { refunds: twice } }))
  await open(`payments/${held.id}`)
  await says('2 refunds failed: the shopper does not have this money.')
  expect(await page.getByText('£14.30').count()).toBe(0)
  // The button for all refunds never begins with a sum of failed ones.
  await page.getByRole('button', { name: 'Refund', exact: true }).click()
  await page.getByRole('button', { name: 'Refund £32.00' }).waitFor()
  await open('refunds')
  await page
    .getByRole('table')
    .getByText(/^Given back 23 Nov/)
    .waitFor()
})

test('an operation says whose it is, and no outcome is chosen for the person', async () => {
  const [operation] = more.operations
  const open_one = { ...operation!, kind: 'authorise', waits_for_person_since: null }
  standIn.on('GET /operations', () => ({ body: { operations: [open_one], brake: null } }))
  standIn.on('POST /operations/op/resolve', () => refuse(409, 'hold_already_decided'))
  await open('operations')
  const row = page.getByRole('table', { name: 'Operations' }).getByRole('row').nth(1)
  for (const words of [
    'Charge',
    operation!.order_reference!,
    operation!.customer_email!,
    'Not yet: the service is asking',
  ])
    await row.getByText(words).waitFor()
  await row.getByRole('button', { name: 'Settle' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText(operation!.order_reference!).waitFor()
  await dialog.getByText(operation!.operation_id).waitFor()
  await dialog.getByRole('button', { name: 'Copy our reference' }).waitFor()
  await dialog.getByLabel('How you know').fill('The portal says so.')
  await dialog.getByRole('button', { name: 'Settle' }).click()
  expect(standIn.acts).toEqual([])
  await dialog.getByLabel('Outcome').selectOption('refused')
  await dialog.getByRole('button', { name: 'Settle' }).click()
  await expect.poll(() => standIn.acts.map(({ body }) => body.outcome)).toEqual(['refused'])
})

test('deliveries: one word for what was given up, filters by what is still to come, and why one that arrived is not sent again', async () => {
  const queries: Record<string, string>[] = []
  const [, arrived, failed] = samples.deliveries
  const attempts = [arrived!, { ...failed!, waiting: null, succeeded_later: true }]
  const untried = { ...failed!, delivery_id: id('dlv', 9), status: 'pending', attempt_number: 0, failure: null }
  standIn.on('GET /webhooks/deliveries', ({ query }) => {
    queries.push(query)
    const data = query.standing === 'waiting' ? [untried, failed!] : attempts
    return { body: { data, has_more: false, next_cursor: null } }
  })
  await open('overview')
  await page.getByRole('link', { name: /given up/ }).click()
  await expect.poll(() => queries.at(-1)).toMatchObject({ standing: 'given_up' })
  expect(await page.getByRole('button', { name: 'Given up', exact: true }).getAttribute('aria-pressed')).toBe('true')
  await page
    .getByRole('table', { name: 'Endpoints' })
    .getByText(/given up/)
    .first()
    .waitFor()
  await page.getByRole('button', { name: 'Waiting', exact: true }).click()
  await expect.poll(() => queries.at(-1)).toMatchObject({ standing: 'waiting' })
  const table = page.getByRole('table', { name: 'Deliveries' })
  const row = (n: number) => table.getByRole('row').nth(n)
  await row(1).getByText('not tried yet · endpoint paused · Next attempt').waitFor()
  await row(2).getByText('endpoint paused · Next attempt').waitFor()
  expect(await table.getByText('Waiting', { exact: true }).count()).toBe(2)
  expect(await table.getByText('Failed', { exact: true }).count()).toBe(0)
  await page.getByRole('button', { name: 'Failed attempts', exact: true }).click()
  await expect.poll(() => queries.at(-1)).toMatchObject({ status: 'failed' })
  await table.getByText('delivered later').waitFor()
  await table.getByRole('button', { name: 'Details' }).first().click()
  await says('so the service does not send it again')
})

test('the note of an escalation may be left out, and says so', async () => {
  await open(`payments/${held.id}`)
  await page.getByRole('button', { name: 'Escalate', exact: true }).click()
  await page.getByRole('textbox', { name: 'Note (optional)' }).waitFor()
})

test('a payment names what the acquirer finds its charge by: of two acquirers that of the later', async () => {
  const [payment] = samples.timeline.payments
  const operations = [1, 2].map((number) => ({
    ...asked,
    operation_id: id('op', number),
    kind: 'authorise',
    asking: null,
  }))
  const life = {
    ...samples.timeline,
    payments: [{ ...payment, operations: [...operations, { ...asked, kind: 'void', asking: null }] }],
  }
  standIn.on('GET /payments/pay', () => ({ body: unknown }))
  standIn.on('GET /payments/pay/timeline', () => ({ body: life }))
  await open(`payments/${held.id}`)
  await page.getByRole('definition').getByText(id('op', 2)).waitFor()
  await page.getByRole('button', { name: 'Copy our reference' }).waitFor()
})

const failed_refund = {
  ...samples.refundsOfIt[0]!,
  id: id('ref', 41),
  status: 'failed',
  failure: { code: 'refund_refused', reason: 'The issuer refused the refund' },
  amount: 1013,
  owed_amount: 513,
  created_at: ago(60),
}
const owing = {
  ...held,
  status: 'captured',
  hold: null,
  permitted: ['refund'],
  ...{ amount: 4200, refunded_amount: 500, refund_max: 3700, failed_refund_amount: 513, refund_count: 2 },
}
const note = 'Bank transfer of Tuesday'

test('a failed refund is noted as settled another way, with what is owed of it', async () => {
  standIn.on('GET /payments/pay', () => ({ body: owing }))
  standIn.on('GET /payments/pay/refunds', () => ({ body: { refunds: [failed_refund] } }))
  standIn.on('POST /refunds/ref/otherwise', () => ({ status: 204, body: null }))
  await open(`payments/${held.id}`)
  // Of the 10.13, 5.00 were given back.
  await says('A refund of £5.13 failed: the shopper does not have this money.')
  await page.getByRole('button', { name: 'Settled another way' }).click()
  const dialog = page.getByRole('dialog', { name: 'Settled another way' })
  await dialog.getByRole('button', { name: 'Note £5.13' }).click()
  // The browser wants a note.
  expect(standIn.acts).toEqual([])
  await dialog.getByLabel('How it was given back').fill(note)
  await dialog.getByRole('button', { name: 'Note £5.13' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(standIn.acts.map(({ body }) => body)).toEqual([{ amount: 513, note }])
})

test('what is owed no more is said in the dialog', async () => {
  standIn.on('GET /payments/pay', () => ({ body: owing }))
  standIn.on('GET /payments/pay/refunds', () => ({ body: { refunds: [failed_refund] } }))
  standIn.on('POST /refunds/ref/otherwise', () => refuse(409, 'refund_not_owed'))
  await open(`payments/${held.id}`)
  await page.getByRole('button', { name: 'Settled another way' }).click()
  await page.getByLabel('How it was given back').fill(note)
  await page.getByRole('button', { name: 'Note £5.13' }).click()
  await page.getByRole('dialog').getByText('Nothing of this refund is owed any more').waitFor()
})

test('a refund says how much its dialog saw given back another way, also if the page has read anew since', async () => {
  standIn.on('GET /payments/pay', () => ({ body: owing }))
  standIn.on('GET /payments/pay/refunds', () => ({ body: { refunds: [failed_refund] } }))
  standIn.on('POST /payments/pay/refunds', () => refuse(409, 'refund_settled_otherwise'))
  await open(`payments/${held.id}`)
  await page.getByRole('button', { name: 'Try again' }).click()
  // Support may refund up to 10.00 of it, of which all but 4.87 are given back.
  const noted = { ...owing, refunded_amount: 0, refund_max: 487, otherwise_amount: 513 }
  standIn.on('GET /payments/pay', () => ({ body: noted }))
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Refund £5.13' }).click()
  await dialog.getByText('Somebody has noted or taken back').waitFor()
  await dialog.getByText('£5.13 was given back another way.').waitFor()
  await dialog.getByLabel('Amount').fill('1')
  await dialog.getByRole('button', { name: 'Refund £1.00' }).click()
  await expect.poll(() => standIn.acts.length).toBe(2)
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Refund', exact: true }).click()
  await dialog.getByRole('button', { name: 'Refund £4.87' }).click()
  await dialog.getByText('Somebody has noted or taken back').waitFor()
  expect(standIn.acts.map(({ body }) => body)).toEqual([
    { amount: 513, otherwise_amount: 0 },
    { amount: 100, otherwise_amount: 0 },
    { amount: 487, otherwise_amount: 513 },
  ])
})

test('what was settled another way says who, when and how, is not offered again, and can be taken back', async () => {
  const { failed_refund_amount: _, ...rest } = owing
  const settled = { ...failed_refund, owed_amount: null, otherwise_amount: 513 }
  const detail = { refund_id: settled.id, amount: 513, currency: 'GBP', note }
  const line = { ...samples.timeline.lines[0]!, entry_id: 'e9', subject: held.id, actor: `user ${id('usr', 1)}` }
  const lines = [{ ...line, change: 'refund.settled_otherwise', at: ago(5), detail }]
  standIn.on('GET /payments/pay', () => ({ body: { ...rest, otherwise_amount: 513 } }))
  standIn.on('GET /payments/pay/refunds', () => ({ body: { refunds: [settled] } }))
  const payments = [{ ...samples.timeline.payments[0]!, refunds: [settled] }]
  standIn.on('GET /payments/pay/timeline', () => ({ body: { ...samples.timeline, lines, payments } }))
  standIn.on('DELETE /refunds/ref/otherwise', () => ({ status: 204, body: null }))
  await open(`payments/${held.id}`)
  for (const words of [note, 'Jo Marsh', '£5.13 was given back another way.', /^23 Nov/])
    await page.locator('.refunds').getByText(words).first().waitFor()
  const entry = page.getByRole('region', { name: 'Timeline' }).getByRole('listitem')
  await entry.filter({ hasText: '£5.13 given back another way' }).getByText(note).first().waitFor()
  expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0)
  await page.getByRole('button', { name: 'Refund', exact: true }).click()
  // Of the 42.00, 5.00 went back by the card and 5.13 another way.
  await page.getByRole('dialog').getByRole('button', { name: 'Refund £31.87' }).waitFor()
  await page.getByRole('dialog').getByText('£5.13 was given back another way.').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Undo this note' }).waitFor()
  standIn.on('GET /refunds', () => ({ body: { data: [{ ...settled, order_reference: null, customer_email: null }] } }))
  await open('refunds?status=failed')
  await page.getByRole('table').getByText('Settled another way').first().waitFor()
  await page.goBack()
  await page.getByRole('button', { name: 'Undo this note' }).click()
  await expect.poll(() => standIn.acts.map(({ name }) => name)).toEqual(['DELETE /refunds/ref/otherwise'])
})

test.each([
  ['that nobody decided in time', 'rules', [], /Nobody decided in time, so the order is not paid/],
  [
    'of an order that is paid',
    'rules',
    [{ payment_id: id('pay', 77), status: 'captured' }],
    /The order is paid already/,
  ],
  ['by a person', 'merchant', [], null],
])('a voided payment %s says whether the shopper may pay again', async (_, decided_by, other_payments, advice) => {
  const hold = { ...held.hold!, status: 'voided', decided_by, decided_at: ago(3) }
  standIn.on('GET /payments/pay', () => ({ body: { ...held, status: 'voided', hold, other_payments, permitted: [] } }))
  await open(`payments/${held.id}`)
  await page.getByText('sealed').waitFor()
  expect(await page.locator('.advice').count()).toBe(advice ? 1 : 0)
  if (advice) await page.getByText(advice).waitFor()
})

test('what the rules void within a day is told apart from what they capture', async () => {
  const [first] = samples.holds
  const soon = { ...first!.hold, deadline: ago(-60) }
  const rows = [
    { amount: 1000, at_deadline: 'void', hold: soon },
    { amount: 200, at_deadline: 'void', hold: soon },
    { amount: 34, at_deadline: 'capture', hold: soon },
    { amount: 5, at_deadline: 'void', hold: { ...soon, deadline: ago(-60 * 48) } },
  ]
  const data = rows.map(({ amount, at_deadline, hold }, at) => ({
    ...first!,
    payment_id: id('pay', at),
    ...{ amount, currency: 'GBP', hold, rules: { ...first!.rules, at_deadline } },
  }))
  standIn.on('GET /holds', () => ({ body: { data, has_more: false, next_cursor: null } }))
  await open('holds')
  await says('£12.00 will be voided within a day unless you decide.')
  await says('£0.34 will be captured within a day unless you decide.')
  standIn.on('GET /holds', () => ({ body: { data: data.slice(0, 1), has_more: false, next_cursor: null } }))
  await open('holds')
  await says('£10.00 will be voided within a day unless you decide.')
  expect(await page.getByText('will be captured').count()).toBe(0)
})

test('the declines that are not named lead to all declined payments', async () => {
  const declines = Array.from({ length: 7 }, (_, at) => ({ code: `reason_${at}`, category: 'soft', count: 9 - at }))
  standIn.on('GET /overview', () => ({ body: { ...more.overview, declines } }))
  await open('overview')
  await page.getByRole('link', { name: 'All others' }).click()
  await page.getByRole('heading', { name: 'Payments', level: 1 }).waitFor()
  const { searchParams } = new URL(page.url())
  expect([searchParams.get('status'), searchParams.get('decline_code')]).toEqual(['declined', null])
})
