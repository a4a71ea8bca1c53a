// Payments as files, with a service that is played.

import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { playEach } from './played.ts'
import * as samples from './samples.ts'
import type { Asked, StandIn } from './stand-in.ts'

const place = `/dashboard/${samples.merchant_id}/test`

let standIn: StandIn
let page: Page

playEach((played) => {
  standIn = played.standIn
  page = played.page
})

const open = (path: string) => page.goto(standIn.base_url + path)

test('export sends what the chips say and keeps the name of the file', async () => {
  let asked: Asked | null = null
  standIn.on('GET /export', (each) => {
    asked = each
    return { body: 'a,b', file: 'payments.csv' }
  })
  await open(`${place}/payments?status=captured`)
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export' }).click()
  const dialog = page.getByRole('dialog', { name: 'Export payments' })
  await dialog.getByLabel('From').fill('2026-09-30')
  await dialog.getByLabel('To').fill('2026-08-01')
  await dialog.getByText('The end must not be before the start.').waitFor()
  await dialog.getByLabel('From').fill('2026-08-01')
  await dialog.getByLabel('To').fill('2026-08-31')
  await dialog.getByText('31 days').waitFor()
  await dialog.getByRole('button', { name: 'Download' }).click()
  expect((await download).suggestedFilename()).toBe('payments.csv')
  const days = [new Date(2026, 7, 1), new Date(2026, 8, 1)].map((day) => day.toISOString())
  const query = { status: 'captured', created_from: days[0], created_before: days[1] }
  expect(asked!).toMatchObject({ query: { mode: 'test', ...query } })
})

test('an export of years is a file a year, each by a press', async () => {
  const spans: string[] = []
  standIn.on('GET /export', ({ query: { created_from, created_before } }) => {
    spans.push(`${created_from} ${created_before}`)
    return { body: 'a,b', file: 'payments.csv' }
  })
  await open(`${place}/payments`)
  await page.getByRole('button', { name: 'Export' }).click()
  const dialog = page.getByRole('dialog', { name: 'Export payments' })
  await dialog.getByLabel('What').selectOption({ label: 'Payments' })
  await dialog.getByLabel('From').fill('2014-05-01')
  await dialog.getByLabel('To').fill('2026-08-31')
  await dialog.getByText('At most 10 years at once.').waitFor()
  await dialog.getByLabel('From').fill('2024-05-01')
  await dialog.getByText('a file for each year').waitFor()
  for (const year of [2024, 2025, 2026]) {
    const download = page.waitForEvent('download')
    await dialog.getByRole('button', { name: new RegExp(`^Download .*${year}`) }).click()
    await download
  }
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  await dialog.waitFor({ state: 'detached' })
  const days = [
    [2024, 4],
    [2025, 0],
    [2026, 0],
    [2026, 8],
  ].map(([year, month]) => new Date(year!, month!, 1).toISOString())
  expect(spans).toEqual([0, 1, 2].map((index) => `${days[index]} ${days[index + 1]}`))
})

test('without filters it begins with what moved this month, and says what the file comes to', async () => {
  let query: Record<string, string> = {}
  const heading = 'at,kind,amount,currency,payment_id,order_reference,net_amount'
  const rows = ['1,capture,42.00,GBP,pay_1,"A, 1",42.00', '2,refund,5.17,GBP,pay_1,"A, 1",-5.17']
  standIn.on('GET /export/movements', (asked) => {
    query = asked.query
    return { body: null, text: `${[heading, ...rows].join('\r\n')}\r\n`, file: 'movements.csv' }
  })
  await page.clock.setFixedTime(samples.now)
  await open(`${place}/payments`)
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export' }).click()
  const dialog = page.getByRole('dialog', { name: 'Export payments' })
  expect(await dialog.getByLabel('What').locator('option:checked').textContent()).toBe('Captures and refunds')
  await dialog.getByRole('button', { name: 'Download' }).click()
  expect((await download).suggestedFilename()).toBe('movements.csv')
  await dialog.getByText('Saved. Rows: 2. Their net_amount comes to £36.83.').waitFor()
  expect(query.created_from).toBe(new Date(2026, 10, 1).toISOString())
  // Of other days nothing is saved yet.
  await dialog.getByRole('button', { name: 'Last month' }).click()
  expect(await dialog.getByText('Saved.').count()).toBe(0)
})
