// Authorisations that bear our mark and nothing here knows are payments that were lost: nobody reverses them by himself, and
// while that is so nothing is reversed about which a person may have decided otherwise.

import { describe, expect, test } from 'vitest'
import { every_acquirer } from '../../src/payments/orphan.ts'
import { reverseHeldBack } from '../../src/payments/orphans/decide-orphans.ts'
import { listBrakes, pullBrake, releaseBrakes } from '../../src/payments/orphans/orphan-brake-store.ts'
import { reverseOrphans } from '../../src/payments/orphans/reverse-orphans.ts'
import { sweepOrphans } from '../../src/payments/orphans/sweep-orphans.ts'
import { hour_ms, minute_ms, reversed, untouched, useOrphanStage } from '../support/orphan-stage.ts'

const stage = await useOrphanStage()
const { database, sql, clock, context, contextOf, simulator } = stage
const { authorise, authoriseMany, charge, booksOf, orphanOf, sweepAfter, told } = stage
const { countReversed, countStandings } = stage

const brakes = () => listBrakes(sql, { acquirer: null, released_too: false })
const letGo = async () => releaseBrakes(sql, { brakes: await brakes(), at: clock.now(), by: 'ada' })

describe('payments whose rows were lost', () => {
  test('are held back and named, and not one is reversed', async () => {
    const lost: string[] = []
    for (let each = 0; each < 3; each++) {
      const { reference } = await charge({ state: 'approved', payment: 'captured' })
      lost.push(reference)
    }
    await sql`delete from acquirer_operations`
    await sql`delete from payments`
    for (let sweep = 0; sweep < 4; sweep++) await sweepAfter(5 * minute_ms)
    expect(await countReversed(lost)).toBe(0)
    expect(await countStandings()).toEqual({ held_back: 3 })
    for (const reference of lost) {
      expect(await orphanOf(reference)).toMatchObject({ merchant_id: null, amount: 4200 })
    }
    expect(told('error')).toMatchObject([
      {
        fields: { acquirer: 'simulator', held_back: 3 },
        message: expect.stringMatching(/^3 authorisations .* ripper orphan list shows them$/),
      },
    ])
    expect(await brakes()).toMatchObject([
      { acquirer: every_acquirer, pulled_by: 'service', reason: expect.stringContaining('commits were lost') },
    ])
  })

  test('are held back without end, even after a person released the brake', async () => {
    const references = await authoriseMany(2)
    await sweepAfter(3 * minute_ms)
    await letGo()
    for (let day = 0; day < 3; day++) await sweepAfter(24 * hour_ms)
    expect(await countReversed(references)).toBe(0)
    // What is found after that is another sign, and pulls it once more.
    expect(await brakes()).toEqual([])
    await authorise()
    await sweepAfter(3 * minute_ms)
    expect(await brakes()).toMatchObject([{ pulled_by: 'service' }])
    expect(await countStandings()).toEqual({ held_back: 3 })
  })

  test('are reversed where a person says so, under the brake, too', async () => {
    const [one, other] = await authoriseMany(2)
    await sweepAfter(3 * minute_ms)
    await reverseHeldBack(context, { references: [one!], acquirer: null }, { by: 'ben' })
    await sweepAfter(minute_ms)
    expect(await booksOf(one!)).toEqual(reversed)
    expect(await booksOf(other!)).toEqual(untouched)
  })

  test('that a run found which died are held back by the next, once, by two at once', async () => {
    const references = await authoriseMany(3)
    await clock.advance(3 * hour_ms)
    let lists = 0
    const dying = contextOf({
      ...simulator,
      async listAuthorisations(within) {
        lists += 1
        if (lists > 2) throw new Error('down')
        return simulator.listAuthorisations(within)
      },
    })
    await sweepOrphans(dying)
    const other = await database.open({ connections_max: 3 })
    await Promise.all([sweepOrphans(context), sweepOrphans(contextOf(simulator, other.sql))])
    await other.close()
    expect(await countStandings()).toEqual({ held_back: 3 })
    expect(await countReversed(references)).toBe(0)
    expect(await brakes()).toHaveLength(1)
  })

  test('that another process had released by its rule are held back', async () => {
    const { reference } = await authorise()
    const silent = contextOf({ ...simulator, reverse: () => Promise.reject(new Error('down')) })
    await sweepAfter(3 * minute_ms, { ...silent, unknown_authorisations: 'reverse' })
    expect(await countStandings()).toEqual({ due: 1 })
    await sweepAfter(3 * minute_ms)
    expect(await countStandings()).toEqual({ held_back: 1 })
    expect(await booksOf(reference)).toEqual(untouched)
  })
})

describe('under a brake, what we know', () => {
  const pull = () =>
    pullBrake(sql, {
      acquirer: every_acquirer,
      pulled_at: clock.now(),
      pulled_by: 'service',
      reason: 'commits were lost',
      released_at: null,
      released_by: null,
    })

  test('and what was authorised before it waits until it is released', async () => {
    const { reference } = await charge({ state: 'failed', payment: 'failed' })
    await clock.advance(minute_ms)
    await pull()
    const later = await charge({ state: 'failed', payment: 'failed' })
    for (let hour = 0; hour < 3; hour++) await sweepAfter(hour_ms)
    expect(await booksOf(reference)).toEqual(untouched)
    expect(await orphanOf(reference)).toMatchObject({ state: 'found', tries: 0 })
    expect(await booksOf(later.reference)).toEqual(reversed)
    await letGo()
    await reverseOrphans(context)
    expect(await booksOf(reference)).toEqual(reversed)
  })

  test('and a person has released is reversed', async () => {
    const { reference } = await charge({ state: 'failed', payment: 'failed' })
    await clock.advance(minute_ms)
    await pull()
    await sweepAfter(3 * minute_ms)
    await sql`update orphan_authorisations set state = 'left', next_try_at = null, settled_at = found_at,
      left_by = 'ada', left_reason = 'paid'`
    await reverseHeldBack(context, { references: [reference], acquirer: null }, { by: 'ben' })
    await reverseOrphans(context)
    expect(await booksOf(reference)).toEqual(reversed)
  })

  test('is not asked for where it was claimed just before', async () => {
    const references: string[] = []
    for (let each = 0; each < 12; each++) {
      references.push((await charge({ state: 'failed', payment: 'failed' })).reference)
    }
    const asked: string[] = []
    const pulled = Promise.withResolvers<void>()
    const watched = contextOf({
      ...simulator,
      async reverse(request) {
        asked.push(request.authorisation.reference)
        if (asked.length === 8) pulled.resolve(pull().then(() => {}))
        await pulled.promise
        return simulator.reverse(request)
      },
    })
    await sweepAfter(3 * minute_ms, watched)
    // Eight are asked for at once.
    expect(asked).toHaveLength(8)
    expect(await countReversed(references)).toBe(8)
    await sweepAfter(hour_ms)
    expect(await countReversed(references)).toBe(8)
  })
})
