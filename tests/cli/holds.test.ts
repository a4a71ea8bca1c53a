// `ripper hold …`, as a user types it, on the database of a running service.

import { randomBytes } from 'node:crypto'
import { userInfo } from 'node:os'
import { describe, expect, test } from 'vitest'
import { assignments } from '../../src/database/driver/rows.ts'
import { amount_max } from '../../src/kernel/values.ts'
import { nameOf } from '../adapters/acquirer-requests.ts'
import { type Json, refusal } from '../support/client.ts'
import { booksOf, eventsOf, hold } from '../support/holding.ts'
import { answer as answerOf, ripper } from '../support/programs.ts'
import { settingsOf, useService } from '../support/use-service.ts'

const master_key = randomBytes(32)
const service = await useService({ master_key })
const { account } = service
const env = settingsOf(service, master_key)

const answer = (...args: string[]): Promise<Json> => answerOf(['hold', ...args], { env })
const run = (...args: string[]) => ripper(['hold', ...args], { env })

const capture_refused = '4000009190520000'
const void_refused = '4000009190600000'

const spelled = (at: Date) => `${at.toISOString().slice(0, -1)}0000+00:00`
const shortly = (at: Date) => `${at.toISOString().slice(0, 19)}Z`

/** Writes a hold's row as it is to be found. */
const alter = (payment_id: string, row: object) =>
  service.sql`update holds set ${assignments(service.sql, row)} where payment_id = ${payment_id}`

/** The acquirer cannot be reached, until what is to happen meanwhile has happened. */
async function withoutAcquirer(meanwhile: () => Promise<void>): Promise<void> {
  await service.sql`alter table simulator.ledger rename to away`
  try {
    await meanwhile()
  } finally {
    await service.sql`alter table simulator.away rename to ledger`
  }
}

describe('list', () => {
  test('shows what waits, by its deadline, and on demand what was decided', async () => {
    const account = await service.newAccount({ integration: { escalate_after_seconds: 3600 } })
    const { merchant_id } = account
    const list = (...args: string[]) => answer('list', '--merchant', merchant_id, ...args)
    expect(await list()).toEqual({ merchant_id, holds: [], has_more: false })
    const { payment_id, session } = await hold(account, undefined, { order_reference: 'order 7' })
    const [second, captured, voided] = [
      await hold(account, capture_refused),
      await hold(account),
      await hold(account),
    ].map((held) => held.payment_id) as [string, string, string]
    await account.client.decideHold('escalate', second)
    await account.client.decideHold('capture', captured)
    await account.client.decideHold('void', voided)
    const { created_at } = (await account.client.readPayment(payment_id)).body
    const later = (seconds: number) => spelled(new Date(Date.parse(created_at) + seconds * 1000))

    const { holds } = await list()
    expect(holds[0]).toEqual({
      payment_id,
      checkout_session_id: session.id,
      amount: 4200,
      currency: 'GBP',
      mode: 'test',
      order_reference: 'order 7',
      created_at,
      hold: (await account.client.readSession(session.id)).body.hold,
      rules: { at_deadline: 'void', escalate_at: later(3600), capture_below_limit: false, next_at: later(3600) },
      operation: null,
      settlement: null,
    })
    const idsOf = async (...args: string[]) => (await list(...args)).holds.map((each: Json) => each.payment_id)
    expect(await idsOf()).toEqual([payment_id, second])
    expect(await idsOf('--all')).toEqual([payment_id, second, voided, captured])
    expect(await idsOf('--status', 'escalated')).toEqual([second])
    expect(await idsOf('--status', 'captured,escalated')).toEqual([second, captured])
    expect(await list('--limit', '1')).toMatchObject({ has_more: true, holds: [{ payment_id }] })
    await alter(payment_id, { deadline: new Date(Date.now() + 6 * 24 * 3600 * 1000) })
    expect(await idsOf('--limit', '1')).toEqual([second])

    const { stdout } = await run('list', '--merchant', merchant_id, '--all', '--limit', '3')
    const lines = stdout.split('\n')
    expect(lines[0]).toMatch(/^payment +amount +status +reason +deadline +at deadline$/)
    expect(lines[1]).toMatch(new RegExp(`^${second} +GBP 42.00 +escalated .*Z  void$`))
    expect(lines[3]).toBe(`    escalates at ${shortly(new Date(later(3600)))}`)
    expect(lines[4]).toMatch(new RegExp(`^${voided} .*  –$`))
    expect(lines[5]).toMatch(/^ {4}voided by the merchant at \S+Z$/)
    expect(stdout).toMatch(/\n\nThere are more: --limit takes up to 1000\.\n$/)
    const { merchant_id: other } = await service.newAccount()
    expect((await run('list', '--merchant', other)).stdout).toBe(
      `The merchant ${other} has no hold that is pending_review or escalated.\n`,
    )
  }, 60_000)

  test('fits a terminal of 120 characters, whatever it contains', async () => {
    const rules = { at_deadline: 'capture' as const, capture_below: 5000 }
    const account = await service.newAccount({ integration: rules })
    const { merchant_id } = account
    const [below, again, open] = [
      await hold(account),
      await hold(account, undefined, { amount: amount_max }),
      await hold(account, undefined, { amount: amount_max }),
    ].map(({ payment_id }) => payment_id) as [string, string, string]
    const hour_ms = 3600 * 1000
    const [deadline, rules_at] = [new Date(Date.now() - hour_ms), new Date(Date.now() + hour_ms)]
    const operation_refusal = {
      kind: 'capture',
      sequence: 2,
      decline_code: 'do_not_honor',
      at: spelled(deadline),
      reason: 'Nobody \u001b[31mknows why this \nwas refused by the bank of the shopper, again',
    }
    const refused = { operation_refusal: operation_refusal as never }
    await alter(again, { deadline, rules_at, rule_refusals: 2, ...refused })
    await withoutAcquirer(async () => {
      expect((await run('capture', open)).status).toBe(0)
    })
    const { stdout } = await run('list', '--merchant', merchant_id)
    const lines = stdout.trimEnd().split('\n')
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(120)
    expect(stdout).not.toContain('\u001b')
    for (const words of [
      `${below}  GBP 42.00 `,
      `${again}  GBP 999999999.99 `,
      ': its amount is below their limit\n',
      `\n    the rules capture it again at ${shortly(rules_at)}\n`,
      `\n    the acquirer refused to capture it at ${shortly(deadline)}: Nobody [31mknows why this was`,
      '\n    a capture by the merchant is not answered since ',
    ]) {
      expect(stdout).toContain(words)
    }
    const { holds } = await answer('list', '--merchant', merchant_id)
    const listed = holds.find((each: Json) => each.payment_id === open)
    expect(listed).toMatchObject({
      operation: { kind: 'capture', asked_by: 'merchant', sent_at: expect.any(String) },
      settlement: 'awaiting_reconciliation',
    })
    // One whose answer may still come.
    const later = { settlement: null, answer_by: new Date(Date.now() + hour_ms) }
    await service.sql`update sessions set ${assignments(service.sql, later)}
      where session_id = ${listed.checkout_session_id}`
    const under_way = await run('list', '--merchant', merchant_id)
    expect(under_way.stdout).toContain('\n    a capture by the merchant is under way since ')
  }, 60_000)
})

describe.each([
  ['capture', 'captured', 'The acquirer has taken GBP 42.00.'],
  ['void', 'voided', 'The acquirer has released GBP 42.00.'],
])('%s', (verb, status, words) => {
  test('answers as the API does, and all that follows from it happens', async () => {
    const { client, merchant_id } = account
    const { session, payment_id } = await hold(account)
    const shown = await answer('show', payment_id)
    const decided = await answer(verb, payment_id)
    const { hold: its, settlement, ...fields } = decided
    expect(fields).toEqual((await client.readPayment(payment_id)).body)
    expect(its).toEqual((await client.readSession(session.id)).body.hold)
    expect(decided).toEqual({
      ...shown,
      status,
      capture_state: status,
      executed_at: expect.toSatisfy((at) => at === null || verb === 'capture'),
      hold: { ...shown.hold, status, decided_by: 'merchant', decided_at: its.decided_at },
    })
    expect(settlement).toBeNull()
    const [held, event, ...more] = await eventsOf(service, payment_id)
    expect(more).toEqual([])
    expect(held).toMatchObject({ sequence: 1, type: 'payment.held' })
    expect(event).toMatchObject({ sequence: 2, type: `payment.${status}` })
    expect(event!.envelope.data.hold).toEqual(its)
    const books = (await booksOf(service, payment_id))!
    expect([books.captured_at !== null, books.voided_at !== null]).toEqual([verb === 'capture', verb === 'void'])
    const lines = await service.sql`
      select actor, request_id, detail->>'by' as by from journal
      where merchant_id = ${merchant_id} and subject = ${payment_id} and change = ${`payment.${status}`}`
    expect([...lines]).toEqual([{ actor: 'operator', request_id: null, by: userInfo().username }])
    expect(await answer('show', payment_id)).toEqual(decided)
  })

  test('says what it did', async () => {
    const { payment_id } = await hold(account, undefined, { order_reference: 'order 9' })
    const { stdout, stderr, ...ended } = await run(verb, payment_id, '--merchant', account.merchant_id)
    expect([ended.status, stderr]).toEqual([0, ''])
    expect(stdout).toContain(`${words} payment.${status} goes out to the merchant's endpoints.\n\n`)
    expect(stdout).toMatch(/\norder_reference +order 9\n/)
    expect(stdout).toMatch(new RegExp(`\nhold +${status} by the merchant at \\S+Z\n`))
    expect(stdout).not.toContain('deadline')
  })

  test('without an answer is reported, and goes on being asked for', async () => {
    const { payment_id } = await hold(account)
    await withoutAcquirer(async () => {
      const first = await answer(verb, payment_id)
      expect(first).toMatchObject({ status: 'held', settlement: 'awaiting_reconciliation' })
    })
    for (const next of ['capture', 'void']) {
      const { status, stderr } = await run(next, payment_id)
      expect([status, stderr]).toEqual([1, expect.stringContaining('is under way, or its answer')])
    }
    const { stdout } = await run('show', payment_id)
    expect(stdout).toMatch(new RegExp(`\noperation +a ${verb} by the merchant is not answered`))
    expect(stdout).toMatch(/\nsettlement +awaiting_reconciliation\n/)
    const { payment_id: other } = await hold(account)
    await withoutAcquirer(async () => {
      const told = await run(verb, other)
      expect(told.status).toBe(0)
      expect(told.stdout).toContain(
        `The acquirer has not answered. It is not known yet whether the ${verb} happened.\n\nThe service keeps asking`,
      )
      expect(told.stdout).toContain(`ripper reconcile show ${other}\n`)
    })
    expect(await eventsOf(service, other)).toHaveLength(1)
    await service.sql`
      update acquirer_operations set state = 'accepted', acquirer_transaction_id = 'theirs'
      where payment_id = ${other} and kind = ${verb}`
    const accepted = `a ${verb} by the merchant of \\S+Z was accepted: the acquirer carries it out or refuses`
    expect((await run('show', other)).stdout).toMatch(new RegExp(`\noperation +${accepted}`))
    expect((await run('list', '--merchant', account.merchant_id)).stdout).toMatch(new RegExp(`\n +${accepted}`))
  })
})

describe.each([
  ['capture', capture_refused, 'captured'],
  ['void', void_refused, 'voided'],
])('the first %s is refused', (verb, number, status) => {
  test('with the words of the acquirer, and the second works', async () => {
    const { payment_id } = await hold(account, number)
    const message = `The acquirer refused to ${verb} the payment: The issuer refused it this once (do_not_honor). It is still held.`
    const refused = await run(verb, payment_id, '--json')
    expect([refused.status, JSON.parse(refused.stdout)]).toEqual([...[1, { error: 'operation_refused', message }]])
    expect(refused.stderr).toBe(`ripper hold ${verb}: ${message}\n`)
    const open = await answer('show', payment_id)
    expect(open).toMatchObject({
      status: 'held',
      hold: {
        status: 'pending_review',
        operation_refusal: { kind: verb, sequence: 1, decline_code: 'do_not_honor' },
      },
    })
    expect((await run('show', payment_id)).stdout).toMatch(
      new RegExp(`\nlast_refusal +the acquirer refused to ${verb} it at \\S+Z: The issuer`),
    )
    expect(await answer(verb, payment_id)).toMatchObject({
      status,
      hold: { status, operation_refusal: { kind: verb, sequence: 1 } },
    })
  })
})

test('escalated, then captured', async () => {
  const { payment_id } = await hold(account)
  const escalated = await answer('escalate', payment_id)
  expect(escalated).toMatchObject({ status: 'held', hold: { status: 'escalated' } })
  expect(await answer('escalate', payment_id)).toEqual(escalated)
  const { stdout } = await run('escalate', payment_id)
  expect(stdout).toMatch(/^A person looks at it\. If nobody decides by .*Z, the rules void it\.\n/)
  expect(stdout).toMatch(/\nhold +escalated\n[\s\S]*\ndeadline +\S+Z: then the rules void it\n/)
  expect(await eventsOf(service, payment_id)).toHaveLength(1)
  const captured = await answer('capture', payment_id)
  expect(captured.hold).toMatchObject({ status: 'captured', decided_by: 'merchant' })
  expect(refusal(await account.client.decideHold('void', payment_id))).toBe('409 hold_already_decided')
})

test('a hold that does not agree with the price is shown with what differs', async () => {
  const price = { default_amount: 100, default_currency: 'GBP' }
  const priced = await service.newAccount({ integration: price })
  const { payment_id } = await hold(priced)
  const { hold: its } = await answer('show', payment_id)
  expect(its).toMatchObject({ reason: 'mismatch', detail: expect.any(String) })
  const { stdout } = await run('show', payment_id)
  expect(stdout).toContain(`mismatch: ${its.detail}\n`)
})

describe('refused', () => {
  test('a payment that was never held', async () => {
    const { payment_id } = (await account.client.pay()).body
    for (const verb of ['show', 'capture', 'void', 'escalate']) {
      const never = await run(verb, payment_id, '--json')
      expect([never.status, JSON.parse(never.stdout)]).toEqual([
        1,
        { error: 'resource_not_found', message: 'There is no held payment with this id.' },
      ])
    }
  })

  test("another merchant's payment", async () => {
    const { payment_id } = await hold(account)
    const { merchant_id } = await service.newAccount()
    const strange = await run('capture', payment_id, '--merchant', merchant_id)
    expect([strange.status, strange.stderr]).toEqual([
      ...[1, expect.stringContaining('There is no payment with this id.')],
    ])
    expect((await answer('show', payment_id)).hold.status).toBe('pending_review')
  })

  test('a second decision', async () => {
    const { payment_id } = await hold(account)
    await answer('void', payment_id)
    for (const verb of ['capture', 'void', 'escalate']) {
      const { status, stdout } = await run(verb, payment_id, '--json')
      expect([status, JSON.parse(stdout).error]).toEqual([1, 'hold_already_decided'])
    }
  })
})

describe('settle', () => {
  /** What a person does in the acquirer's portal. */
  async function inPortal(verb: 'capture' | 'void', payment_id: string): Promise<void> {
    const [row] = await service.sql<{ reference: string }[]>`
      select operation_id as reference from acquirer_operations
      where payment_id = ${payment_id} and kind = 'authorise'`
    const { acquirerOf, ids, world } = service.context
    await acquirerOf('test', null)[verb]({
      reference: ids.operation(world.clock.now()),
      authorisation: nameOf(row!.reference),
      amount: 4200,
      currency: 'GBP',
    })
  }

  test.each([
    ['capture', 'captured'],
    ['void', 'voided'],
  ] as const)('finds the %s of the portal, and counts the payment as %s', async (verb, status) => {
    const { payment_id } = await hold(account)
    await inPortal(verb, payment_id)
    const { stdout } = await run('settle', payment_id)
    expect(stdout).toContain(`The payment of GBP 42.00 counts as ${status}.`)
    expect((await account.client.readPayment(payment_id)).body).toMatchObject({ status })
    const events = await eventsOf(service, payment_id)
    expect(events.map(({ type }) => type)).toEqual(['payment.held', `payment.${status}`])
    const again = await run('settle', payment_id)
    expect(again).toMatchObject({ status: 1, stderr: expect.stringContaining('not held any more') })
  })

  test('leaves alone what the acquirer still reserves', async () => {
    const { payment_id } = await hold(account)
    const { status, stderr } = await run('settle', payment_id)
    expect(status).toBe(1)
    expect(stderr).toContain('The acquirer still reserves GBP 42.00: capture or void the payment.')
    expect((await account.client.readPayment(payment_id)).body).toMatchObject({ status: 'held' })
  })

  test.each([
    ['captured', 'The acquirer still reserves GBP 42.00'],
    ['voided', 'The acquirer still reserves GBP 42.00'],
  ])('does not take the word that it was %s against the acquirer', async (as, words) => {
    const { payment_id } = await hold(account)
    const { status, stderr } = await run('settle', payment_id, '--as', as, '--reason', 'so I think')
    expect([status, stderr]).toEqual([1, expect.stringContaining(words)])
    expect((await account.client.readPayment(payment_id)).body).toMatchObject({ status: 'held' })
  })

  test('nor that what the portal captured was voided', async () => {
    const { payment_id } = await hold(account)
    await inPortal('capture', payment_id)
    const told = await run('settle', payment_id, '--as', 'voided', '--reason', 'so I think')
    expect(told.stderr).toContain('The acquirer says that it took GBP 42.00.')
    expect((await account.client.readPayment(payment_id)).body).toMatchObject({ status: 'held' })
  })

  test('takes the word of a person that a part was captured, up to what was authorised', async () => {
    const { payment_id } = await hold(account)
    const captured = ['settle', payment_id, '--as', 'captured', '--reason', 'captured in the portal', '--amount']
    expect((await run(...captured, '4201')).stderr).toContain('--amount must be at most 4200')
    let told = { stdout: '' }
    await withoutAcquirer(async () => {
      told = await run(...captured, '1200')
    })
    expect(told.stdout).toContain('The payment of GBP 42.00 counts as captured, with GBP 12.00 of it taken.')
    const { body } = await account.client.readPayment(payment_id)
    expect(body).toMatchObject({ status: 'captured', amount: 4200, captured_amount: 1200 })
  })

  test('takes the word of a person, with a reason that the journal keeps', async () => {
    const { payment_id } = await hold(account)
    expect((await run('settle', payment_id, '--as', 'voided')).stderr).toContain('needs --reason')
    expect((await run('settle', payment_id, '--reason', 'x')).stderr).toContain('goes with --as')
    const part = ['--amount', '1200', '--reason', 'x']
    expect((await run('settle', payment_id, '--as', 'voided', ...part)).stderr).toContain('goes with --as captured')
    const reason = 'released in the portal'
    let settled: Json
    await withoutAcquirer(async () => {
      settled = await answer('settle', payment_id, '--as', 'voided', '--reason', reason)
    })
    expect(settled).toMatchObject({ status: 'voided', hold: { decided_by: 'merchant' } })
    const [line] = await service.sql`
      select detail from journal where subject = ${payment_id} and change = 'payment.voided'`
    expect(line).toMatchObject({ detail: { settled_as: 'voided', reason } })
    // They may be wrong: what the acquirer holds all the same is taken back.
    const [orphan] = await service.sql`
      select state, amount from orphan_authorisations where payment_id = ${payment_id}`
    expect(orphan).toMatchObject({ state: 'found', amount: 4200 })
  })
})
