// The package @ripper/node as a shop has it: packed, installed without a network, and each code block of its README tried.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { generateTestHeader } from '../../sdk/src/index.ts'
import { deadLetter } from '../conformance/webhook-delivery-rows.ts'
import { purchase } from '../support/client.ts'
import { hold } from '../support/holding.ts'
import { type Service, startService } from '../support/service.ts'
import { openWebhookReceiver, type ReceivedEvent } from '../support/webhook-receiver.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const shop = mkdtempSync(`${tmpdir()}/ripper-sdk-`)
const modules = join(shop, 'node_modules')
const readme = readFileSync(join(root, 'sdk/README.md'), 'utf8')
const blocks = Object.fromEntries(
  [...readme.matchAll(/(?:<!-- ([\w-]+) -->\n)?```(\w+)\n([\s\S]*?)```/g)].map(([, name, language, code]) => [
    name!,
    { language: language!, code: code! },
  ]),
)

const archive_max_bytes = 26_500
let packed: { filename: string; size: number; unpackedSize: number; files: { path: string }[] }
let service: Service

beforeAll(async () => {
  writeFileSync(join(shop, 'package.json'), '{"name":"shop","type":"module"}')
  done(run(process.execPath, [join(root, 'scripts/pack-sdk.mjs'), join(shop, 'package')]))
  packed = JSON.parse(done(run('npm', ['pack', './package', '--json', '--dry-run'])))[0]
  done(run('bash', ['-eu', '-c', blocks.install!.code]))
  mkdirSync(modules, { recursive: true })
  for (const name of ['@types', 'express']) {
    symlinkSync(join(root, 'node_modules', name), join(modules, name))
  }
  service = await startService({ deliver: {} })
}, 60_000)

afterAll(async () => {
  await service.close()
  rmSync(shop, { recursive: true })
})

const environment = {
  ...process.env,
  npm_config_offline: 'true',
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  npm_config_update_notifier: 'false',
  npm_config_cache: join(shop, 'cache'),
}

function run(program: string, args: string[]) {
  return spawnSync(program, args, { cwd: shop, encoding: 'utf8', env: environment })
}

function done({ status, stdout, stderr }: ReturnType<typeof run>): string {
  expect(status, stderr).toBe(0)
  return stdout
}

/** Starts a JavaScript file of the shop, in a process of its own: the service runs in this one. */
function start(name: string, code: string, args: string[] = [], env = {}): ChildProcess {
  writeFileSync(join(shop, `${name}.js`), code)
  const { base_url, account } = service
  return spawn(process.execPath, [`${name}.js`, ...args], {
    cwd: shop,
    env: { ...process.env, RIPPER_BASE_URL: base_url, RIPPER_SECRET_KEY: account.secret_key, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** What a block of the README prints. */
async function printed(name: string, args: string[] = []): Promise<string> {
  const child = start(name, blocks[name]!.code, args)
  let [out, errors] = ['', '']
  child.stdout!.on('data', (part) => {
    out += part
  })
  child.stderr!.on('data', (part) => {
    errors += part
  })
  const [status] = await once(child, 'close')
  expect(status, errors).toBe(0)
  return out
}

/** What the compiler says of these files, in a strict project with Node's types. */
function check(codes: Record<string, string>): string {
  const files = Object.keys(codes).map((name) => `${name}.ts`)
  for (const [name, code] of Object.entries(codes)) writeFileSync(join(shop, `${name}.ts`), code)
  const flags = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--module', 'nodenext']
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const target = ['--target', 'es2023', '--types', 'node']
  return run(process.execPath, [tsc, ...flags, ...target, ...files]).stdout
}

describe('the package', () => {
  test('has what it needs and nothing more, and is small', () => {
    const files = packed.files.map(({ path }) => path).sort()
    const names = readdirSync(join(root, 'sdk/src'))
      .filter((name) => !name.endsWith('.test.ts'))
      .map((name) => name.replace(/\.ts$/, ''))
    const expected = names.flatMap((name) => [`lib/${name}.d.ts`, `lib/${name}.js`])
    expect(files).toEqual(['README.md', 'package.json', ...expected].sort())
    expect(packed.filename).toBe('ripper-node-0.1.0.tgz')
    expect(packed.size).toBeLessThan(archive_max_bytes)
  })

  test('goes with the shop, copied whole or installed anew', () => {
    expect(lstatSync(join(modules, '@ripper/node')).isDirectory()).toBe(true)
    const copy = mkdtempSync(`${tmpdir()}/ripper-sdk-copy-`)
    try {
      for (const name of ['package.json', 'package-lock.json', packed.filename]) {
        cpSync(join(shop, name), join(copy, name))
      }
      const installing = { cwd: copy, encoding: 'utf8', env: environment } as const
      done(spawnSync('npm', ['ci'], installing))
      const use = `import { Ripper } from '@ripper/node'; console.log(typeof Ripper)`
      const used = spawnSync(process.execPath, ['--input-type=module', '-e', use], installing)
      expect(done(used)).toBe('function\n')
    } finally {
      rmSync(copy, { recursive: true })
    }
  })

  test('has no dependencies, and imports nothing but Node’s own', () => {
    const manifest = JSON.parse(readFileSync(join(modules, '@ripper/node/package.json'), 'utf8'))
    expect(Object.keys(manifest).filter((name) => /dependencies/i.test(name))).toEqual([])
    const lib = join(modules, '@ripper/node/lib')
    const code = readdirSync(lib).map((name) => readFileSync(join(lib, name), 'utf8'))
    const imported = code.flatMap((text) => [...text.matchAll(/from '([^']+)'/g)])
    const names = new Set(imported.map(([, name]) => name!))
    expect([...names].filter((name) => !/^(node:\w|\.\/[\w-]+\.js$)/.test(name))).toEqual([])
  })
})

describe('its types', () => {
  const use = `import { Ripper, verifyWebhook, type CheckoutSession, type ErrorCode } from '@ripper/node'
const ripper = new Ripper(process.env.KEY, { base_url: process.env.ADDRESS, timeout_ms: 5000 })
const session: CheckoutSession = await ripper.checkout.sessions.retrieve('cs_1')
const total: number = session.items?.[0]?.quantity ?? 0
const event = verifyWebhook(new Uint8Array(1), new Headers(), ['a', undefined], { now: new Date() })
if (event.type === 'payment.held') console.log(event.data.hold.deadline, event.sequence satisfies 1)
for await (const row of ripper.webhooks.deliveries.list()) console.log(row.attempt_number + total)
const code: ErrorCode = 'hold_already_decided'
console.log((await ripper.webhooks.deliveries.list()).next_cursor, code)
`
  const wrong = [
    "await ripper.checkout.sessions.create({ amount: '42', currency: 'GBP' })",
    'await ripper.checkout.sessions.create({ amount: 42 })',
    "await ripper.checkout.sessions.create({ amount: 42, currency: 'GBP', colour: 'red' })",
    "await ripper.webhooks.endpoints.create({ url: 'x', event_filter: ['payment.succeeded'] })",
    "await ripper.payments.retrieve('pay_1', { idempotency_key: 'x' })",
    "session.status === 'paid'",
    "if (event.type === 'payment.declined') console.log(event.data.hold.reason)",
    "new Ripper('rip_sk_1')",
    "verifyWebhook({ id: 'evt_1' }, {}, 'x')",
  ]

  const compiled = ['create', 'test-header', 'errors', 'lists']

  test('take what is right and the README’s blocks, and notice each of what is wrong', () => {
    const expected = wrong.map((line) => `// @ts-expect-error\n${line}\n`).join('')
    const codes = compiled.map((name) => [`block-${name}`, blocks[name]!.code])
    expect(check({ right: use, wrong: use + expected, ...Object.fromEntries(codes) })).toBe('')
  })

  test('need none of Node’s own', () => {
    // Where nothing else is installed, as in a shop that has not heard of @types/node.
    const alone = join(shop, 'alone')
    cpSync(join(modules, '@ripper/node'), join(alone, 'node_modules/@ripper/node'), {
      recursive: true,
      dereference: true,
    })
    const code = use.replace(/process\.env\.\w+/g, "'x'")
    writeFileSync(join(alone, 'package.json'), '{"type":"module"}')
    writeFileSync(join(alone, 'shop.ts'), code)
    const options = { strict: true, noEmit: true, module: 'nodenext', target: 'es2023', types: [] }
    writeFileSync(join(alone, 'tsconfig.json'), JSON.stringify({ compilerOptions: options }))
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    expect(run(process.execPath, [tsc, '-p', alone]).stdout).toBe('')
  })
})

describe('the README', () => {
  test('has no block that is not tried here', () => {
    const tried = ['install', 'create', 'express', 'test-header', 'errors', 'lists']
    expect(Object.keys(blocks)).toEqual(tried)
  })

  test('creates a session, once for the order', async () => {
    const first = await printed('create')
    expect(first).toMatch(/^(cs_[0-9a-f]{24}) \1_secret_[0-9a-f]{64}\n$/)
    expect(await printed('create')).toBe(first)
  })

  test('signs for tests', async () => {
    expect(await printed('test-header')).toBe('payment.declined\n')
  })

  test('captures a held payment, and gets an error if another call was faster', async () => {
    const { payment_id } = await hold(service.account)
    expect(await printed('errors', [payment_id])).toBe('captured settled\n')
    expect(await printed('errors', [payment_id])).toMatch(/^somebody was faster 409 req_[0-9a-f]{24}\n$/)
  })

  test('lists payments, and replays what was given up on', async () => {
    const customer = { email: 'jo@example.com' }
    for (let count = 0; count < 3; count++) {
      await deadLetter(service)
      await service.client.pay(undefined, { ...purchase, customer })
    }
    const held = await hold(service.account)
    const [printedPage, ...rest] = (await printed('lists')).trimEnd().split('\n')
    expect(printedPage).toBe('2 true')
    expect(rest).toContain(`${held.payment_id} 4200 4242`)
    const [row] = await service.sql<[{ replayed: number }]>`
      select count(distinct replay_of)::int as replayed from webhook_attempts
      where replay_of is not null`
    expect(row.replayed).toBe(3)
  })

  test('receives a webhook with Express, and refuses a forged one', async () => {
    const { client } = await service.newAccount()
    const receiver = await openWebhookReceiver()
    const { signing_secret } = (await client.createEndpoint({ url: receiver.url })).body
    // Any free port: what the block listens on may be taken.
    const listening = 'app.listen(0, function () { console.log(this.address().port) })'
    expect(blocks.express!.code).toContain('app.listen(3000)')
    const session = await client.open({ ...purchase, order_reference: 'order-1002' })
    const { amount, currency } = purchase
    const order = { total: amount, currency, session_ids: [session.id] }
    const table = `new Map(Object.entries(${JSON.stringify({ 'order-1002': order })}))`
    expect(blocks.express!.code).toContain('new Map()')
    const code = blocks.express!.code.replace('app.listen(3000)', listening).replace('new Map()', table)
    const child = start('express', code, [], { RIPPER_WEBHOOK_SECRET: signing_secret })
    const [out, errors] = [linesOf(child.stdout!), linesOf(child.stderr!)]
    const address = `http://127.0.0.1:${(await out.next()).value}/hooks`
    const post = (body: string, headers: Record<string, string>) => {
      const kept = ['rip-signature', 'content-type'].map((name) => [name, headers[name]!])
      return fetch(address, { method: 'POST', headers: Object.fromEntries(kept), body })
    }
    receiver.treat(({ body, headers }, response) => {
      post(body, headers).then(({ status }) => response.writeHead(status).end())
      return undefined
    })
    await client.present(session)
    await client.confirm(session)
    expect((await out.next()).value).toBe('ship order-1002')
    const [{ body, headers, event }] = (await receiver.has(1)) as [ReceivedEvent]
    expect((await post(body, headers)).status).toBe(200)
    expect((await out.next()).value).toBe('ship order-1002')
    for (const other of [{ amount: amount + 1 }, { currency: 'EUR' }, { checkout_session_id: 'cs_1' }]) {
      const changed = JSON.stringify({ ...event, data: { ...event.data, ...other } })
      const signature = generateTestHeader({ body: changed, secret: signing_secret })
      expect((await post(changed, { ...headers, 'rip-signature': signature })).status).toBe(200)
      expect((await errors.next()).value).toBe(`look at ${event.data.payment_id}`)
    }
    expect((await post(body.replace('4200', '1'), headers)).status).toBe(400)
    expect((await errors.next()).value).toMatch(/^signature_mismatch /)
    child.kill()
    await receiver.close()
  })
})

function linesOf(stream: Readable): AsyncIterator<string> {
  return createInterface({ input: stream })[Symbol.asyncIterator]()
}
