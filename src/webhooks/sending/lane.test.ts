import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Standing } from '../queue/claim-store.ts'
import { type Breaker, closedBreaker } from './breaker.ts'
import {
  type AttemptResult,
  begin,
  end,
  first_window,
  hear,
  isQuiet,
  type Lane,
  laneStanding,
  newLane,
  rest_max_ms,
  roomOf,
  window_max,
} from './lane.ts'

const noon_ms = Date.parse('2026-09-01T12:00:00Z')
let attempts = 0

/** Begins this many attempts at noon; returns their ids. */
function start(lane: Lane, count: number, { is_retry = false, at_ms = noon_ms } = {}): string[] {
  return Array.from({ length: count }, () => {
    const attempt_id = `attempt ${++attempts}`
    begin(lane, { attempt_id, is_retry }, at_ms)
    return attempt_id
  })
}

const success = {
  succeeded: true,
  is_our_fault: false,
  rest_seconds: 0,
  ended_ms: noon_ms + 10,
  open_max_ms: Number.POSITIVE_INFINITY,
}

/** Ends an attempt: with success, 10 ms after noon, unless the test says otherwise. */
function finish(lane: Lane, attempt_id: string, changes: Partial<AttemptResult> = {}) {
  return end(lane, { attempt_id, ...success, ...changes }, 0.5)
}

/** One attempt with this duration and this end. */
function answer(lane: Lane, took_ms: number, changes: Partial<AttemptResult> = {}): void {
  const [attempt_id] = start(lane, 1)
  finish(lane, attempt_id!, { ended_ms: noon_ms + took_ms, ...changes })
}

function laneWith(changes: Partial<Lane>): Lane {
  return { ...newLane(), ...changes }
}

/** It has answered, but not well. */
const slowLane = { answer_ms: 20 }
const open: Breaker = { ...closedBreaker, open_until_ms: noon_ms + 30_000, changed_ms: noon_ms }
const well = { ...slowLane, is_well: true }
const half_open: Breaker = { ...open, open_until_ms: noon_ms }

describe('over several processes', () => {
  const sums: [string, Partial<Lane>, number][] = [
    ['that answers well', { ...well, window: window_max }, 64],
    ['that fails or is slow', { ...slowLane, window: window_max }, 8],
    ['whose breaker is open', { ...slowLane, breaker: open }, 16],
    ['nobody has heard of', {}, 1],
  ]
  test.each(sums)('an endpoint %s has one window for all', (_, changes, most) => {
    for (const processes of [1, 2, 3, 4, 16, 64, 100]) {
      const room = roomOf(laneWith(changes), false, noon_ms, processes)
      expect(room).toBe(Math.max(1, Math.floor(most / processes)))
      expect(room * processes).toBeLessThanOrEqual(Math.max(most, processes))
    }
  })

  test('a share grows no further, and a failure halves what was used of it', () => {
    const lane = laneWith({ ...well, window: window_max })
    const fill = () => start(lane, roomOf(lane, false, noon_ms, 4))
    const [first, second] = fill()
    end(lane, { ...success, attempt_id: first! }, 0.5, 4)
    expect([lane.window, roomOf(lane, false, noon_ms, 4)]).toEqual([16, 1])
    end(lane, { ...success, succeeded: false, attempt_id: second! }, 0.5, 4)
    expect(lane.window).toBe(8)
  })

  test('a breaker that another process opened is tried later here, and slowly once it has closed', () => {
    const lane = laneWith(well)
    const { open_until_ms, reopen_count, changed_ms } = open
    hear(lane, { open_until_ms, reopen_count, changed_ms }, 25_000)
    expect(roomOf(lane, false, open_until_ms! + 24_999, 4)).toBe(4)
    expect(laneStanding(lane, open_until_ms! + 24_999)).toBe('shut')
    expect(roomOf(lane, false, open_until_ms! + 25_000, 4)).toBe(1)
    hear(lane, { open_until_ms: null, reopen_count: 0, changed_ms: changed_ms + 1 }, 25_000)
    expect([laneStanding(lane, noon_ms), lane.window]).toEqual(['trusted', 1])
  })
})

describe('the window', () => {
  test('one, of either kind, until it has answered', () => {
    const lane = newLane()
    const rooms = () => [roomOf(lane, false, noon_ms), roomOf(lane, true, noon_ms)]
    expect([laneStanding(lane, noon_ms), ...rooms()]).toEqual(['new', 1, 1])
    const [first] = start(lane, 1)
    expect([laneStanding(lane, noon_ms), ...rooms()]).toEqual(['new', 0, 0])
    finish(lane, first!, { succeeded: false, is_our_fault: true })
    expect([laneStanding(lane, noon_ms), ...rooms()]).toEqual(['new', 1, 1])
    answer(lane, 10, { succeeded: false })
    expect([laneStanding(lane, noon_ms), ...rooms()]).toEqual(['other', 2, 1])
  })

  test('four then, of which retries may have two', () => {
    const lane = laneWith(slowLane)
    expect([roomOf(lane, false, noon_ms), roomOf(lane, true, noon_ms)]).toEqual([first_window, 2])
    start(lane, 1, { is_retry: true })
    expect([roomOf(lane, false, noon_ms), roomOf(lane, true, noon_ms)]).toEqual([3, 1])
    start(lane, 3)
    expect([roomOf(lane, false, noon_ms), roomOf(lane, true, noon_ms)]).toEqual([0, 0])
  })

  test.each([
    ['grows by one where it was full', 4, 4, true, 5],
    ['doubles below four', 2, 2, true, 4],
    ['doubles from one', 1, 1, true, 2],
    ['stays where it was not full', 4, 3, true, 4],
    ['grows to 64', 63, 63, true, window_max],
    ['and no further', window_max, window_max, true, window_max],
    ['halves', 9, 1, false, 4],
    ['halves down to one', 1, 1, false, 1],
  ])('%s', (_name, window, under_way, succeeded, next) => {
    const lane = laneWith({ ...well, window })
    const [first] = start(lane, under_way)
    finish(lane, first!, { succeeded })
    expect(lane.window).toBe(next)
  })

  test('begins at one after the breaker was open, and then doubles', () => {
    const lane = laneWith({ window: 40, breaker: half_open })
    const windows = [1, 1, 2, 4, 5].map((count) => {
      const [first, ...rest] = start(lane, count)
      finish(lane, first!)
      for (const each of rest) lane.under_way.delete(each)
      return lane.window
    })
    expect(windows).toEqual([1, 2, 4, 5, 6])
  })

  test('always leaves room for a retry, at most half of it', () => {
    const rooms = [1, 2, 3, 9, window_max].map((window) => roomOf(laneWith({ ...well, window }), true, noon_ms))
    expect(rooms).toEqual([1, 1, 1, 4, 32])
  })

  test('of an endpoint that fails or is slow is eight at most, whatever it was before', () => {
    for (const lane of [laneWith(slowLane), laneWith({ is_well: true, answer_ms: 1_001 })]) {
      lane.window = 40
      expect([roomOf(lane, false, noon_ms), roomOf(lane, true, noon_ms)]).toEqual([8, 4])
      start(lane, 8)
      expect([roomOf(lane, false, noon_ms), roomOf(lane, true, noon_ms)]).toEqual([0, 0])
    }
    const trusted = laneWith({ ...well, window: 40 })
    start(trusted, 8)
    expect(roomOf(trusted, false, noon_ms)).toBe(32)
  })

  test('what was our own fault says nothing of the endpoint', () => {
    const lane = laneWith({ window: 8, is_well: true, answer_ms: 20 })
    const [first] = start(lane, 1)
    finish(lane, first!, { succeeded: false, is_our_fault: true, ended_ms: noon_ms + 15_000 })
    expect(lane).toMatchObject({ window: 8, is_well: true, answer_ms: 20, breaker: closedBreaker })
    expect(lane.under_way.size).toBe(0)
  })
})

/** The possible events of a lane: attempts fill the room, one ends, time passes. */
const anyStep = fc.oneof(
  fc.record({
    does: fc.constant('begin'),
    is_retry: fc.boolean(),
    count: fc.integer({ min: 1, max: 70 }),
  }),
  fc.record({
    does: fc.constant('end'),
    which: fc.nat(),
    succeeded: fc.boolean(),
    rest_seconds: fc.constantFrom(0, 0, 0, 1, 100_000),
  }),
  fc.record({ does: fc.constant('wait'), ms: fc.constantFrom(1, 600, 40_000, 20 * 60_000) }),
)

test('whatever happens: window, share of the retries and probes keep their bounds', () => {
  fc.assert(
    fc.property(fc.array(anyStep, { maxLength: 80 }), (steps) => {
      const lane = newLane()
      let now_ms = noon_ms
      for (const step of steps) {
        if ('ms' in step) now_ms += step.ms
        else if ('count' in step) {
          const { is_retry } = step
          const room = roomOf(lane, is_retry, now_ms)
          const standing = laneStanding(lane, now_ms)
          const most = { shut: 16, new: 1, other: 8, trusted: window_max }[standing]
          start(lane, Math.min(room, step.count), { is_retry, at_ms: now_ms })
          expect(roomOf(lane, is_retry, now_ms)).toBe(Math.max(0, room - step.count))
          const retries = [...lane.under_way.values()].filter((each) => each.is_retry).length
          const half = Math.max(1, Math.floor(lane.window / 2))
          if (room > 0) expect(lane.under_way.size).toBeLessThanOrEqual(most)
          if (room > 0 && standing !== 'shut') {
            expect(lane.under_way.size).toBeLessThanOrEqual(lane.window)
            if (is_retry) expect(retries).toBeLessThanOrEqual(half)
            if (lane.breaker.open_until_ms) expect(lane.under_way.size).toBe(1)
          }
        } else if (lane.under_way.size > 0) {
          const ids = [...lane.under_way.keys()]
          finish(lane, ids[step.which % ids.length]!, { ...step, ended_ms: now_ms })
        }
        expect(lane.window).toBeGreaterThanOrEqual(1)
        expect(lane.window).toBeLessThanOrEqual(window_max)
        expect(lane.resting_until_ms).toBeLessThanOrEqual(now_ms + rest_max_ms)
      }
    }),
  )
})

describe('room while not everything may pass', () => {
  test.each<[string, Partial<Lane>, Standing, number]>([
    ['open: sixteen, of what is overdue', { breaker: open }, 'shut', 16],
    ['resting: the same', { ...slowLane, resting_until_ms: noon_ms + 1 }, 'shut', 16],
    ['resting while half-open: the same', { breaker: half_open, resting_until_ms: noon_ms + 1 }, 'shut', 16],
    ['half-open: one, to see', { breaker: half_open }, 'other', 1],
  ])('%s', (_name, changes, standing, count) => {
    for (const window of [1, 40]) {
      const lane = laneWith({ ...changes, window })
      expect(laneStanding(lane, noon_ms)).toBe(standing)
      expect([roomOf(lane, false, noon_ms), roomOf(lane, true, noon_ms)]).toEqual([count, count])
      start(lane, 1)
      expect(roomOf(lane, true, noon_ms)).toBe(count - 1)
      start(lane, count - 1)
      expect([roomOf(lane, false, noon_ms), roomOf(lane, true, noon_ms)]).toEqual([0, 0])
    }
  })

  test('none where more than that was under way when it opened', () => {
    const lane = laneWith({ breaker: open, window: 40 })
    start(lane, 20)
    expect([roomOf(lane, false, noon_ms), roomOf(lane, true, noon_ms)]).toEqual([0, 0])
  })
})

describe('an attempt ends, and there was no room for another of its kind', () => {
  test.each([
    ['four first attempts', { first: 4, retries: 0 }, { first: true }],
    ['three first attempts', { first: 3, retries: 0 }, { first: false }],
    ['two retries, alone', { first: 0, retries: 2 }, { retry: true }],
    ['one retry', { first: 0, retries: 1 }, { retry: false }],
    ['two retries and one first', { first: 1, retries: 2 }, { first: false, retry: true }],
    ['a retry among three first', { first: 3, retries: 1 }, { first: true, retry: true }],
  ])('%s', (_name, { first, retries }, expected) => {
    for (const [kind, was_full] of Object.entries(expected)) {
      const lane = laneWith(well)
      const ids = {
        first: start(lane, first),
        retry: start(lane, retries, { is_retry: true }),
      }
      const [attempt_id] = ids[kind as keyof typeof ids]
      expect(finish(lane, attempt_id!)).toEqual({ was_full })
      expect(lane.window).toBe(was_full ? first_window + 1 : first_window)
    }
  })
})

describe('a rest that the receiver asked for', () => {
  test('shuts the endpoint until it is over, but for what is overdue', () => {
    const lane = newLane()
    answer(lane, 10, { succeeded: false, rest_seconds: 60 })
    const over_ms = noon_ms + 10 + 60_000
    expect(laneStanding(lane, over_ms - 1)).toBe('shut')
    expect([roomOf(lane, false, over_ms - 1), roomOf(lane, true, over_ms - 1)]).toEqual([16, 16])
    expect(laneStanding(lane, over_ms)).toBe('other')
    expect([roomOf(lane, false, over_ms), roomOf(lane, true, over_ms)]).toEqual([2, 1])
  })

  test('holds an endpoint up for 15 minutes at most', () => {
    const lane = newLane()
    answer(lane, 0, { succeeded: false, rest_seconds: 24 * 3600 })
    expect(laneStanding(lane, noon_ms + rest_max_ms - 1)).toBe('shut')
    expect(laneStanding(lane, noon_ms + rest_max_ms)).toBe('other')
  })

  test('is not made shorter by a shorter one', () => {
    const lane = newLane()
    answer(lane, 0, { succeeded: false, rest_seconds: 60 })
    answer(lane, 0, { succeeded: false, rest_seconds: 5 })
    expect(lane.resting_until_ms).toBe(noon_ms + 60_000)
  })
})

describe('which endpoint is trusted', () => {
  const underWay = (age_ms: number) => new Map([['a', { began_ms: noon_ms - age_ms, is_retry: false }]])

  test.each<[string, Partial<Lane>, Standing]>([
    ['not heard of', {}, 'new'],
    ['not heard of, and an answer is late', { under_way: underWay(9_000) }, 'new'],
    ['of whom nothing but another process was heard', { breaker: half_open }, 'other'],
    ['well and soon', well, 'trusted'],
    ['just soon enough', { ...well, answer_ms: 1_000 }, 'trusted'],
    ['slow', { ...well, answer_ms: 1_001 }, 'other'],
    ['failed last', { ...well, is_well: false }, 'other'],
    ['an answer that is not yet late', { ...well, under_way: underWay(500) }, 'trusted'],
    ['an answer that is late', { ...well, under_way: underWay(501) }, 'other'],
    ['open', { breaker: open }, 'shut'],
    ['open, as another process says', { ...well, breaker: open }, 'shut'],
    ['half-open', { breaker: half_open }, 'other'],
    ['resting', { ...well, resting_until_ms: noon_ms + 1 }, 'shut'],
    ['rested', { ...well, resting_until_ms: noon_ms }, 'trusted'],
  ])('%s', (_name, changes, standing) => {
    expect(laneStanding(laneWith(changes), noon_ms)).toBe(standing)
  })

  test('the oldest that is under way counts, not the newest', () => {
    const lane = laneWith(well)
    const [old] = start(lane, 1, { at_ms: noon_ms - 600 })
    start(lane, 3)
    expect(laneStanding(lane, noon_ms)).toBe('other')
    finish(lane, old!)
    expect(laneStanding(lane, noon_ms)).toBe('trusted')
  })

  test('one slow answer is not yet slow, several are; then it has to win trust back', () => {
    const lane = newLane()
    const course = [100, 4_000, 4_000, 100, 100, 100].map((took_ms) => {
      answer(lane, took_ms)
      return laneStanding(lane, noon_ms)
    })
    expect(course).toEqual(['trusted', 'trusted', 'other', 'other', 'trusted', 'trusted'])
  })

  test('a failure costs the trust at once, a success brings it back', () => {
    const lane = newLane()
    const course = [true, false, true].map((succeeded) => {
      answer(lane, 10, { succeeded })
      return laneStanding(lane, noon_ms)
    })
    expect(course).toEqual(['trusted', 'other', 'trusted'])
  })
})

describe('quiet, so that no process needs the news', () => {
  const quiet_ms = 10 * 60_000
  const long_ago = { ...slowLane, last_used_ms: noon_ms - quiet_ms - 1 }
  test.each<[string, Partial<Lane>, boolean]>([
    ['for long', long_ago, true],
    ['not for long', { ...slowLane, last_used_ms: noon_ms - quiet_ms }, false],
    ['never heard of, however soon', { last_used_ms: noon_ms }, true],
    ['never heard of, but by another process', { breaker: half_open }, false],
    ['open', { ...long_ago, breaker: open }, false],
    ['half-open', { ...long_ago, breaker: half_open }, false],
    ['resting', { ...long_ago, resting_until_ms: noon_ms + 1 }, false],
    ['rested', { ...long_ago, resting_until_ms: noon_ms }, true],
    ['trusted, however long', well, false],
    ['slow', { ...long_ago, is_well: true, answer_ms: 1_001 }, true],
  ])('%s: %s', (_name, changes, quiet) => {
    expect(isQuiet(laneWith(changes), noon_ms)).toBe(quiet)
  })

  test('not while something is under way, nor soon after it ended, however long that took', () => {
    const lane = newLane()
    const [slow] = start(lane, 1)
    expect(isQuiet(lane, noon_ms + 14_000)).toBe(false)
    finish(lane, slow!, { succeeded: false, ended_ms: noon_ms + 15_000 })
    expect(isQuiet(lane, noon_ms + 15_000 + quiet_ms)).toBe(false)
    expect(isQuiet(lane, noon_ms + 15_001 + quiet_ms)).toBe(true)
  })
})
