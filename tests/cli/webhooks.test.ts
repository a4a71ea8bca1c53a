// `ripper endpoint …`, as a user types it, on the database of a running service that delivers nothing.

import { createHmac, randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { recordClockOffset } from '../../src/database/clock/service-clock.ts'
import { rowValues } from '../../src/database/driver/rows.ts'
import { deliveries_waiting_max } from '../../src/webhooks/deliveries/standing-store.ts'
import { type EndpointKey, openSecret } from '../../src/webhooks/endpoint.ts'
import { insertAttempt } from '../conformance/webhook-delivery-rows.ts'
import { freshDatabase } from '../support/database.ts'
import { answer as answerOf, ripper } from '../support/programs.ts'
import { type Account, loopback, type Service, startService } from '../support/service.ts'
import { openWebhookReceiver } from '../support/webhook-receiver.ts'

const folder = mkdtempSync(join(tmpdir(), 'ripper-cli-webhooks-'))
const master_key = randomBytes(32)
let service: Service
let env: Record<string, string>

beforeAll(async () => {
  service = await startService({ master_key })
  env = environmentOf(service.database.url)
})
afterAll(async () => {
  await service.close()
  rmSync(folder, { recursive: true, force: true })
})

function environmentOf(database_url: string): Record<string, string> {
  return {
    RIPPER_DATABASE_URL: database_url,
    RIPPER_MASTER_KEY: master_key.toString('base64'),
    RIPPER_DATA_DIR: folder,
  }
}

const answer = (...args: string[]) => answerOf(args, { env })
const run = (...args: string[]) => ripper(args, { env })

const url = 'https://shop.example/hooks'
const unknown_id = `whep_${'0'.repeat(24)}`

const createFor = ({ merchant_id }: Account, ...args: string[]) =>
  answer('endpoint', 'create', '--url', url, '--merchant', merchant_id, ...args)

async function secretsOf(of: EndpointKey): Promise<(string | null)[]> {
  type Row = { sealed_secret: Buffer; previous_sealed_secret: Buffer | null }
  const [row] = await service.sql<Row[]>`
    select sealed_secret, previous_sealed_secret from webhook_endpoints where endpoint_id = ${of.endpoint_id}`
  const { sealed_secret, previous_sealed_secret: previous } = row!
  const { keyring } = service.context
  return [openSecret(keyring, of, sealed_secret), previous && openSecret(keyring, of, previous)]
}

describe('test', () => {
  test('posts a signed event and shows the answer; one that is refused exits with 1', async () => {
    const receiver = await openWebhookReceiver()
    const near = { ...env, RIPPER_WEBHOOK_ALLOWED_NETWORKS: loopback.join() }
    const account = await service.newAccount()
    const args = ['--url', receiver.url, '--merchant', account.merchant_id]
    const made = await answerOf(['endpoint', 'create', ...args], { env: near })
    const sent = await answerOf(['endpoint', 'test', made.id], { env: near })
    expect(sent).toMatchObject({ succeeded: true, response_status_code: 200, failure: null })
    const [told] = await receiver.has(1)
    expect(told!.event).toMatchObject({ id: sent.event_id, type: 'endpoint.test' })
    const [, t, v1] = /t=(\d+),v1=(\w+)$/.exec(told!.headers['rip-signature']!)!
    const signed = createHmac('sha256', made.signing_secret).update(`${t}.${told!.body}`)
    expect(v1).toBe(signed.digest('hex'))
    receiver.treat(() => 500)
    expect((await ripper(['endpoint', 'test', made.id], { env: near })).status).toBe(1)
    const far = await ripper(['endpoint', 'test', made.id], { env })
    expect(far.status).toBe(1)
    expect(far.stdout).toMatch(/blocked_address[\s\S]*RIPPER_WEBHOOK_ALLOWED_NETWORKS.*127\.0\.0\.0\/8/)
    await receiver.close()
  })
})

describe('create, list and delete', () => {
  test('an endpoint that the command makes is the one that the API shows', async () => {
    const account = await service.newAccount()
    const { merchant_id, client } = account
    const made = await createFor(account, '--event', 'payment.held,payment.failed')
    const { signing_secret, merchant_id: its, ...view } = made
    expect(made).toEqual({
      id: expect.stringMatching(/^whep_[0-9a-f]{24}$/),
      merchant_id,
      url,
      event_filter: ['payment.held', 'payment.failed'],
      status: 'active',
      created_at: expect.stringMatching(/^\d{4}-.*\+00:00$/),
      signing_secret: expect.stringMatching(/^rip_whsec_[0-9a-f]{64}$/),
    })
    expect(its).toBe(merchant_id)
    expect((await client.listEndpoints()).body).toEqual({ endpoints: [view] })
    expect(await secretsOf({ merchant_id, endpoint_id: made.id })).toEqual([signing_secret, null])

    const told = await run('endpoint', 'create', '--url', url, '--merchant', merchant_id)
    expect(told.status).toBe(0)
    expect(told.stdout).toMatch(/\nevent_filter +all\n/)
    expect(told.stdout).toContain('The signing secret is shown this once.')

    const list = ['endpoint', 'list', '--merchant', merchant_id]
    const { endpoints } = (await client.listEndpoints()).body
    expect(await answer(...list)).toEqual({ merchant_id, endpoints })

    expect(await answer('endpoint', 'delete', made.id)).toEqual({ id: made.id, status: 'disabled' })
    expect((await client.listEndpoints()).body.endpoints).toHaveLength(1)
    const all = (await answer(...list, '--all')).endpoints
    expect(
      all.map((each: { status: string; disabled_at: string | null }) => [each.status, each.disabled_at !== null]),
    ).toEqual([
      ['disabled', true],
      ['active', false],
    ])
    const { stdout } = await run(...list, '--all')
    expect(stdout.split('\n')[1]).toMatch(
      new RegExp(`^${made.id}  disabled  \\S+Z  ${url}  payment.held, payment.failed$`),
    )
    expect((await run(...list)).stdout).not.toContain(made.id)
  }, 60_000)

  test('a merchant without any', async () => {
    const { merchant_id } = await service.newAccount()
    for (const command of ['list', 'health']) {
      const asked = ['endpoint', command, '--merchant', merchant_id]
      expect(await answer(...asked)).toEqual({ merchant_id, endpoints: [] })
      expect((await run(...asked)).stdout).toContain('has no endpoint. ripper endpoint create')
    }
  })

  test('what was queued for a deleted one is given up', async () => {
    const account = await service.newAccount()
    const { id } = await createFor(account)
    await account.client.pay()
    const queued = () => service.sql`select 1 from webhook_queue where endpoint_id = ${id}`
    expect(await queued()).toHaveLength(1)
    await answer('endpoint', 'delete', id)
    expect(await queued()).toHaveLength(0)
  })
})

test('after a rotation the new secret and the one before sign, for 24 hours', async () => {
  const account = await service.newAccount()
  const { id, signing_secret } = await createFor(account)
  const { merchant_id } = account
  const rotated = await answer('endpoint', 'rotate-secret', id)
  expect(rotated).toEqual({
    id,
    signing_secret: expect.stringMatching(/^rip_whsec_[0-9a-f]{64}$/),
    previous_secret_until: expect.any(String),
  })
  expect(await secretsOf({ merchant_id, endpoint_id: id })).toEqual([rotated.signing_secret, signing_secret])
  const left_ms = Date.parse(rotated.previous_secret_until) - Date.now()
  expect(Math.abs(left_ms - 24 * 3600 * 1000)).toBeLessThan(60_000)
  const { stdout } = await run('endpoint', 'rotate-secret', id)
  expect(stdout).toContain('The new secret is shown only this once.')
  const [current, before] = await secretsOf({ merchant_id, endpoint_id: id })
  expect(stdout).toContain(current)
  expect(before).toBe(rotated.signing_secret)
})

describe('health', () => {
  test('shows what waits, what the breaker does and how the last hour went', async () => {
    const account = await service.newAccount()
    const { merchant_id } = account
    const [{ id }, { id: other }] = [await createFor(account), await createFor(account)]
    const now = Date.now()
    const at = (seconds: number) => new Date(now + seconds * 1000)
    const queue = (waits: { class: 0 | 1; due_at: Date; attempt_id?: string }) => service.sql`
      insert into webhook_queue ${rowValues(service.sql, {
        attempt_id: null,
        ...waits,
        merchant_id,
        endpoint_id: id,
        delivery_id: randomBytes(16).toString('hex'),
        attempt_number: 1,
        payment_id: 'pay_1',
        sequence: 1,
        root_id: 'r',
        root_created_at: at(-60),
        created_at: at(-60),
      })}`
    await queue({ class: 0, due_at: at(-60) })
    await queue({ class: 0, due_at: at(-30) })
    await queue({ class: 1, due_at: at(600) })
    await queue({ class: 1, due_at: at(30), attempt_id: 'a' })
    const attempt = (seconds: number, asked: object) =>
      insertAttempt({ ...service, account }, { endpoint_id: id, occurred_at: at(seconds), ...asked })
    for (const duration_ms of [10, 30, 20]) await attempt(-500, { duration_ms })
    const unanswered = { status: 'failed' as const, response_status_code: null }
    await attempt(-400, { ...unanswered, failure: 'tls', duration_ms: 5 })
    await attempt(-300, { ...unanswered, failure: 'timeout', duration_ms: 15_000 })
    await attempt(-4000, { status: 'dead_lettered', response_status_code: 500 })
    await attempt(-350, { status: 'dead_lettered', response_status_code: 302, duration_ms: 7 })
    await attempt(-10, { endpoint_id: other, status: 'pending', attempt_number: 0 })
    await service.sql`insert into webhook_endpoint_health values
      (${merchant_id}, ${id}, 'open', ${at(300)}, 2, '500', ${at(-200)}),
      (${merchant_id}, ${other}, 'open', ${at(-1)}, 0, '503', ${at(-31)})`

    const { endpoints } = await answer('endpoint', 'health', '--merchant', merchant_id)
    expect(endpoints).toHaveLength(2)
    expect(endpoints[0]).toMatchObject({
      id,
      url,
      breaker: { state: 'open', open_until: spelled(at(300)), last_failure: '500' },
      waiting: {
        first_attempts: 2,
        retries: 1,
        under_way: 1,
        oldest_due_at: spelled(at(-60)),
        oldest_due_seconds: expect.any(Number),
      },
      attempts: {
        succeeded: { count: 3, median_duration_ms: 20 },
        failed: { count: 2, median_duration_ms: 5 },
        dead_lettered: { count: 1, median_duration_ms: 7 },
        last_failure: { occurred_at: spelled(at(-300)), failure: 'timeout' },
      },
    })
    expect(endpoints[0].waiting.oldest_due_seconds).toBeGreaterThanOrEqual(60)
    expect(endpoints[1]).toMatchObject({
      breaker: { state: 'half_open', last_failure: '503' },
      waiting: { first_attempts: 0, retries: 0, oldest_due_seconds: null },
      attempts: { succeeded: { count: 0, median_duration_ms: null }, last_failure: null },
    })
    expect((await answer('endpoint', 'health', id)).endpoints).toHaveLength(1)

    const { stdout } = await run('endpoint', 'health', '--merchant', merchant_id)
    for (const words of [
      'breaker                     open until ',
      '2 for a first attempt, 1 for a retry or replay, 1 under way, the oldest due for ',
      '3 succeeded (median 20 ms), 2 failed (median 5 ms), 1 dead-lettered (median 7 ms)',
      'timeout: no whole answer in time',
      'half open since ',
      'last failure                HTTP 503',
    ]) {
      expect(stdout).toContain(words)
    }
  }, 60_000)

  test('counts what waits up to a bound', async () => {
    const account = await service.newAccount()
    const { merchant_id } = account
    const { id } = await createFor(account)
    await service.sql`
      insert into webhook_queue (merchant_id, delivery_id, endpoint_id, class, due_at, attempt_number, payment_id,
        sequence, root_id, root_created_at, created_at)
      select ${merchant_id}, 'd' || i, ${id}, 0, ${new Date()}, 0, 'pay_1', 1, 'r', ${new Date()}, ${new Date()}
      from generate_series(1, ${deliveries_waiting_max + 500}) i`
    const { endpoints } = await answer('endpoint', 'health', id)
    expect(endpoints[0].waiting).toMatchObject({ first_attempts: deliveries_waiting_max, retries: 0 })
    expect((await run('endpoint', 'health', id)).stdout).toContain(`at least ${deliveries_waiting_max} for`)
  })
})

function spelled(at: Date): string {
  return `${at.toISOString().slice(0, -1)}0000+00:00`
}

describe('refused', () => {
  test.each<[string, string[], number, string]>([
    ['no URL', ['create'], 2, 'needs --url'],
    ['no absolute URL', ['create', '--url', 'shop.example'], 2, '--url must be an absolute https'],
    [
      'http to the world',
      ['create', '--url', 'http://shop.example/'],
      2,
      'plain http only in RIPPER_WEBHOOK_ALLOWED_NETWORKS',
    ],
    [
      'a private address',
      ['create', '--url', 'http://127.0.0.1:9/'],
      1,
      '--url must not lead to a private or local address. Events reach a receiver on this machine by ripper listen --forward-to',
    ],
    [
      'a retired event',
      ['create', '--url', url, '--event', 'payment.succeeded'],
      2,
      '--event must be one of payment.captured',
    ],
    ['an unknown merchant', ['create', '--url', url, '--merchant', 'm_0'], 1, 'no merchant m_0'],
    ['no id to delete', ['delete'], 2, 'needs ENDPOINT_ID'],
    ['two ids to delete', ['delete', 'a', 'b'], 2, 'takes no argument such as b'],
    ['an unknown one to delete', ['delete', unknown_id], 1, 'no active webhook endpoint'],
    ['an unknown one to rotate', ['rotate-secret', unknown_id], 1, 'no active webhook endpoint'],
    ['the health of an unknown one', ['health', unknown_id], 1, 'no active webhook endpoint'],
    ['the health of two', ['health', 'a', 'b'], 2, 'takes no argument such as b'],
    ['an option of another', ['list', '--url', url], 2, '--url'],
  ])('%s', async (_, args, status, words) => {
    const ended = await run('endpoint', ...args)
    expect([ended.status, ended.stderr, ended.stdout]).toEqual([...[status, expect.stringContaining(words), '']])
  })

  test('by --json, with the code', async () => {
    const { status, stdout } = await run('endpoint', 'delete', unknown_id, '--json')
    expect([status, JSON.parse(stdout).error]).toEqual([1, 'endpoint_not_found'])
    const local = ['endpoint', 'create', '--url', 'http://127.0.0.1:9/', '--json']
    const refused = await run(...local)
    expect([refused.status, JSON.parse(refused.stdout).error]).toEqual([1, 'invalid_url'])
  })

  test("another merchant's endpoint", async () => {
    const { id } = await createFor(await service.newAccount())
    const { merchant_id } = await service.newAccount()
    const { status, stderr } = await run('endpoint', 'health', id, '--merchant', merchant_id)
    expect([status, stderr]).toEqual([1, expect.stringContaining('no active webhook endpoint')])
  })

  test('more than a merchant may have', async () => {
    const account = await service.newAccount()
    const { merchant_id } = account
    await service.sql`
      insert into webhook_endpoints (merchant_id, endpoint_id, url, event_filter, status, sealed_secret, created_at)
      select ${merchant_id}, 'whep_' || i, ${url}, '{}', 'active', '', ${new Date()} from generate_series(1, 200) i`
    const made = await run('endpoint', 'create', '--url', url, '--merchant', merchant_id)
    expect([made.status, made.stderr]).toEqual([1, expect.stringContaining('at most 200 active webhook endpoints')])
  })
})

test('an address of an allowed network is taken, by plain http too', async () => {
  const { merchant_id } = await service.newAccount()
  const local = 'http://127.0.0.1:4000/hooks'
  const allowed = { ...env, RIPPER_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' }
  const args = ['endpoint', 'create', '--url', local, '--merchant', merchant_id]
  expect((await answerOf(args, { env: allowed })).url).toBe(local)
})

describe('without --merchant', () => {
  test('where there are others, people read that it is the demo merchant', async () => {
    const { merchant_id } = await service.newAccount()
    await service.newAccount()
    const data_dir = mkdtempSync(join(folder, 'data-'))
    writeFileSync(join(data_dir, 'demo.json'), JSON.stringify({ merchant_id }))
    const list = (...args: string[]) =>
      ripper(['endpoint', 'list', ...args], { env: { ...env, RIPPER_DATA_DIR: data_dir } })
    const note = `This is about the demo merchant (${merchant_id}). --merchant ID names another`
    expect((await list()).stderr).toContain(note)
    expect((await list('--merchant', merchant_id)).stderr).toBe('')
    const { stdout, stderr } = await list('--json')
    expect([JSON.parse(stdout).merchant_id, stderr]).toEqual([merchant_id, ''])
  }, 60_000)

  test('it is the only one, or the demo merchant; else the ones there are get named', async () => {
    const database = await freshDatabase()
    const data_dir = mkdtempSync(join(folder, 'data-'))
    const theirs = { env: { ...environmentOf(database.url), RIPPER_DATA_DIR: data_dir } }
    const list = () => ripper(['endpoint', 'list', '--json'], theirs)
    const make = async (name: string) =>
      (await answerOf(['merchant', 'create', '--name', name], theirs)).merchant_id as string
    try {
      const none = await list()
      expect([none.status, JSON.parse(none.stdout)]).toEqual([
        2,
        { error: 'usage', message: expect.stringContaining('there is no merchant yet') },
      ])
      const tea = await make('Tea')
      expect(JSON.parse((await list()).stdout).merchant_id).toBe(tea)
      const pots = await make('Pots')
      const several = await list()
      expect([several.status, JSON.parse(several.stdout).message]).toEqual([
        2,
        `needs --merchant, because there are several: ${tea} (Tea), ${pots} (Pots)`,
      ])
      writeFileSync(join(data_dir, 'demo.json'), JSON.stringify({ merchant_id: pots }))
      expect(JSON.parse((await list()).stdout).merchant_id).toBe(pots)
      writeFileSync(join(data_dir, 'demo.json'), JSON.stringify({ merchant_id: 'm_gone' }))
      expect((await list()).status).toBe(2)
    } finally {
      await database.drop()
    }
  }, 60_000)
})

test("times are those of the service's clock", async () => {
  const database = await freshDatabase()
  const theirs = { env: environmentOf(database.url) }
  try {
    await answerOf(['merchant', 'create', '--name', 'Tea'], theirs)
    const opened = await database.open()
    await recordClockOffset(opened.sql, 7 * 24 * 3600)
    await opened.close()
    const { created_at } = await answerOf(['endpoint', 'create', '--url', url], theirs)
    const days = (Date.parse(created_at) - Date.now()) / (24 * 3600 * 1000)
    expect(days).toBeCloseTo(7, 1)
  } finally {
    await database.drop()
  }
})
