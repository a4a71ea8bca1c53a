// A person of the merchant at a real Chromium, with an authenticator that makes and shows passkeys by itself.

import type { Browser, Page } from 'playwright-core'
import type { Service } from '../../support/service.ts'
import { newShopper, type Outfit, type Shopper } from '../shopper.ts'

export type Staff = Shopper & {
  /** A path of the dashboard, opened by name. */
  open(path: string): Promise<void>
}

export async function newStaff(
  browser: Browser,
  service: Pick<Service, 'context'>,
  outfit: Outfit = {},
): Promise<Staff> {
  const address = new URL(service.context.addresses.dashboard_url())
  const shopper = await newShopper(browser, address.origin, outfit)
  await addAuthenticator(shopper.page)
  return {
    ...shopper,
    open: async (path) => {
      await shopper.page.goto(`${address.origin}/dashboard${path}`)
    },
  }
}

async function addAuthenticator(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
}

/** Comes in by a link with a passkey, keeps the codes, and is at the overview. */
export async function becomeMember(
  { page, open }: Pick<Staff, 'page' | 'open'>,
  secret: string,
  email = 'jo@shop.example',
): Promise<string[]> {
  await open(`#welcome=${secret}`)
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Name').fill('Jo Marsh')
  await page.getByRole('button', { name: 'Create a passkey' }).click()
  return keepCodes(page)
}

export async function keepCodes(page: Page): Promise<string[]> {
  const region = page.getByRole('region', { name: 'Recovery codes' })
  await region.waitFor()
  const codes = await region.getByRole('listitem').allInnerTexts()
  await page.getByRole('button', { name: 'I have kept them' }).click()
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
  return codes
}

export async function signOut(page: Page, name = 'Jo Marsh'): Promise<void> {
  await page.getByRole('button', { name }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor()
}
