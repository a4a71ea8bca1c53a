// Where the keyboard goes on after a dialog and within one, what a dialog does after a lost answer, and where what waits leads to.

import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { hasFocus, newShopper, picture } from '../shopper.ts'
import { overview } from './more-samples.ts'
import { butLost, openPlayed } from './played.ts'
import * as samples from './samples.ts'
import { refuse } from './stand-in.ts'

const place = `/dashboard/${samples.merchant_id}/test`

const { browser, standIn } = await openPlayed()

async function visit(path: string, act: (page: Page) => Promise<void>): Promise<void> {
  const { page, context, faults } = await newShopper(browser, standIn.base_url)
  await page.goto(`${standIn.base_url}${place}/${path}`)
  await act(page)
  await context.close()
  expect(butLost(faults)).toEqual([])
}

test('after a hold that leaves the list it is at the heading', async () => {
  let holds = samples.holds
  standIn.on('GET /holds', () => ({ body: { data: holds, has_more: false, next_cursor: null } }))
  standIn.on('POST /payments/pay/hold/capture', () => {
    holds = samples.holds.slice(1)
    return { body: {} }
  })
  await visit('holds', async (page) => {
    await page.getByRole('row').nth(1).waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('c')
    await page.getByRole('button', { name: 'Capture £42.00' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await expect.poll(() => page.getByRole('row').count()).toBe(3)
    const heading = page.getByRole('heading', { name: 'Holds' })
    await expect.poll(() => hasFocus(heading)).toBe(true)
  })
})

test.each([
  ['Capture', 'capture', { status: 'captured', settlement: null }, '£42.00 was captured.'],
  ['Void', 'void', { status: 'voided', settlement: null }, '£42.00 was voided. The shopper keeps the money.'],
  ['Capture', 'capture', { status: 'held', settlement: 'awaiting_reconciliation' }, 'The decision about £42.00 is'],
  ['Escalate', 'escalate', { status: 'held', settlement: null }, '£42.00 is marked as escalated'],
])('%s in the list, answered %o: what was done is said, and leads to the payment', async (name, kind, body, words) => {
  let data = samples.holds
  standIn.on('GET /holds', () => ({ body: { data, has_more: false, next_cursor: null } }))
  standIn.on(`POST /payments/pay/hold/${kind}`, () => {
    // What is decided leaves the list, and its dialog with it.
    if (body.status !== 'held') data = samples.holds.slice(1)
    return { body }
  })
  await visit('holds', async (page) => {
    const row = page.getByRole('row').nth(1)
    await row.getByRole('button', { name, exact: true }).click()
    const dialog = page.getByRole('dialog')
    for (const text of ['A-1040', 'ada@example.com']) await dialog.getByText(text, { exact: true }).waitFor()
    await dialog.getByLabel(kind === 'escalate' ? 'Note' : 'Reason').fill('  Is the teapot in stock? ')
    await dialog.getByRole('button', { name: `${name} £42.00` }).click()
    const said = page.getByRole('status').filter({ hasText: words })
    await said.getByRole('link', { name: 'Show the payment' }).click()
    await page.waitForURL(`**/payments/${samples.holds[0]!.payment_id}`)
    // It belongs to the list.
    await said.waitFor({ state: 'detached' })
  })
  const sent = standIn.acts.findLast(({ name }) => name === `POST /payments/pay/hold/${kind}`)
  expect(sent!.body).toEqual({ note: 'Is the teapot in stock?' })
})

test('where a hold leaves the list before its answer comes, what was done is said all the same', async () => {
  let data = samples.holds
  standIn.on('GET /holds', () => ({ body: { data, has_more: false, next_cursor: null } }))
  standIn.on('POST /payments/pay/hold/void', () => ({ body: { status: 'voided', settlement: null } }))
  await visit('holds', async (page) => {
    await page.route('**/hold/void', async (route) => {
      data = samples.holds.slice(1)
      await page.evaluate(() => new BroadcastChannel('ripper-dashboard').postMessage('hold'))
      await page.getByText('A-1040').first().waitFor({ state: 'detached' })
      await route.continue()
    })
    await page.getByRole('row').nth(1).getByRole('button', { name: 'Void', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Void £42.00' }).click()
    await page.getByRole('status').filter({ hasText: '£42.00 was voided.' }).waitFor({ timeout: 10_000 })
  })
})

test('an escalated hold says by whom and why, in the list and among those marked, with its order', async () => {
  standIn.on('GET /holds', () => ({ body: { data: samples.holds, has_more: false, next_cursor: null } }))
  await visit('holds', async (page) => {
    const row = page.getByRole('row').nth(2)
    await row.getByText('Sue Support: The amount looks odd.').waitFor()
    for (const index of [0, 1]) await page.getByRole('checkbox', { name: 'Mark' }).nth(index).check()
    await page.getByRole('button', { name: 'Capture those marked' }).click()
    const items = page.getByRole('dialog').getByRole('listitem')
    expect(await items.nth(0).textContent()).not.toContain('Escalated')
    for (const text of ['A-1039', 'Escalated', 'Sue Support: The amount looks odd.']) {
      await items.nth(1).getByText(text).waitFor()
    }
    await picture(page, 'dashboard-marked')
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByRole('status').filter({ hasText: '2 marked' }).waitFor()
  })
})

test('about many that are marked it says of each what came of it', async () => {
  const capture = 'POST /payments/pay/hold/capture'
  const waits = { status: 'held', settlement: 'awaiting_reconciliation' }
  const answers = [
    { status: 202, body: waits },
    { status: 200, body: waits },
    { status: 200, body: { status: 'captured', settlement: null } },
  ]
  const data = answers.map((_, at) => ({
    ...samples.holds[0]!,
    payment_id: `pay_${String(at).padStart(24, '0')}`,
  }))
  let captures = 0
  standIn.on('GET /holds', () => ({ body: { data, has_more: false, next_cursor: null } }))
  standIn.on(capture, () => answers[captures++]!)
  await visit('holds', async (page) => {
    const boxes = page.getByRole('checkbox', { name: 'Mark' })
    for (const index of [0, 1, 2]) await boxes.nth(index).check()
    await page.getByRole('button', { name: 'Capture those marked' }).click()
    const dialog = page.getByRole('dialog', { name: 'Capture those marked' })
    await dialog.getByRole('button', { name: /^Capture / }).click()
    const items = dialog.getByRole('listitem')
    const words = ['Being carried out …', 'Being carried out …', 'Captured']
    for (const [at, text] of words.entries()) await items.nth(at).getByText(text).waitFor()
    await picture(page, 'dashboard-decided-many')
    // None of them can be decided once more.
    expect(await dialog.getByRole('button', { name: /^Capture / }).count()).toBe(0)
  })
  expect(captures).toBe(3)
})

test('the reason is sent with each of those marked, and is set right where the service refuses it', async () => {
  const before = standIn.acts.length
  const data = [0, 1].map((at) => ({ ...samples.holds[0]!, payment_id: `pay_${String(at).padStart(24, '0')}` }))
  standIn.on('GET /holds', () => ({ body: { data, has_more: false, next_cursor: null } }))
  standIn.on('POST /payments/pay/hold/void', ({ body }) =>
    /4242/.test(String(body.note))
      ? refuse(400, 'invalid_request', { message: 'note must not contain a card number', field: 'note' })
      : { status: 200, body: { status: 'voided', settlement: null } },
  )
  await visit('holds', async (page) => {
    for (const index of [0, 1]) await page.getByRole('checkbox', { name: 'Mark' }).nth(index).check()
    await page.getByRole('button', { name: 'Void those marked' }).click()
    const dialog = page.getByRole('dialog', { name: 'Void those marked' })
    const reason = dialog.getByLabel('Reason (optional)')
    const press = dialog.getByRole('button', { name: /^Void / })
    await reason.fill('4242 4242 4242 4242')
    await press.click()
    await dialog.getByText('must not contain a card number').waitFor()
    await reason.fill(' sold out ')
    await press.click()
    for (const at of [0, 1]) await dialog.getByRole('listitem').nth(at).getByText('Voided').waitFor()
  })
  const notes = standIn.acts.slice(before).map(({ body }) => body.note)
  expect(notes).toEqual(['4242 4242 4242 4242', 'sold out', 'sold out'])
})

test('fifty holds can be marked, and no more', async () => {
  const holds = Array.from({ length: 52 }, (_, at) => ({
    ...samples.holds[0]!,
    payment_id: `pay_${String(at).padStart(24, '0')}`,
  }))
  standIn.on('GET /holds', () => ({ body: { data: holds, has_more: false, next_cursor: null } }))
  await visit('holds', async (page) => {
    const marks = page.getByRole('checkbox')
    await marks.first().waitFor()
    for (let at = 0; at < 50; at++) await marks.nth(at).check()
    expect(await marks.nth(50).isDisabled()).toBe(true)
    await marks.nth(3).uncheck()
    await marks.nth(50).check()
    await page.getByRole('status').filter({ hasText: '50' }).waitFor()
    expect(await marks.nth(3).isDisabled()).toBe(true)
  })
})

test('after a dialog that was cancelled it is where it was', async () => {
  await visit('webhooks', async (page) => {
    const add = page.getByRole('button', { name: 'Add endpoint' })
    await add.press('Enter')
    await page.getByLabel('Endpoint URL').waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => hasFocus(add)).toBe(true)
  })
})

test('it stays in a dialog that shows a secret once it is made', async () => {
  standIn.on('POST /keys', () => ({
    body: { key_id: 'key_1', secret_key: 'rip_sk_test_1', publishable_key: null },
  }))
  await visit('keys', async (page) => {
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByLabel('Name').fill('bookkeeping')
    await page.keyboard.press('Enter')
    await page.getByText('rip_sk_test_1').waitFor()
    const inside = () => page.evaluate("document.activeElement.closest('[role=dialog]') !== null")
    await expect.poll(inside).toBe(true)
    await page.keyboard.press('Tab')
    expect(await inside()).toBe(true)
  })
})

test('the key of a secret that turned up is found, and the secret stays in the browser', async () => {
  await visit('keys', async (page) => {
    const urls: string[] = []
    page.on('request', (request) => urls.push(`${request.url()} ${request.postData() ?? ''}`))
    const find = page.getByLabel('Find the key of a secret')
    expect(await find.getAttribute('type')).toBe('password')
    const secret = `rip_sk_${'5'.repeat(48)}`
    const none = page.getByText('No key of this merchant has this secret.')
    await find.fill(`rip_sk_${'6'.repeat(48)}`)
    await none.waitFor()
    // Half a secret is not judged.
    await find.fill(secret.slice(0, -1))
    await none.waitFor({ state: 'detached' })
    await find.fill(` ${secret} `)
    await page.getByText(samples.keys[0]!.fingerprint!).waitFor()
    expect(await page.getByRole('row').count()).toBe(2)
    expect(urls.filter((url) => url.includes('rip_sk_'))).toEqual([])
    await picture(page, 'dashboard-keys-found')
  })
})

test('a refund whose answer was lost is asked for again as it was, in another dialog, too, until it is known', async () => {
  const payment = {
    ...samples.held,
    status: 'captured',
    hold: null,
    permitted: ['refund'],
    refunded_amount: 0,
    refund_max: 4200,
  }
  standIn.on('GET /payments/pay', () => ({ body: payment }))
  let tries = 0
  standIn.on('POST /payments/pay/refunds', () => {
    tries++
    // What was carried out is no longer left to refund.
    standIn.on('GET /payments/pay', () => ({
      body: { ...payment, refunded_amount: 3000, refund_max: 1200 },
    }))
    if (tries === 1) return 'lost'
    // The first was given at the door and says nothing of the lost request, the second was not.
    if (tries === 2) return { status: 429, body: { error: 'rate_limit_exceeded' } }
    return { status: 409, body: { error: 'payment_not_refundable' } }
  })
  await visit(`payments/${samples.held.id}`, async (page) => {
    await page.getByRole('button', { name: 'Refund' }).click()
    const amount = page.getByLabel('Amount')
    await amount.fill('30')
    const refund = page.getByRole('button', { name: 'Refund £30.00' })
    await refund.click()
    const unreachable = page.getByRole('alert').filter({ hasText: 'cannot be reached' })
    await unreachable.waitFor()
    expect(await amount.isEditable()).toBe(false)
    await refund.click()
    await page.getByRole('alert').filter({ hasNotText: 'cannot be reached' }).waitFor()
    expect(await amount.isEditable()).toBe(false)
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Refund' }).click()
    expect(await amount.inputValue()).toBe('30.00')
    expect(await amount.isEditable()).toBe(false)
    await unreachable.waitFor()
    await refund.click()
    await expect.poll(() => amount.isEditable()).toBe(true)
  })
  const [first, ...more] = standIn.acts.filter(({ name }) => name === 'POST /payments/pay/refunds')
  expect(more).toEqual([first, first])
})

test('a note whose answer was lost is sent again as it was, in another dialog, too', async () => {
  const path = 'POST /payments/pay/hold/escalate'
  standIn.on('GET /holds', () => ({ body: { data: samples.holds, has_more: false, next_cursor: null } }))
  let tries = 0
  standIn.on(path, () => {
    tries++
    return tries < 3 ? 'lost' : { body: { status: 'held', settlement: null } }
  })
  const before = standIn.acts.length
  await visit('holds', async (page) => {
    const open = page.getByRole('row').nth(1).getByRole('button', { name: 'Escalate', exact: true })
    const dialog = page.getByRole('dialog')
    const note = dialog.getByLabel('Note')
    const escalate = dialog.getByRole('button', { name: 'Escalate £42.00' })
    const unreachable = dialog.getByRole('alert').filter({ hasText: 'cannot be reached' })
    await open.click()
    await note.fill('Is the teapot in stock?')
    await escalate.click()
    await unreachable.waitFor()
    expect(await note.isEditable()).toBe(false)
    await picture(page, 'dashboard-note-lost')
    await escalate.click()
    await expect.poll(() => tries).toBe(2)
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'detached' })
    await open.click()
    await unreachable.waitFor()
    expect([await note.inputValue(), await note.isEditable()]).toEqual(['Is the teapot in stock?', false])
    await escalate.click()
    await dialog.waitFor({ state: 'detached' })
  })
  const [first, ...more] = standIn.acts.slice(before).filter(({ name }) => name === path)
  expect(more).toEqual([first, first])
})

test('a role that is chosen is asked about, and given only by the button', async () => {
  const path = 'POST /team/usr/role'
  standIn.on(path, () => ({ status: 204, body: null }))
  const given = () => standIn.acts.filter(({ name }) => name === path)
  await visit('team', async (page) => {
    const choice = page.getByLabel('What Sam Okafor may do')
    await choice.selectOption('Developer')
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    expect(await choice.inputValue()).toBe('support')
    expect(given()).toEqual([])
    await choice.selectOption('Developer')
    await page.getByRole('button', { name: 'Change role' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })
  expect(given()).toMatchObject([{ body: { role: 'developer' } }])
})

test('failed refunds lead to those that failed since the oldest of them was begun', async () => {
  await visit('overview', async (page) => {
    await page.getByRole('link', { name: 'One refund of the last two weeks failed' }).click()
    await page.getByRole('heading', { name: 'Refunds', level: 1 }).waitFor()
    const search = new URL(page.url()).searchParams
    const created_from = search.get('created_from')!
    expect(search.get('status')).toBe('failed')
    const early_ms = Date.parse(overview.waits.failed_refunds_from!) - Date.parse(created_from)
    expect(early_ms).toBeGreaterThanOrEqual(0)
    expect(early_ms).toBeLessThan(25 * 3_600_000)
    await picture(page, 'dashboard-refunds-failed')
  })
})

test.each([
  [true, 'System'],
  [false, 'Operations'],
])('authorisations that are held back lead an operator (%s) to %s', async (is_operator, screen) => {
  const waits = { ...overview.waits, orphans_held_back: 2 }
  standIn.on('GET /overview', () => ({ body: { ...overview, waits } }))
  standIn.on('GET /me', () => ({
    body: { ...samples.me, user: { ...samples.me.user, is_operator } },
  }))
  await visit('overview', async (page) => {
    await page.getByRole('link', { name: '2 authorisations held back' }).click()
    await page.getByRole('heading', { name: screen, level: 1 }).waitFor()
  })
})
