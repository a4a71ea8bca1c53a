// The guides, followed line by line as a new user would, against a service that `ripper serve` started.

import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Page } from 'playwright-core'
import Stripe from 'stripe'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { advisedNames as advisedCheckoutNames } from '../../src/compatible/checkout-sessions/checkout-advice.ts'
import { advisedNames } from '../../src/compatible/unsupported.ts'
import { currencyOf } from '../../src/kernel/values.ts'
import { attempts_max } from '../../src/payments/session.ts'
import { openStripeFake } from '../adapters/fakes/stripe/server.ts'
import { newShopper, payButton, startBrowser, typeCard, typeEmail } from '../browser/shopper.ts'
import { columnsOf, fileOf, stripeCells } from '../payouts/reports.ts'
import type { Json } from '../support/client.ts'
import { freshDatabase } from '../support/database.ts'
import { prelude, readGuide, sideOf, withChanges } from '../support/guide-blocks.ts'
import { type ProgramResult, type RunningProgram, ripper, serve, shell, talk, talkShell } from '../support/programs.ts'
import { until } from '../support/service.ts'
import { removeData } from '../support/setup-database.ts'
import { realClock } from '../support/world.ts'

const root = resolve(import.meta.dirname, '../..')
const place = mkdtempSync(join(tmpdir(), 'ripper-guides-'))
const folder = join(place, 'ripper')
const env = {
  RIPPER_DATA_DIR: '.ripper',
  RIPPER_PORT: '0',
  npm_config_cache: join(place, 'cache'),
  npm_config_offline: 'true',
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  npm_config_update_notifier: 'false',
}
const here = { cwd: folder, env }
/** For commands, which have no folder of their own. */
const there = { env: { ...env, RIPPER_DATA_DIR: join(folder, '.ripper') } }
let service: Awaited<ReturnType<typeof serve>>
let demo: Json

beforeAll(async () => {
  mkdirSync(folder)
  // The server of a run as root is another user's.
  for (const each of [place, folder]) chmodSync(each, 0o711)
  service = await serve(here)
  demo = JSON.parse(readFileSync(join(folder, '.ripper/demo.json'), 'utf8'))
}, 60_000)
afterAll(async () => {
  await service.stop()
  removeData(join(folder, '.ripper'))
  removeData(place)
})

const staying: RunningProgram[] = []
afterEach(async () => {
  for (const program of staying.splice(0).reverse()) await program.stop()
})

/** Starts a block that stays. */
function begin(script: string): RunningProgram {
  const program = talkShell(prelude + script, here)
  staying.push(program)
  return program
}

/** Runs a block to its end. */
async function run(script: string): Promise<string> {
  const { status, stdout, stderr }: ProgramResult = await shell(prelude + script, here)
  expect(status, stderr).toBe(0)
  return stdout
}

/** The port that a program of a guide listens on: any free one, since the guide's may be taken. */
async function portOf(program: RunningProgram): Promise<string> {
  await program.says(/^port \d+$/m)
  return /^port (\d+)$/m.exec(program.said())![1]!
}
const on_any_port = `listen(0, function () { console.log('port', this.address().port) })`

describe('first-webhook.md', () => {
  const { blocks, not_run } = readGuide('docs/first-webhook.md')

  test('has no block that is not run here', () => {
    const run = ['install', 'receiver', 'receive', 'listen', 'trigger', 'others', 'endpoint']
    expect(Object.keys(blocks)).toEqual([...not_run, ...run])
    expect(not_run).toEqual(['start'])
  })

  test('ends with five verified events, and an endpoint', async () => {
    await run(blocks.install!)
    writeFileSync(join(place, 'receiver/receiver.mjs'), withChanges(blocks.receiver!, { 'listen(4000)': on_any_port }))
    const receiver = begin(blocks.receive!)
    const port = await portOf(receiver)
    const listener = begin(withChanges(blocks.listen!, { 4000: port }))
    await listener.says('Ready!')
    expect(await run(blocks.trigger!)).toContain('Paid GBP 42.00 with a test card.')
    await receiver.says(/^payment\.captured pay_[0-9a-f]{24} 4200 GBP$/m)
    await run(blocks.others!)
    await receiver.says('payment.failed')
    const told = receiver.said().match(/^payment\.\w+/gm)
    expect(told).toEqual([
      ...['payment.captured', 'payment.held', 'payment.held', 'payment.voided'],
      ...['payment.declined', 'payment.failed'],
    ])
    expect(receiver.said()).toMatch(/^payment\.held pay_\w+ 1999 EUR$/m)
    // The receiver says so before its answer has come back.
    await listener.says(/(?: -> 204 POST [\s\S]*){6}/)
    expect(listener.said().match(/ -> 204 POST /g)).toHaveLength(6)

    const url = `http://127.0.0.1:${port}/hooks`
    const forged = await fetch(url, { method: 'POST', body: '{}' })
    expect(forged.status).toBe(400)
    expect(await run(blocks.endpoint!)).toMatch(/^signing_secret +rip_whsec_/m)
    const endpoints = await fetch(`${demo.base_url}/v1/webhooks/endpoints`, {
      headers: { 'x-service-api-key': demo.secret_key },
    })
    const [{ id }] = ((await endpoints.json()) as Json).endpoints
    expect((await ripper(['endpoint', 'delete', id], there)).status).toBe(0)
  }, 60_000)
})

describe('migrate-from-stripe.md', () => {
  const { blocks, not_run, text } = readGuide('docs/migrate-from-stripe.md')
  const diff = readFileSync(join(root, 'docs/examples/from-stripe.diff'), 'utf8')
  const stripeOf = () => {
    const { hostname: host, port } = new URL(demo.base_url)
    return new Stripe(demo.secret_key, { host, port: Number(port), protocol: 'http' })
  }

  test('has no block that is not run here', () => {
    expect(not_run).toEqual([])
    expect(Object.keys(blocks)).toEqual(['server', 'shop', 'listen', 'python', 'page', 'integration', 'curl'])
  })

  /** Starts a shop with these files beside the library, and forwards events to it. */
  async function openShop(name: string, files: Record<string, string>) {
    const shop = join(place, name)
    mkdirSync(join(shop, 'public'), { recursive: true })
    symlinkSync(join(root, 'node_modules'), join(shop, 'node_modules'))
    for (const [path, source] of Object.entries(files)) writeFileSync(join(shop, path), source)
    const program = begin(withChanges(blocks.shop!, { '../shop': `../${name}` }))
    const port = await portOf(program)
    const listener = begin(withChanges(blocks.listen!, { 4242: port }))
    await listener.says('Ready!')
    return { program, listener, port, address: `http://localhost:${port}` }
  }

  async function inBrowser<Result>(address: string, act: (page: Page) => Promise<Result>): Promise<Result> {
    const browser = await startBrowser()
    try {
      const { page, faults } = await newShopper(browser, demo.base_url, { origins: [address] })
      const result = await act(page)
      expect(faults).toEqual([])
      return result
    } finally {
      await browser.close()
    }
  }

  const servicePort = () => ({ 8080: new URL(demo.base_url).port })

  test('a shop with Checkout Sessions changes one line, takes a payment, and gets its webhook', async () => {
    const server = withChanges(sideOf(blocks.server!, 'after'), {
      ...servicePort(),
      "const shop = 'http://localhost:4242'": 'let shop',
      'listen(4242)': on_any_port.replace('{', "{ shop = 'http://localhost:' + this.address().port;"),
    })
    const { address, program } = await openShop('checkout-shop', { 'server.mjs': server })
    const thanks = await inBrowser(address, async (page) => {
      await page.goto(address)
      await page.getByRole('button', { name: 'Buy tea' }).click()
      await typeEmail(page)
      await typeCard(page, '4242424242424242')
      await payButton(page).click()
      await page.waitForURL(`${address}/thanks?session_id=cs_test_*`)
      const said = await page.textContent('body')
      // A second try of an order that is paid finds the page of the first.
      await page.goto(address)
      await page.getByRole('button', { name: 'Buy tea' }).click()
      await page.getByRole('heading', { name: 'Payment complete' }).waitFor()
      return said
    })
    expect(thanks).toMatch(/^order-\w+: paid$/)
    await program.says(/^order-\w+ is paid: ship it$/m)
    const forged = await fetch(`${address}/webhook`, { method: 'POST', body: '{}' })
    expect(forged.status).toBe(400)
  }, 60_000)

  const python = spawnSync('python3', ['-c', 'import stripe'])
  test.skipIf(python.status !== 0)('a quick start in Python changes two lines', () => {
    const create = `stripe.checkout.Session.create(mode="payment", success_url="http://localhost:4242/success",
      line_items=[{"price_data": {"currency": "gbp", "unit_amount": 1999, "product_data": {"name": "Tea"}}, "quantity": 1}])`
    const lines = withChanges(blocks.python!, servicePort())
    const program = `import os, stripe\n${lines}\nprint(${create}.url)`
    const said = spawnSync('python3', ['-c', program], {
      env: { ...process.env, STRIPE_SECRET_KEY: demo.secret_key },
      encoding: 'utf8',
    })
    expect(said.stdout, said.stderr).toMatch(/^http:\/\//)
  })

  test('a shop with a form of its own is migrated, takes a payment, and gets its webhook', async () => {
    const server = withChanges(sideOf(diff, 'after'), { ...servicePort(), 'listen(4242)': on_any_port })
    const page = withChanges(sideOf(blocks.page!, 'after'), { ...servicePort(), 'rip_pk_…': demo.publishable_key })
    const { address, port, listener } = await openShop('shop', { 'server.mjs': server, 'public/index.html': page })
    await run(withChanges(blocks.integration!, { 'm_…': demo.merchant_id, 4242: port }))
    const { order_id } = await inBrowser(address, async (page) => {
      const [ordered] = await Promise.all([page.waitForResponse(`${address}/orders`), page.goto(address)])
      await typeCard(page, '4242424242424242')
      await payButton(page).click()
      await page.getByRole('heading', { name: 'Payment complete' }).waitFor()
      return (await ordered.json()) as Json
    })
    const order = await until(
      async () => (await (await fetch(`${address}/orders/${order_id}`)).json()) as Json,
      ({ status }) => status !== 'open',
    )
    expect(order).toEqual({ status: 'paid', intent_status: 'succeeded' })
    await listener.says('-> 200 POST')
    const forged = await fetch(`${address}/webhook`, { method: 'POST', body: '{}' })
    expect(forged.status).toBe(400)
    const log = talk(['logs', 'tail', '--last', '100'], there)
    staying.push(log)
    await log.says(/ 200 +POST +\/v1\/payment_intents .* req_/)
  }, 60_000)

  test('the lines by hand', async () => {
    const script = withChanges(blocks.curl!, { 'http://127.0.0.1:8080': demo.base_url })
    const [form, json] = (await run(script)).match(/\{"id".*?"ripper":\{.*?\}\}/g)!.map((each) => JSON.parse(each))
    expect(form).toMatchObject({ object: 'payment_intent', amount: 1999, metadata: { order_id: '1001' } })
    expect(json).toMatchObject({ object: 'payment_intent', amount: 1999, currency: 'gbp' })
  })

  const deleted = [...rowsUnder('| delete | because |')].flatMap((row) => [...row[0]!.matchAll(/`(\w+)`/g)])
  const names = deleted.map(([, name]) => name!)

  function* rowsUnder(head: string): Iterable<string[]> {
    const [, rows] = text.split(`${head}\n`)
    for (const line of rows!.split('\n').slice(1)) {
      if (!line.startsWith('|')) return
      yield line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, ''))
    }
  }

  test('names every parameter of which there is something to say', () => {
    const own = (name: string) => name.split(/[[\]]+/).findLast(Boolean)!
    const known = new Set([...advisedNames, ...advisedCheckoutNames].map(own))
    // These are served in one place, and refused in another.
    for (const name of ['metadata', 'description', 'receipt_email', 'statement_descriptor_suffix', 'capture_method']) {
      known.delete(name)
    }
    expect(names.toSorted()).toEqual([...known].toSorted())
  })

  test('each of a payment intent is refused by name, and all in one answer', async () => {
    const stripe = stripeOf()
    // A payment takes a currency; only a refund does not.
    for (const name of advisedNames.filter((each) => each !== 'currency' && each !== 'expand')) {
      const body = { ...tea, [name]: 'x' } as typeof tea
      const error = await stripe.paymentIntents.create(body).catch((thrown) => thrown)
      expect(error).toBeInstanceOf(Stripe.errors.StripeInvalidRequestError)
      expect(error).toMatchObject({ code: 'parameter_unknown', param: name })
      expect(error.message).toContain('delete this line')
    }
    const removed = [...diff.matchAll(/^- {6}(\w+):/gm)].map(([, name]) => name!)
    expect(removed).toEqual(['shipping'])
    const all = { ...tea, shipping: 'x', customer: 'cus_1' } as typeof tea
    const error = await stripe.paymentIntents.create(all).catch((thrown) => thrown)
    for (const name of ['shipping', 'customer']) expect(error.message).toContain(name)
  })

  const tea = { amount: 1999, currency: 'gbp' }
  const intentOf = async (outcome: string) => {
    const trigger = await ripper(['trigger', outcome, '--json'], there)
    return stripeOf().paymentIntents.retrieve(JSON.parse(trigger.stdout).session_id)
  }
  const refusal = async (call: Promise<unknown>) =>
    call.then(
      () => 'taken',
      ({ statusCode, code, param }) => ({ statusCode, code, param }),
    )

  /** What holds each row of the table of differences, by its first words. */
  const differences: Record<string, () => Promise<void>> = {
    async 'a declined card'() {
      const intent = await intentOf('payment.declined')
      expect(intent).toMatchObject({ status: 'requires_payment_method', last_payment_error: { code: 'card_declined' } })
    },
    async 'an amount that cannot be verified'() {
      expect(await intentOf('payment.held')).toMatchObject({ status: 'requires_capture', ripper: { hold: {} } })
    },
    async 'a payment intent’s id'() {
      expect((await stripeOf().paymentIntents.create(tea)).id).toMatch(/^cs_[0-9a-f]{24}$/)
    },
    async 'its life'() {
      const { id } = await stripeOf().paymentIntents.create(tea)
      const headers = { 'x-service-api-key': demo.secret_key }
      const session = (await (await fetch(`${demo.base_url}/v1/checkout/sessions/${id}`, { headers })).json()) as Json
      expect(Date.parse(session.expires_at) - Date.parse(session.created_at)).toBe(30 * 60_000)
      expect(attempts_max).toBe(3)
    },
    async 'its `next_action`'() {
      expect(await stripeOf().paymentIntents.create(tea)).toMatchObject({ next_action: null })
    },
    async '`capture_method`'() {
      const manual = stripeOf().paymentIntents.create({ ...tea, capture_method: 'manual' })
      expect(await refusal(manual)).toMatchObject({ param: 'capture_method' })
      expect(await intentOf('payment.held')).toMatchObject({ capture_method: 'manual' })
    },
    async 'a key used with other parameters'() {
      const options = { idempotencyKey: crypto.randomUUID() }
      await stripeOf().paymentIntents.create(tea, options)
      const other = stripeOf().paymentIntents.create({ ...tea, amount: 1 }, options)
      expect(await refusal(other)).toMatchObject({ statusCode: 409, code: 'idempotency_key_reused' })
    },
    async 'a refused request under a key'() {
      const options = { idempotencyKey: crypto.randomUUID() }
      expect(await refusal(stripeOf().paymentIntents.create({ ...tea, amount: -1 }, options))).not.toBe('taken')
      expect(await refusal(stripeOf().paymentIntents.create(tea, options))).toBe('taken')
    },
    async '`expand`'() {
      const create = (part: string) => refusal(stripeOf().paymentIntents.create({ ...tea, expand: [part] }))
      expect(await create('latest_charge')).toBe('taken')
      expect(await create('customer')).toMatchObject({ statusCode: 400, code: 'parameter_unknown' })
    },
    async '`Stripe-Version`'() {
      const [old, own] = await Promise.all([
        stripeOf().paymentIntents.create(tea, { apiVersion: '2015-10-16' }),
        stripeOf().paymentIntents.create(tea),
      ])
      expect(Object.keys(old)).toEqual(Object.keys(own))
    },
    async '`Stripe-Account`, `Stripe-Context`'() {
      for (const options of [{ stripeAccount: 'acct_1' }, { stripeContext: 'ctx_1' }]) {
        expect(await refusal(stripeOf().paymentIntents.create(tea, options))).toMatchObject({ statusCode: 400 })
      }
    },
    async 'ISK, UGX; MGA; BHD, JOD, KWD, OMR, TND'() {
      const digits = ['ISK', 'UGX', 'MGA', 'BHD', 'JOD', 'KWD', 'OMR', 'TND'].map((code) => currencyOf(code)!.exponent)
      expect(digits).toEqual([0, 0, 2, 3, 3, 3, 3, 3])
    },
    async 'a search'() {
      const search = stripeOf().paymentIntents.search({ query: "status:'succeeded'" })
      expect(await refusal(search)).toMatchObject({ statusCode: 400, code: 'parameter_unknown' })
    },
  }

  test.each([...rowsUnder('| | Stripe | Ripper |')].map(([first]) => first!))(
    '%s differs as the table says',
    async (what) => {
      expect(differences).toHaveProperty([what])
      await differences[what]!()
    },
  )
})

describe('shop.md', () => {
  const { blocks, not_run } = readGuide('docs/shop.md')

  test('has no block that is not run here', () => {
    expect(not_run).toEqual([])
    expect(Object.keys(blocks)).toEqual(['install', 'shop', 'listen', 'later'])
  })

  // tests/pages/samples.test.ts shops there.
  test('a shop is set up, and hears of a payment', async () => {
    // The folder of the other shop has our own modules.
    const changed = { '../shop': '../shop-in-one-file' }
    const shop = join(place, 'shop-in-one-file')
    const of_shop = withChanges(blocks.install!, {
      ...changed,
      // There is no registry here.
      'tgz express': 'tgz',
      'docs/examples': join(root, 'docs/examples'),
    })
    await run(of_shop)
    symlinkSync(join(root, 'node_modules/express'), join(shop, 'node_modules/express'))
    const program = begin(`export PORT=0\n${withChanges(blocks.shop!, changed)}`)
    await program.says(/^The shop is at http:\/\/localhost:\d+$/m)
    const port = /localhost:(\d+)$/m.exec(program.said())![1]!
    const listener = begin(withChanges(blocks.listen!, { 4000: port }))
    await listener.says('Ready!')
    await ripper(['trigger', 'payment.captured'], there)
    await listener.says('-> 204 POST')
    const forged = await fetch(`http://localhost:${port}/hooks`, { method: 'POST', body: '{}' })
    expect(forged.status).toBe(400)
  }, 60_000)

  test('a session expires when the service starts again with its clock set forward, and it starts once more', async () => {
    const cwd = join(place, 'later')
    mkdirSync(cwd)
    chmodSync(cwd, 0o711)
    const [, offset] = /^RIPPER_CLOCK_OFFSET_SECONDS=(\d+) npm start$/m.exec(blocks.later!)!
    let id: string | null = null
    const statuses: string[] = []
    for (const RIPPER_CLOCK_OFFSET_SECONDS of ['0', offset!, '0']) {
      const running = await serve({ cwd, env: { ...env, RIPPER_CLOCK_OFFSET_SECONDS } })
      const { base_url, secret_key } = JSON.parse(readFileSync(join(cwd, '.ripper/demo.json'), 'utf8'))
      const sessions = `${base_url}/v1/checkout/sessions`
      const headers = { 'X-Service-Api-Key': secret_key, 'Content-Type': 'application/json' }
      if (id === null) {
        const body = JSON.stringify({ amount: 4200, currency: 'GBP' })
        const key = { 'Rip-Idempotency-Key': 'later' }
        const created = await fetch(sessions, {
          method: 'POST',
          headers: { ...headers, ...key },
          body,
        })
        id = ((await created.json()) as Json).id
      }
      const read = (await (await fetch(`${sessions}/${id}`, { headers })).json()) as Json
      statuses.push(read.status)
      await running.stop()
    }
    removeData(join(cwd, '.ripper'))
    expect(statuses).toEqual(['requires_payment', 'expired', 'requires_payment'])
  }, 60_000)
})

describe('capture.md', () => {
  const { blocks, not_run } = readGuide('docs/capture.md')

  test('has no block that is not run here', () => {
    expect(not_run).toEqual([])
    expect(Object.keys(blocks)).toEqual(['setting', 'capture', 'command'])
  })

  test('an integration is set, and two payments are captured in part', async () => {
    const { merchant_id } = demo
    const made = await ripper(['integration', 'create', '--merchant', merchant_id, '--name', 'depot', '--json'], there)
    const { integration_id } = JSON.parse(made.stdout)
    expect(await run(`INTEGRATION=${integration_id}\n${blocks.setting!}`)).toMatch(/capture +manual/)
    const [payment, other] = await Promise.all(
      [1, 2].map(
        async () => JSON.parse((await ripper(['trigger', 'payment.held', '--json'], there)).stdout).payment_id,
      ),
    )
    const set = `API=${demo.base_url} KEY=${demo.secret_key} PAYMENT=${payment} OTHER=${other}\n`
    expect(JSON.parse(await run(set + blocks.capture!))).toMatchObject({ status: 'captured', captured_amount: 3000 })
    expect(await run(set + blocks.command!)).toContain('The acquirer has taken GBP 12.00 of GBP 42.00')
  }, 60_000)
})

describe('payment-links.md', () => {
  const { blocks, not_run } = readGuide('docs/payment-links.md')

  test('has no block that is not run here', () => {
    expect(not_run).toEqual([])
    expect(Object.keys(blocks)).toEqual(['create', 'command'])
  })

  test('a link is made in two ways, and the first is opened', async () => {
    const set = `API=${demo.base_url} KEY=${demo.secret_key}\n`
    const link = JSON.parse(await run(set + blocks.create!))
    expect(link).toMatchObject({ status: 'active', max_payments: 1, payments_count: 0 })
    expect(await (await fetch(link.url)).text()).toContain('One teapot')
    const listed = await run(set + blocks.command!)
    expect(listed.match(/0 of 1 +One teapot/g)).toHaveLength(2)
  }, 60_000)
})

describe('payouts.md', () => {
  const { blocks, not_run } = readGuide('docs/payouts.md')

  test('has no block that is not run here', () => {
    expect(not_run).toEqual([])
    expect(Object.keys(blocks)).toEqual(['import', 'show', 'read', 'export'])
  })

  test('a report is read, shown and exported', async () => {
    const { merchant_id } = demo
    writeFileSync(
      join(folder, 'credentials.json'),
      JSON.stringify({ secret_key: 'sk_test_a', webhook_secret: 'whsec_a' }),
    )
    const connection = ['connection', 'create', '--merchant', merchant_id, '--acquirer', 'stripe', '--label', 'payouts']
    const credentials = ['--mode', 'sandbox', '--credentials', join(folder, 'credentials.json')]
    const made = await ripper([...connection, ...credentials], there)
    expect(made.status, made.stderr).toBe(0)
    const line = {
      balance_transaction_id: 'txn_1',
      payment_intent_id: 'pi_1',
      gross: '42.00',
      fee: '1.25',
      net: '40.75',
    }
    writeFileSync(join(folder, 'report.csv'), fileOf(columnsOf.stripe, [stripeCells(line)]))
    const set = `API=${demo.base_url} KEY=${demo.secret_key} MERCHANT=${merchant_id} LABEL=payouts\n`
    const read = await run(set + blocks.import!)
    expect(read).toMatch(/findings +1/)
    const [id] = /po_[0-9a-f]{24}/.exec(read)!
    const shown = await run(`${set}PAYOUT=${id}\n${blocks.show!}`)
    expect(shown).toMatch(/GBP 40\.75[\s\S]*no payment of the connection has this id/)
    expect(JSON.parse(await run(set + blocks.read!)).data).toMatchObject([{ id, net: 4075, paid_on: '2027-01-31' }])
    await run(set + blocks.export!)
    expect(readFileSync(join(folder, 'payouts.csv'), 'utf8')).toContain(',42.00,1.25,40.75,GBP,')
  }, 60_000)
})

describe('refunds.md', () => {
  const { blocks, not_run } = readGuide('docs/refunds.md')

  test('has no block that is not run here', () => {
    expect(not_run).toEqual([])
    expect(Object.keys(blocks)).toEqual(['refund', 'command', 'read', 'endpoint'])
  })

  test('a payment is refunded in two ways, and both are read', async () => {
    const trigger = await ripper(['trigger', 'payment.captured', '--json'], there)
    const { payment_id } = JSON.parse(trigger.stdout)
    const set = `API=${demo.base_url} KEY=${demo.secret_key} PAYMENT=${payment_id}\n`
    const refund = JSON.parse(await run(set + blocks.refund!))
    expect(refund).toMatchObject({ amount: 1200, status: 'succeeded' })
    const commanded = await run(set + blocks.command!)
    expect(commanded).toContain('The acquirer has refunded GBP 10.00.')
    expect(commanded).toContain('Of GBP 42.00 captured, GBP 20.00 is left to refund.')
    const read = await run(`${set}REFUND=${refund.id}\n${blocks.read!}`)
    expect(read.split(refund.id)).toHaveLength(3)
    const endpoint = JSON.parse(await run(set + blocks.endpoint!))
    expect(endpoint.extension_events).toEqual(['refund.succeeded', 'refund.failed'])
    expect((await ripper(['endpoint', 'delete', endpoint.id], there)).status).toBe(0)
  }, 60_000)
})

describe('disputes.md', () => {
  const { blocks, not_run } = readGuide('docs/disputes.md')

  test('has no block that is not run here', () => {
    expect(not_run).toEqual([])
    expect(Object.keys(blocks)).toEqual(['endpoint', 'dispute', 'read', 'refund', 'end'])
  })

  test('a dispute is opened, told, refunded all the same and won', async () => {
    const trigger = await ripper(['trigger', 'payment.captured', '--json'], there)
    const { payment_id } = JSON.parse(trigger.stdout)
    const set = `API=${demo.base_url} KEY=${demo.secret_key} PAYMENT=${payment_id}\n`
    const endpoint = JSON.parse(await run(set + blocks.endpoint!))
    expect(endpoint.extension_events).toEqual(['dispute.opened', 'dispute.closed'])
    expect(await run(set + blocks.dispute!)).toMatch(/dsp_[0-9a-f]{24} +pay_[0-9a-f]{24} +GBP 42\.00 +needs_response/)
    expect(JSON.parse(await run(set + blocks.read!)).data[0]).toMatchObject({ payment_id, status: 'needs_response' })
    const refused = await ripper(['refund', 'create', payment_id, '--amount', '1200'], there)
    expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining('dispute')])
    expect(await run(set + blocks.refund!)).toContain('The acquirer has refunded GBP 12.00.')
    expect(await run(set + blocks.end!)).toMatch(/status +won/)
    expect((await ripper(['endpoint', 'delete', endpoint.id], there)).status).toBe(0)
  }, 60_000)
})

describe('going-live.md', () => {
  const { blocks, not_run } = readGuide('docs/going-live.md')
  const commands = ['prepare', 'account', 'page', 'endpoint', 'audit', 'doctor', 'switch']

  test('has no block that is not run here, but one that says why', () => {
    expect(not_run).toEqual(['page-check'])
    const files = ['acquiring.json', 'goods.json']
    const rest = Object.keys(blocks).filter((name) => !not_run.includes(name))
    expect(rest.toSorted()).toEqual([...commands, ...files].toSorted())
  })

  test('sets up a live account on a database of one’s own, which the doctor looks at', async () => {
    const database = await freshDatabase('empty')
    const cwd = join(place, 'live')
    mkdirSync(cwd)
    for (const name of ['acquiring.json', 'goods.json']) writeFileSync(join(cwd, name), blocks[name]!)
    const url = { 'postgresql://ripper:…@db.example/ripper': `'${database.url}'` }
    const prepare = withChanges(blocks.prepare!, url)
    // No service runs here, which is the doctor's one problem before the switch; it has two after it.
    const doctor = `if ${blocks.doctor!.trim()}; then exit 9; fi\n`
    const followed: typeof blocks = { ...blocks, doctor }
    const lines = [prepare, ...commands.slice(1).map((name) => followed[name]!), doctor]
    const settings = { RIPPER_DATA_DIR: '.ripper', RIPPER_BASE_URL: 'https://127.0.0.1:9' }
    const { status, stdout, stderr } = await shell(prelude + lines.join('\n'), { cwd, env: settings })
    expect([status, stderr]).toEqual([0, ''])
    expect(stdout.match(/^signing_secret +rip_whsec_/gm)).toHaveLength(1)
    expect(stdout.match(/^secret_key +rip_sk_/gm)).toHaveLength(2)
    expect(stdout).toMatch(/^handle +tea-and-pots$/m)
    expect(stdout).toMatch(/ripper connection create makes one/)
    expect(stdout).toMatch(/^live_enabled +(yes|true)$/m)
    const [heads] = readdirSync(cwd).filter((name) => /^heads-\d{4}-\d\d-\d\d\.json$/.test(name))
    expect(JSON.parse(readFileSync(join(cwd, heads!), 'utf8'))).toMatchObject({ ok: true })
    await database.drop()
  }, 60_000)
})

describe('live-money.md', () => {
  const { blocks, not_run } = readGuide('docs/live-money.md')
  const commands = ['account', 'sandbox', 'integration', 'pay', 'refund', 'live', 'switch']

  test('has no block that is not run here, but one that says why', () => {
    expect(not_run).toEqual(['doctor'])
    const rest = Object.keys(blocks).filter((name) => !not_run.includes(name))
    expect(rest.toSorted()).toEqual([...commands, 'profile.json', 'sandbox.json'].toSorted())
  })

  test('ends with a live merchant, after a payment and a refund at the sandbox', async () => {
    const cwd = join(place, 'live-money')
    mkdirSync(cwd)
    chmodSync(cwd, 0o711)
    const fake = await openStripeFake({ clock: realClock })
    const live = await openStripeFake({ clock: realClock })
    live.books.environment.is_live = true
    const allowed = { ...env, RIPPER_CONNECTION_ALLOWED_NETWORKS: '127.0.0.1' }
    const running = await serve({ cwd, env: allowed })
    try {
      const keys = { 'sk_test_…': fake.secret_key, 'whsec_…': fake.webhook_secret }
      const sandbox = {
        ...JSON.parse(withChanges(blocks['sandbox.json']!, keys)),
        api_url: fake.url,
      }
      writeFileSync(join(cwd, 'sandbox.json'), JSON.stringify(sandbox))
      writeFileSync(join(cwd, 'live.json'), JSON.stringify({ ...sandbox, api_url: live.url }))
      writeFileSync(join(cwd, 'profile.json'), blocks['profile.json']!)
      const lines = commands.map((name) => blocks[name]!)
      const { status, stdout, stderr } = await shell(prelude + lines.join('\n'), {
        cwd,
        env: allowed,
      })
      // Each fake has the same key, of the sandbox's form.
      const warning = "Warning: the key looks like one of the vendor's sandbox, and the connection is of mode live."
      expect([status, stderr]).toEqual([0, `${warning} It is taken because of api_url.\n`])
      expect(stdout.match(/stripe takes the credentials of /g)).toHaveLength(2)
      expect(stdout).toMatch(/^authenticated$/m)
      expect(stdout).toMatch(/ payment captured /)
      expect(stdout).toMatch(/12\.00 .*succeeded/)
      expect(stdout).toMatch(/^live_enabled +(yes|true)$/m)
      const [intent] = fake.books.intents
      expect(intent).toMatchObject({ amount: 4200, refunds: [{ amount: 1200 }] })
      expect([...fake.wrong, ...live.wrong]).toEqual([])
    } finally {
      await running.stop()
      await Promise.all([fake.close(), live.close()])
      removeData(join(cwd, '.ripper'))
    }
  }, 240_000)
})
