// A process dies between each two steps of a charge, a capture, a void, a reversal: another goes on, and ends up with what
// the acquirer has.

import { afterEach, describe, expect, test } from 'vitest'
import { failed } from '../../src/acquirers/answers.ts'
import { listOperations } from '../../src/payments/acquirer-operations/operation-store.ts'
import { settleOperation } from '../../src/payments/acquirer-operations/record-answer.ts'
import { findWholePayment } from '../../src/payments/reading/payment-store.ts'
import { expectBooksAgree } from '../support/books.ts'
import { refusal } from '../support/client.ts'
import { eventsOf, hold, openUnverified, runJob } from '../support/holding.ts'
import { driving, until } from '../support/service.ts'
import { type Fault, faults, minute_ms, second_ms, useStage, type Verb } from '../support/settling.ts'

const { clock, acquirer, service, other, proxy, account, elsewhere, run, settle } = await useStage()
const there = elsewhere(account).client
const { client } = account
const withDeadline = (at_deadline: 'capture' | 'void') =>
  service.newAccount({ integration: { at_deadline, review_window_seconds: 60 } })
const impatient = { capture: await withDeadline('capture'), void: await withDeadline('void') }
/** The process that lives on. */
const survivor = [other]

afterEach(() => expectBooksAgree(other))

type When = 'before' | 'after'
/** When the process is to die. */
type Death = { name: string; arm: () => void }

/** It dies at the statement that writes this change: before it is committed, or after and before it hears of that. */
const atChange = (change: string, when: When): Death => ({
  name: `${when} ${change} is committed`,
  arm: () => proxy.stopAt(change, when),
})

/** It dies in a call to the acquirer, before that has acted or after. Earlier calls meet what is given. */
const inCall = (verb: Verb, when: When, ...earlier: Fault[]): Death => ({
  name: `${when} the acquirer acts on ${verb}`,
  arm: () => acquirer.meet(verb, ...earlier, (act) => dieIn(act, when)),
})

async function dieIn(act: () => Promise<unknown>, when: When): Promise<never> {
  if (when === 'after') await act()
  proxy.stop()
  return new Promise<never>(() => {})
}

const both: When[] = ['before', 'after']
const during = (change: string): Death[] => both.map((when) => atChange(change, when))

/**
 * Lets the first process die of what is armed while it does this, and the other take over after a while. In the end the
 * dead one's requests are over, too, and it can be used again.
 */
async function crash({ arm }: Death, act: () => Promise<unknown>, meanwhile = async () => {}) {
  arm()
  const dying = act().catch(() => null)
  await driving(
    clock,
    until(async () => proxy.isStopped(), Boolean),
  )
  await clock.advance(second_ms)
  await meanwhile()
  await settle(survivor)
  await clock.advance(30 * second_ms)
  await driving(clock, dying)
  // The database may have done the dead one's last statement after the other had looked for the first time.
  await settle(survivor)
  acquirer.calm()
  proxy.start()
  await until(isServed, Boolean)
}

/** Whether the process that died has its database again: a connection is made anew, which a busy machine may give up. */
const isServed = () =>
  service.sql`select 1`.then(
    () => true,
    () => false,
  )

/** The process that is to die looks for answers until it does. */
async function searchUntilDead(): Promise<void> {
  while (!proxy.isStopped()) {
    const [row] = await other.sql<{ due: Date }[]>`
      select min(next_check_at) as due from acquirer_operations`
    await clock.advance(Math.max(0, row!.due.getTime() - clock.now().getTime()))
    await runJob(service, 'reconcile')
  }
}

const named = <Row extends { death: Death }>(rows: Row[]) => rows.map((row) => ({ ...row, name: row.death.name }))

describe.each([
  ['verified', () => client.open(), 'captured'],
  ['not verified', () => openUnverified(account), 'held'],
] as const)('a charge of an amount that is %s', (_, open, paid) => {
  const rows = [
    { death: atChange('charge.begun', 'before'), status: paid },
    { death: atChange('charge.begun', 'after'), status: 'failed' },
    { death: inCall('authorise', 'before'), status: 'failed' },
    { death: inCall('authorise', 'after'), status: paid },
    ...during(`payment.${paid}`).map((death) => ({ death, status: paid })),
  ]

  test.each(named(rows))('$name: $status', async ({ death, status }) => {
    const session = await open()
    await client.present(session)
    await crash(death, () => client.confirm(session))
    const { body } = await there.confirm(session)
    expect(body.status).toBe(status)
    expect(await eventsOf(other, body.payment_id)).toMatchObject([{ type: `payment.${status}` }])
  })
})

describe('a charge whose answer was lost', () => {
  /** The acquirer has it and does not find it for so long. */
  const hidden = (seconds: number) => {
    const end = clock.now().getTime() + seconds * second_ms
    const look: Fault = async (act) => (clock.now().getTime() < end ? { result: 'not_found' } : act())
    acquirer.meet('lookUp', ...Array<Fault>(20).fill(look))
  }
  const there_after_all = () => {
    acquirer.meet('authorise', faults.lost_after)
    hidden(40)
  }
  const nowhere = () => acquirer.meet('authorise', faults.lost_before)
  const found = () => acquirer.meet('authorise', faults.lost_after)

  const rows = [
    ...during('charge.unanswered').map((death) => ({ death, lose: found, status: 'captured' })),
    ...both.map((when) => ({ death: inCall('lookUp', when), lose: found, status: 'captured' })),
    ...during('payment.captured').map((death) => ({ death, lose: found, status: 'captured' })),
    { death: atChange('reverse.begun', 'before'), lose: there_after_all, status: 'captured' },
    ...[
      atChange('reverse.begun', 'after'),
      ...both.map((when) => inCall('reverse', when)),
      ...during('reverse.approved'),
      ...during('payment.failed'),
    ].map((death) => ({ death, lose: there_after_all, status: 'failed' })),
    ...[...both.map((when) => inCall('reverse', when)), ...during('reverse.refused'), ...during('payment.failed')].map(
      (death) => ({ death, lose: nowhere, status: 'failed' }),
    ),
  ]

  test.each(named(rows))('$name: $status', async ({ death, lose, status }) => {
    const session = await client.open()
    await client.present(session)
    lose()
    await crash(death, async () => {
      await client.confirm(session)
      await searchUntilDead()
    })
    const { body } = await there.confirm(session)
    expect(body.status).toBe(status)
    expect(await eventsOf(other, body.payment_id)).toMatchObject([{ type: `payment.${status}` }])
  })

  test.each(named(during('operation.waits_for_person').map((death) => ({ death }))))(
    '$name: it waits for a person',
    async ({ death }) => {
      const session = await client.open()
      await client.present(session, '4000009190450000')
      await crash(death, async () => {
        await client.confirm(session)
        await searchUntilDead()
      })
      const [operation] = await other.sql<{ since: Date }[]>`
        select waits_for_person_since as since from acquirer_operations
        join payments using (merchant_id, payment_id) where session_id = ${session.id}`
      expect(operation!.since).not.toBeNull()
    },
  )
})

describe.each([
  ['capture', 'captured', '4000009190520000'],
  ['void', 'voided', '4000009190600000'],
] as const)('a %s', (verb, status, refused_once) => {
  const steps = [...during(`${verb}.begun`), ...both.map((when) => inCall(verb, when)), ...during(`payment.${status}`)]
  const lost = [
    ...during(`${verb}.unanswered`).map((death) => ({ death, lose: faults.lost_after })),
    ...during(`payment.${status}`).map((death) => ({ death, lose: faults.lost_after })),
    ...during(`${verb}.sent_again`).map((death) => ({ death, lose: faults.lost_before })),
    ...both.map((when) => ({ death: inCall(verb, when, faults.lost_before), lose: null })),
    ...during(`payment.${status}`).map((death) => ({ death, lose: faults.lost_before })),
  ]

  async function expectDecided(payment_id: string, by: 'merchant' | 'rules'): Promise<void> {
    const [payment] = await other.sql`select status from payments where payment_id = ${payment_id}`
    expect(payment).toEqual({ status })
    const [held, decided, ...more] = await eventsOf(other, payment_id)
    expect([held?.type, more]).toEqual(['payment.held', []])
    expect(decided).toMatchObject({ sequence: 2, type: `payment.${status}` })
    expect(decided!.envelope.data.hold).toMatchObject({ status, decided_by: by })
  }

  /** A retry gets the outcome, and from then on always the same. */
  async function expectRetried(payment_id: string, key: string): Promise<void> {
    const retried = await there.decideHold(verb, payment_id, key)
    expect(retried.body).toMatchObject({ status, settlement: null, hold: { status } })
    expect((await there.decideHold(verb, payment_id, key)).text).toBe(retried.text)
  }

  test.each(named(steps.map((death) => ({ death }))))("a merchant's, $name", async ({ death }) => {
    const { payment_id } = await hold(account)
    const key = `of ${payment_id}`
    await crash(death, () => client.decideHold(verb, payment_id, key))
    await expectRetried(payment_id, key)
    await expectDecided(payment_id, 'merchant')
  })

  test.each(named(lost))("a merchant's whose answer was lost, $name", async ({ death, lose }) => {
    const { payment_id } = await hold(account)
    if (lose) acquirer.meet(verb, lose)
    await crash(death, async () => {
      await client.decideHold(verb, payment_id)
      await searchUntilDead()
    })
    await expectDecided(payment_id, 'merchant')
  })

  test.each(both)("a merchant's, %s its answer is kept for retries", async (when) => {
    const { payment_id } = await hold(account)
    const key = `kept for ${payment_id}`
    const arm = () => {
      acquirer.meet(verb, async (act) => {
        // The next statement that names the key is the one that keeps the answer.
        proxy.stopAt(key, when)
        return act()
      })
    }
    await crash({ name: '', arm }, () => client.decideHold(verb, payment_id, key))
    await expectRetried(payment_id, key)
    await expectDecided(payment_id, 'merchant')
  })

  test.each(named(during(`${verb}.refused`).map((death) => ({ death }))))(
    "a merchant's that is refused, $name: the hold is open, its key is free",
    async ({ death }) => {
      const { payment_id } = await hold(account, refused_once)
      const key = `refused ${payment_id}`
      await crash(death, () => client.decideHold(verb, payment_id, key))
      const [row] = await other.sql`
        select status, operation_refusal from holds where payment_id = ${payment_id}`
      expect(row).toMatchObject({ status: 'pending_review', operation_refusal: { kind: verb } })
      await expectRetried(payment_id, key)
      await expectDecided(payment_id, 'merchant')
    },
  )

  test('a key that was refused before, and is under way when the process dies', async () => {
    const { payment_id } = await hold(account, refused_once)
    const key = `twice ${payment_id}`
    const retry = () => there.decideHold(verb, payment_id, key)
    expect(refusal(await retry())).toBe('409 operation_refused')
    await crash(
      inCall(verb, 'after'),
      () => client.decideHold(verb, payment_id, key),
      async () => expect(refusal(await retry())).toBe('409 idempotency_key_reused'),
    )
    await expectRetried(payment_id, key)
  })

  test.each(named(steps.map((death) => ({ death }))))("the rules', $name", async ({ death }) => {
    // Holds of earlier tests may be due by now. The dead process must have none of them in hand: the database could do
    // its last statement about one of them after the last search for answers.
    await run('apply_hold_rules', survivor)
    const { payment_id } = await hold(impatient[verb])
    await clock.advance(minute_ms)
    await crash(death, () => runJob(service, 'apply_hold_rules'))
    await clock.advance(2 * minute_ms)
    await run('apply_hold_rules', survivor)
    await expectDecided(payment_id, 'rules')
  })
})

test.each(named(during('hold.escalated').map((death) => ({ death }))))('an escalation, $name', async ({ death }) => {
  const { payment_id } = await hold(account)
  const key = `of ${payment_id}`
  await crash(death, () => client.decideHold('escalate', payment_id, key))
  const retried = await there.decideHold('escalate', payment_id, key)
  expect(retried.body).toMatchObject({ status: 'held', hold: { status: 'escalated' } })
  expect((await there.decideHold('escalate', payment_id, key)).text).toBe(retried.text)
})

test('an answer that cannot be saved until another one was found is not given to the shopper', async () => {
  const session = await client.open()
  await client.present(session, '4000000000000002')
  proxy.stopAt('payment.declined', 'before')
  const confirming = client.confirm(session)
  await until(async () => proxy.isStopped(), Boolean)
  const { payment_id } = (await there.readSession(session.id)).body
  const key = { merchant_id: account.merchant_id, payment_id }
  const whole = (await findWholePayment(other.sql, key))!
  const [operation] = await listOperations(other.sql, key)
  const cause = { actor: 'reconciler', request_id: null } as const
  await settleOperation(other.context, { ...whole, operation: operation!, cause }, failed('Gone'))
  proxy.start()
  const { body } = await driving(clock, confirming)
  expect(body).toMatchObject({ status: 'failed', payment_id, decline: { reason: 'Gone' } })
})
