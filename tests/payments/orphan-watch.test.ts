// Authorisations that may still come into being though they were reversed: they are watched until nothing can come any more.

import { expect, test } from 'vitest'
import {
  type Accepted,
  type Acquirer,
  chargeNamed,
  type SettleAnswer,
  type SettleRequest,
  Unanswered,
} from '../../src/acquirers/acquirer.ts'
import { saveOrphans } from '../../src/payments/acquirer-operations/orphan-rows-store.ts'
import { newOrphan, unreversed_ms } from '../../src/payments/orphan.ts'
import { countUnsettled } from '../../src/payments/orphans/orphan-store.ts'
import { reverseOrphans } from '../../src/payments/orphans/reverse-orphans.ts'
import { hour_ms, minute_ms, reversed, useOrphanStage } from '../support/orphan-stage.ts'

const stage = await useOrphanStage()
const { sql, clock, ids, simulator, contextOf, authorise, writeCharge, booksOf, orphanOf } = stage

const unknown: SettleAnswer = {
  result: 'refused',
  reason: 'No such authorisation',
  decline_code: 'unknown_authorisation',
  authorisation_known: false,
}

/** An acquirer whose reversals leave no fence, and answer each reference alike for ever. */
function unfenced(meet: (request: SettleRequest) => void = () => {}) {
  const answers = new Map<string, SettleAnswer | Accepted>()
  const acquirer: Acquirer = {
    ...simulator,
    late_approval_ms: 10 * minute_ms,
    async reverse(request) {
      const known = answers.get(request.reference)
      if (known) return known
      const look = await simulator.lookUp(chargeNamed(request.authorisation))
      const answer = look.result === 'not_found' ? unknown : await simulator.reverse(request)
      answers.set(request.reference, answer)
      meet(request)
      return answer
    },
  }
  return contextOf(acquirer)
}

/** A failed charge whose reference is watched for ten minutes. */
async function watched(money = { amount: 4200, currency: 'GBP' }) {
  const charge = await writeCharge({ state: 'failed', payment: 'failed' })
  const { reference, merchant_id, payment_id } = charge
  const now = clock.now()
  const found = {
    acquirer: 'simulator',
    mode: 'test' as const,
    reference,
    ...money,
    authorised_at: null,
    merchant_id,
    payment_id,
  }
  const orphan = {
    ...newOrphan(found, { operation_id: ids.operation(now), now }),
    watched_until: new Date(now.getTime() + 10 * minute_ms),
  }
  await saveOrphans(sql, [orphan], { settled_before: now, lines: [] })
  return reference
}

/** Reverses what is due whenever it is, for so long. Returns how often that was. */
async function reverseFor(minutes: number, context: ReturnType<typeof unfenced>): Promise<number> {
  let count = 0
  for (let left_ms = minutes * minute_ms; left_ms > 0; left_ms -= 10_000) {
    await clock.advance(10_000)
    count += await reverseOrphans(context)
  }
  return count
}

test('what never comes is asked for until nothing can come, and then once more', async () => {
  const context = unfenced()
  const reference = await watched()
  expect(await reverseFor(9.5, context)).toBeGreaterThan(5)
  expect(await orphanOf(reference)).toMatchObject({ state: 'found' })
  await reverseFor(15, context)
  const { operation_id, watched_until, ...orphan } = (await orphanOf(reference))!
  expect(orphan).toMatchObject({ state: 'nothing_to_reverse' })
  // The answer that counts is to a reversal from after that time.
  expect(Number.parseInt(operation_id.slice(0, 12), 16)).toBeGreaterThanOrEqual(watched_until!.getTime())
})

test('what comes late is reversed within minutes', async () => {
  const context = unfenced()
  const reference = await watched()
  await reverseFor(5, context)
  await authorise(reference)
  await reverseFor(3, context)
  expect(await orphanOf(reference)).toMatchObject({ state: 'reversed' })
  expect(await booksOf(reference)).toMatchObject({ live: false, reversals: 1 })
})

test('a lost answer "nothing is there" does not count when it arrives later', async () => {
  let is_lost = true
  const context = unfenced(() => {
    if (is_lost) throw new Unanswered('lost')
  })
  const reference = await watched()
  await reverseOrphans(context)
  is_lost = false
  // It arrives after that answer, which goes on being given to the reversal's reference.
  await authorise(reference)
  await reverseFor(25, context)
  expect(await orphanOf(reference)).toMatchObject({ state: 'reversed' })
  expect(await booksOf(reference)).toMatchObject({ live: false })
})

test('what has another amount than was asked for is reversed for what it has', async () => {
  const context = unfenced()
  const reference = await watched({ amount: 9900, currency: 'EUR' })
  await authorise(reference)
  await reverseFor(5, context)
  expect(await orphanOf(reference)).toMatchObject({ state: 'reversed', amount: 4200, currency: 'GBP' })
  expect(await booksOf(reference)).toMatchObject({ ...reversed, refusals: 1 })
})

test('so is one that the acquirer has forgotten by reference, once it is listed', async () => {
  const forgetful = unfenced()
  const { acquirer, mode } = (await forgetful.listAcquirers())[0]!
  const lookUp = async () => ({ result: 'not_found' as const })
  // Its reversals answer by what is there, all the same.
  const context = {
    ...forgetful,
    listAcquirers: async () => [{ mode, acquirer: { ...acquirer, lookUp, reverse: simulator.reverse } }],
  }
  const reference = await watched({ amount: 9900, currency: 'EUR' })
  await sql`update orphan_authorisations set watched_until = null`
  await authorise(reference)
  await reverseOrphans(context)
  expect(await orphanOf(reference)).toMatchObject({ state: 'found', amount: 9900 })
  await stage.sweepAfter(3 * minute_ms, context)
  expect(await orphanOf(reference)).toMatchObject({ amount: 4200, currency: 'GBP' })
  await reverseFor(10, context)
  expect(await orphanOf(reference)).toMatchObject({ state: 'reversed' })
})

test('a reversal that a process put off while its clock was days ahead happens now', async () => {
  const reference = await watched()
  await authorise(reference)
  const ahead = new Date(clock.now().getTime() + 6 * 24 * 60 * minute_ms)
  await sql`update orphan_authorisations set next_try_at = ${ahead}`
  await reverseOrphans(unfenced())
  expect(await orphanOf(reference)).toMatchObject({ state: 'reversed' })
})

test('what is accepted again and again and never has an outcome is asked for more seldom, and counted', async () => {
  const asked = new Set<string>()
  const acquirer: Acquirer = {
    ...simulator,
    lookUp: async () => ({ result: 'only_notices_tell' }),
    async reverse({ reference }) {
      asked.add(reference)
      return { result: 'accepted', acquirer_transaction_id: `theirs_${reference}` }
    },
  }
  const context = contextOf(acquirer)
  const reference = await watched()
  const found_at = clock.now()
  for (let hour = 0; hour < 12; hour++) {
    await clock.advance(1.2 * hour_ms)
    await reverseOrphans(context)
  }
  expect(await orphanOf(reference)).toMatchObject({ state: 'found' })
  // One that no notice speaks of is followed by another at the next try but one.
  expect(asked.size).toBeLessThanOrEqual(6)
  const unreversedAfter = async (ms: number) => {
    const now = new Date(found_at.getTime() + unreversed_ms + ms)
    return (await countUnsettled(sql, { acquirer: null, now })).unreversed
  }
  expect(await unreversedAfter(0)).toBe(0)
  expect(await unreversedAfter(1)).toBe(1)
  // As if a person had let go of it only now.
  await sql`
    update orphan_authorisations set released_by = 'ada', released_at = ${new Date(found_at.getTime() + hour_ms)}`
  expect(await unreversedAfter(1)).toBe(0)
  expect(await unreversedAfter(hour_ms + 1)).toBe(1)
})
