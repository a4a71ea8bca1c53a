// Refunds in the other platform's words: two dialects at one path, both encodings, and what is refused.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Json, refusal } from '../support/client.ts'
import { fault, formOf, formType, openCompatible } from '../support/compatible.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let compatible: ReturnType<typeof openCompatible>
beforeAll(async () => {
  service = await startService()
  compatible = openCompatible(service.client, service.account)
})
afterAll(() => service.close())

const described = '/v1/compat/partner/refunds'
const addresses = [
  ...[described, '/v1/refunds', '/v1/compat/stripe/refunds'],
  ...['/v1/compat/partner/v1/refunds', '/v1/compat/stripe/v1/refunds'],
]

async function paid() {
  const { session_id, payment_id } = (await service.client.pay()).body
  return { session_id: session_id as string, payment_id: payment_id as string }
}

const send = (at: string, sent: object, headers: object = {}) =>
  service.client.send('POST', at, { headers: { ...compatible.bearer, ...headers }, ...sent })

/** What a path answers to these headers; the API's description has one of its two shapes alone. */
async function read(path: string, headers: Record<string, string>) {
  const answer = await fetch(service.base_url + path, { headers })
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Json }
}

test.each(addresses)('%s takes JSON and forms', async (at) => {
  const { session_id, payment_id } = await paid()
  const json = await send(at, { body: { payment_intent: session_id, amount: 100 } })
  expect([json.status, json.body]).toMatchObject([200, { object: 'refund', amount: 100 }])
  const form = formOf({ payment_intent: session_id, amount: '200', reason: 'duplicate', 'metadata[a]': 'b' })
  const answer = await send(at, { raw: form }, formType)
  expect(answer.body).toMatchObject({ amount: 200, reason: 'duplicate', metadata: { a: 'b' } })
  const { refunds } = (await service.client.listRefunds(payment_id)).body
  expect(refunds.map(({ amount }: { amount: number }) => amount)).toEqual([200, 100])
  const again = await read(`${at}/${answer.body.id}`, compatible.bearer)
  expect(again.body).toEqual(answer.body)
})

test('what there is nothing for is null in a refund and in its charge', async () => {
  const { session_id } = await paid()
  const { body } = await send('/v1/refunds', { body: { payment_intent: session_id } })
  expect(body).toMatchObject({ customer: null, customer_account: null, payment_method: null })
  expect((await read(`/v1/charges/${body.charge}`, compatible.bearer)).body).toMatchObject({ refunds: null })
})

test('at one path the credentials decide which words the answer has', async () => {
  const { session_id, payment_id } = await paid()
  const { body: refund } = await service.client.refund(payment_id, { reason: 'in our own words' })
  const path = `/v1/refunds/${refund.id}`
  const native = await read(path, service.client.withKey)
  expect(native.body).toEqual(refund)
  expect(native.headers.get('service-compat-version')).toBeNull()
  const foreign = await read(path, compatible.bearer)
  expect(foreign.headers.get('service-compat-version')).toBe('2026-09-01')
  expect(foreign.body).toMatchObject({
    id: refund.id,
    object: 'refund',
    payment_intent: session_id,
    reason: null,
    ripper: { payment_id, reason: 'in our own words', failure: null },
  })
  const basic = Buffer.from(`${service.account.secret_key}:`).toString('base64')
  expect((await read(path, { authorization: `Basic ${basic}` })).body.object).toBe('refund')
  const withBoth = await read(path, { ...service.client.withKey, ...compatible.bearer })
  expect(withBoth.body).toEqual(refund)
  expect((await read(path, {})).body).toMatchObject({ error: 'unauthorized' })
  expect((await read(path, { authorization: 'Bearer wrong' })).body).toMatchObject({
    error: { type: 'authentication_error', ripper_code: 'unauthorized' },
  })
  const head = await fetch(service.base_url + path, { method: 'HEAD', headers: compatible.bearer })
  expect([head.status, head.headers.get('service-compat-version')]).toEqual([200, '2026-09-01'])
})

test('another method at that path is refused in the caller’s words', async () => {
  const put = async (headers: Record<string, string>) => {
    const answer = await fetch(`${service.base_url}/v1/refunds/ref_x`, { method: 'PUT', headers })
    return { status: answer.status, allow: answer.headers.get('allow'), body: await answer.json() }
  }
  expect(await put(service.client.withKey)).toMatchObject({
    status: 405,
    allow: 'GET',
    body: { error: 'invalid_request' },
  })
  expect(await put(compatible.bearer)).toMatchObject({
    status: 404,
    allow: null,
    body: { error: { type: 'invalid_request_error' } },
  })
})

test('a refund that the issuer refuses is made, and has failed', async () => {
  const { session_id } = await paid()
  const { status, body } = await send(described, {
    body: { payment_intent: session_id, amount: 1013 },
  })
  expect([status, body.status, body.failure_reason]).toEqual([200, 'failed', 'declined'])
  expect(body.ripper.failure).toMatchObject({ code: 'refund_refused' })
  const pending = await send(described, { body: { payment_intent: session_id, amount: 1017 } })
  expect(pending.body.status).toBe('pending')
})

test('a retry under one key gets the same bytes, with or without one nothing else is shared', async () => {
  const { session_id, payment_id } = await paid()
  const key = { 'idempotency-key': `of ${session_id}` }
  const body = { payment_intent: session_id, amount: 100 }
  const first = await send(described, { body }, key)
  const again = await send('/v1/refunds', { body }, key)
  expect([again.status, again.text]).toEqual([first.status, first.text])
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  const other = await send(described, { body: { ...body, amount: 200 } }, key)
  expect(fault(other)).toContain('409 invalid_request_error idempotency_key_reused')
  const native = await service.client.refund(payment_id, { amount: 100 }, key['idempotency-key'])
  expect(refusal(native)).toBe('409 idempotency_key_reused')
  await send(described, { body })
  expect((await service.client.listRefunds(payment_id)).body.refunds).toHaveLength(2)
})

describe('refuses', () => {
  test.each<[string, object, string]>([
    ['no intent', {}, '400 invalid_request_error parameter_missing payment_intent'],
    ['an unknown one', { payment_intent: `cs_${'0'.repeat(24)}` }, '404 .* resource_missing payment_intent'],
    ['what is no id', { payment_intent: 'pi_1' }, '404 .* resource_missing payment_intent'],
    ['a charge as well', { payment_intent: 'x', charge: 'ch_1' }, '400 .* invalid_request charge'],
    ['an unknown charge', { charge: `ch_${'0'.repeat(24)}` }, '404 .* resource_missing charge'],
    ['what is no charge', { charge: `pay_${'0'.repeat(24)}` }, '404 .* resource_missing charge'],
    ['a charge that is no text', { charge: 1 }, '400 .* invalid_request charge'],
    ['an amount of 0', { payment_intent: 'x', amount: 0 }, '400 .* parameter_invalid_integer amount'],
    ['an amount of null', { payment_intent: 'x', amount: null }, '400 .* parameter_invalid_empty amount'],
    ['another reason', { payment_intent: 'x', reason: 'whim' }, '400 .* invalid_request reason'],
  ])('%s', async (_, body, expected) => {
    expect(fault(await send(described, { body }))).toMatch(new RegExp(`^${expected} `))
  })

  test('a key without the permission, and one that none has given', async () => {
    const account = await service.newAccount({ key: { permissions: ['create_payments'] } })
    const theirs = openCompatible(account.client, account)
    const answer = await service.client.send('POST', described, {
      headers: theirs.bearer,
      body: { payment_intent: 'x' },
    })
    expect(fault(answer)).toBe('403 permission_error permission_denied - permission_denied')
    const { status } = await service.client.send('POST', '/v1/refunds', { body: {} })
    expect(status).toBe(401)
  })

  test('a merchant’s own route without the permission', async () => {
    const { payment_id } = await paid()
    const account = await service.newAccount({
      key: { permissions: ['create_payments', 'read_transactions', 'decide_holds'] },
    })
    expect(refusal(await account.client.refund(payment_id))).toBe('403 permission_denied')
  })

  test.each([
    ['POST', `/v1/refunds/ref_${'0'.repeat(24)}`, 'neither changed nor cancelled'],
    ['POST', `/v1/refunds/ref_${'0'.repeat(24)}/cancel`, 'neither changed nor cancelled'],
  ])('%s %s, and says what to do instead', async (method, path, words) => {
    const headers = { ...compatible.bearer, ...formType }
    const answer = await fetch(service.base_url + path, { method, headers, ...(method === 'POST' && { body: 'a=1' }) })
    expect([404, 405]).toContain(answer.status)
    expect(((await answer.json()) as Json).error.message).toContain(words)
  })
})
