import { expect, test } from 'vitest'
import { Refusal } from '../errors.ts'
import { renderRefusal } from './dialects.ts'

const plain = new Refusal('invalid_request', 'amount is required.', { field: 'amount' })
const incomplete = new Refusal('authentication_incomplete', 'Not yet.', {
  members: { attempt: null },
})
const internal = new Refusal('internal_error', 'secret words')
const unknown = new Refusal('resource_not_found', 'No.')
const id = 'req_1'

test.each([
  ['checkout', plain, { error: 'invalid_request', message: 'amount is required.', request_id: id }],
  [
    'checkout',
    incomplete,
    { error: 'authentication_incomplete', message: 'Not yet.', request_id: id, attempt: null },
  ],
  ['checkout', internal, { error: 'internal_error', message: null, request_id: id }],
  [
    'webhook_endpoint',
    plain,
    { error: 'invalid_request', message: 'amount is required.', allowed: null },
  ],
  ['webhook_guard', plain, { error: 'invalid_request', message: 'amount is required.' }],
  ['webhook_key', plain, { code: 'invalid_request' }],
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
