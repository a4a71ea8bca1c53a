import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { adopt, afterAttempt, type Breaker, breakerState, closedBreaker } from './breaker.ts'

const noon_ms = Date.parse('2026-09-01T12:00:00Z')
const minute_ms = 60_000
/** The chance in the middle, which changes nothing. */
const even = 0.5
const open_max_ms = Number.POSITIVE_INFINITY

const attempt = (breaker: Breaker, succeeded: boolean, ended_ms = noon_ms, chance = even) =>
  afterAttempt(breaker, { succeeded, ended_ms, open_max_ms }, chance)

/** A breaker after attempts that succeeded (.) or failed (x), the oldest first. */
const breakerAfter = (course: string) =>
  [...course].reduce((breaker, each) => attempt(breaker, each === '.'), closedBreaker)

/** A breaker that opened at noon and reopened after this many failed probes, each at its earliest time. */
function opened(reopen_count = 0, chance = even): Breaker {
  let breaker = breakerAfter('xxxx')
  breaker = attempt(breaker, false, noon_ms, chance)
  for (let again = 0; again < reopen_count; again++) {
    breaker = attempt(breaker, false, breaker.open_until_ms!, chance)
  }
  return breaker
}

describe('it opens after five failures in a row that are four fifths of the last twenty', () => {
  test.each([
    ['nothing yet', '', 'closed'],
    ['four', 'xxxx', 'closed'],
    ['five', 'xxxxx', 'open'],
    ['five, not in a row', 'xxxx.x', 'closed'],
    ['five of six', '.xxxxx', 'open'],
    ['seven of nine', '..xxxxxxx', 'closed'],
    ['eight of ten', '..xxxxxxxx', 'open'],
    ['fifteen of the last twenty', `${'.'.repeat(30)}${'x'.repeat(15)}`, 'closed'],
    ['sixteen of the last twenty', `${'.'.repeat(30)}${'x'.repeat(16)}`, 'open'],
  ])('%s', (_name, course, state) => {
    expect(breakerState(breakerAfter(course), noon_ms)).toBe(state)
  })

  test('at the first failure that fits, and not before', () => {
    const course = fc.array(fc.boolean(), { maxLength: 60 })
    fc.assert(
      fc.property(course, (attempts) => {
        let breaker = closedBreaker
        for (const [at, succeeded] of attempts.entries()) {
          breaker = attempt(breaker, succeeded)
          const recent = attempts.slice(Math.max(0, at - 19), at + 1)
          const failures = recent.filter((each) => !each).length
          const fiveInARow = at >= 4 && attempts.slice(at - 4, at + 1).every((each) => !each)
          const shouldBeOpen = fiveInARow && failures / recent.length >= 0.8
          expect(breakerState(breaker, noon_ms)).toBe(shouldBeOpen ? 'open' : 'closed')
          if (shouldBeOpen) return
        }
      }),
    )
  })
})

describe('how long it stays open', () => {
  const seconds = (breaker: Breaker) => (breaker.open_until_ms! - breaker.changed_ms) / 1000

  test('30 seconds, twice as long with each probe that fails, at most 15 minutes', () => {
    const lengths = Array.from({ length: 8 }, (_, count) => seconds(opened(count)))
    expect(lengths).toEqual([30, 60, 120, 240, 480, 900, 900, 900])
    expect(seconds(opened(5_000))).toBe(900)
  })

  test('a fifth less or more, as chance has it', () => {
    expect(seconds(opened(0, 0))).toBe(24)
    expect(seconds(opened(0, 1 - 2 ** -32))).toBe(36)
    fc.assert(
      fc.property(fc.nat(12), fc.double({ min: 0, max: 0.999, noNaN: true }), (count, chance) => {
        const even = Math.min(30 * 2 ** count, 900)
        const length = seconds(opened(count, chance))
        expect(length).toBeGreaterThanOrEqual(even * 0.8 - 0.001)
        expect(length).toBeLessThanOrEqual(even * 1.2 + 0.001)
      }),
    )
  })

  test('open until its time is over, then half-open', () => {
    const breaker = opened()
    expect(breakerState(breaker, breaker.open_until_ms! - 1)).toBe('open')
    expect(breakerState(breaker, breaker.open_until_ms!)).toBe('half_open')
  })
})

describe('while it is open', () => {
  test('a failure of what was under way does not make it longer', () => {
    const breaker = opened()
    const late = attempt(breaker, false, noon_ms + 20_000)
    const { open_until_ms, reopen_count, changed_ms } = breaker
    expect(late).toMatchObject({ open_until_ms, reopen_count, changed_ms })
  })

  test.each([
    ['of what was under way', noon_ms + 4 * minute_ms],
    ['of the probe', noon_ms + 10 * minute_ms],
  ])('a success %s closes it, and nothing is left of the past', (_name, ended_ms) => {
    const closed = attempt(opened(3), true, ended_ms)
    expect(closed).toEqual({ ...closedBreaker, changed_ms: ended_ms })
    const failedAgain = [1, 2, 3, 4].reduce((breaker) => attempt(breaker, false), closed)
    expect(breakerState(failedAgain, noon_ms)).toBe('closed')
  })

  test('once closed it begins with 30 seconds again', () => {
    let breaker = attempt(opened(3), true, noon_ms + 60 * minute_ms)
    for (let at = 0; at < 5; at++) breaker = attempt(breaker, false, noon_ms + 61 * minute_ms)
    expect(breaker).toMatchObject({
      reopen_count: 0,
      open_until_ms: noon_ms + 61 * minute_ms + 30_000,
    })
  })
})

test('twenty attempts are remembered', () => {
  const course = [...'x.'.repeat(30)].join('')
  expect(breakerAfter(course).recent).toEqual(Array.from({ length: 20 }, (_, at) => at % 2 === 1))
})

/** Attempts at any times, in any order of the clocks. */
const anyCourse = fc.array(
  fc.record({
    // Mostly failures, because otherwise it would hardly ever open.
    succeeded: fc.nat(9).map((each) => each === 0),
    ended_ms: fc.integer({ min: noon_ms, max: noon_ms + 60 * minute_ms }),
  }),
  { maxLength: 60 },
)
const anyBreaker = anyCourse.map((course) =>
  course.reduce((breaker, each) => afterAttempt(breaker, { ...each, open_max_ms }, even), closedBreaker),
)

test('each change has a later time than the one before, whatever the clocks say', () => {
  expect(attempt(opened(), true, noon_ms).changed_ms).toBe(noon_ms + 1)
  expect(attempt(opened(), true, noon_ms - 5).changed_ms).toBe(noon_ms + 1)
  const isOpen = (breaker: Breaker) => breaker.open_until_ms !== null
  fc.assert(
    fc.property(anyCourse, (course) => {
      let breaker = closedBreaker
      for (const each of course) {
        const next = afterAttempt(breaker, { ...each, open_max_ms }, even)
        const hasChanged = isOpen(next) !== isOpen(breaker) || next.reopen_count !== breaker.reopen_count
        if (hasChanged) expect(next.changed_ms).toBeGreaterThan(breaker.changed_ms)
        else expect(next.changed_ms).toBe(breaker.changed_ms)
        breaker = next
      }
    }),
  )
})

describe('what another process has seen', () => {
  const later_ms = noon_ms + minute_ms
  const open = { open_until_ms: later_ms + 30_000, reopen_count: 2, changed_ms: later_ms }
  const closed = { open_until_ms: null, reopen_count: 0, changed_ms: later_ms }

  test.each([
    ['open, of a closed one', closedBreaker, open, 'open'],
    ['open, of an open one', opened(), open, 'open'],
    ['closed, of an open one', opened(), closed, 'closed'],
    ['closed, of a closed one', breakerAfter('...xx'), closed, 'closed'],
  ])('newer: %s', (_name, own, theirs, state) => {
    const adopted = adopt(own, theirs)
    expect(breakerState(adopted, later_ms)).toBe(state)
    expect(adopted).toMatchObject({
      open_until_ms: theirs.open_until_ms,
      reopen_count: theirs.reopen_count,
    })
  })

  test('older, or as old: it is not taken over', () => {
    const own = opened()
    const { changed_ms } = own
    expect(adopt(own, { ...closed, changed_ms })).toBe(own)
    expect(adopt(own, { ...open, changed_ms: changed_ms - 1 })).toBe(own)
  })

  test('the failures that are known here still count, those before it was closed do not', () => {
    const own = breakerAfter('xxxx')
    expect(adopt(own, closed)).toBe(own)
    const reopened = attempt(adopt(opened(), closed), false, later_ms + 1)
    expect(breakerState(reopened, later_ms + 1)).toBe('closed')
  })

  test('a process that learns all that others saw ends with the newest, in any order', () => {
    fc.assert(
      fc.property(anyBreaker, anyBreaker, (one, other) => {
        const newest = one.changed_ms > other.changed_ms ? one : other
        fc.pre(one.changed_ms !== other.changed_ms)
        const { open_until_ms, changed_ms } = newest
        for (const adopted of [adopt(one, other), adopt(other, one)]) {
          expect(adopted.open_until_ms).toBe(open_until_ms)
          if (open_until_ms !== null) expect(adopted.changed_ms).toBe(changed_ms)
          expect(adopt(adopted, newest)).toBe(adopted)
        }
      }),
    )
  })
})

test('it is never open for longer than the longest delay between two attempts', () => {
  const failing = breakerAfter('xxxx')
  const attempt = { succeeded: false, ended_ms: noon_ms, open_max_ms: 2_000 }
  const once = afterAttempt(failing, attempt, even)
  expect(once.open_until_ms).toBe(noon_ms + 2_000)
  const again = afterAttempt(once, { ...attempt, ended_ms: noon_ms + 2_000 }, even)
  expect(again).toMatchObject({ open_until_ms: noon_ms + 4_000, reopen_count: 1 })
})
