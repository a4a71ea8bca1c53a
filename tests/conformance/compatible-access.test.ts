// Who may use the compatible routes, and what everything that fails below their paths looks like.

import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { changeMerchant, withdrawKey } from '../../src/merchants/manage.ts'
import { manualClock } from '../support/clock.ts'
import { addresses, described, fault, formOf, formType, openCompatible, tea } from '../support/compatible.ts'
import { onOneServer } from '../support/one-server.ts'
import { type AccountOptions, startService } from '../support/service.ts'
import { useService } from '../support/use-service.ts'

const clock = manualClock()
const service = await useService({ clock })
const compatible = openCompatible(service.client, service.account)

const form = formOf({ amount: '4200', currency: 'gbp' })
const basic = (user: string, password = '') => ({
  authorization: `Basic ${btoa(`${user}:${password}`)}`,
})
const as = async (asked: AccountOptions) => {
  const account = await service.newAccount(asked)
  return { ...openCompatible(account.client, account), account }
}

describe('the secret key', () => {
  test.each([
    ['as a bearer token', () => ({ authorization: `Bearer ${service.account.secret_key}` })],
    ['whatever the case of the word', () => ({ authorization: `bearer ${service.account.secret_key}` })],
    ['as a user name without a password', () => basic(service.account.secret_key)],
    ['beside another header', () => ({ ...compatible.bearer, 'x-service-api-key': 'rip_sk_x' })],
  ])('%s', async (_name, headers) => {
    expect((await compatible.create(tea, { headers: headers() })).status).toBe(200)
  })

  test.each<[string, () => Record<string, string>]>([
    ['nothing', () => ({})],
    ['the header of other routes', () => ({ 'x-service-api-key': service.account.secret_key })],
    ['no key', () => ({ authorization: 'Bearer ' })],
    ['another scheme', () => ({ authorization: `Digest ${service.account.secret_key}` })],
    ['a password', () => basic(service.account.secret_key, 'x')],
    ['the key as a password', () => basic('', service.account.secret_key)],
    ['no user', () => basic('')],
    ['an unknown key', () => ({ authorization: 'Bearer rip_sk_unknown' })],
    ['a publishable key', () => ({ authorization: `Bearer ${service.account.publishable_key}` })],
    ['two words', () => ({ authorization: `Bearer x ${service.account.secret_key}` })],
  ])('%s is refused, and nothing of it said again', async (_name, headers) => {
    const sent = headers()
    for (const at of addresses) {
      const answer = await service.client.send('POST', at, { headers: sent, body: tea })
      expect(fault(answer)).toBe('401 authentication_error unauthorized - unauthorized')
      expect(answer.text).not.toMatch(/rip_sk|rip_pk/)
    }
  })

  test('what to send is said', async () => {
    const headers = { 'x-service-api-key': service.account.secret_key }
    const answer = await service.client.send('GET', `${described}/cs_x`, { headers })
    expect(answer.body.error.message).toContain('Authorization: Bearer')
  })

  const hour_ago = new Date(clock.now().getTime() - 3_600_000)
  test.each<[string, AccountOptions, string]>([
    ['expired', { key: { expires_at: hour_ago } }, '401 authentication_error unauthorized'],
    ['elsewhere', { key: { allowed_addresses: ['10.0.0.0/8'] } }, '401 authentication_error unauthorized'],
    ['no origin', { key: { allowed_origins: ['https://a.example'] } }, '401 authentication_error unauthorized'],
    ['may only read', { key: { permissions: ['read_transactions'] } }, '403 permission_error permission_denied'],
    ['has no pair', { key: { pair: false } }, '401 authentication_error public_key_missing'],
    ['is live-only', { key: { mode: 'live_only' } }, '403 permission_error key_live_only'],
    [
      'of a live account without a profile',
      { merchant: { live: true, live_enabled: true } },
      '422 invalid_request_error acquiring_profile_incomplete',
    ],
  ])('%s', async (_name, asked, expected) => {
    const other = await as(asked)
    expect(fault(await other.create())).toMatch(new RegExp(`^${expected} `))
  })

  test('revoked, and of a suspended account', async () => {
    const [revoked, suspended] = [await as({}), await as({})]
    await withdrawKey(service.operator, revoked.account.key_id)
    await changeMerchant(service.operator, suspended.account.merchant_id, { status: 'suspended' })
    expect(fault(await revoked.create())).toBe('401 authentication_error key_revoked - key_revoked')
    const not_active = '403 permission_error merchant_not_active - merchant_not_active'
    expect(fault(await suspended.create())).toBe(not_active)
    expect(fault(await suspended.read('cs_x'))).toBe(not_active)
  })

  test('reading needs its own permission, and sees one’s own alone', async () => {
    const writer = await as({ key: { permissions: ['create_payments'] } })
    const { body } = await writer.create()
    expect(fault(await writer.read(body.id))).toBe('403 permission_error permission_denied - permission_denied')
    const missing = '404 invalid_request_error resource_missing intent resource_not_found'
    for (const id of [body.id, 'cs_x', `cs_${'0'.repeat(24)}`, '%00', 'a%2Fb', 'x'.repeat(300)]) {
      const answer = await compatible.read(id)
      expect(fault(answer)).toBe(missing)
    }
  })
})

describe('fails in the compatible shape', () => {
  const cases: [string, string, object, string][] = [
    ['POST', '/v1/compat/partner/nothing', {}, '404 invalid_request_error resource_missing'],
    ['GET', '/v1/compat', {}, '404 invalid_request_error resource_missing'],
    ['GET', '/v1/compat/stripe/v1/customers', {}, '404 invalid_request_error resource_missing'],
    ['GET', '/v1/compat/%zz', {}, '404 invalid_request_error resource_missing'],
    ['GET', '/v1/payment_intents/%zz', {}, '404 invalid_request_error resource_missing'],
    ['GET', '/v1/payment_intents/a/b/c', {}, '404 invalid_request_error resource_missing'],
    ['GET', '/v1/payment_intents?limit=0', {}, '400 invalid_request_error parameter_invalid_integer'],
    ['DELETE', '/v1/payment_intents/cs_x', {}, '404 invalid_request_error resource_missing'],
    ['GET', '/v1/checkout/nothing', {}, '404 invalid_request_error resource_missing'],
    ['GET', '/v1/payments/a/b', {}, '404 invalid_request_error resource_missing'],
    ['GET', '/v1/payments', {}, '404 invalid_request_error resource_missing'],
    ['GET', '/v1/events?limit=0', {}, '400 invalid_request_error parameter_invalid_integer'],
    ['GET', '/v1/events/evt_0', {}, '404 invalid_request_error resource_missing'],
    ['GET', '/v1/requests', {}, '404 invalid_request_error resource_missing'],
    ['POST', '/v1/checkout/sessions', {}, '400 invalid_request_error parameter_missing'],
    ['GET', '/v1/checkout/sessions/cs_test_x', {}, '404 invalid_request_error resource_missing'],
    ['POST', '/v1/checkout/sessions/cs_test_x', {}, '404 invalid_request_error resource_missing'],
    ['POST', '/v1/webhooks/endpoints', {}, '404 invalid_request_error resource_missing'],
    ['PUT', '/v1/webhooks/endpoints', {}, '404 invalid_request_error resource_missing'],
    ['POST', described, { raw: '{' }, '400 invalid_request_error invalid_request'],
    ['POST', described, { raw: '{"a":1,"a":2}' }, '400 invalid_request_error invalid_request'],
    ['POST', described, { raw: '['.repeat(40) }, '400 invalid_request_error invalid_request'],
    ['POST', described, { raw: 'a'.repeat(200_000) }, '413 invalid_request_error invalid_request'],
  ]
  test.each(cases)('%s %s %j', async (method, path, sent, expected) => {
    const answer = await service.client.send(method, path, { headers: compatible.bearer, ...sent })
    expect(fault(answer)).toMatch(new RegExp(`^${expected} `))
    expect(answer.headers.get('request-id')).toBe(answer.headers.get('rip-request-id'))
    expect(answer.headers.get('request-id')).toMatch(/^req_/)
    expect(answer.headers.get('service-compat-version')).toBe('2026-09-01')
  })

  test.each([
    ['POST', '/v1/payment_intents/cs_x', 'cannot be changed'],
    ['POST', '/v1/payment_intents/cs_x/confirm', 'hand it the client_secret'],
    ['GET', '/v1/payment_intents/cs_x/capture', '/v1/payment_intents (create, read, list, capture, cancel)'],
    ['POST', '/v1/payment_intents/cs_x/constructor', 'serves only'],
    ['DELETE', '/v1/payment_intents', '/v1/payment_intents (create, read, list'],
    ['GET', '/v1/payment_intents/search/x', 'serves only'],
    ['POST', '/v1/customers', 'There are no stored customers'],
    ['POST', '/v1/checkout/sessions/cs_test_x', 'A Checkout Session cannot be changed'],
    ['POST', '/v1/subscriptions', 'serves only: /v1/checkout/sessions (create'],
    ['GET', '/v1/balance', 'serves only'],
    ['POST', '/v2/core/events', 'serves only'],
  ])('%s %s says what to do instead', async (method, path, words) => {
    const headers = { ...compatible.bearer, ...formType }
    const answer = await service.client.send(method, path, {
      headers,
      ...(method === 'POST' && { raw: 'a=1' }),
    })
    expect(answer.status).toBe(404)
    expect(answer.body.error.message).toContain(words)
    expect(answer.headers.get('request-id')).toMatch(/^req_/)
  })

  test.each([
    ['/v1/payments/a/b', () => service.client.withKey],
    ['/v1/checkout/nothing', () => ({ authorization: 'Digest x' })],
    ['/v1/customers', () => service.client.withKey],
    ['/v1/customers', () => ({ ...compatible.bearer, ...service.client.withKey })],
    ['/v1/customers', () => ({})],
    ['/nothing', () => compatible.bearer],
  ])('%s keeps the API’s own shape', async (path, headers) => {
    const answer = await service.client.send('GET', path, { headers: headers() })
    expect(answer.body).toEqual({
      error: 'resource_not_found',
      message: 'There is no GET route at this path.',
      request_id: answer.headers.get('rip-request-id'),
    })
    expect(answer.headers.get('request-id')).toBeNull()
  })

  test('a key as the user name of Authorization: Basic is a bearer', async () => {
    const { body } = await compatible.create()
    const authorization = `Basic ${Buffer.from(`${service.account.secret_key}:`).toString('base64')}`
    const answer = await service.client.send('GET', `/v1/payment_intents/${body.id}`, { headers: { authorization } })
    expect(answer.body).toEqual({ ...body, client_secret: null })
  })

  const schemes = ['Bearer', 'Basic'].map((scheme) => ({ authorization: `${scheme} eDp5` }))
  test.each(schemes)('on routes of browsers alone $authorization means nothing', async (headers) => {
    const session = await service.client.open()
    const own = { ...headers, 'rip-client-secret': session.client_secret }
    const state = await service.client.send('GET', `/v1/checkout/sessions/${session.id}/state`, { headers: own })
    expect(state.status).toBe(200)
    const answer = await service.client.send('PUT', '/v1/checkout/sessions/x/confirm', { headers })
    expect([answer.status, answer.body.error, answer.headers.get('allow')]).toEqual([
      405,
      'invalid_request',
      'POST, OPTIONS',
    ])
  })

  test('a head that is too large', async () => {
    const head = `POST /v1/payment_intents HTTP/1.1\r\nHost: x\r\nIdempotency-Key: ${'x'.repeat(17_000)}\r\n\r\n`
    const { port } = new URL(service.base_url)
    const socket = connect(Number(port), '127.0.0.1')
    socket.end(head)
    let text = ''
    for await (const part of socket) text += part
    expect(text).toMatch(/^HTTP\/1.1 431 /)
    expect(JSON.parse(text.split('\r\n\r\n')[1]!).error).toMatchObject({
      type: 'invalid_request_error',
    })
  })

  onOneServer('a failure of the service, which reveals nothing of itself', async () => {
    const { insertSession } = service.context
    service.context.insertSession = () => Promise.reject(new Error('secret words'))
    try {
      const answer = await compatible.createForm(form)
      expect(fault(answer)).toBe('500 api_error internal_error - internal_error')
      expect(answer.body.error.message).toBeNull()
      expect(answer.headers.get('request-id')).toMatch(/^req_/)
    } finally {
      service.context.insertSession = insertSession
    }
  })
})

onOneServer('a database that cannot be asked', async () => {
  const { insertSession } = service.context
  const gone = Object.assign(new Error('gone'), { code: 'ECONNREFUSED' })
  service.context.insertSession = () => Promise.reject(gone)
  try {
    const keyed = await compatible.create(tea, { headers: { 'idempotency-key': 'unavailable' } })
    const keyless = await compatible.create(tea)
    for (const answer of [keyed, keyless]) {
      expect(fault(answer)).toBe('503 api_error store_unavailable - store_unavailable')
      expect(answer.headers.get('retry-after')).not.toBeNull()
    }
    expect(keyed.body.error.message).toContain('with the same idempotency key')
    expect(keyless.body.error.message).toContain('See whether the request was done')
  } finally {
    service.context.insertSession = insertSession
  }
})

test('the gateway’s limit', async () => {
  const limited = await startService({ gateway_limit: 2 })
  try {
    const here = openCompatible(limited.client, limited.account)
    await here.create()
    await here.create()
    const answer = await here.create()
    expect(fault(answer)).toBe('429 api_error rate_limit - rate_limit_exceeded')
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(answer.headers.get('request-id')).toMatch(/^req_/)
    const lost = () => limited.client.send('GET', '/v1/customers', { headers: here.bearer })
    expect(fault(await lost())).toBe('429 api_error rate_limit - rate_limit_exceeded')
  } finally {
    await limited.close()
  }
})
