// The API's description as a page: on a phone as on a wide screen all of it is read without scrolling sideways.

import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { docsPage } from '../../src/http/docs-page.ts'
import { openApiDocument } from '../../src/http/openapi.ts'
import { events, routes, streams } from '../../src/routes.ts'
import { startBrowser } from './shopper.ts'

const { body, headers } = docsPage(openApiDocument(routes, events, streams))

let browser: Browser
beforeAll(async () => {
  browser = await startBrowser()
}, 60_000)
afterAll(() => browser.close())

test.each([320, 360, 768, 1280])(
  '%i pixels wide',
  async (width) => {
    const page = await browser.newPage({ viewport: { width, height: 900 } })
    await page.route('**', (route) =>
      route.fulfill({ body: String(body), headers: { ...headers, 'content-type': 'text/html' } }),
    )
    await page.goto('http://service/docs')
    const measured = (await page.evaluate(`({
    beyond: document.documentElement.scrollWidth - innerWidth,
    scrolling: [...document.querySelectorAll('.scroll')].filter((box) => box.scrollWidth > box.clientWidth).length,
    headings: getComputedStyle(document.querySelector('thead')).position,
  })`)) as object
    const headings = width < 640 ? 'absolute' : 'static'
    expect(measured).toEqual({ beyond: 0, scrolling: 0, headings })
    await page.close()
  },
  60_000,
)
