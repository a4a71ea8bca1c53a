// The demo shop: what a newcomer clicks through, and a merchant copies from.

import { expect, test } from 'vitest'
import { bankPage, clickCard, payButton, phone, picture, typeEmail } from './shopper.ts'
import { openTheatre } from './theatre.ts'

const theatre = openTheatre()

test('tea is bought with a clicked card through a challenge, and the API knows the payment', async () => {
  const page = await theatre.arrive('/demo')
  await picture(page, 'demo-shop-desktop')
  await page
    .getByRole('button', { name: /teapot/ })
    .first()
    .click()
  await page.getByRole('button', { name: 'Check out' }).click()
  await typeEmail(page)
  await clickCard(page, 'Asks for a code')
  await picture(page, 'demo-checkout-desktop')
  await payButton(page).click()
  await bankPage(page).getByLabel('One-time code').fill('1234')
  await bankPage(page).getByRole('button', { name: 'Submit' }).click()
  await page.getByRole('heading', { name: 'Payment complete' }).waitFor()
  await picture(page, 'demo-complete-desktop')
  const [id] = /pay_[0-9a-f]{24}/.exec((await page.locator('main').textContent())!)!
  const { body } = await theatre.stage.account.client.readPayment(id)
  expect(body).toMatchObject({ status: 'captured', currency: 'GBP', amount_verified: true })
  expect(body.order_reference).toMatch(/^HL-/)
  expect(await page.content()).not.toContain(theatre.stage.account.secret_key)
})

test('a reload goes on with the checkout, in the middle of the challenge too', async () => {
  const page = await theatre.arrive('/demo', { viewport: phone })
  await picture(page, 'demo-shop-phone')
  await page
    .getByRole('button', { name: /teapot/ })
    .first()
    .click()
  await page.getByRole('button', { name: 'Check out' }).click()
  await typeEmail(page)
  await clickCard(page, 'Asks for a code')
  await picture(page, 'demo-checkout-phone')
  await payButton(page).click()
  await bankPage(page).getByLabel('One-time code').waitFor()
  await page.reload()
  await bankPage(page).getByLabel('One-time code').fill('1234')
  await bankPage(page).getByRole('button', { name: 'Submit' }).click()
  await page.getByRole('heading', { name: 'Payment complete' }).waitFor()
  await page.getByRole('button', { name: 'Shop again' }).click()
  await page
    .getByRole('button', { name: /teapot/ })
    .first()
    .waitFor()
})

test('the way to the hosted page is there', async () => {
  const page = await theatre.arrive('/demo')
  await page.getByRole('link', { name: 'Pay on the hosted page' }).click()
  await page.waitForURL(theatre.stage.pay_url)
  await page.getByRole('button', { name: 'Continue to payment' }).waitFor()
})
