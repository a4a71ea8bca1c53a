// Where too many authorisations are found that nobody here knows, none of them is reversed before a person has looked.

import { describe, expect, test } from 'vitest'
import { type Acquirer, Unanswered } from '../../src/acquirers/acquirer.ts'
import { openMetrics } from '../../src/http/metrics.ts'
import { watchSettlements } from '../../src/payments/acquirer-comparison/watch-settlements.ts'
import { every_acquirer } from '../../src/payments/orphan.ts'
import { listBrakes, pullBrake, releaseBrakes } from '../../src/payments/orphans/orphan-brake-store.ts'
import { reverseOrphans } from '../../src/payments/orphans/reverse-orphans.ts'
import { sweepOrphans } from '../../src/payments/orphans/sweep-orphans.ts'
import { hour_ms, minute_ms, reversed, untouched, useOrphanStage } from '../support/orphan-stage.ts'
import { until } from '../support/service.ts'

const stage = await useOrphanStage('reverse')
const { database, sql, clock, simulator, context, contextOf } = stage
const { authorise, authoriseMany, charge, booksOf, orphanOf, sweepAfter, told } = stage
const { countReversed, countStandings } = stage

/** Errors that tell of the brake, not of one orphan. */
const alarms = () => told('error').filter(({ fields }) => 'held_back' in fields)

/** The simulator under a name of its own, with nothing but these authorisations. */
function only(references: string[], name = 'simulator'): Acquirer {
  return {
    ...simulator,
    name,
    async listAuthorisations(within) {
      const listed = await simulator.listAuthorisations(within)
      return listed.filter(({ reference }) => references.includes(reference))
    },
  }
}

describe('the brake', () => {
  test('is off for twenty', async () => {
    const references = await authoriseMany(20)
    expect(await sweepAfter(3 * minute_ms)).toBe(40)
    expect(await countReversed(references)).toBe(20)
    expect(alarms()).toEqual([])
    expect(told('error')).toHaveLength(20)
  })

  test('is on for twenty-one: not one is reversed, and one line says so', async () => {
    const references = await authoriseMany(21)
    expect(await sweepAfter(3 * minute_ms)).toBe(21)
    expect(await countStandings()).toEqual({ held_back: 21 })
    expect(told('error')).toMatchObject([
      {
        fields: { acquirer: 'simulator', held_back: 21 },
        message: expect.stringMatching(/^21 authorisations .* ripper orphan list shows them$/),
      },
    ])
    for (let day = 0; day < 4; day++) expect(await sweepAfter(24 * hour_ms)).toBe(0)
    expect(await countReversed(references)).toBe(0)
    expect(alarms()).toHaveLength(1)
  })

  test.each<[string, number, object]>([
    ['just within 24 hours', 24 * hour_ms - 1, { reversed: 12, held_back: 9 }],
    ['just after', 24 * hour_ms, { reversed: 21 }],
  ])('counts what other sweeps found %s', async (_, apart_ms, standings) => {
    await authoriseMany(12)
    await sweepAfter(3 * minute_ms)
    expect(await countStandings()).toEqual({ reversed: 12 })
    await clock.advance(apart_ms - 3 * minute_ms)
    await authoriseMany(9)
    await sweepAfter(3 * minute_ms)
    expect(await countStandings()).toEqual(standings)
  })

  test('stays on for what comes later, for as long as one waits for a person', async () => {
    const first = await authoriseMany(21)
    await sweepAfter(3 * minute_ms)
    await sql`update orphan_authorisations set state = 'left', settled_at = found_at, left_by = 'me',
      left_reason = 'ours' where reference <> ${first[0]!}`
    await clock.advance(30 * hour_ms)
    const later = await authorise()
    await sweepAfter(3 * minute_ms)
    expect(await countStandings()).toEqual({ left: 20, held_back: 2 })
    expect(alarms().map(({ fields }) => fields)).toMatchObject([{ held_back: 21 }, { held_back: 2 }])
    await sql`update orphan_authorisations set state = 'left', settled_at = found_at, left_by = 'me',
      left_reason = 'ours' where state = 'found'`
    await clock.advance(24 * hour_ms)
    const last = await authorise()
    await sweepAfter(3 * minute_ms)
    expect(await booksOf(later.reference)).toEqual(untouched)
    expect(await booksOf(last.reference)).toEqual(reversed)
  })

  test('is one for each acquirer', async () => {
    const [many, few] = [await authoriseMany(21), await authoriseMany(3)]
    const acquirers = [only(many), only(few, 'bank')].map((acquirer) => ({
      mode: 'test' as const,
      acquirer,
    }))
    await sweepAfter(3 * minute_ms, { ...context, listAcquirers: async () => acquirers })
    expect([await countReversed(many), await countReversed(few)]).toEqual([0, 3])
  })

  test('does not touch those that we know', async () => {
    const unknown = await authoriseMany(21)
    const known: string[] = []
    for (let each = 0; each < 25; each++) {
      known.push((await charge({ state: 'failed', payment: 'failed' })).reference)
    }
    await sweepAfter(3 * minute_ms)
    expect([await countReversed(unknown), await countReversed(known)]).toEqual([0, 25])
    const next = await charge({ state: 'approved', payment: 'voided' })
    await sweepAfter(3 * minute_ms)
    expect(await booksOf(next.reference)).toEqual(reversed)
  })

  test('does not count those that we know', async () => {
    const unknown = await authoriseMany(15)
    for (let each = 0; each < 25; each++) await charge({ state: 'failed', payment: 'failed' })
    await sweepAfter(3 * minute_ms)
    expect(await countReversed(unknown)).toBe(15)
  })
})

describe('the brake that a person pulls', () => {
  const pull = (acquirer = every_acquirer) =>
    pullBrake(sql, {
      acquirer,
      pulled_at: clock.now(),
      pulled_by: 'ada',
      reason: 'restored',
      released_at: null,
      released_by: null,
    })
  const release = async () => {
    const brakes = await listBrakes(sql, { acquirer: null, released_too: false })
    return releaseBrakes(sql, { brakes, at: clock.now(), by: 'ada' })
  }
  const silent = contextOf({ ...simulator, reverse: () => Promise.reject(new Unanswered('')) })

  test.each([every_acquirer, 'simulator'])('of %s holds back what is found', async (acquirer) => {
    expect(await pull(acquirer)).toEqual({ is_new: true, held_back: 0 })
    const references = await authoriseMany(2)
    const known = await charge({ state: 'failed', payment: 'failed' })
    await sweepAfter(3 * minute_ms)
    expect(await countStandings()).toEqual({ held_back: 2, reversed: 1 })
    expect(alarms()).toMatchObject([{ fields: { held_back: 2 } }])
    for (let day = 0; day < 2; day++) await sweepAfter(24 * hour_ms)
    expect(await countReversed(references)).toBe(0)
    expect(await booksOf(known.reference)).toEqual(reversed)
  })

  test('of another acquirer holds back nothing here', async () => {
    await pull('bank')
    const { reference } = await authorise()
    await sweepAfter(3 * minute_ms)
    expect(await booksOf(reference)).toEqual(reversed)
  })

  test('holds back what is due already, and not what a person released; what is known waits', async () => {
    const [freed, ...others] = await authoriseMany(3)
    const known = await charge({ state: 'failed', payment: 'failed' })
    await sweepAfter(3 * minute_ms, silent)
    await sql`update orphan_authorisations set held_back_at = found_at, released_by = 'ada',
      released_at = found_at where reference = ${freed!}`
    expect(await pull('bank')).toEqual({ is_new: true, held_back: 0 })
    expect(await pull()).toEqual({ is_new: true, held_back: 2 })
    await clock.advance(minute_ms)
    expect(await pull()).toEqual({ is_new: false, held_back: 0 })
    expect(await listBrakes(sql, { acquirer: null, released_too: false })).toMatchObject([
      { acquirer: 'bank' },
      { acquirer: '*', pulled_at: clock.now() },
    ])
    expect(await countStandings()).toEqual({ held_back: 2, due: 2 })
    await sweepAfter(hour_ms)
    expect(await countStandings()).toEqual({ held_back: 2, reversed: 1, due: 1 })
    expect(await booksOf(known.reference)).toEqual(untouched)
    await release()
    await sweepAfter(hour_ms)
    expect(await countStandings()).toEqual({ held_back: 2, reversed: 2 })
    expect([await countReversed([freed!]), await countReversed(others)]).toEqual([1, 0])
  })

  test('catches an orphan that a sweep releases at that very moment', async () => {
    const { reference } = await authorise()
    await sweepAfter(3 * minute_ms, silent)
    await pull()
    // As a sweep leaves it that did not see the brake.
    await sql`update orphan_authorisations set held_back_at = null, next_try_at = found_at`
    expect(await reverseOrphans(context)).toBe(0)
    await sweepOrphans(context)
    expect(await countStandings()).toEqual({ held_back: 1 })
    expect(await booksOf(reference)).toEqual(untouched)
  })

  test.each<[string, 'listAuthorisations' | 'reverse', number]>([
    ['is listed', 'listAuthorisations', 0],
    // Eight are asked for at once.
    ['is reversed', 'reverse', 8],
  ])('while it %s: what was not asked for by then is not reversed', async (_, verb, most) => {
    const references = await authoriseMany(12)
    await clock.advance(3 * minute_ms)
    const pulled = Promise.withResolvers<unknown>()
    const watched: Acquirer = {
      ...simulator,
      [verb]: async (request: never) => {
        pulled.resolve(pull())
        await pulled.promise
        return simulator[verb](request)
      },
    }
    const other = await database.open({ connections_max: 3 })
    await Promise.all([sweepOrphans(contextOf(watched)), sweepOrphans(contextOf(watched, other.sql))])
    await other.close()
    const in_time = await countReversed(references)
    expect(in_time).toBeLessThanOrEqual(most)
    await sweepAfter(hour_ms)
    expect(await countReversed(references)).toBe(in_time)
    const { reversed: done = 0, held_back = 0, ...rest } = await countStandings()
    expect({ done, held_back, rest }).toEqual({ done: in_time, held_back: 12 - in_time, rest: {} })
  })

  test('holds back what was claimed and not yet asked for', async () => {
    const references = await authoriseMany(12)
    const asked: string[] = []
    const watched: Acquirer = {
      ...simulator,
      async reverse(request) {
        asked.push(request.authorisation.reference)
        if (asked.length === 8) await pull()
        // Nobody is done, and takes the next, before it is pulled.
        await until(async () => (await countStandings()).held_back ?? 0, Boolean)
        return simulator.reverse(request)
      },
    }
    await sweepAfter(3 * minute_ms, contextOf(watched))
    expect(asked).toHaveLength(8)
    expect(await countReversed(references)).toBe(8)
    expect(await countStandings()).toEqual({ reversed: 8, held_back: 4 })
  })

  test('holds back an orphan that a sweep releases at the moment when the brake is released', async () => {
    const { reference } = await authorise()
    await sweepAfter(3 * minute_ms, silent)
    await pull()
    // As a sweep leaves it that did not see the brake.
    await sql`update orphan_authorisations set held_back_at = null, next_try_at = found_at`
    await release()
    await sweepAfter(hour_ms)
    expect(await countStandings()).toEqual({ held_back: 1 })
    expect(await booksOf(reference)).toEqual(untouched)
  })

  test('holds back what a sweep has found, if it is released during the sweep', async () => {
    await pull()
    const { reference } = await authorise()
    await clock.advance(5 * hour_ms)
    const released: unknown[] = []
    const watched: Acquirer = {
      ...simulator,
      async listAuthorisations(within) {
        // What was authorised by then is found.
        const found = await orphanOf(reference)
        if (found && released.length === 0) released.push(...(await release()))
        return simulator.listAuthorisations(within)
      },
    }
    await sweepOrphans(contextOf(watched))
    expect(released).toHaveLength(1)
    await sweepAfter(hour_ms)
    expect(await countStandings()).toEqual({ held_back: 1 })
    expect(await booksOf(reference)).toEqual(untouched)
  })

  test('is released alone, and not a brake that was pulled since', async () => {
    await pull('simulator')
    const brakes = await listBrakes(sql, { acquirer: null, released_too: false })
    await clock.advance(minute_ms)
    await pull()
    const end = { brakes, at: clock.now(), by: 'ada' }
    expect(await releaseBrakes(sql, end)).toMatchObject([{ acquirer: 'simulator' }])
    expect(await releaseBrakes(sql, end)).toEqual([])
    const { reference } = await authorise()
    await sweepAfter(3 * minute_ms)
    expect(await booksOf(reference)).toEqual(untouched)
  })

  test('leaves what is held back to be decided when it is released', async () => {
    await pull()
    const { reference } = await authorise()
    await sweepAfter(3 * minute_ms)
    expect(await release()).toMatchObject([{ acquirer: '*', released_by: 'ada' }])
    const later = await authorise()
    await sweepAfter(hour_ms)
    expect(await countStandings()).toEqual({ held_back: 2 })
    await sql`update orphan_authorisations set state = 'left', settled_at = found_at, left_by = 'me',
      left_reason = 'ours'`
    const last = await authorise()
    await sweepAfter(hour_ms)
    for (const left of [reference, later.reference]) expect(await booksOf(left)).toEqual(untouched)
    expect(await booksOf(last.reference)).toEqual(reversed)
    expect(await pull()).toMatchObject({ is_new: true })
  })
})

describe('a sweep that has not come to its end', () => {
  test('lets nothing go before it has caught up with the present', async () => {
    await sweepOrphans(context)
    const references: string[] = []
    for (const count of [8, 8, 5]) {
      references.push(...(await authoriseMany(count)))
      await clock.advance(30 * hour_ms)
    }
    // Two days a run: the last are found by the second, when the first are to be let go.
    await sweepOrphans(context)
    expect(await countStandings()).toEqual({ found: 16 })
    expect(told('error')).toEqual([])
    await sweepOrphans(context)
    expect(await countStandings()).toEqual({ held_back: 21 })
    expect(alarms()).toMatchObject([{ fields: { held_back: 21 } }])
    expect(await countReversed(references)).toBe(0)
  })

  /** An acquirer that lists nothing of the last hour. */
  const forgetful: Acquirer = {
    ...simulator,
    async listAuthorisations(within) {
      if (within.until.getTime() > clock.now().getTime() - hour_ms) throw new Error('down')
      return simulator.listAuthorisations(within)
    },
  }

  test('leaves what it found to the next one, which counts it however late it comes', async () => {
    const references = await authoriseMany(11)
    await sweepAfter(3 * hour_ms, contextOf(forgetful))
    expect(await countStandings()).toEqual({ found: 11 })
    expect(await countReversed(references)).toBe(0)
    await clock.advance(25 * hour_ms)
    await authoriseMany(10)
    await sweepAfter(3 * minute_ms)
    expect(await countStandings()).toEqual({ held_back: 21 })
    expect(alarms()).toMatchObject([{ fields: { held_back: 21 } }])
  })

  test('puts the brake on, too', async () => {
    const first = await authoriseMany(2)
    const silent = contextOf({ ...simulator, reverse: () => Promise.reject(new Unanswered('')) })
    await sweepAfter(3 * minute_ms, silent)
    expect(await countStandings()).toEqual({ due: 2 })
    const others = await authoriseMany(19)
    await clock.advance(3 * hour_ms)
    await sweepOrphans(contextOf(forgetful))
    expect(await countStandings()).toEqual({ held_back: 21 })
    expect(await countReversed([...first, ...others])).toBe(0)
  })
})

describe('a reversal that was begun before the brake', () => {
  /** Lets the reversals of two wait until 19 more were found, and then go on. */
  async function heldBackMeanwhile(end: Acquirer['reverse']) {
    const references = await authoriseMany(2)
    await authoriseMany(19)
    const gate = Promise.withResolvers<void>()
    const reached = Promise.withResolvers<void>()
    const slow: Acquirer = {
      ...only(references),
      async reverse(request) {
        reached.resolve()
        await gate.promise
        return end(request)
      },
    }
    const sweeping = sweepAfter(3 * minute_ms, contextOf(slow))
    await reached.promise
    await sweepOrphans(context)
    gate.resolve()
    await sweeping
    return references
  }

  test('counts', async () => {
    const references = await heldBackMeanwhile(simulator.reverse)
    expect(await countReversed(references)).toBe(2)
    expect(await countStandings()).toEqual({ reversed: 2, held_back: 19 })
  })

  test('is not tried again where its answer was lost', async () => {
    const references = await heldBackMeanwhile(() => Promise.reject(new Unanswered('no answer')))
    expect(await countStandings()).toEqual({ held_back: 21 })
    expect(await orphanOf(references[0]!)).toMatchObject({ tries: 1, last_failure: 'no answer' })
    await clock.advance(2 * hour_ms)
    expect(await reverseOrphans(context)).toBe(0)
    expect(await countReversed(references)).toBe(0)
  })
})

describe('two sweeps at once', () => {
  const rounds = Array.from({ length: 5 }, (_, round) => round)

  async function sweepBoth(acquirers: [Acquirer, Acquirer]) {
    await clock.advance(3 * minute_ms)
    const other = await database.open({ connections_max: 3 })
    await Promise.all([
      sweepOrphans(contextOf(acquirers[0])),
      sweepOrphans(contextOf(acquirers[1], other.sql)),
      reverseOrphans(contextOf(simulator, other.sql)),
    ])
    await reverseOrphans(context)
    await other.close()
  }

  test.each(rounds)('that find the same, round %i', async () => {
    const references = await authoriseMany(21)
    await sweepBoth([simulator, simulator])
    expect(await countStandings()).toEqual({ held_back: 21 })
    expect(await countReversed(references)).toBe(0)
    expect(alarms().length).toBeGreaterThan(0)
  })

  test.each(rounds)('that find halves of too many never reverse too many, round %i', async () => {
    const halves = [await authoriseMany(15), await authoriseMany(15)] as const
    await sweepBoth([only(halves[0]), only(halves[1])])
    // The half that was found first may have been let go before the other was there.
    const counts = await Promise.all(halves.map(countReversed))
    expect(Math.min(...counts)).toBe(0)
    const held_back = 30 - counts[0]! - counts[1]!
    const { due: _, ...standings } = await countStandings()
    expect(standings).toMatchObject({ held_back })
    expect(alarms().length).toBeGreaterThan(0)
  })
})

test('the metrics count what is due, what is held back, and pulled brakes', async () => {
  const metrics = openMetrics()
  const watched = { sql, world: context.world, metrics }
  const lines = async () => (await metrics.text()).split('\n').filter((line) => line.startsWith('ripper_orphan'))
  await authoriseMany(21)
  await charge({ state: 'failed', payment: 'failed' })
  const silent = contextOf({ ...simulator, reverse: () => Promise.reject(new Unanswered('')) })
  await sweepAfter(3 * minute_ms, silent)
  await watchSettlements(watched)
  expect(await lines()).toEqual([
    'ripper_orphan_authorisations{state="due"} 1',
    'ripper_orphan_authorisations{state="unreversed"} 0',
    'ripper_orphan_authorisations{state="held_back"} 21',
    'ripper_orphan_brakes_pulled 0',
  ])
  // As a sweep that goes on has just written them.
  await sql`update orphan_authorisations set held_back_at = null, next_try_at = null
    where merchant_id is null`
  await sql`delete from orphan_authorisations where merchant_id is not null`
  await sql`insert into orphan_brakes (acquirer, pulled_at, pulled_by, reason)
    select 'bank', found_at, 'ada', 'restored' from orphan_authorisations limit 1`
  await watchSettlements(watched)
  expect(await lines()).toEqual([
    'ripper_orphan_authorisations{state="due"} 0',
    'ripper_orphan_authorisations{state="unreversed"} 0',
    'ripper_orphan_authorisations{state="held_back"} 0',
    'ripper_orphan_brakes_pulled 1',
  ])
})
