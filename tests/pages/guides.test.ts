// The guides, followed line by line as a new user would, against a service that `ripper serve` started.

import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Page } from 'playwright-core'
import Stripe from 'stripe'
import { beforeAll, describe, expect, test } from 'vitest'
import { advisedNames as advisedCheckoutNames } from '../../src/compatible/checkout-sessions/checkout-advice.ts'
import { advisedNames } from '../../src/compatible/unsupported.ts'
import { currencyOf } from '../../src/kernel/values.ts'
import { attempts_max } from '../../src/payments/session.ts'
import { openStripeFake } from '../adapters/fakes/stripe/server.ts'
import { newShopper, payButton, startBrowser, typeCard, typeEmail } from '../browser/shopper.ts'
import type { Json } from '../support/client.ts'
import { freshDatabase } from '../support/database.ts'
import { prelude, readGuide, sideOf, withChanges } from '../support/guide-blocks.ts'
import { openGuides } from '../support/guide-service.ts'
import { type RunningProgram, ripper, serve, shell, talk } from '../support/programs.ts'
import { until } from '../support/service.ts'
import { removeData } from '../support/setup-database.ts'
import { realClock } from '../support/world.ts'

const root = resolve(import.meta.dirname, '../..')
const { begin, env, folder, here, place, run, staying, there, ...guides } = openGuides()
let demo: Json
beforeAll(() => {
  demo = guides.demo()
})

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
