// The command line, as a user types it, on the database of a running service.

import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openKeyring } from '../../src/kernel/keyring.ts'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'
import { answer as answerOf, ripper, ripperProgram, serve } from '../support/programs.ts'
import { until } from '../support/service.ts'

const folder = mkdtempSync(join(tmpdir(), 'ripper-cli-'))
let database: FreshDatabase
let env: Record<string, string>
let merchant_id: string

beforeAll(async () => {
  database = await freshDatabase()
  env = {
    RIPPER_DATABASE_URL: database.url,
    RIPPER_MASTER_KEY: randomBytes(32).toString('base64'),
    RIPPER_DATA_DIR: folder,
    RIPPER_PORT: '0',
  }
  merchant_id = (await answer('merchant', 'create', '--name', 'Tea')).merchant_id
}, 60_000)

afterAll(async () => {
  await database.drop()
  rmSync(folder, { recursive: true, force: true })
})

const words = (typed: string) => typed.split(' ')
/** The JSON document of a command that succeeds. */
const answer = (...args: string[]) => answerOf(args, { env })

describe('accounts', () => {
  test('a merchant, an integration and a key make a session possible, and a revoked key is refused at once', async () => {
    expect(await answer('merchant', 'update', merchant_id, '--name', 'Tea and Pots')).toEqual({
      merchant_id,
      name: 'Tea and Pots',
      status: 'active',
      live: false,
      live_enabled: false,
    })
    const integration = await answer(
      ...words('integration create --name web --default --origin https://shop.example'),
      ...['--merchant', merchant_id],
    )
    expect(integration).toEqual({
      integration_id: expect.stringMatching(/^int_[0-9a-f]{24}$/),
      name: 'web',
      handle: null,
      publishable_key: expect.stringMatching(/^rip_pk_[0-9a-f]{48}$/),
    })
    const key = await answer('key', 'create', '--merchant', merchant_id, '--permission', 'create_payments')
    expect(key).toEqual({
      key_id: expect.stringMatching(/^key_[0-9a-f]{24}$/),
      secret_key: expect.stringMatching(/^rip_sk_[0-9a-f]{48}$/),
      publishable_key: integration.publishable_key,
      permissions: ['create_payments'],
      mode: 'any',
    })
    const service = await serve({ env })
    const create = () =>
      fetch(`${service.said.base_url}/v1/checkout/sessions`, {
        method: 'POST',
        headers: {
          'x-service-api-key': key.secret_key,
          'rip-idempotency-key': randomBytes(8).toString('hex'),
        },
        body: JSON.stringify({ amount: 100, currency: 'GBP' }),
      })
    expect((await create()).status).toBe(201)
    await answer('key', 'revoke', key.key_id)
    // The service hears of it a moment later.
    const refused = await until(create, ({ status }) => status !== 201)
    expect(refused.status).toBe(401)
    expect(await refused.json()).toMatchObject({ error: 'key_revoked' })
    const config = () => fetch(`${service.said.base_url}/v1/checkout/config/${key.publishable_key}`)
    expect((await config()).status).toBe(200)
    expect(await answer('key', 'revoke', key.publishable_key)).toEqual({
      publishable_key: key.publishable_key,
      revoked_at: expect.stringMatching(/^\d{4}-.*\+00:00$/),
    })
    expect((await until(config, ({ status }) => status !== 200)).status).toBe(404)
    expect((await service.stop()).status).toBe(0)
  }, 60_000)

  test('a price list, looks and hold rules are taken', async () => {
    const looks = join(folder, 'looks.json')
    writeFileSync(looks, JSON.stringify({ theme: 'dark', variables: { colorPrimary: '#8ab0ff' } }))
    const path = join(folder, 'prices.json')
    writeFileSync(path, JSON.stringify([{ sku: 'tea', name: 'Tea', unit_amount: 850, currency: 'gbp' }]))
    const made = await answer(
      ...words('integration create --name page --hosted-page --handle tea-page --terms-url https://shop.example/terms'),
      ...words('--review-window-seconds 60 --at-deadline capture --escalate-after-seconds 59 --capture-below 500'),
      ...['--merchant', merchant_id, '--price-list', path, '--appearance', looks],
    )
    expect(made).toMatchObject({ name: 'page', handle: 'tea-page' })
    const { sql, close } = await database.open()
    const [kept] = await sql`
      select review_window_seconds, at_deadline, escalate_after_seconds, capture_below from integrations
      where integration_id = ${made.integration_id}`
    await close()
    expect(kept).toEqual({
      review_window_seconds: 60,
      at_deadline: 'capture',
      escalate_after_seconds: 59,
      capture_below: 500,
    })
  })
})

describe('refusals', () => {
  const key = words('key create --merchant m')
  const integration = words('integration create --merchant m --name n')

  test.each([
    ['no command', [], 2, 'Usage: ripper'],
    ['an unknown command', ['pay'], 2, 'there is no command pay'],
    ['an unknown option', ['migrate', '--fast'], 2, '--fast'],
    ['half a command', ['merchant'], 2, 'merchant needs one of these'],
    ['a key that is dead already', [...key, '--expires-at', '2020-01-01'], 2, '--expires-at lies in the past'],
    ['a wrong network', [...key, '--allow-address', '10.0.0.0/33'], 2, '--allow-address must be'],
    ['an origin with a path', [...integration, '--origin', 'https://a.example/x'], 2, '--origin must be'],
    ['an origin with a star', [...integration, '--origin', 'https://*.a.example'], 2, '--origin must be'],
    [
      'an address after paying without TLS',
      [...integration, ...words('--origin https://a.example --confirmation-url http://a.example/thanks')],
      2,
      '--confirmation-url must be an absolute https URL',
    ],
    [
      'one on this machine is no fault: only the merchant is',
      [...integration, ...words('--origin http://localhost:3000 --confirmation-url http://localhost:3000/x')],
      1,
      'There is no merchant',
    ],
    ['a handle that is a page of the service', [...integration, '--handle', 'docs'], 2, '--handle must not be one of'],
    ['a hosted page without a handle', [...integration, '--hosted-page'], 2, '--hosted-page needs --handle'],
    ['an unknown key', ['key', 'revoke', 'key_000000000000000000000000'], 1, 'There is no key'],
    ['an unknown publishable key', ['key', 'revoke', 'rip_pk_0'], 1, 'There is no key rip_pk_0'],
    ['a secret key instead of its id', ['key', 'revoke', 'rip_sk_0'], 2, 'takes the key_id'],
    [
      'an amount that no session could have',
      [...integration, '--amount', '100000000000'],
      2,
      '--amount must be a whole number from 1 to 99999999999',
    ],
    [
      'a review window that no authorisation survives',
      [...integration, '--review-window-seconds', '2592001'],
      2,
      '--review-window-seconds must be a whole number from 1 to 2592000',
    ],
    [
      'an escalation beyond every review window',
      [...integration, '--escalate-after-seconds', '2592001'],
      2,
      '--escalate-after-seconds must be a whole number from 1 to 2592000',
    ],
    [
      'an escalation at the end of the usual review window',
      [...integration, '--escalate-after-seconds', '432000'],
      2,
      '--escalate-after-seconds must be below --review-window-seconds, which is 432000',
    ],
    [
      'an escalation after the review window',
      [...integration, '--escalate-after-seconds', '61', '--review-window-seconds', '60'],
      2,
      '--escalate-after-seconds must be below --review-window-seconds, which is 60',
    ],
    [
      'a limit that no amount reaches',
      [...integration, '--capture-below', '100000000000'],
      2,
      '--capture-below must be a whole number from 1 to 99999999999',
    ],
    [
      'a limit below zero',
      [...integration, '--capture-below', '-1'],
      2,
      '--capture-below must be a whole number from 1 to 99999999999',
    ],
    ['a limit that is left out', [...integration, '--capture-below', '--default'], 2, "Option '--capture-below"],
    ['a blank name', [...integration, '--name', ' '], 2, '--name must have 1 to 100 characters'],
  ] as [string, string[], number, string][])('%s', async (_name, args, status, said) => {
    const ended = await ripper(args, { env })
    expect(ended.status).toBe(status)
    expect(ended.stdout + ended.stderr).toContain(said)
  })

  const price = { sku: 'tea', name: 'Tea', unit_amount: 850, currency: 'GBP' }
  test.each<[string, unknown, string]>([
    ['no list', { tea: 850 }, '--price-list: the file: '],
    ['a line without a name', [price, { ...price, name: undefined }], '--price-list: [1].name: '],
    ['pounds', [{ ...price, unit_amount: 8.5 }], '--price-list: [0].unit_amount: '],
    ['no currency', [{ ...price, currency: 'XAU' }], '[0].currency: must be an active ISO 4217'],
    ['a picture by http', [{ ...price, image_url: 'http://a.example/' }], '[0].image_url: '],
    ['a field too much', [{ ...price, price: 1 }], 'price'],
    ['a sku twice', [price, { ...price, unit_amount: 1 }], '[1].sku: is on the list in GBP already'],
  ])('a price list with %s', async (_, content, words) => {
    const path = join(folder, 'wrong.json')
    writeFileSync(path, JSON.stringify(content))
    const args = ['integration', 'create', '--merchant', merchant_id, '--name', 'priced']
    const { status, stderr } = await ripper([...args, '--price-list', path], { env })
    expect([status, stderr]).toEqual([2, expect.stringContaining(words)])
  })

  test.each([
    ['--terms-url', 'http://shop.example/terms', '--terms-url must be an https URL'],
    ['--support-url', 'mailto:help@shop.example', '--support-url must be an absolute https URL'],
    ['--back-url', '/back', '--back-url must be an absolute https URL'],
  ])('a link that none can follow: %s %s', async (option, url, words) => {
    const args = ['integration', 'create', '--merchant', merchant_id, '--name', 'linked']
    const { status, stderr } = await ripper([...args, option, url], { env })
    expect([status, stderr]).toEqual([2, expect.stringContaining(words)])
  })

  test('looks that are none', async () => {
    const path = join(folder, 'wrong.json')
    writeFileSync(path, JSON.stringify({ theme: 'dusk' }))
    const args = ['integration', 'create', '--merchant', merchant_id, '--name', 'looked']
    const { status, stderr } = await ripper([...args, '--appearance', path], { env })
    expect([status, stderr]).toEqual([2, expect.stringContaining('--appearance: theme: ')])
  })

  test('a name that is taken, by --json', async () => {
    const args = ['integration', 'create', '--merchant', merchant_id, '--name', 'twice']
    await answer(...args)
    const { status, stdout } = await ripper([...args, '--json'], { env })
    expect(status).toBe(1)
    expect(JSON.parse(stdout)).toEqual({
      error: 'failed',
      message: 'The merchant has an integration named twice already.',
    })
  })
})

describe('configuration', () => {
  test.each([
    ['RIPPER_PORT', '80808', 'RIPPER_PORT must be a whole number from 0 to 65535.'],
    ['RIPPER_METRICS_PORT', 'x', 'RIPPER_METRICS_PORT must be a whole number from 0 to 65535.'],
    ['RIPPER_MASTER_KEY', 'short', 'RIPPER_MASTER_KEY must be 32 bytes in base64'],
    ['RIPPER_DATABASE_URL', 'mysql://x', 'RIPPER_DATABASE_URL must be an address such as postgresql://'],
    ['RIPPER_TRUSTED_PROXIES', 'proxy', 'RIPPER_TRUSTED_PROXIES must be IP addresses'],
    ['RIPPER_UNPAID_SESSIONS_DAYS', '0', 'RIPPER_UNPAID_SESSIONS_DAYS must be a whole number from 1 to 3650'],
    ['RIPPER_DRAIN_SECONDS', '61', 'RIPPER_DRAIN_SECONDS must be a whole number from 0 to 60'],
    ['RIPPER_DRAIN_SECONDS', '1.5', 'RIPPER_DRAIN_SECONDS must be a whole number from 0 to 60'],
    ['RIPPER_LOG_LEVEL', 'loud', 'RIPPER_LOG_LEVEL must be one of'],
    ['RIPPER_THREE_DS_FILE', '/nowhere', 'RIPPER_THREE_DS_FILE must be a readable JSON file'],
  ])('a wrong %s stops the start and is named', async (name, value, message) => {
    const { status, stderr } = await ripper(['serve'], { env: { ...env, [name]: value } })
    expect(status).toBe(1)
    expect(stderr).toContain(message)
  })

  test('an address of another machine ends a process that has its database open', async () => {
    const where = { env: { ...env, RIPPER_HOST: '203.0.113.77' } }
    const { status, stderr } = await ripperProgram(['serve'], where)
    expect(status).toBe(1)
    expect(stderr).toContain('RIPPER_HOST must be an address of this machine')
  })

  test('a port of the metrics that is taken stops the start and is named', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const taken = { ...env, RIPPER_METRICS_PORT: String(port) }
    const { status, stderr } = await ripperProgram(['serve'], { env: taken })
    other.close()
    expect(status).toBe(1)
    expect(stderr).toContain(`RIPPER_METRICS_PORT must be a free port: ${port} is in use.`)
  })

  test('ripper config lists every setting and shows no secret', async () => {
    const settings: { name: string; value: string | null }[] = await answer('config')
    const master = settings.find(({ name }) => name === 'RIPPER_MASTER_KEY')
    expect(master?.value).toBe('(set)')
    expect(settings.length).toBeGreaterThan(10)
    const { stdout } = await ripper(['config'], { env })
    const keys = env.RIPPER_MASTER_KEY!.split(',')
    const { key_ids } = openKeyring(
      keys.map((each) => Buffer.from(each, 'base64')),
      { bytes: randomBytes },
    )
    expect(master).toMatchObject({ key_ids })
    expect(stdout).toContain(`set to: (set)\n  key ids: ${key_ids.join(', ')}\n`)
    for (const each of keys) expect(stdout).not.toContain(each)
  })

  test('a shifted clock and a live merchant exclude each other', async () => {
    const shifted = { ...env, RIPPER_CLOCK_OFFSET_SECONDS: '3600' }
    const refused = await ripper(['merchant', 'create', '--name', 'Live', '--live'], {
      env: shifted,
    })
    expect(refused.status).toBe(1)
    expect(refused.stderr).toContain('RIPPER_CLOCK_OFFSET_SECONDS')
    const service = await serve({ env: shifted })
    const elsewhere = await ripper(['merchant', 'create', '--name', 'Live', '--live'], { env })
    await service.stop()
    expect(elsewhere.status).toBe(1)
    await (await serve({ env })).stop()
    await answer('merchant', 'create', '--name', 'Live', '--live')
    const start = await ripperProgram(['serve'], { env: shifted })
    expect(start.status).toBe(1)
    expect(start.stderr).toContain('RIPPER_CLOCK_OFFSET_SECONDS must be 0 or unset')
  })

  test('test cards, as a table and as JSON', async () => {
    expect((await ripper(['test-cards'], { env })).stdout).toContain('4000009100020000')
    const told = await answer('test-cards')
    expect(told.scenarios.length).toBeGreaterThan(40)
    expect(told.refunds.map((each: { amount_ends_in: string }) => each.amount_ends_in)).toEqual(['13', '17'])
  })
})
