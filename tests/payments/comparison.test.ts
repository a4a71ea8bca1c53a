// What we call captured or held is compared with what the acquirer has, both ways: each single difference is found, and none
// where both agree.

import { describe, expect, test } from 'vitest'
import { type Acquirer, Unanswered } from '../../src/acquirers/acquirer.ts'
import { rowValues } from '../../src/database/driver/rows.ts'
import { openMetrics } from '../../src/http/metrics.ts'
import type { Clock } from '../../src/kernel/world.ts'
import { compareAcquirer, compareBooks } from '../../src/payments/acquirer-comparison/compare-books.ts'
import { listComparisons } from '../../src/payments/acquirer-comparison/comparison-store.ts'
import { watchSettlements } from '../../src/payments/acquirer-comparison/watch-settlements.ts'
import { closeFindings, listFindings } from '../../src/payments/acquirer-operations/finding-store.ts'
import type { Finding } from '../../src/payments/comparison.ts'
import { deadline_ms, newOperation } from '../../src/payments/operation.ts'
import { settleRequest } from '../adapters/acquirer-requests.ts'
import { hour_ms, merchants, minute_ms, untouched, useOrphanStage } from '../support/orphan-stage.ts'

const stage = await useOrphanStage()
const { sql, clock, ids, simulator, context, contextOf } = stage
const { authorise, charge, writeCharge, writeRefund, booksOf, orphanOf, sweepAfter, told } = stage

const day_ms = 24 * hour_ms

/** Compares so much later. Returns how many findings are new. */
async function compareAfter(duration_ms = hour_ms, compared = context): Promise<number> {
  await clock.advance(duration_ms)
  return compareBooks(compared)
}

const findings = (closed_too = false): Promise<Finding[]> =>
  listFindings(sql, { acquirer: null, closed_too, limit: 1000 })
const kinds = async () => (await findings()).map(({ kind }) => kind).sort()

const paid = () => charge({ state: 'approved', payment: 'captured' })
const held = () => charge({ state: 'approved', payment: 'held' })

describe('books that agree', () => {
  test('have no finding, whatever is under way, over, or of others', async () => {
    for (let each = 0; each < 25; each++) {
      const merchant_id = merchants[each % merchants.length]!
      const payment = each % 2 === 0 ? 'captured' : 'held'
      await charge({ state: 'approved', payment, merchant_id })
      await clock.advance(hour_ms)
    }
    await writeCharge({ state: 'declined', payment: 'declined' })
    await writeCharge({ state: 'failed', payment: 'failed' })
    await writeCharge({ state: 'unknown', payment: 'pending' })
    await writeCharge({ state: 'approved', payment: 'voided' })
    await charge({ state: 'sent', payment: 'pending' })
    await authorise('order-17', true, { installation: 'another' })
    expect(await compareAfter()).toBe(0)
    expect(await findings(true)).toEqual([])
    expect(told('error')).toEqual([])
    expect(await listComparisons(sql)).toMatchObject([
      {
        acquirer: 'simulator',
        ours: 26,
        theirs: 26,
        failure: null,
        lease_until: null,
        due_at: new Date(clock.now().getTime() + day_ms),
        ended_at: clock.now(),
      },
    ])
  })

  test('of more than a page of many merchants are gone through to the end', async () => {
    const at = clock.now()
    const { reference: _, ...payment } = await writeCharge({
      state: 'approved',
      payment: 'captured',
    })
    await sql`delete from acquirer_operations`
    await sql`delete from payments`
    for (let each = 0; each < 1_005; each++) {
      const merchant_id = merchants[each % merchants.length]!
      const payment_id = ids.payment(at)
      const attempt_id = ids.attempt(at)
      const row = {
        ...payment,
        merchant_id,
        payment_id,
        session_id: ids.session(1, at),
        attempt_id,
      }
      const operation_id = ids.operation(at)
      const operation = newOperation(row, { operation_id, kind: 'authorise', sequence: 1, at })
      await sql`with paid as (insert into payments ${rowValues(sql, row)})
        insert into acquirer_operations ${rowValues(sql, { ...operation, state: 'approved', next_check_at: null })}`
      await sql`insert into simulator.ledger
        (reference, kind, authorisation_reference, installation, transaction_id, amount, currency, result, requested_at,
         known_at, capture, authorised_at, captured_at, refused_before, version)
        values (${operation_id}, 'authorise', ${operation_id}, 'ours', ${operation_id}, 4200, 'GBP', 'approved', ${at},
          ${at}, true, ${at}, ${at}, false, 0)`
    }
    const [last] = await sql<{ operation_id: string }[]>`
      select operation_id from acquirer_operations order by merchant_id desc, operation_id desc limit 1`
    await sql`update simulator.ledger set reversed_at = ${at} where reference = ${last!.operation_id}`
    expect(await compareAfter()).toBe(1)
    expect(await findings()).toMatchObject([{ reference: last!.operation_id, kind: 'reversed_there' }])
    expect(await listComparisons(sql)).toMatchObject([{ ours: 1_005, theirs: 1_004 }])
  }, 60_000)
})

describe('one single difference is found', () => {
  type Row = [string, string, typeof paid, (reference: string) => PromiseLike<unknown>, object]
  const change = (column: string, value: unknown) => (reference: string) =>
    sql`update simulator.ledger set ${sql(column)} = ${value as never} where reference = ${reference}`
  const at = () => clock.now()

  test.each<Row>([
    [
      'missing_there',
      'captured here, unknown there',
      paid,
      (reference) => sql`delete from simulator.ledger where reference = ${reference}`,
      { state: 'unknown', amount: null, currency: null },
    ],
    [
      'missing_there',
      'held here, unknown there',
      held,
      (reference) => sql`delete from simulator.ledger where reference = ${reference}`,
      { state: 'unknown', amount: null, currency: null },
    ],
    [
      'declined_there',
      'captured here, declined there',
      paid,
      (reference) => sql`update simulator.ledger set result = 'declined', authorised_at = null, captured_at = null
        where reference = ${reference}`,
      { state: 'declined', amount: null, currency: null },
    ],
    [
      'voided_there',
      'held here, voided in its portal',
      held,
      (reference) => change('voided_at', at())(reference),
      { state: 'voided', amount: 4200, currency: 'GBP' },
    ],
    [
      'reversed_there',
      'captured here, taken back there',
      paid,
      (reference) => change('reversed_at', at())(reference),
      { state: 'reversed', amount: 4200, currency: 'GBP' },
    ],
    [
      'reserved_there',
      'captured here, reserved there',
      paid,
      change('captured_at', null),
      { state: 'reserved', amount: 4200, currency: 'GBP' },
    ],
    [
      'captured_there',
      'held here, captured in its portal',
      held,
      (reference) => change('captured_at', at())(reference),
      { state: 'captured', amount: 4200, currency: 'GBP' },
    ],
    [
      'amount_differs',
      'in another amount',
      paid,
      change('amount', 4100),
      { state: 'captured', amount: 4100, currency: 'GBP' },
    ],
    [
      'currency_differs',
      'in another currency',
      held,
      change('currency', 'EUR'),
      { state: 'reserved', amount: 4200, currency: 'EUR' },
    ],
  ])('%s: %s', async (kind, _, make, alter, theirs) => {
    for (let each = 0; each < 5; each++) await (each % 2 === 0 ? paid() : held())
    const { reference, merchant_id, payment_id } = await make()
    const [{ status }] = await sql<[{ status: string }]>`
      select status from payments where payment_id = ${payment_id}`
    await alter(reference)
    expect(await compareAfter()).toBe(1)
    const finding = {
      acquirer: 'simulator',
      mode: 'test',
      reference,
      kind,
      merchant_id,
      payment_id,
      theirs,
      ours: { state: status, amount: 4200, currency: 'GBP' },
    }
    const times = {
      found_at: clock.now(),
      seen_at: clock.now(),
      cleared_at: null,
      resolved_at: null,
    }
    expect(await findings()).toMatchObject([{ ...finding, ...times }])
    expect(told('error')).toMatchObject([
      { fields: finding, message: expect.stringContaining('ripper reconcile findings') },
    ])
    // A day later it is the same one, not another, and nothing was done about it.
    const books = await booksOf(reference)
    expect(await compareAfter(day_ms)).toBe(0)
    expect(await findings()).toMatchObject([{ ...finding, ...times, seen_at: clock.now() }])
    expect(await booksOf(reference)).toEqual(books)
    expect(told('error')).toHaveLength(1)
  })

  test.each<['pending' | 'succeeded', string[]]>([
    ['pending', ['missing_there']],
    ['succeeded', []],
  ])('behind a refund in full that is %s: %j', async (status, found) => {
    const { reference, ...payment } = await paid()
    await writeRefund(payment, status)
    await sql`delete from simulator.ledger where reference = ${reference}`
    await compareAfter()
    expect(await kinds()).toEqual(found)
  })

  test('in every respect at once is reported in each', async () => {
    const { reference } = await held()
    await sql`update simulator.ledger set amount = 1, currency = 'EUR', captured_at = authorised_at`
    expect(await compareAfter()).toBe(3)
    expect(await kinds()).toEqual(['amount_differs', 'captured_there', 'currency_differs'])
    expect(new Set((await findings()).map((each) => each.reference))).toEqual(new Set([reference]))
  })

  test('by the list, where the acquirer has forgotten the reference', async () => {
    await paid()
    const { reference } = await paid()
    await sql`update simulator.ledger set amount = 4100 where reference = ${reference}`
    const forgetful = { ...simulator, lookUp: async () => ({ result: 'not_found' as const }) }
    expect(await compareAfter(30 * hour_ms, contextOf(forgetful))).toBe(1)
    expect(await kinds()).toEqual(['amount_differs'])
  })

  test('nowhere, where it was approved so late that only a closer look finds it', async () => {
    const { reference } = await paid()
    await sql`update simulator.ledger set authorised_at = authorised_at + interval '3 h', captured_at = captured_at
      + interval '3 h' where reference = ${reference}`
    for (const lookUp of [simulator.lookUp, async () => ({ result: 'not_found' as const })]) {
      await sql`truncate acquirer_comparisons`
      expect(await compareAfter(5 * hour_ms, contextOf({ ...simulator, lookUp }))).toBe(0)
    }
    expect(await findings(true)).toEqual([])
  })
})

describe('what the acquirer lists late', () => {
  /** It lists only what is an hour old. */
  const lagging: Acquirer = {
    ...simulator,
    async listAuthorisations(within) {
      const listed = await simulator.listAuthorisations(within)
      const lag = new Date(clock.now().getTime() - hour_ms)
      return listed.filter(({ authorised_at }) => authorised_at <= lag)
    },
  }

  test('and nothing here knows is held back, though no sweep has seen it', async () => {
    const { reference } = await authorise()
    for (let sweep = 0; sweep < 36; sweep++) {
      await sweepAfter(5 * minute_ms, contextOf(lagging))
    }
    expect(await orphanOf(reference)).toBeUndefined()
    await compareAfter(0, contextOf(lagging))
    expect(await orphanOf(reference)).toMatchObject({
      merchant_id: null,
      held_back_at: clock.now(),
    })
    expect(await booksOf(reference)).toEqual(untouched)
  })

  test('and failed here is reversed', async () => {
    const { reference } = await charge({ state: 'failed', payment: 'failed' })
    for (let sweep = 0; sweep < 36; sweep++) {
      await sweepAfter(5 * minute_ms, contextOf(lagging))
    }
    await compareAfter(0, contextOf(lagging))
    await sweepAfter(minute_ms)
    expect(await orphanOf(reference)).toMatchObject({ state: 'reversed' })
  })

  test('and we have is no finding', async () => {
    await paid()
    expect(await compareAfter(30 * minute_ms, contextOf(lagging))).toBe(0)
    expect(await findings(true)).toEqual([])
  })
})

describe('what changes meanwhile', () => {
  test('is left to the next comparison', async () => {
    const made = await held()
    const voided = settleRequest({ ...made } as never, { amount: 4200, currency: 'GBP' })
    const watched: Acquirer = {
      ...simulator,
      async lookUp(request) {
        await simulator.void({ ...voided, authorisation: request.authorisation })
        const look = await simulator.lookUp(request)
        await sql`update payments set status = 'voided', capture_state = 'voided'`
        return look
      },
      // Nothing is listed, so that it is looked up.
      listAuthorisations: async () => [],
    }
    expect(await compareAfter(hour_ms, contextOf(watched))).toBe(0)
    expect(await findings(true)).toEqual([])
  })

  test('is not judged while a capture waits for its answer', async () => {
    const made = await held()
    const opened = newOperation(made, {
      operation_id: ids.operation(clock.now()),
      kind: 'capture',
      sequence: 1,
      at: clock.now(),
      asked_by: 'merchant',
    })
    await sql`insert into acquirer_operations ${rowValues(sql, { ...opened, state: 'unknown' })}`
    await sql`update simulator.ledger set captured_at = authorised_at`
    expect(await compareAfter()).toBe(0)
    expect(await findings(true)).toEqual([])
  })

  test('and is younger than ten minutes, or older than two days, is not compared', async () => {
    await writeCharge({ state: 'approved', payment: 'captured' })
    expect(await compareAfter(10 * minute_ms)).toBe(0)
    expect(await compareAfter(24 * hour_ms)).toBe(1)
    await sql`truncate acquirer_findings, acquirer_comparisons`
    expect(await compareAfter(24 * hour_ms)).toBe(0)
  })
})

describe('a finding', () => {
  const spoil = () => sql`update simulator.ledger set amount = 4100`
  const mend = () => sql`update simulator.ledger set amount = 4200`

  test('ends when both agree, however long after, and begins anew', async () => {
    await paid()
    await spoil()
    await compareAfter()
    const begun = clock.now()
    await compareAfter(10 * day_ms)
    expect(await findings()).toMatchObject([{ found_at: begun, seen_at: clock.now() }])
    await mend()
    expect(await compareAfter(day_ms)).toBe(0)
    expect(await findings()).toEqual([])
    expect(await findings(true)).toMatchObject([{ found_at: begun, cleared_at: clock.now() }])
  })

  test('that ended and is there again is a new one', async () => {
    await paid()
    await spoil()
    await compareAfter()
    await mend()
    await compareAfter(12 * hour_ms, context)
    await sql`truncate acquirer_comparisons`
    await compareAfter(minute_ms)
    expect(await findings()).toEqual([])
    await spoil()
    expect(await compareAfter(day_ms)).toBe(1)
    expect(await findings()).toMatchObject([{ found_at: clock.now(), cleared_at: null }])
  })

  test('that a person closed stays closed until something is otherwise', async () => {
    const { reference } = await paid()
    await spoil()
    await compareAfter()
    const why = { at: clock.now(), by: 'ada', reason: 'paid back by hand' }
    const which = { acquirer: null, references: [reference] }
    expect(await closeFindings(sql, which, why)).toHaveLength(1)
    expect(await closeFindings(sql, which, why)).toEqual([])
    expect(await compareAfter(day_ms - hour_ms)).toBe(0)
    await sql`truncate acquirer_comparisons`
    expect(await compareAfter(minute_ms)).toBe(0)
    expect(await findings()).toEqual([])
    await sql`update simulator.ledger set amount = 4000`
    await sql`truncate acquirer_comparisons`
    expect(await compareAfter(minute_ms)).toBe(1)
    expect(await findings()).toMatchObject([{ resolved_at: null, resolved_by: null }])
  })

  test('is in the metrics', async () => {
    const metrics = openMetrics()
    await paid()
    await spoil()
    await compareAfter()
    await watchSettlements({ sql, world: context.world, metrics })
    expect(await metrics.text()).toContain('\nripper_comparison_findings 1\n')
  })
})

describe('an acquirer', () => {
  test.each(['listAuthorisations', 'lookUp'] as const)(
    'whose %s cannot be asked for is tried again in an hour, and another is compared all the same',
    async (verb) => {
      const { reference } = await writeCharge({ state: 'approved', payment: 'captured' })
      let asked = 0
      const broken: Acquirer = {
        ...simulator,
        name: 'bank',
        [verb]() {
          asked += 1
          return Promise.reject(new Unanswered('down'))
        },
      }
      await sql`update acquirer_operations set acquirer = 'bank'`
      // Pauses between questions pass at once, and the deadline of an answer not at all.
      const sleep: Clock['sleep'] = (duration_ms, signal) =>
        duration_ms < deadline_ms ? Promise.resolve() : clock.sleep(duration_ms, signal)
      const both = {
        ...context,
        world: { ...context.world, clock: { ...clock, sleep } },
        listAcquirers: async () => [{ mode: 'live' as const, acquirer: broken }, ...(await context.listAcquirers())],
      }
      expect(await compareAfter(hour_ms, both)).toBe(0)
      expect(asked).toBe(3)
      // It has given its list, and only this charge was not compared.
      const left_out = { failure: `not compared: ${reference}`, ended_at: expect.any(Date) }
      const ended = verb === 'lookUp' ? left_out : { failure: 'down', ended_at: null }
      expect(await listComparisons(sql)).toMatchObject([
        { acquirer: 'bank', ...ended, lease_until: null },
        { acquirer: 'simulator', failure: null },
      ])
      expect(told('error')).toMatchObject([{ fields: { acquirer: 'bank', error: 'down' } }])
      expect(await findings(true)).toEqual([])
      const mended = {
        ...both,
        listAcquirers: async () => [{ mode: 'live' as const, acquirer: { ...simulator, name: 'bank' } }],
      }
      expect(await compareAfter(hour_ms - 1, mended)).toBe(0)
      expect(await compareAfter(1, mended)).toBe(1)
      expect(await findings()).toMatchObject([{ acquirer: 'bank', mode: 'live' }])
    },
  )

  test.each([1, 3, 12])('that gives no answer about %i of many charges: the others are compared', async (silent) => {
    const references: string[] = []
    for (let each = 0; each < 14; each++) {
      references.push((await writeCharge({ state: 'approved', payment: 'captured' })).reference)
    }
    const refused = references.slice(2, 2 + silent)
    const partly: Acquirer = {
      ...simulator,
      async lookUp(request) {
        if (refused.includes(request.reference)) throw new Unanswered('not this one')
        return simulator.lookUp(request)
      },
    }
    const sleep: Clock['sleep'] = (duration_ms, signal) =>
      duration_ms < deadline_ms ? Promise.resolve() : clock.sleep(duration_ms, signal)
    const impatient = { ...context, world: { ...context.world, clock: { ...clock, sleep } } }
    await clock.advance(hour_ms)
    const swept = { mode: 'test' as const, acquirer: partly }
    const result = await compareAcquirer(impatient, swept, { at_once: false })
    if (silent > 10) return expect(result).toMatchObject({ failure: 'not this one' })
    expect(result!.found).toHaveLength(14 - silent)
    const left_out = refused.toSorted()
    expect(result).toMatchObject({ left_out })
    expect(await listComparisons(sql)).toMatchObject([
      { failure: `not compared: ${left_out.join(', ')}`, ended_at: expect.any(Date) },
    ])
    const named = told('error').flatMap(({ fields }) => {
      const { error, reference } = fields as { error?: string; reference?: string }
      return error === 'not this one' ? [reference] : []
    })
    expect(named.toSorted()).toEqual(left_out)
  })

  test('that lists nothing at all is not looked up without end', async () => {
    for (let each = 0; each < 12; each++) await paid()
    const rows = await sql`select * from acquirer_operations`
    expect(rows).toHaveLength(12)
    let looks = 0
    const empty: Acquirer = {
      ...simulator,
      listAuthorisations: async () => [],
      lookUp(reference) {
        looks += 1
        return simulator.lookUp(reference)
      },
    }
    await clock.advance(hour_ms)
    const swept = { mode: 'test' as const, acquirer: empty }
    // Found where they are looked up: the list is wrong, not the books.
    expect(await compareAcquirer(context, swept, { at_once: false })).toMatchObject({ found: [] })
    expect(looks).toBe(12)
  })
})
