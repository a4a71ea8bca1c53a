// What each look at an unanswered operation leads to, and that no sequence of looks leads too far.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AuthoriseAnswer, SettleAnswer } from '../../acquirers/acquirer.ts'
import { sendable_ms, type UnansweredOperation } from '../operation.ts'
import { type LookUpResult, laterOrNever, lookAfterRefusal, patience_ms, stepAfter } from './next-step.ts'

const start = Date.parse('2026-09-01T12:00:00Z')
const hour_ms = 3_600_000
const acquirer = { safe_window_ms: 31_000, reference_life_ms: 24 * hour_ms }
const at = (after_ms: number) => new Date(start + after_ms)
const kinds = ['authorise', 'capture', 'void', 'reverse'] as const
type Kind = (typeof kinds)[number]

function unanswered(changes: Partial<UnansweredOperation> = {}): UnansweredOperation {
  const operation: Partial<UnansweredOperation> = {
    kind: 'authorise',
    state: 'unknown',
    checks: 1,
    not_found_count: 0,
    sent_at: at(0),
    last_sent_at: at(0),
    waits_for_person_since: null,
    ...changes,
  }
  return operation as UnansweredOperation
}

const charged: AuthoriseAnswer = {
  result: 'approved',
  acquirer_transaction_id: 'bank-1',
  captured: true,
  amount: 4200,
  currency: 'GBP',
}
const settled: SettleAnswer = { result: 'approved', acquirer_transaction_id: 'bank-2' }
const not_found: LookUpResult = { result: 'not_found' }
const foundAs = (kind: Kind): LookUpResult =>
  kind === 'authorise'
    ? { result: 'found', kind, answer: charged, standing: null }
    : { result: 'found', kind, answer: settled }

const step = (operation: Partial<UnansweredOperation>, look: LookUpResult, after_ms: number, chance = 0.5) =>
  stepAfter(unanswered(operation), look, acquirer, { now: at(after_ms), chance })

describe('what is found', () => {
  test.each(kinds)('%s is settled by its own answer, at any time', (kind) => {
    for (const after_ms of [0, hour_ms, patience_ms, 2 * patience_ms]) {
      const expected =
        kind === 'authorise' ? { step: 'settle_charge', answer: charged } : { step: 'settle', answer: settled }
      expect(step({ kind }, foundAs(kind), after_ms)).toEqual(expected)
    }
  })

  test.each(kinds)('as another kind than %s it says nothing', (kind) => {
    for (const other of kinds.filter((each) => each !== kind)) {
      const look = step({ kind, not_found_count: 1 }, foundAs(other), 60_000)
      expect(look).toMatchObject({ step: 'look_again', not_found_count: 0 })
    }
  })
})

describe('an approval that somebody touched at the acquirer since', () => {
  const money = { amount: 4200, currency: 'GBP' }

  test.each([
    ['reserved', money, { captured: false, ...money }],
    ['captured', money, { captured: true, ...money }],
    ['captured', { amount: 100, currency: 'EUR' }, { amount: 100, currency: 'EUR' }],
    ['voided', money, { result: 'failed' }],
    ['reversed', money, { result: 'failed' }],
    ['expired', money, { result: 'failed' }],
  ] as const)('%s %o', (state, found, answer) => {
    const standing = { state, ...found }
    const look = { result: 'found', kind: 'authorise', answer: charged, standing } as const
    const { acquirer_transaction_id } = charged
    expect(step({}, look, 60_000)).toMatchObject({
      step: 'settle_charge',
      answer: { acquirer_transaction_id, ...answer },
    })
  })
})

describe('what is not found', () => {
  test.each<[string, Partial<UnansweredOperation>, number, object]>([
    ['within the window', {}, 35_999, { step: 'look_again', at: at(50_999), not_found_count: 0 }],
    ['as the window ends', {}, 36_000, { step: 'look_again', at: at(41_000), not_found_count: 1 }],
    ['again after it', { not_found_count: 1 }, 41_000, { step: 'reverse' }],
    [
      'within the window of a request that went out again',
      { kind: 'capture', last_sent_at: at(hour_ms), not_found_count: 1 },
      hour_ms + 35_999,
      { step: 'look_again', not_found_count: 0 },
    ],
    ['a capture', { kind: 'capture', not_found_count: 1 }, 41_000, { step: 'send_again' }],
    ['a void', { kind: 'void', not_found_count: 1 }, 41_000, { step: 'send_again' }],
    ['a reversal', { kind: 'reverse', not_found_count: 1 }, 41_000, { step: 'send_again' }],
    [
      'a capture, while its reference is known',
      { kind: 'capture', not_found_count: 1 },
      24 * hour_ms - 1,
      { step: 'send_again' },
    ],
    [
      'a capture, when its reference may be forgotten',
      { kind: 'capture', not_found_count: 1 },
      24 * hour_ms,
      { step: 'look_again', not_found_count: 2 },
    ],
    ['a charge that lay for days', { not_found_count: 1 }, patience_ms, { step: 'reverse' }],
    ['one that lay for days, once', {}, patience_ms, { step: 'look_again', not_found_count: 1 }],
    ['a charge, after days', { checks: 5 }, patience_ms, { step: 'wait_for_person' }],
    [
      'a charge that comes and goes for days',
      { checks: 5, not_found_count: 1 },
      patience_ms,
      { step: 'wait_for_person' },
    ],
  ])('%s', (_, operation, after_ms, expected) => {
    // A window that has not ended gets another look at its end.
    const found = step(operation, not_found, after_ms)
    if (after_ms === 35_999) expect(found).toEqual({ ...expected, at: at(36_000) })
    else expect(found).toMatchObject(expected)
  })

  test.each(kinds)('%s waits for a person in time, though its reference is known for a week', (kind) => {
    const week = { ...acquirer, reference_life_ms: 167 * hour_ms }
    const operation = unanswered({ kind, checks: 5, not_found_count: 2 })
    const moment = { now: at(patience_ms), chance: 0.5 }
    for (const result of ['not_found', 'only_notices_tell'] as const) {
      expect(stepAfter(operation, { result }, week, moment)).toEqual({ step: 'wait_for_person' })
    }
  })

  test.each([
    ['asked for in vain in between', { result: 'no_answer' }, 1],
    ['under way in between', { result: 'in_progress' }, 0],
  ] as const)('%s', (_, look, not_found_count) => {
    expect(step({ not_found_count: 1 }, look, 60_000)).toMatchObject({ not_found_count })
  })
})

/** Looks at an operation until another step is needed. */
function follow(kind: Kind, looks: LookUpResult[], chances: number[]) {
  let operation = unanswered({ kind, checks: 0 })
  let now = at(7_000)
  const seen: { look: LookUpResult; now: Date }[] = []
  for (let tries = 0; tries < 500; tries++) {
    operation = { ...operation, checks: operation.checks + 1 }
    const look = looks[tries % looks.length]!
    seen.push({ look, now })
    const chance = chances[tries % chances.length]!
    const next = stepAfter(operation, look, acquirer, { now, chance })
    if (next.step !== 'look_again') return { next, now, seen }
    expect(next.at.getTime()).toBeGreaterThan(now.getTime())
    expect(next.at.getTime()).toBeLessThanOrEqual(now.getTime() + 1.2 * hour_ms)
    const ends = start + sendable_ms + acquirer.safe_window_ms
    if (now.getTime() < ends) expect(next.at.getTime()).toBeLessThanOrEqual(ends)
    operation = { ...operation, not_found_count: next.not_found_count }
    now = next.at
  }
  throw new Error('it is looked for for ever')
}

describe('whatever is seen', () => {
  const anyLook = fc.oneof(
    { weight: 3, arbitrary: fc.constant(not_found) },
    fc.constant<LookUpResult>({ result: 'in_progress' }),
    fc.constant<LookUpResult>({ result: 'no_answer' }),
    fc.constantFrom(...kinds).map(foundAs),
  )
  const looks = fc.array(anyLook, { minLength: 1, maxLength: 40 })
  const chances = fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), {
    minLength: 1,
    maxLength: 10,
  })

  test('it comes to an end, and nothing is done over before window and two looks', () => {
    fc.assert(
      fc.property(fc.constantFrom(...kinds), looks, chances, (kind, list, by_chance) => {
        const { next, now, seen } = follow(kind, list, by_chance)
        const last = seen.at(-1)!.look
        switch (next.step) {
          case 'settle_charge':
          case 'settle':
            expect(last).toEqual(foundAs(kind))
            return
          case 'wait_for_person':
            expect(now.getTime()).toBeGreaterThanOrEqual(start + patience_ms)
            expect(now.getTime()).toBeLessThan(start + patience_ms + 1.2 * hour_ms)
            return
          default: {
            expect(next.step).toBe(kind === 'authorise' ? 'reverse' : 'send_again')
            if (kind !== 'authorise') expect(now.getTime()).toBeLessThan(start + 24 * hour_ms)
            // Between the two looks that did not find it, there were only failures to ask.
            const told = seen.filter(({ look }) => look.result !== 'no_answer').slice(-2)
            expect(told.map(({ look }) => look.result)).toEqual(['not_found', 'not_found'])
            const [first, second] = told.map((each) => each.now.getTime())
            expect(first).toBeGreaterThanOrEqual(start + sendable_ms + acquirer.safe_window_ms)
            expect(second! - first!).toBeGreaterThanOrEqual(5_000)
          }
        }
      }),
      { numRuns: 1_000 },
    )
  })

  test('an acquirer that is at it is asked less than a hundred times', () => {
    const { next, seen } = follow('authorise', [{ result: 'in_progress' }], [0])
    expect(next).toEqual({ step: 'wait_for_person' })
    expect(seen.length).toBeLessThan(100)
  })
})

test('a charge that waits for its reversal is looked at until a person has to', () => {
  fc.assert(
    fc.property(fc.nat(4 * 72), fc.nat(100), (quarters, checks) => {
      const now = at((quarters * hour_ms) / 4)
      const later = laterOrNever(unanswered({ checks }), { now, chance: 0.9 })
      if (now.getTime() >= start + patience_ms && checks >= 5) expect(later).toBeNull()
      else expect(later!.getTime()).toBeGreaterThan(now.getTime())
    }),
  )
})

test.each([
  ['the first time', 1, 0],
  ['the second', 2, 60_000],
  ['and so on', 9, hour_ms],
])('a charge that turned out to be there is looked at again: %s', (_, sequence, after_ms) => {
  expect(lookAfterRefusal({ sequence }, { now: at(0), chance: 0.5 })).toEqual(at(after_ms))
})

test('a capture that never arrives is sent again later and later', () => {
  let operation = unanswered({ kind: 'capture', checks: 0 })
  let now = at(25_000)
  let sends = 1
  for (;;) {
    operation = { ...operation, checks: operation.checks + 1 }
    const step = stepAfter(operation, not_found, acquirer, { now, chance: 0.5 })
    if (step.step === 'send_again') {
      sends += 1
      operation = { ...operation, last_sent_at: now, not_found_count: 0 }
      now = new Date(now.getTime() + 5_000)
    } else if (step.step === 'look_again') {
      operation = { ...operation, not_found_count: step.not_found_count }
      now = step.at
    } else break
  }
  // A few in the first hours, then about one an hour, for the day in which the acquirer knows its reference.
  expect(sends).toBeGreaterThan(20)
  expect(sends).toBeLessThan(40)
})
