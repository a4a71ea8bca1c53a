// Two windows of one shopper on one session: one payment, and each window tells of it.

import { expect, test } from 'vitest'
import { hold, of, shopVisits } from './shop-visits.ts'
import { bankDialog, bankPage, cards, payButton, typeCard } from './shopper.ts'
import { openTheatre } from './theatre.ts'

const theatre = openTheatre()
const { newSession, arrive, readSession, stateOf, requestsOf, passElsewhere } = shopVisits(theatre)

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
  await page.getByRole('heading', { name: 'We are confirming your payment' }).waitFor()
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
