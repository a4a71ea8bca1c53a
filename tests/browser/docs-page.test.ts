// The documentation in a real browser: read without scrolling sideways, searched by keyboard, its policy never broken.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Service, startService } from '../support/service.ts'
import { newShopper, type Outfit, picture, startBrowser } from './shopper.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const small = { width: 360, height: 640 }

let service: Service
let browser: Browser
beforeAll(async () => {
  service = await startService()
  browser = await startBrowser()
}, 60_000)
afterAll(async () => {
  await browser.close()
  await service.close()
})

const opened: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of opened.splice(0)) await close()
})

async function open(path: string, outfit: Outfit = {}): Promise<Page> {
  const { page, context, faults } = await newShopper(browser, service.base_url, outfit)
  opened.push(async () => {
    await context.close()
    expect(faults).toEqual([])
  })
  await page.goto(service.base_url + path)
  return page
}

describe.each([
  '/docs',
  '/docs/webhooks',
  '/docs/migrate-from-stripe',
  '/docs/errors',
  '/docs/operations',
  '/docs/operations/settings',
  '/README',
])('%s', (path) => {
  test.each([320, 360, 768, 1280])(
    '%i pixels wide',
    async (width) => {
      const page = await open(path, { viewport: { width, height: 900 } })
      const beyond = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
      expect(beyond).toBe(0)
    },
    30_000,
  )
})

test.each(['light', 'dark'] as const)(
  'axe finds nothing, %s',
  async (colorScheme) => {
    for (const path of ['/docs', '/docs/going-live', '/README']) {
      const page = await open(path, { colorScheme })
      // By axe's script, which the page's policy would not let in as an element.
      await page.evaluate(axe)
      const found = (await page.evaluate(
        `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'] })`,
      )) as { violations: { id: string; nodes: { html: string }[] }[] }
      const told = found.violations.map(({ id, nodes }) => `${id}: ${nodes[0]!.html}`)
      expect(told).toEqual([])
    }
  },
  60_000,
)

test('the search finds a refusal by keyboard alone, and the page goes there', async () => {
  const page = await open('/docs/webhooks')
  await page.keyboard.press('/')
  await page.keyboard.type('hold already')
  await page.getByRole('option', { name: 'hold_already_decided' }).waitFor()
  await picture(page, 'docs-search')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/docs#hold_already_decided')
  const place = page.locator('#hold_already_decided')
  await place.waitFor()
  expect(await place.evaluate((element) => element.matches(':target'))).toBe(true)
  const { y } = (await place.boundingBox())!
  // Below the bar, which stays in sight.
  const bar = (await page.locator('.bar').boundingBox())!
  expect(y).toBeGreaterThanOrEqual(bar.y + bar.height)
})

test('the contents of a long page stand beside it, and are folded above it where there is no room', async () => {
  for (const [width, is_beside] of [
    [1600, true],
    [1280, false],
    [390, false],
  ] as const) {
    const page = await open('/docs/operations/alarms', { viewport: { width, height: 900 } })
    const line = page.locator('details.contents').getByRole('link', { name: 'RipperNotReady' })
    expect([width, await line.isVisible()]).toEqual([width, is_beside])
    if (!is_beside) await page.getByText('On this page').click()
    await line.click()
    expect(new URL(page.url()).hash).toBe('#rippernotready')
  }
})

test('a setting is found by its name, and its row is marked', async () => {
  const page = await open('/docs/webhooks')
  await page.getByRole('combobox').fill('RIPPER_PORT')
  await page.getByRole('option').first().click()
  await page.waitForURL('**/docs/operations/settings#ripper_port')
  expect(await page.locator('tr:target').textContent()).toContain('8080')
})

test('the examples name the address at which the page was opened', async () => {
  const page = await open('/docs')
  expect(await page.locator('main pre').first().textContent()).toContain(`API=${service.base_url}`)
})

test('the arrows choose, Escape closes, and what is not there is said', async () => {
  const page = await open('/docs')
  const field = page.getByRole('combobox')
  await field.fill('webhook endpoint')
  await field.press('ArrowDown')
  const second = page.getByRole('option').nth(1)
  expect(await second.getAttribute('aria-selected')).toBe('true')
  await field.press('Escape')
  await page.getByRole('listbox').waitFor({ state: 'hidden' })
  await field.fill('nowhereatall')
  await page.getByText('Nothing found.').waitFor()
})

test('on a phone a button opens the contents, and a line of them closes them', async () => {
  const page = await open('/docs', { viewport: small })
  const contents = page.getByRole('navigation')
  await contents.waitFor({ state: 'hidden' })
  await page.getByRole('button', { name: 'Contents' }).click()
  await contents.getByRole('link', { name: 'Read a payment', exact: false }).first().click()
  await contents.waitFor({ state: 'hidden' })
  expect(new URL(page.url()).hash).toBe('#read_a_payment')
})

test.each([800, 500])('on opening /docs, %i pixels high, the side list shows its beginning', async (height) => {
  const page = await open('/docs', { viewport: { width: 1280, height } })
  const contents = page.getByRole('navigation')
  const current = contents.locator('[aria-current]').first()
  expect(await current.textContent()).toBe('Documentation')
  expect(await contents.evaluate((element) => element.scrollTop)).toBe(0)
})

test('/docs opens with where to begin, a page that is not there leads back to it, a block of code is copied whole', async () => {
  const page = await open('/docs')
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Documentation')
  await page.getByRole('main').getByRole('link', { name: 'First payment' }).first().click()
  await page.waitForURL('**/docs/first-payment')
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const block = page.locator('main pre').first()
  await block.hover()
  await page.getByRole('button', { name: 'Copy' }).first().click()
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(await block.textContent())
  await page.goto(`${service.base_url}/docs/nowhere`)
  await page.getByRole('link', { name: 'To the documentation' }).click()
  await page.waitForURL('**/docs')
})

test('a long command is broken into lines, and none runs out of view', async () => {
  const page = await open('/docs/shop')
  const cut = `[...document.querySelectorAll('pre.command')].filter((each) => each.scrollWidth > each.clientWidth).length`
  expect(await page.locator('pre.command').count()).toBeGreaterThan(0)
  expect(await page.evaluate(cut)).toBe(0)
})

test('no row of the table of refusals is taller than half the window', async () => {
  const page = await open('/docs/errors')
  const tallest = `Math.max(...[...document.querySelectorAll('tr')].map((each) => each.getBoundingClientRect().height))`
  expect(await page.evaluate(tallest)).toBeLessThan(450)
})

test('without scripts the side list is there, and neither button nor search', async () => {
  const context = await browser.newContext({ javaScriptEnabled: false, viewport: small })
  opened.push(() => context.close())
  const page = await context.newPage()
  await page.goto(`${service.base_url}/docs`)
  const line = page.getByRole('navigation').getByRole('link', { name: 'Webhooks', exact: true })
  expect(await line.isVisible()).toBe(true)
  expect(await page.getByRole('search').isVisible()).toBe(false)
  expect(await page.getByRole('button', { name: 'Contents' }).isVisible()).toBe(false)
})

test('the policy allows just the page’s own script and style', async () => {
  const { headers } = await fetch(`${service.base_url}/docs`)
  const policy = headers.get('content-security-policy')!
  expect(policy).toMatch(/script-src 'sha256-[\w+/=]+';/)
  expect(policy).toMatch(/style-src 'sha256-[\w+/=]+';/)
  expect(policy).toContain("default-src 'none'")
  expect(policy).not.toMatch(/unsafe|https?:|\*/)
})
