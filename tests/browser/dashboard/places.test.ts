// Where people are, with a service that is played: what the rail shows to a role, addresses of what it lacks, somebody without a
// merchant, and the merchants of an operator.

import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { permissionsOf, type Role, roles } from '../../../src/users/roles.ts'
import { picture } from '../shopper.ts'
import * as more from './more-samples.ts'
import { playEach } from './played.ts'
import * as samples from './samples.ts'
import { refuse, type StandIn } from './stand-in.ts'

const place = `/dashboard/${samples.merchant_id}/test`

let standIn: StandIn
let page: Page

playEach((played) => {
  standIn = played.standIn
  page = played.page
})

const open = (path: string) => page.goto(standIn.base_url + path)
const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true })
const links = () => page.getByRole('navigation', { name: 'Main' }).getByRole('link')

/** The person has this role at their one merchant, or none at all. */
function be(role: Role | null, is_operator = false): void {
  const [first] = samples.me.memberships
  const memberships = role ? [{ ...first!, role, permissions: permissionsOf(role) }] : []
  const user = { ...samples.me.user, is_operator }
  standIn.on('GET /me', () => ({ body: { ...samples.me, user, memberships } }))
}

const every_one = ['Overview', 'Payments', 'Holds', 'Refunds', 'Disputes', 'Payouts', 'Payment links', 'Sessions']
const developers = ['Webhooks', 'Requests', 'Keys', 'Integrations', 'Connections']
const rails: Record<Role, string[]> = {
  owner: [...every_one, ...developers, 'Team', 'Operations', 'Audit'],
  admin: [...every_one, ...developers, 'Team', 'Operations', 'Audit'],
  developer: [...every_one, ...developers, 'Operations'],
  support: [...every_one, 'Webhooks', 'Operations'],
  viewer: [...every_one, 'Operations'],
}

test.each(roles)('Operations tells a %s who settles them, unless it is themselves', async (role) => {
  be(role)
  standIn.on('GET /operations', () => ({ body: { operations: more.operations, brake: null } }))
  await open(`${place}/operations`)
  await page.getByRole('table', { name: 'Operations' }).waitFor()
  const may = permissionsOf(role).test.includes('resolve_operations')
  expect(await page.getByText('An owner or admin enters').count()).toBe(may ? 0 : 1)
  expect(await page.getByRole('button', { name: 'Settle' }).count()).toBe(may ? more.operations.length : 0)
})

test.each(roles)('the rail of a %s shows what the role opens, and nothing else', async (role) => {
  be(role)
  await open(`${place}/overview`)
  await page.getByText('of payments approved').waitFor()
  const waits = page.getByRole('region', { name: 'Needs attention' }).getByRole('link')
  const sees = (words: string) => waits.filter({ hasText: words }).count()
  expect(await sees('The key bookkeeping expires')).toBe(rails[role].includes('Keys') ? 1 : 0)
  expect(await sees('One delivery given up')).toBe(rails[role].includes('Webhooks') ? 1 : 0)
  const names = (await links().allInnerTexts()).map((text) => text.split('\n')[0]!)
  expect(names).toEqual(rails[role])
  const asked = page.getByRole('combobox', { name: 'A screen', exact: false })
  await page.keyboard.press('Control+k')
  await asked.waitFor()
  const options = page.getByRole('dialog').getByRole('option')
  expect(await options.allInnerTexts()).toEqual([...rails[role], 'My account'])
})

test.each([
  ['viewer', 'keys', 'Keys', 'Your role (Viewer) may not open this page.'],
  ['support', 'team', 'Team', 'Your role (Support) may not open this page.'],
  ['owner', 'system', 'System', 'Only operators of this installation see this page.'],
  ['owner', 'merchants', 'Merchants', 'Only operators of this installation see this page.'],
] as const)('to a %s the address of %s says so, and asks nobody', async (role, screen, title, words) => {
  be(role)
  standIn.on(`GET /${screen}`, () => refuse(500, 'internal_error'))
  await open(`${place}/${screen}`)
  await heading(title).waitFor()
  await page.getByText(words).waitFor()
  expect(await page.getByRole('alert').count()).toBe(0)
  expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0)
})

test('a refusal that no further try mends offers none', async () => {
  standIn.on('GET /keys', () => refuse(403, 'permission_denied'))
  await open(`${place}/keys`)
  await page.getByRole('alert').filter({ hasText: 'Your role does not allow this' }).waitFor()
  expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0)
})

test('support without a limit reads why there is no refund', async () => {
  be('support')
  const captured = { ...samples.held, status: 'captured', hold: null, permitted: [] }
  const answer = (refund_limit: number | null) =>
    standIn.on('GET /payments/pay', () => ({ body: { ...captured, refund_limit } }))
  const path = `${place}/payments/${samples.held.id}`
  answer(0)
  await open(path)
  await page.getByText('No refund limit in GBP has been set for your role yet.').waitFor()
  answer(100)
  await open(path)
  await page.getByText('Your role may refund a payment only up to the limit').waitFor()
  answer(null)
  await open(path)
  await heading('£42.00').waitFor()
  expect(await page.getByText('Your role may refund').count()).toBe(0)
  // All that was captured of it is given back already.
  standIn.on('GET /payments/pay', () => ({
    body: { ...captured, captured_amount: 1200, refunded_amount: 1200, refund_limit: 100, refund_max: 0 },
  }))
  await open(path)
  await page.getByText('£30.00').first().waitFor()
  expect(await page.getByText('Your role may refund').count()).toBe(0)
})

test('somebody without a merchant has their account and a way out', async () => {
  be(null)
  await open('/dashboard')
  await heading('No merchant yet').waitFor()
  await page.getByRole('button', { name: 'Jo Marsh' }).click()
  await page.getByRole('menuitem', { name: 'My account' }).click()
  await heading('My account').waitFor()
  await page.getByRole('button', { name: 'Jo Marsh' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).waitFor()
})

test('an operator without a merchant makes one and is there', async () => {
  be(null, true)
  await open('/dashboard')
  await heading('Merchants').waitFor()
  expect(await links().allInnerTexts()).toEqual(['Merchants', 'System'])
  await picture(page, 'dashboard-lobby-desktop')
  await links().filter({ hasText: 'System' }).click()
  await page.getByText('no answer within 3 s').waitFor()
  await links().filter({ hasText: 'Merchants' }).click()
  await page.getByRole('button', { name: 'Make a merchant' }).click()
  await page.getByLabel('Name').fill('Tea & Sons')
  standIn.on('POST /system/merchants', () => {
    be('owner', true)
    return { status: 201, body: { merchant_id: samples.merchant_id } }
  })
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await page.waitForURL(`**${place}/overview`)
  await heading('Overview').waitFor()
  expect(standIn.acts).toMatchObject([{ body: { name: 'Tea & Sons' } }])
})

test('an operator goes from merchant to merchant, and reads how to join another', async () => {
  await open(`${place}/overview`)
  const chooser = page.getByRole('combobox', { name: 'Merchant' })
  await chooser.waitFor()
  expect(await chooser.getByRole('option').allInnerTexts()).toEqual([...['Tea & Sons', 'The pottery', 'All merchants']])
  await chooser.selectOption('All merchants')
  const row = (name: string) => page.getByRole('row').filter({ hasText: name })
  await row('The bakery').getByRole('button', { name: 'How to join' }).click()
  const dialog = page.getByRole('dialog', { name: 'Join The bakery' })
  const [{ merchant_id }] = more.merchants as [(typeof more.merchants)[0]]
  await dialog.getByText(`ripper user link --email jo@shop.example --merchant ${merchant_id} --role owner`).waitFor()
  await page.keyboard.press('Escape')
  await row('The pottery').getByRole('button', { name: 'Open' }).click()
  await page.waitForURL('**/mer_2123456789abcdef01234567/live/overview')
})

test('an address without a merchant is that of the merchant where one was last', async () => {
  await open('/dashboard/mer_2123456789abcdef01234567/test/overview')
  await heading('Overview').waitFor()
  await open('/dashboard/holds')
  await page.waitForURL('**/mer_2123456789abcdef01234567/test/holds')
})

test('an address of somebody else’s merchant keeps the frame around what is not there', async () => {
  await open('/dashboard/mer_9923456789abcdef01234567/test/payments')
  await heading('Not found').waitFor()
  await page.getByRole('link', { name: 'All merchants' }).click()
  await heading('Merchants').waitFor()
})

test('where nobody has an account the sign-in says what makes the first', async () => {
  standIn.on('GET /me', () => refuse(401, 'sign_in_required'))
  standIn.on('GET /sign-in/ways', () => ({
    body: { single_sign_on: null, program: 'npx ripper', first_command: 'npx ripper user link -x' },
  }))
  await open('/dashboard')
  await page.getByText('Nobody has an account yet.').waitFor()
  await page.getByText('npx ripper user link -x').waitFor()
  expect(await page.getByRole('button', { name: 'Sign in with a passkey' }).count()).toBe(0)
})
