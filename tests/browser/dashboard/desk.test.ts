// What whoever answers shoppers does besides deciding: notes, receipts, a customer's payments, and filters that they keep.

import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
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
