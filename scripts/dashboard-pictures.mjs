// Takes the pictures of docs/dashboard.md, in light and dark: the dashboard's own script with the samples of its tests.
// `npm run picture` takes them after the README's.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { overview } from '../tests/browser/dashboard/more-samples.ts'
import * as samples from '../tests/browser/dashboard/samples.ts'
import { openStandIn } from '../tests/browser/dashboard/stand-in.ts'
import { chromiumPath, launchChromium } from '../tests/support/chromium.ts'

const desktop = { width: 1120, height: 760 }
const phone = { width: 390, height: 720 }

/** Name, path below the merchant, window, and a text that is there once the screen is whole. */
const pictures = [
  ['overview', 'overview', desktop, 'of payments approved'],
  ['payments', 'payments', desktop, 'A-1042'],
  ['payment', `payments/${samples.held.id}`, desktop, 'sealed'],
  ['holds', 'holds', phone, 'A-1040'],
  ['webhooks', 'webhooks', desktop, 'books.example'],
]

// What the system's own typeface is differs by machine, so the pictures have the one that came with Chromium.
const typeface = [
  ...[faceOf('Regular', 400), faceOf('Bold', 700)],
  ':root { --ripper-font: "Picture", sans-serif }',
].join('\n')

const standIn = await openStandIn()
// The plots are what the overview is about once the first steps are done.
const steps = { has_payment: true, has_endpoint: true, has_colleague: true, has_key: true }
standIn.on('GET /overview', () => ({ body: { ...overview, steps } }))
const browser = await launchChromium(chromiumPath())
try {
  for (const [name, path, viewport, text] of pictures) {
    for (const scheme of ['light', 'dark']) {
      const file = `dashboard_${name}${scheme === 'dark' ? '_dark' : ''}.webp`
      const picture = await pictureOf(path, { viewport, scheme, text })
      writeFileSync(new URL(`../docs/${file}`, import.meta.url), picture)
      console.log(`docs/${file}: ${picture.length} bytes`)
    }
  }
} finally {
  await browser.close()
  await standIn.close()
}

async function pictureOf(path, { viewport, scheme, text }) {
  const look = { viewport, colorScheme: scheme, deviceScaleFactor: 1.5, locale: 'en-GB' }
  // The page's policy would refuse the typeface.
  const context = await browser.newContext({ ...look, bypassCSP: true })
  const page = await context.newPage()
  await page.addInitScript(
    (looked) => localStorage.setItem(looked, '1'),
    `ripper-dashboard-looked-${samples.merchant_id}`,
  )
  await page.clock.setFixedTime(samples.now)
  await page.goto(`${standIn.base_url}/dashboard/${samples.merchant_id}/test/${path}`)
  await page.getByText(text).first().waitFor()
  await page.addStyleTag({ content: typeface })
  await page.evaluate('document.fonts.ready')
  const session = await context.newCDPSession(page)
  const shot = await session.send('Page.captureScreenshot', { format: 'webp', quality: 80 })
  await context.close()
  return Buffer.from(shot.data, 'base64')
}

function faceOf(name, weight) {
  const file = join(dirname(chromiumPath()), `fonts/fonts/Open_Sans/OpenSans-${name}.ttf`)
  if (!existsSync(file)) return ''
  const source = `data:font/ttf;base64,${readFileSync(file).toString('base64')}`
  return `@font-face { font-family: "Picture"; font-weight: ${weight}; src: url("${source}") }`
}
