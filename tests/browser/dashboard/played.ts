// The dashboard in a browser, with a service that is played: one for a whole file, or a new one for each test.

import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { newShopper, type Shopper, startBrowser } from '../shopper.ts'
import { openStandIn, type StandIn } from './stand-in.ts'

export async function openPlayed(): Promise<{ browser: Browser; standIn: StandIn }> {
  const [browser, standIn] = [await startBrowser(), await openStandIn()]
  afterAll(async () => {
    await browser.close()
    await standIn.close()
  })
  return { browser, standIn }
}

export type Played = { standIn: StandIn; person: Shopper; page: Page }

/** `begin` runs before each test. No test may leave a fault in the browser, but for an answer lost where `may_lose` says so. */
export function playEach(begin: (played: Played) => unknown, { may_lose = false }: { may_lose?: boolean } = {}): void {
  let browser: Browser
  let played: Played
  beforeAll(async () => {
    browser = await startBrowser()
  }, 60_000)
  beforeEach(async () => {
    const standIn = await openStandIn()
    const person = await newShopper(browser, standIn.base_url)
    played = { standIn, person, page: person.page }
    await begin(played)
  })
  afterEach(async () => {
    const { person, standIn } = played
    await person.context.close()
    await standIn.close()
    expect(may_lose ? butLost(person.faults) : person.faults).toEqual([])
  })
  afterAll(() => browser?.close())
}

/** Without the browser's own words for an answer that the stand-in loses. */
export function butLost(faults: readonly string[]): string[] {
  return faults.filter((fault) => !fault.includes('CONTENT_LENGTH_MISMATCH'))
}
