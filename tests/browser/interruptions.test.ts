// What comes between a shopper and the payment: reloads, other tabs, lost answers, a page that changes its mind.

import type { Page, Route } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { until } from '../support/service.ts'
import { hold, of, shopVisits } from './shop-visits.ts'
import { bankDialog, bankPage, cardFields, cards, clickCard, payButton, typeCard, typeEmail } from './shopper.ts'
import { openTheatre } from './theatre.ts'

const theatre = openTheatre()

const { newSession, shopPage, arrive, readSession, stateOf, requestsOf, passElsewhere } = shopVisits(theatre)

type PageEvent = { name: string; [member: string]: unknown }

async function toldNames(page: Page): Promise<string[]> {
  return ((await page.evaluate('told')) as PageEvent[]).map(({ name }) => name)
}

/** Calls confirm() without waiting for it: `paid` is its promise. */
async function begin(page: Page): Promise<void> {
  await page.evaluate('{ window.paid = checkout.confirm(); 0 }')
}

async function leaveTheBank(page: Page): Promise<void> {
  await bankDialog(page).getByRole('button', { name: 'Cancel' }).click()
  await bankDialog(page).getByRole('button', { name: 'Leave' }).click()
  await page.getByText('Nothing was taken').first().waitFor()
}

/** The form, with nothing under way. */
async function formOf(page: Page): Promise<void> {
  await page.locator('button.pay[aria-disabled="false"]').waitFor()
  await until(
    () => toldNames(page),
    (names) => names.includes('ready'),
  )
}

test("each time the bank's check is left the shopper hears how often they may try, and the last one ends the session", async () => {
  const session = await newSession()
  const page = await arrive(of(session))
  for (const words of ['You can try two more times.', 'You can try once more.']) {
    await typeCard(page, cards.code)
    await payButton(page).click()
    await bankPage(page).getByLabel('One-time code').waitFor()
    await leaveTheBank(page)
    await page.getByText(words).waitFor()
  }
  await typeCard(page, cards.code)
  await payButton(page).click()
  await bankPage(page).getByLabel('One-time code').waitFor()
  await bankDialog(page).getByRole('button', { name: 'Cancel' }).click()
  await bankDialog(page).getByRole('button', { name: 'Leave' }).click()
  await page.getByRole('heading', { name: 'No attempts left' }).waitFor()
  expect((await readSession(session)).status).toBe('declined')
  expect(await toldNames(page)).toContain('decline')
  await page.reload()
  await page.getByRole('heading', { name: 'No attempts left' }).waitFor()
})

describe('nothing is charged without a press', () => {
  test("after the bank's check was left, though it passes later", async () => {
    const session = await newSession()
    const page = await arrive(of(session))
    const charges = requestsOf('confirm')
    await typeCard(page, cards.code)
    await payButton(page).click()
    await bankPage(page).getByLabel('One-time code').waitFor()
    const address = await bankDialog(page).locator('iframe').getAttribute('src')
    await leaveTheBank(page)

    await passElsewhere(session, address!)

    await page.reload()
    await formOf(page)
    const other = await theatre.shopper.context.newPage()
    await other.goto(page.url())
    await formOf(other)
    expect(await bankDialog(other).count()).toBe(0)
    for (const each of [page, other]) expect(await toldNames(each)).not.toContain('submitting')
    expect(charges).toEqual([])
    expect((await stateOf(session)).session.status).toBe('requires_payment')
  })

  test('by an attempt that another has replaced', async () => {
    const session = await newSession()
    const page = await arrive(of(session))
    await typeCard(page, cards.code)
    await payButton(page).click()
    await bankPage(page).getByLabel('One-time code').waitFor()
    await theatre.stage.service
      .sql`update attempts set three_ds_state = 'superseded', phase = 'settled', settled_at = now() where session_id = ${session.id}`
    await page.reload()
    await formOf(page)
    expect(await toldNames(page)).not.toContain('submitting')
    expect(await page.locator('[role="alert"]').allTextContents()).toEqual([''])
  })

  test('by Enter where the page has a button of its own', async () => {
    const session = await newSession({ customer: undefined })
    const page = await arrive(of(session, ', button: false'))
    await typeEmail(page)
    await page.getByLabel('Email').press('Enter')
    await typeCard(page, cards.approved)
    await cardFields(page).getByLabel('Security code').press('Enter')
    // What the frame says after Enter is heard after it.
    await cardFields(page).getByLabel('Security code').fill('')
    await until(
      () => page.evaluate(`told.findLast(({ name }) => name === 'change').complete`),
      (complete) => complete === false,
    )
    expect(await toldNames(page)).not.toContain('submitting')
    expect((await readSession(session)).attempt_count).toBe(0)
  })
})

describe('unmount()', () => {
  test.each([
    ['a challenge', cards.code],
    ['a charge', cards.approved],
  ])('while the bank is asked: no dialog and no charge follow where %s would', async (_, card) => {
    const session = await newSession()
    const page = await arrive(of(session))
    const charges = requestsOf('confirm')
    const { arrived, release } = await hold(page, 'authenticate')
    await typeCard(page, card)
    await begin(page)
    await arrived
    await page.evaluate('checkout.unmount()')
    release()
    expect(await page.evaluate('paid')).toMatchObject({
      status: 'canceled',
      session_id: session.id,
      payment_id: null,
    })
    expect(await bankDialog(page).count()).toBe(0)
    expect(charges).toEqual([])
    expect((await stateOf(session)).session.status).toBe('requires_payment')
  })

  test('while the card is exchanged', async () => {
    const session = await newSession()
    const page = await arrive(of(session))
    const asked = requestsOf('authenticate')
    const { arrived, release } = await hold(page, 'card_references')
    await typeCard(page, cards.approved)
    await begin(page)
    await arrived
    await page.evaluate('checkout.unmount()')
    expect(await page.evaluate('paid')).toMatchObject({ status: 'canceled' })
    release()
    expect(asked).toEqual([])
  })

  test('while confirm() waits for the form', async () => {
    const session = await newSession()
    const { page } = await theatre.enter({ origins: [theatre.stage.shop.origin] })
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    await page.route('**/state', async (route) => {
      await released
      await route.continue().catch(() => {})
    })
    await page.goto(shopPage(of(session)))
    await page.evaluate('ready.then(() => { window.paid = checkout.confirm() })')
    await page.evaluate('checkout.unmount()')
    expect(await page.evaluate('paid')).toMatchObject({ status: 'canceled', payment_id: null })
    release()
  })
})

describe('time runs out', () => {
  test('but another tab has paid', async () => {
    const session = await newSession()
    const { page, context } = await theatre.enter({ origins: [theatre.stage.shop.origin] })
    const address = shopPage(of(session))
    await page.clock.install()
    await page.goto(address)
    await formOf(page)
    const other = await context.newPage()
    await other.goto(address)
    await typeCard(other, cards.approved)
    await payButton(other).click()
    await other.getByRole('heading', { name: 'Payment complete' }).waitFor()
    await other.close()
    await page.clock.runFor(28 * 60_000 + 1_000)
    await page.getByText(/Time left: 1:\d\d/).waitFor()
    await page.clock.runFor(2 * 60_000)
    await page.getByRole('heading', { name: 'Payment complete' }).waitFor()
    expect(await toldNames(page)).not.toContain('expired')
  })

  test('and the service cannot be asked: nothing is said to be untaken, nor begun again', async () => {
    const { page, faults } = await theatre.enter()
    await page.clock.install()
    await page.goto(`${theatre.stage.pay_url}?sku=tea&email=jo@example.com&order_reference=late`)
    await payButton(page).waitFor()
    const cut = (route: Route) => route.abort('internetdisconnected')
    await page.route('**/state', cut)
    await page.clock.runFor(28 * 60_000 + 1_000)
    await page.getByText(/Time left: 1:\d\d/).waitFor()
    const heading = page.getByRole('heading', { name: 'This checkout has expired' })
    await until(
      async () => {
        await page.clock.runFor(10_000)
        return heading.isVisible()
      },
      (isVisible) => isVisible,
    )
    const again = page.getByRole('button', { name: 'Start again' })
    expect(await page.getByText('The connection was lost').count()).toBeGreaterThan(0)
    expect(await page.getByText('Nothing was taken').count()).toBe(0)
    expect(await again.count()).toBe(0)

    theatre.stage.clock.shift(31 * 60_000)
    await page.unroute('**/state', cut)
    await page.evaluate(`dispatchEvent(new Event('online'))`)
    await again.waitFor()
    await page.getByText('Nothing was taken').first().waitFor()
    faults.length = 0
  })
})

describe('reloads', () => {
  test('while the bank is being asked', async () => {
    const session = await newSession()
    const page = await arrive(of(session))
    const { arrived } = await hold(page, 'authenticate')
    await typeCard(page, cards.code)
    await payButton(page).click()
    await arrived
    let early = 2
    await page.route('**/state', async (route) => {
      const response = await route.fetch()
      const state = await response.json()
      if (early-- > 0) state.three_ds = { ...state.three_ds, state: 'not_started', challenge: null }
      await route.fulfill({ response, json: state })
    })
    await page.reload()
    await bankPage(page).getByLabel('One-time code').fill('1234')
    await bankPage(page).getByRole('button', { name: 'Submit' }).click()
    await page.getByRole('heading', { name: 'Payment complete' }).waitFor()
    expect(early).toBeLessThan(0)
    expect(await readSession(session)).toMatchObject({ attempt_count: 1, status: 'succeeded' })
  })

  test('after the payment: the way on is a link, and the page does not redirect again', async () => {
    const session = await newSession()
    const address = 'https://shop.example/thanks'
    await theatre.stage.service.sql`update sessions set confirmation_url = ${address} where session_id = ${session.id}`
    const { page, faults } = await theatre.enter()
    await page.clock.install()
    let sent_on = 0
    await page.route('https://shop.example/**', (route) => {
      sent_on++
      // The browser stays where it is.
      return route.fulfill({ status: 204 })
    })
    await page.goto(`${theatre.stage.pay_url}#${session.client_secret}`)
    await typeCard(page, cards.approved)
    await payButton(page).click()
    const link = page.getByRole('link', { name: 'Continue to shop.example' })
    await link.waitFor()
    await page.clock.runFor(3_000)
    // The browser has given the way on up, so that it aborts no reload.
    await expect.poll(() => faults.length).toBe(1)
    expect(sent_on).toBe(1)

    await page.reload()
    await link.waitFor()
    await page.clock.runFor(10_000)
    await page.getByRole('heading', { name: 'Payment complete' }).waitFor()
    expect(sent_on).toBe(1)
    await link.click()
    await expect.poll(() => sent_on).toBe(2)
    faults.length = 0
  })

  test('after the payment of a session that the page made: it is shown, and not taken again', async () => {
    const page = await arrive(
      `{ amount: 777, currency: 'EUR', order_reference: 'order-11', customer: { email: 'ann@example.com' } }`,
    )
    const made = requestsOf('public/sessions')
    await typeCard(page, cards.approved)
    await payButton(page).click()
    const heading = page.getByRole('heading', { name: 'Payment received, under review' })
    await heading.waitFor()
    const payment = await page.getByText(/^pay_[0-9a-f]{24}$/).textContent()
    await page.reload()
    await heading.waitFor()
    expect(await page.getByText(/^pay_[0-9a-f]{24}$/).textContent()).toBe(payment)
    expect(await payButton(page).count()).toBe(0)
    expect(made).toEqual([])
    expect(await page.evaluate('JSON.stringify({ ...sessionStorage })')).not.toMatch(/ann|order-11/)
  })
})

describe('mount() to another place', () => {
  const move = `{
    const place = document.createElement('div')
    document.querySelector('main').append(place)
    checkout.mount(place)
  }`

  test('while the card is exchanged: the fields are empty, and are to be mended', async () => {
    const session = await newSession()
    const page = await arrive(of(session))
    const { arrived, release } = await hold(page, 'card_references')
    await typeCard(page, cards.approved)
    await begin(page)
    await arrived
    await page.evaluate(move)
    expect(await page.evaluate('paid')).toMatchObject({ status: 'invalid' })
    release()
    await page.unroute('**/card_references')
    await typeCard(page, cards.approved)
    await payButton(page).click()
    await page.getByRole('heading', { name: 'Payment complete' }).waitFor()
  })

  test('while the bank is asked: the new fields are locked until it has answered', async () => {
    const session = await newSession()
    const page = await arrive(of(session))
    const { arrived, release } = await hold(page, 'authenticate')
    await typeCard(page, cards.insufficient_funds)
    await begin(page)
    await arrived
    await page.evaluate(move)
    const number = cardFields(page).getByLabel('Card number')
    await expect.poll(() => number.isEditable()).toBe(false)
    release()
    expect(await page.evaluate('paid')).toMatchObject({ status: 'declined', attempts_left: 2 })
    await expect.poll(() => number.isEditable()).toBe(true)
    await typeCard(page, cards.approved)
    await payButton(page).click()
    await page.getByRole('heading', { name: 'Payment complete' }).waitFor()
  })
})

describe('the network', () => {
  /** As if the session's secret had become a wrong one. */
  const refuse = (route: Route) =>
    route.continue({ headers: { ...route.request().headers(), 'rip-client-secret': 'cs_1' } })

  test('is back, and another tab has paid', async () => {
    const session = await newSession()
    const page = await arrive(of(session))
    await formOf(page)
    const other = await theatre.shopper.context.newPage()
    await other.goto(page.url())
    await typeCard(other, cards.approved)
    await payButton(other).click()
    await other.getByRole('heading', { name: 'Payment complete' }).waitFor()
    await page.evaluate(`dispatchEvent(new Event('online'))`)
    await page.getByRole('heading', { name: 'Payment complete' }).waitFor()
  })

  test("is lost in the bank's check, and a refusal ends the waiting", async () => {
    const session = await newSession()
    const { page, faults } = await theatre.enter({ origins: [theatre.stage.shop.origin] })
    await page.clock.install()
    await page.goto(shopPage(of(session)))
    await typeCard(page, cards.code)
    await payButton(page).click()
    await bankPage(page).getByLabel('One-time code').waitFor()
    const cut = (route: Route) => route.abort('internetdisconnected')
    await page.route('**/state', cut)
    const lost = bankDialog(page).getByText('The connection was lost')
    await until(
      async () => {
        await page.clock.runFor(2_000)
        return lost.isVisible()
      },
      (isVisible) => isVisible,
    )
    await page.route('**/state', refuse)
    await until(
      async () => {
        await page.clock.runFor(2_000)
        return bankDialog(page).count()
      },
      (count) => count === 0,
    )
    await page.getByRole('alert').getByText('This checkout is not available').waitFor()
    faults.length = 0
  })

  test('brought no checkout: that is said in the right language, and trying again takes the focus along', async () => {
    const session = await newSession()
    const { page, faults } = await theatre.enter({ origins: [theatre.stage.shop.origin] })
    await page.route('**/state', refuse)
    await page.goto(shopPage(of(session, `, locale: 'ar'`)))
    const again = page.getByRole('alert').getByRole('button')
    await again.waitFor()
    const root = page.locator('#pay [lang]')
    expect(await root.getAttribute('lang')).toBe('ar')
    expect(await root.getAttribute('dir')).toBe('rtl')
    await page.unroute('**/state')
    await again.click()
    const focused = `document.activeElement.shadowRoot?.activeElement?.tagName`
    expect(await page.evaluate(focused)).toBe('IFRAME')
    await page.locator('button.pay[aria-disabled="false"]').waitFor()
    faults.length = 0
  })
})

test('back from a payment whose outcome is to come: the demo shop keeps the order', async () => {
  const page = await theatre.arrive('/demo')
  const teapot = page.getByRole('button', { name: /teapot/ }).first()
  await teapot.click()
  await page.getByRole('button', { name: 'Check out' }).click()
  await typeEmail(page)
  await clickCard(page, 'Answer comes later')
  await payButton(page).click()
  const heading = page.getByRole('heading', { name: 'We are confirming your payment' })
  await heading.waitFor()
  const order = await page.getByRole('heading', { name: /^Order HL-/ }).textContent()
  await page.getByRole('button', { name: 'Back to the basket' }).click()
  await teapot.waitFor()
  await page.getByRole('button', { name: 'Check out' }).click()
  await heading.waitFor()
  expect(await page.getByRole('heading', { name: /^Order HL-/ }).textContent()).toBe(order)
})

test('an answer of confirm that is lost is asked for again, and there is one payment', async () => {
  const session = await newSession()
  const page = await arrive(of(session))
  let lost = 0
  await page.route('**/confirm', async (route) => {
    if (lost++ > 0) return route.continue()
    await route.fetch()
    await route.abort('connectionreset')
  })
  await typeCard(page, cards.approved)
  await payButton(page).click()
  await page.getByRole('heading', { name: 'Payment complete' }).waitFor()
  expect(lost).toBe(2)
  const payments = await theatre.stage.service
    .sql`select payment_id, status from payments where session_id = ${session.id}`
  expect(payments).toMatchObject([{ status: 'captured' }])
  theatre.shopper.faults.length = 0
})
