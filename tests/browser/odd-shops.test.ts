// Shops that include checkout.js in other ways than by its tag, or isolate their pages.

import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { until } from '../support/service.ts'
import { of, shopVisits } from './shop-visits.ts'
import { bankDialog, bankPage, cards, payButton, typeCard } from './shopper.ts'
import { merchantsPage } from './stage.ts'
import { openTheatre } from './theatre.ts'

const theatre = openTheatre()
const { newSession, stateOf } = shopVisits(theatre)

describe('checkout.js says that it is in the wrong place', () => {
  const script = () => `${theatre.stage.service.base_url}/checkout.js`
  const text = async () => (await fetch(script())).text()
  test.each<[string, () => string | Promise<string>]>([
    ['as a module', () => `<script type="module" src="${script()}"></script>`],
    ['imported', () => `<script>import('${script()}')</script>`],
    ['in the page', async () => `<script>${await text()}</script>`],
    [
      "in the shop's own file",
      async () => `<script src="data:text/javascript;base64,${Buffer.from(await text()).toString('base64')}"></script>`,
    ],
  ])('%s', async (_, tag) => {
    const { shop } = theatre.stage
    const { page, faults } = await theatre.enter({ origins: [shop.origin] })
    await page.goto(shop.page(`<!doctype html><link rel="icon" href="data:,">${await tag()}`))
    await until(
      async () => faults.join(),
      (said) => said.includes('by a <script src> of its own'),
    )
    faults.length = 0
  })
})

describe.each(['require-corp', 'credentialless'])('a page that isolates itself by %s', (coep) => {
  const headers = {
    'cross-origin-embedder-policy': coep,
    'cross-origin-opener-policy': 'same-origin',
  }

  async function arrive(options: string, given: Record<string, string> = headers): Promise<Page> {
    const { shop, service, account } = theatre.stage
    const html = merchantsPage(service, account.publishable_key!, options)
    return theatre.arrive(shop.page(html, given), { origins: [shop.origin] })
  }

  test('takes a payment', async () => {
    const page = await arrive(of(await newSession()))
    await typeCard(page, cards.approved)
    await payButton(page).click()
    await page.getByRole('heading', { name: 'Payment complete' }).waitFor()
  })

  test("has the bank's check in full, and is come back to", async () => {
    const session = await newSession()
    const page = await arrive(of(session))
    await typeCard(page, cards.code)
    await payButton(page).click()
    await page.getByLabel('One-time code').waitFor()
    await page.goBack()
    // Whoever comes back is asked, and not sent again.
    await bankDialog(page).getByRole('link', { name: "Open the bank's page in full" }).click()
    await page.getByLabel('One-time code').fill('1234')
    await page.getByRole('button', { name: 'Submit' }).click()
    await page.getByRole('heading', { name: 'Payment complete' }).waitFor()
    expect((await stateOf(session)).session.status).toBe('succeeded')
  })

  test('but by that alone: the error names it', async () => {
    const { page, faults } = await theatre.enter({ origins: [theatre.stage.shop.origin] })
    await page.clock.install()
    const { shop, service, account } = theatre.stage
    const html = merchantsPage(service, account.publishable_key!, of(await newSession()))
    await page.goto(shop.page(html, { 'cross-origin-embedder-policy': coep }))
    await page.clock.runFor(7_000)
    await page.getByRole('alert').getByText('could not be loaded').waitFor()
    expect(faults.join()).toContain('COEP')
    faults.length = 0
  })
})

test('COOP alone isolates nothing: the bank’s check comes in the dialog', async () => {
  const { shop, service, account } = theatre.stage
  const html = merchantsPage(service, account.publishable_key!, of(await newSession()))
  const coop = { 'cross-origin-opener-policy': 'same-origin' }
  const page = await theatre.arrive(shop.page(html, coop), { origins: [shop.origin] })
  await typeCard(page, cards.code)
  await payButton(page).click()
  await bankPage(page).getByLabel('One-time code').waitFor()
})
