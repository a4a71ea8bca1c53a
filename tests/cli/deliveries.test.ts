// `ripper delivery …`, as a user types it, on the database of a service that delivers to a receiver.

import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { deadLetter, insertAttempt } from '../conformance/webhook-delivery-rows.ts'
import { answer as answerOf, ripper } from '../support/programs.ts'
import { type Account, type Service, startService, until } from '../support/service.ts'
import { nobody_url, openWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts'

const master_key = randomBytes(32)
let service: Service
let receiver: WebhookReceiver
let env: Record<string, string>

beforeAll(async () => {
  service = await startService({ master_key, deliver: { schedule: [3600] } })
  receiver = await openWebhookReceiver()
  env = {
    RIPPER_DATABASE_URL: service.database.url,
    RIPPER_MASTER_KEY: master_key.toString('base64'),
  }
})
afterAll(async () => {
  await service.close()
  await receiver.close()
})

const answer = (...args: string[]) => answerOf(['delivery', ...args], { env })
const run = (...args: string[]) => ripper(['delivery', ...args], { env })

const hour_ms = 3600 * 1000
const ago = (ms: number) => new Date(Date.now() - ms)
const unknown_id = '0'.repeat(32)

async function endpointOf(account: Account, url = receiver.url): Promise<string> {
  const made = await account.client.createEndpoint({ url })
  expect(made.status, made.text).toBe(201)
  return made.body.id
}

/** A merchant with an endpoint at the receiver. */
async function newPlace() {
  const account = await service.newAccount()
  const endpoint_id = await endpointOf(account)
  const place = { ...service, account }
  return { account, endpoint_id, place, merchant_id: account.merchant_id }
}

/** Resolves with the delivery as it is shown, once it fits. */
const shownOnce = (id: string, fits: (shown: Printed) => boolean): Promise<Printed> =>
  until(() => answer('show', id), fits)

// biome-ignore lint/suspicious/noExplicitAny: what commands print has every shape.
type Printed = any

describe('list', () => {
  test('shows the rows of the API, page by page, with cursors that both take', async () => {
    const { account, merchant_id } = await newPlace()
    const place = { ...service, account }
    for (const index of [1, 2, 3]) await insertAttempt(place, { occurred_at: ago(index * 1000) })
    await insertAttempt(place, { event_type: 'payment.held', status: 'dead_lettered' })
    const list = (...args: string[]) => answer('list', '--merchant', merchant_id, ...args)
    const ofApi = async (query: string) => (await account.client.listDeliveries(query)).body
    expect(await list()).toEqual(await ofApi(''))
    const first = await list('--limit', '2', '--event-type', 'payment.captured')
    const filters = 'limit=2&event_type=webhook.payment.captured'
    expect(first).toEqual(await ofApi(filters))
    expect(first.data).toHaveLength(2)
    const { next_cursor } = first
    const second = await list('--event-type', 'webhook.payment.captured', '--after', next_cursor)
    expect(second.data).toEqual((await ofApi(`${filters}&after=${next_cursor}`)).data)
    expect((await list('--status', 'dead_lettered')).data).toHaveLength(1)
    const strange = await run('list', '--merchant', merchant_id, '--after', next_cursor)
    expect([strange.status, strange.stderr]).toEqual([2, expect.stringContaining('--after must')])
  }, 60_000)

  test('fits a terminal of 120 characters', async () => {
    const { account, merchant_id } = await newPlace()
    const place = { ...service, account }
    await insertAttempt(place, { status: 'failed', next_retry_at: new Date(), attempt_number: 30 })
    await insertAttempt(place, { status: 'dead_lettered', event_type: 'payment.declined' })
    const { stdout } = await run('list', '--merchant', merchant_id)
    const lines = stdout.trimEnd().split('\n')
    expect(lines).toHaveLength(3)
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(120)
    expect(lines[0]).toMatch(/^attempted +delivery +# +event +status +http +next$/)
    const more = await run('list', '--merchant', merchant_id, '--limit', '1')
    expect(more.stdout).toMatch(/There are more: add --after \S{43}\n$/)
    const none = await run('list', '--merchant', merchant_id, '--status', 'pending')
    expect(none.stdout).toBe('There is no such delivery.\n')
  })

  test('says where nothing was sent at all', async () => {
    const { merchant_id } = await service.newAccount()
    const { status, stdout } = await run('list', '--merchant', merchant_id)
    expect([status, stdout]).toEqual([
      0,
      expect.stringMatching(`^Nothing was sent for the merchant ${merchant_id} in 30 days.`),
    ])
  })
})

test('lists by event and by payment, what is not attempted yet too', async () => {
  const { account, merchant_id, endpoint_id, place } = await newPlace()
  const { client } = account
  const session = await client.open()
  await client.present(session, '4000000000000002')
  await client.confirm(session)
  await client.present(session)
  const paid = (await client.confirm(session)).body
  type Row = { event_id: string; payment_id: string; type: string }
  const events = await service.sql<Row[]>`
    select event_id, payment_id, type from events where merchant_id = ${merchant_id} order by created_at`
  expect(events.map(({ type }) => type)).toEqual(['payment.declined', 'payment.captured'])
  const list = async (...args: string[]) => (await answer('list', '--merchant', merchant_id, ...args)).data
  await until(list, (rows) => rows.length === 2)
  await insertAttempt(place, { endpoint_id })
  const type = ({ event_type }: Printed) => event_type
  const by_event = await list('--event', events[0]!.event_id)
  expect(by_event.map(type)).toEqual(['webhook.payment.declined'])
  const by_payment = await answer('list', '--payment', paid.payment_id)
  expect(by_payment.data.map(type)).toEqual(['webhook.payment.captured'])
  expect(await list('--payment', paid.payment_id, '--status', 'failed')).toEqual([])

  const [late] = await service.sql<{ delivery_id: string }[]>`
    select delivery_id from webhook_deliveries
    where merchant_id = ${merchant_id} and payment_id = ${paid.payment_id}`
  const { delivery_id } = late!
  await service.sql`with gone as (delete from webhook_deliveries where delivery_id = ${delivery_id} returning *)
    insert into webhook_queue (merchant_id, delivery_id, endpoint_id, class, due_at, attempt_number, payment_id,
      sequence, root_id, root_created_at, created_at)
    select merchant_id, delivery_id, endpoint_id, 0, ${ago(-hour_ms)}, 0, payment_id, sequence, root_id,
      root_created_at, created_at from gone`
  const waiting = await run('list', '--payment', paid.payment_id)
  expect(waiting.stdout).toBe(`There is no such delivery.\n\nNot attempted yet: ${delivery_id}\n`)
}, 60_000)

test.each([
  [['--event', 'evt_0'], 2, '--event must be evt_'],
  [['--payment', 'pay_0'], 2, '--payment must be pay_'],
  [['--event', `evt_${'0'.repeat(24)}`], 1, 'has no event evt_'],
  [['--payment', `pay_${'0'.repeat(24)}`], 1, 'There is no payment with this id.'],
  [['--event', 'evt_0', '--payment', 'pay_0'], 2, 'takes --event or --payment'],
])('list %j is refused', async (args, status, words) => {
  const { merchant_id } = service.account
  const ended = await run('list', '--merchant', merchant_id, ...args)
  expect([ended.status, ended.stderr]).toEqual([status, expect.stringContaining(words)])
})

describe('show', () => {
  test('a delivery that is retried: its attempt, its next, its body, why there was no answer', async () => {
    const { account } = await newPlace()
    const endpoint_id = await endpointOf(account, nobody_url)
    const { body: paid } = await account.client.pay()
    type Row = { delivery_id: string }
    const [row] = await service.sql<Row[]>`
      select delivery_id from webhook_queue where endpoint_id = ${endpoint_id}`
    const shown = await shownOnce(row!.delivery_id, ({ status }) => status === 'failed')
    expect(shown).toEqual({
      delivery_id: row!.delivery_id,
      merchant_id: account.merchant_id,
      status: 'failed',
      event_id: expect.stringMatching(/^evt_[0-9a-f]{24}$/),
      idempotency_key: `evt:${paid.payment_id}#payment.captured#${endpoint_id}`,
      event_type: 'webhook.payment.captured',
      payment_id: paid.payment_id,
      sequence: 1,
      endpoint: { id: endpoint_id, url: nobody_url, status: 'active' },
      created_at: expect.any(String),
      settled_at: null,
      attempt_under_way_since: null,
      next_attempt_at: expect.any(String),
      held_until: null,
      replay_of: null,
      replays: [],
      replayable: false,
      replay_refusal: 'delivery_not_dead_lettered',
      attempts: [
        {
          attempt_number: 1,
          status: 'failed',
          occurred_at: expect.any(String),
          duration_ms: expect.any(Number),
          endpoint_url: nobody_url,
          response_status_code: null,
          response_body: null,
          failure: 'connection_refused',
          next_retry_at: shown.next_attempt_at,
        },
      ],
    })
    const [sent] = await until(
      async () => receiver.received.filter(({ body }) => body.includes(paid.payment_id)),
      (found) => found.length > 0,
    )
    const { body } = await answer('show', row!.delivery_id, '--body')
    expect(body).toBe(sent!.body)
    expect(JSON.parse(body).id).toBe(shown.event_id)
    expect(sent!.headers['rip-idempotency-key']).toContain(`evt:${paid.payment_id}#`)
    await service.sql`insert into webhook_endpoint_health values
      (${account.merchant_id}, ${endpoint_id}, 'open', ${ago(-hour_ms)}, 0, 'tls', ${new Date()})`
    const { stdout } = await run('show', row!.delivery_id, '--body')
    for (const words of [
      'connection_refused: nothing listens there',
      '(the breaker of its endpoint is open)',
      `\n\n${sent!.body}\n`,
    ]) {
      expect(stdout).toContain(words)
    }
    expect(stdout).not.toContain('replayable')
  }, 60_000)

  test('every attempt in its order, and nothing that a terminal would obey', async () => {
    const { place, endpoint_id } = await newPlace()
    const letter = await deadLetter(place, { endpoint_id })
    const { delivery_id, last_attempt_id } = letter
    const first = await insertAttempt(place, {
      delivery_id,
      endpoint_id,
      occurred_at: ago(9000),
      status: 'failed',
      response_status_code: 302,
      response_body: 'go \u001b[31mthere\u009b\n',
      duration_ms: 1500,
    })
    await service.sql`update webhook_attempts set attempt_number = 2, previous_attempt_id = ${first.attempt_id}
      where attempt_id = ${last_attempt_id}`
    const { attempts, replayable } = await answer('show', delivery_id)
    expect(replayable).toBe(true)
    expect(attempts.map((each: Printed) => [each.attempt_number, each.response_status_code])).toEqual([
      [1, 302],
      [2, 500],
    ])
    const { stdout } = await run('show', delivery_id)
    expect(stdout).toMatch(/\n1 .* 1\.5 s .*HTTP 302 \(redirects are not followed\) {2}go \[31mthere\n/)
    expect(stdout).toMatch(/replayable +yes/)
    await service.sql`update webhook_attempts set attempt_number = 3 where attempt_id = ${first.attempt_id}`
    expect((await run('show', delivery_id)).stdout).toContain('Attempts (older ones are gone):')
    await place.account.client.deleteEndpoint(endpoint_id)
    expect((await run('show', delivery_id)).stdout).toMatch(/replayable +no: There is no active/)
  }, 60_000)

  test.each([
    ['what is no id', ['evt:pay_0'], 2, 'DELIVERY_ID must be 32 hexadecimal characters'],
    ['an unknown id', [unknown_id], 1, 'There is no delivery with this id.'],
  ] as [string, string[], number, string][])('%s', async (_, args, status, words) => {
    const ended = await run('show', ...args)
    expect([ended.status, ended.stderr]).toEqual([status, expect.stringContaining(words)])
  })

  test("another merchant's", async () => {
    const { place, endpoint_id } = await newPlace()
    const { delivery_id } = await deadLetter(place, { endpoint_id })
    const { merchant_id } = await service.newAccount()
    const ended = await run('show', delivery_id, '--merchant', merchant_id)
    expect([ended.status, ended.stderr]).toEqual([1, expect.stringContaining('no delivery')])
  })
})

test('replays of named ones are sent, and one that cannot be stops no other', async () => {
  const { place, endpoint_id, merchant_id } = await newPlace()
  const letters = [await deadLetter(place, { endpoint_id }), await deadLetter(place, { endpoint_id })]
  const [one, other] = letters.map(({ delivery_id }) => delivery_id) as [string, string]
  const done = await ripper(['delivery', 'replay', one, unknown_id, other, one, '--json'], {
    env,
  })
  const replayed = (replay_of: string) => ({
    delivery_id: expect.stringMatching(/^[0-9a-f]{32}$/),
    replay_of,
    error: null,
    message: null,
  })
  expect([done.status, done.stderr, JSON.parse(done.stdout)]).toEqual([
    1,
    '',
    {
      accepted: 2,
      refused: { delivery_not_found: 1 },
      deliveries: [
        replayed(one),
        {
          delivery_id: null,
          replay_of: unknown_id,
          error: 'delivery_not_found',
          message: 'There is no delivery with this id.',
        },
        replayed(other),
      ],
    },
  ])
  const replay_id = JSON.parse(done.stdout).deliveries[0].delivery_id
  const shown = await shownOnce(replay_id, ({ status }) => status === 'succeeded')
  expect(shown).toMatchObject({ replay_of: one, attempts: [{ attempt_number: 1 }] })
  expect((await answer('show', one)).replays).toEqual([
    { delivery_id: replay_id, status: 'succeeded', created_at: shown.created_at },
  ])
  const told = await run('replay', one, '--merchant', merchant_id)
  expect([told.status, told.stdout]).toEqual([0, expect.stringMatching(/ {2}replayed as \w{32}\n$/)])
  const refused = await run('replay', replay_id)
  expect([refused.status, refused.stderr]).toEqual([
    1,
    `${replay_id}  not replayed: The delivery was not given up on.\n`,
  ])
}, 60_000)
