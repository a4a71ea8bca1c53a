// `ripper trigger EVENT`, as a user types it, against a service that runs.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { eventTypes } from '../../src/kernel/values.ts'
import { findPublishableKey, newestPublishableKey } from '../../src/merchants/key-store.ts'
import { createIntegration, withdrawKey } from '../../src/merchants/manage.ts'
import type { Json } from '../support/client.ts'
import { useOperated } from '../support/operated.ts'
import { answer as answerOf, ripper } from '../support/programs.ts'
import { type Account, newKey, until } from '../support/service.ts'
import { openWebhookReceiver } from '../support/webhook-receiver.ts'

const { service, env } = await useOperated({ deliver: {} })
const profile = { acquirer: 'bank', descriptor_name: 'TEA', mcc: '5812', country: 'GB' }

const answer = (...args: string[]) => answerOf(['trigger', ...args], { env })
const run = (...args: string[]) => ripper(['trigger', ...args], { env })

async function keysOf({ merchant_id }: Account) {
  return service.sql<{ mode: string; revoked: boolean; publishable_revoked: boolean }[]>`
    select k.mode, k.revoked_at is not null as revoked, p.revoked_at is not null as publishable_revoked
    from api_keys k join publishable_keys p using (publishable_key)
    where k.merchant_id = ${merchant_id} order by k.created_at`
}

describe('every event', () => {
  const endings: Record<string, Json> = {
    'payment.captured': { status: 'captured', decline: null, sequence: 1 },
    'payment.held': { status: 'held', decline: null, sequence: 1 },
    'payment.voided': { status: 'voided', decline: null, sequence: 2 },
    'payment.declined': {
      status: 'declined',
      sequence: 1,
      decline: { code: 'card_declined', category: 'soft', reason: expect.any(String) },
    },
    'payment.failed': {
      status: 'failed',
      sequence: 1,
      decline: { code: 'processing_error', category: 'provider_error', reason: expect.any(String) },
    },
  }

  test.each(eventTypes)('%s', async (event_type) => {
    const account = await service.newAccount()
    const { merchant_id, client } = account
    const of = ['--merchant', merchant_id]
    const bought = ['--amount', '850', '--currency', 'eur', '--order-reference', 'A-1']
    const words = ['--metadata', 'basket=tea=2', '--metadata', '__proto__=x']
    const { status, decline, sequence } = endings[event_type]
    const made = await answer(event_type, ...of, ...bought, ...words)
    expect(made).toEqual({
      event_type,
      merchant_id,
      mode: 'test',
      amount: 850,
      currency: 'EUR',
      decline,
      event_id: expect.stringMatching(/^evt_[0-9a-f]{24}$/),
      payment_id: expect.stringMatching(/^pay_[0-9a-f]{24}$/),
      session_id: expect.stringMatching(/^cs_/),
      deliveries: [],
    })
    const [event] = await service.sql<{ type: string; sequence: number; body: string }[]>`
      select type, sequence, body from events where event_id = ${made.event_id}`
    const { data } = JSON.parse(event!.body)
    expect(event).toMatchObject({ type: event_type, sequence })
    expect(data).toMatchObject({ payment_id: made.payment_id, order_reference: 'A-1', status })
    expect(Object.entries(data.metadata)).toEqual([
      ['basket', 'tea=2'],
      ['__proto__', 'x'],
    ])
    expect((await client.readPayment(made.payment_id)).body).toMatchObject({ status })
    expect(await keysOf(account)).toEqual([
      { mode: 'any', revoked: false, publishable_revoked: false },
      { mode: 'test_only', revoked: true, publishable_revoked: true },
    ])
  })

  test('by its last word, in lines for people', async () => {
    const { merchant_id } = await service.newAccount()
    const { status, stdout } = await run('voided', '--merchant', merchant_id)
    expect(status).toBe(0)
    expect(stdout).toContain('Paid GBP 42.00 from a page, and voided the held payment.')
    expect(stdout).toMatch(/\nevent_type +payment\.voided\n/)
    expect(stdout).toContain('ripper listen --forward-to URL')
  })
})

describe('which account it uses', () => {
  test("the demo merchant's keys are used where no merchant is named, and none is made", async () => {
    const account = await service.newAccount()
    const { merchant_id, secret_key, publishable_key } = account
    const own = mkdtempSync(join(tmpdir(), 'ripper-cli-trigger-'))
    const demo = { merchant_id, secret_key, publishable_key, base_url: service.base_url }
    writeFileSync(join(own, 'demo.json'), JSON.stringify(demo))
    const where = { env: { ...env, RIPPER_DATA_DIR: own } }
    expect(await answerOf(['trigger', 'held'], where)).toMatchObject({ merchant_id })
    expect(await keysOf(account)).toHaveLength(1)
    rmSync(own, { recursive: true })
  })

  test('a key alone is enough, without a database', async () => {
    const { secret_key, publishable_key, client } = await service.newAccount()
    const away = { ...env, RIPPER_DATABASE_URL: 'postgresql://127.0.0.1:1/none' }
    const byKey = (...args: string[]) => answerOf(['trigger', ...args], { env: away })
    const made = await byKey('captured', '--key', secret_key)
    expect(made).toMatchObject({ event_id: null, merchant_id: null, amount: 4200 })
    expect((await client.readPayment(made.payment_id)).body).toMatchObject({ status: 'captured' })
    const page = ['--publishable-key', publishable_key!, '--origin', 'https://shop.example']
    expect(await byKey('voided', '--key', secret_key, ...page)).toMatchObject({
      event_type: 'payment.voided',
    })
    const keyed = { env: { ...away, RIPPER_SECRET_KEY: secret_key } }
    expect(await answerOf(['trigger', 'failed'], keyed)).toMatchObject({ merchant_id: null })
  })

  test('a live merchant is paid in test mode', async () => {
    const { merchant_id, client } = await service.newAccount({
      merchant: { live: true, live_enabled: true, acquiring_profile: profile },
    })
    for (const event of ['captured', 'held']) {
      const made = await answer(event, '--merchant', merchant_id)
      expect((await client.readPayment(made.payment_id)).body.mode).toBe('test')
    }
  })

  test('a test-only key with a publishable key of its own changes none that pages use', async () => {
    const { merchant_id, key_id, publishable_key } = await service.newAccount()
    await withdrawKey(service.operator, key_id)
    const { key } = await newKey(service.operator, merchant_id, { mode: 'test_only', pair: 'own' })
    const now = new Date(key.created_at.getTime() + 1)
    const modeOf = async (which: string | null) => (await findPublishableKey(service.sql, which!, now))?.key_mode
    expect(await newestPublishableKey(service.sql, merchant_id)).toBe(publishable_key)
    expect(await modeOf(publishable_key)).toBe('any')
    expect(await modeOf(key.publishable_key)).toBe('test_only')
  })

  test('endpoints that want the event are named with how their delivery went', async () => {
    const { merchant_id, client } = await service.newAccount()
    const [glad, sad] = [await openWebhookReceiver(), await openWebhookReceiver(() => 500)]
    const event_filter = ['payment.held']
    const made = [
      await client.createEndpoint({ url: glad.url, event_filter }),
      await client.createEndpoint({ url: sad.url }),
    ].map(({ body }) => body.id)
    await client.createEndpoint({ url: glad.url, event_filter: ['payment.captured'] })
    const { deliveries, event_id } = await answer('held', '--merchant', merchant_id)
    expect(deliveries).toEqual(
      [
        ...[{ endpoint_id: made[0], endpoint_url: glad.url, status: 'succeeded', code: 200 }],
        ...[{ endpoint_id: made[1], endpoint_url: sad.url, status: 'failed', code: 500 }],
      ].map(({ code: response_status_code, ...told }) => ({ ...told, response_status_code })),
    )
    expect(glad.received.map(({ event }) => event.id)).toEqual([event_id])
    const { stdout } = await run('held', '--merchant', merchant_id)
    expect(stdout).toMatch(/succeeded, HTTP 200\n.*failed, HTTP 500\n/)
    await glad.close()
    await sad.close()
  })

  test('a Ctrl-C in the middle: the keys made for it are revoked, too', async () => {
    const account = await service.newAccount()
    const silent = createServer(() => {}).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const base_url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
    const args = ['trigger', 'captured', '--merchant', account.merchant_id, '--base-url', base_url]
    const child = spawn(process.execPath, ['bin/ripper.mjs', ...args], {
      env: { ...process.env, ...env },
      stdio: 'ignore',
    })
    await Promise.all([
      once(silent, 'request'),
      until(
        () => keysOf(account),
        (keys) => keys.length === 2,
      ),
    ])
    child.kill('SIGINT')
    expect((await once(child, 'close'))[0]).toBe(130)
    expect((await keysOf(account))[1]).toMatchObject({ revoked: true, publishable_revoked: true })
    silent.closeAllConnections()
    silent.close()
  })
})

describe('refusals', () => {
  type Refused = [name: string, args: string[], status: number, words: string | RegExp]
  test.each<Refused>([
    ['no event', [], 2, 'needs EVENT'],
    ['an event that is none', ['payment.succeeded'], 2, 'EVENT must be one of payment.captured'],
    ['metadata without a value', ['held', '--metadata', 'a'], 2, '--metadata must be KEY=VALUE'],
    ['an amount of zero', ['captured', '--amount', '0'], 1, /400 invalid_request\. amount .*req_/],
    ...['ten', '1e3', '0x10', '42.00', ' 5'].map(
      (amount): Refused => ['an amount', ['captured', '--amount', amount], 2, /--amount must be a/],
    ),
    [
      'a page that has no part in it',
      ['captured', '--integration', 'default'],
      2,
      '--integration for held and voided only',
    ],
    ['its key', ['declined', '--publishable-key', 'rip_pk_0'], 2, '--publishable-key for held and voided only'],
    [
      'an integration that is none',
      ['held', '--integration', 'nope'],
      1,
      /has no integration nope: .*\nThese can: default\./,
    ],
    ['a currency that is none', ['held', '--currency', 'ABC'], 1, /invalid_request\. currency /],
    ['a card number', ['captured', '--order-reference', '4242424242424242'], 1, 'card_data_rejected'],
  ])('%s', async (_, args, status, words) => {
    const { merchant_id } = await service.newAccount()
    const ended = await run(...args, ...(args.length > 0 ? ['--merchant', merchant_id] : []))
    expect(ended.status).toBe(status)
    expect(ended.stderr).toMatch(words)
  })

  test('a refusal of the service as JSON: its code and request id; the keys made for it are revoked', async () => {
    const account = await service.newAccount()
    const args = ['captured', '--amount', '-1', '--merchant', account.merchant_id, '--json']
    const { status, stdout } = await run(...args)
    expect(status).toBe(1)
    expect(JSON.parse(stdout)).toEqual({
      error: 'invalid_request',
      message: expect.stringContaining('amount'),
      request_id: expect.stringMatching(/^req_[0-9a-f]{24}$/),
    })
    expect((await keysOf(account))[1]).toMatchObject({ revoked: true, publishable_revoked: true })
  })

  test('no integration that leaves an amount open; another one that does is found', async () => {
    const { merchant_id } = await service.newAccount({
      integration: { default_amount: 4200, default_currency: 'GBP' },
    })
    const refused = await run('held', '--merchant', merchant_id)
    expect(refused.status).toBe(1)
    expect(refused.stderr).toContain(`ripper integration create --merchant ${merchant_id}`)
    await createIntegration(service.operator, merchant_id, {
      name: 'strict',
      allowed_origins: ['https://a.example'],
      require_verified_amount: true,
    })
    await createIntegration(service.operator, merchant_id, { name: 'open', allowed_origins: ['https://b.example'] })
    expect((await answer('held', '--merchant', merchant_id)).payment_id).toMatch(/^pay_/)
    const named = await run('held', '--merchant', merchant_id, '--integration', 'strict')
    expect(named.stderr).toMatch(/The integration strict cannot hold a payment: .*\nThese can: open\./)
  })

  test('a key whose session would be a live one: no card is shown to it', async () => {
    const { secret_key } = await service.newAccount({
      merchant: { live: true, live_enabled: true, acquiring_profile: profile },
    })
    const { status, stderr } = await run('captured', '--key', secret_key)
    expect(status).toBe(1)
    expect(stderr).toContain('is a live one, so no payment was made')
  })

  test('a payment that ends elsewhere', async () => {
    const { secret_key, publishable_key } = await service.newAccount({
      integration: { default_amount: 4200, default_currency: 'GBP' },
    })
    const page = ['--publishable-key', publishable_key!, '--origin', 'https://shop.example']
    const { status, stderr } = await run('held', '--key', secret_key, ...page)
    expect(status).toBe(1)
    expect(stderr).toMatch(/pay_\w+ is captured, so it does not lead to payment\.held/)
  })

  test('a key with a merchant; a page without a publishable key', async () => {
    const { merchant_id, secret_key } = await service.newAccount()
    const both = await run('captured', '--key', secret_key, '--merchant', merchant_id)
    expect(both.status).toBe(2)
    expect(both.stderr).toContain('takes --key or --merchant')
    const pageless = await run('held', '--key', secret_key)
    expect(pageless.status).toBe(2)
    expect(pageless.stderr).toContain('needs --publishable-key')
  })

  test('a service that does not run', async () => {
    const { secret_key } = await service.newAccount()
    const nobody = ['--key', secret_key, '--base-url', 'http://127.0.0.1:1']
    const { status, stderr } = await run('captured', ...nobody)
    expect(status).toBe(1)
    expect(stderr).toContain('Start it with npm start')
  })
})
