// Takes the README's picture, docs/checkout.webp: the hosted page of the demo merchant, in the Chromium that the tests use.
// `npm run picture` after changing how the checkout looks.

import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromiumPath, launchChromium } from '../tests/support/chromium.ts'
import { serve } from '../tests/support/programs.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const place = mkdtempSync(join(tmpdir(), 'ripper-picture-'))
// As root the database is another user's, who must reach it.
chmodSync(place, 0o711)
const order = '?sku=pot:1&sku=tea:2&sku=cup:2&order_reference=order-1001'

const env = { RIPPER_DATA_DIR: join(place, 'data'), RIPPER_PORT: '0' }
const service = await serve({ env })
try {
  const picture = await pictureOf(`${service.said.pay_url}/demo${order}`)
  writeFileSync(join(root, 'docs/checkout.webp'), picture)
  console.log(`docs/checkout.webp: ${picture.length} bytes`)
} finally {
  await service.stop()
  rmSync(place, { recursive: true, force: true })
}

async function pictureOf(address) {
  const browser = await launchChromium(chromiumPath())
  try {
    const viewport = { width: 1120, height: 720 }
    const context = await browser.newContext({ viewport, deviceScaleFactor: 1.5, locale: 'en-GB' })
    const page = await context.newPage()
    await page.goto(address)
    const fields = page.frameLocator('iframe[title="Card details"]')
    await fields.getByLabel('Card number').fill('4242424242424242')
    await fields.getByLabel('Expiry date').fill('12 / 30')
    await fields.getByLabel('Security code').fill('123')
    await page.getByLabel('Email').fill('jo@example.com')
    // The test cards to one line: Pay is what the picture is about.
    const open_cards = page.locator('details[open] > summary')
    if (await open_cards.count()) await open_cards.click()
    await page.evaluate('document.activeElement.blur(); scrollTo(0, 0)')
    const session = await context.newCDPSession(page)
    const shot = await session.send('Page.captureScreenshot', { format: 'webp', quality: 82 })
    return Buffer.from(shot.data, 'base64')
  } finally {
    await browser.close()
  }
}
