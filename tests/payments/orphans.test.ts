// Authorisations that the acquirer holds and no payment stands behind are found and taken back, and nothing else is
// touched.

import { describe, expect, test } from 'vitest'
import type { Acquirer } from '../../src/acquirers/acquirer.ts'
import { rowValues } from '../../src/database/driver/rows.ts'
import { compareBooks } from '../../src/payments/acquirer-comparison/compare-books.ts'
import { newOperation, type OperationState } from '../../src/payments/operation.ts'
import { type Brake, every_acquirer } from '../../src/payments/orphan.ts'
import { listSweeps } from '../../src/payments/orphans/orphan-store.ts'
import { reverseOrphans } from '../../src/payments/orphans/reverse-orphans.ts'
import { sweepOrphans } from '../../src/payments/orphans/sweep-orphans.ts'
import { findUnswept } from '../../src/payments/orphans/unswept.ts'
import type { PaymentStatus } from '../../src/payments/payment.ts'
import { authoriseRequest, settleRequest } from '../adapters/acquirer-requests.ts'
import { hour_ms, merchants, minute_ms, reversed, untouched, useOrphanStage, visa } from '../support/orphan-stage.ts'
import { payAndTell } from '../support/paying.ts'
import { drivenClock, driving, startService } from '../support/service.ts'

const stage = await useOrphanStage('reverse')
const { database, sql, clock, ids, log, simulator, context, contextOf } = stage
const { authorise, charge, writeCharge, booksOf, orphanOf, sweepAfter, told } = stage

describe('an orphan', () => {
  test('is reversed, and the log says so', async () => {
    const { reference } = await authorise()
    expect(await sweepAfter(3 * minute_ms)).toBe(2)
    expect(await booksOf(reference)).toEqual(reversed)
    expect(await orphanOf(reference)).toMatchObject({
      acquirer: 'simulator',
      mode: 'test',
      amount: 4200,
      currency: 'GBP',
      merchant_id: null,
      state: 'reversed',
      tries: 1,
      next_try_at: null,
      settled_at: clock.now(),
    })
    const fields = { acquirer: 'simulator', reference, amount: 4200, currency: 'GBP' }
    expect(told('error')).toMatchObject([{ fields, message: expect.stringMatching(/found/) }])
    expect(told('info')).toMatchObject([{ fields, message: expect.stringMatching(/reversed/) }])
    expect(await sql`select * from journal`).toEqual([])
    expect(await sweepAfter(5 * minute_ms)).toBe(0)
    expect(log).toHaveLength(2)
  })

  test.each<[OperationState, PaymentStatus]>([
    ['failed', 'failed'],
    ['declined', 'declined'],
    ['not_sent', 'failed'],
    ['approved', 'failed'],
    ['approved', 'voided'],
  ])('is one whose charge is %s and payment %s', async (state, payment) => {
    const made = await charge({ state, payment })
    await sweepAfter(3 * minute_ms)
    expect(await booksOf(made.reference)).toEqual(reversed)
    const { merchant_id, payment_id } = made
    expect(await orphanOf(made.reference)).toMatchObject({ merchant_id, payment_id })
    expect(told('error')).toMatchObject([{ fields: { merchant_id, payment_id } }])
    const whose = { merchant_id, session_id: made.session_id, subject: payment_id }
    const detail = { reference: made.reference, acquirer: 'simulator', amount: 4200 }
    const line = { ...whose, detail, actor: 'reconciler', request_id: null, at: clock.now() }
    expect(await sql`select * from journal order by change`).toMatchObject([
      { ...line, change: 'orphan.found' },
      { ...line, change: 'orphan.reversed' },
    ])
  })

  test('of ours is one whatever mark it bears, and a stranger’s without ours is none', async () => {
    const made = await writeCharge({ state: 'failed', payment: 'failed' })
    // As a version did that knew no marks.
    await authorise(made.reference, true, { installation: 'none' })
    await sql`update simulator.ledger set installation = null`
    const { reference } = await authorise(undefined, true, { installation: 'another' })
    await sweepAfter(3 * minute_ms)
    expect(await booksOf(made.reference)).toEqual(reversed)
    expect(await booksOf(reference)).toEqual(untouched)
    expect(await orphanOf(reference)).toBeUndefined()
  })

  test('is distinguished from what is paid, among many of many merchants', async () => {
    const paid: string[] = []
    const orphans: string[] = []
    for (let each = 0; each < 30; each++) {
      const merchant_id = merchants[each % merchants.length]!
      const payment = (['captured', 'held', 'pending'] as const)[(each % 7) % 3]!
      paid.push((await charge({ state: 'approved', payment, merchant_id })).reference)
      if (each % 5 === 0) orphans.push((await authorise()).reference)
      await clock.advance(1_000)
    }
    await sweepAfter(3 * minute_ms)
    for (const reference of paid) expect(await booksOf(reference)).toEqual(untouched)
    for (const reference of orphans) expect(await booksOf(reference)).toEqual(reversed)
  })
})

describe('nothing is done to', () => {
  test.each<[OperationState, PaymentStatus]>([
    ['approved', 'captured'],
    ['approved', 'held'],
    ['approved', 'pending'],
    ['sent', 'pending'],
    ['unknown', 'pending'],
    ['reversing', 'pending'],
  ])('one whose charge is %s and payment %s', async (state, payment) => {
    const { reference } = await charge({ state, payment })
    for (let sweep = 0; sweep < 4; sweep++) expect(await sweepAfter(5 * minute_ms)).toBe(0)
    expect(await booksOf(reference)).toEqual(untouched)
    expect(log).toEqual([])
  })

  test('one that may still be under way, until it cannot be', async () => {
    const { reference } = await authorise()
    expect(await sweepAfter(2 * minute_ms - 1)).toBe(0)
    expect(await booksOf(reference)).toEqual(untouched)
    await sweepAfter(1)
    expect(await booksOf(reference)).toEqual(reversed)
  })

  test.each(['sent', 'unknown'] as const)('one whose reversal is %s', async (state) => {
    const made = await charge({ state: 'failed', payment: 'failed' })
    const operation_id = ids.operation(clock.now())
    const reversal = newOperation(made, { operation_id, kind: 'reverse', sequence: 1, at: clock.now() })
    await sql`insert into acquirer_operations ${rowValues(sql, { ...reversal, state })}`
    expect(await sweepAfter(3 * minute_ms)).toBe(0)
    await sql`update acquirer_operations set state = 'refused', next_check_at = null
      where operation_id = ${operation_id}`
    await sweepAfter(5 * minute_ms)
    expect(await booksOf(made.reference)).toEqual(reversed)
  })

  test('one that was voided between the list and the look', async () => {
    const made = await charge({ state: 'approved', payment: 'held' })
    const voided = settleRequest(authoriseRequest(visa, made))
    const meanwhile: Acquirer = {
      ...simulator,
      async listAuthorisations(within) {
        const listed = await simulator.listAuthorisations(within)
        if (listed.length === 0) return []
        expect(await simulator.void(voided)).toMatchObject({ result: 'approved' })
        await sql`update payments set status = 'voided', capture_state = 'voided'`
        return listed
      },
    }
    expect(await sweepAfter(3 * minute_ms, contextOf(meanwhile))).toBe(0)
    expect(await booksOf(made.reference)).toMatchObject({ reversals: 0, refusals: 0 })
    expect(log).toEqual([])
  })

  test.each([
    ['under a name of theirs', 'order-17', null],
    ['under a reference like ours', undefined, null],
    ['with a mark of theirs', undefined, 'another'],
  ])('what others made by the same account, %s', async (_, named, installation) => {
    const { reference } = await authorise(named)
    await sql`update simulator.ledger set installation = ${installation}`
    expect(await sweepAfter(3 * minute_ms)).toBe(0)
    expect(await booksOf(reference)).toEqual(untouched)
    expect(await orphanOf(reference)).toBeUndefined()
    expect(told('warn')).toMatchObject([{ fields: { acquirer: 'simulator', count: 1 } }])
  })
})

test('what the service charges is no orphan, answered or not', async () => {
  const driven = drivenClock()
  const service = await startService({ clock: driven })
  const acquirer = service.context.acquirerOf('test', null)
  const listAcquirers = async () => [{ mode: 'test' as const, acquirer }]
  const swept = { ...service.context, listAcquirers }
  try {
    for (const number of [visa, '4000009190290000', '4000000000000119']) {
      await driving(driven, payAndTell(service, driven, number))
    }
    await driven.advance(3 * minute_ms)
    const since = new Date(driven.now().getTime() - hour_ms)
    expect(await acquirer.listAuthorisations({ since, until: driven.now() })).toHaveLength(2)
    expect(await sweepOrphans(swept)).toBe(0)
    await service.sql`update acquirer_operations set state = 'failed', next_check_at = null`
    expect(await sweepOrphans(swept)).toBe(4)
  } finally {
    await service.close()
  }
})

describe('a sweep', () => {
  /** The simulator, and the windows that it was asked for. It fails while `failing` says so. */
  function watched() {
    const windows: { since: Date; until: Date }[] = []
    const failing = { after: Number.POSITIVE_INFINITY }
    const acquirer: Acquirer = {
      ...simulator,
      async listAuthorisations(within) {
        if (windows.length >= failing.after) throw new Error('the list is out of order')
        windows.push(within)
        return simulator.listAuthorisations(within)
      },
    }
    return { swept: contextOf(acquirer), windows, failing }
  }
  const sweptUntil = async () => {
    const [row] = await sql<{ swept_until: Date }[]>`select swept_until from orphan_sweeps`
    return row?.swept_until
  }

  test('that was not made for five days is made up for, run by run', async () => {
    await sweepOrphans(context)
    const references: string[] = []
    for (let hour = 0; hour < 120; hour += 12) {
      references.push((await authorise()).reference)
      await clock.advance(12 * hour_ms)
    }
    const { swept, windows } = watched()
    let runs = 0
    for (; (await sweptUntil())! < new Date(clock.now().getTime() - 2 * minute_ms); runs++) {
      await sweepOrphans(swept)
    }
    expect(runs).toBe(3)
    for (const { since, until } of windows) {
      expect(until.getTime() - since.getTime()).toBeLessThanOrEqual(6 * hour_ms)
    }
    for (const reference of references) expect(await booksOf(reference)).toEqual(reversed)
  })

  test('that fails is made again from where it failed', async () => {
    await sweepOrphans(context)
    await clock.advance(hour_ms)
    const early = await authorise()
    await clock.advance(4 * hour_ms)
    const late = await authorise()
    await clock.advance(hour_ms)
    const { swept, windows, failing } = watched()
    // The second look at the early one is a list, too.
    failing.after = 3
    await sweepOrphans(swept)
    // Found, and let go by none but a sweep that comes to its end.
    expect(await orphanOf(early.reference)).toMatchObject({ state: 'found', next_try_at: null })
    expect(await booksOf(early.reference)).toEqual(untouched)
    expect(await sweptUntil()).toEqual(windows[1]!.until)
    const fields = { acquirer: 'simulator', error: 'the list is out of order' }
    expect(told('error')).toContainEqual(expect.objectContaining({ fields }))
    failing.after = Number.POSITIVE_INFINITY
    await sweepOrphans(swept)
    expect(windows[3]!.since).toEqual(new Date(windows[1]!.until.getTime() - 10 * minute_ms))
    for (const { reference } of [early, late]) expect(await booksOf(reference)).toEqual(reversed)
  })

  test('of one acquirer goes on where another cannot be asked', async () => {
    const { reference } = await authorise()
    const { swept, failing } = watched()
    failing.after = 0
    const [failingOne] = await swept.listAcquirers()
    const broken = { mode: 'live' as const, acquirer: { ...failingOne!.acquirer, name: 'bank' } }
    const listAcquirers = async () => [broken, ...(await context.listAcquirers())]
    await sweepAfter(3 * minute_ms, { ...context, listAcquirers })
    expect(await booksOf(reference)).toEqual(reversed)
  })
})

describe('several at once', () => {
  test.each(Array.from({ length: 10 }, (_, round) => round))('round %i', async () => {
    const references: string[] = []
    for (let each = 0; each < 12; each++) references.push((await authorise()).reference)
    await clock.advance(3 * minute_ms)
    const other = await database.open({ connections_max: 3 })
    await Promise.all([
      sweepOrphans(context),
      sweepOrphans(contextOf(simulator, other.sql)),
      reverseOrphans(contextOf(simulator, other.sql)),
    ])
    // What one had found when the other had looked for what is due.
    await reverseOrphans(context)
    await other.close()
    for (const reference of references) expect(await booksOf(reference)).toEqual(reversed)
    expect(told('error')).toHaveLength(references.length)
    expect(told('info')).toHaveLength(references.length)
  })
})

test('an acquirer that lists nothing is not gone through, and is not said to have been', async () => {
  const asked: string[] = []
  const silent = contextOf({
    ...simulator,
    lists: false,
    async listAuthorisations() {
      asked.push('list')
      return []
    },
  })
  const brake: Brake = {
    acquirer: every_acquirer,
    pulled_at: clock.now(),
    pulled_by: 'ada',
    reason: 'a backup',
    released_at: null,
    released_by: null,
  }
  await clock.advance(minute_ms)
  // As an early release wrote it.
  await sql`insert into orphan_sweeps (acquirer, swept_until) values ('simulator', ${clock.now()})`
  expect(await findUnswept(silent, [brake])).toMatchObject({ brake, unlisted: ['simulator'] })
  expect(await sweepOrphans(silent)).toBe(0)
  expect(await compareBooks(silent)).toBe(0)
  expect(asked).toEqual([])
  expect(await listSweeps(sql, null)).toEqual([])
  // What it has is compared by a person, who then releases the brake anyway.
  expect(await findUnswept(silent, [brake])).toMatchObject({ brake, unlisted: ['simulator'] })
  expect(await findUnswept(silent, [{ ...brake, acquirer: 'another' }])).toBeNull()
})

test('an orphan behind which a payment stands after all is not reversed', async () => {
  const request = await authorise()
  const { reference } = request
  await sweepAfter(3 * minute_ms, contextOf({ ...simulator, reverse: () => Promise.reject(new Error('away')) }))
  expect(await orphanOf(reference)).toMatchObject({ state: 'found', tries: 1 })
  await writeCharge({ state: 'unknown', payment: 'pending' }, reference)
  await clock.advance(2 * minute_ms)
  await reverseOrphans(context)
  expect(await orphanOf(reference)).toMatchObject({ state: 'found' })
  await sql`update acquirer_operations set state = 'approved', next_check_at = null`
  await sql`update payments set status = 'held'`
  await clock.advance(hour_ms)
  await reverseOrphans(context)
  expect(await orphanOf(reference)).toMatchObject({
    state: 'nothing_to_reverse',
    last_failure: 'a payment stands behind it',
  })
  expect(await booksOf(reference)).toEqual(untouched)
})
