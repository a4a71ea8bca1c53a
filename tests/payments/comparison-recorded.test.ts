// Charges from before the span are compared by what was recorded of them: few of an hour by look-ups, more by the acquirer's list.

import { expect, test } from 'vitest'
import type { Acquirer } from '../../src/acquirers/acquirer.ts'
import { rowValues } from '../../src/database/driver/rows.ts'
import { compareAcquirer } from '../../src/payments/acquirer-comparison/compare-books.ts'
import { newOperation, type OperationState } from '../../src/payments/operation.ts'
import type { Payment } from '../../src/payments/payment.ts'
import { hour_ms, merchants, minute_ms, useOrphanStage } from '../support/orphan-stage.ts'

const stage = await useOrphanStage()
const { sql, clock, ids, simulator, context, charge, writeCharge, authorise, orphanOf } = stage

const day_ms = 24 * hour_ms
type Written = Payment & { reference: string }

/** Compares so much later, and counts what the acquirer is asked for. */
async function compareAfter(duration_ms: number, mode: 'live' | 'test' = 'live') {
  await clock.advance(duration_ms)
  const looks: string[] = []
  let lists = 0
  const counted: Acquirer = {
    ...simulator,
    lookUp(request) {
      looks.push(request.reference)
      return simulator.lookUp(request)
    },
    listAuthorisations(within) {
      lists += 1
      return simulator.listAuthorisations(within)
    },
  }
  const result = await compareAcquirer(context, { mode, acquirer: counted }, { at_once: true })
  expect(result).toMatchObject({ failure: null })
  return { found: result!.found.map(({ reference }) => reference), looks, lists }
}

async function held(merchant_id?: string): Promise<Written> {
  const made = await charge({ state: 'approved', payment: 'held', merchant_id })
  const { payment_id } = made
  const times = { deadline: new Date(9e12), rules_at: new Date(9e12) }
  const hold = { status: 'pending_review', reason: 'mismatch', at_deadline: 'void', ...times }
  await sql`insert into holds ${rowValues(sql, { merchant_id: made.merchant_id, payment_id, ...hold })}`
  return made
}

async function heldMany(count: number): Promise<Written[]> {
  const made: Written[] = []
  for (let each = 0; each < count; each++) made.push(await held(merchants[each % 3]))
  return made
}

async function settle(payment: Written, kind: 'capture' | 'void', state: OperationState = 'approved'): Promise<void> {
  const at = clock.now()
  const operation_id = ids.operation(at)
  const by = { asked_by: 'merchant' as const }
  const operation = newOperation(payment, { operation_id, kind, sequence: 1, at, ...by })
  const row = { ...operation, state, next_check_at: null, answered_at: at }
  await sql`insert into acquirer_operations ${rowValues(sql, row)}`
  const decided = { status: kind === 'capture' ? 'captured' : 'voided' }
  await sql`
    update holds set status = ${decided.status}, decided_by = 'merchant', decided_at = ${at}, rules_at = null
    where payment_id = ${payment.payment_id}`
  await sql`
    update payments set status = ${decided.status}, capture_state = ${decided.status},
      executed_at = case when ${kind === 'capture'}::boolean then ${at}::timestamptz end
    where payment_id = ${payment.payment_id}`
}

const voidThere = (reference: string) =>
  sql`update simulator.ledger set voided_at = ${clock.now()} where reference = ${reference}`

test('ten waiting holds of an hour are looked up, and eleven are listed', async () => {
  for (const [count, is_listed] of [
    [10, false],
    [11, true],
  ] as const) {
    await sql`truncate holds, simulator.ledger, acquirer_comparisons, acquirer_findings`
    await sql`delete from acquirer_operations`
    const made = await heldMany(count)
    await compareAfter(60 * hour_ms)
    const one = made[count - 1]!
    await voidThere(one.reference)
    const { found, looks } = await compareAfter(day_ms)
    expect(found).toEqual([one.reference])
    const all = made.map(({ reference }) => reference)
    expect(looks.toSorted()).toEqual(is_listed ? [one.reference] : all.toSorted())
  }
})

test('a listed hour has what was authorised just after it', async () => {
  await clock.advance(hour_ms - (clock.now().getTime() % hour_ms) - 1)
  const made = await heldMany(11)
  await sql`update simulator.ledger set authorised_at = authorised_at + interval '5 minutes'`
  await compareAfter(60 * hour_ms)
  await sql`update simulator.ledger set amount = 4100 where reference = ${made[3]!.reference}`
  expect((await compareAfter(day_ms)).found).toEqual([made[3]!.reference])
})

test('charges on which both agree cost lists, and no look-up', async () => {
  for (let each = 0; each < 40; each++) {
    await charge({ state: 'approved', payment: 'captured' })
    await clock.advance(20 * minute_ms)
  }
  const first = await compareAfter(6 * day_ms)
  const second = await compareAfter(day_ms)
  expect([first.looks, second.looks]).toEqual([[], []])
  // 48 hours, with the last begun one, and the hours that are 7 days old.
  expect(first.lists).toBeLessThan(2 * 100)
  expect(second.lists).toBeLessThan(2 * 100)
})

test('in test mode nothing is looked at after 30 days', async () => {
  const { reference } = await charge({ state: 'approved', payment: 'captured' })
  await compareAfter(29 * day_ms, 'test')
  await sql`update simulator.ledger set refunded_amount = 4200 where reference = ${reference}`
  expect((await compareAfter(2 * day_ms, 'test')).found).toEqual([])
  await sql`truncate acquirer_comparisons`
  expect((await compareAfter(minute_ms, 'live')).found).toEqual([])
  await sql`update acquirer_comparisons set compared_until = ${new Date(clock.now().getTime() - 2 * day_ms)}`
  expect((await compareAfter(minute_ms, 'live')).found).toEqual([reference])
})

test.each([
  ['void', 2, 'an orphan'],
  ['void', 7, 'an orphan'],
  ['void', 4, 'nothing'],
] as const)('a %s that comes to nothing is after %i days %s', async (kind, days, what) => {
  const made = await held()
  await clock.advance(5 * day_ms)
  await settle(made, kind)
  await voidThere(made.reference)
  // Compared day by day, so that nothing of what came before is left.
  for (let day = 1; day < days; day++) await compareAfter(day_ms)
  await sql`update simulator.ledger set voided_at = null`
  await compareAfter(days === 2 ? hour_ms : day_ms + hour_ms)
  const orphan = await orphanOf(made.reference)
  if (what === 'nothing') expect(orphan).toBeUndefined()
  else expect(orphan).toMatchObject({ payment_id: made.payment_id, state: 'found' })
})

test('a charge that was given up days later, and lives there, is an orphan', async () => {
  const made = await writeCharge({ state: 'failed', payment: 'failed' })
  await authorise(made.reference)
  await clock.advance(4 * day_ms)
  await sql`update acquirer_operations set answered_at = ${clock.now()}`
  await compareAfter(hour_ms)
  expect(await orphanOf(made.reference)).toMatchObject({ payment_id: made.payment_id })
})

test('an orphan whose reversal came back days later is reversed again', async () => {
  const made = await charge({ state: 'failed', payment: 'failed' })
  await stage.sweepAfter(10 * minute_ms)
  expect(await orphanOf(made.reference)).toMatchObject({ state: 'reversed' })
  for (let day = 1; day < 7; day++) await compareAfter(day_ms)
  await sql`update simulator.ledger set reversed_at = null where reference = ${made.reference}`
  await compareAfter(day_ms)
  expect(await orphanOf(made.reference)).toMatchObject({ state: 'found', next_try_at: clock.now() })
})
