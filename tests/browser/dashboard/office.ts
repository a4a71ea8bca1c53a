// What tests of the dashboard with the real service begin and end with: the stage, a browser, and its owner at work.

import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { linkFor } from '../../support/person.ts'
import type { Account } from '../../support/service.ts'
import { startBrowser } from '../shopper.ts'
import { type Stage, setStage } from '../stage.ts'
import { becomeMember, newStaff, type Staff } from './staff.ts'

type Office = {
  readonly stage: Stage
  /** The owner of the merchant, signed in. */
  readonly staff: Staff
  /** Somebody else at a browser of their own, who is not signed in. */
  arrive(): Promise<Staff>
  /** The path of a screen of the merchant in test mode. */
  at(screen: string): string
}

/** To be called at the top of a file. A fault of a page fails the test that it came up in. */
export function openOffice({
  accountOf = (stage) => stage.account,
  ...options
}: Parameters<typeof setStage>[0] & {
  /** Whose office it is: the stage's own merchant, unless the test acts for another by its keys. */
  accountOf?: (stage: Stage) => Account
} = {}): Office {
  let browser: Browser | undefined
  let stage: Stage | undefined
  const all: Staff[] = []

  const arrive = async () => {
    const person = await newStaff(browser!, stage!.service)
    all.push(person)
    return person
  }

  beforeAll(async () => {
    browser = await startBrowser()
    stage = await setStage(options)
    const { merchant_id } = accountOf(stage)
    await becomeMember(await arrive(), await linkFor(stage.service, { merchant_id, role: 'owner' }))
  }, 60_000)

  afterEach(() => {
    expect(all.flatMap(({ faults }) => faults.splice(0))).toEqual([])
  })

  afterAll(async () => {
    await browser?.close()
    await stage?.close()
  })

  return {
    get stage() {
      return stage!
    },
    get staff() {
      return all[0]!
    },
    arrive,
    at: (screen) => `/${accountOf(stage!).merchant_id}/test/${screen}`,
  }
}
