// Which of its faults a request is told: the order that docs/errors.md gives. Each row has the faults of all rows below it.

import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { changeMerchant } from '../../src/merchants/manage.ts'
import { purchase, refusal, type SessionSecret, visa } from '../support/client.ts'
import { type Account, drivenClock, until } from '../support/service.ts'
import { useService } from '../support/use-service.ts'

const clock = drivenClock()
const first_key = randomUUID()
const service = await useService({ clock })
let suspended: Account
let live_only: Account
let session: SessionSecret

beforeAll(async () => {
  live_only = await service.newAccount({ key: { mode: 'live_only' } })
  suspended = await service.newAccount()
  const { client } = suspended
  session = (await client.create(purchase, first_key)).body
  await changeMerchant(service.operator, suspended.merchant_id, { status: 'suspended' })
  await until(
    () => client.readSession(session.id),
    ({ status }) => status === 403,
  )
})

const unsound = { ...purchase, amount: 0 }
const too_large = { ...unsound, metadata: { a: 'x'.repeat(8192) } }
const with_card = { ...too_large, order_reference: visa }

describe('a create by a server', () => {
  test.each<[string, () => Account | null, string | null, object]>([
    ['401 unauthorized', () => null, null, with_card],
    ['400 idempotency_key_missing', () => suspended, null, with_card],
    ['403 merchant_not_active', () => suspended, 'new', with_card],
    ['400 card_data_rejected', () => live_only, 'new', with_card],
    ['400 metadata_too_large', () => live_only, 'new', too_large],
    ['400 invalid_request', () => live_only, 'new', unsound],
    ['403 key_live_only', () => live_only, 'new', purchase],
  ])('%s', async (expected, account, key, body) => {
    const headers = {
      ...account()?.client.withKey,
      ...(key !== null && { 'rip-idempotency-key': randomUUID() }),
    }
    const answer = await service.client.send('POST', '/v1/checkout/sessions', { headers, body })
    expect(refusal(answer)).toBe(expected)
  })

  test('what has an answer already gets it', async () => {
    const { status, headers, body } = await suspended.client.create(purchase, first_key)
    expect([status, headers.get('rip-idempotent-replayed'), body.id]).toEqual([201, 'true', session.id])
  })
})

test('with a client secret the body comes before the account, and the account before the session', async () => {
  const { client } = service
  const open = await client.open()
  await clock.advance(1_800_000)
  const reference = `card_${'0'.repeat(24)}`
  expect(refusal(await client.authenticate({ ...session, client_secret: 'x' }, 1))).toBe('401 unauthorized')
  expect(refusal(await client.authenticate(session, 1))).toBe('400 invalid_request')
  expect(refusal(await client.authenticate(session, reference))).toBe('403 merchant_not_active')
  expect(refusal(await client.authenticate(open, reference))).toBe('409 session_expired')
})
