// Ways into the dashboard, with the real service: links, passkeys, passwords with codes, recovery codes, locks.

import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { codeAt, linkFor } from '../../support/person.ts'
import { startBrowser } from '../shopper.ts'
import { type Stage, setStage } from '../stage.ts'
import { becomeMember, keepCodes, newStaff, type Staff, signOut } from './staff.ts'

let browser: Browser
let stage: Stage
let staff: Staff[] = []

beforeAll(async () => {
  browser = await startBrowser()
  stage = await setStage()
}, 60_000)

afterEach(async () => {
  const faults = staff.flatMap((each) => each.faults)
  await Promise.all(staff.map(({ context }) => context.close()))
  staff = []
  expect(faults).toEqual([])
})

afterAll(async () => {
  await browser?.close()
  await stage?.close()
})

async function arrive(): Promise<Staff> {
  const person = await newStaff(browser, stage.service)
  staff.push(person)
  return person
}

const link = () =>
  linkFor(stage.service, {
    merchant_id: stage.account.merchant_id,
    role: 'owner',
    is_operator: true,
  })

test('by passkey: welcome, out, in again, and a link works once', async () => {
  const secret = await link()
  const person = await arrive()
  const codes = await becomeMember(person, secret)
  expect(codes).toHaveLength(10)
  const { page } = person
  expect(new URL(page.url()).hash).toBe('')
  await signOut(page)
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
  const late = await arrive()
  await late.open(`#welcome=${secret}`)
  await late.page.getByRole('alert').filter({ hasText: 'used already' }).waitFor()
})

test('opened by number it goes on by name, where passkeys work, and takes the link along', async () => {
  const { port } = new URL(stage.service.base_url)
  const person = await newStaff(browser, stage.service, { origins: [stage.service.base_url] })
  staff.push(person)
  const { page } = person
  await page.goto(`http://127.0.0.1:${port}/dashboard#welcome=${await link()}`)
  await page.getByRole('link', { name: 'Continue at localhost' }).click()
  await page.waitForURL(`http://localhost:${port}/dashboard`)
  await page.getByLabel('Email').fill('ray@shop.example')
  await page.getByLabel('Name').fill('Ray')
  await page.getByRole('button', { name: 'Create a passkey' }).click()
  await keepCodes(page)
})

test('by password and one-time codes, and by a recovery code once', async () => {
  const { page, open } = await arrive()
  await open(`#welcome=${await link()}`)
  await page.getByLabel('Email').fill('sam@shop.example')
  await page.getByLabel('Name').fill('Sam Okafor')
  await page.getByRole('button', { name: 'Use a password instead' }).click()
  await page.getByLabel('Password').fill('a teapot of 1842')
  await page.getByRole('button', { name: 'Create account' }).click()
  const codes = await keepCodes(page)
  await page.getByRole('button', { name: 'Sam Okafor' }).click()
  await page.getByRole('menuitem', { name: 'My account' }).click()
  await page.getByRole('button', { name: 'Set up one-time codes' }).click()
  const secret = (await page.locator('form code').textContent()) ?? ''
  expect(secret).toMatch(/^[A-Z2-7]{16,}$/)
  const typeCode = async (at: Date) => {
    await page.getByLabel('One-time code').fill(codeAt(secret, at))
    await page.getByRole('button', { name: 'Confirm' }).click()
  }
  await typeCode(new Date())
  await page.getByRole('button', { name: 'Remove one-time codes' }).waitFor()
  await signOut(page, 'Sam Okafor')

  const typePassword = async (password: string) => {
    await page.getByLabel('Email').fill('sam@shop.example')
    await page.getByRole('button', { name: 'Use a password' }).click()
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  }
  await typePassword('a teapot of 1843')
  await page.getByRole('alert').filter({ hasText: 'That did not work' }).waitFor()
  await page.getByLabel('Password').fill('a teapot of 1842')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  // A code of the step before: the one of this step was used by the set-up, and each works once.
  await typeCode(new Date(Date.now() + 30_000))
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
  await signOut(page, 'Sam Okafor')
  await typePassword('a teapot of 1842')
  await page.getByRole('button', { name: 'Use a recovery code' }).click()
  await page.getByLabel('Recovery code').fill(codes[0]!)
  await page.getByRole('button', { name: 'Confirm' }).click()
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
})

test('a lock after a quarter of an hour keeps the page, and the passkey opens it', async () => {
  const { page, ...person } = await arrive()
  await becomeMember({ page, ...person }, await link(), 'lou@shop.example')
  await page.getByRole('link', { name: 'Team' }).click()
  await page.getByRole('button', { name: 'Invite' }).click()
  await page.getByLabel('Email').fill('kit@shop.example')
  stage.clock.shift(16 * 60_000)
  await page.getByRole('button', { name: 'Make a link' }).click()
  const locked = page.getByRole('dialog', { name: 'Locked' })
  await locked.getByRole('button', { name: 'Use your passkey' }).click()
  await page.getByRole('region', { name: 'Invitation link' }).waitFor()
})

test('an invited colleague comes in and cannot do more than the role', async () => {
  const owner = await arrive()
  await becomeMember(owner, await link(), 'max@shop.example')
  await owner.page.getByRole('link', { name: 'Team' }).click()
  await owner.page.getByRole('button', { name: 'Invite' }).click()
  await owner.page.getByLabel('Email').fill('kim@shop.example')
  await owner.page.getByLabel('Role').selectOption('Viewer')
  await owner.page.getByRole('button', { name: 'Make a link' }).click()
  const region = owner.page.getByRole('region', { name: 'Invitation link' })
  const url = (await region.locator('code').textContent()) ?? ''
  await owner.page.getByRole('button', { name: 'I have kept it' }).click()
  const colleague = await arrive()
  await colleague.open(new URL(url).hash)
  await colleague.page.getByText('as Viewer').waitFor()
  await colleague.page.getByLabel('Name').fill('Kim')
  await colleague.page.getByRole('button', { name: 'Create a passkey' }).click()
  await keepCodes(colleague.page)
  expect(await colleague.page.getByRole('link', { name: 'Team' }).count()).toBe(0)
  await colleague.open(`/${stage.account.merchant_id}/test/team`)
  await colleague.page.getByText('Your role (Viewer) may not open this page.').waitFor()
})

test('the first operator of an installation without people makes a merchant, and takes a payment', async () => {
  const { page, ...person } = await arrive()
  await person.open(`#welcome=${await linkFor(stage.service, { is_operator: true })}`)
  await page.getByText('You run this installation as an operator.').waitFor()
  expect(await page.getByText('merchant').count()).toBe(0)
  await becomeMember({ page, open: async () => {} }, '', 'root@shop.example')
  await page.getByRole('button', { name: 'Make a merchant' }).click()
  await page.getByLabel('Name').fill('The pottery')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByRole('button', { name: 'Make a test payment' }).click()
  await page.getByText('shopper@example.com paid £42.00.').waitFor()
})

test('whoever joins a further merchant lands there', async () => {
  const person = await arrive()
  await becomeMember(person, await link(), 'eva@shop.example')
  const { merchant_id } = await stage.service.newAccount()
  const invited = { purpose: 'invite', email: 'eva@shop.example', role: 'support' } as const
  const secret = await linkFor(stage.service, { ...invited, merchant_id })
  // Another fragment of the page that is open would not load it.
  await person.page.goto('about:blank')
  await person.open(`#invite=${secret}`)
  await person.page.getByRole('button', { name: 'Join' }).click()
  await person.page.waitForURL(`**/dashboard/${merchant_id}/test/overview`)
})
