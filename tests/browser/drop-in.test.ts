// checkout.js on a merchant's own page, which is another origin than the service's.

import { expect, test } from 'vitest'
import { until } from '../support/service.ts'
import {
  bankPage,
  cardFields,
  cards,
  hasFocus,
  payButton,
  picture,
  type Shopper,
  typeCard,
  typeEmail,
} from './shopper.ts'
import { merchantsPage, openSite } from './stage.ts'
import { openTheatre } from './theatre.ts'

const theatre = openTheatre()

async function arrive(options: string, { headers = {}, key = theatre.stage.account.publishable_key! } = {}) {
  const { shop, service } = theatre.stage
  const page = shop.page(merchantsPage(service, key, options), headers)
  return theatre.arrive(page, { origins: [shop.origin] })
}

async function serverSession(more = {}) {
  const { body } = await theatre.stage.account.client.create({
    amount: 4200,
    currency: 'GBP',
    ...more,
  })
  return body as { id: string; client_secret: string }
}

test('the language of the checkout is kept for the receipt, not that of the browser', async () => {
  const session = await serverSession()
  const page = await arrive(`{ clientSecret: '${session.client_secret}', locale: 'en-NZ' }`)
  await typeEmail(page)
  await typeCard(page, cards.passes)
  await payButton(page).click()
  await until(
    async () => {
      const { sql } = theatre.stage.service
      const rows = await sql`select locale from attempts where session_id = ${session.id}`
      return rows[0]?.locale
    },
    (locale) => locale !== undefined,
  ).then((locale) => expect(locale).toBe('en-NZ'))
})

type PageEvent = { name: string; status?: string; code?: string; [member: string]: unknown }

function told(page: Shopper['page']): Promise<PageEvent[]> {
  return page.evaluate('told') as Promise<PageEvent[]>
}

test('a session of the server is paid, and the page gets the event', async () => {
  const session = await serverSession({ order_reference: 'order-9' })
  const page = await arrive(`{ clientSecret: '${session.client_secret}' }`)
  await typeEmail(page)
  await typeCard(page, cards.passes)
  await page.getByRole('button', { name: 'Pay £42.00' }).click()
  await page.getByRole('heading', { name: 'Payment complete' }).waitFor()
  const events = await told(page)
  expect(events.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['ready', 'change', 'submitting', 'challenge', 'complete']),
  )
  expect(events.find(({ name }) => name === 'ready')).toMatchObject({
    session_id: session.id,
    amount: 4200,
    currency: 'GBP',
    mode: 'test',
  })
  const { payment_id } = events.find(({ name }) => name === 'complete') as { payment_id?: string }
  const payment = await theatre.stage.account.client.readPayment(payment_id!)
  expect(payment.body).toMatchObject({ status: 'captured', order_reference: 'order-9' })
})

test('beside processes of 0.1, which know no links and no receipt, it goes on without them', async () => {
  const { shop, service, account } = theatre.stage
  const session = await serverSession({ customer: { email: 'jo@example.com' } })
  const { page } = await theatre.enter({ origins: [shop.origin] })
  await page.route(/\/(state|confirm)$/, async (route) => {
    const response = await route.fetch()
    const { links: _, receipt: __, ...json } = await response.json()
    await route.fulfill({ response, json })
  })
  const options = `{ clientSecret: '${session.client_secret}' }`
  await page.goto(shop.page(merchantsPage(service, account.publishable_key!, options)))
  await typeCard(page, cards.approved)
  await payButton(page).click()
  await page.getByRole('heading', { name: 'Payment complete' }).waitFor()
})

test('the card number goes to the card-reference route and nowhere else', async () => {
  const session = await serverSession({ customer: { email: 'jo@example.com' } })
  const page = await arrive(`{ clientSecret: '${session.client_secret}' }`)
  const heard: string[] = []
  await page.exposeFunction('hear', (text: string) => heard.push(text))
  await page.evaluate(`addEventListener('message', (event) => hear(JSON.stringify(event.data)))`)
  const carriers: string[] = []
  theatre.shopper.context.on('request', (request) => {
    const all = request.url() + (request.postData() ?? '')
    if (all.includes(cards.approved)) carriers.push(new URL(request.url()).pathname)
  })
  await typeCard(page, cards.approved)
  await payButton(page).click()
  await page.getByRole('heading', { name: 'Payment complete' }).waitFor()
  expect(new Set(carriers)).toEqual(new Set([`/v1/checkout/sessions/${session.id}/card_references`]))
  const { origin } = theatre.stage.shop
  const reach = `JSON.stringify([told, { ...localStorage }, { ...sessionStorage }, document.documentElement.outerHTML])`
  const seen = heard.join() + (await page.evaluate(reach)) + origin
  expect(seen).not.toContain(cards.approved)
  expect(seen).not.toContain(cards.approved.slice(0, 12))
})

test.each([
  ['none', []],
  ['change', ['change']],
  ['change and blur', ['change', 'blur']],
  ['key and change', ['keydown', 'keyup', 'change']],
])('the card that stands in the fields is charged, whatever events a password manager fires: %s', async (_, events) => {
  const session = await serverSession({ customer: { email: 'jo@example.com' } })
  const page = await arrive(`{ clientSecret: '${session.client_secret}' }`)
  const reference = page.waitForResponse((answer) => answer.url().endsWith('/card_references'))
  await typeCard(page, cards.fraud)
  await cardFields(page).getByLabel('Security code').blur()
  await reference
  await cardFields(page)
    .getByLabel('Card number')
    .evaluate(
      (input, { number, events }) => {
        Object.assign(input, { value: number })
        for (const name of events) input.dispatchEvent(new Event(name, { bubbles: true }))
      },
      { number: cards.approved, events },
    )
  await payButton(page).click()
  await page.getByRole('heading', { name: 'Payment complete' }).waitFor()
  const [attempt] = await theatre.stage.service.sql`
    select last4 from attempts where session_id = ${session.id}`
  expect(attempt).toEqual({ last4: cards.approved.slice(-4) })
})

test('a page may ask for an amount itself; a reload goes on with the same session', async () => {
  const page = await arrive(`{ amount: 777, currency: 'EUR', customer: { email: 'a@b.example' } }`)
  await page.getByRole('button', { name: 'Pay €7.77' }).waitFor()
  const first = (await told(page)).find(({ name }) => name === 'ready')
  await page.reload()
  await page.getByRole('button', { name: 'Pay €7.77' }).waitFor()
  const second = (await told(page)).find(({ name }) => name === 'ready')
  expect(second?.session_id).toBe(first?.session_id)
  await typeCard(page, cards.approved)
  await payButton(page).click()
  // There was nothing to check the amount against.
  await page.getByRole('heading', { name: 'Payment received, under review' }).waitFor()
})

test('items are checked against the price list of the integration named', async () => {
  const page = await arrive(
    `{ items: [{ sku: 'pot', quantity: 1 }], integration: 'hosted', customer: { email: 'a@b.example' } }`,
  )
  await page.getByRole('button', { name: 'Pay £42.00' }).waitFor()
  await typeCard(page, cards.approved)
  await payButton(page).click()
  await page.getByRole('heading', { name: 'Payment complete' }).waitFor()
})

test('a decline is returned, not thrown, and one confirm serves all calls', async () => {
  const session = await serverSession({ customer: { email: 'jo@example.com' } })
  const page = await arrive(`{ clientSecret: '${session.client_secret}', button: false }`)
  await typeCard(page, cards.insufficient_funds)
  expect(await payButton(page).count()).toBe(0)
  const results = await page.evaluate('Promise.all([checkout.confirm(), checkout.confirm()])')
  const declined = {
    status: 'declined',
    session_id: session.id,
    decline: { code: 'insufficient_funds', category: 'soft' },
    attempts_left: 2,
  }
  expect(results).toMatchObject([declined, declined])
  const { body } = await theatre.stage.account.client.readSession(session.id)
  expect(body.attempt_count).toBe(1)
})

test('a field that is missing is said, focused, and costs no attempt', async () => {
  const session = await serverSession()
  const page = await arrive(`{ clientSecret: '${session.client_secret}' }`)
  await payButton(page).waitFor()
  expect(await page.evaluate('checkout.confirm()')).toMatchObject({ status: 'invalid' })
  await page.getByText('Enter an email address.').first().waitFor()
  await typeEmail(page)
  expect(await page.evaluate('checkout.confirm()')).toMatchObject({ status: 'invalid' })
  const number = cardFields(page).getByLabel('Card number')
  await cardFields(page).getByText('Enter the card number.').first().waitFor()
  expect(await number.getAttribute('aria-invalid')).toBe('true')
  await expect.poll(() => hasFocus(number)).toBe(true)
  expect((await theatre.stage.account.client.readSession(session.id)).body.attempt_count).toBe(0)
})

test('the email that an attempt was made with stands: the form that comes back does not ask again', async () => {
  const session = await serverSession()
  const page = await arrive(`{ clientSecret: '${session.client_secret}' }`)
  await typeEmail(page)
  await typeCard(page, cards.insufficient_funds)
  expect(await page.evaluate('checkout.confirm()')).toMatchObject({ status: 'declined' })
  expect(await page.getByLabel('Email').count()).toBe(0)
  await typeCard(page, cards.approved)
  expect(await page.evaluate('checkout.confirm()')).toMatchObject({ status: 'captured' })
  const { body } = await theatre.stage.account.client.readSession(session.id)
  expect(body.customer.email).toBe('jo@example.com')
})

test.each<[string, string[]]>([
  ['nothing', []],
  ['change', ['change']],
  ['change and blur', ['change', 'blur']],
  ['input', ['input']],
])('the browser fills another card in, and says %s: that card is charged', async (_, events) => {
  const session = await serverSession({ customer: { email: 'jo@example.com' } })
  const page = await arrive(`{ clientSecret: '${session.client_secret}' }`)
  const early = page.waitForResponse(/card_references/)
  await typeCard(page, cards.approved)
  await cardFields(page).getByLabel('Name on card').focus()
  await early
  const other = {
    'Card number': '5200009100070000',
    'Expiry date': '11 / 38',
    'Security code': '321',
  }
  for (const [label, value] of Object.entries(other)) {
    await cardFields(page)
      .getByLabel(label)
      .evaluate(
        (input, { value, events }) => {
          Object.assign(input, { value })
          for (const name of events) input.dispatchEvent(new Event(name, { bubbles: true }))
        },
        { value, events },
      )
  }
  await payButton(page).click()
  await page.getByText('Mastercard •••• 0000').waitFor()
})

test("a strict policy of the merchant's page is enough", async () => {
  const session = await serverSession({ customer: { email: 'jo@example.com' } })
  const service = theatre.stage.service.base_url
  const policy = `default-src 'none'; script-src 'unsafe-inline' ${service}; frame-src ${service}; connect-src ${service}; img-src data:; require-trusted-types-for 'script'; trusted-types ripper-checkout`
  const page = await arrive(`{ clientSecret: '${session.client_secret}' }`, {
    headers: { 'content-security-policy': policy },
  })
  await typeCard(page, cards.passes)
  await payButton(page).click()
  await page.getByRole('heading', { name: 'Payment complete' }).waitFor()
})

test('a reload in the middle of the challenge goes on with it', async () => {
  const session = await serverSession()
  const page = await arrive(`{ clientSecret: '${session.client_secret}' }`)
  await typeEmail(page)
  await typeCard(page, cards.code)
  await payButton(page).click()
  await bankPage(page).getByLabel('One-time code').waitFor()
  await page.reload()
  await bankPage(page).getByLabel('One-time code').fill('1234')
  await bankPage(page).getByRole('button', { name: 'Submit' }).click()
  await page.getByRole('heading', { name: 'Payment complete' }).waitFor()
  const { body } = await theatre.stage.account.client.readSession(session.id)
  expect(body).toMatchObject({ attempt_count: 1, customer: { email: 'jo@example.com' } })
})

test.each([
  ['en-GB', 'Test mode: {origin} is not one of the integration'],
  ['ar', 'وضع الاختبار: \u2068{origin}\u2069 ليس من المصادر المسموح بها'],
])('a page of an origin that is not allowed hears why, in test mode: %s', async (locale, words) => {
  const stranger = await openSite()
  const session = await serverSession()
  const { page, faults } = await theatre.enter({ origins: [stranger.origin], locale })
  const { service, account } = theatre.stage
  const options = `{ clientSecret: '${session.client_secret}' }`
  await page.goto(stranger.page(merchantsPage(service, account.publishable_key!, options)))
  const alert = page.getByRole('alert')
  await alert.getByText(words.replace('{origin}', stranger.origin)).waitFor()
  // In the style of the card fields, which did not come.
  expect(await alert.evaluate((each) => each.ownerDocument.defaultView!.getComputedStyle(each).color)).toBe(
    'rgb(179, 38, 30)',
  )
  await picture(page, `origin-not-allowed-${locale}`)
  expect(await payButton(page).count()).toBe(0)
  expect(faults.join()).toContain(`Is ${stranger.origin} an allowed origin`)
  await page.close()
  faults.length = 0
  await stranger.close()
})

test('a page of an origin that is not allowed, and that does not say its name, gets no card fields', async () => {
  const stranger = await openSite()
  const session = await serverSession()
  const { page } = await theatre.enter({ origins: [stranger.origin] })
  await page.clock.install()
  const html = merchantsPage(
    theatre.stage.service,
    theatre.stage.account.publishable_key!,
    `{ clientSecret: '${session.client_secret}' }`,
  )
  await page.goto(stranger.page(html, { 'referrer-policy': 'no-referrer' }))
  await page.clock.runFor(7_000)
  await until(
    () => told(page),
    (events) => events.some(({ name }) => name === 'loaderror'),
  )
  await page.getByRole('alert').waitFor()
  expect(await payButton(page).count()).toBe(0)
  // The browser says why: the frame's policy, and no CORS; and checkout.js says what to look at.
  expect(theatre.shopper.faults.join()).toMatch(/frame-ancestors/)
  expect(theatre.shopper.faults.join()).toMatch(/blocked by CORS policy/)
  expect(theatre.shopper.faults.join()).toContain(`Is ${stranger.origin} an allowed origin`)
  // It asks again, and would be refused again.
  await page.close()
  theatre.shopper.faults.length = 0
  await stranger.close()
})

test('a wrong client secret is a load error with its code and request id', async () => {
  const session = await serverSession()
  const wrong = `${session.client_secret.slice(0, -4)}ffff`
  const page = await arrive(`{ clientSecret: '${wrong}' }`)
  await until(
    () => told(page),
    (events) => events.some(({ name }) => name === 'loaderror'),
  )
  expect((await told(page)).find(({ name }) => name === 'loaderror')).toMatchObject({
    code: 'unauthorized',
    request_id: expect.stringMatching(/^req_/),
  })
  theatre.shopper.faults.length = 0
})

test('time runs out before the shopper’s eyes, whatever the clock on the wall says', async () => {
  const session = await serverSession()
  const { page } = await theatre.enter({ origins: [theatre.stage.shop.origin] })
  await page.clock.install()
  const options = `{ clientSecret: '${session.client_secret}' }`
  const key = theatre.stage.account.publishable_key!
  await page.goto(theatre.stage.shop.page(merchantsPage(theatre.stage.service, key, options)))
  await payButton(page).waitFor()
  await page.clock.setSystemTime(new Date('2040-01-01'))
  await page.clock.runFor(28 * 60_000 + 1_000)
  await page.getByText(/Time left: 1:\d\d/).waitFor()
  theatre.stage.clock.shift(30 * 60_000)
  await page.clock.runFor(2 * 60_000)
  await page.getByRole('heading', { name: 'This checkout has expired' }).waitFor()
  expect((await told(page)).map(({ name }) => name)).toContain('expired')
})

test('an outcome goes on to the confirmation address, with payment and order', async () => {
  const session = await serverSession({
    customer: { email: 'jo@example.com' },
    order_reference: 'order-10',
  })
  // The address must be https; the browser is told what is there.
  const address = 'https://shop.example/thanks?from=checkout'
  await theatre.stage.service.sql`update sessions set confirmation_url = ${address} where session_id = ${session.id}`
  const page = await arrive(`{ clientSecret: '${session.client_secret}' }`)
  await page.route('https://shop.example/**', (route) => route.fulfill({ body: 'Thanks' }))
  await typeCard(page, cards.approved)
  await payButton(page).click()
  await page.waitForURL('https://shop.example/thanks?**')
  const url = new URL(page.url())
  expect(Object.fromEntries(url.searchParams)).toEqual({
    from: 'checkout',
    payment_id: expect.stringMatching(/^pay_/),
    order_reference: 'order-10',
  })
  theatre.shopper.faults.length = 0
})
