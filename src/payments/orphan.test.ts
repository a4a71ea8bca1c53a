// Which authorisations are orphans, which windows a sweep covers, and what the answer to a reversal means.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { LiveAuthorisation, SettleAnswer } from '../acquirers/acquirer.ts'
import { idsFrom } from '../kernel/ids.ts'
import type { OperationState } from './operation.ts'
import {
  mayBeOurs,
  newOrphan,
  nextReversalAt,
  type Orphan,
  type RecordedCharge,
  standingOf,
  unreversed_ms,
  verdictOf,
} from './orphan.ts'
import { namedApart, suspectsAmong } from './orphan-candidates.ts'
import { catchUp, windowsToSweep } from './orphans/orphan-windows.ts'
import type { PaymentStatus } from './payment.ts'

const noon = new Date('2026-09-01T12:00:00.000Z')
const minute_ms = 60_000
const hour_ms = 60 * minute_ms
const ago = (duration_ms: number) => new Date(noon.getTime() - duration_ms)

const reference = 'a'.repeat(32)
const listed: LiveAuthorisation = {
  reference,
  installation: 'ours',
  amount: 4200,
  currency: 'GBP',
  captured: true,
  acquirer_transaction_id: null,
  authorised_at: ago(hour_ms),
}

function known(changes: Partial<RecordedCharge> = {}): RecordedCharge {
  return {
    reference,
    handle: null,
    acquirer_transaction_id: null,
    merchant_id: 'm_a',
    payment_id: 'pay_a',
    state: 'approved',
    payment_status: 'captured',
    is_being_reversed: false,
    ...changes,
  }
}

describe('a listed authorisation', () => {
  const statuses: PaymentStatus[] = ['pending', 'captured', 'held', 'voided', 'declined', 'failed']
  const paid = ['pending', 'captured', 'held']

  test.each(statuses)('approved, its payment %s', (payment_status) => {
    const { suspects } = suspectsAmong([listed], [known({ payment_status })], 'ours')
    expect(suspects).toHaveLength(paid.includes(payment_status) ? 0 : 1)
  })

  test.each<[OperationState, PaymentStatus, boolean]>([
    ['sent', 'pending', false],
    ['unknown', 'pending', false],
    ['reversing', 'pending', false],
    ['sent', 'failed', false],
    ['unknown', 'failed', false],
    ['reversing', 'failed', false],
    ['declined', 'declined', true],
    ['failed', 'failed', true],
    ['not_sent', 'failed', true],
    // The payment rests on another charge, whatever its own state.
    ['failed', 'captured', true],
  ])('%s, its payment %s: orphan %s', (state, payment_status, isOrphan) => {
    const { suspects } = suspectsAmong([listed], [known({ state, payment_status })], 'ours')
    expect(suspects).toEqual(isOrphan ? [{ ...listed, beside: null, merchant_id: 'm_a', payment_id: 'pay_a' }] : [])
  })

  test.each(statuses)('is left alone while a reversal of its %s payment waits', (status) => {
    const waiting = known({ state: 'failed', payment_status: status, is_being_reversed: true })
    expect(suspectsAmong([listed], [waiting], 'ours')).toEqual({ suspects: [], strangers: 0 })
  })

  const other = known({ reference: 'b'.repeat(32) })

  test('that no operation knows is one, and nobody’s', () => {
    expect(suspectsAmong([listed], [other], 'ours')).toEqual({
      suspects: [{ ...listed, beside: null, merchant_id: null, payment_id: null }],
      strangers: 0,
    })
  })

  test.each([null, 'another'])('that no operation knows is none with the mark %s', (mark) => {
    const strange = { ...listed, installation: mark }
    expect(suspectsAmong([strange], [other], 'ours')).toEqual({ suspects: [], strangers: 1 })
  })

  test.each([null, 'another'])('that an operation knows is ours with the mark %s, too', (mark) => {
    const unmarked = { ...listed, installation: mark }
    const { suspects } = suspectsAmong([unmarked], [known({ state: 'failed' })], 'ours')
    expect(suspects).toMatchObject([{ merchant_id: 'm_a' }])
  })
})

describe('of two charges with one reference', () => {
  const [own, second] = ['theirs_1', 'theirs_2'].map((acquirer_transaction_id) => {
    return { ...listed, acquirer_transaction_id }
  }) as [typeof listed, typeof listed]
  const charge = known({ acquirer_transaction_id: 'theirs_1' })

  test.each<[string, RecordedCharge]>([
    ['its id', charge],
    ['its handle', known({ handle: 'theirs_1' })],
  ])('the payment stands on that which %s names, and the other is a suspect', (_, recorded) => {
    const { suspects } = suspectsAmong([own, second], [recorded], 'ours')
    expect(suspects).toEqual([{ ...second, merchant_id: 'm_a', payment_id: 'pay_a', beside: recorded }])
  })

  test('neither is one while no answer has named the charge', () => {
    expect(suspectsAmong([own, second], [known()], 'ours').suspects).toEqual([])
  })

  test.each<[string, RecordedCharge[]]>([
    ['of a failed charge without an id', [known({ state: 'failed' })]],
    ['of a failed charge with an id', [{ ...charge, state: 'failed' }]],
    ['that nothing here knows', []],
  ])('both %s are orphans, and have names of their own', (_, recorded) => {
    const { suspects } = suspectsAmong([own, second], recorded, 'ours')
    const apart = namedApart(suspects)
    const [first, other] = apart.map((each) => each.reference)
    expect(first).toBe(reference)
    expect(other).toMatch(/^[0-9a-f]{32}$/)
    expect(other).not.toBe(reference)
    expect(namedApart(suspects)).toEqual(apart)
  })
})

describe('an authorisation may be ours', () => {
  const minted = (at: Date) => `${idsFrom(at)}${'7'.repeat(20)}`
  const day_ms = 24 * hour_ms

  test.each<[string, string, string | null, boolean]>([
    ['by its mark, whatever its reference', 'order-17', 'ours', true],
    ['by a reference of its time, without a mark', minted(ago(hour_ms)), null, true],
    ['by a reference of its time, with another mark', minted(ago(hour_ms)), 'another', true],
    ['by one minted a week before', minted(ago(7 * day_ms)), null, true],
    ['by one minted ten days before', minted(ago(10 * day_ms)), null, false],
    ['by one in capitals', minted(ago(hour_ms)).toUpperCase(), null, false],
    ['by one that is too short', minted(ago(hour_ms)).slice(1), null, false],
    ['by one that is too long', `${minted(ago(hour_ms))}0`, null, false],
    ['by one in words', 'order-17', null, false],
    ['by none', '', null, false],
  ])('%s', (_, name, installation, isOne) => {
    expect(mayBeOurs({ ...listed, reference: name, installation }, 'ours')).toBe(isOne)
  })
})

describe('the windows of a sweep', () => {
  const end = ago(2 * minute_ms)

  test('go from ten minutes before the last end to two minutes ago', () => {
    expect(windowsToSweep(ago(7 * minute_ms), noon)).toEqual([{ since: ago(17 * minute_ms), until: end }])
  })

  test('are a day at first', () => {
    const windows = windowsToSweep(null, noon)
    expect(windows[0]!.since).toEqual(ago(24 * hour_ms))
    expect(windows.at(-1)!.until).toEqual(end)
  })

  test('go on where the clock was put back', () => {
    const ahead = new Date(noon.getTime() + 72 * hour_ms)
    expect(windowsToSweep(ahead, noon)).toEqual([{ since: ago(12 * minute_ms), until: end }])
  })

  test.each([
    [0, true],
    [1.5, true],
    [3, false],
  ])('catch up with %d days in one run: %s', (days, isCaughtUp) => {
    expect(catchUp(windowsToSweep(ago(days * 24 * hour_ms), noon))).toBe(isCaughtUp)
  })

  test('leave nothing out, stay short, and catch up', () => {
    fc.assert(
      fc.property(fc.integer({ min: -hour_ms, max: 400 * hour_ms }), (age_ms) => {
        let swept_until = ago(age_ms)
        let runs = 0
        for (; swept_until < end; runs++) {
          const windows = windowsToSweep(swept_until, noon)
          expect(windows[0]!.since.getTime()).toBe(swept_until.getTime() - 10 * minute_ms)
          for (const [index, { since, until }] of windows.entries()) {
            if (index > 0) expect(since).toEqual(windows[index - 1]!.until)
            expect(until > since && until <= end).toBe(true)
            expect(until.getTime() - since.getTime()).toBeLessThanOrEqual(6 * hour_ms)
          }
          expect(windows.length).toBeLessThanOrEqual(48)
          swept_until = windows.at(-1)!.until
        }
        expect(runs).toBeLessThan(10)
        expect(catchUp(windowsToSweep(swept_until, noon))).toBe(true)
      }),
    )
  })
})

describe('the answer to a reversal', () => {
  const refused = (decline_code: string | null, authorisation_known = true): SettleAnswer => ({
    result: 'refused',
    reason: 'No',
    decline_code,
    authorisation_known,
  })
  const nothing = { verdict: 'nothing_to_reverse', reason: 'No' }

  test.each<[string, SettleAnswer, object | null]>([
    ['approved', { result: 'approved', acquirer_transaction_id: 't' }, { verdict: 'reversed' }],
    ['unknown there', refused('unknown_authorisation', false), nothing],
    ['unknown there, without a code', refused(null, false), nothing],
    ['voided', refused('already_voided'), nothing],
    ['reversed', refused('already_reversed'), nothing],
    ['declined', refused('not_approved'), nothing],
    ['under way', refused('in_progress'), null],
    ['refused without a code', refused(null), null],
    ['the reference of another request', refused('reference_reused'), null],
  ])('%s', (_, answer, verdict) => {
    expect(verdictOf(answer)).toEqual(verdict)
  })
})

describe('the next reversal', () => {
  const found = { ...listed, acquirer: 'bank', mode: 'live' as const }
  const opening = { operation_id: 'f'.repeat(32), now: noon }
  const known = newOrphan({ ...found, merchant_id: 'm_a', payment_id: 'pay_a' }, opening)
  const orphan: Orphan = newOrphan({ ...found, merchant_id: null, payment_id: null }, opening)
  const waitAfter = (tries: number, chance: number) =>
    nextReversalAt({ ...orphan, tries }, { now: noon, chance }).getTime() - noon.getTime()

  test('is due at once, where it is known whose it is', () => {
    const fresh = { state: 'found', tries: 0, found_at: noon }
    expect(known).toMatchObject({ ...fresh, next_try_at: noon })
    expect(orphan).toMatchObject({ ...fresh, next_try_at: null })
    const held_back = { ...orphan, held_back_at: noon }
    const released = { ...held_back, next_try_at: noon }
    const refused = { ...known, tries: 9 }
    // One that a person released yesterday is tried since then, however long it was held back before.
    const released_at = new Date(noon.getTime() + unreversed_ms - 24 * 3_600_000)
    const tried = { ...released, released_at, tries: 9 }
    const all = [known, orphan, held_back, released, tried, refused]
    const standings = (now: Date) => all.map((each) => standingOf(each, now))
    const begun = ['due', 'found', 'held_back', 'due', 'due']
    expect(standings(new Date(noon.getTime() + unreversed_ms))).toEqual([...begun, 'due'])
    expect(standings(new Date(noon.getTime() + unreversed_ms + 1))).toEqual([...begun, 'unreversed'])
  })

  test.each(['reversed', 'nothing_to_reverse', 'left'] as const)('is none of one that is %s', (state) => {
    expect(standingOf({ ...orphan, state }, noon)).toBe(state)
  })

  test.each([
    [1, 1],
    [2, 2],
    [3, 5],
    [4, 10],
    [5, 15],
    [6, 30],
    [7, 60],
    [500, 60],
  ])('after %i tries waits %i minutes, a fifth more or less', (tries, minutes) => {
    expect(waitAfter(tries, 0)).toBe(0.8 * minutes * minute_ms)
    expect(waitAfter(tries, 0.5)).toBe(minutes * minute_ms)
    expect(waitAfter(tries, 0.999)).toBeLessThanOrEqual(1.2 * minutes * minute_ms)
  })
})
