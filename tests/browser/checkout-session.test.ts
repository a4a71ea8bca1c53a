// The page of a Checkout Session in a real browser: from its address to the shop's, and what it says where there is nothing to pay.

import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { openCheckouts } from '../support/checkout-sessions.ts'
import type { Json } from '../support/client.ts'
import {
  bankDialog,
  bankPage,
  cards,
  desktop,
  type Outfit,
  payButton,
  phone,
  picture,
  typeCard,
  typeEmail,
} from './shopper.ts'
import { openTheatre } from './theatre.ts'

const theatre = openTheatre()
let shop: ReturnType<typeof openCheckouts>
let thanks: string
let basket: string
beforeAll(async () => {
  const { service, shop: site } = theatre.stage
  // It has no hosted page of its own, and no other integration than its default one.
  const account = await service.newAccount({ integration: { allowed_origins: [] } })
  shop = openCheckouts(service, account)
  const page = (title: string) =>
    `<!doctype html><html lang="en"><link rel="icon" href="data:,"><h1>${title}</h1></html>`
  thanks = site.page(page('Thank you'))
  basket = site.page(page('Your basket'))
})

const price = (name: string, unit_amount: number) => ({ currency: 'eur', unit_amount, product_data: { name } })
const lines = [
  { price_data: price('Stoneware teapot, moss green', 4200), quantity: 1 },
  { price_data: price('Breakfast tea, 250 g', 850), quantity: 3 },
]

async function made(more: object = {}): Promise<Json> {
  const urls = { success_url: `${thanks}?session_id={CHECKOUT_SESSION_ID}`, cancel_url: basket }
  const { body, text } = await shop.create({ line_items: lines, ...urls, ...more })
  expect(body.url, text).toBeTruthy()
  return body
}
/** The shop is another origin than the service. */
const arrive = (url: string, outfit: Outfit = {}) =>
  theatre.arrive(url, { origins: [theatre.stage.shop.origin], ...outfit })
const heading = (page: Page, name: string) => page.getByRole('heading', { name })
const charged = (page: Page) => page.getByRole('button', { name: 'Pay €67.50' })

describe('pays', () => {
  test('by a card, and goes on to the shop, whose address says which session it was', async () => {
    const { id, url } = await made()
    const page = await arrive(url)
    await charged(page).waitFor()
    for (const text of ['Stoneware teapot, moss green', 'Breakfast tea, 250 g', '3 × €8.50', '€67.50']) {
      await page.getByText(text).first().waitFor()
    }
    await typeCard(page, cards.approved)
    await payButton(page).click()
    await heading(page, 'Thank you').waitFor()
    expect(page.url()).toBe(`${thanks}?session_id=${id}`)
    expect(await shop.read(id)).toMatchObject({ status: 'complete', payment_status: 'paid', amount_total: 6750 })
  })

  test('through the bank’s check, with an email that the page asks for; Back then says that it is paid', async () => {
    const { id, url } = await made({ customer_email: '' })
    const page = await arrive(url, { viewport: phone })
    await typeEmail(page)
    await typeCard(page, cards.code)
    await payButton(page).click()
    await bankPage(page).getByLabel('One-time code').fill('1234')
    await bankPage(page).getByRole('button', { name: 'Submit' }).click()
    await heading(page, 'Thank you').waitFor()
    expect((await shop.read(id)).customer_details.email).toBe('jo@example.com')
    await page.goto(url)
    await heading(page, 'Payment complete').waitFor()
    const link = page.getByRole('link', { name: /^Continue to / })
    expect(await link.getAttribute('href')).toBe(`${thanks}?session_id=${id}`)
    await picture(page, 'checkout-session-complete')
  })

  test('after three declines by another session of the same Checkout Session', async () => {
    const { id, url } = await made()
    const page = await arrive(url)
    await charged(page).waitFor()
    const first = (await shop.read(id)).payment_intent
    for (const left of ['You can try two more times.', 'You can try once more.', 'No attempts left']) {
      await typeCard(page, cards.insufficient_funds)
      await payButton(page).click()
      await page.getByText(left).waitFor()
    }
    await page.getByRole('button', { name: 'Start again' }).click()
    await typeCard(page, cards.approved)
    await payButton(page).click()
    await heading(page, 'Thank you').waitFor()
    const { payment_intent, status } = await shop.read(id)
    expect([payment_intent === first, status]).toEqual([false, 'complete'])
  })

  test('in two tabs: one session, and the second says that it is paid', async () => {
    const { id, url } = await made()
    const page = await arrive(url)
    await charged(page).waitFor()
    const other = await theatre.shopper.context.newPage()
    await other.goto(url)
    await charged(other).waitFor()
    await typeCard(page, cards.approved)
    await payButton(page).click()
    await heading(page, 'Thank you').waitFor()
    await other.reload()
    await heading(other, 'Payment complete').waitFor()
    const rows = await theatre.stage.service.sql`select 1 from sessions where checkout_session_id = ${id}`
    expect(rows).toHaveLength(1)
  })
})

describe('says', () => {
  test('that it has expired, while it is open or in the bank’s check, and leads back', async () => {
    const { id, url } = await made()
    const page = await arrive(url)
    await typeCard(page, cards.code)
    await payButton(page).click()
    await bankDialog(page).waitFor()
    expect((await shop.expire(id)).status).toBe(200)
    await bankPage(page).getByLabel('One-time code').fill('1234')
    await bankPage(page).getByRole('button', { name: 'Submit' }).click()
    await heading(page, 'This checkout has expired').waitFor()
    await page.reload()
    await heading(page, 'This checkout has expired').waitFor()
    await picture(page, 'checkout-session-expired')
    await page.getByRole('link', { name: 'Back to the shop' }).last().click()
    await heading(page, 'Your basket').waitFor()
    expect(await shop.read(id)).toMatchObject({ status: 'expired', payment_status: 'unpaid' })
  })

  test.each([
    ['another token', (url: string) => url.replace(/.{64}$/, '0'.repeat(64))],
    ['no token', (url: string) => url.replace(/#.*$/, '')],
    [
      'another id',
      (url: string) => url.replace(/cs_test_./, (start) => start.slice(0, -1) + (start.endsWith('0') ? '1' : '0')),
    ],
  ])('nothing about the session for %s', async (_, change) => {
    const { id, url } = await made()
    const page = await arrive(change(url))
    await heading(page, 'This checkout is not available').waitFor()
    expect(await page.content()).not.toContain('teapot')
    expect((await shop.read(id)).payment_intent).toBeNull()
  })

  test('a reload, and one without the token, go on with the same session', async () => {
    const { id, url } = await made()
    const page = await arrive(url)
    await charged(page).waitFor()
    const { payment_intent } = await shop.read(id)
    await page.goto(url.replace(/_secret_.*$/, ''))
    await page.reload()
    await charged(page).waitFor()
    expect((await shop.read(id)).payment_intent).toBe(payment_intent)
  })
})

test('the address’s token is in no request’s address and in no header', async () => {
  const { url } = await made()
  const [token] = /[0-9a-f]{64}$/.exec(url)!
  const { page, context } = await theatre.enter({ origins: [theatre.stage.shop.origin] })
  const seen: string[] = []
  context.on('request', (request) => seen.push(request.url(), JSON.stringify(request.headers())))
  await page.goto(url)
  await typeCard(page, cards.code)
  await payButton(page).click()
  await bankDialog(page).waitFor()
  await page.reload()
  await payButton(page).or(bankDialog(page)).first().waitFor()
  expect(seen.length).toBeGreaterThan(10)
  expect(seen.filter((text) => text.includes(token!))).toEqual([])
  expect(JSON.stringify(theatre.stage.service.log)).not.toContain(token)
})

test.each([
  ['de', 'de', { viewport: desktop }],
  ['dark', 'auto', { viewport: { width: 768, height: 1024 }, colorScheme: 'dark' as const }],
  ['arabic', null, { viewport: phone, locale: 'ar' }],
  ['phone', 'en', { viewport: phone }],
])('a picture: %s', async (name, locale, outfit) => {
  const { url } = await made({ locale })
  const page = await arrive(url, outfit)
  await page.getByRole('button', { name: /67|٦٧/ }).waitFor()
  await picture(page, `checkout-session-${name}`)
  expect(await page.locator('html').getAttribute('lang')).toBe({ de: 'de', arabic: 'ar', phone: 'en' }[name] ?? 'en-GB')
})
