// What merchants' rules do with their holds as time passes, whatever the acquirer and people do meanwhile.

import { afterEach, describe, expect, test } from 'vitest'
import { changeMerchant } from '../../src/merchants/manage.ts'
import { expectBooksAgree } from '../support/books.ts'
import { type Json, refusal } from '../support/client.ts'
import { eventsOf, type Held, hold, runJob } from '../support/holding.ts'
import { type Account, type AccountOptions, driving } from '../support/service.ts'
import {
  day_ms,
  type Fault,
  faults,
  hour_ms,
  minute_ms,
  second_ms,
  silentCalls,
  useStage,
} from '../support/settling.ts'

const { clock, acquirer, service, other, elsewhere, run, settle } = await useStage()

afterEach(async () => {
  await settle()
  await expectBooksAgree(service)
})

type Rules = NonNullable<AccountOptions['integration']>

const merchantWith = (rules: Rules) => service.newAccount({ integration: rules })
const applyRules = () => run('apply_hold_rules')

/** Lets time pass, and the rules be applied. */
async function pass(duration_ms: number): Promise<void> {
  await clock.advance(duration_ms)
  await applyRules()
}

async function holdOf({ client }: Account, { session }: Held): Promise<Json> {
  return (await client.readSession(session.id)).body.hold
}

const waiting = { status: 'pending_review', decided_by: null, decided_at: null }

async function expectDecided(account: Account, held: Held, status: string, by = 'rules') {
  expect(await holdOf(account, held)).toMatchObject({ status, decided_by: by })
  expect((await account.client.readPayment(held.payment_id)).body.status).toBe(status)
  const [, decided] = await eventsOf(service, held.payment_id)
  expect(decided).toMatchObject({ sequence: 2, type: `payment.${status}` })
  expect(decided!.envelope.data.hold).toMatchObject({ status, decided_by: by })
}

describe('at the deadline', () => {
  test.each([
    ['void', 'voided'],
    ['capture', 'captured'],
  ] as const)('%s, and not a second before', async (at_deadline, status) => {
    const account = await merchantWith({ at_deadline, review_window_seconds: 3600 })
    const held = await hold(account)
    await pass(hour_ms - second_ms)
    expect(await applyRules()).toBe(0)
    expect(await holdOf(account, held)).toMatchObject(waiting)
    await pass(second_ms)
    await expectDecided(account, held, status)
    expect(await applyRules()).toBe(0)
    for (const verb of ['capture', 'void', 'escalate']) {
      const answer = await account.client.decideHold(verb, held.payment_id)
      expect(refusal(answer)).toBe('409 hold_already_decided')
    }
  })

  test('without rules of its own a merchant has five days, and then it is released', async () => {
    const account = await merchantWith({})
    const held = await hold(account)
    await pass(5 * day_ms - second_ms)
    expect(await holdOf(account, held)).toMatchObject(waiting)
    await pass(second_ms)
    await expectDecided(account, held, 'voided')
  })

  test('an escalated one, too', async () => {
    const account = await merchantWith({ at_deadline: 'capture', review_window_seconds: 3600 })
    const held = await hold(account)
    await account.client.decideHold('escalate', held.payment_id)
    await pass(hour_ms - second_ms)
    expect(await holdOf(account, held)).toMatchObject({ ...waiting, status: 'escalated' })
    await pass(second_ms)
    await expectDecided(account, held, 'captured')
  })

  test('a suspended merchant, too', async () => {
    const account = await merchantWith({ review_window_seconds: 3600 })
    const held = await hold(account)
    await changeMerchant(service.operator, account.merchant_id, { status: 'suspended' })
    await pass(hour_ms)
    expect(await eventsOf(service, held.payment_id)).toMatchObject([{}, { type: 'payment.voided' }])
  })

  test.each(['capture', 'void'])('a person was faster with %s', async (verb) => {
    const account = await merchantWith({ review_window_seconds: 3600 })
    const held = await hold(account)
    await clock.advance(hour_ms)
    await account.client.decideHold(verb, held.payment_id)
    expect(await applyRules()).toBe(0)
    await expectDecided(account, held, verb === 'capture' ? 'captured' : 'voided', 'merchant')
  })

  test('120 of several merchants, after the clock was moved by a month', async () => {
    const kinds = [
      { account: await merchantWith({}), status: 'voided' },
      { account: await merchantWith({ at_deadline: 'capture' }), status: 'captured' },
    ]
    const holds = await Promise.all(
      Array.from({ length: 120 }, async (_, at) => {
        const { account, status } = kinds[at % 2]!
        return { account, status, held: await hold(account) }
      }),
    )
    await clock.advance(30 * day_ms)
    let count = 0
    for (let some = -1; some !== 0; count += some) some = await applyRules()
    expect(count).toBe(120)
    for (const { account, status, held } of holds) await expectDecided(account, held, status)
  }, 60_000)
})

describe('escalation', () => {
  test('at its time, without an event, and the deadline stays', async () => {
    const account = await merchantWith({ escalate_after_seconds: 600, review_window_seconds: 3600 })
    const held = await hold(account)
    await pass(10 * minute_ms - second_ms)
    expect(await holdOf(account, held)).toMatchObject(waiting)
    const { deadline } = await holdOf(account, held)
    await pass(second_ms)
    expect(await holdOf(account, held)).toMatchObject({ ...waiting, status: 'escalated', deadline })
    expect(await eventsOf(service, held.payment_id)).toHaveLength(1)
    expect(await applyRules()).toBe(0)
    await pass(50 * minute_ms)
    await expectDecided(account, held, 'voided')
  })

  test.each([3600, 7200])('after %i s comes too late for a deadline of an hour', async (seconds) => {
    const account = await merchantWith({ escalate_after_seconds: seconds, review_window_seconds: 3600 })
    const held = await hold(account)
    await pass(hour_ms)
    await expectDecided(account, held, 'voided')
  })

  test('a person escalated it before: nothing changes', async () => {
    const account = await merchantWith({ escalate_after_seconds: 600 })
    const held = await hold(account)
    await account.client.decideHold('escalate', held.payment_id)
    await pass(10 * minute_ms)
    expect(await holdOf(account, held)).toMatchObject({ ...waiting, status: 'escalated' })
    const lines = await service.sql`
      select 1 from journal where subject = ${held.payment_id} and change = 'hold.escalated'`
    expect(lines).toHaveLength(1)
  })
})

describe('small amounts', () => {
  const price_list = [{ sku: 'tea', name: 'Tea', unit_amount: 850, currency: 'GBP' }]

  test.each([
    ['below the limit', 4199, {}, 'captured'],
    ['the limit itself', 4200, {}, 'held'],
    ['above it', 4201, {}, 'held'],
    ['below it, and not what the list says', 4199, { price_list }, 'captured'],
    ['above it, and not what the list says', 4201, { price_list }, 'held'],
  ] as const)('%s: %i', async (_, amount, more, status) => {
    const account = await merchantWith({ capture_below: 4200, ...more } as Rules)
    const held = await hold(account, undefined, { amount })
    const reason = 'price_list' in more ? 'mismatch' : 'no_price_list'
    expect(await holdOf(account, held)).toMatchObject({ ...waiting, reason })
    expect(await eventsOf(service, held.payment_id)).toMatchObject([{ type: 'payment.held' }])
    await applyRules()
    if (status === 'captured') await expectDecided(account, held, 'captured')
    else expect(await holdOf(account, held)).toMatchObject(waiting)
    expect(await applyRules()).toBe(0)
  })

  test('one that a person looks at is left to them until the deadline', async () => {
    const account = await merchantWith({ capture_below: 5000, review_window_seconds: 3600 })
    const held = await hold(account)
    await account.client.decideHold('escalate', held.payment_id)
    await pass(hour_ms - second_ms)
    expect(await holdOf(account, held)).toMatchObject({ ...waiting, status: 'escalated' })
    await pass(second_ms)
    await expectDecided(account, held, 'voided')
  })

  test('one that is refused until it is to be escalated is escalated', async () => {
    const account = await merchantWith({ capture_below: 5000, escalate_after_seconds: 30 })
    const held = await hold(account, '4000009190520000')
    await applyRules()
    expect((await holdOf(account, held)).operation_refusal).toMatchObject({ kind: 'capture' })
    await pass(30 * second_ms)
    expect(await holdOf(account, held)).toMatchObject({ ...waiting, status: 'escalated' })
  })

  test('one that is refused until the deadline is released then, at once', async () => {
    const account = await merchantWith({ capture_below: 5000, review_window_seconds: 30 })
    const held = await hold(account, '4000009190520000')
    await applyRules()
    await pass(30 * second_ms)
    await expectDecided(account, held, 'voided')
  })
})

describe.each([
  ['capture', 'captured', '4000009190520000'],
  ['void', 'voided', '4000009190600000'],
] as const)('an acquirer that refuses the %s', (verb, status, refused_once) => {
  test('once: it is logged, and a minute later tried again', async () => {
    const account = await merchantWith({ at_deadline: verb, review_window_seconds: 3600 })
    const held = await hold(account, refused_once)
    await pass(hour_ms)
    expect(await holdOf(account, held)).toMatchObject({
      ...waiting,
      operation_refusal: { kind: verb, sequence: 1, decline_code: 'do_not_honor' },
    })
    expect(await eventsOf(service, held.payment_id)).toHaveLength(1)
    await pass(47 * second_ms)
    expect(await holdOf(account, held)).toMatchObject(waiting)
    await pass(25 * second_ms)
    await expectDecided(account, held, status)
  })

  test('eight times: later and later, until it works; a refusal of a person changes nothing', async () => {
    const account = await merchantWith({ at_deadline: verb, review_window_seconds: 3600 })
    const held = await hold(account)
    const no: Fault = async () => ({ result: 'refused', reason: 'No', decline_code: null, authorisation_known: true })
    acquirer.meet(verb, ...Array(8).fill(no))
    await pass(hour_ms)
    let before = clock.now()
    for (const [at, wait] of [60, 300, 1800, 7200, 21600, 43200].entries()) {
      if (at === 2) {
        const asked = await account.client.decideHold(verb, held.payment_id)
        expect(refusal(asked)).toBe('409 operation_refused')
      }
      const [row] = await service.sql<[{ rules_at: Date }]>`
        select rules_at from holds where payment_id = ${held.payment_id}`
      const waits = (row.rules_at.getTime() - before.getTime()) / second_ms
      expect(Math.abs(waits - wait)).toBeLessThanOrEqual(wait * 0.2)
      await pass(row.rules_at.getTime() - clock.now().getTime() - second_ms)
      const { sequence } = (await holdOf(account, held)).operation_refusal
      expect(sequence).toBe(at < 2 ? at + 1 : at + 2)
      await pass(second_ms)
      before = clock.now()
      const { operation_refusal, ...open } = await holdOf(account, held)
      expect(open).toMatchObject(waiting)
      expect(operation_refusal).toMatchObject({ kind: verb, sequence: sequence + 1 })
    }
    await pass(43200 * 1.2 * second_ms)
    await expectDecided(account, held, status)
  })

  test('a person may try in between', async () => {
    const account = await merchantWith({ at_deadline: verb, review_window_seconds: 3600 })
    const held = await hold(account, refused_once)
    await pass(hour_ms)
    const decided = await account.client.decideHold(verb, held.payment_id)
    expect(decided.body).toMatchObject({ status, hold: { decided_by: 'merchant' } })
    await pass(day_ms)
    await expectDecided(account, held, status, 'merchant')
  })

  test.each(['lost_before', 'lost_after', 'never', 'answers_late'] as const)(
    'not, but its answer is %s: the rules have decided',
    async (name) => {
      const account = await merchantWith({ at_deadline: verb, review_window_seconds: 3600 })
      const held = await hold(account)
      acquirer.meet(verb, faults[name])
      await pass(hour_ms)
      await settle()
      await expectDecided(account, held, status)
    },
  )

  test('nothing left this machine: it is tried again', async () => {
    const account = await merchantWith({ at_deadline: verb, review_window_seconds: 3600 })
    const held = await hold(account)
    acquirer.meet(verb, faults.not_sent)
    await pass(hour_ms)
    expect((await holdOf(account, held)).operation_refusal).toMatchObject({ kind: verb })
    await pass(72 * second_ms)
    await expectDecided(account, held, status)
  })
})

describe('the deadline passes while the answer to a capture is missing', () => {
  const rules = { review_window_seconds: 3600 }

  /** A merchant captures shortly before the deadline. */
  async function captureInTime(fault: Fault, number?: string): Promise<[Account, Held]> {
    const account = await merchantWith(rules)
    const held = await hold(account, number)
    await clock.advance(hour_ms - second_ms)
    acquirer.meet('capture', fault)
    const asked = await driving(clock, account.client.decideHold('capture', held.payment_id))
    expect(asked.body).toMatchObject({ status: 'held', settlement: 'awaiting_reconciliation' })
    await pass(minute_ms)
    expect(await holdOf(account, held)).toMatchObject(waiting)
    return [account, held]
  }

  test.each(['lost_before', 'lost_after', 'never', 'never_after'] as const)(
    '%s: the capture counts, the rules come too late',
    async (name) => {
      const [account, held] = await captureInTime(faults[name])
      await settle()
      await expectDecided(account, held, 'captured', 'merchant')
      await pass(day_ms)
      await expectDecided(account, held, 'captured', 'merchant')
    },
  )

  test('it was refused: the rules are next', async () => {
    const [account, held] = await captureInTime(faults.lost_after, '4000009190520000')
    await settle()
    expect(await holdOf(account, held)).toMatchObject(waiting)
    await applyRules()
    await expectDecided(account, held, 'voided')
  })
})

test('nothing is begun after its lease, however many are due and however silent the acquirer is', async () => {
  const account = await merchantWith({ at_deadline: 'capture', review_window_seconds: 3600 })
  // Three times what is taken at once.
  const holds = await Promise.all(Array.from({ length: 48 }, () => hold(account)))
  const leases: boolean[] = []
  const { fault, passing } = silentCalls(clock, 8, async (reference) => {
    const [row] = await other.sql<[{ rules_at: Date }]>`
      select rules_at from holds where operation_id = ${reference}`
    leases.push(row.rules_at > clock.now())
  })
  acquirer.meet('capture', ...Array<Fault>(48).fill(fault))
  await clock.advance(hour_ms)
  await passing(runJob(service, 'apply_hold_rules'))
  expect(leases).toEqual(Array(48).fill(true))
  await settle()
  for (const held of holds) await expectDecided(account, held, 'captured')
})

test('the rules of a hold are those of the day on which it was made', async () => {
  const account = await merchantWith({ at_deadline: 'void', review_window_seconds: 3600 })
  const before = await hold(account)
  await service.sql`update integrations set at_deadline = 'capture', review_window_seconds = 60,
    escalate_after_seconds = 30, capture_below = 100000 where merchant_id = ${account.merchant_id}`
  // Each process keeps settings for half a minute.
  await pass(minute_ms)
  const after = await hold(account)
  await applyRules()
  expect(await holdOf(account, before)).toMatchObject(waiting)
  await expectDecided(account, after, 'captured')
  await pass(59 * minute_ms)
  await expectDecided(elsewhere(account), before, 'voided')
})
