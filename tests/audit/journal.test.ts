// The journal: each change writes its line, in its own statement, and what changes nothing writes none.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { JournalLine } from '../../src/audit/journal.ts'
import type { Clock } from '../../src/kernel/world.ts'
import {
  changeMerchant,
  createIntegration,
  createMerchant,
  withdrawKey,
  withdrawPublishableKey,
} from '../../src/merchants/manage.ts'
import { keepDemo } from '../../src/service/demo.ts'
import { type Answer, purchase, refusal, runChallenge, type SessionSecret } from '../support/client.ts'
import { countLockWaits } from '../support/lock-waits.ts'
import { type Account, newKey, type Service, shop, startService, until } from '../support/service.ts'
import { realClock } from '../support/world.ts'

let service: Service
let last_ms = 0
/** Gives no time twice, so that the order of lines is that in which they were made. */
const clock: Clock = {
  ...realClock,
  now() {
    last_ms = Math.max(realClock.now().getTime(), last_ms + 1)
    return new Date(last_ms)
  },
}

beforeAll(async () => {
  service = await startService({ clock, lock_limit: 'none' })
})
afterAll(() => service.close())

const visa = '4242424242424242'
const taking = { take: ['is_default' as const] }
const otp = '4000000000003220'
const down = '4000009900040000'

/** The lines of a merchant, oldest first. */
async function linesOf(merchant_id: string): Promise<JournalLine[]> {
  return service.sql<JournalLine[]>`
    select * from journal where merchant_id = ${merchant_id} order by entry_id`
}

const requestId = ({ headers }: Answer) => headers.get('rip-request-id')
const changes = (lines: JournalLine[]) => lines.map(({ change }) => change)

/** The lines that something writes. */
async function written(merchant_id: string, work: () => Promise<unknown>): Promise<JournalLine[]> {
  const before = await linesOf(merchant_id)
  await work()
  return (await linesOf(merchant_id)).slice(before.length)
}

describe('sessions', () => {
  test("a merchant's server", async () => {
    const account = await service.newAccount()
    const { client, merchant_id, key_id } = account
    const made: Answer[] = []
    const lines = await written(merchant_id, async () => {
      made.push(await client.create(purchase, 'once'), await client.create(purchase, 'once'))
      expect(made.map(({ status }) => status)).toEqual([201, 201])
      expect(refusal(await client.create({ ...purchase, amount: 0 }))).toBe('400 invalid_request')
      expect(refusal(await client.create({ ...purchase, amount: 1 }, 'once'))).toBe('409 idempotency_key_reused')
    })
    const { id } = made[0]!.body
    expect(lines).toMatchObject([
      {
        session_id: id,
        subject: id,
        change: 'session.created',
        actor: `key ${key_id}`,
        request_id: requestId(made[0]!),
        detail: { mode: 'test', amount: 4200, currency: 'GBP', amount_verification_source: 'server_minted' },
      },
    ])
    const [session] = await service.sql`select created_at from sessions where session_id = ${id}`
    expect(lines[0]!.at).toEqual(session!.created_at)
  })

  test('a page, and the hosted page', async () => {
    const account = await service.newAccount()
    const { client, merchant_id, publishable_key } = account
    await createIntegration(service.operator, merchant_id, {
      name: 'hosted',
      is_hosted_page: true,
      handle: 'journal-page',
      allowed_origins: [shop],
    })
    const body = { amount: 1234, currency: 'EUR' }
    const named = { ...body, public_key: publishable_key }
    const lines = await written(merchant_id, async () => {
      expect((await client.createFrom(shop, named)).status).toBe(201)
      const hosted = await client.createFrom(shop, body, { handle: 'journal-page' })
      expect(hosted.status, hosted.text).toBe(201)
      expect((await client.createFrom('https://else.example', named)).status).toBe(403)
    })
    const detail = { amount: 1234, currency: 'EUR', amount_verification_source: 'none' }
    const line = { change: 'session.created', actor: `page ${publishable_key}`, detail }
    expect(lines).toMatchObject([line, line])
  })

  test('many at once: one line each, of the request that made it', async () => {
    const account = await service.newAccount()
    const { client, merchant_id } = account
    const keys = Array.from({ length: 40 }, (_, index) => `batch ${index % 30}`)
    const answers = await Promise.all(keys.map((key) => client.create(purchase, key)))
    const first = answers.filter(({ headers }) => headers.get('rip-idempotent-replayed') === 'false')
    const lines = (await linesOf(merchant_id)).filter(({ change }) => change === 'session.created')
    const told = lines.map(({ subject, request_id }) => `${subject} ${request_id}`)
    expect(told.sort()).toEqual(first.map((answer) => `${answer.body.id} ${requestId(answer)}`).sort())
  })
})

describe('attempts', () => {
  async function opened() {
    const account = await service.newAccount()
    const session = await account.client.open()
    return { ...account, session }
  }

  const attemptsOf = (session: SessionSecret) =>
    service.sql<{ attempt_id: string }[]>`
      select * from attempts where session_id = ${session.id} order by number`

  test('opened, moved by the answer, superseded by the next', async () => {
    const { client, merchant_id, session } = await opened()
    const answers: Answer[] = []
    const lines = await written(merchant_id, async () => {
      const reference = await client.reference(session, otp)
      answers.push(await client.authenticate(session, reference))
      // The same card is the same attempt.
      await client.authenticate(session, reference)
      answers.push(await client.present(session, visa))
    })
    const [one, two] = (await attemptsOf(session)).map(({ attempt_id }) => attempt_id)
    const [first, second] = answers.map(requestId)
    const by = (request_id: unknown) => ({ session_id: session.id, actor: 'shopper', request_id })
    expect(lines).toMatchObject([
      { subject: one, change: 'attempt.opened', detail: { number: 1 }, ...by(first) },
      { subject: one, change: 'attempt.moved', ...by(first), detail: { three_ds_state: 'awaiting_challenge' } },
      { subject: one, change: 'attempt.superseded', ...by(second), detail: { superseded_by: two } },
      { subject: two, change: 'attempt.opened', detail: { number: 2 }, ...by(second) },
      { subject: two, change: 'attempt.moved', ...by(second), detail: { three_ds_state: 'authenticated' } },
    ])
  })

  test("the bank's word of record, once", async () => {
    const { client, merchant_id, session } = await opened()
    const { body } = await client.present(session, otp)
    const lines = await written(merchant_id, () => runChallenge(body.three_ds.challenge.url))
    expect(lines).toMatchObject([
      {
        session_id: session.id,
        subject: body.attempt.id,
        change: 'attempt.moved',
        actor: 'bank',
        request_id: expect.stringMatching(/^req_[0-9a-f]{24}$/),
        detail: { three_ds_state: 'authenticated' },
      },
    ])
  })

  test('taken back where no bank could be asked', async () => {
    const { client, merchant_id, session } = await opened()
    const reference = await client.reference(session, down)
    const answers: Answer[] = []
    const lines = await written(merchant_id, async () => {
      answers.push(await client.authenticate(session, reference))
    })
    expect(refusal(answers[0]!)).toBe('503 three_ds_provider_unavailable')
    expect(changes(lines)).toEqual(['attempt.opened', 'attempt.withdrawn'])
    const [request_id] = answers.map(requestId)
    expect(lines[1]).toMatchObject({ subject: lines[0]!.subject, actor: 'shopper', request_id })
    expect(await attemptsOf(session)).toEqual([])
  })

  test('taken over from a process that died while it asked', async () => {
    const { client, merchant_id, session } = await opened()
    const reference = await client.reference(session)
    await client.authenticate(session, reference)
    await service.sql`update attempts set three_ds_state = 'not_started', asking_until = created_at
      where session_id = ${session.id}`
    const lines = await written(merchant_id, () => client.authenticate(session, reference))
    expect(changes(lines)).toEqual(['attempt.asking_taken_over', 'attempt.moved'])
    expect(lines[0]).toMatchObject({ actor: 'shopper', request_id: lines[1]!.request_id })
  })
})

describe('accounts and keys', () => {
  const rules = { live: false, live_enabled: false, acquiring_profile: null }

  test('a merchant: made, changed, and not changed', async () => {
    const { operator } = service
    const { merchant_id } = await createMerchant(operator, { name: 'Tea', ...rules })
    await changeMerchant(operator, merchant_id, { status: 'suspended', name: 'Ada Lovelace' })
    await changeMerchant(operator, merchant_id, { status: 'suspended' })
    const line = { session_id: null, subject: merchant_id, actor: 'operator', request_id: null }
    expect(await linesOf(merchant_id)).toMatchObject([
      { ...line, change: 'merchant.created', detail: { live: false, live_enabled: false } },
      { ...line, change: 'merchant.changed', detail: { status: 'suspended', changed: ['name'] } },
    ])
    const nobody = changeMerchant(operator, 'm_0', { status: 'active' })
    await expect(nobody).rejects.toThrow('There is no merchant m_0.')
  })

  test('a merchant, by two at once: each changes what it names', async () => {
    const { operator, sql } = service
    const { merchant_id } = await createMerchant(operator, { name: 'Tea', ...rules })
    const acquiring_profile = { acquirer: 'bank' }
    let both: Promise<unknown> | null = null
    await sql.begin(async (tx) => {
      await tx`select 1 from merchants where merchant_id = ${merchant_id} for update`
      both = Promise.all([
        changeMerchant(operator, merchant_id, { status: 'suspended' }),
        changeMerchant(operator, merchant_id, { name: 'Tea & Sons', acquiring_profile }),
        changeMerchant(operator, merchant_id, { status: 'suspended', live: false }),
      ])
      await until(
        () => countLockWaits(sql),
        (count) => count === 3,
      )
    })
    await both
    const [row] = await sql`select * from merchants where merchant_id = ${merchant_id}`
    expect(row).toMatchObject({ status: 'suspended', name: 'Tea & Sons', acquiring_profile })
    const details = (await linesOf(merchant_id)).slice(1).map(({ detail }) => JSON.stringify(detail))
    expect(details.toSorted()).toEqual(['{"changed":["acquiring_profile","name"]}', '{"status":"suspended"}'])
  })

  test('an integration, and the one whose role it takes', async () => {
    const { operator } = service
    const { merchant_id } = await createMerchant(operator, { name: 'Tea', ...rules })
    const asked = { name: 'one', is_default: true, capture_below: 500 }
    const one = await createIntegration(operator, merchant_id, asked)
    const lines = await written(merchant_id, async () => {
      const again = createIntegration(operator, merchant_id, asked)
      await expect(again).rejects.toMatchObject({ code: '23505' })
      await createIntegration(operator, merchant_id, { name: 'two', is_default: true }, taking)
    })
    expect((await linesOf(merchant_id)).slice(1, 3)).toMatchObject([
      {
        subject: one.integration.integration_id,
        change: 'integration.created',
        detail: { is_default: true, capture_below: 500, at_deadline: 'void' },
      },
      { subject: one.publishable_key, change: 'publishable_key.created' },
    ])
    expect(lines.toSorted((a, b) => (a.change < b.change ? -1 : 1))).toMatchObject([
      { subject: one.integration.integration_id, change: 'integration.changed', detail: { is_default: false } },
      { change: 'integration.created', detail: { is_default: true, capture_below: null } },
    ])
  })

  test('a key and a publishable key: made, and revoked once', async () => {
    const { operator } = service
    const { merchant_id, key_id, publishable_key } = await service.newAccount()
    const lines = await written(merchant_id, async () => {
      await Promise.all([withdrawKey(operator, key_id), withdrawKey(operator, key_id)])
      await withdrawKey(operator, key_id)
      await withdrawPublishableKey(operator, publishable_key!)
      await withdrawPublishableKey(operator, publishable_key!)
    })
    expect(lines).toMatchObject([
      { subject: key_id, change: 'key.revoked', actor: 'operator', detail: {} },
      { subject: publishable_key, change: 'publishable_key.revoked', actor: 'operator' },
    ])
    const made = (await linesOf(merchant_id)).find(({ change }) => change === 'key.created')
    expect(made).toMatchObject({
      subject: key_id,
      detail: {
        mode: 'any',
        publishable_key,
        permissions: expect.arrayContaining(['decide_holds']),
      },
    })
    await expect(withdrawKey(operator, 'key_0')).rejects.toThrow('There is no key key_0.')
  })

  test("the demo merchant is the service's own doing", async () => {
    const { context, sql, operator } = service
    const data_dir = mkdtempSync(join(tmpdir(), 'ripper-demo-'))
    const parts = { sql, ids: context.ids, clock: operator.clock }
    const at = (port: number) => ({
      data_dir,
      base_url: `http://127.0.0.1:${port}`,
      pay_url: `http://127.0.0.1:${port}/pay`,
      dashboard_url: `http://localhost:${port}/dashboard`,
    })
    const { merchant_id } = await keepDemo(parts, at(8080))
    const lines = await written(merchant_id, async () => {
      await keepDemo(parts, at(8080))
      await keepDemo(parts, at(8081))
    })
    const detail = { allowed_origins: ['http://127.0.0.1:8081'] }
    const moved = { change: 'integration.changed', detail }
    expect(lines).toMatchObject([moved, moved])
    expect(new Set((await linesOf(merchant_id)).map(({ actor }) => actor))).toEqual(new Set(['service']))
    rmSync(data_dir, { recursive: true })
  })
})

describe('no change without its line', () => {
  type Tried = { account: Account; session: SessionSecret }
  type Row = [change: string, table: string, act: (tried: Tried) => Promise<unknown>]
  const operator = () => service.operator

  const rows: Row[] = [
    ['session.created', 'sessions', ({ account }) => account.client.create()],
    [
      'session.created',
      'idempotency_keys',
      ({ account }) => Promise.all([1, 2, 3, 4, 5].map(() => account.client.create())),
    ],
    ['attempt.opened', 'attempts', ({ account, session }) => account.client.present(session)],
    ['key.created', 'api_keys', ({ account }) => newKey(operator(), account.merchant_id)],
    ['key.revoked', 'api_keys', ({ account }) => withdrawKey(operator(), account.key_id)],
    [
      'publishable_key.revoked',
      'publishable_keys',
      ({ account }) => withdrawPublishableKey(operator(), account.publishable_key!),
    ],
    [
      'integration.changed',
      'integrations',
      ({ account }) => createIntegration(operator(), account.merchant_id, { name: 'b', is_default: true }, taking),
    ],
    [
      'merchant.changed',
      'merchants',
      ({ account }) => changeMerchant(operator(), account.merchant_id, { status: 'suspended' }),
    ],
  ]

  test.each(rows)('%s, %s', async (change, table, act) => {
    const account = await service.newAccount()
    const session = await account.client.open()
    const read = () =>
      service.sql.unsafe(`select row_to_json(t)::text as row from ${table} t where merchant_id = $1 order by 1`, [
        account.merchant_id,
      ])
    const before = await read()
    await whileRefused(change, () => act({ account, session }))
    expect(await read()).toEqual(before)
  })

  test.each([
    ['attempt.moved', 'not_started'],
    ['attempt.superseded', 'awaiting_challenge'],
  ])('%s', async (change, left) => {
    const { client } = service
    const session = await client.open()
    if (change === 'attempt.superseded') await client.present(session, otp)
    await whileRefused(change, () => client.present(session, otp))
    const attempts = await service.sql`
      select number, three_ds_state from attempts where session_id = ${session.id}`
    expect(attempts).toEqual([{ number: 1, three_ds_state: left }])
  })

  /** Lets the journal take no line of a change meanwhile. */
  async function whileRefused(change: string, work: () => Promise<unknown>): Promise<void> {
    const alter = (text: string) => service.sql.unsafe(`alter table journal ${text}`)
    await alter(`add constraint refused check (change <> '${change}') not valid`)
    await work().catch(() => {})
    await alter('drop constraint refused')
  }
})

test('no line holds a card, a person or a secret', async () => {
  const { client, secret_key } = await service.newAccount()
  const person = { email: 'ada.lovelace@example.com', name: 'Ada Lovelace' }
  const session = await client.open({ ...purchase, customer: person, order_reference: 'for Ada' })
  const cards = ['4000000000000002', '5555555555554444', otp]
  for (const number of cards) {
    const card = { number, exp_month: 9, exp_year: 2031, cvc: '731', cardholder_name: person.name }
    const { body } = await client.referenceCard(session, card)
    const authenticated = await client.authenticate(session, body.card_reference)
    const { challenge } = authenticated.body.three_ds
    if (challenge) await runChallenge(challenge.url)
    if (number === cards[0]) await client.confirm(session)
  }
  expect((await client.confirm(session)).body.status).toBe('captured')
  const [dump] = await service.sql<{ text: string }[]>`
    select string_agg(j::text, E'\\n') as text from journal j`
  const secrets = [
    ...cards,
    ...[person.email, person.name, 'for Ada', 'ada@example.com', secret_key],
    session.client_secret.split('_secret_')[1]!,
  ]
  expect(secrets.filter((secret) => dump!.text.includes(secret))).toEqual([])
  expect(dump!.text).not.toMatch(/[(,":]731[),"}]/)
})
