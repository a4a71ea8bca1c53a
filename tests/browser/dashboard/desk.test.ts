// What whoever answers shoppers does besides deciding: notes, receipts, a customer's payments, and filters that they keep.

import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import * as more from './more-samples.ts'
import { playEach } from './played.ts'
import * as samples from './samples.ts'
import { refuse, type StandIn } from './stand-in.ts'

const place = `/dashboard/${samples.merchant_id}/test`
const { held } = samples
const captured = { ...held, status: 'captured', hold: null }

let standIn: StandIn
let page: Page

playEach(async (played) => {
  standIn = played.standIn
  page = played.page
  await page.clock.setFixedTime(samples.now)
})

const open = (path: string) => page.goto(`${standIn.base_url}${place}/${path}`)
const press = (name: string | RegExp) => page.getByRole('button', { name }).first().click()
const acts = () => standIn.acts.map(({ name, body }) => [name, body])

test('a note is written, and what is wrong with it stands at the field', async () => {
  standIn.on('POST /payments/pay/notes', ({ body }) =>
    body.note === 'x'
      ? refuse(400, 'invalid_request', { field: 'note', fault: 'too_many', bound: 50 })
      : { status: 204, body: null },
  )
  await open(`payments/${held.id}`)
  await press('Add a note')
  const dialog = page.getByRole('dialog', { name: 'Add a note' })
  await dialog.getByLabel('Your note').fill('x')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('At most 50 entries.').waitFor()
  await dialog.getByLabel('Your note').fill('Rang: leave it at the door')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'hidden' })
  expect(acts()).toEqual([
    ['POST /payments/pay/notes', { note: 'x' }],
    ['POST /payments/pay/notes', { note: 'Rang: leave it at the door' }],
  ])
})

test('a note is told in the timeline with its author', async () => {
  const line = {
    ...samples.timeline.lines[0]!,
    entry_id: 'e9',
    subject: held.id,
    actor: `user ${samples.id('usr', 1)}`,
  }
  const lines = [{ ...line, change: 'payment.noted', at: samples.ago(5), detail: { note: 'Rang twice' } }]
  standIn.on('GET /payments/pay/timeline', () => ({ body: { ...samples.timeline, lines } }))
  await open(`payments/${held.id}`)
  const entry = page.getByRole('region', { name: 'Timeline' }).getByRole('listitem').filter({ hasText: 'Note added' })
  await entry.getByText('Rang twice').first().waitFor()
  await entry.getByText('Jo Marsh').waitFor()
})

test('a receipt says what became of each letter and what it says, and is sent again', async () => {
  standIn.on('GET /payments/pay', () => ({ body: captured }))
  standIn.on('POST /payments/pay/receipt', () => ({ status: 204, body: null }))
  await open(`payments/${held.id}`)
  const region = page.getByRole('region', { name: 'Receipt' })
  for (const words of ['Receipt sent', 'Receipt to be sent again', 'Receipt perhaps not sent', 'Jo Marsh'])
    await region.getByText(words, { exact: true }).first().waitFor()
  await region.getByText('Receipt from Tea & Sons').first().click()
  await region.getByText('You paid £42.00 to Tea & Sons.').waitFor()
  await press('Send again')
  const dialog = page.getByRole('dialog', { name: 'Send again' })
  await dialog.getByText('The receipt goes to ada@example.com once more.').waitFor()
  await dialog.getByRole('button', { name: 'Send again' }).click()
  await dialog.waitFor({ state: 'hidden' })
  expect(acts()).toEqual([['POST /payments/pay/receipt', {}]])
})

test.each([
  ['no_address', 'no address is kept'],
  ['no_mail_server', 'no mail server is set up'],
  ['sent_often', 'three times within a day'],
] as const)('why it cannot be sent again is said in place of the button: %s', async (hindrance, words) => {
  standIn.on('GET /payments/pay', () => ({ body: captured }))
  standIn.on('GET /payments/pay/receipt', () => ({ body: { receipt: { ...samples.receipt, hindrance }, people: {} } }))
  await open(`payments/${held.id}`)
  await page.getByText(words).waitFor()
  expect(await page.getByRole('button', { name: 'Send again' }).count()).toBe(0)
})

test("a customer's payments are reached from one of them, by an address without an email", async () => {
  await open(`payments/${held.id}`)
  await page.getByRole('link', { name: held.customer!.email! }).first().click()
  await page.getByRole('heading', { name: 'Customer' }).waitFor()
  expect(page.url()).toBe(`${standIn.base_url}${place}/payments/${held.id}/customer`)
  const sums = page.getByRole('table', { name: 'Sums' })
  await sums.getByText('£210.00').waitFor()
  await sums.getByText('£12.00').waitFor()
  await page.getByRole('table', { name: 'Payments' }).getByText('A-1042').waitFor()
})

test('a filter is opened, saved and deleted', async () => {
  standIn.on('POST /saved-filters', () => ({ status: 204, body: null }))
  await open('payments')
  await press('Saved filters')
  expect(await page.getByRole('menuitem').allTextContents()).toEqual(['Declined in euros', 'Delete saved filters'])
  await page.getByRole('menuitem', { name: 'Declined in euros' }).click()
  await expect.poll(() => new URL(page.url()).search).toBe('?status=declined&currency=EUR')
  await press('Saved filters')
  await page.getByRole('menuitem', { name: 'Save this filter' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('Mine')
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  await press('Saved filters')
  await page.getByRole('menuitem', { name: 'Delete saved filters' }).click()
  await press('Delete the filter Declined in euros')
  await expect.poll(acts).toEqual([
    ['POST /saved-filters', { list: 'payments', name: 'Mine', filters: '?status=declined&currency=EUR' }],
    ['POST /saved-filters', { list: 'payments', name: 'Declined in euros', filters: null }],
  ])
})

test('a part is captured: what is released is said, and the button says what is taken', async () => {
  await open(`payments/${held.id}`)
  await page.getByRole('button', { name: 'Capture', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Capture £42.00' }).waitFor()
  await dialog.getByLabel('Amount').fill('30.50')
  await dialog.getByText('£11.50 is released to the shopper.').waitFor()
  await dialog.getByRole('button', { name: 'Capture £30.50' }).click()
  await expect.poll(acts).toEqual([['POST /payments/pay/hold/capture', { amount: 3050 }]])
})

test.each(['42.01', '0', 'all', ''])('%j is no part that can be captured', async (typed) => {
  await open(`payments/${held.id}`)
  await page.getByRole('button', { name: 'Capture', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Amount').fill(typed)
  await expect.poll(() => dialog.getByRole('button', { name: /^Capture/ }).isDisabled()).toBe(true)
  expect(acts()).toEqual([])
})

test('that a part cannot be captured stands at its field', async () => {
  standIn.on('POST /payments/pay/hold/capture', () => refuse(409, 'operation_refused', { field: 'amount' }))
  await open(`payments/${held.id}`)
  await page.getByRole('button', { name: 'Capture', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Amount').fill('1')
  await dialog.getByRole('button', { name: 'Capture £1.00' }).click()
  await expect.poll(() => dialog.getByLabel('Amount').getAttribute('aria-invalid')).toBe('true')
})

test('a payment of which a part was taken says what was authorised, captured, released and is left', async () => {
  const part = { ...captured, captured_amount: 3050, refunded_amount: 1000, refund_max: 2050 }
  standIn.on('GET /payments/pay', () => ({ body: { ...part, refund_count: 1, permitted: ['refund'] } }))
  await open(`payments/${held.id}`)
  const summary = page.locator('.summary')
  for (const [name, value] of [
    ['Authorised', '£42.00'],
    ['Captured', '£30.50'],
    ['Released', '£11.50'],
  ] as const) {
    await summary.locator('div').filter({ hasText: name }).getByText(value).waitFor()
  }
  await page.getByText('Refunded in part').first().waitFor()
  await page.getByRole('button', { name: 'Refund', exact: true }).first().click()
  expect(await page.getByRole('dialog').getByLabel('Amount').inputValue()).toBe('20.50')
})

test('whether an integration captures by hand is set in its form', async () => {
  const [first] = more.integrations
  standIn.on('POST /integrations/int', () => ({ body: first }))
  await open('integrations')
  await page.getByText('At once, when the shopper pays').first().waitFor()
  await press('Change')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Money is taken').selectOption('manual')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect.poll(acts).toEqual([['POST /integrations/int', { capture: 'manual' }]])
})

test('holds to capture are a list of their own', async () => {
  const waiting = samples.holds.map((each) => ({ ...each, hold: { ...each.hold, reason: 'manual_capture' } }))
  standIn.on('GET /holds', ({ query }) => ({
    body: { data: query.waits_for === 'capture' ? waiting : samples.holds, has_more: false, next_cursor: null },
  }))
  await open('holds')
  await page.getByRole('link', { name: 'To capture' }).click()
  await page.getByRole('table', { name: 'Holds' }).getByText('You capture it when the goods leave').first().waitFor()
  expect(new URL(page.url()).search).toBe('?waits_for=capture')
  expect(await page.getByRole('button', { name: 'Escalate' }).count()).toBe(0)
  await page.getByRole('link', { name: 'To review' }).click()
  await page.getByRole('button', { name: 'Escalate' }).first().waitFor()
})
