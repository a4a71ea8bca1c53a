// Setting up without a terminal, with the real service: a key that works, an endpoint, holds, an integration's rules.

import { expect, test } from 'vitest'
import { hold } from '../../support/holding.ts'
import { phone } from '../shopper.ts'
import { openOffice } from './office.ts'

const office = openOffice({ accountOf: (stage) => stage.service.account })

test('a key is shown once, works, and is refused once it is revoked', async () => {
  const { page, open } = office.staff
  await open(office.at('keys'))
  await page.getByRole('button', { name: 'Create key' }).click()
  await page.getByLabel('Name').fill('bookkeeping')
  await page.getByRole('checkbox', { name: 'Create payments' }).uncheck()
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  const region = page.getByRole('region', { name: 'Secret key' })
  const key = (await region.locator('code').textContent()) ?? ''
  expect(key).toMatch(/^rip_sk_/)
  await page.getByRole('button', { name: 'I have kept it' }).click()
  const read = () => fetch(`${office.stage.service.base_url}/v1/payments`, { headers: { 'x-service-api-key': key } })
  expect((await read()).status).toBe(200)
  const row = page.getByRole('row').filter({ hasText: 'bookkeeping' })
  await row.getByText('See payments').waitFor()
  expect(await page.content()).not.toContain(key)
  await row.getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('button', { name: 'Revoke key' }).click()
  await row.getByText('Revoked').waitFor()
  await expect.poll(async () => (await read()).status).toBe(401)
})

test('an endpoint is added with its secret, its fault named, and removed', async () => {
  const { page, open } = office.staff
  await open(office.at('webhooks'))
  await page.getByRole('button', { name: 'Add endpoint' }).click()
  await page.getByLabel('Endpoint URL').fill('http://shop.example/hooks')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByRole('alert').filter({ hasText: 'https' }).waitFor()
  await page.getByLabel('Endpoint URL').fill('https://8.8.8.8/hooks')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  const region = page.getByRole('region', { name: 'Signing secret' })
  expect(await region.locator('code').textContent()).toMatch(/^rip_whsec_/)
  await page.getByRole('button', { name: 'I have kept it' }).click()
  const row = page.getByRole('row').filter({ hasText: '8.8.8.8' })
  await row.getByText('Active').waitFor()
  const choose = async (act: string) => {
    await row.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: act }).click()
  }
  await choose('Rotate secret')
  await page.getByRole('button', { name: 'Rotate secret' }).click()
  expect(await region.locator('code').textContent()).toMatch(/^rip_whsec_/)
  await page.getByRole('button', { name: 'I have kept it' }).click()
  await choose('Replay all given up')
  await page.getByRole('button', { name: 'Replay all', exact: true }).click()
  await page.getByText('Nothing was given up for this endpoint.').waitFor()
  await page.getByRole('button', { name: 'Close' }).last().click()
  await row.getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('button', { name: 'Remove endpoint' }).click()
  await row.waitFor({ state: 'detached' })
})

test('an endpoint is added in the words of Stripe, with the secret of Standard Webhooks', async () => {
  const { page, open } = office.staff
  await open(office.at('webhooks'))
  await page.getByRole('button', { name: 'Add endpoint' }).click()
  await page.getByLabel('Endpoint URL').fill('https://9.9.9.9/hooks')
  await page.getByLabel('Format of events').selectOption('stripe')
  await page.getByLabel('checkout.session.expired').uncheck()
  await page.getByLabel('Standard Webhooks').check()
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  const region = page.getByRole('region', { name: 'Signing secret' })
  await region.waitFor()
  const texts = await region.locator('code').allTextContents()
  expect(texts).toEqual([expect.stringMatching(/^whsec_[0-9a-f]{64}$/), expect.stringMatching(/^whsec_.{44}$/)])
  await page.getByRole('button', { name: 'I have kept them' }).click()
  const row = page.getByRole('row').filter({ hasText: '9.9.9.9' })
  await row.getByText('Stripe').waitFor()
  const [endpoint] = await office.stage.service.sql`
    select event_format, standard_webhooks, cardinality(event_filter) as types from webhook_endpoints
    where url = 'https://9.9.9.9/hooks'`
  expect(endpoint).toEqual({ event_format: 'stripe', standard_webhooks: true, types: 11 })
})

test('a hold is voided with one thumb', async () => {
  const { page, open } = office.staff
  const { payment_id } = await hold(office.stage.service.account)
  await page.setViewportSize(phone)
  await open(office.at('holds'))
  const row = page.getByRole('table', { name: 'Holds' }).getByRole('row').filter({ hasText: '42' })
  await row.getByRole('button', { name: 'Void' }).click()
  await page.getByRole('button', { name: 'Void £42.00' }).click()
  await page.getByText('Nothing is held.').waitFor()
  const [payment] = await office.stage.service.sql`
    select status from payments where payment_id = ${payment_id}`
  expect(payment).toEqual({ status: 'voided' })
  await page.setViewportSize({ width: 1280, height: 900 })
})

test('marked holds are decided one by one, and each result is said', async () => {
  const { page, open } = office.staff
  const held = [await hold(office.stage.service.account), await hold(office.stage.service.account)]
  await open(office.at('holds'))
  const boxes = page.getByRole('checkbox', { name: 'Mark £42.00' })
  for (const index of [0, 1]) await boxes.nth(index).check()
  await page.getByText('2 marked: £84.00').waitFor()
  await page.getByRole('button', { name: 'Capture those marked' }).click()
  const dialog = page.getByRole('dialog', { name: 'Capture those marked' })
  const capture = dialog.getByRole('button', { name: 'Capture £84.00' })
  await capture.waitFor()
  // While the dialog is open: the page behind it forgets a mark as soon as it hears of the decision.
  await office.stage.service.account.client.decideHold('void', held[0]!.payment_id)
  await capture.click()
  await dialog.getByText('decided this hold already').waitFor()
  await dialog.getByText('Captured').waitFor()
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  await page.getByText('Nothing is held.').waitFor()
})

test('a connection is made, and its credentials are typed once', async () => {
  const { page, open } = office.staff
  await open(office.at('connections'))
  await page.getByRole('button', { name: 'Create connection' }).click()
  const dialog = page.getByRole('dialog', { name: 'Create connection' })
  await dialog.getByLabel('Vendor').selectOption('stripe')
  await dialog.getByLabel('Label').fill('trial')
  await dialog.getByLabel('secret_key').fill('sk_live_Lapsang')
  await dialog.getByLabel('webhook_secret').fill('whsec_Lapsang')
  await dialog.getByRole('button', { name: 'Create connection' }).click()
  await dialog.getByRole('alert').filter({ hasText: 'live environment' }).waitFor()
  await dialog.getByLabel('secret_key').fill('sk_test_Lapsang')
  await dialog.getByRole('button', { name: 'Create connection' }).click()
  const made = page.getByRole('dialog', { name: 'trial' })
  await made.getByText(/\/acquirers\/conn_[0-9a-f]{24}\/notices/).waitFor()
  await made.getByRole('button', { name: 'Close' }).last().click()
  const region = page.getByRole('region', { name: 'trial' })
  await region.getByText('Active').waitFor()
  expect(await page.content()).not.toContain('Lapsang')
  await region.getByRole('button', { name: 'Disable' }).click()
  await page.getByRole('button', { name: 'Disable connection' }).click()
  await region.getByText('Disabled').first().waitFor()
})

test("an integration's rules are changed, and the audit says who did", async () => {
  const { page, open } = office.staff
  await open(office.at('integrations'))
  await page.getByRole('button', { name: 'Change' }).first().click()
  await page.getByLabel('Days to decide a hold').fill('2')
  await page.getByLabel('If nobody decides in time').selectOption('Capture')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Captured if nobody decides within 2 days.').waitFor()
  await page.getByRole('link', { name: 'Audit' }).click()
  const row = page.getByRole('row').filter({ hasText: 'Integration changed' }).first()
  await row.getByText('Jo Marsh').waitFor()
})

test('an integration is made with prices and looks, seen on its hosted page, and deleted', async () => {
  const { page, open } = office.staff
  await open(office.at('integrations'))
  await page.getByRole('button', { name: 'Create integration' }).click()
  const dialog = page.getByRole('dialog', { name: 'Create integration' })
  await dialog.getByLabel('Name', { exact: true }).fill('Tea stall')
  await dialog.getByText('Prices', { exact: true }).click()
  await dialog.getByRole('button', { name: 'Add a line' }).click()
  const line = dialog.getByRole('group', { name: 'Line 1' })
  await line.getByLabel('SKU').fill('tea')
  await line.getByLabel('Name').fill('Breakfast tea')
  await line.getByLabel('Price').fill('8,50')
  await line.getByLabel('Currency').fill('gbp')
  await dialog.getByText('Hosted page and links').click()
  await dialog.getByRole('checkbox', { name: 'The hosted page' }).check()
  await dialog.getByLabel('Handle', { exact: true }).fill('tea-stall')
  await dialog.getByText('Appearance', { exact: true }).click()
  await dialog.getByLabel('Theme').selectOption('dark')
  await dialog.getByRole('button', { name: 'Create', exact: true }).click()
  const region = page.getByRole('region', { name: 'Tea stall' })
  await region.getByText('One line').waitFor()
  const link = region.getByRole('link', { name: /\/pay\/tea-stall$/ })
  const hosted = await fetch((await link.getAttribute('href'))!)
  expect(hosted.status).toBe(200)
  const html = await hosted.text()
  expect(html).toContain('"unit_amount":850')
  expect(html).toContain('"theme":"dark"')
  await region.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('button', { name: 'Delete integration' }).click()
  await region.waitFor({ state: 'detached' })
})

test.each([
  ['overview', 'Overview'],
  ['sessions', 'Sessions'],
  ['requests', 'Requests'],
  ['operations', 'Operations'],
  ['team', 'Team'],
])('%s opens', async (screen, heading) => {
  const { page, open } = office.staff
  await open(office.at(screen))
  await page.getByRole('heading', { name: heading, level: 1 }).waitFor()
  await expect.poll(() => page.locator('.loading').count()).toBe(0)
  expect(await page.getByRole('alert').count()).toBe(0)
})
