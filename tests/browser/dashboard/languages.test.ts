// The dashboard in other languages: how one is chosen, and that every screen has room for its words, from either side.

import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { desktop, newShopper, type Outfit, phone, picture } from '../shopper.ts'
import { audit, overview } from './more-samples.ts'
import { openPlayed } from './played.ts'
import * as samples from './samples.ts'
import { refuse } from './stand-in.ts'

const { browser, standIn } = await openPlayed()

const place = `/dashboard/${samples.merchant_id}/test`
const screens = [
  ...['overview', 'payments', `payments/${samples.held.id}`, 'holds', 'refunds', 'payouts', 'sessions'],
  ...['webhooks', 'requests'],
  ...['keys', 'integrations', 'team', 'connections', 'operations', 'system', 'audit', 'account'],
]

async function visit(outfit: Outfit, act: (page: Page) => Promise<void>): Promise<void> {
  const { page, context, faults } = await newShopper(browser, standIn.base_url, outfit)
  await page.clock.setFixedTime(samples.now)
  await act(page)
  await context.close()
  expect(faults).toEqual([])
}

const root = (page: Page) => page.locator('html')
const isAt = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor()

test('it is the browser’s, until a person chooses another in their menu', async () => {
  await visit({ locale: 'de-CH' }, async (page) => {
    await page.goto(`${standIn.base_url}${place}/team`)
    await page.getByRole('link', { name: 'Zahlungen', exact: true }).waitFor()
    expect(await root(page).getAttribute('lang')).toBe('de-CH')
    await page.getByRole('button', { name: 'Jo Marsh' }).click()
    await page.getByRole('menuitem', { name: 'Sprache: Deutsch' }).click()
    await page.getByRole('button', { name: 'العربية' }).click()
    await isAt(page, 'الفريق')
    expect(await root(page).getAttribute('dir')).toBe('rtl')
    // Kept by the browser, so that it holds in another window, too.
    const other = await page.context().newPage()
    await other.goto(`${standIn.base_url}${place}/holds`)
    await isAt(other, 'المحتجزة')
  })
})

test('a link that brings somebody in outlives a change of language', async () => {
  standIn.on('POST /links/read', () => ({
    body: {
      purpose: 'welcome',
      email: null,
      name: null,
      merchant_name: 'Tea & Sons',
      role: 'owner',
      account_exists: false,
      expires_at: samples.now.toISOString(),
    },
  }))
  await visit({}, async (page) => {
    await page.goto(`${standIn.base_url}/dashboard#welcome=abc`)
    await isAt(page, 'Create your account')
    await page.getByRole('button', { name: 'Language: English' }).click()
    await page.getByRole('button', { name: 'Français' }).click()
    await isAt(page, 'Créer votre compte')
    expect(new URL(page.url()).hash).toBe('')
  })
})

test('the sign-in says that a single sign-on was refused, once', async () => {
  standIn.on('GET /me', () => refuse(401, 'sign_in_required'))
  await visit({}, async (page) => {
    await page.goto(`${standIn.base_url}/dashboard#single-sign-on=refused`)
    await page.getByRole('alert').filter({ hasText: 'did not let you in' }).waitFor()
    expect(new URL(page.url()).hash).toBe('')
    await page.reload()
    await isAt(page, 'Sign in')
    expect(await page.getByRole('alert').count()).toBe(0)
  })
  standIn.on('GET /me', () => ({ body: samples.me }))
})

test('a step of a call to the acquirer is said in words', async () => {
  const lines = ['refund.unanswered', 'reverse.approved', 'refund_limit.set'].map((change, index) => ({
    ...audit[0]!,
    entry_id: `entry_${index}`,
    change,
  }))
  standIn.on('GET /audit', () => ({
    body: { data: lines, people: {}, has_more: false, next_cursor: null },
  }))
  await visit({ locale: 'de' }, async (page) => {
    await page.goto(`${standIn.base_url}${place}/audit`)
    await page.getByText('Erstattung: noch keine Antwort').waitFor()
    await page.getByText('Rückabwicklung: vom Acquirer bestätigt').waitFor()
    await page.getByText('Erstattungsgrenze gesetzt').waitFor()
    // Of a finding, what its two sides differ in.
    await page.goto(`${standIn.base_url}${place}/system`)
    await page.getByText(/^Erfasst · 42,00\s£ · 1,00\s£ erstattet$/).waitFor()
  })
})

test('a name is set apart from words of the other direction', async () => {
  const user = { ...samples.me.user, name: 'جو مارش' }
  standIn.on('GET /me', () => ({ body: { ...samples.me, user } }))
  await visit({}, async (page) => {
    await page.goto(`${standIn.base_url}${place}/team`)
    await page.locator('td bdi', { hasText: 'Jo Marsh' }).waitFor()
    await page.locator('header bdi', { hasText: user.name }).waitFor()
    await page.goto(`${standIn.base_url}${place}/account`)
    await page.locator('main .lead bdi', { hasText: user.name }).waitFor()
  })
  standIn.on('GET /me', () => ({ body: samples.me }))
})

test('each number has the form that the language asks for', async () => {
  const declines = (count: number) => () => ({
    body: { ...overview, declines: [{ code: 'stolen_card', category: 'hard', count }] },
  })
  await visit({ locale: 'pl' }, async (page) => {
    for (const [count, words] of [
      [1, 'Jedna odmowa'],
      [3, '3 odmowy'],
      [5, '5 odmów'],
      [22, '22 odmowy'],
    ] as const) {
      standIn.on('GET /overview', declines(count))
      await page.goto(`${standIn.base_url}${place}/overview`)
      await page.getByRole('heading', { name: words, exact: true }).waitFor()
    }
  })
  standIn.on('GET /overview', () => ({ body: overview }))
})

test.each([
  ['ar', phone],
  ['ar', desktop],
  ['de', phone],
  ['ja', phone],
  ['pl', phone],
])('every screen has room for %s', { timeout: 120_000 }, async (locale, viewport) => {
  await visit({ locale, viewport }, async (page) => {
    const wrong: string[] = []
    for (const screen of screens) {
      await page.goto(`${standIn.base_url}${place}/${screen}`)
      await page.locator('h1').waitFor()
      await page.locator('.loading').first().waitFor({ state: 'detached' })
      if (await page.evaluate('document.documentElement.scrollWidth > innerWidth')) wrong.push(screen)
      if (screen === 'overview') await picture(page, `dashboard-overview-${locale}-${viewport.width}`)
    }
    expect(wrong).toEqual([])
  })
})

test('on a phone each value of a member says what it is', async () => {
  await visit({ viewport: phone }, async (page) => {
    await page.goto(`${standIn.base_url}${place}/team`)
    await page.getByText('Sam Okafor').waitFor()
    const cells = `document.querySelector('tbody tr:has(select)').cells`
    const said = await page.evaluate(`[...${cells}].map((cell) => getComputedStyle(cell, '::before').content)`)
    const names = ['Role', 'Signs in with', 'Last seen', 'Last reviewed']
    expect(said).toEqual(['none', ...names.map((name) => `"${name}: "`), 'none'])
  })
})
