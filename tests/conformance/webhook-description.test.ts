// What the API's description says of webhook routes. That answers fit it is checked by the client of every other test.

import { expect, test } from 'vitest'
import type { Operation } from '../../src/documents/openapi/document.ts'
import { openApiDocument } from '../../src/documents/openapi/openapi.ts'
import { routes } from '../../src/routes.ts'

const document = openApiDocument(routes)
const operations: [string, Operation][] = Object.entries(document.paths)
  .filter(([path]) => path.startsWith('/v1/webhooks/'))
  .flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, Operation] => [
      `${method.toUpperCase()} ${path}`,
      operation,
    ]),
  )
const described = Object.fromEntries(operations)
const writes = operations.filter(([name]) => !name.startsWith('GET')).map(([name]) => name)

test('all five routes are there', () => {
  expect(Object.keys(described)).toEqual([
    'POST /v1/webhooks/endpoints',
    'GET /v1/webhooks/endpoints',
    'DELETE /v1/webhooks/endpoints/{endpoint_id}',
    'GET /v1/webhooks/deliveries',
    'POST /v1/webhooks/deliveries/{delivery_id}/replay',
  ])
})

test.each(operations)('%s tells of its limit, and of keys in their own shape', (_, { responses }) => {
  const limit = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']
  const [success] = Object.keys(responses).filter((status) => status < '300')
  expect(Object.keys(responses[success!]!.headers!)).toEqual(expect.arrayContaining(limit))
  expect(Object.keys(responses[429]!.headers!)).toEqual(['Rip-Request-Id', 'Retry-After', ...limit])
  expect(responses[429]!.description).not.toContain('address')
  expect(JSON.stringify(responses[401]!.content)).toContain('KeyRefusal')
  expect(JSON.stringify(responses[401]!.content)).not.toContain('key_revoked')
  expect(JSON.stringify(responses[403]!.content)).toContain('key_revoked')
  expect(JSON.stringify(responses)).not.toContain('"#/components/schemas/Refusal"')
})

test('a revoked key stays 401 elsewhere', () => {
  const { responses } = document.paths['/v1/checkout/sessions']!.post!
  expect(JSON.stringify(responses[401]!.content)).toContain('key_revoked')
  expect(JSON.stringify(responses[403]!.content)).not.toContain('key_revoked')
})

test.each(writes)('%s may have a key in either header', (name) => {
  const { parameters, responses } = described[name]!
  const keys = parameters.filter((parameter) => parameter.in === 'header')
  expect(keys.map(({ name, required }) => [name, required])).toEqual([
    ['Rip-Idempotency-Key', false],
    ['Idempotency-Key', false],
  ])
  const [success] = Object.entries(responses)
  expect(success![1].headers).toHaveProperty('Rip-Idempotency-Warning')
  expect(success![1].headers).toHaveProperty('Rip-Idempotent-Replayed')
})

test('204 has no content, and the offset that is refused is not offered', () => {
  const { responses } = described['DELETE /v1/webhooks/endpoints/{endpoint_id}']!
  expect(responses[204]).not.toHaveProperty('content')
  const { parameters } = described['GET /v1/webhooks/deliveries']!
  expect(parameters.map(({ name }) => name)).toEqual(['limit', 'after', 'status', 'event_type'])
})
