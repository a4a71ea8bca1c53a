// The page of a payment link in a real browser: paid, loaded again, and what it says once the link is over.

import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { bankPage, cards, payButton, phone, picture, typeCard, typeEmail } from './shopper.ts'
import { openTheatre } from './theatre.ts'

const theatre = openTheatre()

async function made(more: object = {}): Promise<{ id: string; url: string }> {
  const { client } = theatre.stage.service.account
  const headers = { ...client.withKey, 'rip-idempotency-key': crypto.randomUUID() }
  const body = { amount: 4200, currency: 'EUR', description: 'Two cups, wrapped', ...more }
  return (await client.send('POST', '/v1/payment_links', { headers, body })).body
}
const disable = ({ id }: { id: string }) => {
  const { client } = theatre.stage.service.account
  const headers = { ...client.withKey, 'rip-idempotency-key': crypto.randomUUID() }
  return client.send('POST', `/v1/payment_links/${id}/disable`, { headers })
}
const heading = (page: Page, name: string) => page.getByRole('heading', { name })

test('for one payment: paid through the bank’s check, loaded again, and over for everybody else', async () => {
  const link = await made({ max_payments: 1 })
  const page = await theatre.arrive(link.url, { viewport: phone })
  await page.getByText('Two cups, wrapped').waitFor()
  await typeEmail(page)
  await typeCard(page, cards.code)
  await payButton(page).click()
  await bankPage(page).getByLabel('One-time code').fill('1234')
  await bankPage(page).getByRole('button', { name: 'Submit' }).click()
  await heading(page, 'Payment complete').waitFor()
  await page.reload()
  await heading(page, 'Payment complete').waitFor()
  expect(await page.getByRole('button', { name: 'Make another payment' }).count()).toBe(0)
  const other = await theatre.shopper.context.newPage()
  await other.goto(link.url)
  await heading(other, 'All payments of this link were made').waitFor()
  await picture(other, 'payment-link-over')
})

test('for many payments: the same tab pays again by a session of its own', async () => {
  const link = await made()
  const page = await theatre.arrive(link.url)
  await typeEmail(page)
  await typeCard(page, cards.approved)
  await payButton(page).click()
  await heading(page, 'Payment complete').waitFor()
  await page.getByRole('button', { name: 'Make another payment' }).click()
  await typeEmail(page)
  await typeCard(page, cards.approved)
  await payButton(page).click()
  await heading(page, 'Payment complete').waitFor()
  const { client } = theatre.stage.service.account
  const { body } = await client.send('GET', `/v1/payment_links/${link.id}`, { headers: client.withKey })
  expect(body.payments_count).toBe(2)
})

test('withdrawn while its page is open: the card is not charged, and starting again says why', async () => {
  const link = await made()
  const page = await theatre.arrive(link.url)
  await typeEmail(page)
  await typeCard(page, cards.approved)
  await disable(link)
  await payButton(page).click()
  await page.getByRole('button', { name: 'Start again' }).click()
  await heading(page, 'The shop has withdrawn this payment link').waitFor()
})
