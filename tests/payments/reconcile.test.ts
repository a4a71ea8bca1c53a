// Charges whose answer is lost: each is found out at its time, told once, and until then nothing else may happen.

import { afterEach, describe, expect, test } from 'vitest'
import { resolveOperation } from '../../src/payments/acquirer-operations/resolve.ts'
import { expectBooksAgree } from '../support/books.ts'
import { type Answer, refusal, runChallenge, type SessionSecret } from '../support/client.ts'
import { booksOf, eventsOf, openUnverified, runJob } from '../support/holding.ts'
import { driving, until } from '../support/service.ts'
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

const { clock, acquirer, service, other, account, elsewhere, run, settle } = await useStage()
const { client } = account

afterEach(async () => {
  await settle()
  await expectBooksAgree(service)
})

type LostCharge = { session: SessionSecret; payment_id: string; sent_at: Date; told: Answer }

const lost_then_captured = '4000009190290000'
const lost_then_failed = '4000009190370000'
const lost_then_declined = '4000009190860000'
const lost_for_ever = '4000009190450000'

/** Charges with a card whose answer is lost, and hears that nobody knows. */
async function lose(session: SessionSecret, number: string): Promise<LostCharge> {
  const { body } = await client.present(session, number)
  if (body.three_ds.challenge) await runChallenge(body.three_ds.challenge.url)
  const sent_at = clock.now()
  const told = await driving(clock, client.confirm(session))
  expect(told.body).toMatchObject({ status: 'processing', decline: null })
  return { session, payment_id: told.body.payment_id, sent_at, told }
}

const open = { verified: () => client.open(), unverified: () => openUnverified(account) }

async function expectUnknown({ session, payment_id, told }: LostCharge): Promise<void> {
  expect((await client.readSession(session.id)).body).toMatchObject({
    status: 'processing',
    settlement: 'awaiting_reconciliation',
    hold: null,
    payment_id,
  })
  expect((await client.readPayment(payment_id)).body).toMatchObject({
    status: 'pending',
    capture_state: null,
    decline: null,
    executed_at: null,
  })
  expect((await elsewhere(account).client.confirm(session)).text).toBe(told.text)
  expect(await eventsOf(service, payment_id)).toEqual([])
}

/** The outcome, as everybody reads it. Returns what a retry of confirm gets. */
async function expectKnown({ session, payment_id }: LostCharge, status: string) {
  const recorded = await client.confirm(session)
  expect(recorded.body).toMatchObject({ status, payment_id })
  expect((await elsewhere(account).client.confirm(session)).text).toBe(recorded.text)
  expect((await client.readPayment(payment_id)).body).toMatchObject({ status })
  expect((await client.readSession(session.id)).body).toMatchObject({ settlement: null })
  expect(await eventsOf(service, payment_id)).toMatchObject([
    { sequence: 1, type: `payment.${status}`, envelope: { data: { status } } },
  ])
  return recorded.body
}

/** As a person does. Returns the operation's id. */
async function resolve({ payment_id }: LostCharge, outcome: 'failed'): Promise<string> {
  const key = { merchant_id: account.merchant_id, payment_id }
  const told = { acquirer_transaction_id: null, reason: 'They say so', by: 'ada' }
  return (await resolveOperation(service.context, key, { outcome, ...told })).operation_id
}

describe('each card, as a worker finds out second by second', () => {
  const cards = [
    [lost_then_captured, 'captured', 'held', 31],
    [lost_then_failed, 'failed', 'failed', 37],
    [lost_then_declined, 'declined', 'declined', 31],
    [lost_for_ever, 'processing', 'processing', null],
    ['4100000000000001', 'captured', 'held', 31],
    ['4000009190240070', 'captured', 'held', 31],
  ] as const

  test.each(cards)('%s: %s, or %s where the amount is not verified', async (...row) => {
    const [number, verified, unverified, after_seconds] = row
    for (const [kind, status] of [
      ['verified', verified],
      ['unverified', unverified],
    ] as const) {
      const lost = await lose(await open[kind](), number)
      let known_after: number | null = null
      while (clock.now().getTime() < lost.sent_at.getTime() + 60 * second_ms) {
        await clock.advance(second_ms)
        await run('reconcile')
        if (known_after !== null) continue
        const { body } = await client.confirm(lost.session)
        if (body.status === 'processing') await expectUnknown(lost)
        else known_after = (clock.now().getTime() - lost.sent_at.getTime()) / second_ms
      }
      expect(known_after).toBe(after_seconds)
      if (after_seconds !== null) await expectKnown(lost, status)
      const books = await booksOf(service, lost.payment_id)
      const expected = { captured: [true, true], held: [true, false] }[status as 'held'] ?? [false, false]
      expect([!!books?.authorised_at, !!books?.captured_at]).toEqual(expected)
    }
  })
})

describe('once it is known', () => {
  test.each([
    [lost_then_declined, 'declined', 'do_not_honor'],
    [lost_then_failed, 'failed', 'processing_error'],
  ])('%s: %s, and another card may be tried', async (number, status, code) => {
    const session = await client.open()
    const next = await client.reference(session)
    const lost = await lose(session, number)
    expect(refusal(await client.authenticate(session, next))).toBe('409 session_processing')
    await settle()
    const body = await expectKnown(lost, status)
    expect(body).toMatchObject({ decline: { code }, attempts_left: 2, confirmation_url: null })
    expect((await client.readSession(session.id)).body).toMatchObject({
      status: 'requires_payment',
      attempt_count: 1,
      last_decline: { code },
    })
    expect((await client.authenticate(session, next)).body.attempt.number).toBe(2)
    const paid = (await client.confirm(session)).body
    expect(paid).toMatchObject({ status: 'captured', attempts_left: 1 })
    expect(paid.payment_id).not.toBe(lost.payment_id)
    expect((await client.readPayment(lost.payment_id)).body.status).toBe(status)
  })

  test('three declines that were lost use the attempts up', async () => {
    const session = await client.open()
    for (const attempts_left of [2, 1, 0]) {
      const lost = await lose(session, lost_then_declined)
      expect(lost.told.body.attempts_left).toBe(attempts_left)
      await settle()
      expect(await expectKnown(lost, 'declined')).toMatchObject({ attempts_left })
    }
    expect((await client.readSession(session.id)).body).toMatchObject({ status: 'declined' })
    const reference = await client.referenceCard(session, { number: '4242424242424242' })
    expect(reference.status).not.toBe(201)
  })

  test.each([
    [lost_then_captured, 'captured', 'succeeded', '409 session_completed'],
    [lost_then_declined, 'declined', 'expired', '409 session_expired'],
    [lost_then_failed, 'failed', 'expired', '409 session_expired'],
  ])('%s: %s, though the session has expired meanwhile', async (number, status, reads, refuses) => {
    const session = await client.open()
    await clock.advance(30 * minute_ms - 20 * second_ms)
    const other = await client.reference(session)
    const lost = await lose(session, number)
    await clock.advance(20 * second_ms)
    await expectUnknown(lost)
    await settle()
    await expectKnown(lost, status)
    expect((await client.readSession(session.id)).body.status).toBe(reads)
    expect(refusal(await client.authenticate(session, other))).toBe(refuses)
  })
})

/** Presents the card in that many sessions and confirms them, so that all are on their way before time goes on. */
async function loseMany(count: number, number: string): Promise<void> {
  const sessions = await Promise.all(Array.from({ length: count }, () => client.open()))
  await Promise.all(sessions.map((session) => client.present(session, number)))
  const sent = () => acquirer.calls.filter(({ verb }) => verb === 'authorise').length
  const before = sent()
  const confirming = Promise.all(sessions.map((session) => client.confirm(session)))
  await until(
    async () => sent(),
    (now) => now === before + count,
  )
  await driving(clock, confirming)
}

describe('looks', () => {
  /** What the looks of a charge answer, and for how long after them it is left alone, in seconds. */
  const waits = [15, 60, 300, 900, 3600]
  const window_end = 31

  /** The first look comes 5 s after the answer was given up, 2 s after the charge was sent. */
  function expectSchedule(looks: number[]): void {
    expect(looks[0]).toBe(7)
    for (const [at, look] of looks.entries()) {
      if (at === 0 || look === window_end) continue
      const wait = waits[Math.min(at, waits.length) - 1]!
      expect(Math.abs(look - looks[at - 1]! - wait)).toBeLessThanOrEqual(wait * 0.2)
    }
    expect(looks).toContain(window_end)
  }

  const unable: Fault = faults.broken_before
  const silent: Fault = faults.never
  const kinds = [
    ['an acquirer that is at it for ever', []],
    ['an acquirer that cannot be asked', Array<Fault>(200).fill(unable)],
    ['an acquirer that is silent', Array<Fault>(200).fill(silent)],
  ] as const

  test.each(kinds)('%s is asked later and later, for 72 h, then a person has to', async (_, met) => {
    const lost = await lose(await client.open(), lost_for_ever)
    acquirer.meet('lookUp', ...met)
    await settle()
    const [{ operation_id, since }] = await service.sql<[{ operation_id: string; since: Date }]>`
      select operation_id, waits_for_person_since as since from acquirer_operations
      where payment_id = ${lost.payment_id}`
    const looks = acquirer.looks(operation_id, lost.sent_at)
    // A look that nobody answers takes the time of an answer: only the ones before the others are where they belong.
    if (met[0] !== silent) expectSchedule(looks)
    const waited = since.getTime() - lost.sent_at.getTime()
    expect(waited).toBeGreaterThanOrEqual(72 * hour_ms)
    expect(waited).toBeLessThanOrEqual(74 * hour_ms)
    expect([...service.log, ...other.log]).toContainEqual({
      level: 'error',
      message: 'operation waits for a person',
      fields: expect.objectContaining({ operation_id, payment_id: lost.payment_id }),
    })
    await clock.advance(7 * day_ms)
    acquirer.calm()
    await run('reconcile')
    expect(acquirer.looks(operation_id, lost.sent_at)).toEqual(looks)
    await expectUnknown(lost)
    expect(await resolve(lost, 'failed')).toBe(operation_id)
    expect(await expectKnown(lost, 'failed')).toMatchObject({
      decline: { reason: 'They say so' },
    })
  })

  test('no look begins after its lease, however many wait and however silent the acquirer is', async () => {
    // Four times what is taken at once.
    await loseMany(64, lost_then_captured)
    const leases: boolean[] = []
    const { fault, passing } = silentCalls(clock, 8, async (reference) => {
      const [row] = await other.sql<[{ next_check_at: Date }]>`
        select next_check_at from acquirer_operations where operation_id = ${reference}`
      leases.push(row.next_check_at > clock.now())
    })
    acquirer.meet('lookUp', ...Array<Fault>(64).fill(fault))
    await clock.advance(5 * second_ms)
    await passing(runJob(service, 'reconcile'))
    expect(leases).toEqual(Array(64).fill(true))
  })

  test('60 charges at once: none is looked at by both processes', async () => {
    const sent_at = clock.now()
    await loseMany(60, lost_then_captured)
    const before = acquirer.calls.length
    await clock.advance(5 * second_ms)
    expect(await run('reconcile')).toBe(60)
    const looked = acquirer.calls.slice(before).map(({ reference }) => reference)
    expect(looked).toHaveLength(60)
    expect(new Set(looked).size).toBe(60)
    expect(await run('reconcile')).toBe(0)
    for (const reference of looked) expect(acquirer.looks(reference, sent_at)).toHaveLength(1)
  })
})
