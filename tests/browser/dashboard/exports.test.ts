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
