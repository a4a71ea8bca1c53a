// Whom the pages serve: people without a mouse, without sight, with large type, in ten languages.

import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Locator, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { formatAmount } from '../../web/shared/money.ts'
import {
  bankDialog,
  bankPage,
  cardFields,
  cards,
  desktop,
  hasFocus,
  payButton,
  phone,
  picture,
  typeCard,
} from './shopper.ts'
import { openTheatre } from './theatre.ts'

const theatre = openTheatre()

const payment = '/pay/tea?sku=tea&email=jo@example.com'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What axe finds against WCAG 2.2 AA, in the page and every frame of it. */
async function violations(page: Page): Promise<string[]> {
  const found = await Promise.all(
    page.frames().map(async (frame) => {
      if (frame.url() === 'about:blank') return []
      await frame.evaluate(axe)
      // Good practice asks for a heading and landmarks, which are the page's affair and not its frames'.
      const practice = frame === page.mainFrame() ? ['best-practice'] : []
      const runOnly = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', ...practice]
      const run = `axe.run(document, ${JSON.stringify({ iframes: false, runOnly })})`
      const { violations } = (await frame.evaluate(run)) as {
        violations: { id: string; nodes: { html: string }[] }[]
      }
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
    }),
  )
  return found.flat()
}

describe('axe finds nothing', () => {
  test('on the choice of goods, the form, its errors and the confirmation', async () => {
    const page = await theatre.arrive('/pay/tea')
    await page.getByRole('button', { name: 'Continue to payment' }).waitFor()
    expect(await violations(page)).toEqual([])
    await page.goto(theatre.stage.service.base_url + payment)
    await payButton(page).waitFor()
    expect(await violations(page)).toEqual([])
    await payButton(page).click()
    await cardFields(page).getByText('Enter the card number.').first().waitFor()
    expect(await violations(page)).toEqual([])
    await picture(page, 'hosted-errors-desktop')
    await typeCard(page, cards.insufficient_funds)
    await payButton(page).click()
    await page.getByRole('alert').filter({ hasText: 'not enough money' }).waitFor()
    expect(await violations(page)).toEqual([])
    await typeCard(page, cards.approved)
    await payButton(page).click()
    await page.getByRole('heading', { name: 'Payment complete' }).waitFor()
    expect(await violations(page)).toEqual([])
  })

  test('on the challenge, in the dialog and in full', async () => {
    const page = await theatre.arrive(payment, { viewport: phone })
    await typeCard(page, cards.code)
    await payButton(page).click()
    await bankPage(page).getByLabel('One-time code').waitFor()
    await picture(page, 'challenge-phone')
    expect(await violations(page)).toEqual([])
    await bankDialog(page).getByRole('button', { name: 'Cancel' }).click()
    await bankDialog(page).getByRole('button', { name: 'Leave' }).waitFor()
    expect(await violations(page)).toEqual([])
    await bankDialog(page).getByRole('button', { name: 'Stay' }).click()
    await bankDialog(page).getByRole('link').click()
    await page.getByLabel('One-time code').waitFor()
    expect(await violations(page)).toEqual([])
  })

  test('where a checkout was continued in another tab', async () => {
    const page = await theatre.arrive(payment, { viewport: phone })
    await typeCard(page, cards.code)
    await payButton(page).click()
    await bankPage(page).getByLabel('One-time code').waitFor()
    const other = await theatre.shopper.context.newPage()
    const secret = await page.evaluate(`Object.values(sessionStorage).find((each) => each.includes('_secret_'))`)
    await other.goto(`${theatre.stage.pay_url}#${/cs_\w+_secret_\w+/.exec(String(secret))![0]}`)
    await typeCard(other, cards.code)
    await payButton(other).click()
    await page.getByRole('button', { name: 'Continue here' }).waitFor()
    expect(await violations(page)).toEqual([])
  })

  test('on the demo shop', async () => {
    const page = await theatre.arrive('/demo')
    await page
      .getByRole('button', { name: /teapot/ })
      .first()
      .click()
    await page.getByRole('button', { name: 'Check out' }).waitFor()
    expect(await violations(page)).toEqual([])
  })

  test('in the dark', async () => {
    const page = await theatre.arrive('/demo', { colorScheme: 'dark' })
    await page
      .getByRole('button', { name: /teapot/ })
      .first()
      .click()
    await page.getByRole('button', { name: 'Check out' }).waitFor()
    expect(await violations(page)).toEqual([])
  })
})

/** Goes from one thing to the next until there. */
async function reach(page: Page, target: Locator, key = 'Tab'): Promise<void> {
  for (let presses = 0; presses < 30 && !(await hasFocus(target)); presses++) {
    await page.keyboard.press(key)
  }
  expect(await hasFocus(target)).toBe(true)
}

test('a purchase by keyboard alone, focus where it belongs at every step', async () => {
  const page = await theatre.arrive(payment)
  await payButton(page).waitFor()
  const { keyboard } = page
  const number = cardFields(page).getByLabel('Card number')
  await reach(page, number)
  await keyboard.type(cards.code)
  await keyboard.press('Tab')
  await keyboard.type('1239')
  await keyboard.press('Tab')
  await keyboard.type('123')
  expect(await number.inputValue()).toBe('4000 0091 0005 0072')
  expect(await cardFields(page).getByLabel('Expiry date').inputValue()).toBe('12 / 39')
  await keyboard.press('Enter')
  const code = bankPage(page).getByLabel('One-time code')
  await code.waitFor()
  const challenge = page.frames().find((frame) => frame.url().includes('/3ds/challenge/'))!
  await expect.poll(() => challenge.evaluate('document.hasFocus()')).toBe(true)
  await reach(page, bankDialog(page).getByRole('button', { name: 'Cancel' }), 'Shift+Tab')
  await keyboard.press('Escape')
  const stay = bankDialog(page).getByRole('button', { name: 'Stay' })
  await stay.waitFor()
  await reach(page, stay)
  await keyboard.press('Enter')
  await reach(page, code)
  await keyboard.type('1234')
  await keyboard.press('Enter')
  const heading = page.getByRole('heading', { name: 'Payment complete' })
  await heading.waitFor()
  await expect.poll(() => hasFocus(heading)).toBe(true)
})

describe('small screens and large type', () => {
  test.each(['/pay/tea', payment, '/demo'])('%s needs no sideways scrolling at 400 per cent', async (path) => {
    // 1280 CSS pixels at 400 %.
    const page = await theatre.arrive(path, { viewport: { width: 320, height: 640 } })
    await page.getByRole('button').first().waitFor()
    if (path === payment) await payButton(page).waitFor()
    for (const frame of page.frames()) {
      const wide = await frame.evaluate('document.documentElement.scrollWidth > innerWidth')
      expect(wide, frame.url()).toBe(false)
    }
    await picture(page, `narrow-${path.split('?')[0]!.slice(1).replace('/', '-')}`)
  })

  test('forced colours and reduced motion', async () => {
    const page = await theatre.arrive(payment, { forcedColors: 'active', reducedMotion: 'reduce' })
    await payButton(page).waitFor()
    await picture(page, 'hosted-forced-colors')
  })
})

const languages = readdirSync(new URL('../../web/words/', import.meta.url))
  .filter((file) => file.endsWith('.json'))
  .map((file) => file.slice(0, 2))

test.each(languages)('%s', async (locale) => {
  const words = JSON.parse(readFileSync(new URL(`../../web/words/${locale}.json`, import.meta.url), 'utf8')) as Record<
    string,
    string
  >
  const page = await theatre.arrive(payment, {
    locale,
    viewport: locale === 'ar' ? phone : desktop,
  })
  const fields = page.frameLocator(`iframe[title="${words.card_details}"]`)
  await fields.getByLabel(words.number!).fill(cards.approved)
  await fields.getByLabel(words.expiry!).fill('1239')
  await fields.getByLabel(words.code!, { exact: true }).fill('123')
  const amount = formatAmount(850, 'GBP', locale)
  const button = page.getByRole('button', { name: words.pay!.replace('{amount}', amount) })
  await button.waitFor()
  const direction = locale === 'ar' ? 'rtl' : 'ltr'
  expect(await page.locator('html').getAttribute('dir')).toBe(direction)
  expect(await page.locator('html').getAttribute('lang')).toBe(locale)
  await picture(page, `language-${locale}`)
  await button.click()
  await page.getByRole('heading', { name: words.complete! }).waitFor()
})
