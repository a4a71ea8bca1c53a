// Browsers that lack what is younger than iOS 15: each page takes a payment with the bank's check in them, and looks as it should.

import type { Locator, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { of, shopVisits } from './shop-visits.ts'
import { bankDialog, bankPage, cardFields, cards, payButton, picture, typeCard } from './shopper.ts'
import { openTheatre } from './theatre.ts'

const theatre = openTheatre()
const { newSession, shopPage } = shopVisits(theatre)

/** Script text that takes away what came into Safari with a version of iOS, from every page and frame. */
const missing = {
  'constructed style sheets (16.4)': `
    window.CSSStyleSheet = function () { throw new TypeError('Illegal constructor') }
    delete Document.prototype.adoptedStyleSheets
    delete ShadowRoot.prototype.adoptedStyleSheets`,
  'AbortSignal.timeout and any (16, 17.4)': `
    delete AbortSignal.timeout
    delete AbortSignal.any`,
  'dialogs (15.4)': `
    for (const name of ['show', 'showModal', 'close']) delete HTMLDialogElement.prototype[name]`,
  'Object.hasOwn (15.4)': 'delete Object.hasOwn',
  'at and findLast (15.4)': `
    for (const { prototype } of [Array, String, Object.getPrototypeOf(Uint8Array)])
      for (const name of ['at', 'findLast', 'findLastIndex']) delete prototype[name]`,
  'structuredClone, randomUUID and crossOriginIsolated (15.2 to 15.4)': `
    delete window.structuredClone
    delete Crypto.prototype.randomUUID
    delete window.crossOriginIsolated`,
  'copies of lists, groups and the rest of these years (16 to 18)': `
    for (const name of ['toSorted', 'toReversed', 'toSpliced', 'with']) delete Array.prototype[name]
    for (const name of ['union', 'intersection', 'difference']) delete Set.prototype[name]
    for (const name of ['map', 'filter', 'toArray', 'some']) delete Iterator.prototype[name]
    for (const name of ['groupBy', 'fromAsync']) { delete Object[name]; delete Map[name]; delete Array[name] }
    for (const name of ['withResolvers', 'try']) delete Promise[name]
    for (const name of ['canParse', 'parse']) delete URL[name]
    delete HTMLElement.prototype.popover
    delete HTMLElement.prototype.inert
    delete Element.prototype.checkVisibility
    delete HTMLFormElement.prototype.requestSubmit
    delete window.requestIdleCallback
    delete Document.prototype.featurePolicy`,
}

const rows: [string, string][] = [...Object.entries(missing), ['all of these', Object.values(missing).join(';')]]

const pages = {
  'the hosted page': () => `${theatre.stage.pay_url}?sku=tea&email=jo@example.com`,
  "a shop's page": async () => shopPage(of(await newSession())),
}

/** Without its style the button's words are thin. */
async function isDressed(page: Page): Promise<boolean> {
  const weight = await payButton(page).evaluate(
    (button) => button.ownerDocument.defaultView!.getComputedStyle(button).fontWeight,
  )
  return weight === '600'
}

function isOnTop(dialog: Locator): Promise<boolean> {
  return dialog.evaluate((element) => {
    const { x, y, width } = element.getBoundingClientRect()
    const seen = element.ownerDocument.elementFromPoint(x + width / 2, y + 4)
    return seen?.shadowRoot === element.getRootNode()
  })
}

describe.each(Object.entries(pages))('on %s', (where, addressOf) => {
  test.each(rows)('without %s', async (what, script) => {
    const { page, context } = await theatre.enter({ origins: [theatre.stage.shop.origin] })
    await context.addInitScript(script)
    await page.goto(await addressOf())
    await typeCard(page, cards.code)
    expect(await isDressed(page)).toBe(true)
    await payButton(page).click()
    await bankPage(page).getByLabel('One-time code').fill('1234')
    // Over the page, not below it.
    expect(await isOnTop(bankDialog(page))).toBe(true)
    const link = bankDialog(page).getByRole('link')
    expect(await link.evaluate((each) => each.ownerDocument.defaultView!.getComputedStyle(each).cursor)).toBe('pointer')
    const name = where === 'the hosted page' ? 'hosted' : 'shop'
    if (what === 'all of these') await picture(page, `old-browser-${name}`)
    await bankPage(page).getByRole('button', { name: 'Submit' }).click()
    await page.getByRole('heading', { name: 'Payment complete' }).waitFor()
    expect(await bankDialog(page).count()).toBe(0)
  })
})

test('a browser that is older still is told so, in its language, and takes no card', async () => {
  const { page, context, faults } = await theatre.enter({ locale: 'de' })
  await context.addInitScript('delete AbortSignal.abort')
  await page.goto(`${theatre.stage.pay_url}?sku=tea&email=jo@example.com`)
  await page.getByRole('alert').getByText('Dieser Browser ist zu alt').waitFor()
  expect(await cardFields(page).getByRole('textbox').first().isVisible()).toBe(false)
  expect(faults.join()).toContain('This browser is too old')
  faults.length = 0
})
