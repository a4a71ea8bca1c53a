// Every code of the catalogue, each produced once: a code that nothing can produce has no place there.

import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { catalogue, type RefusalCode } from '../../src/kernel/errors.ts'
import { changeMerchant, withdrawKey } from '../../src/merchants/manage.ts'
import { type Answer, cardOf, purchase, refusal, visa } from '../support/client.ts'
import { hold } from '../support/holding.ts'
import { type AccountOptions, drivenClock, driving, shop } from '../support/service.ts'
import { useService } from '../support/use-service.ts'

const clock = drivenClock()
const service = await useService({ clock })
const { client } = service

const createAs = async (asked: AccountOptions) => (await service.newAccount(asked)).client.create()
const fromPage = (more: object, origin = shop) =>
  client.createFrom(origin, { public_key: service.account.publishable_key, ...purchase, ...more })
const live = { live: true, live_enabled: true }
const opened = async (number = visa) => {
  const session = await client.open()
  const other = await client.reference(session)
  await client.present(session, number)
  return { session, other }
}
const confirmed = async (number: string) => {
  const { session, other } = await opened(number)
  await driving(clock, client.confirm(session))
  return client.authenticate(session, other)
}

const produced: Partial<Record<RefusalCode, () => Promise<Answer>>> = {
  unauthorized: () => client.send('GET', '/v1/payments/x'),
  key_revoked: async () => {
    const account = await service.newAccount()
    await withdrawKey(service.operator, account.key_id)
    return account.client.create()
  },
  public_key_missing: () => createAs({ key: { pair: false } }),
  permission_denied: () => createAs({ key: { permissions: [] } }),
  handle_not_found: () => client.send('GET', '/v1/checkout/handles/nobody'),
  origin_not_allowed: () => fromPage({}, 'https://evil.example'),
  idempotency_key_missing: () => client.create(purchase, ''),
  idempotency_key_reused: async () => {
    await client.create(purchase, 'reused')
    return client.create({ ...purchase, amount: 1 }, 'reused')
  },
  merchant_not_active: async () => {
    const account = await service.newAccount()
    await changeMerchant(service.operator, account.merchant_id, { status: 'suspended' })
    return account.client.create()
  },
  resource_not_found: () => client.readPayment('pay_x'),
  card_data_rejected: () => client.create({ ...purchase, order_reference: visa }),
  metadata_too_large: () => client.create({ ...purchase, metadata: { a: 'x'.repeat(8192) } }),
  invalid_request: () => client.create({}),
  customer_email_required: async () => {
    const session = await client.open({ ...purchase, customer: null })
    await client.present(session)
    return client.confirm(session)
  },
  currency_required: () => fromPage({ currency: null }),
  amount_unverified: async () => {
    const integration = { require_verified_amount: true }
    const { publishable_key } = await service.newAccount({ integration })
    return fromPage({ public_key: publishable_key })
  },
  key_live_only: () => createAs({ key: { mode: 'live_only' } }),
  acquiring_profile_incomplete: () => createAs({ merchant: live }),
  rate_limit_exceeded: async () => {
    const session = await client.open()
    for (let count = 0; count < 10; count++) await client.reference(session)
    return client.referenceCard(session, cardOf(visa))
  },
  session_completed: () => confirmed(visa),
  session_processing: () => confirmed('4100000000000001'),
  attempts_exhausted: async () => {
    const { session } = await opened()
    for (const _ of [2, 3]) await client.present(session)
    return client.present(session)
  },
  session_declined: () => confirmed('4000000000004954'),
  session_expired: async () => {
    const { session } = await opened()
    await clock.advance(1_800_000)
    return client.referenceCard(session, cardOf(visa))
  },
  authentication_incomplete: async () => client.confirm(await client.open()),
  hold_already_decided: async () => {
    const { payment_id } = await hold(service.account)
    await client.decideHold('void', payment_id)
    return client.decideHold('capture', payment_id)
  },
  operation_refused: async () => {
    const { payment_id } = await hold(service.account, '4000009190520000')
    return client.decideHold('capture', payment_id)
  },
  payment_not_refundable: async () => {
    const { payment_id } = await hold(service.account)
    return client.refund(payment_id)
  },
  payment_disputed: async () => {
    const { body } = await client.pay()
    await service.sql`update payments set dispute = 'standing' where payment_id = ${body.payment_id}`
    return client.refund(body.payment_id)
  },
  refund_exceeds_captured: async () => {
    const { body } = await client.pay()
    return client.refund(body.payment_id, { amount: 4201 })
  },
  three_ds_provider_unavailable: async () => client.present(await client.open(), '4000009900040000'),
  internal_error: async () => {
    const { id } = await client.open()
    await service.sql`update sessions set items = '7' where session_id = ${id}`
    return client.readSession(id)
  },
}

const codes = Object.keys(catalogue) as RefusalCode[]

// Where it takes a database that stops, or the code is one of webhook routes, whose bodies have shapes of their own, or
// of the dashboard.
const elsewhere = readdirSync(import.meta.dirname)
  .filter((name) => name.startsWith('webhook-'))
  .map((name) => resolve(import.meta.dirname, name))
  .concat(resolve(import.meta.dirname, '../database/store-loss.test.ts'))
  .concat(
    ['../users', '../dashboard'].flatMap((room) =>
      readdirSync(resolve(import.meta.dirname, room)).map((name) => resolve(import.meta.dirname, room, name)),
    ),
  )
  .map((file) => readFileSync(file, 'utf8'))

test('no code is left out', () => {
  const isProduced = (code: RefusalCode) =>
    produced[code] || elsewhere.some((text) => new RegExp(`\\b${code}\\b`).test(text))
  expect(codes.filter((code) => !isProduced(code))).toEqual([])
})

test.each(Object.keys(produced) as RefusalCode[])('%s', async (code) => {
  const answer = await produced[code]!()
  expect(refusal(answer)).toBe(`${catalogue[code].status} ${code}`)
  if (code !== 'internal_error') expect(answer.body.message).toMatch(/^.{10,200}\.$/)
})

test('a refusal has its members and no others, for every caller', async () => {
  const headers = { 'user-agent': 'Stripe/v1 NodeBindings/23.1.0', 'x-service-api-key': 'x' }
  const answer = await client.send('POST', '/v1/checkout/sessions', { headers, body: {} })
  expect(refusal(answer)).toBe('401 unauthorized')
  expect(Object.keys(answer.body)).toEqual(['error', 'message', 'request_id'])
})

describe('a header says what is at fault', () => {
  const withMember = (member: object) => ({ amount: 4200, currency: 'GBP', ...member })
  test.each<[string, string, object | undefined, string | null]>([
    ['a member', 'POST /v1/checkout/sessions', { currency: 'GBP' }, 'amount'],
    [
      'one inside',
      'POST /v1/checkout/sessions',
      withMember({ items: [{ quantity: 1, colour: 1 }] }),
      'items[0].colour',
    ],
    ['a name that no header can have', 'POST /v1/checkout/sessions', withMember({ 'a\r\nb': 1 }), null],
    ['a name of other letters', 'POST /v1/checkout/sessions', withMember({ é: 1 }), null],
    ['a parameter', 'GET /v1/payments?limit=0', undefined, 'limit'],
    ['a webhook route’s member', 'POST /v1/webhooks/endpoints', { url: 'http://shop.example' }, 'url'],
    ['nothing in particular', `GET /v1/payments/pay_${'0'.repeat(24)}`, undefined, null],
  ])('%s', async (_, line, body, field) => {
    const [method, path] = line.split(' ') as [string, string]
    const headers = { ...client.withKey, ...(body && { 'rip-idempotency-key': `field ${line} ${field}` }) }
    const answer = await client.send(method, path, { headers, body })
    expect(answer.status).toBe(line.includes('pay_0') ? 404 : 400)
    expect(answer.headers.get('rip-error-field')).toBe(field)
  })
})
