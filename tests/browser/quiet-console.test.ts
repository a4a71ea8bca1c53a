// The console of pages that are well stays empty: developers stop at the first line there, and look for what is wrong.

import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { linkFor } from '../support/person.ts'
import { becomeMember, newStaff, signOut } from './dashboard/staff.ts'
import { clickCard, newShopper, payButton, startBrowser, typeEmail } from './shopper.ts'
import { type Stage, setStage } from './stage.ts'

let browser: Browser
let stage: Stage

beforeAll(async () => {
  browser = await startBrowser()
  stage = await setStage()
}, 60_000)

afterAll(async () => {
  await browser?.close()
  await stage?.close()
})

test('of the dashboard: the sign-in, the overview, a payment', async () => {
  const { merchant_id } = stage.account
  const secret = await linkFor(stage.service, { merchant_id, role: 'owner' })
  const person = await newStaff(browser, stage.service)
  const { page, context, lines } = person
  await becomeMember(person, secret)
  await page.reload()
  await page.getByRole('button', { name: 'Make a test payment' }).click()
  await page.getByRole('link', { name: 'Open the payment' }).click()
  await page.getByRole('region', { name: 'Timeline' }).getByRole('listitem').first().waitFor()
  await page.reload()
  await page.getByRole('region', { name: 'Timeline' }).getByRole('listitem').first().waitFor()
  await signOut(page)
  await page.reload()
  await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor()
  expect(lines).toEqual([])
  await context.close()
})

test('of the hosted page: the choice, the form, the end', async () => {
  const { page, context, lines } = await newShopper(browser, stage.service.base_url)
  await page.goto(stage.pay_url)
  await page.getByLabel('Quantity of Stoneware teapot').fill('1')
  await page.getByRole('button', { name: 'Continue to payment' }).click()
  await typeEmail(page)
  await clickCard(page, 'Approved')
  await payButton(page).click()
  await page.getByRole('heading', { name: 'Payment complete' }).waitFor()
  expect(lines).toEqual([])
  await context.close()
})
