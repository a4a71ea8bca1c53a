// Support's day with the real service: find a payment by what the shopper says, read its life, decide, refund.

import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { purchase } from '../../support/client.ts'
import { hold } from '../../support/holding.ts'
import { openOffice } from './office.ts'

const office = openOffice({ accountOf: (stage) => stage.service.account })

test('a held payment is found by its email, captured, and refunded in part', async () => {
  const { page } = office.staff
  const { payment_id, session } = await hold(office.stage.service.account, undefined, {
    customer: { email: 'grace@example.com' },
  })
  await page.getByRole('link', { name: 'Payments' }).click()
  const box = page.getByRole('searchbox', { name: 'Search payments' })
  await box.fill('Grace@Example.com')
  await box.press('Enter')
  const row = page.getByRole('table', { name: 'Payments' }).getByRole('row').nth(1)
  await row.getByText('Held').waitFor()
  await row.getByRole('link').click()
  await page.getByRole('heading', { name: '£42.00' }).waitFor()
  const timeline = page.getByRole('region', { name: 'Timeline' })
  await timeline.getByText('Session created').waitFor()
  await timeline.getByText('The rules decide, unless you do').waitFor()
  await page.getByRole('button', { name: 'Capture' }).click()
  await page.getByRole('button', { name: 'Capture £42.00' }).click()
  await page.getByText('Captured', { exact: true }).first().waitFor()
  await page.getByRole('button', { name: 'Capture' }).waitFor({ state: 'detached' })
  const [payment] = await office.stage.service.sql`
    select status from payments where payment_id = ${payment_id}`
  expect(payment).toEqual({ status: 'captured' })
  await timeline.getByText('Jo Marsh').first().waitFor()

  await page.getByRole('button', { name: 'Refund' }).click()
  const amount = page.getByLabel('Amount')
  expect(await amount.inputValue()).toBe('42.00')
  await amount.fill('50')
  expect(await page.getByRole('button', { name: 'Refund £50.00' }).isDisabled()).toBe(true)
  await amount.fill('12.50')
  await page.getByLabel('Reason').fill('one cup broke')
  await page.getByRole('button', { name: 'Refund £12.50' }).click()
  await page.getByText('£12.50 was refunded, £29.50 is left.').waitFor()
  await timeline.getByText('Refunded £12.50').waitFor()
  await timeline.getByText('one cup broke').waitFor()
  // The person who decided, by name.
  await page.getByRole('definition').filter({ hasText: 'Jo Marsh' }).waitFor()

  await page.getByRole('link', { name: 'Payments' }).click()
  await row.getByText('Refunded in part').waitFor()
  await page.getByRole('button', { name: 'Refunded', exact: true }).click()
  await expect.poll(() => page.getByRole('table', { name: 'Payments' }).getByRole('row').count()).toBe(2)
  await box.fill('Grace@')
  await page.getByRole('option', { name: 'Email: grace@example.com' }).click()
  await page.getByRole('button', { name: 'Remove the filter Email: grace@example.com' }).waitFor()
  await box.fill(session.id)
  await box.press('Enter')
  await page.getByRole('heading', { name: '£42.00' }).waitFor()
  expect(new URL(page.url()).pathname.split('/').at(-1)).toBe(payment_id)
})

test('what a colleague decides meanwhile is said', async () => {
  const { page, open } = office.staff
  const { payment_id } = await hold(office.stage.service.account)
  await open(office.at(`payments/${payment_id}`))
  await page.getByRole('button', { name: 'Void' }).click()
  const { client } = office.stage.service.account
  const captured = await client.decideHold('capture', payment_id)
  expect(captured.status).toBe(200)
  await page.getByRole('button', { name: 'Void £42.00' }).click()
  await page.getByRole('alert').filter({ hasText: 'decided this hold already' }).waitFor()
})

test('a payment that comes while one looks is announced by the stream', async () => {
  const { page, open } = office.staff
  const stream = page.waitForResponse((answer) => answer.url().endsWith('/dashboard/api/stream'))
  await open(office.at('payments'))
  // From its answer on it tells whatever comes.
  await stream
  const rows = page.getByRole('table', { name: 'Payments' }).getByRole('row')
  await rows.nth(1).waitFor()
  const before = await rows.count()
  await hold(office.stage.service.account)
  // Without the stream the page would look only after half a minute.
  await page.getByRole('button', { name: '1 new' }).click()
  await expect.poll(() => rows.count()).toBe(before + 1)
})

test("another merchant's payment is like one that does not exist", async () => {
  const { page, open } = office.staff
  const other = await office.stage.service.newAccount()
  const { payment_id } = await hold(other)
  await open(office.at(`payments/${payment_id}`))
  await page.getByRole('alert').filter({ hasText: 'not allowed to see it' }).waitFor()
  await open(`/${other.merchant_id}/test/payments`)
  await page.getByText('not allowed to see it').waitFor()
})

test('export gives what the chips say, with the mark of UTF-8', async () => {
  const { page, open } = office.staff
  await hold(office.stage.service.account, undefined, { customer: { email: '=1+1@example.com' } })
  await open(office.at('payments?status=held'))
  await page.getByText('=1+1@example.com').waitFor()
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export' }).click()
  await page.getByRole('button', { name: 'Download' }).click()
  const text = readFileSync(await (await download).path(), 'utf8')
  expect(text.startsWith('\ufeff')).toBe(true)
  expect(text).toContain("'=1+1@example.com")
  expect(text).not.toMatch(/,captured,/)
})

test('a refund that the acquirer refused is told at once, and a pending one as pending', async () => {
  const { page } = office.staff
  const { client } = office.stage.service.account
  const { body } = await client.pay()
  await office.staff.open(office.at(`payments/${body.payment_id}`))
  const dialog = page.getByRole('dialog', { name: 'Refund this payment' })
  const refund = async (amount: string) => {
    await dialog.getByLabel('Amount').fill(amount)
    await dialog.getByRole('button', { name: `Refund £${amount}` }).click()
  }
  await page.getByRole('button', { name: 'Refund' }).click()
  await refund('5.13')
  await dialog.getByRole('alert').getByText('The acquirer refused the refund. Nothing was given back.').waitFor()
  await page.getByText('A refund of £5.13 failed: the shopper does not have this money.').waitFor()
  await page.getByText('Refund failed', { exact: true }).first().waitFor()
  await refund('5.17')
  await dialog.waitFor({ state: 'detached' })
  await page.getByText('£5.17 is being refunded.').waitFor()
  await page.getByText('A refund of £5.13 failed').waitFor({ state: 'detached' })
  expect(await page.getByText('was refunded').count()).toBe(0)

  await page.getByRole('link', { name: 'Refunds' }).click()
  const rows = page.getByRole('table', { name: 'Refunds' }).getByRole('row')
  await rows.filter({ hasText: '£5.17' }).getByText('Being refunded').waitFor()
  await page.getByRole('button', { name: 'Refund failed' }).click()
  await expect.poll(() => rows.count()).toBe(2)
  await rows.nth(1).getByText('bank or the acquirer').waitFor()
  await rows.nth(1).getByRole('link').click()
  await page.getByRole('heading', { name: '£42.00' }).waitFor()

  const [failed] = await office.stage.service.sql`select refund_id from refunds where status = 'failed'`
  await office.staff.open(office.at('payments'))
  const box = page.getByRole('searchbox', { name: 'Search payments' })
  await box.fill(failed!.refund_id)
  await box.press('Enter')
  await page.getByText('£5.17 is being refunded.').waitFor()
})

test('Enter before the service has said what there is goes to what there is', async () => {
  const { page } = office.staff
  await office.stage.service.account.client.pay(undefined, { ...purchase, order_reference: 'shelf-7731-b' })
  await office.staff.open(office.at('payments'))
  const box = page.getByRole('searchbox', { name: 'Search payments' })
  await box.fill('7731')
  await box.press('Enter')
  await page.getByRole('button', { name: 'Remove the filter Order: shelf-7731-b' }).waitFor()
})
