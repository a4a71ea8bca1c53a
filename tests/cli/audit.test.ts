// `ripper audit …`, as a user types it, on the database of a service that takes payments and delivers events.

import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { idsFrom } from '../../src/kernel/ids.ts'
import { purchase, runChallenge } from '../support/client.ts'
import { hold } from '../support/holding.ts'
import { answer as answerOf, ripper } from '../support/programs.ts'
import { type Account, type Service, startService, until } from '../support/service.ts'
import { nobody_url, openWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts'
import { realClock } from '../support/world.ts'

const minute_ms = 60_000
const hour_ms = 60 * minute_ms
const master_key = randomBytes(32)
let service: Service
let receiver: WebhookReceiver
let env: Record<string, string>

beforeAll(async () => {
  // All that it writes is old enough for the commands, whose clock is the real one.
  const clock = { ...realClock, now: () => new Date(realClock.now().getTime() - 10 * minute_ms) }
  service = await startService({ clock, master_key, deliver: { schedule: [3600] } })
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

const answer = (...args: string[]) => answerOf(['audit', ...args], { env })
const run = (...args: string[]) => ripper(['audit', ...args], { env })

/** A session with a declined payment and one that needed the bank's check, told to two endpoints of which one is closed. */
async function paidInTwo() {
  const account = await service.newAccount()
  const { client } = account
  for (const url of [receiver.url, nobody_url]) await client.createEndpoint({ url })
  const session = await client.open({ ...purchase, order_reference: 'for Ada' })
  await client.present(session, '4000000000000002')
  const declined = await client.confirm(session)
  const { body } = await client.present(session, '4000000000003220')
  await runChallenge(body.three_ds.challenge.url)
  const captured = await client.confirm(session)
  expect([declined.body.status, captured.body.status]).toEqual(['declined', 'captured'])
  await until(
    () => service.sql`select 1 from webhook_attempts where merchant_id = ${account.merchant_id}`,
    (rows) => rows.length === 4,
  )
  const payment_ids = [declined.body.payment_id, captured.body.payment_id] as const
  return { account, session, payment_ids }
}

describe('show', () => {
  test('a payment with all that happened in its session, as JSON', async () => {
    const { account, session, payment_ids } = await paidInTwo()
    const [declined, captured] = payment_ids
    const shown = await answer('show', captured)
    const { payments, lines, events, ...rest } = shown
    expect(rest).toEqual({
      merchant_id: account.merchant_id,
      session_id: session.id,
      payment_id: captured,
      session: {
        status: 'succeeded',
        mode: 'test',
        amount: 4200,
        currency: 'GBP',
        attempt_count: 2,
        amount_verification_source: 'server_minted',
        settlement: null,
        created_at: expect.any(String),
        expires_at: expect.any(String),
      },
      seals: { right: 0, wrong: 0, not_yet: 10 },
    })
    expect(payments).toMatchObject([
      { payment_id: declined, attempt_number: 1, status: 'declined', hold: null },
      {
        payment_id: captured,
        attempt_number: 2,
        status: 'captured',
        hold: null,
        operations: [{ kind: 'authorise', sequence: 1, state: 'approved' }],
      },
    ])
    type Line = { change: string; actor: string; request_id: string | null }
    expect(lines.map(({ change, actor }: Line) => `${change} ${actor}`)).toEqual([
      `session.created key ${account.key_id}`,
      'attempt.opened shopper',
      'attempt.moved shopper',
      'charge.begun shopper',
      'payment.declined shopper',
      'attempt.opened shopper',
      'attempt.moved shopper',
      'attempt.moved bank',
      'charge.begun shopper',
      'payment.captured shopper',
    ])
    expect(lines.every(({ request_id }: Line) => /^req_\w{24}$/.test(request_id!))).toBe(true)
    expect(lines[0]).toMatchObject({ position: null, hash: null, seal: 'not_yet' })
    expect(events.map(({ type, payment_id }: Record<string, string>) => [type, payment_id])).toEqual([
      ['payment.declined', declined],
      ['payment.captured', captured],
    ])
    for (const { deliveries } of events) {
      expect(deliveries).toMatchObject([
        {
          endpoint_url: receiver.url,
          status: 'succeeded',
          next_attempt_at: null,
          attempts: [{ attempt_number: 1, response_status_code: 200, failure: null }],
        },
        {
          endpoint_url: nobody_url,
          status: 'failed',
          next_attempt_at: expect.any(String),
          attempts: [{ attempt_number: 1, failure: 'connection_refused' }],
        },
      ])
    }
    expect(await answer('show', session.id)).toEqual(shown)
    expect((await answer('show', declined)).lines).toEqual(lines)
    expect(JSON.stringify(shown)).not.toMatch(/ada@example|for Ada|_secret_/)
  }, 60_000)

  test('for people: a row for each thing in order of time, and the seals', async () => {
    const { account, payment_ids } = await paidInTwo()
    const first = await run('show', payment_ids[1])
    expect(first.stdout).toMatch(/\n\n10 of the 10 numbered lines are not sealed yet\. .*\n$/)
    await answer('verify', '--merchant', account.merchant_id)
    const { status, stdout } = await run('show', payment_ids[1], '--merchant', account.merchant_id)
    expect(status).toBe(0)
    const [head, table, seals] = stdout.split('\n\n')
    expect(head).toContain('session      succeeded, test, GBP 42.00')
    expect(head).toContain(`${payment_ids[0]}  declined GBP 42.00, attempt 1, card_declined`)
    expect(head).toContain(`${payment_ids[1]}  captured GBP 42.00, attempt 2`)
    expect(seals).toBe('All 10 numbered lines are sealed and match their hashes.\n')
    const numbered = table!.split('\n').slice(1)
    const numbers = numbered.map((row) => Number(row.slice(0, 2))).filter((number) => number > 0)
    expect(numbers).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    const rows = numbered.map((row) => row.slice(4))
    const what = rows.map((row) => row.slice(22, 45).trimEnd())
    expect(what.filter((each) => !each.startsWith('webhook'))).toEqual([
      ...['session created', 'attempt opened', 'attempt moved', 'charge begun', 'payment declined'],
      ...['event payment declined', 'attempt opened', 'attempt moved', 'attempt moved'],
      ...['charge begun', 'payment captured', 'event payment captured'],
    ])
    const count = (word: string) => what.filter((each) => each === `webhook ${word}`).length
    expect(['delivered', 'failed', 'due'].map(count)).toEqual([2, 2, 2])
    const times = rows.map((row) => row.slice(0, 20))
    expect(times).toEqual(times.toSorted())
    const begin = account.key_id.slice(0, 12)
    expect(rows[0]).toMatch(
      new RegExp(`  key ${begin}…  +req_\\w{24}  cs_\\w{8}…, GBP 42.00, mode test, amount check server_minted$`),
    )
    expect(stdout).toMatch(/connection_refused: nothing listens there, attempt 1, http:/)
    expect(stdout).toMatch(/attempt moved +bank +req_\w{24} {2}att_\w{8}…, 3-D Secure authenticated\n/)
  }, 60_000)

  test('what was captured in part', async () => {
    const account = await service.newAccount()
    const { payment_id } = await hold(account)
    await account.client.decideHold('capture', payment_id, randomBytes(8).toString('hex'), { amount: 1200 })
    const { stdout } = await run('show', payment_id)
    expect(stdout).toContain('captured GBP 12.00 of GBP 42.00, attempt 1, hold captured by merchant\n')
    expect(stdout).toMatch(/ {2}capture begun .*, GBP 12\.00, /)
    expect(stdout).toMatch(/ {2}payment captured .*, GBP 12\.00 of GBP 42\.00, /)
    expect(stdout).not.toContain('1200')
    expect((await answer('show', payment_id)).payments).toMatchObject([{ amount: 4200, captured_amount: 1200 }])
  }, 60_000)

  test('a hold, its decision, and lines of any kind', async () => {
    const account = await service.newAccount()
    const { payment_id, session } = await hold(account)
    const shown = await run('show', payment_id)
    expect(shown.stdout).toMatch(/ {2}held GBP 42\.00, attempt 1, hold pending_review, deadline 2/)
    const answered = await account.client.send('POST', `/v1/payments/${payment_id}/hold/capture`, {
      headers: { ...account.client.withKey, 'rip-idempotency-key': randomBytes(8).toString('hex') },
    })
    expect(answered.status, answered.text).toBe(200)
    await service.sql`
      insert into journal (merchant_id, entry_id, session_id, subject, change, detail, actor, at)
      select merchant_id, substr(entry_id, 1, 12) || repeat('f', 20), session_id, subject, 'new.kind_of_thing',
        ${{ a_number: 7, list: ['a', 'b'], nothing: null, nested: { deep: true }, text: '\u001b[31mred' } as never},
        'rules', at from journal where session_id = ${session.id} and change = 'payment.captured'`
    const { stdout } = await run('show', payment_id)
    expect(stdout).toContain('captured GBP 42.00, attempt 1, hold captured by merchant\n')
    expect(stdout).toMatch(/ {2}payment held .*\n[\s\S]* {2}payment captured +key key_/)
    expect(stdout).toMatch(
      / {2}new kind of thing +rules +– .*, a number 7, list a and b, nested \{"deep":true\}, text \[31mred\n/,
    )
    const { payments, events } = await answer('show', payment_id)
    expect(payments[0].hold).toMatchObject({ status: 'captured', decided_by: 'merchant' })
    expect(events.map(({ sequence }: { sequence: number }) => sequence)).toEqual([1, 2])
    expect(payments[0].operations).toMatchObject([{ kind: 'authorise' }, { kind: 'capture' }])
  }, 60_000)

  test('a line that was changed', async () => {
    const { account, session, payment_ids } = await paidInTwo()
    await answer('verify', '--merchant', account.merchant_id)
    await service.sql`update journal set actor = 'rules'
      where session_id = ${session.id} and change = 'payment.captured'`
    const { status, stdout } = await run('show', payment_ids[1])
    expect([status, stdout.trimEnd().split('\n').at(-1)]).toEqual([
      1,
      'Something is wrong: 1 of the 10 numbered lines do not match their hashes. ripper audit verify says more.',
    ])
  }, 60_000)

  test('an unknown session', async () => {
    const ended = await run('show', `cs_${'0'.repeat(24)}`)
    expect([ended.status, ended.stderr]).toEqual([1, expect.stringContaining('There is no session cs_000')])
  })

  test("another merchant's", async () => {
    const { body } = await service.client.pay()
    const { merchant_id } = await service.newAccount()
    const ended = await run('show', body.payment_id, '--merchant', merchant_id)
    expect([ended.status, ended.stderr]).toEqual([1, expect.stringContaining('There is no payment')])
  })
})

describe('verify', () => {
  const headOf = async (account: Account): Promise<string> =>
    (await answer('verify', '--merchant', account.merchant_id)).chains[0].head.hash

  test('all merchants, as JSON and for people', async () => {
    const account = await service.newAccount()
    await account.client.pay()
    const all = await answer('verify', '--merchant', account.merchant_id)
    expect(all).toEqual({
      ok: true,
      faults: 0,
      found: [],
      missing_heads: [],
      chains: [
        {
          merchant_id: account.merchant_id,
          lines: 9,
          sealed_now: 9,
          not_sealed_yet: 0,
          newest_line_at: expect.stringMatching(/^\d{4}-.*\+00:00$/),
          head: { position: 9, hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
          faults: [],
          fault_count: 0,
          payments: { compared: 1, not_bound: 0, faults: [], fault_count: 0 },
        },
      ],
    })
    // Ahead of the clock, so that no slow machine takes it for old enough to be sealed.
    const at = ago(-60_000)
    await service.sql`insert into journal (merchant_id, entry_id, subject, change, detail, actor, at)
      values (${account.merchant_id}, ${idAt(at)}, 's', 'c', '{}', 'bank', ${at})`
    const { stdout } = await run('verify', '--merchant', account.merchant_id)
    expect(stdout).toMatch(
      /^merchant +lines +newest +not sealed yet +payments +not bound +head\nm_\w{24} +10 +\d{4}-\S+Z +1 +1 +0 +\w{64}\n\nEvery chain is whole, and every payment agrees with its lines\.\n$/,
    )
  }, 60_000)

  const ago = (ms: number) => new Date(realClock.now().getTime() - ms)
  const idAt = (at: Date) => idsFrom(at) + '7'.repeat(20)

  test('a head that was noted, and one that is gone', async () => {
    const account = await service.newAccount()
    const head = await headOf(account)
    await account.client.pay()
    const gone = 'ab'.repeat(32)
    const args = ['verify', '--merchant', account.merchant_id, '--head', head.toUpperCase()]
    expect(await answer(...args)).toMatchObject({
      ok: true,
      found: [{ merchant_id: account.merchant_id, hash: head, position: 4 }],
    })
    const { status, stdout } = await run(...args, '--head', gone)
    expect(status).toBe(1)
    expect(stdout).toContain(`The head ${head} is in the chain of ${account.merchant_id}, at position 4.`)
    expect(stdout).toContain(`The head ${gone} is in no chain: somebody has cut off a chain`)
    expect(stdout).toMatch(/\nSomething is wrong: 1 fault\.\n$/)
    const wrong = await run('verify', '--head', 'ab')
    expect([wrong.status, wrong.stderr]).toEqual([2, expect.stringContaining('--head must be 64')])
  }, 60_000)

  test('what was done to a chain, in words', async () => {
    const account = await service.newAccount()
    const { merchant_id } = account
    await account.client.pay()
    await headOf(account)
    const { sql } = service
    await sql`insert into journal (merchant_id, entry_id, subject, change, detail, actor, at)
      values (${merchant_id}, ${idAt(ago(3 * hour_ms))}, 's', 'c', '{}', 'bank', ${ago(3 * hour_ms)})`
    const lineAt = (position: number) => sql`(select entry_id from audit_chain
      where merchant_id = ${merchant_id} and position = ${position})`
    await sql`update journal set actor = 'rules' where entry_id = ${lineAt(2)}`
    await sql`delete from journal where entry_id = ${lineAt(4)}`
    await sql`update audit_chain set hash = sha256(hash)
      where merchant_id = ${merchant_id} and position = 6`
    await sql`delete from audit_chain where merchant_id = ${merchant_id} and position = 8`
    await sql`update audit_heads set position = 8 where merchant_id = ${merchant_id}`
    const { status, stdout } = await run('verify')
    expect(status).toBe(1)
    const line = '[0-9a-f]{32}'
    const words = [
      `position 2: line ${line} was changed, or a row before it taken out and the others moved up`,
      `position 4: line ${line} was removed`,
      `position 6: the hash in the chain was changed; line ${line} is as it was`,
      'position 8: the row was removed from the chain',
      'the head, at position 8, was changed: the chain does not end there',
      `line ${line} is in no chain: it was put in long after its time, or its row of the chain removed`,
    ]
    for (const each of words) expect(stdout).toMatch(new RegExp(`\n${merchant_id}: ${each}\n`))
    expect(stdout).toMatch(/\nSomething is wrong: \d+ faults\.\n$/)
  }, 60_000)

  test('an unknown merchant', async () => {
    const ended = await run('verify', '--merchant', 'm_0')
    expect([ended.status, ended.stderr]).toEqual([1, expect.stringContaining('no merchant m_0')])
  })
})
