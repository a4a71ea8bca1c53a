// How long first answers are kept: those of servers for 30 days, those of pages, whom anybody can be, for one.

import { expect, test } from 'vitest'
import { purgeKeys } from '../../src/http/idempotency.ts'
import { openClient, purchase } from '../support/client.ts'
import { drivenClock, newKey, shop } from '../support/service.ts'
import { useService } from '../support/use-service.ts'

const clock = drivenClock()
const service = await useService({ clock })
const account = await service.newAccount({
  integration: { is_hosted_page: true, handle: 'tea-shop', allowed_origins: [shop] },
})
const { client, publishable_key } = account
const { secret_key } = await newKey(service.operator, account.merchant_id, { mode: 'test_only' })
const tests = openClient({ base_url: service.base_url, secret_key })
const day_ms = 24 * 3600 * 1000

const body = { amount: 4200, currency: 'GBP', customer: { email: 'ada@example.com' } }
test.each<[string, () => ReturnType<typeof client.create>, number]>([
  ['a server', () => client.create(purchase, crypto.randomUUID()), 30],
  ['a key for tests', () => tests.create(purchase, crypto.randomUUID()), 30],
  ['a page', () => client.createFrom(shop, { ...body, public_key: publishable_key }), 1],
  ['a hosted page', () => client.createFrom(shop, body, { handle: 'tea-shop' }), 1],
])('an answer of %s', async (_, create, days) => {
  await purgeKeys(service.sql, new Date(clock.now().getTime() + 31 * day_ms))
  const answer = await create()
  expect(answer.status, answer.text).toBe(201)
  const end_ms = clock.now().getTime() + days * day_ms
  expect(await purgeKeys(service.sql, new Date(end_ms))).toBe(0)
  expect(await purgeKeys(service.sql, new Date(end_ms + 1))).toBe(1)
})
