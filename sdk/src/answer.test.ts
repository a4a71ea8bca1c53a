import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { bodyOf } from './answer.ts'
import { ApiError } from './errors.ts'

const asked = { idempotency_key: 'key-1', is_empty: false, now: new Date('2026-09-01T12:00:00Z') }

function errorOf(status: number, text: string | null, headers: Record<string, string> = {}) {
  try {
    bodyOf({ status, headers: new Headers(headers), text }, asked)
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
  throw new Error('it was no refusal')
}

test.each<[string, number, string, object]>([
  [
    'checkout',
    400,
    '{"error":"invalid_request","message":"amount is required.","request_id":"req_1"}',
    { code: 'invalid_request', message: 'amount is required.', request_id: 'req_1', allowed: null },
  ],
  [
    'internal error',
    500,
    '{"error":"internal_error","message":null,"request_id":"req_1"}',
    { code: 'internal_error', message: 'The service refused: internal_error.' },
  ],
  [
    'endpoint',
    400,
    '{"error":"unknown_event_type","message":"no","allowed":["payment.held"]}',
    { code: 'unknown_event_type', message: 'no', allowed: ['payment.held'], request_id: null },
  ],
  [
    'endpoint, nothing allowed',
    400,
    '{"error":"invalid_url","message":"no","allowed":null}',
    { code: 'invalid_url', allowed: null },
  ],
  [
    'guard',
    409,
    '{"error":"idempotency_key_in_use","message":"wait"}',
    { code: 'idempotency_key_in_use', message: 'wait' },
  ],
  ['key', 403, '{"code":"key_expired"}', { code: 'key_expired', message: 'The service refused: key_expired.' }],
  ['replay', 409, '{"error":"replay_in_progress"}', { code: 'replay_in_progress' }],
  [
    'gateway',
    429,
    'Too many requests. Try again in 3 seconds.\n',
    { code: 'rate_limit_exceeded', message: 'Too many requests. Try again in 3 seconds.' },
  ],
  ['empty 429', 429, '', { code: 'rate_limit_exceeded', message: 'Too many requests.' }],
  ['a proxy’s page', 502, '<html>', { code: 'unexpected_response' }],
  ['JSON of another kind', 404, '{"detail":"Not Found"}', { code: 'unexpected_response' }],
  ['another API’s error object', 400, '{"error":{"code":"x"}}', { code: 'unexpected_response' }],
  ['a list', 400, '[1]', { code: 'unexpected_response' }],
  ['null', 400, 'null', { code: 'unexpected_response' }],
  ['a page for a success', 200, '<html>', { code: 'unexpected_response' }],
  ['nothing for a success', 200, '', { code: 'unexpected_response' }],
  ['half of a success', 201, '{"id":', { code: 'unexpected_response' }],
  ['a refusal with a success’ status', 300, '{"error":"x"}', { code: 'unexpected_response' }],
])('%s', (_, status, text, fields) => {
  const error = errorOf(status, text)
  expect(error).toMatchObject({ ...fields, status, idempotency_key: 'key-1', name: 'ApiError' })
})

test('a redirect is reported as one', () => {
  expect(errorOf(302, '', { location: 'https://x.example' }).message).toMatch(/base_url/)
})

test('the header names the request before the body does', () => {
  const error = errorOf(404, '{"error":"endpoint_not_found","message":"","allowed":null}', {
    'rip-request-id': 'req_2',
    'retry-after': '3',
  })
  expect(error).toMatchObject({ request_id: 'req_2', retry_after_seconds: 3 })
  expect(error.headers?.get('retry-after')).toBe('3')
})

test('what is too large is not looked into', () => {
  expect(errorOf(200, null)).toMatchObject({ code: 'response_too_large', status: 200 })
})

test('a 204 has no body, where none is due', () => {
  const answer = { status: 204, headers: new Headers(), text: '' }
  expect(bodyOf(answer, { ...asked, is_empty: true })).toBeUndefined()
  expect(errorOf(204, '')).toMatchObject({ code: 'unexpected_response', status: 204 })
})

test('the log line of an error explains it', () => {
  const error = errorOf(400, '{"error":"invalid_request","message":"no","request_id":"req_1"}')
  expect(JSON.parse(JSON.stringify(error))).toEqual({
    name: 'ApiError',
    message: 'no',
    code: 'invalid_request',
    status: 400,
    request_id: 'req_1',
    field: null,
    allowed: null,
    retry_after_seconds: null,
    idempotency_key: 'key-1',
  })
  expect(inspect(error)).toMatch(/^ApiError: no\n/)
  expect(inspect(error)).toContain("code: 'invalid_request'")
})
