// Two windows of one shopper on one session: one payment, and each window tells of it.

import { expect, test } from 'vitest'
import { hold, of, shopVisits } from './shop-visits.ts'
import { bankDialog, bankPage, cards, payButton, picture, typeCard } from './shopper.ts'
import { openTheatre } from './theatre.ts'

const theatre = openTheatre()
const { newSession, arrive, readSession, stateOf, requestsOf, passElsewhere } = shopVisits(theatre)

const elsewhere = 'This checkout was continued in another tab'

async function twoWindows(card: string) {
  const session = await newSession()
  const page = await arrive(of(session))
  const other = await theatre.shopper.context.newPage()
  await other.goto(page.url())
  for (const each of [page, other]) await typeCard(each, card)
  return { session, page, other }
}

test('its check was left: an authentication that passes there is not charged from here, and the shopper does not pay twice unawares', async () => {
  const { session, page, other } = await twoWindows(cards.code)
  const charges = requestsOf('confirm')
  await payButton(page).click()
  await bankPage(page).getByLabel('One-time code').waitFor()
  await payButton(other).click()
  await bankPage(other).getByLabel('One-time code').waitFor()
  await page.getByRole('heading', { name: elsewhere }).waitFor()
  await bankDialog(other).getByRole('button', { name: 'Cancel' }).click()
  const address = await bankDialog(other).locator('iframe').getAttribute('src')
  await bankDialog(other).getByRole('button', { name: 'Leave' }).click()
  await other.getByText('Nothing was taken').first().waitFor()
  await passElsewhere(session, address!)
  expect(charges).toEqual([])
  expect((await stateOf(session)).session.status).toBe('requires_payment')
})

test('and pays: the first shows that payment, though its own charge was refused', async () => {
  const { session, page, other } = await twoWindows(cards.approved)
  const asking = await hold(page, 'authenticate')
  await payButton(page).click()
  await asking.arrived
  await payButton(other).click()
  await other.getByRole('heading', { name: 'Payment complete' }).waitFor()
  asking.release()
  await page.getByRole('heading', { name: 'Payment complete' }).waitFor()
  expect(await readSession(session)).toMatchObject({ status: 'succeeded', attempt_count: 2 })
})

test('and is closed: the first says where the checkout went on, and takes it back', async () => {
  const { session, page, other } = await twoWindows(cards.code)
  await payButton(page).click()
  await bankPage(page).getByLabel('One-time code').waitFor()
  await payButton(other).click()
  await bankPage(other).getByLabel('One-time code').waitFor()
  const heading = page.getByRole('heading', { name: elsewhere })
  await heading.waitFor()
  expect(await heading.evaluate((each) => each.matches(':focus'))).toBe(true)
  expect(await page.getByText('Do not pay again').count()).toBe(0)
  await picture(page, 'continued-elsewhere')
  await other.close()
  await page.getByRole('button', { name: 'Continue here' }).click()
  await bankPage(page).getByLabel('One-time code').fill('1234')
  await bankPage(page).getByRole('button', { name: 'Submit' }).click()
  await page.getByRole('heading', { name: 'Payment complete' }).waitFor()
  expect(await readSession(session)).toMatchObject({ status: 'succeeded', attempt_count: 2 })
})

test('and pays: the first, which says that it went on there, shows that payment', async () => {
  const { page, other } = await twoWindows(cards.code)
  await payButton(page).click()
  await bankPage(page).getByLabel('One-time code').waitFor()
  await payButton(other).click()
  await bankPage(other).getByLabel('One-time code').fill('1234')
  await page.getByRole('heading', { name: elsewhere }).waitFor()
  await bankPage(other).getByRole('button', { name: 'Submit' }).click()
  await other.getByRole('heading', { name: 'Payment complete' }).waitFor()
  await page.getByRole('heading', { name: 'Payment complete' }).waitFor()
})
