// The reversal of an orphan is sent until it is settled, and happens once, whatever fails or dies on the way.

import { describe, expect, test } from 'vitest'
import {
  type Acquirer,
  type LookUpRequest,
  type SettleAnswer,
  type SettleRequest,
  Unanswered,
} from '../../src/acquirers/acquirer.ts'
import type { Sql } from '../../src/database/open.ts'
import { orphanIf } from '../../src/payments/acquirer-operations/orphan-rows-store.ts'
import { newOrphan } from '../../src/payments/orphan.ts'
import { reverseOrphans } from '../../src/payments/orphans/reverse-orphans.ts'
import { sweepOrphans } from '../../src/payments/orphans/sweep-orphans.ts'
import { authoriseRequest, settleRequest } from '../adapters/acquirer-requests.ts'
import { minute_ms, reversed, useOrphanStage, visa } from '../support/orphan-stage.ts'
import { until } from '../support/service.ts'

const stage = await useOrphanStage('reverse')
const { sql, clock, ids, simulator, context, contextOf } = stage
const { authorise, writeCharge, booksOf, orphanOf, sweepAfter, told } = stage

/** The simulator with other reversals, and what it was asked for. */
function wrapped(reverse: Acquirer['reverse']) {
  const asked = { reverse: [] as string[], lookUp: 0 }
  const acquirer: Acquirer = {
    ...simulator,
    reverse(request) {
      asked.reverse.push(request.reference)
      return reverse(request)
    },
    lookUp(reference) {
      asked.lookUp++
      return simulator.lookUp(reference)
    },
  }
  return { swept: contextOf(acquirer), asked }
}

const lost = () => Promise.reject(new Unanswered('no answer'))

function refusal(decline_code: string | null): SettleAnswer {
  return { result: 'refused', reason: 'No', decline_code, authorisation_known: true }
}

/** As long as the longest wait of so many minutes before the next try. */
const wait = (minutes: number) => clock.advance(1.2 * minutes * minute_ms)

test('a reversal in the currency that was charged after all is whole', async () => {
  const { reference } = await authorise()
  const money = { amount: 4200, currency: 'EUR' }
  const { swept } = wrapped(async () => ({ result: 'approved', acquirer_transaction_id: 'r_1', money }))
  await sweepAfter(3 * minute_ms, swept)
  expect(await orphanOf(reference)).toMatchObject({ state: 'reversed' })
})

test.each([
  ['a part', { amount: 100, currency: 'GBP' }, 4100],
  ['a part in another currency', { amount: 100, currency: 'EUR' }, 4100],
])('a reversal of %s is followed by one of the rest', async (_, money, rest) => {
  const { reference } = await authorise()
  const asked: SettleRequest[] = []
  const { swept } = wrapped(async (request) => {
    asked.push(request)
    const done = { result: 'approved', acquirer_transaction_id: `r_${asked.length}` } as const
    return asked.length > 1 ? done : { ...done, money }
  })
  await sweepAfter(3 * minute_ms, swept)
  expect(await orphanOf(reference)).toMatchObject({
    state: 'found',
    amount: rest,
    last_failure: 'only a part was given back',
  })
  await wait(1)
  await reverseOrphans(swept)
  expect(asked.map(({ amount }) => amount)).toEqual([4200, rest])
  expect(new Set(asked.map((each) => each.reference)).size).toBe(2)
  expect(await orphanOf(reference)).toMatchObject({ state: 'reversed' })
})

describe('a reversal', () => {
  test.each([
    ['before', async () => {}],
    ['after', (request: SettleRequest) => simulator.reverse(request)],
  ] as const)('whose answers are lost %s its effect is sent again under its reference', async (_, effect) => {
    const { reference } = await authorise()
    let losses = 3
    const { swept, asked } = wrapped(async (request) => {
      if (losses-- === 0) return simulator.reverse(request)
      await effect(request)
      return lost()
    })
    await sweepAfter(3 * minute_ms, swept)
    for (const minutes of [1, 5, 30]) {
      expect(await orphanOf(reference)).toMatchObject({
        state: 'found',
        last_failure: 'no answer',
      })
      expect(await reverseOrphans(swept)).toBe(0)
      await wait(minutes)
      expect(await reverseOrphans(swept)).toBe(1)
    }
    expect(new Set(asked.reverse).size).toBe(1)
    expect(await orphanOf(reference)).toMatchObject({ state: 'reversed', tries: 4 })
    expect(await booksOf(reference)).toEqual(reversed)
    expect(told('warn')).toHaveLength(3)
    expect(told('info')).toHaveLength(1)
  })

  test.each([
    ['before', 2],
    ['after', 1],
  ] as const)(
    'whose reference may be forgotten is looked up first, answers lost %s its effect',
    async (when, references) => {
      const { reference } = await authorise()
      let losses = 1
      const { swept, asked } = wrapped(async (request) => {
        if (losses-- > 0) {
          if (when === 'after') await simulator.reverse(request)
          return lost()
        }
        return simulator.reverse(request)
      })
      await sweepAfter(3 * minute_ms, swept)
      await clock.advance(simulator.reference_life_ms + 1)
      await reverseOrphans(swept)
      expect(asked).toMatchObject({ reverse: [expect.any(String)], lookUp: 1 })
      await wait(60)
      await reverseOrphans(swept)
      expect(new Set(asked.reverse).size).toBe(references)
      expect(await orphanOf(reference)).toMatchObject({ state: 'reversed' })
      expect(await booksOf(reference)).toEqual(reversed)
    },
  )

  test('without an answer is given up for now, not waited for', async () => {
    const { reference } = await authorise()
    const { swept } = wrapped(() => new Promise(() => {}))
    await clock.advance(3 * minute_ms)
    const sweeping = sweepOrphans(swept)
    await until(
      () => orphanOf(reference),
      (orphan) => orphan?.tries === 1,
    )
    await clock.sleepers(20_000)
    await clock.advance(20_000)
    await sweeping
    expect(await orphanOf(reference)).toMatchObject({ state: 'found', tries: 1 })
    await wait(1)
    await reverseOrphans(context)
    expect(await booksOf(reference)).toEqual(reversed)
  })

  test('that is accepted is asked after, and never sent again', async () => {
    const { reference } = await authorise()
    const looks: LookUpRequest[] = []
    let is_known = false
    const reversals: string[] = []
    const swept = contextOf({
      ...simulator,
      async reverse(request) {
        reversals.push(request.reference)
        await simulator.reverse(request)
        return { result: 'accepted', acquirer_transaction_id: 'theirs' }
      },
      async lookUp(request) {
        looks.push(request)
        return is_known ? simulator.lookUp(request) : { result: 'in_progress' }
      },
    })
    await sweepAfter(3 * minute_ms, swept)
    for (const minutes of [1, 2]) {
      await wait(minutes)
      await reverseOrphans(swept)
    }
    expect(await orphanOf(reference)).toMatchObject({
      state: 'found',
      reversal_transaction_id: 'theirs',
      last_failure: expect.stringContaining('accepted'),
    })
    is_known = true
    await wait(5)
    await reverseOrphans(swept)
    expect(await orphanOf(reference)).toMatchObject({ state: 'reversed' })
    expect(reversals).toHaveLength(1)
    const asked = { kind: 'reverse', reference: reversals[0], acquirer_transaction_id: 'theirs' }
    expect(looks).toMatchObject([asked, asked, asked])
    expect(looks[0]!.authorisation).toMatchObject({ reference })
  })

  test.each<[string, SettleAnswer]>([
    ['that is refused without saying why', refusal(null)],
    ['that is refused for now', refusal('do_not_honor')],
  ])('%s is begun anew while the authorisation is listed', async (_, refused) => {
    const { reference } = await authorise()
    const { swept, asked } = wrapped(async (request) =>
      asked.reverse.length < 3 ? refused : simulator.reverse(request),
    )
    await sweepAfter(3 * minute_ms, swept)
    for (const minutes of [1, 5]) {
      await wait(minutes)
      await reverseOrphans(swept)
    }
    expect(new Set(asked.reverse).size).toBe(3)
    expect(await booksOf(reference)).toEqual(reversed)
  })

  test.each<[string, SettleAnswer | null]>([
    ['in the words of all', null],
    ['without saying why', refusal(null)],
  ])('that comes after another’s, refused %s, finds nothing', async (_, refused) => {
    const request = await authorise(undefined, false)
    const { swept } = wrapped(async (reversal) => {
      await simulator.void(settleRequest(request))
      return refused ?? simulator.reverse(reversal)
    })
    await sweepAfter(3 * minute_ms, swept)
    expect(await orphanOf(request.reference)).toMatchObject({
      state: 'nothing_to_reverse',
      tries: 1,
      last_failure: expect.any(String),
    })
    expect(await booksOf(request.reference)).toMatchObject({ live: false, reversals: 0 })
  })

  test('of an acquirer that is not there any more waits for it', async () => {
    const { reference } = await authorise()
    const { swept } = wrapped(lost)
    await sweepAfter(3 * minute_ms, swept)
    await wait(1)
    await reverseOrphans({
      ...context,
      listAcquirers: async () => [{ mode: 'live', acquirer: simulator }],
    })
    expect(await orphanOf(reference)).toMatchObject({
      state: 'found',
      tries: 2,
      last_failure: 'no acquirer of that name',
    })
    await wait(5)
    await reverseOrphans(context)
    expect(await booksOf(reference)).toEqual(reversed)
  })
})

describe('a charge that a person gave up', () => {
  async function giveUp(reference: string, isOpen = true) {
    const orphan = newOrphan(
      {
        acquirer: 'simulator',
        mode: 'test',
        reference,
        amount: 4200,
        currency: 'GBP',
        authorised_at: null,
        merchant_id: 'm_b',
        payment_id: 'pay_a',
      },
      { operation_id: ids.operation(clock.now()), now: clock.now() },
    )
    await sql`with gate as (select 1 where ${isOpen}::boolean
      ), orphan as (${orphanIf(sql, orphan, 'gate')}) select 1`
    return orphan
  }

  test('is reversed where the acquirer made it after all, however long ago', async () => {
    const { reference } = await authorise()
    await clock.advance(100 * 24 * 60 * minute_ms)
    await giveUp(reference)
    expect(await reverseOrphans(context)).toBe(1)
    expect(await orphanOf(reference)).toMatchObject({ state: 'reversed', payment_id: 'pay_a' })
    expect(await booksOf(reference)).toEqual(reversed)
  })

  test('is let be where the acquirer knows of nothing', async () => {
    const { reference } = await giveUp(ids.operation(clock.now()))
    await reverseOrphans(context)
    expect(await orphanOf(reference)).toMatchObject({ state: 'nothing_to_reverse', tries: 1 })
    expect(told('info')).toHaveLength(1)
  })

  test('is asked for again for a week while the acquirer is still at it', async () => {
    const request = authoriseRequest(visa, { reference: ids.operation(clock.now()) })
    const { swept } = wrapped(async () => refusal('in_progress'))
    const { operation_id } = await giveUp(request.reference)
    await reverseOrphans(swept)
    const after = await orphanOf(request.reference)
    expect(after).toMatchObject({ state: 'found', tries: 1 })
    // What was answered is answered alike for ever.
    expect(after!.operation_id).not.toBe(operation_id)
    await clock.advance(7 * 24 * 60 * minute_ms - 1)
    await reverseOrphans(swept)
    expect(await orphanOf(request.reference)).toMatchObject({ state: 'found', tries: 2 })
    await clock.advance(2 * 60 * minute_ms)
    await reverseOrphans(swept)
    const last = await orphanOf(request.reference)
    expect(last).toMatchObject({ state: 'nothing_to_reverse', tries: 3 })
  })

  test('is none where its gate is shut', async () => {
    const { reference } = await giveUp(ids.operation(clock.now()), false)
    expect(await orphanOf(reference)).toBeUndefined()
  })

  test('is given up once', async () => {
    const first = await giveUp(ids.operation(clock.now()))
    await giveUp(first.reference)
    expect(await orphanOf(first.reference)).toMatchObject({ operation_id: first.operation_id })
  })

  test('and comes into being later is found again, where a reversal fences nothing', async () => {
    const { reference } = await writeCharge({ state: 'failed', payment: 'failed' })
    await giveUp(reference)
    const unknown = { ...refusal('unknown_authorisation'), authorisation_known: false }
    await reverseOrphans(wrapped(async () => unknown).swept)
    expect(await orphanOf(reference)).toMatchObject({ state: 'nothing_to_reverse' })
    await clock.advance(5 * minute_ms)
    await authorise(reference)
    await sweepAfter(3 * minute_ms)
    expect(await orphanOf(reference)).toMatchObject({ state: 'reversed', tries: 1 })
    expect(await booksOf(reference)).toMatchObject({ live: false, reversals: 1 })
    expect(told('error')).toHaveLength(1)
  })
})

describe('a process that dies', () => {
  /** A database whose statement with these words fails, before or after it took effect. */
  function dying(words: RegExp, when: 'before' | 'after'): Sql {
    return new Proxy(sql, {
      apply(target, _, [strings, ...values]: [TemplateStringsArray, ...never[]]) {
        if (!words.test(strings.join('?'))) return target(strings, ...values)
        const dead = new Error('dead')
        if (when === 'before') throw dead
        return target(strings, ...values).then(() => {
          throw dead
        })
      },
    })
  }

  test.each<[string, RegExp, 'before' | 'after']>([
    ['before it reads where it was', /from orphan_sweeps/, 'before'],
    ['before it looks for what was listed', /from merchants m/, 'before'],
    ['before the orphan is written', /insert into orphan_authorisations/, 'before'],
    ['after the orphan is written', /insert into orphan_authorisations/, 'after'],
    ['before the end of the window is', /insert into orphan_sweeps/, 'before'],
    ['after the end of the window is', /insert into orphan_sweeps/, 'after'],
    ['before it is let go', /with brake as/, 'before'],
    ['after it is let go', /with brake as/, 'after'],
    ['before the reversal is begun', /set tries = tries/, 'before'],
    ['after the reversal is begun', /set tries = tries/, 'after'],
    ['before the answer is written', /settled_at = \?, next_try_at = null/, 'before'],
    ['after the answer is written', /settled_at = \?, next_try_at = null/, 'after'],
  ])('%s: the next one reverses, once', async (_, words, when) => {
    const { reference } = await authorise()
    const dead = contextOf(simulator, dying(words, when))
    await clock.advance(3 * minute_ms)
    await sweepOrphans(dead).catch(() => {})
    const left = await orphanOf(reference)
    await sweepAfter(5 * minute_ms)
    expect(await orphanOf(reference)).toMatchObject({
      state: 'reversed',
      ...(left && { operation_id: left.operation_id }),
    })
    expect(await booksOf(reference)).toEqual(reversed)
    expect(await sweepAfter(5 * minute_ms)).toBe(0)
  })
})
