import { describe, expect, test } from 'vitest'
import { ApiError, ConnectionError, TimeoutError, UsageError } from './errors.ts'
import { delayBeforeRetry, retryAfterSeconds } from './retry.ts'

const first = { tries: 1, retries_max: 2, chance: 1, key_is_own: true }

function refused(status: number, code = 'internal_error', retry_after_seconds: number | null = null) {
  const answer = { status, request_id: null, headers: new Headers(), idempotency_key: 'k' }
  return new ApiError(
    { code: code as 'internal_error', message: '' },
    {
      ...answer,
      retry_after_seconds,
    },
  )
}

describe('what is tried again', () => {
  test.each<[string, unknown, boolean]>([
    ['no connection', new ConnectionError('', 'k'), true],
    ['no answer in time', new TimeoutError('', 'k'), true],
    ['429', refused(429, 'rate_limit_exceeded'), true],
    ['500', refused(500), true],
    ['502 of a proxy', refused(502, 'unexpected_response'), true],
    ['503', refused(503, 'store_unavailable'), true],
    ['504', refused(504, 'unexpected_response'), true],
    ['501', refused(501, 'unexpected_response'), false],
    ['a key whose first request runs', refused(409, 'idempotency_key_in_use'), true],
    ['a key that may be another body’s', refused(409, 'idempotency_key_reused'), false],
    ['a decided hold', refused(409, 'hold_already_decided'), false],
    ['a refused operation', refused(409, 'operation_refused'), false],
    ['400', refused(400, 'invalid_request'), false],
    ['404', refused(404, 'resource_not_found'), false],
    ['a strange success', refused(200, 'unexpected_response'), false],
    ['a redirect', refused(302, 'unexpected_response'), false],
    ['too large an answer', refused(503, 'response_too_large'), false],
    ['a wrong call', new UsageError(''), false],
    ['an aborted signal', new DOMException('', 'AbortError'), false],
  ])('%s', (_, error, again) => {
    expect(delayBeforeRetry(error, first) !== null).toBe(again)
  })
})

test.each([
  ['a second time, under a key of the call’s own: its first request still runs', true, true],
  ['a second time, under a key that was given', false, false],
])('a reused key, %s', (_, key_is_own, again) => {
  const error = refused(409, 'idempotency_key_reused')
  expect(delayBeforeRetry(error, { ...first, tries: 2, key_is_own }) !== null).toBe(again)
})

test.each([
  ['the first', { tries: 1, chance: 1 }, 500],
  ['the first, at least', { tries: 1, chance: 0 }, 250],
  ['the second', { tries: 2, chance: 1 }, 1_000],
  ['the third', { tries: 3, chance: 1 }, 2_000],
  ['the last', { tries: 10, chance: 1 }, 8_000],
  ['none after the last', { tries: 11, chance: 1 }, null],
])('the wait before %s retry', (_, how, wait_ms) => {
  const error = new ConnectionError('', null)
  expect(delayBeforeRetry(error, { retries_max: 10, key_is_own: true, ...how })).toBe(wait_ms)
})

test.each([
  ['is waited for', 7, 7_000],
  ['never shortens the wait', 0, 500],
  ['of a minute is waited for', 60, 60_000],
  ['of more is left to the caller', 61, null],
])('Retry-After %s', (_, seconds, wait_ms) => {
  expect(delayBeforeRetry(refused(429, 'rate_limit_exceeded', seconds), first)).toBe(wait_ms)
})

test.each([
  [null, null],
  ['', null],
  ['soon', null],
  ['0', 0],
  ['12', 12],
  [' 12 ', 12],
  ['Tue, 01 Sep 2026 12:00:30 GMT', 30],
  ['Tue, 01 Sep 2026 11:00:00 GMT', 0],
])('Retry-After %j', (header, seconds) => {
  expect(retryAfterSeconds(header, new Date('2026-09-01T12:00:00Z'))).toBe(seconds)
})
