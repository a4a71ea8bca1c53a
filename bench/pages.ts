// What browsers load, and how long until the hosted page can be typed into and the dashboard shows a payment, on a 4G connection.

import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import type { Browser } from 'playwright-core'
import { chromiumPath, launchChromium } from '../tests/support/chromium.ts'
import { dashboardPage } from './dashboard-page.ts'
import { measuredPage } from './page-visit.ts'
import { median, type Table, whole } from './report.ts'
import { withDataFolder, withService } from './service.ts'

export async function pages({ quick }: { quick: boolean }): Promise<Table[]> {
  return withDataFolder((data_dir) =>
    withService(data_dir, async (service) => {
      const { base_url } = service
      const turns = quick ? 3 : 15
      const browser = await launchChromium(chromiumPath())
      try {
        return [
          await sizes(base_url),
          await interactive(browser, base_url, turns),
          await dashboardPage(browser, service, { data_dir, turns }),
        ]
      } finally {
        await browser.close()
      }
    }),
  )
}

async function sizes(base_url: string): Promise<Table> {
  const asset = (name: string) => readFileSync(new URL(`../dist/web/${name}`, import.meta.url), 'utf8')
  const config = await fetch(`${base_url}/v1/checkout/handles/demo`)
  const { card_fields_url } = (await config.json()) as { card_fields_url: string }
  const fields = await (await fetch(`${card_fields_url}&locale=en`)).text()
  const row = (name: string, text: string, target: number) => [
    name,
    whole(text.length),
    whole(gzipSync(text, { level: 9 }).length),
    whole(target),
  ]
  return {
    name: 'page-sizes',
    headings: ['what a browser loads', 'bytes', 'gzip', 'target'],
    rows: [
      row('checkout.js, on the merchant’s page', asset('checkout.js'), 6_000),
      row('card fields, script, style and words in one', fields, 20_000),
      row('the part that pays, when the shopper begins to type', asset('three-ds.js'), 5_000),
    ],
  }
}

/** From the start of navigation to a card number field and a Pay button that can be used. */
async function interactive(browser: Browser, base_url: string, turns: number): Promise<Table> {
  const first: Visit[] = []
  const again: Visit[] = []
  for (let turn = 0; turn < turns; turn += 1) {
    const context = await browser.newContext({ locale: 'en-GB' })
    first.push(await visit(context, base_url))
    again.push(await visit(context, base_url))
    await context.close()
  }
  const row = (name: string, visits: Visit[]) => [
    name,
    whole(median(visits.map(({ interactive_ms }) => interactive_ms))),
    whole(Math.max(...visits.map(({ interactive_ms }) => interactive_ms))),
    '< 1 000',
    whole(median(visits.map(({ requests }) => requests))),
    whole(median(visits.map(({ bytes }) => bytes))),
  ]
  return {
    name: 'page-interactive',
    headings: ['hosted page on 4G', 'median ms', 'longest ms', 'target ms', 'requests', 'bytes'],
    rows: [row('first visit', first), row('later visit', again)],
    notes: ['4G as in the browser’s developer tools: 8.1 Mbit/s down, 165 ms added to each request.'],
  }
}

type Visit = { interactive_ms: number; requests: number; bytes: number }

async function visit(context: Awaited<ReturnType<Browser['newContext']>>, base_url: string): Promise<Visit> {
  const { page, counted } = await measuredPage(context, { is_cold: false })
  await page.addInitScript(watchForm)
  await page.goto(`${base_url}/pay/demo?sku=tea&order_reference=bench`)
  // The page's policy forbids what a waiting function would need.
  let interactive_ms: number | undefined
  for (let tries = 0; !interactive_ms && tries < 200; tries += 1) {
    await pause(50)
    interactive_ms = (await page.evaluate('self.interactive_ms')) as number | undefined
  }
  if (!interactive_ms) throw new Error('the hosted page did not become interactive')
  await page.close()
  return { interactive_ms, ...counted() }
}

/** In the page, at every frame that is drawn: is there a button to pay and a field for the card number? */
const watchForm = `
  if (self === top) requestAnimationFrame(function look() {
    const hosts = [...document.querySelectorAll('#pay *')].filter((element) => element.shadowRoot)
    const form = hosts.map(({ shadowRoot }) => shadowRoot).find((root) => root.querySelector('button.pay'))
    const fields = form && form.querySelector('iframe').contentDocument
    if (fields && fields.querySelector('input[name=cardnumber]')) self.interactive_ms = performance.now()
    else requestAnimationFrame(look)
  })`
