// Processes that compare the same books: one at a time, whichever of them dies, stands still or is stopped.

import { expect, test } from 'vitest'
import { compareBooks } from '../../src/payments/acquirer-comparison/compare-books.ts'
import { listComparisons } from '../../src/payments/acquirer-comparison/comparison-store.ts'
import { hour_ms, minute_ms, useOrphanStage } from '../support/orphan-stage.ts'

const { database, sql, clock, simulator, context, contextOf, charge, told } = await useOrphanStage()

const day_ms = 24 * hour_ms

/** Compares so much later. Returns how many findings are new. */
async function compareAfter(duration_ms: number, compared = context): Promise<number> {
  await clock.advance(duration_ms)
  return compareBooks(compared)
}

const paid = () => charge({ state: 'approved', payment: 'captured' })

test('two at once compare once, and each day again', async () => {
  await paid()
  await sql`update simulator.ledger set amount = 4100`
  await clock.advance(hour_ms)
  let lists = 0
  const counted = {
    ...simulator,
    listAuthorisations(within: { since: Date; until: Date }) {
      lists += 1
      return simulator.listAuthorisations(within)
    },
  }
  const other = await database.open({ connections_max: 3 })
  const both = [contextOf(counted), contextOf(counted, other.sql)]
  const found = await Promise.all(both.map((each) => compareBooks(each)))
  expect(found.toSorted()).toEqual([0, 1])
  const once = lists
  expect(await compareBooks(both[0]!)).toBe(0)
  await clock.advance(day_ms - 1)
  await compareBooks(both[1]!)
  expect(lists).toBe(once)
  await clock.advance(1)
  await Promise.all(both.map((each) => compareBooks(each)))
  expect(lists).toBe(2 * once)
  await other.close()
})

test('one that dies in the middle leaves it to the next, when its lease is over', async () => {
  await paid()
  await sql`update simulator.ledger set amount = 4100`
  await clock.advance(hour_ms)
  let lists = 0
  const dying = contextOf({
    ...simulator,
    // It never comes back.
    listAuthorisations: (within) => (++lists > 20 ? new Promise(() => {}) : simulator.listAuthorisations(within)),
  })
  void compareBooks(dying)
  while (lists <= 20) await new Promise(setImmediate)
  expect(await compareBooks(context)).toBe(0)
  // Its own call is given up after 20 s: as if it had died before.
  await sql`update acquirer_comparisons set lease_until = lease_until - interval '1 s'`
  expect(await compareAfter(30 * minute_ms)).toBe(1)
  expect(await listComparisons(sql)).toMatchObject([{ failure: null, ended_at: clock.now() }])
})

test('one that stood still for longer than its lease leaves the comparison to the present holder, and warns', async () => {
  await paid()
  const taken_until = new Date(clock.now().getTime() + day_ms)
  const overtaken = contextOf({
    ...simulator,
    async listAuthorisations(within) {
      await sql`update acquirer_comparisons set lease_until = ${taken_until}`
      return simulator.listAuthorisations(within)
    },
  })
  expect(await compareAfter(hour_ms, overtaken)).toBe(0)
  expect(told('error')).toEqual([])
  expect(told('warn')).toMatchObject([{ message: 'comparison with the acquirer taken over' }])
  expect(await listComparisons(sql)).toMatchObject([{ failure: null, lease_until: taken_until }])
})

test('one that stops leaves it to the next at once, and says nothing', async () => {
  await paid()
  const stopping = AbortSignal.abort()
  expect(await compareAfter(hour_ms, { ...context, stopping })).toBe(0)
  expect(told('error')).toEqual([])
  expect(await listComparisons(sql)).toMatchObject([{ due_at: clock.now(), ended_at: null }])
  await compareBooks(context)
  expect(await listComparisons(sql)).toMatchObject([{ failure: null, ended_at: clock.now() }])
})
