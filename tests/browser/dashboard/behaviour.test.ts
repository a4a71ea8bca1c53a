// What the dashboard does when things are not smooth: lost answers, proof, locks, new rows, links, other versions.

import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { hasFocus, phone, type Shopper, stopClock } from '../shopper.ts'
import * as more from './more-samples.ts'
import { playEach } from './played.ts'
import * as samples from './samples.ts'
import { refuse, type StandIn } from './stand-in.ts'

const place = `/dashboard/${samples.merchant_id}/test`
const capture = 'POST /payments/pay/hold/capture'

let standIn: StandIn
let person: Shopper
let page: Page

playEach(
  (played) => {
    standIn = played.standIn
    person = played.person
    page = played.page
  },
  { may_lose: true },
)

const open = (path: string) => page.goto(standIn.base_url + path)
const actsOf = (name: string) => standIn.acts.filter((act) => act.name === name)
const alert = () => page.getByRole('alert')

async function askToCapture(): Promise<void> {
  await open(`${place}/payments/${samples.held.id}`)
  await page.getByRole('button', { name: 'Capture' }).click()
}

describe('a decision', () => {
  test('whose answer is lost is sent again under the same key', async () => {
    let tries = 0
    standIn.on(capture, () => (++tries === 1 ? 'lost' : { body: {} }))
    await askToCapture()
    const button = page.getByRole('button', { name: 'Capture £42.00' })
    await button.click()
    await alert().filter({ hasText: 'cannot be reached' }).waitFor()
    await button.click()
    await button.waitFor({ state: 'detached' })
    const keys = actsOf(capture).map((act) => act.idempotency_key)
    expect(keys).toHaveLength(2)
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/)
    expect(keys[1]).toBe(keys[0])
  })

  test('pressed twice is sent once', async () => {
    await askToCapture()
    await page.getByRole('button', { name: 'Capture £42.00' }).dblclick()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(actsOf(capture)).toHaveLength(1)
  })

  test('that was made by somebody else says so', async () => {
    standIn.on(capture, () => refuse(409, 'hold_already_decided'))
    await askToCapture()
    await page.getByRole('button', { name: 'Capture £42.00' }).click()
    await alert().filter({ hasText: 'decided this hold already' }).waitFor()
  })

  test('that needs proof asks for it and then sends the same request', async () => {
    let is_proved = false
    standIn.on(capture, () =>
      is_proved ? { body: {} } : refuse(403, 'proof_required', { accepted: ['one_time_code'] }),
    )
    standIn.on('POST /proof', ({ body }) => {
      is_proved = body.one_time_code === '123456'
      return is_proved ? { body: { proved_at: '' } } : refuse(401, 'sign_in_failed')
    })
    await askToCapture()
    await page.getByRole('button', { name: 'Capture £42.00' }).click()
    const proof = page.getByRole('dialog', { name: 'Confirm that it is you' })
    await proof.getByLabel('One-time code').fill('000 000')
    await proof.getByRole('button', { name: 'Confirm' }).click()
    await alert().filter({ hasText: 'That did not work' }).waitFor()
    await proof.getByLabel('One-time code').fill('123 456')
    await proof.getByRole('button', { name: 'Confirm' }).click()
    await proof.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Capture £42.00' }).waitFor({ state: 'detached' })
    const keys = actsOf(capture).map((act) => act.idempotency_key)
    expect(keys).toHaveLength(2)
    expect(keys[1]).toBe(keys[0])
  })

  test('that is under way cannot be closed and sent anew under another key', async () => {
    let answer: (() => void) | undefined
    const held = new Promise<void>((resolve) => {
      answer = resolve
    })
    await page.route('**/hold/capture', async (route) => {
      await held
      await route.continue()
    })
    await askToCapture()
    const capturing = page.getByRole('button', { name: 'Capture £42.00' })
    await capturing.click()
    const dialog = page.getByRole('dialog', { name: 'Capture this payment?' })
    await expect.poll(() => capturing.getAttribute('aria-busy')).toBe('true')
    await page.keyboard.press('Escape')
    await dialog.getByRole('button', { name: 'Cancel' }).click({ force: true })
    await dialog.getByRole('button', { name: 'Close' }).click({ force: true })
    expect(await dialog.isVisible()).toBe(true)
    answer!()
    await dialog.waitFor({ state: 'detached' })
    expect(actsOf(capture)).toHaveLength(1)
  })

  test('about many that are marked asks for proof once, and not again for each', async () => {
    standIn.on(capture, () => refuse(403, 'proof_required', { accepted: ['passkey'] }))
    await open(`${place}/holds`)
    const boxes = page.getByRole('checkbox', { name: 'Mark' })
    for (const index of [0, 1]) await boxes.nth(index).check()
    await page.getByRole('button', { name: 'Capture those marked' }).click()
    const dialog = page.getByRole('dialog', { name: 'Capture those marked' })
    await dialog.getByRole('button', { name: /^Capture / }).click()
    const proof = page.getByRole('dialog', { name: 'Confirm that it is you' })
    await proof.getByRole('button', { name: 'Close' }).click()
    await dialog.getByText('needs proof').waitFor()
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    await dialog.waitFor({ state: 'detached' })
    expect(actsOf(capture)).toHaveLength(1)
  })

  test('whose proof is turned down is not sent again', async () => {
    standIn.on(capture, () => refuse(403, 'proof_required', { accepted: ['passkey'] }))
    await askToCapture()
    await page.getByRole('button', { name: 'Capture £42.00' }).click()
    const proof = page.getByRole('dialog', { name: 'Confirm that it is you' })
    await proof.getByRole('button', { name: 'Use your passkey' }).waitFor()
    await proof.getByRole('button', { name: 'Close' }).click()
    await alert().filter({ hasText: 'needs proof' }).waitFor()
    expect(actsOf(capture)).toHaveLength(1)
  })
})

test('a locked session keeps the page, and what waited goes on once it is open', async () => {
  let is_locked = true
  standIn.on('POST /keys', () =>
    is_locked
      ? refuse(401, 'session_locked', { accepted: ['one_time_code'] })
      : { body: { key_id: 'key_1', secret_key: 'rip_sk_test_1', publishable_key: null } },
  )
  standIn.on('POST /proof', () => {
    is_locked = false
    return { body: { proved_at: '' } }
  })
  await open(`${place}/keys`)
  await page.getByRole('button', { name: 'Create key' }).click()
  await page.getByLabel('Name').fill('bookkeeping')
  await page.getByRole('checkbox', { name: 'See payments' }).check()
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  const locked = page.getByRole('dialog', { name: 'Locked' })
  await locked.getByLabel('Password').fill('correct horse 1')
  await locked.getByLabel('One-time code').fill('123456')
  await locked.getByRole('button', { name: 'Confirm' }).click()
  await page.getByRole('region', { name: 'Secret key' }).getByText('rip_sk_test_1').waitFor()
  expect(actsOf('POST /keys').at(-1)?.body).toMatchObject({ name: 'bookkeeping' })
  // Neither Escape nor a click beside it takes the key away.
  await page.keyboard.press('Escape')
  await page.mouse.click(5, 5)
  await page.getByRole('button', { name: 'I have kept it' }).click()
  await page.getByText('rip_sk_test_1').waitFor({ state: 'detached' })
})

test('a page that is locked stays covered until the service has seen the single sign-on', async () => {
  let is_proved = false
  const locked_out = () => refuse(401, 'session_locked', { accepted: ['single_sign_on'] })
  const session = { ...samples.me.session, proved_at: samples.now.toISOString() }
  standIn.on('GET /sign-in/ways', () => ({
    body: { single_sign_on: { name: 'Lapsang', path: '/begin', prove_path: '/prove' } },
  }))
  await open(`${place}/keys`)
  await page.getByRole('button', { name: 'Revoke' }).waitFor()
  standIn.on('GET /me', () => (is_proved ? { body: { ...samples.me, session } } : locked_out()))
  standIn.on('POST /keys/key/revoke', () => (is_proved ? { body: {} } : locked_out()))
  await page.getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('button', { name: 'Revoke key' }).click()
  const locked = page.getByRole('dialog', { name: 'Locked' })
  expect(await locked.getByRole('link').getAttribute('href')).toBe('/prove')
  const goOn = locked.getByRole('button', { name: 'I have signed in' })
  await goOn.click()
  await alert().filter({ hasText: 'has not reached the service yet' }).waitFor()
  expect(await locked.isVisible()).toBe(true)
  is_proved = true
  await goOn.click()
  await locked.waitFor({ state: 'detached' })
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(actsOf('POST /keys/key/revoke')).toHaveLength(2)
})

test('the tab of a single sign-on says how it ended, and leads back', async () => {
  await open('/dashboard#single-sign-on=proved')
  const notice = page.getByRole('status').filter({ hasText: 'Go back to the tab' })
  await notice.waitFor()
  expect(new URL(page.url()).hash).toBe('')
  await notice.getByRole('button', { name: 'Close' }).click()
  await notice.waitFor({ state: 'detached' })
})

test('new payments are announced and come when they are asked for', async () => {
  const [newest, ...others] = samples.payments
  let shown = others
  const listed = () => ({ body: { data: shown, has_more: false, next_cursor: null } })
  standIn.on('GET /payments', listed)
  await page.clock.install({ time: samples.now })
  await open(`${place}/payments`)
  await page.getByText('A-1041').waitFor()
  shown = [newest!, ...others]
  await page.clock.runFor(31_000)
  await page.getByRole('button', { name: '1 new' }).waitFor()
  expect(await page.getByText('A-1042').count()).toBe(0)
  await page.getByRole('button', { name: '1 new' }).click()
  await page.getByText('A-1042').waitFor()
  await page.getByRole('button', { name: '1 new' }).waitFor({ state: 'detached' })
})

test('a list that cannot be read anew says so once, and does not move the page again', async () => {
  await page.setViewportSize({ ...phone, height: 400 })
  await page.clock.install({ time: samples.now })
  await open(`${place}/webhooks`)
  await page.getByRole('button', { name: 'Details' }).first().waitFor()
  let tries = 0
  standIn.on('GET /webhooks/deliveries', () => {
    tries++
    return refuse(403, 'permission_denied')
  })
  await page.clock.runFor(6_000)
  await alert().filter({ hasText: 'does not allow' }).waitFor()
  await page.evaluate('scrollTo(0, document.body.scrollHeight)')
  const top = await page.evaluate('scrollY')
  expect(top).toBeGreaterThan(300)
  const before = tries
  await page.clock.runFor(6_000)
  await expect.poll(() => tries).toBeGreaterThan(before)
  await page.evaluate('new Promise((done) => requestAnimationFrame(done))')
  expect(await page.evaluate('scrollY')).toBe(top)
})

const payments = { screen: 'payments', role: 'searchbox', name: 'Search payments' } as const
const palette = { screen: 'overview', role: 'combobox', name: 'A screen, an email, an order or an id' } as const

async function typeInto({ screen, role, name }: { screen: string; role: 'searchbox' | 'combobox'; name: string }) {
  await open(`${place}/${screen}`)
  if (role === 'combobox') await page.getByRole('button', { name: 'Go to' }).click()
  return page.getByRole(role, { name })
}

test.each([
  payments,
  palette,
  { screen: 'sessions', role: 'searchbox', name: 'Search sessions' } as const,
  { screen: 'audit', role: 'searchbox', name: 'Search the journal' } as const,
])('a secret key in the box of $screen leads to Keys and comes into no address', async (box) => {
  const secret = `rip_sk_${'0123456789abcdef'.repeat(3)}`
  const addresses: string[] = []
  page.on('request', (request) => addresses.push(request.url()))
  page.on('framenavigated', (frame) => addresses.push(frame.url()))
  const field = await typeInto(box)
  await field.fill(secret)
  if (box === palette) await page.getByRole('option', { name: /^A secret key: find it under Keys/ }).waitFor()
  await field.press('Enter')
  const finder = page.getByRole('textbox', { name: 'Find the key of a secret' })
  await finder.waitFor()
  await page.getByText('No key of this merchant has this secret.').waitFor()
  expect(await finder.inputValue()).toBe(secret)
  expect(page.url()).toBe(`${standIn.base_url}${place}/keys`)
  expect(addresses.filter((address) => address.includes('rip_sk'))).toEqual([])
  expect(await page.content()).not.toContain(secret)
})

test.each([payments, palette])('the box of $screen finds what an acquirer calls so, also in a hurry', async (box) => {
  standIn.on('GET /beginnings', ({ query }) => ({
    body: {
      order_references: [],
      customer_emails: [],
      payment_ids: query.text === 're_1' ? [samples.held.id] : [],
      session_ids: [],
    },
  }))
  const field = await typeInto(box)
  await field.fill('re_1')
  await field.press('Enter')
  await page.waitForURL(`**/payments/${samples.held.id}`)
})

test.each([payments, palette])('the box of $screen leads from a refused request to its session', async (box) => {
  const [session] = more.sessions
  const none = { order_references: [], customer_emails: [], payment_ids: [] }
  standIn.on('GET /beginnings', () => ({ body: { ...none, session_ids: [session!.id] } }))
  const field = await typeInto(box)
  await field.fill('req_0123456789abcdef01234567')
  await field.press('Enter')
  await page.waitForURL(`**/sessions/${session!.id}`)
})

test.each([payments, palette])('the box of $screen offers no screen that the role may not open', async (box) => {
  const [membership] = samples.me.memberships
  const permissions = { test: ['read_transactions'], live: ['read_transactions'] }
  standIn.on('GET /me', () => ({
    body: { ...samples.me, memberships: [{ ...membership, role: 'support', permissions }] },
  }))
  const field = await typeInto(box)
  await field.fill('req_0123456789abcdef01234567')
  await page.getByText('Nothing here that your role (Support) may open.').waitFor()
  await field.press('Enter')
  expect(page.url()).toBe(`${standIn.base_url}${place}/${box.screen}`)
})

test('the search box understands, filters stand in the address and as chips', async () => {
  await open(`${place}/payments`)
  const box = page.getByRole('searchbox', { name: 'Search payments' })
  await box.fill('ada@example.com')
  await box.press('Enter')
  await page.getByRole('button', { name: 'Remove the filter Email: ada@example.com' }).waitFor()
  expect(new URL(page.url()).search).toBe('?customer_email=ada%40example.com')
  const rows = page.getByRole('table', { name: 'Payments' }).getByRole('row')
  await expect.poll(() => rows.count()).toBe(7)
  await box.fill('nobody@example.com')
  await box.press('Enter')
  await page.getByText('No payment matches these filters.').waitFor()
  // As a chip, and once more below the words.
  await page.getByRole('button', { name: 'Remove the filter Email: nobody' }).last().click()
  await expect.poll(() => rows.count()).toBe(25)
  await box.fill(samples.held.id)
  await box.press('Enter')
  await page.getByRole('heading', { name: '£42.00' }).waitFor()
  expect(page.url()).toBe(`${standIn.base_url}${place}/payments/${samples.held.id}`)
})

test('by keyboard alone from the first key to the capture', async () => {
  await open(`${place}/overview`)
  const { keyboard } = page
  await page.getByText('of payments approved').waitFor()
  await keyboard.press('Tab')
  expect(await hasFocus(page.getByRole('link', { name: 'Skip to the content' }))).toBe(true)
  const reach = async (name: string, role: 'link' | 'button') => {
    const target = page.getByRole(role, { name }).first()
    for (let presses = 0; presses < 60 && !(await hasFocus(target)); presses++) {
      await keyboard.press('Tab')
    }
    expect(await hasFocus(target)).toBe(true)
    await keyboard.press('Enter')
  }
  await reach('Payments', 'link')
  const heading = page.getByRole('heading', { name: 'Payments' })
  await expect.poll(() => hasFocus(heading)).toBe(true)
  await page.getByText('A-1040').waitFor()
  for (const key of ['j', 'j', 'j', 'k', 'j']) await keyboard.press(key)
  await keyboard.press('Enter')
  await reach('Capture', 'button')
  await page.getByRole('button', { name: 'Capture £42.00' }).waitFor()
  await reach('Capture £42.00', 'button')
  await page.getByRole('button', { name: 'Capture £42.00' }).waitFor({ state: 'detached' })
  expect(actsOf(capture)).toHaveLength(1)
  await expect.poll(() => hasFocus(page.getByRole('button', { name: 'Capture' }))).toBe(true)
})

test('what opened a dialog has the focus again, also under a long key while something on the page fades', async () => {
  await askToCapture()
  await page.getByRole('dialog').waitFor()
  await page.locator('body').evaluate((body) => {
    const { ownerDocument } = body
    const faded = body.appendChild(ownerDocument.createElement('i'))
    faded.textContent = '.'
    faded.style.transition = 'opacity 60s'
    ownerDocument.defaultView!.getComputedStyle(faded).opacity
    faded.style.opacity = '0'
    return new Promise((resolve) => faded.addEventListener('transitionrun', resolve))
  })
  await page.getByRole('button', { name: 'Capture £42.00' }).focus()
  await page.keyboard.down('Enter')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await expect.poll(() => hasFocus(page.getByRole('button', { name: 'Capture' }))).toBe(true)
  await page.keyboard.up('Enter')
})

test('holds lead on to later deadlines, and the navigation counts no further than it knows', async () => {
  standIn.on('GET /holds', ({ query }) => ({
    body: query.after
      ? { data: samples.holds.slice(2), has_more: false, next_cursor: null }
      : { data: samples.holds.slice(0, 2), has_more: true, next_cursor: 'more' },
  }))
  await open(`${place}/holds`)
  await page.getByText('A-1039').waitFor()
  await page.getByRole('link', { name: 'Holds' }).getByText('2+').waitFor()
  await page.getByRole('button', { name: 'Later deadlines' }).click()
  await page.getByText('A-1038').waitFor()
})

test('Ctrl K leads to a screen by its name and to payments by an email', async () => {
  await open(`${place}/overview`)
  await page.getByText('of payments approved').waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('option', { name: 'Overview' }).waitFor()
  await page.keyboard.type('key')
  await expect.poll(() => page.getByRole('listbox').getByRole('option').count()).toBe(1)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Keys' }).waitFor()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('ada@example.com')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Remove the filter Email: ada@example.com' }).waitFor()
})

test('Ctrl K opens nothing over a secret that is shown once', async () => {
  standIn.on('POST /keys', () => ({
    body: { key_id: 'key_1', secret_key: 'rip_sk_test_1', publishable_key: null },
  }))
  await open(`${place}/keys`)
  await page.getByRole('button', { name: 'Create key' }).click()
  await page.getByLabel('Name').fill('bookkeeping')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByText('rip_sk_test_1').waitFor()
  await page.keyboard.press('Control+k')
  expect(await page.getByRole('dialog').count()).toBe(1)
  await page.getByRole('button', { name: 'I have kept it' }).click()
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog', { name: 'Go to' }).waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
})

test('a text counts as copied only where the browser has taken it', async () => {
  const { context } = person
  await context.grantPermissions(['clipboard-write'], { origin: standIn.base_url })
  await open(`${place}/payments/${samples.held.id}`)
  const copy = page.getByRole('button', { name: 'Copy payment id' })
  const copied = page.getByRole('status').filter({ hasText: 'Copied' })
  await copy.waitFor()
  // It is shown for two seconds.
  await stopClock(page)
  await copy.click()
  await copied.waitFor()
  await page.evaluate("navigator.clipboard.writeText = async () => { throw new Error('no') }")
  await page.clock.runFor(2_000)
  await copied.waitFor({ state: 'detached' })
  await page.clock.resume()
  await copy.click()
  await page.evaluate('new Promise((done) => requestAnimationFrame(done))')
  expect(await copied.count()).toBe(0)
})

describe('a link', () => {
  test('is taken out of the address at once, and says that it was used', async () => {
    standIn.on('POST /links/read', () => refuse(410, 'link_used'))
    await open('/dashboard#welcome=s3cret_-1')
    await alert().filter({ hasText: 'used already' }).waitFor()
    expect(page.url()).toBe(`${standIn.base_url}/dashboard`)
    expect(actsOf('POST /links/read')[0]?.body).toEqual({ secret: 's3cret_-1' })
    expect(await page.evaluate('history.length')).toBeLessThanOrEqual(2)
  })

  test('of an invitation brings in by password, with the codes to keep', async () => {
    const link = {
      purpose: 'invite',
      email: 'kit@shop.example',
      name: null,
      merchant_name: 'Tea & Sons',
      role: 'viewer',
      account_exists: false,
      expires_at: samples.now.toISOString(),
    }
    standIn.on('POST /links/read', () => ({ body: link }))
    const recovery_codes = ['aaaa-bbbb', 'cccc-dddd']
    standIn.on('POST /links/redeem', () => ({ body: { recovery_codes } }))
    await open('/dashboard#invite=abc')
    await page.getByText('You join Tea & Sons as Viewer.').waitFor()
    expect(await page.getByLabel('Email').inputValue()).toBe('kit@shop.example')
    await page.getByLabel('Name').fill('Kit')
    await page.getByRole('button', { name: 'Use a password instead' }).click()
    await page.getByLabel('Password').fill('correct horse 1')
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByRole('region', { name: 'Recovery codes' }).getByText('cccc-dddd').waitFor()
    await page.getByRole('button', { name: 'I have kept them' }).click()
    await page.getByRole('navigation', { name: 'Main' }).waitFor()
    expect(actsOf('POST /links/redeem')[0]?.body).toEqual({
      secret: 'abc',
      email: 'kit@shop.example',
      name: 'Kit',
      password: 'correct horse 1',
    })
  })
})

test('a newer version of the service is offered', async () => {
  standIn.on('GET /me', () => ({ body: { ...samples.me, version: '9.9.9' } }))
  await open(`${place}/holds`)
  await page.getByText('A newer version').waitFor()
  await page.getByRole('button', { name: 'Reload' }).click()
  await page.getByText('A newer version').waitFor()
})

test('another mode and another merchant are other addresses, kept for the next time', async () => {
  await open(`${place}/payments`)
  await page.getByRole('switch', { name: 'Live mode' }).click()
  await page.getByText('does not take live payments yet').waitFor()
  expect(page.url()).toBe(`${standIn.base_url}${place.replace(/test$/, 'live')}/payments`)
  await page.getByRole('combobox', { name: 'Merchant' }).selectOption('The pottery')
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  await open('/dashboard')
  await page.waitForURL('**/mer_2123456789abcdef01234567/live/overview')
})

test('a payment stands under its own mode, whatever the address says', async () => {
  await open(`${place.replace(/test$/, 'live')}/payments/${samples.held.id}`)
  await page.waitForURL(`**${place}/payments/${samples.held.id}`)
})

test('a role without a permission has no button for it, and a refusal is said', async () => {
  standIn.on('GET /team', () => refuse(403, 'permission_denied'))
  await open('/dashboard/mer_2123456789abcdef01234567/live/holds')
  await page.getByText('A-1040').waitFor()
  expect(await page.getByRole('button', { name: 'Capture' }).count()).toBe(0)
  expect(await page.getByRole('link', { name: 'Team' }).count()).toBe(0)
  await open('/dashboard/mer_2123456789abcdef01234567/live/team')
  await page.getByText('Your role (Viewer) may not open this page.').waitFor()
  expect(await page.getByRole('button', { name: 'Invite' }).count()).toBe(0)
  // Somebody may have taken the role since the page was opened.
  await open(`${place}/team`)
  await alert().filter({ hasText: 'Your role does not allow this' }).waitFor()
})

test('the chosen theme is there from the first paint on', async () => {
  await open(`${place}/account`)
  await page.getByLabel('Theme').selectOption('Dark')
  const theme = () => page.evaluate('document.documentElement.dataset.theme')
  expect(await theme()).toBe('dark')
  const again = await page.reload()
  // In the document itself, before any script.
  expect(await again?.text()).toMatch(/<html[^>]* data-theme="dark"/)
  await page.getByLabel('Theme').waitFor()
  expect(await theme()).toBe('dark')
  await page.getByLabel('Theme').selectOption('As the system')
  expect(await (await page.reload())?.text()).toMatch(/<html[^>]* data-theme="auto"/)
})

test('the audit names people, and keeps their ids for who points at them', async () => {
  await open(`${place}/audit`)
  const line = page.getByRole('row').filter({ hasText: 'Joined the team' })
  await line.waitFor()
  const [jo, other] = [samples.me.user.user_id, samples.team.members[1]!.user_id]
  expect(await line.getByText('Jo Marsh').getAttribute('title')).toBe(jo)
  // A name that the service did not give.
  expect(await line.getByText(other).isVisible()).toBe(true)
  expect(await line.getByTitle('member.joined').isVisible()).toBe(true)
})

test('on a phone the rest of the navigation is behind More', async () => {
  await page.setViewportSize(phone)
  await open(`${place}/overview`)
  const team = page.getByRole('link', { name: 'Team' })
  await page.getByText('of payments approved').waitFor()
  expect(await team.isVisible()).toBe(false)
  await page.getByRole('button', { name: 'More' }).click()
  await team.click()
  await page.getByRole('heading', { name: 'Team' }).waitFor()
  expect(await team.isVisible()).toBe(false)
})
