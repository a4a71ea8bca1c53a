// What can become of a refund's request and its answer, and of the process that sends it: in the end it is given back once, or
// not at all, and both ledgers say so.

import { afterEach, describe, expect, test } from 'vitest'
import { expectBooksAgree } from '../support/books.ts'
import { refusal } from '../support/client.ts'
import { eventsOf, runJob } from '../support/holding.ts'
import { countLockWaits } from '../support/lock-waits.ts'
import { driving, until } from '../support/service.ts'
import { type Fault, faults, gate, hour_ms, minute_ms, second_ms, useStage } from '../support/settling.ts'

const { clock, acquirer, service, other, proxy, account, elsewhere, settle } = await useStage(undefined, {
  lock_limit: 'none',
})
const { client } = account
const there = elsewhere(account).client

afterEach(async () => {
  acquirer.calm()
  proxy.thaw()
  await settle()
  await expectBooksAgree(other)
})

async function paid(): Promise<string> {
  const { body } = await client.pay()
  expect(body.status).toBe('captured')
  return body.payment_id
}

const sent = () => acquirer.calls.filter(({ verb }) => verb === 'refund')
const times = (count: number, fault: Fault): Fault[] => Array(count).fill(fault)
/** The acquirer answers a look so, and says nothing else about the reference for so long. */
const hiddenFor = (seconds: number): Fault[] => {
  const end_ms = clock.now().getTime() + seconds * second_ms
  return times(50, async (act) => (clock.now().getTime() < end_ms ? { result: 'not_found' } : act()))
}
const brokenFor = (hours: number): Fault[] => {
  const end_ms = clock.now().getTime() + hours * hour_ms
  return times(200, (act) => (clock.now().getTime() < end_ms ? faults.broken_before() : act()))
}
const taken: Fault = async (act) => {
  await act()
  return { result: 'accepted', acquirer_transaction_id: 'theirs' }
}
const at_work: Fault = async () => ({ result: 'in_progress' })

type Row = [name: string, refund: Fault[], looks: () => Fault[], sends: number]

describe('a refund', () => {
  test.each<Row>([
    ['answered late', [faults.answers_late], () => [], 1],
    ['there late', [faults.arrives_late], () => [], 1],
    ['lost after its effect', [faults.lost_after], () => [], 1],
    ['broken after its effect', [faults.broken_after], () => [], 1],
    ['never answered after its effect', [faults.never_after], () => [], 1],
    ['asked for in vain', [faults.lost_after], () => times(3, faults.broken_before), 1],
    ['not found within the safe window', [faults.lost_after], () => hiddenFor(30), 1],
    ['under way for an hour', [faults.lost_after], () => times(8, at_work), 1],
    ['accepted, and found', [taken], () => [], 1],
    ['accepted, and under way for an hour', [taken], () => times(8, at_work), 1],
    ['accepted, and not found for an hour', [taken], () => hiddenFor(3_600), 1],
    ['lost before its effect', [faults.lost_before], () => [], 2],
    ['broken before its effect', [faults.broken_before], () => [], 2],
    ['never answered', [faults.never], () => [], 2],
    ['not found, though it is there', [faults.lost_after], () => hiddenFor(40), 2],
    ['sent again, and lost', [faults.lost_before, faults.lost_after], () => [], 2],
    ['sent again, and answered late', [faults.lost_before, faults.answers_late], () => [], 2],
    ['sent again, and accepted', [faults.lost_before, taken], () => [], 2],
    ['sent again in vain, though it is there', [faults.lost_after, faults.not_sent], () => hiddenFor(40), 2],
    ['sent twice by the network', [faults.doubled], () => [], 1],
  ])('%s', async (_, met, looks, sends) => {
    const payment_id = await paid()
    const before = sent().length
    const key = `of ${payment_id}`
    acquirer.meet('refund', ...met)
    acquirer.meet('lookUp', ...looks())
    const first = await driving(clock, client.refund(payment_id, { amount: 1000 }, key))
    expect(first.status).toBe(201)
    await settle()
    const { body } = await there.readRefund(first.body.id)
    expect(body).toMatchObject({ status: 'succeeded', amount: 1000 })
    const calls = sent().slice(before)
    expect(calls).toHaveLength(sends)
    // Repeated, it is the same request.
    expect(new Set(calls.map(({ reference }) => reference)).size).toBe(1)
    const again = await there.refund(payment_id, { amount: 1000 }, key)
    expect(again.text).toBe(first.text)
    expect(await eventsOf(service, body.id)).toMatchObject([{ sequence: 1, type: 'refund.succeeded' }])
  })

  test('is looked up before it is sent again', async () => {
    const payment_id = await paid()
    const before = acquirer.calls.length
    acquirer.meet('refund', faults.lost_before)
    await client.refund(payment_id)
    await settle()
    const verbs = acquirer.calls.slice(before).map(({ verb }) => verb)
    expect(verbs[0]).toBe('refund')
    const again = verbs.lastIndexOf('refund')
    expect(verbs.slice(1, again)).toEqual(Array(again - 1).fill('lookUp'))
    expect(again).toBeGreaterThan(2)
  })

  test.each([
    ['sent again while the acquirer knows references', 22, 2],
    ['not sent any more where it may have forgotten them', 25, 1],
  ])('is %s', async (_, hours, sends) => {
    const payment_id = await paid()
    const before = sent().length
    acquirer.meet('refund', faults.lost_before)
    acquirer.meet('lookUp', ...brokenFor(hours))
    const { body } = await client.refund(payment_id)
    await settle()
    expect(sent().slice(before)).toHaveLength(sends)
    const [operation] = await service.sql`
      select waits_for_person_since is not null as waits from acquirer_operations
      join refunds using (merchant_id, operation_id) where refund_id = ${body.id}`
    expect(operation!.waits).toBe(sends === 1)
    if (sends > 1) return
    expect((await client.readRefund(body.id)).body.status).toBe('pending')
  })

  test('that is not sent at all has failed, and all is left', async () => {
    const payment_id = await paid()
    acquirer.meet('refund', faults.not_sent)
    const { status, body } = await client.refund(payment_id)
    expect([status, body.status, body.failure.code]).toEqual([...[201, 'failed', 'acquirer_unreachable']])
    expect(await settle()).toBe(0)
    expect((await client.refund(payment_id)).body).toMatchObject({ status: 'succeeded', amount: 4200 })
  })

  test.each([
    ['and nobody hears of it in time', faults.lost_after],
    ['after it was accepted', taken],
  ])('that is refused, %s, fails later', async (_, fault) => {
    const payment_id = await paid()
    acquirer.meet('refund', fault)
    const { body } = await client.refund(payment_id, { amount: 1013 })
    expect(body.status).toBe('pending')
    await settle()
    expect((await client.readRefund(body.id)).body).toMatchObject({
      status: 'failed',
      failure: { code: 'refund_refused' },
    })
    expect((await client.refund(payment_id)).body.amount).toBe(4200)
  })

  test('leaves the session alone while its answer is missing', async () => {
    const payment_id = await paid()
    acquirer.meet('refund', faults.lost_after)
    await client.refund(payment_id)
    const { checkout_session_id } = (await client.readPayment(payment_id)).body
    const { body } = await client.readSession(checkout_session_id)
    expect(body).toMatchObject({ status: 'succeeded', settlement: null })
  })

  test.each([
    ['succeeds', 1000, 'succeeded'],
    ['fails', 1013, 'failed'],
  ])('that %s clears the mark of an early release on its session', async (_, amount, status) => {
    const payment_id = await paid()
    acquirer.meet('refund', faults.lost_after)
    const { body } = await client.refund(payment_id, { amount })
    const { checkout_session_id } = (await client.readPayment(payment_id)).body
    await service.sql`
      update sessions set settlement = 'awaiting_reconciliation' where session_id = ${checkout_session_id}`
    await settle()
    expect((await client.readRefund(body.id)).body.status).toBe(status)
    expect((await client.readSession(checkout_session_id)).body.settlement).toBeNull()
  })
})

type When = 'before' | 'after'
const both: When[] = ['before', 'after']

/** Lets the first process die of what is armed while it refunds, and the other take over. */
async function crash(arm: () => void, payment_id: string, body: object) {
  arm()
  const dying = client.refund(payment_id, body, `of ${payment_id}`).catch(() => null)
  await driving(
    clock,
    until(async () => proxy.isStopped(), Boolean),
  )
  await clock.advance(second_ms)
  await settle([other])
  await clock.advance(30 * second_ms)
  await driving(clock, dying)
  await settle([other])
  acquirer.calm()
  proxy.start()
}

const atChange = (change: string, when: When) => () => proxy.stopAt(change, when)
const inCall = (when: When) => () =>
  acquirer.meet('refund', async (act) => {
    if (when === 'after') await act()
    proxy.stop()
    return new Promise<never>(() => {})
  })

describe('a process that dies', () => {
  test.each<[string, () => void, number, string]>([
    ['before the intent is committed', atChange('refund.begun', 'before'), 1000, 'succeeded'],
    ['after the intent is committed', atChange('refund.begun', 'after'), 1000, 'succeeded'],
    ['before the acquirer acts', inCall('before'), 1000, 'succeeded'],
    ['after the acquirer has acted', inCall('after'), 1000, 'succeeded'],
    ...both.flatMap((when): [string, () => void, number, string][] => [
      [`${when} the outcome is committed`, atChange('refund.succeeded', when), 1000, 'succeeded'],
      [`${when} the failure is committed`, atChange('refund.failed', when), 1013, 'failed'],
      [`${when} it is noted that it was accepted`, atChange('refund.accepted', when), 1017, 'succeeded'],
    ]),
  ])('%s leaves one refund, which a retry finds', async (_, arm, amount, status) => {
    const payment_id = await paid()
    await crash(arm, payment_id, { amount })
    const retried = await there.refund(payment_id, { amount }, `of ${payment_id}`)
    expect(retried.status).toBe(201)
    await settle()
    const { body } = await there.listRefunds(payment_id)
    expect(body.refunds).toMatchObject([{ id: retried.body.id, amount, status }])
    expect(await eventsOf(other, retried.body.id)).toMatchObject([{ type: `refund.${status}` }])
    const again = await there.refund(payment_id, { amount }, `of ${payment_id}`)
    expect(again.text).toBe(retried.text)
  })

  test('while its request runs elsewhere, a retry waits', async () => {
    const payment_id = await paid()
    const { fault, reached, open } = gate('answer')
    acquirer.meet('refund', fault)
    const first = client.refund(payment_id, {}, 'waiting')
    await reached
    expect(refusal(await there.refund(payment_id, {}, 'waiting'))).toBe('409 idempotency_key_reused')
    open()
    expect((await first).body.status).toBe('succeeded')
    expect((await there.refund(payment_id, {}, 'waiting')).text).toBe((await first).text)
  })
})

describe('a process that stands still', () => {
  test.each([
    ['six seconds, while nobody looks', 6 * second_ms, false],
    ['a minute, while the other process looks', minute_ms, true],
  ])('for %s between intent and call sends nothing', async (_, still_ms, is_looked_for) => {
    const payment_id = await paid()
    const before = sent().length
    proxy.freezeAt('refund.begun')
    const refunding = client.refund(payment_id, { amount: 1000 })
    await until(async () => proxy.isFrozen(), Boolean)
    await clock.advance(still_ms)
    // The other process finds nothing of it, and sends it itself.
    if (is_looked_for) await settle([other])
    proxy.thaw()
    const { body } = await driving(clock, refunding)
    expect(body.status).toBe(is_looked_for ? 'succeeded' : 'failed')
    expect(sent().slice(before)).toHaveLength(is_looked_for ? 1 : 0)
  })

  test('until its answer was found brings it in vain', async () => {
    const payment_id = await paid()
    const { fault, reached, open } = gate('answer')
    acquirer.meet('refund', fault)
    const refunding = client.refund(payment_id)
    await reached
    await clock.advance(20 * second_ms)
    const { body } = await refunding
    expect(body.status).toBe('pending')
    await settle([other])
    open()
    const late = () =>
      service.log.find(
        ({ message, fields }) =>
          message === 'late answer' && 'payment_id' in fields && fields.payment_id === payment_id,
      )
    expect((await until(async () => late(), Boolean))!.fields).toMatchObject({ counted: false })
    expect(await eventsOf(service, body.id)).toHaveLength(1)
  })
})

test('while a refund waits for the payment’s row, the row decides', async () => {
  const payment_id = await paid()
  const { waiting } = await other.sql.begin(async (tx) => {
    await tx`
      update payments set refunded_amount = 4000, refund_count = 7 where payment_id = ${payment_id}`
    const waiting = client.refund(payment_id, { amount: 1000 })
    await until(() => countLockWaits(other.sql), Boolean)
    return { waiting }
  })
  expect(refusal(await waiting)).toBe('409 refund_exceeds_captured')
  await other.sql`
    update payments set refunded_amount = 0, refund_count = 0 where payment_id = ${payment_id}`
})

test('a database that went back to before the answer hears it again, and gives nothing twice', async () => {
  const payment_id = await paid()
  const { body } = await client.refund(payment_id, { amount: 1000 })
  // As it was when the intent was committed.
  const [{ operation_id }] = (await service.sql`
    update refunds set status = 'pending', settled_at = null where refund_id = ${body.id}
    returning operation_id`) as unknown as [{ operation_id: string }]
  await service.sql`
    update acquirer_operations set state = 'sent', answer = null, answered_at = null,
      next_check_at = answer_by where operation_id = ${operation_id}`
  await service.sql`delete from events where payment_id = ${body.id}`
  await service.sql`delete from journal where subject = ${body.id}`
  const before = sent().length
  await settle()
  await runJob(service, 'reconcile')
  expect((await client.readRefund(body.id)).body.status).toBe('succeeded')
  expect(sent()).toHaveLength(before)
})
