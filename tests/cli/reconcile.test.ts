// `ripper reconcile …`, as a user types it: what the acquirer never answered is listed, shown, and settled by a person.

import { randomBytes } from 'node:crypto'
import { userInfo } from 'node:os'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Unanswered } from '../../src/acquirers/acquirer.ts'
import { assignments } from '../../src/database/driver/rows.ts'
import { amount_max } from '../../src/kernel/values.ts'
import { reverseOrphans } from '../../src/payments/orphans/reverse-orphans.ts'
import type { Json } from '../support/client.ts'
import { booksOf, eventsOf, hold, openUnverified, runJob } from '../support/holding.ts'
import { answer as answerOf, ripper } from '../support/programs.ts'
import { type Account, drivenClock, driving, type Service, startService } from '../support/service.ts'

const master_key = randomBytes(32)
const clock = drivenClock()
let service: Service
let account: Account
let env: Record<string, string>
/** The acquirer answers no capture, void or reversal. */
let is_silent = false

beforeAll(async () => {
  service = await startService({
    master_key,
    clock,
    wrapSimulator: (simulator) => {
      const unlessSilent =
        <Asked, Answer>(ask: (asked: Asked) => Promise<Answer>) =>
        async (asked: Asked) => {
          if (is_silent) throw new Unanswered('silence')
          return ask(asked)
        }
      return {
        ...simulator,
        capture: unlessSilent(simulator.capture),
        void: unlessSilent(simulator.void),
        reverse: unlessSilent(simulator.reverse),
      }
    },
  })
  account = service.account
  env = {
    RIPPER_DATABASE_URL: service.database.url,
    RIPPER_MASTER_KEY: master_key.toString('base64'),
  }
})
afterAll(() => service.close())

// Commands have the real clock.
beforeEach(async () => {
  is_silent = false
  await clock.advance(Date.now() - clock.now().getTime())
})

const answer = (...args: string[]): Promise<Json> => answerOf(['reconcile', ...args], { env })
const run = (...args: string[]) => ripper(['reconcile', ...args], { env })
const resolve = (payment_id: string, outcome: string, ...args: string[]) => [
  ...['resolve', payment_id, '--as', outcome, '--reason', 'seen in the portal', ...args],
]

const found_later = '4000009190290000'
const not_found_later = '4000009190370000'
const never_resolved = '4000009190450000'
const unknown_id = `pay_${'0'.repeat(24)}`

/** A charge that the acquirer does not answer. */
async function loseCharge({ number = never_resolved, unverified = false, of = account, amount = 4200 } = {}) {
  const session = unverified
    ? await openUnverified(of, { amount })
    : await of.client.open({ amount, currency: 'GBP', customer: { email: 'ada@example.com' } })
  await of.client.present(session, number)
  const { body } = await driving(clock, of.client.confirm(session))
  expect(body.status).toBe('processing')
  return { session, payment_id: body.payment_id as string }
}

/** A capture or void that the acquirer does not answer. */
async function loseDecision(verb: string) {
  const held = await hold(account)
  is_silent = true
  const { body } = await account.client.decideHold(verb, held.payment_id)
  is_silent = false
  expect(body.settlement).toBe('awaiting_reconciliation')
  return held
}

const operationsOf = (payment_id: string, change: object) =>
  service.sql`update acquirer_operations set ${assignments(service.sql, change)}
    where payment_id = ${payment_id} and state in ('sent', 'unknown', 'reversing')`

const minute_ms = 60_000
const spelled = (at: Date) => `${at.toISOString().slice(0, -1)}0000+00:00`

describe('list', () => {
  test('the unanswered operations, of all merchants or of one, oldest first', async () => {
    const of = await service.newAccount()
    const { merchant_id } = of
    const list = (...args: string[]) => answer('list', '--merchant', merchant_id, ...args)
    expect(await list()).toEqual({ merchant_id, operations: [], has_more: false })
    const { payment_id: last } = await loseCharge({ of })
    const { payment_id: first, session } = await loseCharge({ of })
    const { payment_id: died } = await loseCharge({ of })
    const { payment_id: under_way } = await loseCharge({ of })
    const { payment_id: elsewhere } = await loseCharge()
    const ago = (minutes: number) => new Date(Date.now() - minutes * minute_ms)
    const since = ago(60)
    const waits = { next_check_at: null, waits_for_person_since: since, checks: 86 }
    await operationsOf(first, { sent_at: ago(80 * 60), ...waits })
    await operationsOf(died, { state: 'sent', sent_at: ago(1), answer_by: ago(0.5) })
    await operationsOf(under_way, { state: 'sent', answer_by: ago(-30) })
    await operationsOf(elsewhere, { sent_at: ago(2) })
    const { operations } = await list()
    const idsOf = (found: Json) => found.operations.map((each: Json) => each.payment_id)
    expect(operations.map((each: Json) => each.payment_id)).toEqual([first, died, last])
    expect(operations[0]).toEqual({
      merchant_id,
      payment_id: first,
      checkout_session_id: session.id,
      mode: 'test',
      operation_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      kind: 'authorise',
      sequence: 1,
      state: 'unknown',
      acquirer: 'simulator',
      amount: 4200,
      currency: 'GBP',
      asked_by: null,
      sent_at: expect.any(String),
      last_sent_at: expect.any(String),
      answer_by: expect.any(String),
      looks: 86,
      looks_not_found: 0,
      next_look_at: null,
      waits_for_person_since: spelled(since),
    })
    expect(idsOf(await list('--waiting'))).toEqual([first])
    expect(await list('--limit', '2')).toMatchObject({ has_more: true, operations: [{}, {}] })
    const all = await answer('list')
    expect([all.merchant_id, idsOf(all)]).toEqual([null, [first, elsewhere, died, last]])
    const none = await run('list', '--waiting', '--merchant', account.merchant_id)
    expect(none.stdout).toBe('Nothing waits for a person.\n')
    const { merchant_id: quiet } = await service.newAccount()
    expect((await run('list', '--merchant', quiet)).stdout).toBe('Every operation was answered.\n')
  }, 60_000)

  test('fits a terminal of 120 characters', async () => {
    const of = await service.newAccount()
    const { payment_id } = await loseCharge({ of, amount: amount_max })
    const { payment_id: other } = await loseCharge({ of })
    const waits_for_person_since = new Date(Date.now() - minute_ms)
    const waits = { next_check_at: null, waits_for_person_since, checks: 86 }
    await operationsOf(payment_id, waits)
    const { stdout } = await run('list', '--merchant', of.merchant_id)
    const lines = stdout.trimEnd().split('\n')
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(120)
    expect(lines[0]).toMatch(/^payment +kind +amount +sent +looks +waits for$/)
    const minute = waits_for_person_since.toISOString().slice(0, 16)
    expect(lines[1]).toMatch(new RegExp(`^${payment_id}  authorise  GBP 999999999.99  \\S+Z  86 `))
    expect(lines[1]).toMatch(new RegExp(`  a person since ${minute}Z$`))
    expect(lines[2]).toMatch(new RegExp(`^${other} .*  0      a look at \\S+Z$`))
    const more = await run('list', '--merchant', of.merchant_id, '--limit', '1')
    expect(more.stdout).toMatch(/\n\nThere are more: --limit takes up to 1000\.\n$/)
  })
})

describe('show', () => {
  test('a charge that is looked for, and what can be done', async () => {
    const { payment_id, session } = await loseCharge()
    const shown = await answer('show', payment_id)
    const { operation_id } = shown.operations[0]
    const next_look_at = spelled(new Date(clock.now().getTime() + 5000))
    expect(shown).toEqual({
      payment_id,
      merchant_id: account.merchant_id,
      checkout_session_id: session.id,
      status: 'pending',
      amount: 4200,
      currency: 'GBP',
      mode: 'test',
      settlement: 'awaiting_reconciliation',
      operations: [
        {
          operation_id,
          kind: 'authorise',
          sequence: 1,
          state: 'unknown',
          acquirer: 'simulator',
          amount: 4200,
          currency: 'GBP',
          asked_by: null,
          sent_at: expect.any(String),
          last_sent_at: expect.any(String),
          answer_by: expect.any(String),
          looks: 0,
          looks_not_found: 0,
          next_look_at,
          waits_for_person_since: null,
          answered_at: null,
          acquirer_transaction_id: null,
          answer: null,
        },
      ],
      resolvable: { operation_id, kind: 'authorise', as: ['approved', 'declined', 'failed'] },
    })
    const { stdout } = await run('show', payment_id)
    const at = next_look_at.slice(0, 19)
    for (const words of [
      `The charge has no answer. The service looks for it again at ${at}Z.\n`,
      `Ask the acquirer (simulator) for the outcome of ${operation_id}, and give it to the service:\n`,
      `  ripper reconcile resolve ${payment_id} --as approved|declined|failed [--transaction ID] --reason TEXT\n`,
    ]) {
      expect(stdout).toContain(words)
    }
    const waits_for_person_since = new Date(Date.now() - minute_ms)
    const waits = { next_check_at: null, waits_for_person_since, not_found_count: 1 }
    await operationsOf(payment_id, waits)
    const waiting = (await run('show', payment_id)).stdout
    expect(waiting).toContain(
      `Since ${waits_for_person_since.toISOString().slice(0, 19)}Z the service no longer looks for it.\n`,
    )
    expect(waiting).toContain('should be there by now: 1 of its look-ups\n')
    await operationsOf(payment_id, {
      state: 'sent',
      answer_by: new Date(Date.now() + minute_ms),
      waits_for_person_since: null,
      last_sent_at: new Date(),
    })
    expect((await answer('show', payment_id)).resolvable).toBeNull()
    const under_way = (await run('show', payment_id)).stdout
    expect(under_way).toMatch(/\nThe charge is under way: its answer is due by \S+Z\.\n$/)
    expect(under_way).toMatch(/\n {4}sent again at \S+Z\n/)
  })

  test('decisions with their answers, and a payment that the acquirer was never asked about', async () => {
    const { payment_id } = await hold(account, '4000009190520000')
    await account.client.decideHold('capture', payment_id)
    await account.client.decideHold('void', payment_id)
    const { operations, resolvable, settlement } = await answer('show', payment_id)
    expect([resolvable, settlement]).toEqual([null, null])
    expect(operations.map((each: Json) => [each.kind, each.sequence, each.state])).toEqual([
      ['authorise', 1, 'approved'],
      ['capture', 1, 'refused'],
      ['void', 2, 'approved'],
    ])
    const { stdout } = await run('show', payment_id)
    expect(stdout).toContain('\n    answer: The issuer refused it this once\n')
    expect(stdout).toMatch(/\n {4}transaction sim_[0-9a-f]{24}\n/)
    expect(stdout).toContain('\nNothing of this payment waits for an answer.\n')
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(120)
    const { payment_id: unasked } = (await account.client.pay('4000009100000010')).body
    expect((await run('show', unasked)).stdout).toContain('\n\nThe acquirer was never asked.\n')
  })
})

describe('a charge resolved as', () => {
  test.each([
    ['approved', false, 'captured', 'succeeded', 'The payment is captured.'],
    ['approved', true, 'held', 'succeeded', 'The payment is held until '],
    ['declined', false, 'declined', 'requires_payment', 'No money counts as taken. '],
    ['failed', false, 'failed', 'requires_payment', 'No money counts as taken. '],
  ] as const)(
    '%s (unverified: %s): payment %s, session %s',
    async (outcome, unverified, status, session_status, words) => {
      const { client, merchant_id } = account
      const { payment_id, session } = await loseCharge({ unverified })
      const is_approved = outcome === 'approved'
      const transaction_id = `acq_${payment_id}`
      const transaction = is_approved ? ['--transaction', transaction_id] : []
      const done = await answer(...resolve(payment_id, outcome, ...transaction))
      const payment = (await client.readPayment(payment_id)).body
      const read = (await client.readSession(session.id)).body
      expect(done).toEqual({
        payment_id,
        merchant_id,
        operation_id: expect.any(String),
        kind: 'authorise',
        resolved_as: outcome,
        reason: 'seen in the portal',
        by: userInfo().username,
        event: { type: `payment.${status}`, sequence: 1 },
        payment,
        hold: read.hold,
        session: { id: session.id, status: session_status },
        settlement: null,
      })
      expect(read).toMatchObject({ status: session_status, settlement: null, payment_id })
      expect(payment).toMatchObject({
        status,
        acquirer_transaction_id: is_approved ? transaction_id : null,
        decline: is_approved ? null : { reason: 'seen in the portal' },
      })
      expect((await client.confirm(session)).body).toMatchObject({ status, payment_id })
      const [event, ...more] = await eventsOf(service, payment_id)
      expect(more).toEqual([])
      expect(event).toMatchObject({ sequence: 1, type: `payment.${status}` })
      expect(event!.envelope.data).toMatchObject({ status, payment_id, hold: read.hold })
      const [line] = await service.sql`
        select actor, detail from journal where subject = ${payment_id} and change = ${`payment.${status}`}`
      expect(line).toMatchObject({
        actor: 'operator',
        detail: { resolved_as: outcome, reason: 'seen in the portal', by: userInfo().username },
      })
      await clock.advance(minute_ms)
      await runJob(service, 'reconcile')
      const again = await run(...resolve(payment_id, outcome, ...transaction))
      expect([again.status, again.stderr]).toEqual([
        ...[1, expect.stringContaining('No operation of this payment waits for an answer.')],
      ])
      expect(await eventsOf(service, payment_id)).toHaveLength(1)

      const { payment_id: other } = await loseCharge({ unverified })
      if (is_approved) {
        const borne = await run(...resolve(other, outcome, ...transaction))
        expect([borne.status, borne.stderr]).toEqual([
          ...[2, expect.stringContaining("--transaction is the acquirer's id of another payment")],
        ])
      }
      const its_own = is_approved ? ['--transaction', `acq_${other}`] : []
      const { stdout } = await run(...resolve(other, outcome, ...its_own))
      expect(stdout).toContain(`The charge of GBP 42.00 counts as ${outcome}. ${words}`)
      expect(stdout).toContain(` The service sends payment.${status} to the merchant's endpoints.\n\n`)
      expect(stdout).toMatch(new RegExp(`\nsession +${session_status}\n`))
    },
    60_000,
  )

  test.each(['declined', 'failed'])(
    '%s, though the acquirer has it: it is taken back',
    async (as) => {
      const { payment_id } = await loseCharge({ number: found_later })
      await answer(...resolve(payment_id, as))
      await clock.advance(minute_ms)
      expect((await booksOf(service, payment_id))!.captured_at).not.toBeNull()
      await reverseOrphans(service.context)
      expect((await booksOf(service, payment_id))!.reversed_at).not.toBeNull()
      expect((await account.client.readPayment(payment_id)).body.status).toBe(as)
      expect(await eventsOf(service, payment_id)).toHaveLength(1)
    },
    30_000,
  )

  test('approved, though the service was faster', async () => {
    const { payment_id } = await loseCharge({ number: found_later })
    await clock.advance(minute_ms)
    await runJob(service, 'reconcile')
    const { status, stdout } = await run(...[...resolve(payment_id, 'failed'), '--json'])
    expect([status, JSON.parse(stdout).error]).toEqual([1, 'resource_not_found'])
    expect((await account.client.readPayment(payment_id)).body.status).toBe('captured')
  })

  test('approved, its process having died', async () => {
    const { payment_id } = await loseCharge()
    await operationsOf(payment_id, { state: 'sent', answer_by: new Date(Date.now() - minute_ms) })
    const done = await answer(...resolve(payment_id, 'approved', '--transaction', 'acq_9'))
    expect(done.payment.status).toBe('captured')
  })
})

describe.each([
  ['capture', 'captured'],
  ['void', 'voided'],
])('a %s resolved as', (verb, status) => {
  test('approved is decided', async () => {
    const { payment_id, session } = await loseDecision(verb)
    const done = await answer(...resolve(payment_id, 'approved'))
    expect(done).toMatchObject({
      kind: verb,
      event: { type: `payment.${status}`, sequence: 2 },
      settlement: null,
      payment: { status },
      hold: { status, decided_by: 'merchant' },
    })
    const read = (await account.client.readSession(session.id)).body
    expect(read).toMatchObject({ status: 'succeeded', settlement: null, hold: done.hold })
    expect((await account.client.readPayment(payment_id)).body).toEqual(done.payment)
    expect((await eventsOf(service, payment_id)).map(({ type }) => type)).toEqual(['payment.held', `payment.${status}`])
  })

  test('refused is open as before', async () => {
    const { payment_id } = await loseDecision(verb)
    const early = await run(...resolve(payment_id, 'refused'))
    expect([early.status, early.stderr]).toEqual([
      ...[2, expect.stringMatching(/--as may only be refused after 20\S+Z: until then the \w+ may still arrive/)],
    ])
    await operationsOf(payment_id, { last_sent_at: new Date(Date.now() - minute_ms) })
    const { stdout } = await run(...resolve(payment_id, 'refused'))
    expect(stdout).toContain(
      `The ${verb} of GBP 42.00 counts as refused. The payment is still held and can be decided again. The service sends no event.\n`,
    )
    expect((await answer('show', payment_id)).settlement).toBeNull()
    expect(await eventsOf(service, payment_id)).toHaveLength(1)
    const { body } = await account.client.decideHold(verb, payment_id)
    expect(body).toMatchObject({
      status,
      hold: { operation_refusal: { kind: verb, reason: 'seen in the portal' } },
    })
  })
})

test('a void resolved as approved, though the acquirer still holds the money: it is taken back', async () => {
  const { payment_id } = await loseDecision('void')
  await answer(...resolve(payment_id, 'approved'))
  expect(await booksOf(service, payment_id)).toMatchObject({ voided_at: null, reversed_at: null })
  await clock.advance(minute_ms)
  await reverseOrphans(service.context)
  expect((await booksOf(service, payment_id))!.reversed_at).not.toBeNull()
  const { payment_id: captured } = await loseDecision('capture')
  await answer(...resolve(captured, 'approved'))
  expect(await service.sql`select from orphan_authorisations where payment_id = ${captured}`).toEqual([])
})

test('a reversal resolved as approved ends its charge as failed', async () => {
  const { payment_id } = await loseCharge({ number: not_found_later })
  is_silent = true
  for (const seconds of [5, 35, 6]) {
    await clock.advance(seconds * 1000)
    await runJob(service, 'reconcile')
  }
  is_silent = false
  const { operations, resolvable } = await answer('show', payment_id)
  expect(operations.map((each: Json) => [each.kind, each.state])).toEqual([
    ['authorise', 'reversing'],
    ['reverse', 'unknown'],
  ])
  expect(resolvable).toMatchObject({ kind: 'reverse', as: ['approved'] })
  expect((await run('show', payment_id)).stdout).toContain(
    '\nThe charge was not found, so the service reverses it. Once that is done, the charge ends as failed.\n',
  )
  const which = ['--operation', resolvable.operation_id]
  expect((await run(...resolve(payment_id, 'approved'))).stderr).toContain('--operation must name')
  const wrong = await run(...resolve(payment_id, 'failed', ...which))
  expect([wrong.status, wrong.stderr]).toEqual([
    ...[2, expect.stringContaining('--as must be one of approved for an operation of the kind')],
  ])
  const { stdout } = await run(...resolve(payment_id, 'approved', ...which))
  expect(stdout).toContain('The service ends the charge as failed within seconds.')
  expect(stdout).toContain('The service sends no event.\n')
  await clock.advance(minute_ms)
  await runJob(service, 'reconcile')
  expect((await account.client.readPayment(payment_id)).body.status).toBe('failed')
  expect(await eventsOf(service, payment_id)).toMatchObject([{ type: 'payment.failed' }])
  // Whoever resolved it may be wrong: the reversal goes out all the same.
  const [orphan] = await service.sql`
    select state, reference from orphan_authorisations where payment_id = ${payment_id}`
  expect(orphan).toEqual({ state: 'found', reference: operations[0].operation_id })
})

describe('refused', () => {
  test.each<[string, string[], number, string]>([
    [
      'a transaction with a space',
      resolve(unknown_id, 'approved', '--transaction', 'a b'),
      ...([2, '--transaction must have 1 to 100 printable characters'] as const),
    ],
    ...['4242424242424242', '4242-4242-4242-4242', 'tx 4242 4242 4242 4242'].map(
      (number): [string, string[], number, string] => [
        `a transaction that is a card number, as ${number}`,
        resolve(unknown_id, 'approved', '--transaction', number),
        2,
        '--transaction must not hold a card number',
      ],
    ),
    [
      'a transaction of a refusal',
      resolve(unknown_id, 'refused', '--transaction', 'a'),
      ...([2, '--transaction does not go with --as refused'] as const),
    ],
    ['an unknown payment', resolve(unknown_id, 'failed'), 1, 'There is no payment with this id.'],
  ])('%s', async (_, args, status, words) => {
    const ended = await run(...args)
    expect([ended.status, ended.stderr]).toEqual([status, expect.stringContaining(words)])
  })

  test('what does not fit the operation, or comes too early', async () => {
    const { payment_id } = await loseCharge()
    const rows: [string[], number, string][] = [
      [resolve(payment_id, 'approved'), 2, '--transaction must be given for an approved charge'],
      [resolve(payment_id, 'refused'), 2, '--as must be one of approved, declined, failed for'],
    ]
    for (const [args, status, words] of rows) {
      const ended = await run(...args)
      expect([ended.status, ended.stderr]).toEqual([status, expect.stringContaining(words)])
    }
    await operationsOf(payment_id, { state: 'sent', answer_by: new Date(Date.now() + minute_ms) })
    const early = await run(...resolve(payment_id, 'failed'), '--json')
    expect([early.status, JSON.parse(early.stdout)]).toEqual([
      ...[1, { error: 'invalid_request', message: expect.stringContaining('is under way') }],
    ])
    expect((await account.client.readPayment(payment_id)).body.status).toBe('pending')
  })

  test("another merchant's", async () => {
    const { payment_id } = await loseCharge()
    const { merchant_id } = await service.newAccount()
    const ended = await run(...resolve(payment_id, 'failed', '--merchant', merchant_id))
    expect([ended.status, ended.stderr]).toEqual([...[1, expect.stringContaining('There is no payment with this id.')]])
  })
})
