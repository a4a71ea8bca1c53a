// A shopper at a real Chromium: opens pages, types the card, goes to the bank. Notes whatever a page must not do.

import { mkdirSync } from 'node:fs'
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core'
import { inject } from 'vitest'
import { launchChromium } from '../support/chromium.ts'

export type Shopper = {
  page: Page
  context: BrowserContext
  /** Script errors, refused by policy or thrown, warnings, and requests to anybody else: a good page has none. */
  faults: string[]
  /** Every line of the browser's console, those of the browser itself among them. */
  lines: string[]
}

export function startBrowser(): Promise<Browser> {
  return launchChromium(inject('chromium'))
}

export const desktop = { width: 1280, height: 900 }
export const phone = { width: 390, height: 844 }

export type Outfit = {
  viewport?: { width: number; height: number }
  locale?: string
  /** Origins besides the service's own that the test itself serves. */
  origins?: string[]
  reducedMotion?: 'reduce'
  forcedColors?: 'active'
  colorScheme?: 'dark' | 'light'
}

export async function newShopper(
  browser: Browser,
  base_url: string,
  { viewport = desktop, locale = 'en-GB', origins = [], ...more }: Outfit = {},
): Promise<Shopper> {
  const context = await browser.newContext({ viewport, locale, ...more })
  const page = await context.newPage()
  page.setDefaultTimeout(45_000)
  const faults: string[] = []
  const lines: string[] = []
  const known = [base_url, ...origins].map((address) => new URL(address).origin)
  context.on('console', (message) => {
    lines.push(message.text())
    const is_loud = message.type() === 'error' || message.type() === 'warning'
    if (is_loud && !isExpected(message.text())) faults.push(message.text())
  })
  context.on('weberror', (error) => faults.push(error.error().message))
  context.on('request', (request) => {
    const url = new URL(request.url())
    if (/^https?:$/.test(url.protocol) && !known.includes(url.origin)) faults.push(request.url())
  })
  return { page, context, faults, lines }
}

/** The browser itself writes a line for every answer from 400 on, and we one for each colour that cannot be read: parts of the play. */
function isExpected(text: string): boolean {
  return /^(Failed to load resource: the server responded with a status of 4|Ripper: )/.test(text)
}

export const cards = {
  approved: '4000009100020000',
  code: '4000009100050072',
  passes: '4000009100070070',
  fails: '4000009100060071',
  insufficient_funds: '4000009105150000',
  lying: '4000009100020075',
  cancelled: '4000009100030074',
  late: '4000009100010076',
  unknown: '4000009190290000',
  fraud: '4000009105980000',
} as const

/** The frame that takes the card. */
export function cardFields(page: Page) {
  return page.frameLocator('iframe[title="Card details"]')
}

export async function typeCard(page: Page, number: string, code = '123'): Promise<void> {
  const fields = cardFields(page)
  await fields.getByLabel('Card number').fill(number)
  await fields.getByLabel('Expiry date').fill('12 / 39')
  await fields.getByLabel('Security code').fill(code)
}

/** Clicks a test card, behind its one line. `name` is how its words begin. */
export async function clickCard(page: Page, name: string): Promise<void> {
  await cardFields(page).getByText('Test mode').click()
  await cardFields(page)
    .getByRole('button', { name: new RegExp(`^${name}`) })
    .click()
}

export async function typeEmail(page: Page): Promise<void> {
  await page.getByLabel('Email').fill('jo@example.com')
}

export function payButton(page: Page) {
  return page.getByRole('button', { name: /^Pay / })
}

export function bankDialog(page: Page) {
  return page.getByRole('dialog', { name: 'Confirm your payment with your bank' })
}

/** The bank's own page: a frame in our page in the dialog. */
export function bankPage(page: Page) {
  const title = 'iframe[title="Confirm your payment with your bank"]'
  return page.frameLocator(title).frameLocator(title)
}

/** Whether an element has the focus, and its frame too. */
export function hasFocus(locator: Locator): Promise<boolean> {
  return locator.evaluate((element) => element.matches(':focus') && element.ownerDocument.hasFocus())
}

const pictures = new URL('../../dist/screenshots/', import.meta.url)

/** Keeps a picture as build output. */
export async function picture(page: Page, name: string): Promise<void> {
  mkdirSync(pictures, { recursive: true })
  await page.screenshot({ path: new URL(`${name}.png`, pictures).pathname, fullPage: true })
}

/** The page's clock jumps a minute ahead and stands still there, however long this takes; `page.clock` moves it on. */
export async function stopClock(page: Page): Promise<void> {
  await page.clock.install()
  await page.clock.pauseAt(Date.now() + 60_000)
}
