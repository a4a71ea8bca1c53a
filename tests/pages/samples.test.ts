// The samples that shops copy, visited as shoppers do: with reloads, the back button, second tabs, sessions that have ended.

import { spawn, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import Stripe from 'stripe'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { generateTestHeader } from '../../sdk/src/index.ts'
import { createIntegration } from '../../src/merchants/manage.ts'
import { bankPage, cards, newShopper, payButton, startBrowser, typeCard, typeEmail } from '../browser/shopper.ts'
import { type Stage, setStage } from '../browser/stage.ts'
import type { Json } from '../support/client.ts'
import { readGuide, sideOf, withChanges } from '../support/guide-blocks.ts'
import type { Account } from '../support/service.ts'

const root = resolve(import.meta.dirname, '../..')
const place = mkdtempSync(join(tmpdir(), 'ripper-samples-'))
let stage: Stage
let browser: Browser

beforeAll(async () => {
  const modules = join(place, 'node_modules')
  mkdirSync(join(modules, '@ripper'), { recursive: true })
  const packing = [join(root, 'scripts/pack-sdk.mjs'), join(modules, '@ripper/node')]
  expect(spawnSync(process.execPath, packing).status).toBe(0)
  for (const name of ['express', 'stripe']) {
    symlinkSync(join(root, 'node_modules', name), join(modules, name))
  }
  browser = await startBrowser()
  stage = await setStage({ deliver: {} })
}, 60_000)
afterAll(async () => {
  await browser?.close()
  await stage?.close()
  rmSync(place, { recursive: true })
})

type SampleFiles = {
  files: Record<string, string>
  env?: Record<string, string>
  /** Comes as a shopper who wants to pay. */
  come(page: Page): Promise<unknown>
}

/** What a sample needs to know. `address` is that of a server before it, because its own is known too late for settings. */
type Surroundings = { account: Account; address: string; webhook_secret: string; handle: string }

const any_port = `listen(0, function () { console.log('port', this.address().port) })`

/** The shop in one file. Its page to pay at may be another's. */
function shopInOneFile({ account, address, webhook_secret }: Surroundings, pay_path = '/pay'): SampleFiles {
  const shop = readFileSync(join(root, 'docs/examples/shop.mjs'), 'utf8')
  return {
    files: { 'server.mjs': shop },
    env: {
      PORT: '0',
      RIPPER_BASE_URL: stage.service.base_url,
      RIPPER_SECRET_KEY: account.secret_key,
      RIPPER_PUBLISHABLE_KEY: account.publishable_key!,
      RIPPER_WEBHOOK_SECRET: webhook_secret,
    },
    come: async (page) => {
      await page.goto(address)
      await page.goto(address + pay_path)
    },
  }
}

const samples: Record<string, (around: Surroundings) => SampleFiles> = {
  'README.md': ({ account, address, handle }) => {
    const { base_url } = stage.service
    const pay_url = `${base_url}/pay`
    const demo = { base_url, secret_key: account.secret_key, pay_url, handle }
    const readme = readFileSync(join(root, 'README.md'), 'utf8')
    const [, server] = /<!-- server.mjs -->\n```js\n([\s\S]*?)```/.exec(readme)!
    return {
      files: {
        '.ripper/demo.json': JSON.stringify(demo),
        'server.mjs': withChanges(server!, { 'listen(4000)': any_port }),
      },
      come: (page) => page.goto(address),
    }
  },

  'docs/shop.md': shopInOneFile,

  'docs/checkout-js.md': (around) => {
    const { account } = around
    const text = readFileSync(join(root, 'docs/checkout-js.md'), 'utf8')
    const [, html] = /<!-- page -->\n```html\n([\s\S]*?)```/.exec(text)!
    const body = withChanges(html!, {
      'https://pay.example.com': stage.service.base_url,
      'rip_pk_…': account.publishable_key!,
    })
    const { files, ...sample } = shopInOneFile(around, '/page.html')
    const server = withChanges(files['server.mjs']!, {
      "app.get('/', ": "app.use(express.static('public'))\napp.get('/', ",
    })
    return { ...sample, files: { 'server.mjs': server, 'public/page.html': body } }
  },

  'docs/migrate-from-stripe.md': ({ account, address, webhook_secret }) => {
    const { blocks } = readGuide('docs/migrate-from-stripe.md')
    const port = { 8080: new URL(stage.service.base_url).port }
    const page = sideOf(blocks.page!, 'after')
    const key = { 'rip_pk_…': account.publishable_key! }
    return {
      files: {
        'server.mjs': withChanges(sideOf(readFileSync(join(root, 'docs/examples/from-stripe.diff'), 'utf8'), 'after'), {
          ...port,
          'listen(4242)': any_port,
        }),
        'public/index.html': withChanges(page, { ...port, ...key }),
      },
      env: { STRIPE_SECRET_KEY: account.secret_key, STRIPE_WEBHOOK_SECRET: webhook_secret },
      come: (page) => page.goto(address),
    }
  },
}

type Running = {
  page: Page
  come: SampleFiles['come']
  account: Account
  said(): string
  /** Sends the sample an event of this payment. */
  tell(data: Payment): Promise<number>
}
const says_port = /^(?:port |The shop is at http:\/\/localhost:)(\d+)$/m

type Payment = { checkout_session_id: string; payment_id: string; currency: string }

/** How a sample is told of a payment. `nameOf` is what it calls one that it does not take. */
type Webhooks = {
  path: string
  event_format: 'ripper' | 'stripe'
  header: string
  sign(body: string, secret: string): string
  eventOf(data: Payment): object
  nameOf(payment: Payment): string
}

const ownWebhooks: Webhooks = {
  path: '/hooks',
  event_format: 'ripper',
  header: 'Rip-Signature',
  sign: (body, secret) => generateTestHeader({ body, secret }),
  eventOf: (data) => ({ id: randomUUID(), type: 'payment.captured', data }),
  nameOf: ({ payment_id }) => payment_id,
}

const compatibleWebhooks: Webhooks = {
  path: '/webhook',
  event_format: 'stripe',
  header: 'Stripe-Signature',
  sign: (payload, secret) => Stripe.webhooks.generateTestHeaderString({ payload, secret }),
  eventOf: ({ checkout_session_id: id, ...data }) => ({
    id: randomUUID(),
    object: 'event',
    type: 'payment_intent.succeeded',
    data: { object: { ...data, id, currency: data.currency.toLowerCase() } },
  }),
  nameOf: ({ checkout_session_id }) => checkout_session_id,
}

const webhooksOf = (name: string) => (name === 'docs/migrate-from-stripe.md' ? compatibleWebhooks : ownWebhooks)
let shops = 0

const ends: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

/** Starts a sample for an account of its own, and brings a shopper. */
async function open(name: string): Promise<Running> {
  const front = await openFront()
  const address = front.address
  const account = await stage.service.newAccount({ integration: { allowed_origins: [address] } })
  const handle = `sample-${++shops}`
  await createIntegration(stage.service.operator, account.merchant_id, { name: 'hosted', is_hosted_page: true, handle })
  const { path: hooks_path, event_format, header, sign, eventOf } = webhooksOf(name)
  const url = `${address}${hooks_path}`
  const endpoint = await account.client.createEndpoint({ url, event_format })
  const webhook_secret: string = endpoint.body.signing_secret
  const { files, env, come } = samples[name]!({ account, address, webhook_secret, handle })
  const folder = mkdtempSync(join(place, 'shop-'))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  const child = spawn(process.execPath, ['server.mjs'], {
    cwd: folder,
    env: { ...process.env, ...env },
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (part: string) => {
      said += part
    })
  }
  ends.push(async () => {
    child.kill()
    if (child.exitCode === null && child.signalCode === null) await once(child, 'close')
  })
  await expect.poll(() => said).toMatch(says_port)
  front.lead(Number(says_port.exec(said)![1]))
  const shopper = await newShopper(browser, stage.service.base_url, { origins: [address] })
  ends.push(async () => {
    await shopper.context.close()
    expect(shopper.faults).toEqual([])
  })
  const tell = async (data: Payment) => {
    const body = JSON.stringify(eventOf(data))
    const signature = sign(body, webhook_secret)
    const headers = { 'Content-Type': 'application/json', [header]: signature }
    return (await fetch(url, { method: 'POST', headers, body })).status
  }
  return { page: shopper.page, come, account, said: () => said, tell }
}

/** A server that passes everything on to a port that is known later. */
async function openFront() {
  let port = 0
  const server = createServer((incoming, answer) => {
    const { method, url: path, headers } = incoming
    const passed = request({ host: '127.0.0.1', port, method, path, headers }, (response) => {
      answer.writeHead(response.statusCode!, response.headers)
      response.pipe(answer)
    })
    passed.on('error', () => answer.destroy())
    incoming.pipe(passed)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  ends.push(async () => {
    server.closeAllConnections()
    await once(server.close(), 'close')
  })
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    lead(to: number) {
      port = to
    },
  }
}

/** The form, with a card in it. */
async function fill(page: Page, number: string): Promise<void> {
  await payButton(page).waitFor()
  if (await page.getByLabel('Email').count()) await typeEmail(page)
  await typeCard(page, number)
}

/** Our own words, or the shop's. */
const thanks = (page: Page) =>
  page.getByRole('heading', { name: 'Payment complete' }).or(page.getByText('Thank you.')).first().waitFor()

async function listed({ account }: Running, path: string): Promise<Json[]> {
  const headers = { 'x-service-api-key': account.secret_key }
  const answer = await fetch(`${stage.service.base_url}/v1/${path}`, { headers })
  return ((await answer.json()) as Json).data
}

/** The members of the one session that its payment has, too. */
async function onlySession(sample: Running): Promise<Json> {
  const [{ id, amount, currency, order_reference }] = (await listed(sample, 'checkout/sessions')) as [Json]
  const { metadata } = (await sample.account.client.readSession(id)).body
  return { id, amount, currency, order_reference, metadata }
}

/** How many sessions and captured payments there are, and of how many orders. */
async function counts(sample: Running): Promise<{ sessions: number; paid: number; orders: number }> {
  const sessions = await listed(sample, 'checkout/sessions')
  const payments = await listed(sample, 'payments?status=captured')
  const orders = new Set(sessions.map(({ order_reference: name, metadata }) => name ?? metadata?.order_id))
  return { sessions: sessions.length, paid: payments.length, orders: orders.size }
}
const once_paid = { sessions: 1, paid: 1, orders: 1 }

describe.each(Object.keys(samples))('%s', (name) => {
  test('a reload in the bank’s check goes on with it', async () => {
    const sample = await open(name)
    const { page } = sample
    await sample.come(page)
    await fill(page, cards.code)
    await payButton(page).click()
    await bankPage(page).getByLabel('One-time code').waitFor()
    await page.reload()
    await bankPage(page).getByLabel('One-time code').fill('1234')
    await bankPage(page).getByRole('button', { name: 'Submit' }).click()
    await thanks(page)
    expect(await counts(sample)).toEqual(once_paid)
  })

  test('what was paid is not offered again: Back, a reload, another visit', async () => {
    const sample = await open(name)
    const { page } = sample
    await sample.come(page)
    await fill(page, cards.approved)
    await payButton(page).click()
    await thanks(page)
    await page.reload()
    await thanks(page)
    await page.goto('about:blank')
    await page.goBack()
    await thanks(page)
    expect(await counts(sample)).toEqual(once_paid)
  })

  test('two tabs are one payment', async () => {
    const sample = await open(name)
    const { page } = sample
    const other = await page.context().newPage()
    await sample.come(page)
    await sample.come(other)
    await fill(page, cards.approved)
    await fill(other, cards.approved)
    await payButton(page).click()
    await thanks(page)
    await payButton(other).click()
    await thanks(other)
    expect(await counts(sample)).toEqual(once_paid)
  })
})

test.each(['docs/shop.md', 'docs/migrate-from-stripe.md'])(
  '%s: an order is paid by one payment of a session of its own, and any other is marked',
  async (name) => {
    const sample = await open(name)
    const { page, account, said } = sample
    await sample.come(page)
    await payButton(page).waitFor()
    const { order_reference, metadata, amount } = await onlySession(sample)
    const foreign = {
      amount,
      currency: 'GBP',
      order_reference,
      metadata,
      customer: { email: 'jo@example.com' },
    }
    const { payment_id } = (await account.client.pay(undefined, foreign)).body
    const { body: payment } = await account.client.readPayment(payment_id)
    await expect.poll(said).toContain(webhooksOf(name).nameOf({ ...payment, payment_id }))
    await page.reload()
    await fill(page, cards.approved)
    await payButton(page).click()
    await thanks(page)
  },
)

describe.each(['docs/shop.md', 'docs/migrate-from-stripe.md'])('%s: an order', (name) => {
  test.each<object>([{ amount: 1 }, { currency: 'EUR' }])('is not paid by its own session with %j', async (other) => {
    const sample = await open(name)
    const { page, said, tell } = sample
    await sample.come(page)
    await payButton(page).waitFor()
    const { id: checkout_session_id, ...rest } = await onlySession(sample)
    const payment = { ...rest, checkout_session_id, payment_id: 'pay_1', status: 'captured' }
    expect(await tell({ ...payment, ...other }), said()).toBeLessThan(300)
    const { order_reference, metadata } = rest
    expect(said()).toContain(`${order_reference ?? metadata.order_id}: `)
    expect(said()).toContain(webhooksOf(name).nameOf(payment))
    expect(said()).not.toContain('not of a session of ours')
    expect(said()).not.toContain('ship it')
    await fill(page, cards.approved)
    await payButton(page).click()
    await thanks(page)
  })
})

test('docs/shop.md: a basket that changes is paid at its new price, and what an old tab pays goes back', async () => {
  const sample = await open('docs/shop.md')
  const { page, said } = sample
  const other = await page.context().newPage()
  await sample.come(page)
  await fill(page, cards.approved)
  await other.goto(new URL('/', page.url()).href)
  await other.getByRole('button', { name: 'Add a cup' }).click()
  await other.getByText('Total: £51.50').waitFor()
  await other.getByRole('link', { name: 'Check out' }).click()
  await fill(other, cards.approved)
  await other.getByRole('button', { name: 'Pay £51.50' }).waitFor()
  await payButton(page).click()
  await page.getByText('is not paid yet').waitFor()
  await page.getByText('You get that payment back.').waitFor()
  expect(said()).toMatch(/: paid GBP 4200, it costs GBP 5150: refund pay_/)
  expect(said()).not.toContain('ship it')
  await payButton(other).click()
  await thanks(other)
  await expect.poll(said).toContain('paid, ship it')
  expect(await counts(sample)).toEqual({ sessions: 2, paid: 2, orders: 1 })
  // A cup more is another basket's.
  await other.goto(new URL('/', page.url()).href)
  await other.getByText('Total: £42.00').waitFor()
})

// At the end, because what is signed by a clock that was set forward is refused.
test.each(Object.keys(samples))('%s: an order whose session has expired is paid by another', async (name) => {
  const sample = await open(name)
  const { page } = sample
  await sample.come(page)
  await payButton(page).waitFor()
  stage.clock.shift(31 * 60_000)
  await sample.come(page)
  await fill(page, cards.approved)
  await payButton(page).click()
  await thanks(page)
  expect(await counts(sample)).toEqual({ sessions: 2, paid: 1, orders: 1 })
})
