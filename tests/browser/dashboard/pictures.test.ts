// Every screen at a glance: it opens without a fault, axe finds nothing, nothing scrolls sideways; a picture of each is kept.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { desktop, newShopper, phone, picture } from '../shopper.ts'
import * as more from './more-samples.ts'
import { openPlayed } from './played.ts'
import * as samples from './samples.ts'
import { refuse } from './stand-in.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const { browser, standIn } = await openPlayed()

const place = `/dashboard/${samples.merchant_id}/test`

const rowsOf = (page: Page) => page.getByRole('table', { name: 'Payments' })

/** Address, and what is there once the screen is whole. */
const screens: [string, string, (page: Page) => Promise<unknown>][] = [
  ['overview', `${place}/overview`, (page) => page.getByText('of payments approved').waitFor()],
  ['payments', `${place}/payments`, (page) => rowsOf(page).getByText('A-1042').waitFor()],
  ['payment', `${place}/payments/${samples.held.id}`, (page) => page.getByText('sealed').waitFor()],
  ['customer', `${place}/payments/${samples.held.id}/customer`, (page) => rowsOf(page).getByText('A-1042').waitFor()],
  ['holds', `${place}/holds`, (page) => page.getByText('A-1040').waitFor()],
  ['disputes', `${place}/disputes`, (page) => page.getByText('Needs a response').waitFor()],
  ['refunds', `${place}/refunds`, (page) => page.getByText('Being refunded').nth(1).waitFor()],
  ['links', `${place}/links`, (page) => page.getByText('Withdrawn').waitFor()],
  ['link', `${place}/links/${more.links[0]!.id}`, (page) => rowsOf(page).getByText('A-1042').waitFor()],
  ['payouts', `${place}/payouts`, (page) => page.getByText('po_1TmQ8xKd').waitFor()],
  ['payout', `${place}/payouts/${more.payout.id}`, (page) => page.getByText('Another amount').waitFor()],
  ['sessions', `${place}/sessions`, (page) => page.getByText('A-1042').waitFor()],
  [
    'session',
    `${place}/sessions/${more.session.id}`,
    (page) => page.getByText('could not be reached').first().waitFor(),
  ],
  ['webhooks', `${place}/webhooks`, (page) => page.getByText('books.example').waitFor()],
  ['requests', `${place}/requests`, (page) => page.getByText('invalid_request').waitFor()],
  ['keys', `${place}/keys`, (page) => page.getByText('Test only').waitFor()],
  ['integrations', `${place}/integrations`, (page) => page.getByText('Price list').waitFor()],
  ['connections', `${place}/connections`, (page) => page.getByText('conn_').first().waitFor()],
  ['team', `${place}/team`, (page) => page.getByText('Sam Okafor').waitFor()],
  ['operations', `${place}/operations`, (page) => page.getByText('£640.00').waitFor()],
  ['audit', `${place}/audit`, (page) => page.getByText('Session created').waitFor()],
  ['merchants', `${place}/merchants`, (page) => page.getByText('The bakery').waitFor()],
  ['system', `${place}/system`, (page) => page.getByText('no answer within 3 s').waitFor()],
  ['account', `${place}/account`, (page) => page.getByText('Safari on iPhone').waitFor()],
]

async function violations(page: Page): Promise<string[]> {
  const runOnly = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
  const run = `axe.run(document, ${JSON.stringify({ runOnly })})`
  await page.evaluate(axe)
  const found = (await page.evaluate(run)) as {
    violations: { id: string; nodes: { html: string }[] }[]
  }
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' ')}`)
}

/** Whether the page is wider than its window. */
const scrollsSideways = 'document.documentElement.scrollWidth > innerWidth'

describe.each([
  ['desktop', { viewport: desktop, colorScheme: 'light' }],
  ['desktop-dark', { viewport: desktop, colorScheme: 'dark' }],
  ['phone', { viewport: phone, colorScheme: 'light' }],
  ['phone-dark', { viewport: phone, colorScheme: 'dark' }],
] as const)('%s', (look, outfit) => {
  test('every screen', { timeout: 120_000 }, async () => {
    const { page, context, faults } = await newShopper(browser, standIn.base_url, outfit)
    await page.clock.setFixedTime(samples.now)
    const wrong: string[] = []
    for (const [name, path, isThere] of screens) {
      await page.goto(standIn.base_url + path)
      await isThere(page)
      for (const each of await violations(page)) wrong.push(`${name} ${each}`)
      if (await page.evaluate(scrollsSideways)) wrong.push(`${name} scrolls sideways`)
      await picture(page, `dashboard-${name}-${look}`)
    }
    await context.close()
    expect(wrong).toEqual([])
    expect(faults).toEqual([])
  })
})

/** Tables too: what a row's buttons do must be in sight. */
const tableScrollsSideways =
  "[...document.querySelectorAll('.table-place')].some((each) => each.scrollWidth > each.clientWidth + 1)"

test('nothing scrolls sideways in the narrowest window, nor where the layout changes', async () => {
  const { page, context } = await newShopper(browser, standIn.base_url)
  const wrong: string[] = []
  for (const [name, path, isThere] of screens) {
    await page.goto(standIn.base_url + path)
    for (const width of [320, 768, 896, 960, 1024]) {
      await page.setViewportSize({ width, height: 640 })
      await isThere(page)
      if (await page.evaluate(scrollsSideways)) wrong.push(`${name} at ${width}`)
      if (await page.evaluate(tableScrollsSideways)) wrong.push(`a table of ${name} at ${width}`)
    }
  }
  await context.close()
  expect(wrong).toEqual([])
})

test('sign-in, right to left, a dialog and a menu', async () => {
  const { page, context, faults } = await newShopper(browser, standIn.base_url)
  await page.clock.setFixedTime(samples.now)
  await page.goto(`${standIn.base_url}${place}/payments/${samples.held.id}`)
  await page.getByRole('button', { name: 'Capture' }).click()
  await page.getByRole('button', { name: 'Capture £42.00' }).waitFor()
  expect(await violations(page)).toEqual([])
  await picture(page, 'dashboard-dialog-desktop')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Jo Marsh' }).click()
  await page.getByRole('menuitem', { name: 'My account' }).waitFor()
  expect(await violations(page)).toEqual([])
  await picture(page, 'dashboard-menu-desktop')
  await page.keyboard.press('Escape')
  await page.evaluate("document.documentElement.dir = 'rtl'")
  await picture(page, 'dashboard-payment-rtl')
  standIn.on('GET /me', () => refuse(401, 'sign_in_required'))
  await page.goto(`${standIn.base_url}/dashboard`)
  await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor()
  expect(await violations(page)).toEqual([])
  await picture(page, 'dashboard-sign-in-desktop')
  await context.close()
  expect(faults).toEqual([])
})
