import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { attemptsMax, breakerPatienceMs, nextRetryAt, type RetrySchedule, restOf } from './retry-schedule.ts'

const hour = 3600
const day_ms = 24 * hour * 1000
const usual: RetrySchedule = [
  ...[5, 30, 120, 600, 1800, hour, 3 * hour, 6 * hour, 12 * hour],
  ...[24 * hour, 24 * hour],
]
const ended_at = new Date('2026-09-01T12:00:00Z')

type Failed = Parameters<typeof nextRetryAt>[0]
const failed = (changes: Partial<Failed> = {}): Failed => ({
  attempt_number: 1,
  ended_at,
  response_status_code: 500,
  retry_after_seconds: null,
  ...changes,
})
/** Seconds until the next attempt, or null. */
const secondsUntil = (changes: Partial<Failed>, schedule = usual, chance = 0) => {
  const next = nextRetryAt(failed(changes), schedule, chance)
  return next && (next.getTime() - ended_at.getTime()) / 1000
}

const anySchedule = fc.array(fc.integer({ min: 0, max: 2 * 24 * hour }), { maxLength: 20 })
const anyChance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
const anyStatus = fc.option(fc.integer({ min: 100, max: 599 }))
const anyRest = fc.option(fc.integer({ min: 0, max: 90 * 24 * hour }))

test('the usual schedule: twelve attempts in about 71 hours', () => {
  const delays = usual.map((_, at) => secondsUntil({ attempt_number: at + 1 }))
  expect(delays).toEqual(usual)
  expect(attemptsMax(usual)).toBe(12)
  expect(secondsUntil({ attempt_number: 12 })).toBeNull()
  const hours = usual.reduce((sum, delay) => sum + delay, 0) / hour
  expect(hours).toBeCloseTo(70.7, 1)
})

test('n delays are n + 1 attempts', () => {
  fc.assert(
    fc.property(anySchedule, anyChance, (schedule, chance) => {
      expect(attemptsMax(schedule)).toBe(schedule.length + 1)
      for (let attempt_number = 1; attempt_number <= schedule.length + 3; attempt_number++) {
        const isLast = attempt_number >= attemptsMax(schedule)
        expect(secondsUntil({ attempt_number }, schedule, chance) === null).toBe(isLast)
      }
    }),
  )
})

test('never earlier than the schedule, and by jitter alone at most a fifth later', () => {
  fc.assert(
    fc.property(anySchedule, fc.nat(20), anyChance, anyStatus, (schedule, at, chance, status) => {
      const attempt_number = at + 1
      const seconds = secondsUntil({ attempt_number, response_status_code: status }, schedule, chance)
      if (seconds === null) return
      const delay = schedule[at]!
      expect(seconds).toBeGreaterThanOrEqual(delay)
      expect(seconds).toBeLessThanOrEqual(delay * 1.2 + 0.001)
    }),
  )
})

test('jitter spreads over the whole fifth', () => {
  expect(secondsUntil({ attempt_number: 2 }, usual, 0)).toBe(30)
  expect(secondsUntil({ attempt_number: 2 }, usual, 0.5)).toBe(33)
  expect(secondsUntil({ attempt_number: 2 }, usual, 1 - 2 ** -32)).toBe(36)
})

describe('Retry-After', () => {
  const delay = { attempt_number: 2 }
  test.each([
    ['429, longer', 429, 90, 90],
    ['503, longer', 503, 90, 90],
    ['429, shorter', 429, 10, 30],
    ['503, shorter', 503, 0, 30],
    ['429, none', 429, null, 30],
    ['500', 500, 90, 30],
    ['502', 502, 90, 30],
    ['301', 301, 90, 30],
    ['no answer', null, 90, 30],
    ['longer than a day', 503, 30 * 24 * hour, 24 * hour],
  ])('%s', (_name, response_status_code, retry_after_seconds, seconds) => {
    expect(secondsUntil({ ...delay, response_status_code, retry_after_seconds })).toBe(seconds)
  })

  test('can only push later, and only with 429 or 503', () => {
    fc.assert(
      fc.property(anySchedule, fc.nat(20), anyChance, anyStatus, anyRest, (...inputs) => {
        const [schedule, at, chance, response_status_code, retry_after_seconds] = inputs
        const answer = { attempt_number: at + 1, response_status_code }
        const without = secondsUntil(answer, schedule, chance)
        const seconds = secondsUntil({ ...answer, retry_after_seconds }, schedule, chance)
        const isHeard = response_status_code === 429 || response_status_code === 503
        const rest = isHeard ? Math.min(retry_after_seconds ?? 0, 24 * hour) : 0
        expect(seconds).toBe(without && Math.max(without, rest))
      }),
    )
  })

  test.each([
    [429, 7, 7],
    [503, 7, 7],
    [500, 7, 0],
    [200, 7, 0],
    [429, null, 0],
    [null, 7, 0],
    [503, 25 * hour, 24 * hour],
  ])('a rest after %s, asked for %s: %s', (response_status_code, retry_after_seconds, seconds) => {
    expect(restOf({ response_status_code, retry_after_seconds })).toBe(seconds)
  })
})

test('a breaker holds nothing back for longer than the schedule at its slowest, and a day', () => {
  expect(breakerPatienceMs([])).toBe(day_ms)
  expect(breakerPatienceMs([hour])).toBe(1.2 * hour * 1000 + day_ms)
  fc.assert(
    fc.property(anySchedule, (schedule) => {
      const slowest = schedule.reduce(
        (sum, _, at) => sum + secondsUntil({ attempt_number: at + 1 }, schedule, 1 - 2 ** -32)!,
        0,
      )
      expect(breakerPatienceMs(schedule)).toBeGreaterThanOrEqual(slowest * 1000 + day_ms - 20)
    }),
  )
})
