import { describe, expect, test } from 'vitest'
import { Refusal, type RefusalCode } from '../kernel/errors.ts'
import { dialectOfPath, renderRefusal, statusOf } from './dialects.ts'

const plain = new Refusal('invalid_request', 'amount is required.', { field: 'amount' })
const incomplete = new Refusal('authentication_incomplete', 'Not yet.', {
  members: { attempt: null },
})
const internal = new Refusal('internal_error', 'secret words')
const unknown = new Refusal('resource_not_found', 'No.')
const id = 'req_1'

test.each([
  ['checkout', plain, { error: 'invalid_request', message: 'amount is required.', request_id: id }],
  ['checkout', incomplete, { error: 'authentication_incomplete', message: 'Not yet.', request_id: id, attempt: null }],
  ['checkout', internal, { error: 'internal_error', message: null, request_id: id }],
  ['webhook_endpoints', plain, { error: 'invalid_request', message: 'amount is required.', allowed: null }],
  [
    'webhook_endpoints',
    new Refusal('unknown_event_type', 'No.', { members: { allowed: ['a'] } }),
    { error: 'unknown_event_type', message: 'No.', allowed: ['a'] },
  ],
  ['webhook_deliveries', plain, { error: 'invalid_request', message: 'amount is required.' }],
  ['webhook_replay', plain, { error: 'invalid_request' }],
  [
    'compatible',
    plain,
    {
      error: {
        type: 'invalid_request_error',
        code: 'invalid_request',
        message: 'amount is required.',
        param: 'amount',
        ripper_code: 'invalid_request',
      },
    },
  ],
  [
    'compatible',
    unknown,
    {
      error: {
        type: 'invalid_request_error',
        code: 'resource_missing',
        message: 'No.',
        ripper_code: 'resource_not_found',
      },
    },
  ],
  [
    'compatible',
    new Refusal('invalid_request', 'No.', { field: 'a', platform_code: 'parameter_unknown' }),
    {
      error: {
        type: 'invalid_request_error',
        code: 'parameter_unknown',
        message: 'No.',
        param: 'a',
        ripper_code: 'invalid_request',
      },
    },
  ],
  [
    'compatible',
    new Refusal('idempotency_key_in_use', 'Wait.'),
    {
      error: {
        type: 'invalid_request_error',
        code: 'idempotency_key_in_use',
        message: 'Wait.',
        ripper_code: 'idempotency_key_reused',
      },
    },
  ],
  [
    'compatible',
    internal,
    {
      error: {
        type: 'api_error',
        code: 'internal_error',
        message: null,
        ripper_code: 'internal_error',
      },
    },
  ],
] as const)('%s: %s', (dialect, refusal, body) => {
  expect(renderRefusal(dialect, refusal, id)).toEqual(body)
})

describe.each(['webhook_endpoints', 'webhook_deliveries', 'webhook_replay'] as const)('%s', (dialect) => {
  test('keys and guards have shapes of their own', () => {
    const render = (code: RefusalCode) => renderRefusal(dialect, new Refusal(code, 'No.'), id)
    expect(render('unknown_principal')).toEqual({ code: 'unknown_principal' })
    expect(render('rate_limit_exceeded')).toEqual({
      error: 'rate_limit_exceeded',
      message: 'No.',
    })
    expect(render('idempotency_key_reused')).toEqual({
      error: 'idempotency_key_reused',
      message: 'No.',
    })
  })

  test('a revoked key is forbidden', () => {
    const revoked = new Refusal('key_revoked', 'No.')
    expect([statusOf(dialect, revoked), statusOf('checkout', revoked)]).toEqual([403, 401])
    expect(statusOf(dialect, plain)).toBe(400)
  })
})

test.each([
  ['/v1/webhooks/endpoints/x/y', 'webhook_endpoints'],
  ['/v1/webhooks', 'webhook_endpoints'],
  ['/v1/webhooks?x=1', 'webhook_endpoints'],
  ['/v1/webhooks/deliveries/x', 'webhook_deliveries'],
  ['/v1/webhooksx', 'checkout'],
  ['/v1/payment_intents', 'compatible'],
  ['/v1/payment_intents?x=1', 'compatible'],
  ['/v1/payment_intentsx', 'checkout'],
  ['/v1/compat/partner/x', 'compatible'],
  ['/v1/compat', 'compatible'],
  ['/v1/compatible', 'checkout'],
  ['/v1/customers', 'checkout'],
  ['/v1/payments/x', 'checkout'],
])('a path without a route, %s: %s', (path, dialect) => {
  expect(dialectOfPath(path)).toBe(dialect)
})

describe('a path without a route whose caller speaks another way', () => {
  const bearer = { authorization: 'Bearer x' }
  test.each([
    ['/v1/customers', bearer, 'compatible'],
    ['/v2/core/events', bearer, 'compatible'],
    ['/v1/customers', { authorization: 'Basic eDo=' }, 'compatible'],
    ['/v1/customers', { authorization: 'Digest x' }, 'checkout'],
    ['/v1/customers', { ...bearer, 'x-service-api-key': 'y' }, 'checkout'],
    ['/v1/checkout/x', bearer, 'compatible'],
    ['/v1/payments/x?a=1', bearer, 'compatible'],
    ['/v1/webhooks/x', bearer, 'compatible'],
    ['/v1?a=1', bearer, 'compatible'],
    ['/v10/x', bearer, 'checkout'],
    ['/v3/x', bearer, 'checkout'],
  ])('%s %j: %s', (path, headers, dialect) => {
    expect(dialectOfPath(path, headers)).toBe(dialect)
  })
})
