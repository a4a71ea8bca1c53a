// What a shopper sees: the Pay button without scrolling, every fault at once, the merchant's links, dark pages, amounts
// from right to left, words of any length.

import type { Locator, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { createIntegration } from '../../src/merchants/manage.ts'
import {
  bankDialog,
  bankPage,
  cardFields,
  cards,
  clickCard,
  hasFocus,
  payButton,
  phone,
  picture,
  typeCard,
  typeEmail,
} from './shopper.ts'
import { links } from './stage.ts'
import { openTheatre } from './theatre.ts'

const theatre = openTheatre()

const tea = '/pay/tea?sku=tea&email=jo@example.com'
const held = '/pay/tea?amount=1234&currency=EUR&email=jo@example.com'

async function payWith(number: string, address = tea, outfit = {}): Promise<Page> {
  const page = await theatre.arrive(address, outfit)
  await typeCard(page, number)
  await payButton(page).click()
  return page
}

function colourOf(locator: Locator, name = 'background-color'): Promise<number[]> {
  return locator.evaluate((element, name) => {
    const canvas = element.ownerDocument.createElement('canvas')
    const context = canvas.getContext('2d')!
    context.fillStyle = element.ownerDocument.defaultView.getComputedStyle(element).getPropertyValue(name)
    context.fillRect(0, 0, 1, 1)
    return [...context.getImageData(0, 0, 1, 1).data.slice(0, 3)]
  }, name)
}

const isDark = (colour: number[]) => Math.max(...colour) < 60

describe('the test cards', () => {
  test.each([
    ['a phone', 360, 640],
    ['a low window', 1280, 500],
  ])('are one line on %s, and Pay is seen', async (name, width, height) => {
    const page = await theatre.arrive('/pay/tea?sku=tea', { viewport: { width, height } })
    const summary = cardFields(page).getByText('Test mode')
    await summary.waitFor()
    const pay = (await payButton(page).boundingBox())!
    expect(pay.y + pay.height).toBeLessThanOrEqual(height)
    expect((await cardFields(page).locator('.test').boundingBox())!.height).toBeLessThan(40)
    await picture(page, `looks-${name.replaceAll(' ', '-')}`)
    await clickCard(page, 'Asks for a code')
    const number = cardFields(page).getByLabel('Card number')
    expect(await number.inputValue()).toBe('4000 0091 0005 0072')
  })

  test('have their numbers below each other, however long their words are', async () => {
    const page = await theatre.arrive('/pay/tea?sku=tea', { viewport: phone })
    await cardFields(page).getByText('Test mode').click()
    const numbers = cardFields(page).locator('.test bdi')
    await numbers.last().waitFor()
    const starts = await numbers.evaluateAll((all) => all.map((each) => each.getBoundingClientRect().left))
    expect(starts.length).toBeGreaterThan(5)
    expect(Math.max(...starts) - Math.min(...starts)).toBeLessThan(2)
    await picture(page, 'looks-test-cards-phone')
  })

  test('lie open where there is room for them and for Pay', async () => {
    const page = await theatre.arrive(tea, { viewport: { width: 1280, height: 1100 } })
    await cardFields(page)
      .getByRole('button', { name: /^Approved/ })
      .waitFor()
    const pay = (await payButton(page).boundingBox())!
    expect(pay.y + pay.height).toBeLessThanOrEqual(1100)
  })
})

describe('what is wrong', () => {
  test('shows at every field at once and in one style; the first one has the focus', async () => {
    // In the middle of a transition two fields have two colours.
    const page = await theatre.arrive('/pay/tea?sku=tea', { reducedMotion: 'reduce' })
    await payButton(page).click()
    const email = page.getByText('Enter an email address.')
    const number = cardFields(page).getByText('Enter the card number.', { exact: true })
    await email.waitFor()
    await number.waitFor()
    await cardFields(page).getByText('Enter the security code.', { exact: true }).waitFor()
    await expect.poll(() => hasFocus(page.getByLabel('Email'))).toBe(true)
    expect(await styleOf(email)).toEqual(await styleOf(number))
    const inputs = [page.getByLabel('Email'), cardFields(page).getByLabel('Card number')]
    const [one, other] = await Promise.all(inputs.map((input) => colourOf(input)))
    expect(one).toEqual(other)
  })

  test('with the card alone leads to the card', async () => {
    const page = await theatre.arrive('/pay/tea?sku=tea')
    await typeEmail(page)
    await payButton(page).click()
    const number = cardFields(page).getByLabel('Card number')
    await expect.poll(() => hasFocus(number)).toBe(true)
  })

  test('with a card that may do another time: another try, or another card', async () => {
    const page = await payWith(cards.insufficient_funds)
    const alert = page.getByRole('alert').filter({ hasText: 'not enough money' })
    await alert.waitFor()
    expect(await alert.textContent()).toBe(
      'There is not enough money on this card. Try again or use another card. You can try two more times.',
    )
  })

  test('with a card that will never do: another card', async () => {
    const page = await payWith('4000009105490000')
    const alert = page.getByRole('alert').filter({ hasText: 'expired' })
    await alert.waitFor()
    expect(await alert.textContent()).toBe('This card has expired. Use another card. You can try two more times.')
  })

  test('where fraud is suspected neither bank nor tries are named', async () => {
    const page = await payWith(cards.fraud)
    const heading = page.getByRole('heading', { name: 'The payment was not accepted' })
    await heading.waitFor()
    const sign = await heading.evaluate(
      (element) => element.ownerDocument.defaultView.getComputedStyle(element, '::before').content,
    )
    expect(sign).toContain('!')
    const shown = await heading.locator('..').textContent()
    expect(shown).toContain('Nothing was taken.')
    expect(shown).not.toMatch(/bank|attempts|fraud/i)
  })
})

/** What makes the words of a fault look as they do. */
function styleOf(locator: Locator): Promise<string[]> {
  return locator.evaluate((element) => {
    const names = ['color', 'font-size', 'font-weight', 'padding-left', 'margin-top']
    const mark = ['content', 'background-color', 'width', 'border-radius']
    const { defaultView } = element.ownerDocument
    const read = (names: string[], part?: string) => {
      const style = defaultView.getComputedStyle(element, part)
      return names.map((name) => `${name} ${style.getPropertyValue(name)}`)
    }
    return [...read(names), ...read(mark, '::before')]
  })
}

test("the bank's check has the bank's title and its Cancel, and the bank's page fills the dialog", async () => {
  const page = await payWith(cards.code)
  await bankPage(page).getByLabel('One-time code').waitFor()
  await bankPage(page).getByRole('heading', { name: 'Confirm your payment' }).waitFor()
  await bankPage(page).getByRole('button', { name: 'Cancel' }).waitFor()
  expect(await bankDialog(page).getByRole('heading').count()).toBe(0)
  expect(await bankDialog(page).getByText('Cancel', { exact: true }).count()).toBe(0)
  const dialog = (await bankDialog(page).boundingBox())!
  const frame = (await bankDialog(page).locator('iframe').boundingBox())!
  expect(frame.width).toBeGreaterThan(dialog.width - 4)
  expect(frame.y + frame.height).toBeGreaterThan(dialog.y + dialog.height - 4)
  expect(frame.height).toBeGreaterThan(dialog.height * 0.9)
})

describe('what was paid', () => {
  test('says when, with which card, for whom and how to get back', async () => {
    const page = await payWith(cards.approved)
    await page.getByRole('heading', { name: 'Payment complete' }).waitFor()
    const today = new Date().toLocaleDateString('en-GB', { dateStyle: 'medium' })
    for (let visit = 0; visit < 2; visit++) {
      const shown = page.locator('dl').last()
      await shown.getByText('Visa •••• 0000').waitFor()
      await shown.getByText(today).waitFor()
      // Known from the answer to the charge, and told to nobody who comes later.
      expect(await shown.getByText('jo@example.com').count()).toBe(visit === 0 ? 1 : 0)
      const back = page.getByRole('link', { name: 'Back to the shop', exact: true }).last()
      expect(await back.getAttribute('href')).toBe(links.back_url)
      await page.reload()
    }
  })

  test.each([
    [390, 'en-GB'],
    [360, 'en-GB'],
    [390, 'ar'],
  ])('keeps its id on one line of a phone %i wide in %s', async (width, locale) => {
    const { body } = await theatre.stage.account.client.create({
      amount: 990,
      currency: 'GBP',
      customer: { email: 'jo@example.com' },
    })
    const address = `${theatre.stage.pay_url}#${body.client_secret}`
    const page = await theatre.arrive(address, { viewport: { ...phone, width }, locale })
    const fields = page.frameLocator('iframe').first()
    await fields.locator('#number').fill(cards.approved)
    await fields.locator('#expiry').fill('12 / 39')
    await fields.locator('#code').fill('123')
    await page.locator('button.pay').click()
    const id = page.locator('dd.payment bdi')
    await id.waitFor()
    // Ids differ in width: this one is the widest.
    const lines = await id.evaluate((element) => {
      element.textContent = `pay_${'d'.repeat(24)}`
      return element.getClientRects().length
    })
    expect(lines).toBe(1)
  })

  test('and is held looks otherwise, and is not offered a second time', async () => {
    const page = await payWith(cards.approved, held)
    const heading = page.getByRole('heading', { name: 'Payment received, under review' })
    for (let visit = 0; visit < 2; visit++) {
      await heading.waitFor()
      await page.getByText('Visa •••• 0000').waitFor()
      expect(await page.getByRole('button', { name: 'Make another payment' }).count()).toBe(0)
      if (visit === 0) await page.reload()
    }
    await picture(page, 'looks-held')
    const colour = await colourOf(heading, 'color')
    await page.goto(theatre.stage.service.base_url + tea)
    await typeCard(page, cards.approved)
    await payButton(page).click()
    const complete = page.getByRole('heading', { name: 'Payment complete' })
    await complete.waitFor()
    await page.getByRole('button', { name: 'Make another payment' }).waitFor()
    expect(await colourOf(complete, 'color')).not.toEqual(colour)
  })
})

test('on a phone the summary and the fields begin on one line', async () => {
  const page = await theatre.arrive(tea, { viewport: phone })
  const button = (await payButton(page).boundingBox())!
  const amount = (await page.locator('.amount').boundingBox())!
  expect(amount.x).toBe(button.x)
})

test('on a small phone a thing to choose and its number share a line', async () => {
  // 360 less a picture and its gap, which these goods lack.
  const page = await theatre.arrive('/pay/tea', { viewport: { width: 288, height: 640 } })
  const line = page.locator('.goods li').first()
  const text = (await line.locator('.text').boundingBox())!
  const stepper = (await line.locator('.stepper').boundingBox())!
  expect(stepper.x).toBeGreaterThanOrEqual(text.x + text.width)
})

test("the merchant's links stand on the hosted page and below the checkout", async () => {
  const page = await theatre.arrive('/pay/tea')
  const named = async (name: string) => page.getByRole('link', { name, exact: true }).last().getAttribute('href')
  for (const address of [null, tea]) {
    if (address) await page.goto(theatre.stage.service.base_url + address)
    await page.getByRole('link', { name: 'Terms' }).waitFor()
    expect(await named('Terms')).toBe(links.terms_url)
    expect(await named('Help and contact')).toBe(links.support_url)
    expect(await named('Back to the shop')).toBe(links.back_url)
  }
  await picture(page, 'looks-links')
})

test('a checkout of a merchant without links has none, and a lock', async () => {
  const { body } = await theatre.stage.account.client.create({ amount: 990, currency: 'GBP' })
  const page = await theatre.arrive(`${theatre.stage.pay_url}#${body.client_secret}`)
  const secure = page.getByText('Card details go straight to the payment service')
  await secure.waitFor()
  const lock = await secure.evaluate(
    (element) => element.ownerDocument.defaultView.getComputedStyle(element, '::before').backgroundImage,
  )
  expect(lock).toContain('gradient')
  expect(await page.locator('.place').getByRole('link').count()).toBe(0)
})

describe('in the dark', () => {
  test.each(['/pay/tea', tea, '/demo', '/pay/nobody', '/nowhere'])('%s is dark', async (path) => {
    const page = await theatre.arrive(path, { colorScheme: 'dark' })
    await page.locator('h1').first().waitFor()
    expect(isDark(await colourOf(page.locator(path === '/demo' ? ':root' : 'body, :root').first())), path).toBe(true)
    if (path === tea) {
      const fields = cardFields(page).locator('html')
      await expect.poll(async () => isDark(await colourOf(fields))).toBe(true)
    }
  })

  test('a colour for light pages keeps its hue, and the console says what is shown instead', async () => {
    const page = await theatre.arrive('/demo', { colorScheme: 'dark' })
    const said: string[] = []
    page.on('console', (message) => said.push(message.text()))
    await page
      .getByRole('button', { name: /teapot/ })
      .first()
      .click()
    await page.getByRole('button', { name: 'Check out' }).click()
    await payButton(page).waitFor()
    await expect.poll(async () => (await colourOf(payButton(page)))[1]).toBeGreaterThan(100)
    const [red, green, blue] = await colourOf(payButton(page))
    expect(green).toBeGreaterThan(Math.max(red!, blue!))
    expect(said.join()).toContain('Ripper: colorPrimary #2f5d46 has a contrast of 2.4')
  })
})

describe('from right to left', () => {
  test('the letters of a currency stand before its sign', async () => {
    const page = await theatre.arrive(tea, { locale: 'ar' })
    await page.locator('button.pay').waitFor()
    for (const amount of [page.locator('.amount bdi'), page.locator('button.pay')]) {
      const [letter, sign] = await amount.evaluate((element) => {
        const text = element.firstChild
        return ['U', '£'].map((character) => {
          const range = element.ownerDocument.createRange()
          const at = text.data.indexOf(character)
          range.setStart(text, at)
          range.setEnd(text, at + 1)
          return range.getBoundingClientRect().left
        })
      })
      expect(letter).toBeLessThan(sign!)
    }
  })

  test('the hint of the expiry date reads as the field does', async () => {
    const page = await theatre.arrive(tea, { locale: 'ar' })
    const fields = page.frameLocator('iframe').first()
    await fields.locator('#expiry-hint').waitFor()
    expect(await fields.locator('#expiry-hint').textContent()).toBe('MM / YY')
  })
})

test('a word of 60 letters makes no page scroll sideways', async () => {
  const word = 'W'.repeat(60)
  const { service } = theatre.stage
  const account = await service.newAccount({ merchant: { name: word } })
  const price_list = [{ sku: 'a', name: word, unit_amount: 99_999_999, currency: 'GBP' }]
  await createIntegration(service.operator, account.merchant_id, {
    name: 'long',
    is_hosted_page: true,
    handle: 'long',
    price_list,
  })
  const page = await theatre.arrive('/pay/long', { viewport: { ...phone, width: 320 } })
  await page.getByText(word).first().waitFor()
  await staysInside(page)
  await page.goto(`${service.base_url}/pay/long?sku=a:9&order_reference=${word}&email=jo@example.com`)
  await typeCard(page, cards.code)
  await page.getByRole('button', { name: 'Order summary' }).click()
  await staysInside(page)
  await picture(page, 'looks-long-words')
  await payButton(page).click()
  await bankPage(page).getByLabel('One-time code').fill('1234')
  await staysInside(page)
  await bankPage(page).getByRole('button', { name: 'Submit' }).click()
  await page.getByRole('heading', { name: 'Payment complete' }).waitFor()
  await staysInside(page)
})

async function staysInside(page: Page): Promise<void> {
  for (const frame of page.frames()) {
    // The bank's method runs in frames that nobody sees, and goes from page to page.
    if (frame.url() === 'about:blank' || frame.url().includes('/method')) continue
    // A frame that is hidden has no width.
    const wide = await frame.evaluate('innerWidth > 0 && document.documentElement.scrollWidth > innerWidth')
    expect(wide, frame.url()).toBe(false)
  }
}

test('an address that leads nowhere looks like a page', async () => {
  const page = await theatre.arrive('/no/such/page')
  await page.getByRole('heading', { name: 'This page does not exist' }).waitFor()
  await picture(page, 'looks-missing')
  await page.goto(`${theatre.stage.service.base_url}/pay/nobody`)
  await page.getByRole('heading', { name: 'This checkout is not available' }).waitFor()
})
