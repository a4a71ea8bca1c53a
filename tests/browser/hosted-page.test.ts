// The hosted page in a real browser: from a link or a choice to a payment that the API knows.

import { describe, expect, test } from 'vitest'
import { shop } from '../support/service.ts'
import {
  bankDialog,
  bankPage,
  cardFields,
  cards,
  clickCard,
  payButton,
  phone,
  picture,
  type Shopper,
  typeCard,
  typeEmail,
} from './shopper.ts'
import { openTheatre } from './theatre.ts'

const theatre = openTheatre()

const tea = () => `${theatre.stage.pay_url}?sku=tea:2&order_reference=order-7`

async function paidAs(page: Shopper['page']) {
  const id = await page.getByText(/^pay_[0-9a-f]{24}$/).textContent()
  return (await theatre.stage.account.client.readPayment(id!)).body
}

describe('from the price list to a payment', () => {
  test('goods are chosen, the card clicked, and the API knows the payment', async () => {
    const page = await theatre.arrive(theatre.stage.pay_url)
    await picture(page, 'hosted-choice-desktop')
    await page.getByLabel('Quantity of Stoneware teapot').fill('1')
    await page.getByRole('button', { name: 'Continue to payment' }).click()
    await typeEmail(page)
    await picture(page, 'hosted-form-desktop')
    await clickCard(page, 'Approved')
    await payButton(page).click()
    await page.getByRole('heading', { name: 'Payment complete' }).waitFor()
    await picture(page, 'hosted-complete-desktop')
    expect(await paidAs(page)).toMatchObject({
      status: 'captured',
      amount: 4200,
      currency: 'GBP',
      amount_verified: true,
      customer: { email: 'jo@example.com' },
      authentication: { outcome: 'Authenticated' },
    })
  })

  test('Back leads to the goods that were chosen, and nothing chosen is nothing to go on with', async () => {
    const page = await theatre.arrive(theatre.stage.pay_url)
    await page.getByText('Test mode').waitFor()
    const goOn = page.getByRole('button', { name: 'Continue to payment' })
    expect(await goOn.getAttribute('aria-disabled')).toBe('true')
    await page.getByLabel('Quantity of Stoneware teapot').fill('2')
    expect(await goOn.getAttribute('aria-disabled')).toBe('false')
    await goOn.click()
    await page.getByRole('button', { name: 'Pay £84.00' }).waitFor()
    await page.goBack()
    expect(await page.getByLabel('Quantity of Stoneware teapot').inputValue()).toBe('2')
    await page.getByText('£84.00').waitFor()
    await page.getByRole('button', { name: 'Continue to payment' }).click()
    await page.getByRole('button', { name: 'Pay £84.00' }).waitFor()
  })

  test('a checkout that has ended leads back to the shop', async () => {
    const { client } = theatre.stage.account
    const asked = { amount: 990, currency: 'GBP', customer: { email: 'jo@example.com' } }
    const confirmation_url = `${shop}/thanks`
    const created = await client.create({ ...asked, confirmation_url })
    const page = await theatre.arrive(`${theatre.stage.pay_url}#${created.body.client_secret}`)
    await typeCard(page, cards.fraud)
    await payButton(page).click()
    await page.getByRole('heading', { name: 'The payment was not accepted' }).waitFor()
    const back = page.locator('#pay').getByRole('link', { name: 'Back to the shop' }).last()
    expect(await back.getAttribute('href')).toBe(`${shop}/`)
  })

  test('a link names goods, quantities and the order', async () => {
    const page = await theatre.arrive(tea(), { viewport: phone })
    await page.getByRole('button', { name: 'Pay £17.00' }).waitFor()
    await typeEmail(page)
    await typeCard(page, cards.approved)
    await picture(page, 'hosted-form-phone')
    await payButton(page).click()
    await page.getByRole('heading', { name: 'Payment complete' }).waitFor()
    await page.getByText('order-7').last().waitFor()
    await picture(page, 'hosted-complete-phone')
    expect(await paidAs(page)).toMatchObject({
      status: 'captured',
      amount: 1700,
      order_reference: 'order-7',
      items: [{ sku: 'tea', quantity: 2, unit_amount: 850 }],
    })
  })

  test('an amount that no price list confirms is held', async () => {
    const page = await theatre.arrive(`${theatre.stage.pay_url}?amount=1234&currency=EUR&email=a@b.example`)
    await page.getByRole('button', { name: 'Pay €12.34' }).waitFor()
    expect(await page.getByLabel('Email').count()).toBe(0)
    await typeCard(page, cards.approved)
    await payButton(page).click()
    await page.getByRole('heading', { name: 'Payment received, under review' }).waitFor()
    expect(await paidAs(page)).toMatchObject({ status: 'held', amount: 1234, currency: 'EUR' })
  })

  test("a session that the merchant's server made is resumed from the fragment", async () => {
    const created = await theatre.stage.account.client.create({
      amount: 990,
      currency: 'JPY',
      order_reference: 'order-8',
    })
    const page = await theatre.arrive(`${theatre.stage.pay_url}#${created.body.client_secret}`)
    await page.getByRole('button', { name: /^Pay ¥990$|^Pay JP¥990$/ }).waitFor()
    await typeEmail(page)
    await typeCard(page, cards.approved)
    await payButton(page).click()
    await page.getByRole('heading', { name: 'Payment complete' }).waitFor()
    await page.getByText('order-8').last().waitFor()
    const read = await theatre.stage.account.client.readSession(created.body.id)
    expect(read.body.status).toBe('succeeded')
  })

  test.each([
    ['amount=4.20&currency=GBP', 'amount'],
    ['amount=420&currency=pounds', 'currency'],
    ['sku=coffee', 'sku'],
    ['sku=tea:0', 'sku'],
    ['sku=tea:many', 'sku'],
  ])('a link with %s shows what is wrong with it', async (query, parameter) => {
    const page = await theatre.arrive(`${theatre.stage.pay_url}?${query}`)
    await expect.poll(() => page.getByRole('alert').textContent()).toContain(parameter)
  })
})

describe("the bank's check", () => {
  async function payWith(number: string) {
    const page = await theatre.arrive(`${tea()}&email=jo@example.com`)
    await typeCard(page, number)
    await payButton(page).click()
    return page
  }

  test('the right code', async () => {
    const page = await payWith(cards.code)
    await bankPage(page).getByLabel('One-time code').fill('1234')
    await picture(page, 'challenge-desktop')
    await bankPage(page).getByRole('button', { name: 'Submit' }).click()
    await page.getByRole('heading', { name: 'Payment complete' }).waitFor()
    expect(await paidAs(page)).toMatchObject({ status: 'captured' })
  })

  test('the wrong code three times', async () => {
    const page = await payWith(cards.code)
    const left = ['', '2 tries left', '1 try left']
    for (let tries = 1; tries <= 3; tries++) {
      await bankPage(page).getByLabel('One-time code').fill(`000${tries}`)
      await bankPage(page).getByRole('button', { name: 'Submit' }).click()
      if (tries < 3) await bankPage(page).getByText(left[tries]!).waitFor()
    }
    await page.getByRole('alert').getByText('could not confirm that it is you').waitFor()
    expect(await bankDialog(page).count()).toBe(0)
  })

  test.each([
    ['passes by itself', cards.passes, 'heading', 'Payment complete'],
    ['fails by itself', cards.fails, 'alert', 'could not confirm that it is you'],
    ['is cancelled at the bank', cards.cancelled, 'alert', 'Nothing was taken'],
    ['lies in its CRes', cards.lying, 'alert', 'could not confirm that it is you'],
  ] as const)('one that %s', async (_name, number, role, words) => {
    const page = await payWith(number)
    await page
      .getByRole(role)
      .getByText(words)
      .or(page.getByRole(role, { name: words }))
      .first()
      .waitFor()
  })

  test('a reload in the middle of it goes on with it', async () => {
    const page = await payWith(cards.code)
    await bankPage(page).getByLabel('One-time code').waitFor()
    await page.reload()
    await bankPage(page).getByLabel('One-time code').fill('1234')
    await bankPage(page).getByRole('button', { name: 'Submit' }).click()
    await page.getByRole('heading', { name: 'Payment complete' }).waitFor()
    expect((await paidAs(page)).status).toBe('captured')
  })

  test('leaving it takes nothing, and paying again goes on with the same attempt', async () => {
    const page = await payWith(cards.code)
    await bankPage(page).getByLabel('One-time code').waitFor()
    await bankDialog(page).getByRole('button', { name: 'Cancel' }).click()
    await bankDialog(page).getByRole('button', { name: 'Leave' }).click()
    await page.getByText('Nothing was taken').first().waitFor()
    await payButton(page).click()
    await bankPage(page).getByLabel('One-time code').fill('1234')
    await bankPage(page).getByRole('button', { name: 'Submit' }).click()
    await page.getByRole('heading', { name: 'Payment complete' }).waitFor()
    const { checkout_session_id } = await paidAs(page)
    const { body } = await theatre.stage.account.client.readSession(checkout_session_id)
    expect(body.attempt_count).toBe(1)
  })

  test("the bank's page in full leads back to the checkout", async () => {
    const page = await payWith(cards.code)
    await bankPage(page).getByLabel('One-time code').waitFor()
    await bankDialog(page).getByRole('link', { name: "Open the bank's page in full" }).click()
    await page.getByLabel('One-time code').fill('1234')
    await picture(page, 'challenge-full-page')
    await page.getByRole('button', { name: 'Submit' }).click()
    await page.getByRole('heading', { name: 'Payment complete' }).waitFor()
  })
})

test("a server's session comes back from the bank's page in full, its secret in no address but its own", async () => {
  const { client } = theatre.stage.account
  const { body } = await client.create({ amount: 990, currency: 'GBP' })
  const page = await theatre.arrive(`${theatre.stage.pay_url}#${body.client_secret}`)
  await typeEmail(page)
  await typeCard(page, cards.code)
  await payButton(page).click()
  const addresses: string[] = []
  theatre.shopper.context.on('request', (request) => addresses.push(request.url()))
  await bankDialog(page).getByRole('link', { name: "Open the bank's page in full" }).click()
  await page.getByLabel('One-time code').fill('1234')
  await page.getByRole('button', { name: 'Submit' }).click()
  await page.getByRole('heading', { name: 'Payment complete' }).waitFor()
  expect(addresses.filter((address) => address.includes('_secret_'))).toEqual([])
})

test("another shop's session is not paid under this shop's name", async () => {
  const { body } = await theatre.stage.service.client.create({ amount: 990, currency: 'GBP' })
  const page = await theatre.arrive(`${theatre.stage.pay_url}#${body.client_secret}`)
  await page.getByRole('alert').waitFor()
  expect(await payButton(page).count()).toBe(0)
})

describe('when it does not go through', () => {
  test('a decline, then another card', async () => {
    const page = await theatre.arrive(`${tea()}&email=jo@example.com`)
    await typeCard(page, cards.insufficient_funds)
    await payButton(page).click()
    const alert = page.getByRole('alert').filter({ hasText: 'not enough money' })
    await alert.waitFor()
    expect(await alert.textContent()).toContain('two more times')
    expect(await cardFields(page).getByLabel('Security code').inputValue()).toBe('')
    await picture(page, 'hosted-declined-desktop')
    await typeCard(page, cards.approved)
    await payButton(page).click()
    await page.getByRole('heading', { name: 'Payment complete' }).waitFor()
  })

  test('three declines end it', async () => {
    const page = await theatre.arrive(`${tea()}&email=jo@example.com`)
    for (let tries = 1; tries <= 3; tries++) {
      await typeCard(page, cards.insufficient_funds)
      await payButton(page).click()
      if (tries < 3) {
        const left = tries === 1 ? 'two more times' : 'once more'
        await page.getByRole('alert').filter({ hasText: left }).waitFor()
      }
    }
    await page.getByRole('heading', { name: 'No attempts left' }).waitFor()
    await page.getByRole('button', { name: 'Start again' }).click()
    await payButton(page).waitFor()
  })

  test('an answer that does not come is waited for, and nothing is charged again', async () => {
    const page = await theatre.arrive(`${tea()}&email=jo@example.com`)
    await typeCard(page, cards.unknown)
    await payButton(page).click()
    await page.getByRole('heading', { name: 'We are confirming your payment' }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'We are confirming your payment' }).waitFor()
  })

  test('the checkout ends after 30 minutes', async () => {
    const page = await theatre.arrive(`${tea()}&email=jo@example.com`)
    await payButton(page).waitFor()
    theatre.stage.clock.shift(30 * 60_000)
    await page.reload()
    await page.getByRole('heading', { name: 'This checkout has expired' }).waitFor()
    await picture(page, 'hosted-expired-desktop')
    await page.getByRole('button', { name: 'Start again' }).click()
    await payButton(page).waitFor()
  })
})

describe('paying once', () => {
  test('a double click is one attempt', async () => {
    const page = await theatre.arrive(`${tea()}&email=jo@example.com`)
    await typeCard(page, cards.approved)
    await payButton(page).dblclick()
    await page.getByRole('heading', { name: 'Payment complete' }).waitFor()
    const { checkout_session_id } = await paidAs(page)
    const { body } = await theatre.stage.account.client.readSession(checkout_session_id)
    expect(body.attempt_count).toBe(1)
  })

  test('neither a reload nor the back button pays again', async () => {
    const page = await theatre.arrive(`${tea()}&email=jo@example.com`)
    await typeCard(page, cards.approved)
    await payButton(page).click()
    await page.getByRole('heading', { name: 'Payment complete' }).waitFor()
    const { id } = await paidAs(page)
    await page.reload()
    await page.getByText(id).waitFor()
    await page.goto(`${theatre.stage.service.base_url}/docs`)
    await page.goBack()
    await page.getByText(id).waitFor()
    expect(await payButton(page).count()).toBe(0)
  })
})
