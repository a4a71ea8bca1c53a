// Disputes in the dashboard: their screen, the way to where one is answered, and a refund that asks first.

import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import * as more from './more-samples.ts'
import { playEach } from './played.ts'
import * as samples from './samples.ts'
import type { StandIn } from './stand-in.ts'

const place = `/dashboard/${samples.merchant_id}/test`
const { held } = samples
const [dispute] = more.disputes
const disputed = {
  ...held,
  ...{
    status: 'captured',
    hold: null,
    permitted: ['refund'],
    refund_max: 4200,
    disputes: more.disputes,
    is_disputed: true,
  },
}

let standIn: StandIn
let page: Page

playEach(async (played) => {
  standIn = played.standIn
  page = played.page
  await page.clock.setFixedTime(samples.now)
})

const open = (path: string) => page.goto(`${standIn.base_url}${place}/${path}`)

test('open disputes are listed, each with the way to where it is answered, and all by a button', async () => {
  const asked: unknown[] = []
  standIn.on('GET /disputes', ({ query }) => {
    asked.push(query.which)
    return { body: { data: query.which === 'all' ? [] : more.disputes, has_more: false, next_cursor: null } }
  })
  await open('disputes')
  const table = page.getByRole('table', { name: 'Disputes' })
  await table.getByText('Needs a response').waitFor()
  const link = table.getByRole('link', { name: 'Respond at the acquirer' })
  expect(await link.getAttribute('href')).toBe(dispute!.vendor_url)
  await page.getByRole('button', { name: 'All', exact: true }).click()
  await page.getByText('No disputes.').waitFor()
  expect(new Set(asked)).toEqual(new Set(['open', 'all']))
})

test('a disputed payment says so, and is refunded only by whoever says that they know', async () => {
  standIn.on('GET /payments/pay', () => ({ body: disputed }))
  standIn.on('POST /payments/pay/refunds', () => ({
    status: 201,
    body: { ...samples.refundsOfIt[0]!, status: 'succeeded' },
  }))
  await open(`payments/${held.id}`)
  await page.getByText('Without an answer by').waitFor()
  await page.getByRole('button', { name: 'Refund', exact: true }).first().click()
  const dialog = page.getByRole('dialog')
  const refund = dialog.getByRole('button', { name: /^Refund £/ })
  expect(await refund.isDisabled()).toBe(true)
  await dialog.getByRole('switch', { name: 'Refund it all the same' }).click()
  await refund.click()
  await dialog.waitFor({ state: 'hidden' })
  expect(standIn.acts.map(({ body }) => body)).toMatchObject([{ accept_dispute: true }])
})
