// The guides, followed line by line as a new user would, against a service that `ripper serve` started.

import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import Stripe from 'stripe'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openStripeFake } from '../adapters/fakes/stripe/server.ts'
import { newShopper, payButton, startBrowser, typeCard } from '../browser/shopper.ts'
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

  test('has no block that is not run here', () => {
    expect(not_run).toEqual([])
    expect(Object.keys(blocks)).toEqual([...['refund', 'page', 'integration', 'shop', 'listen', 'curl']])
  })

  test('a shop is migrated, takes a payment, and gets its webhook', async () => {
    const shop = join(place, 'shop')
    mkdirSync(join(shop, 'public'), { recursive: true })
    symlinkSync(join(root, 'node_modules'), join(shop, 'node_modules'))
    const { hostname, port: service_port } = new URL(demo.base_url)
    expect(hostname).toBe('127.0.0.1')
    const changed = { 8080: service_port }
    const server = sideOf(diff, 'after')
    writeFileSync(join(shop, 'server.mjs'), withChanges(server, { ...changed, 'listen(4242)': on_any_port }))
    const page = sideOf(blocks.page!, 'after')
    writeFileSync(join(shop, 'public/index.html'), withChanges(page, { ...changed, 'rip_pk_…': demo.publishable_key }))
    const port = await portOf(begin(blocks.shop!))
    await run(withChanges(blocks.integration!, { 'm_…': demo.merchant_id, 4242: port }))
    const listener = begin(withChanges(blocks.listen!, { 4242: port }))
    await listener.says('Ready!')

    const address = `http://localhost:${port}`
    const order_id = await payInBrowser(address)
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

  async function payInBrowser(address: string): Promise<string> {
    const browser = await startBrowser()
    try {
      const { page, faults } = await newShopper(browser, demo.base_url, { origins: [address] })
      const [ordered] = await Promise.all([page.waitForResponse(`${address}/orders`), page.goto(address)])
      await typeCard(page, '4242424242424242')
      await payButton(page).click()
      await page.getByRole('heading', { name: 'Payment complete' }).waitFor()
      expect(faults).toEqual([])
      return ((await ordered.json()) as Json).order_id
    } finally {
      await browser.close()
    }
  }

  test('a payment is refunded', async () => {
    const { hostname: host, port } = new URL(demo.base_url)
    const trigger = await ripper(['trigger', 'payment.captured', '--json'], there)
    const { session_id } = JSON.parse(trigger.stdout)
    const client = `{ host: '${host}', port: ${port}, protocol: 'http' }`
    const lines = [
      `import Stripe from '${join(root, 'node_modules/stripe/esm/stripe.esm.node.js')}'`,
      `const stripe = new Stripe('${demo.secret_key}', ${client})`,
      `const intent = { id: '${session_id}' }`,
      blocks.refund!,
    ]
    writeFileSync(join(place, 'refund.mjs'), lines.join('\n'))
    const said = await run(`node ${join(place, 'refund.mjs')}`)
    expect(said).toMatch(/^ref_[0-9a-f]{24} succeeded\n$/)
  }, 60_000)

  test('the lines by hand', async () => {
    const script = withChanges(blocks.curl!, { 'http://127.0.0.1:8080': demo.base_url })
    const [form, json] = (await run(script)).match(/\{"id".*?"ripper":\{.*?\}\}/g)!.map((each) => JSON.parse(each))
    expect(form).toMatchObject({ object: 'payment_intent', amount: 1999, metadata: { order_id: '1001' } })
    expect(json).toMatchObject({ object: 'payment_intent', amount: 1999, currency: 'gbp' })
  })

  const rows = /\| delete \| because \|\n\|---\|---\|\n((?:\|.*\n)+)/.exec(text)![1]!.trim().split('\n')
  const parameters = rows.flatMap((row) => [...row.split('|')[1]!.matchAll(/`(\w+)`/g)])
  const names = parameters.map(([, name]) => name!)

  test('names every parameter of which there is something to say', () => {
    const source = readFileSync(join(root, 'src/compatible/unsupported.ts'), 'utf8')
    const known = [...source.matchAll(/^ {2}\['(\w+)', /gm)].map(([, name]) => name)
    expect(known.length).toBeGreaterThan(20)
    expect(names.toSorted()).toEqual(known.toSorted())
  })

  test('each of them is refused by name, and all in one answer', async () => {
    const { hostname: host, port } = new URL(demo.base_url)
    const stripe = new Stripe(demo.secret_key, { host, port: Number(port), protocol: 'http' })
    const tea = { amount: 1999, currency: 'gbp' }
    // A payment takes a currency; only a refund does not.
    for (const name of names.filter((each) => each !== 'currency')) {
      const body = { ...tea, [name]: 'x' } as typeof tea
      const error = await stripe.paymentIntents.create(body).catch((thrown) => thrown)
      expect(error).toBeInstanceOf(Stripe.errors.StripeInvalidRequestError)
      expect(error).toMatchObject({ code: 'parameter_unknown', param: name })
      expect(error.message).toContain('delete this line')
    }
    const removed = [...diff.matchAll(/^- {6}(\w+):/gm)].map(([, name]) => name!)
    expect(removed).toHaveLength(3)
    const all = Object.fromEntries(removed.map((name) => [name, 'x']))
    const error = await stripe.paymentIntents.create({ ...tea, ...all }).catch((thrown) => thrown)
    for (const name of removed) expect(error.message).toContain(name)
    const manual = stripe.paymentIntents.create({ ...tea, capture_method: 'manual' })
    await expect(manual).rejects.toMatchObject({ param: 'capture_method' })
  })
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
