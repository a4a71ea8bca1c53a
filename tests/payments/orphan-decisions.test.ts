// What a person decides about orphans counts: what they release is reversed, what they leave is never touched again.

import { describe, expect, test } from 'vitest'
import type { Acquirer } from '../../src/acquirers/acquirer.ts'
import { leaveUnreversed, reverseHeldBack } from '../../src/payments/orphans/decide-orphans.ts'
import { listOrphans } from '../../src/payments/orphans/orphan-decision-store.ts'
import { countUnsettled } from '../../src/payments/orphans/orphan-store.ts'
import { reverseOrphans } from '../../src/payments/orphans/reverse-orphans.ts'
import { sweepOrphans } from '../../src/payments/orphans/sweep-orphans.ts'
import { hour_ms, minute_ms, reversed, untouched, useOrphanStage } from '../support/orphan-stage.ts'

const stage = await useOrphanStage('reverse')
const { database, sql, clock, ids, simulator, context, contextOf } = stage
const { authorise, authoriseMany, charge, booksOf, orphanOf, sweepAfter } = stage
const { countReversed, countStandings } = stage

/** Every reversal fails. */
const silent = contextOf({ ...simulator, reverse: () => Promise.reject(new Error('down')) })

const all = { references: null, acquirer: null }
const named = (...references: string[]) => ({ references, acquirer: null })
const why = { by: 'ada', reason: 'the shop has them' }

const release = (which: Parameters<typeof reverseHeldBack>[1]) => reverseHeldBack(context, which, { by: 'ben' })
const leave = (which: Parameters<typeof leaveUnreversed>[1]) => leaveUnreversed(context, which, why)

/** So many that are held back. */
async function heldBack(count = 21): Promise<string[]> {
  const references = await authoriseMany(count)
  await sweepAfter(3 * minute_ms)
  expect(await countStandings()).toMatchObject({ held_back: count })
  return references
}

const journal = () => sql`select change, subject, session_id, actor, detail from journal order by entry_id`

describe('released', () => {
  test('all of them are reversed', async () => {
    const references = await heldBack()
    expect((await release(all)).changed.map(({ reference }) => reference)).toEqual(references.toSorted())
    expect(await countStandings()).toEqual({ due: 21 })
    const { released_by, released_at } = (await orphanOf(references[0]!))!
    expect([released_by, released_at]).toEqual(['ben', clock.now()])
    expect(await reverseOrphans(context)).toBe(21)
    expect(await countReversed(references)).toBe(21)
    expect(await journal()).toEqual([])
  })

  test('one of them is, and the others wait', async () => {
    const references = await heldBack()
    await release(named(references[7]!))
    await sweepAfter(5 * minute_ms)
    expect(await booksOf(references[7]!)).toEqual(reversed)
    expect(await countReversed(references)).toBe(1)
  })

  test('they are not held back again, but what comes after them is', async () => {
    const references = await heldBack()
    await release(all)
    const next = await authorise()
    await clock.advance(3 * minute_ms)
    await sweepOrphans(silent)
    expect(await countStandings()).toEqual({ due: 21, held_back: 1 })
    await sweepAfter(5 * minute_ms)
    expect(await countReversed(references)).toBe(21)
    expect(await booksOf(next.reference)).toEqual(untouched)
  })

  test('only those of the acquirer that was named', async () => {
    await heldBack()
    expect((await release({ references: null, acquirer: 'bank' })).changed).toEqual([])
    expect((await release({ references: null, acquirer: 'simulator' })).changed).toHaveLength(21)
  })

  test('what is not held back is reported, and stays as it is', async () => {
    const references = await heldBack()
    const due = await charge({ state: 'failed', payment: 'failed' })
    await sweepAfter(3 * minute_ms, silent)
    const before = await orphanOf(due.reference)
    const none = ids.operation(clock.now())
    expect(await release(named(due.reference, none, references[0]!))).toMatchObject({
      changed: [{ reference: references[0] }],
      unchanged: [
        { reference: due.reference, state: 'due' },
        { reference: none, state: null },
      ],
    })
    expect(await orphanOf(due.reference)).toEqual(before)
    await reverseOrphans(context)
    const { unchanged } = await release(named(references[0]!))
    expect(unchanged).toEqual([{ reference: references[0], state: 'reversed' }])
  })
})

describe('left', () => {
  test('they are never found again, as what was reversed and lives would be', async () => {
    const references = await heldBack()
    const { changed } = await leave(all)
    expect(changed).toHaveLength(21)
    const one = { state: 'left', left_by: 'ada', left_reason: why.reason, next_try_at: null }
    expect(await orphanOf(references[0]!)).toMatchObject({ ...one, settled_at: clock.now() })
    await sql`update orphan_authorisations set state = 'reversed', left_by = null, left_reason = null
      where reference = ${references[1]!}`
    expect(await sweepAfter(3 * minute_ms)).toBe(1)
    expect(await countStandings()).toEqual({ left: 20, held_back: 1 })
    await sql`delete from orphan_sweeps`
    await sweepAfter(20 * hour_ms)
    expect(await countStandings()).toEqual({ left: 20, held_back: 1 })
    expect(await countReversed(references)).toBe(0)
  })

  test('one of them is, and the others wait', async () => {
    const [first, ...others] = await heldBack()
    await leave(named(first!))
    expect(await countStandings()).toEqual({ left: 1, held_back: 20 })
    await release(all)
    await reverseOrphans(context)
    expect([await countReversed([first!]), await countReversed(others)]).toEqual([0, 20])
    const { unchanged } = await leave(named(first!, others[0]!))
    expect(unchanged).toEqual([
      { reference: first, state: 'left' },
      { reference: others[0], state: 'reversed' },
    ])
  })

  test('and released after all, one is reversed', async () => {
    const [first] = await heldBack()
    await leave(all)
    // All of them means all that are held back.
    expect((await release(all)).changed).toEqual([])
    await release(named(first!))
    await reverseOrphans(context)
    expect(await booksOf(first!)).toEqual(reversed)
    expect(await orphanOf(first!)).toMatchObject({
      left_by: 'ada',
      left_reason: why.reason,
      released_by: 'ben',
      released_at: clock.now(),
    })
  })

  test.each<[string, (reverse: Acquirer['reverse']) => Acquirer['reverse'], object, object]>([
    ['was made', (reverse) => reverse, { state: 'reversed', left_by: 'ada' }, reversed],
    ['failed', () => () => Promise.reject(new Error('down')), { state: 'left', left_by: 'ada', tries: 1 }, untouched],
    [
      'found nothing',
      () => async () => ({ result: 'refused', reason: 'No', decline_code: null, authorisation_known: false }),
      { state: 'left', left_by: 'ada', tries: 1 },
      untouched,
    ],
  ])('while a reversal was under way that %s', async (_, reverseBy, orphan, books) => {
    const { reference } = await authorise()
    const meanwhile: Acquirer = {
      ...simulator,
      async reverse(request) {
        expect((await leave(named(reference))).changed).toHaveLength(1)
        return reverseBy(simulator.reverse)(request)
      },
    }
    await sweepAfter(3 * minute_ms, contextOf(meanwhile))
    expect(await orphanOf(reference)).toMatchObject(orphan)
    await sweepAfter(2 * hour_ms)
    expect(await orphanOf(reference)).toMatchObject(orphan)
    expect(await booksOf(reference)).toEqual(books)
  })
})

test.each([
  ['release', release, 'reversed'],
  ['leave', leave, 'left'],
] as const)('%s all means none that a sweep has just found: nobody has seen them', async (_, decide, becomes) => {
  const seen = await heldBack()
  const unseen = await authoriseMany(40)
  await clock.advance(3 * hour_ms)
  let asked = 0
  const meanwhile: Acquirer = {
    ...simulator,
    async listAuthorisations(within) {
      const listed = await simulator.listAuthorisations(within)
      asked += 1
      // By then those of the first window are written down.
      if (asked === 3) {
        expect(await countStandings()).toEqual({ held_back: 21, found: 40 })
        expect((await countUnsettled(sql, { acquirer: null, now: clock.now() })).held_back).toBe(21)
        const shown = await listOrphans(sql, { acquirer: null, settled_too: false, limit: 21 })
        expect(shown.map(({ reference }) => reference).sort()).toEqual(seen.toSorted())
        expect((await release(named(unseen[0]!))).unchanged).toMatchObject([{ state: 'found' }])
        expect((await decide(all)).changed).toHaveLength(21)
      }
      return listed
    },
  }
  await sweepOrphans(contextOf(meanwhile))
  expect(await countStandings()).toEqual({ [becomes]: 21, held_back: 40 })
  expect(await countReversed(unseen)).toBe(0)
})

test('what is decided about a payment that we know is in its journal', async () => {
  const { reference, payment_id, session_id } = await charge({ state: 'failed', payment: 'failed' })
  await sweepAfter(3 * minute_ms, silent)
  for (const decide of [leave, release]) {
    await clock.advance(1)
    await decide(named(reference))
  }
  await clock.advance(1)
  await reverseOrphans(context)
  expect(await booksOf(reference)).toEqual(reversed)
  const whose = { subject: payment_id, session_id }
  expect(await journal()).toMatchObject([
    { ...whose, change: 'orphan.found', actor: 'reconciler', detail: { reference } },
    { ...whose, change: 'orphan.left', actor: 'operator', detail: { reference, ...why } },
    { ...whose, change: 'orphan.released', actor: 'operator', detail: { reference, by: 'ben' } },
    { ...whose, change: 'orphan.reversed', actor: 'reconciler', detail: { reference } },
  ])
})

test.each(Array.from({ length: 5 }, (_, round) => round))(
  'two people and a sweep at once: each is decided once, round %i',
  async () => {
    const references = await heldBack()
    const other = await database.open({ connections_max: 3 })
    const [left, released] = await Promise.all([
      leaveUnreversed({ ...context, sql: other.sql }, all, why),
      release(named(...references.toReversed())),
      sweepAfter(minute_ms),
    ])
    await other.close()
    await reverseOrphans(context)
    // One that was left first and then named is released after all.
    const reversed_count = await countReversed(references)
    expect(reversed_count).toBe(released.changed.length)
    expect(left.changed.length + reversed_count).toBeGreaterThanOrEqual(21)
    expect(await countStandings()).not.toHaveProperty('due')
    expect(await countStandings()).not.toHaveProperty('held_back')
  },
)
