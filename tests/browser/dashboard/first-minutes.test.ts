// The first minutes with a service that is played: steps that tick themselves off, a test payment, keys of the keyboard.

import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { hasFocus, picture, stopClock } from '../shopper.ts'
import * as more from './more-samples.ts'
import { playEach } from './played.ts'
import * as samples from './samples.ts'
import { refuse, type StandIn } from './stand-in.ts'

const place = `/dashboard/${samples.merchant_id}/test`
const begin = 'POST /test-payments'
const pay = 'POST /test-payments/cs/pay'

let standIn: StandIn
let page: Page

playEach(
  (played) => {
    standIn = played.standIn
    page = played.page
  },
  { may_lose: true },
)

const open = (path: string) => page.goto(standIn.base_url + path)
const actsOf = (name: string) => standIn.acts.filter((act) => act.name === name)
const button = (name: string) => page.getByRole('button', { name, exact: true })

const session_id = `cs_${'1'.repeat(24)}`

function playService(): void {
  const session = { session_id, email: 'shopper@example.com', amount: 4200, currency: 'GBP' }
  standIn.on(begin, () => ({ status: 201, body: session }))
  standIn.on(pay, () => ({ body: { payment_id: samples.held.id, status: 'held' } }))
}

function playSteps(steps: Partial<typeof more.overview.steps>): void {
  const none = { has_payment: false, has_endpoint: false, has_colleague: false, has_key: false }
  standIn.on('GET /overview', () => ({
    body: { ...more.overview, steps: { ...none, ...steps } },
  }))
}

const steps = () => page.getByRole('region', { name: 'First steps' })

describe('a test payment', () => {
  test('is made by a press, said, and leads to the payment', async () => {
    playService()
    playSteps({})
    await open(`${place}/overview`)
    await button('Another outcome').click()
    await page.getByRole('menuitem', { name: 'One that is held' }).click()
    await page.getByText('shopper@example.com paid £42.00. It is held until you decide.').waitFor()
    expect(actsOf(begin)).toMatchObject([{ body: { outcome: 'held' } }])
    expect(actsOf(begin)[0]!.idempotency_key).toMatch(/^[0-9a-f-]{36}$/)
    await page.getByRole('link', { name: 'Open the payment' }).click()
    await page.getByRole('heading', { name: '£42.00' }).waitFor()
  })

  test('whose answer is lost is paid by the next press, and no other is begun', async () => {
    playService()
    let tries = 0
    standIn.on(pay, () => (++tries === 1 ? 'lost' : { body: { payment_id: samples.held.id, status: 'captured' } }))
    standIn.on('GET /payments', () => ({
      body: { data: [], has_more: false, next_cursor: null },
    }))
    await open(`${place}/payments`)
    await button('Make a test payment').click()
    await page.getByRole('alert').filter({ hasText: 'cannot be reached' }).waitFor()
    await button('Make a test payment').click()
    await page.getByText('shopper@example.com paid £42.00.').waitFor()
    expect(actsOf(begin)).toHaveLength(1)
    expect(actsOf(pay)).toHaveLength(2)
  })

  test('that is refused says why, and there is none in live mode', async () => {
    standIn.on(begin, () => refuse(409, 'merchant_not_active'))
    playSteps({})
    await open(`${place}/overview`)
    await button('Make a test payment').click()
    await page.getByRole('alert').filter({ hasText: 'The account is suspended' }).waitFor()
    await open(`${place.replace(/test$/, 'live')}/overview`)
    await page.getByText('of payments approved').waitFor()
    expect(await button('Make a test payment').count()).toBe(0)
  })
})

describe('first steps', () => {
  const done = () => steps().getByRole('listitem').filter({ hasText: 'done' }).allInnerTexts()

  test('tick themselves off, also that somebody looked at a payment', async () => {
    playSteps({ has_payment: true, has_key: true })
    await open(`${place}/overview`)
    await steps().waitFor()
    expect((await done()).map((text) => text.split('\n')[0])).toEqual([
      'Take a test payment',
      'Create a key for your server',
    ])
    await open(`${place}/payments/${samples.held.id}`)
    await page.getByRole('heading', { name: '£42.00' }).waitFor()
    await open(`${place}/overview`)
    await steps().waitFor()
    expect(await done()).toHaveLength(3)
  })

  test('are those that the role allows, and none for who may only read', async () => {
    playSteps({})
    const roleWith = (...test: (typeof samples.me.memberships)[number]['permissions']['test']) => {
      const [first] = samples.me.memberships
      const memberships = [{ ...first!, permissions: { test, live: test } }]
      standIn.on('GET /me', () => ({ body: { ...samples.me, memberships } }))
    }
    roleWith('read_transactions', 'manage_keys')
    await open(`${place}/overview`)
    await steps().waitFor()
    expect(await steps().getByRole('listitem').count()).toBe(1)
    expect(await button('Make a test payment').count()).toBe(0)
    roleWith('read_transactions')
    await open(`${place}/overview`)
    await page.getByText('of payments approved').waitFor()
    expect(await steps().count()).toBe(0)
  })

  test('are gone for good once they are hidden', async () => {
    playSteps({})
    await open(`${place}/overview`)
    await button('Hide these steps').click()
    await steps().waitFor({ state: 'detached' })
    await page.reload()
    await page.getByText('of payments approved').waitFor()
    expect(await steps().count()).toBe(0)
  })
})

describe('keys of the keyboard', () => {
  const list = () => page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key)
  }
  /** Two keys of one shortcut may only be a moment apart. */
  const pressAtOnce = async (...keys: string[]) => {
    await stopClock(page)
    await press(...keys)
    await page.clock.resume()
  }

  test('? opens the list, and a dialog keeps the other keys to itself', async () => {
    await open(`${place}/holds`)
    await page.getByText('A-1040').waitFor()
    await press('?')
    await list().getByText('Go to Payments').waitFor()
    await picture(page, 'dashboard-shortcuts-desktop')
    await pressAtOnce('g', 'p')
    await list().waitFor()
    await press('Escape')
    await list().waitFor({ state: 'detached' })
    await pressAtOnce('g', 'p')
    await page.getByRole('heading', { name: 'Payments' }).waitFor()
    await pressAtOnce('g', 'o')
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
  })

  test('on Holds: j and k move, x marks, c and v ask about the row', async () => {
    await open(`${place}/holds`)
    await page.getByText('A-1040').waitFor()
    const links = page.locator('a.row-link')
    await press('x')
    expect(await page.getByRole('checkbox', { checked: true }).count()).toBe(0)
    await press('j', 'j', 'j', 'k')
    expect(await hasFocus(links.nth(1))).toBe(true)
    await press('x')
    await page.getByText('1 marked: £120.50').waitFor()
    await press('x')
    await page.getByText('1 marked').waitFor({ state: 'detached' })
    await press('c')
    await button('Capture £120.50').waitFor()
    // A dialog is drawn a frame before it takes the keyboard.
    const isInDialog = "document.activeElement.closest('[role=dialog]') !== null"
    await expect.poll(() => page.evaluate(isInDialog)).toBe(true)
    await press('Escape')
    await expect.poll(() => hasFocus(links.nth(1))).toBe(true)
    await press('v')
    await button('Void £120.50').waitFor()
  })

  test('on a payment c asks to capture it', async () => {
    await open(`${place}/payments/${samples.held.id}`)
    await page.getByRole('heading', { name: '£42.00' }).waitFor()
    await press('c')
    await button('Capture £42.00').waitFor()
    expect(actsOf('POST /payments/pay/hold/capture')).toEqual([])
  })

  test('none works in a field, and / goes into the search', async () => {
    await open(`${place}/payments`)
    await page.getByText('A-1040').waitFor()
    const box = page.getByRole('searchbox', { name: 'Search payments' })
    await press('/')
    expect(await hasFocus(box)).toBe(true)
    await page.keyboard.type('gh?jkxc/')
    expect(await box.inputValue()).toBe('gh?jkxc/')
    expect(await list().count()).toBe(0)
    await page.getByRole('heading', { name: 'Payments' }).waitFor()
  })

  test('who switches single keys off finds the list in their menu', async () => {
    await open(`${place}/payments`)
    await page.getByText('A-1040').waitFor()
    await press('?')
    await list().getByRole('switch', { name: 'Single-key shortcuts' }).click()
    await press('Escape')
    await pressAtOnce('?', 'g', 'h')
    expect(await list().count()).toBe(0)
    await page.getByRole('heading', { name: 'Payments' }).waitFor()
    await page.reload()
    await button('Jo Marsh').click()
    await page.getByRole('menuitem', { name: 'Keyboard shortcuts' }).click()
    const toggle = list().getByRole('switch', { name: 'Single-key shortcuts' })
    expect(await toggle.getAttribute('aria-checked')).toBe('false')
    await toggle.click()
    await press('Escape')
    await pressAtOnce('g', 'h')
    await page.getByRole('heading', { name: 'Holds' }).waitFor()
  })
})
