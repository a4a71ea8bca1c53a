// What every file of browser tests begins and ends with: the stage, a browser, and a shopper for each test.

import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { newShopper, type Outfit, type Shopper, startBrowser } from './shopper.ts'
import { type Stage, setStage } from './stage.ts'

type Theatre = {
  /** For all tests of the file. */
  readonly stage: Stage
  /** Of this test. */
  readonly shopper: Shopper
  /** Brings this test's shopper, who has opened nothing yet. */
  enter(outfit?: Outfit): Promise<Shopper>
  /** The same, and opens an address, which may be a path of the service. */
  arrive(address: string, outfit?: Outfit): Promise<Page>
}

/** To be called at the top of a file. A shopper's fault fails the test that it came up in. */
export function openTheatre(): Theatre {
  let browser: Browser | undefined
  let stage: Stage | undefined
  let shopper: Shopper | undefined

  beforeAll(async () => {
    const opened = await Promise.allSettled([
      startBrowser().then((started) => {
        browser = started
      }),
      setStage().then((set) => {
        stage = set
      }),
    ])
    for (const each of opened) if (each.status === 'rejected') throw each.reason
  }, 60_000)

  afterEach(async () => {
    const { context, faults } = shopper!
    shopper = undefined
    await context.close()
    expect(faults).toEqual([])
  })

  afterAll(async () => {
    await browser?.close()
    await stage?.close()
  })

  return {
    get stage() {
      return stage!
    },
    get shopper() {
      return shopper!
    },
    async enter(outfit) {
      shopper = await newShopper(browser!, stage!.service.base_url, outfit)
      return shopper
    },
    async arrive(address, outfit) {
      const { page } = await this.enter(outfit)
      await page.goto(new URL(address, stage!.service.base_url).href)
      return page
    },
  }
}
