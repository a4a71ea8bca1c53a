// Who may call webhook routes, what a key is refused with there, and the shapes of what goes wrong before a route acts.

import { describe, expect, test } from 'vitest'
import { changeMerchant, withdrawKey } from '../../src/merchants/manage.ts'
import { type Answer, bytes, openClient, refusal } from '../support/client.ts'
import { drivenClock, newKey, startService, until } from '../support/service.ts'
import { useService } from '../support/use-service.ts'

const clock = drivenClock()
const service = await useService({ clock })

const url = 'https://shop.example/hooks'
const allRoutes: [string, string, unknown][] = [
  ['POST', '/v1/webhooks/endpoints', { url }],
  ['GET', '/v1/webhooks/endpoints', undefined],
  ['DELETE', `/v1/webhooks/endpoints/whep_${'0'.repeat(24)}`, undefined],
  ['GET', '/v1/webhooks/deliveries', undefined],
  ['POST', `/v1/webhooks/deliveries/${'0'.repeat(32)}/replay`, undefined],
]

const keyed = async (asked: Parameters<typeof newKey>[2]) => {
  const { operator, account } = service
  return (await newKey(operator, account.merchant_id, asked)).secret_key
}
const call = (secret_key: string, [method, path, body]: (typeof allRoutes)[number], more = {}) =>
  openClient({ base_url: service.base_url, secret_key }).send(method, path, {
    headers: { 'x-service-api-key': secret_key, ...more },
    body,
  })

describe.each(allRoutes)('%s %s', (...route) => {
  test.each<[string, Parameters<typeof newKey>[2], string]>([
    ['expired', { expires_at: clock.now() }, '403 key_expired'],
    ['for another address', { allowed_addresses: ['192.0.2.0/24'] }, '403 key_ip_blocked'],
    ['for an origin', { allowed_origins: ['https://a.example'] }, '403 key_origin_blocked'],
    [
      'without the permission',
      { permissions: ['create_payments', 'read_transactions', 'decide_holds'] },
      '403 key_permission_denied',
    ],
    [
      'expired and all that comes after',
      {
        expires_at: clock.now(),
        allowed_addresses: ['::1'],
        allowed_origins: ['https://a.example'],
        permissions: [],
      },
      '403 key_expired',
    ],
    [
      'for another address and all that comes after',
      { allowed_addresses: ['::1'], allowed_origins: ['https://a.example'], permissions: [] },
      '403 key_ip_blocked',
    ],
    [
      'for an origin and without the permission',
      { allowed_origins: ['https://a.example'], permissions: [] },
      '403 key_origin_blocked',
    ],
  ])('a key %s', async (_, asked, expected) => {
    const answer = await call(await keyed(asked), route, { 'rip-idempotency-key': '' })
    expect(refusal(answer)).toBe(expected)
    expect(answer.body).toEqual({ code: expected.slice(4) })
    expect(answer.headers.get('x-ratelimit-limit')).toBeNull()
  })

  test('a key that was revoked, whatever else', async () => {
    const account = await service.newAccount({ key: { permissions: [], expires_at: clock.now() } })
    await withdrawKey(service.operator, account.key_id)
    const answer = await until(
      () => call(account.secret_key, route),
      ({ body }) => body.code !== 'key_expired',
    )
    expect([answer.status, answer.body]).toEqual([403, { code: 'key_revoked' }])
  })

  test.each([
    ['no key', {}],
    ['an empty key', { 'x-service-api-key': '' }],
    ['an unknown key', { 'x-service-api-key': `rip_sk_${'0'.repeat(48)}` }],
    ['another scheme', { authorization: 'Digest x' }],
  ])('%s', async (_, headers: Record<string, string>) => {
    const [method, path] = route
    const answer = await service.client.send(method, path, {
      headers,
      raw: method === 'POST' ? '{' : undefined,
    })
    expect([answer.status, answer.body]).toEqual([401, { code: 'unknown_principal' }])
    expect(answer.headers.get('rip-request-id')).toMatch(/^req_/)
  })

  test('a publishable key opens nothing', async () => {
    const answer = await call(service.account.publishable_key!, route)
    expect([answer.status, answer.body]).toEqual([401, { code: 'unknown_principal' }])
  })
})

test.each([
  ['for live only', { mode: 'live_only' as const }],
  ['without a publishable key', { pair: false }],
  ['with this permission alone', { permissions: ['manage_webhooks' as const] }],
])('a key %s will do', async (_, asked) => {
  const key = await keyed(asked)
  expect((await call(key, allRoutes[0]!)).status).toBe(201)
  expect((await call(key, allRoutes[1]!)).status).toBe(200)
})

test('a suspended account may still manage its endpoints', async () => {
  const { client, merchant_id } = await service.newAccount()
  await changeMerchant(service.operator, merchant_id, { status: 'suspended' })
  await until(
    () => client.create(),
    ({ status }) => status === 403,
  )
  const made = await client.createEndpoint({ url })
  expect(made.status).toBe(201)
  expect((await client.listDeliveries()).status).toBe(200)
  expect((await client.deleteEndpoint(made.body.id)).status).toBe(204)
})

describe('paths', () => {
  const endpointShape = { error: 'resource_not_found', message: expect.any(String), allowed: null }
  const guardShape = { error: 'resource_not_found', message: expect.any(String) }
  test.each<[string, string, object]>([
    ['GET', '/v1/webhooks', endpointShape],
    ['GET', '/v1/webhooks/', endpointShape],
    ['GET', '/v1/webhooks/nothing', endpointShape],
    ['PUT', '/v1/webhooks/endpoints/x/y', endpointShape],
    ['GET', '/v1/webhooks/%ff%', endpointShape],
    ['GET', '/v1/webhooks/deliveries/x', guardShape],
    ['POST', '/v1/webhooks/deliveries/x/y/z', guardShape],
  ])('%s %s is not there', async (method, path, body) => {
    const answer = await service.client.send(method, path, { headers: service.client.withKey })
    expect([answer.status, answer.body]).toEqual([404, body])
  })

  test.each<[string, string, string, object]>([
    ['PUT', '/v1/webhooks/endpoints', 'POST, GET', { message: expect.any(String), allowed: null }],
    ['GET', '/v1/webhooks/endpoints/x', 'DELETE', { message: expect.any(String), allowed: null }],
    ['POST', '/v1/webhooks/deliveries', 'GET', { message: expect.any(String) }],
    ['GET', '/v1/webhooks/deliveries/x/replay', 'POST', {}],
  ])('%s %s takes another method', async (method, path, allowed, more) => {
    const answer = await service.client.send(method, path)
    expect([answer.status, answer.body]).toEqual([405, { error: 'invalid_request', ...more }])
    expect(answer.headers.get('allow')).toBe(allowed)
  })

  test('too large a body of a route that takes none', async () => {
    const { client } = service
    const path = `/v1/webhooks/deliveries/${'0'.repeat(32)}/replay`
    const sent = { headers: client.withKey, raw: ' '.repeat(131_073) }
    const answer = await fetch(service.base_url + path, {
      method: 'POST',
      headers: sent.headers,
      body: sent.raw,
    })
    expect([answer.status, await answer.json()]).toEqual([413, { error: 'invalid_request' }])
  })
})

test('other merchants’ deliveries answer like unknown ones, byte for byte', async () => {
  const { client } = service
  const answers: Answer[] = []
  for (const id of ['0'.repeat(32), 'x', '%00', 'g'.repeat(600)]) {
    answers.push(await client.replayDelivery(id))
  }
  expect(new Set(answers.map(bytes))).toEqual(new Set(['404 {"error":"delivery_not_found"}']))
})

test('the gateway limit does not count webhook routes', async () => {
  const limited = await startService({ gateway_limit: 2 })
  for (let count = 0; count < 4; count++) {
    expect((await limited.client.listEndpoints()).status).toBe(200)
  }
  await limited.close()
})
