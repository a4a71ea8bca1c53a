// A newcomer's whole walk without a terminal: owner, payment, hold, colleague, key, endpoint, and a delivery that is replayed.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWebhookReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts'
import { openOffice } from './office.ts'
import { keepCodes } from './staff.ts'

const retry_seconds = 3_600
const office = openOffice({ deliver: { schedule: [retry_seconds] } })
let receiver: WebhookReceiver

beforeAll(async () => {
  receiver = await openWebhookReceiver(() => 500)
})

afterAll(() => receiver?.close())

const go = (name: string) => office.staff.page.getByRole('link', { name, exact: true }).click()

test('a test payment is found by typing its email', { timeout: 60_000 }, async () => {
  const { page } = office.staff
  await page.getByRole('button', { name: 'Make a test payment' }).click()
  await page.getByText('shopper@example.com paid £42.00.').waitFor()
  await go('Payments')
  const box = page.getByRole('searchbox', { name: 'Search payments' })
  await box.fill('shopper@example.com')
  await box.press('Enter')
  await page.getByRole('button', { name: 'Remove the filter Email: shopper@example.com' }).waitFor()
  const row = page.getByRole('table', { name: 'Payments' }).getByRole('row').nth(1)
  await row.getByText('Captured').waitFor()
  await row.getByRole('link').click()
  await page.getByRole('region', { name: 'Timeline' }).getByText('Session created').waitFor()
})

test('a hold is captured', async () => {
  const { page } = office.staff
  await go('Overview')
  await page.getByRole('button', { name: 'Another outcome' }).click()
  await page.getByRole('menuitem', { name: 'One that is held' }).click()
  await page.getByText('It is held until you decide.').waitFor()
  await go('Holds')
  await page.getByRole('button', { name: 'Capture' }).click()
  await page.getByRole('button', { name: 'Capture £42.00' }).click()
  await page.getByText('Nothing is held.').waitFor()
})

test('an invited colleague reads and cannot capture', { timeout: 60_000 }, async () => {
  const { page } = office.staff
  await go('Overview')
  await page.getByRole('button', { name: 'Another outcome' }).click()
  await page.getByRole('menuitem', { name: 'One that is held' }).click()
  await page.getByText('It is held until you decide.').waitFor()
  await go('Team')
  await page.getByRole('button', { name: 'Invite' }).click()
  await page.getByLabel('Email').fill('kim@shop.example')
  await page.getByLabel('Role').selectOption('Viewer')
  await page.getByRole('button', { name: 'Make a link' }).click()
  const region = page.getByRole('region', { name: 'Invitation link' })
  const url = (await region.locator('code').textContent()) ?? ''
  await page.getByRole('button', { name: 'I have kept it' }).click()
  const colleague = await office.arrive()
  await colleague.open(new URL(url).hash)
  await colleague.page.getByLabel('Name').fill('Kim')
  await colleague.page.getByRole('button', { name: 'Create a passkey' }).click()
  await keepCodes(colleague.page)
  await colleague.open(office.at('holds'))
  const row = colleague.page.getByRole('table', { name: 'Holds' }).getByRole('row').nth(1)
  await row.getByText('s…@example.com').waitFor()
  expect(await colleague.page.getByRole('button', { name: 'Capture' }).count()).toBe(0)
  await row.getByRole('link').click()
  await colleague.page.getByRole('heading', { name: '£42.00' }).waitFor()
  expect(await colleague.page.getByRole('button', { name: 'Capture' }).count()).toBe(0)
})

test('a key works over HTTP', async () => {
  const { page } = office.staff
  await go('Keys')
  await page.getByRole('button', { name: 'Create key' }).click()
  await page.getByLabel('Name').fill('till')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  const key = await page.getByRole('region', { name: 'Secret key' }).locator('code').textContent()
  await page.getByRole('button', { name: 'I have kept it' }).click()
  const answer = await fetch(`${office.stage.service.base_url}/v1/payments`, {
    headers: { 'x-service-api-key': key ?? '' },
  })
  const { data } = (await answer.json()) as { data: { status: string }[] }
  expect(data.map(({ status }) => status).sort()).toEqual(['captured', 'captured', 'held'])
})

test('a delivery is seen, given up, and replayed', { timeout: 90_000 }, async () => {
  const { page } = office.staff
  await go('Webhooks')
  await page.getByRole('button', { name: 'Add endpoint' }).click()
  await page.getByLabel('Endpoint URL').fill(`${receiver.url}/hooks`)
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  const region = page.getByRole('region', { name: 'Signing secret' })
  expect(await region.locator('code').textContent()).toMatch(/^rip_whsec_/)
  await page.getByRole('button', { name: 'I have kept it' }).click()
  await go('Overview')
  await page.getByText('First steps').waitFor({ state: 'detached' })
  await go('Holds')
  await page.getByRole('button', { name: 'Capture' }).click()
  await page.getByRole('button', { name: 'Capture £42.00' }).click()
  await page.getByText('Nothing is held.').waitFor()
  await receiver.has(1)
  await go('Webhooks')
  const deliveries = page.getByRole('table', { name: 'Deliveries' })
  await deliveries.getByText('Failed').waitFor()

  // The last attempt is due after the time in which the session locks. A delay has a fifth of it more at most.
  office.stage.clock.shift(retry_seconds * 1.25 * 1000)
  await receiver.has(2)
  // The page may have locked by itself already, with its next look: then no click gets through to what it covers.
  await page.getByRole('button', { name: 'Given up' }).dispatchEvent('click')
  await page.getByRole('dialog', { name: 'Locked' }).getByRole('button', { name: 'Use your passkey' }).click()
  await deliveries.getByText('Given up').waitFor()
  receiver.treat(() => 200)
  await deliveries.getByRole('button', { name: 'Replay' }).click()
  const [, , replayed] = await receiver.has(3)
  expect(replayed!.event).toMatchObject({ data: { status: 'captured' } })
  await page.getByRole('button', { name: 'Given up' }).click()
  await deliveries.getByText('Succeeded').waitFor()
})
