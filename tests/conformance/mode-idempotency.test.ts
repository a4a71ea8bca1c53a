// Idempotency keys of keys that are bound to a mode: a test never claims a live server's, and no replay shows the other mode.

import { expect, test } from 'vitest'
import { changeMerchant } from '../../src/merchants/manage.ts'
import { liveMerchant } from '../support/both-modes.ts'
import { type Client, openClient, purchase, refusal } from '../support/client.ts'
import { hold } from '../support/holding.ts'
import { newKey, until } from '../support/service.ts'
import { useService } from '../support/use-service.ts'

const master_key = Buffer.alloc(32, 7)
const service = await useService({ master_key })
const account = await service.newAccount({ merchant: liveMerchant })
const { merchant_id } = account

async function clientOf(mode: 'any' | 'test_only' | 'live_only', base_url = service.base_url) {
  const { secret_key } = await newKey(service.operator, merchant_id, { mode })
  return openClient({ base_url, secret_key })
}
const any = account.client
const testOnly = await clientOf('test_only')
const liveOnly = await clientOf('live_only')

/** Says of which mode sessions are that the key of both creates. */
async function turn(mode: 'test' | 'live'): Promise<void> {
  await changeMerchant(service.operator, merchant_id, { live_enabled: mode === 'live' })
  await until(
    () => any.create(),
    ({ body }) => body.mode === mode,
  )
}

type Create = (client: Client, key: string) => ReturnType<Client['create']>
const native: Create = (client, key) => client.create(purchase, key)
const compatible: Create = (client, key) =>
  client.send('POST', '/v1/payment_intents', {
    headers: { authorization: `Bearer ${client.secret_key}`, 'idempotency-key': key },
    body: { amount: 4200, currency: 'gbp' },
  })
const creates: [string, Create][] = [
  ['natively', native],
  ['compatibly', compatible],
]
const is_live = ({ mode, livemode }: { mode?: string; livemode?: boolean }) => livemode ?? mode === 'live'

const orders: [string, Client, Client][] = [
  ['the live server after a test', testOnly, any],
  ['a test after the live server', any, testOnly],
  ['a server for live alone after a test', testOnly, liveOnly],
  ['a test after a server for live alone', liveOnly, testOnly],
]

const rows = creates.flatMap(([how, create]) => orders.map(([who, first, then]) => ({ how, who, create, first, then })))
test.each(rows)('$who, $how: each gets a session of its own', async ({ create, first, then }) => {
  const key = crypto.randomUUID()
  const [one, other] = [await create(first, key), await create(then, key)]
  expect([one.status, other.status].every((status) => status < 300)).toBe(true)
  expect(other.body.id).not.toBe(one.body.id)
  expect(other.body.client_secret).not.toBe(one.body.client_secret)
  expect([is_live(one.body), is_live(other.body)]).toEqual([first !== testOnly, then !== testOnly])
  for (const [client, answer] of [[first, one] as const, [then, other] as const]) {
    const again = await create(client, key)
    expect([again.text, again.headers.get('rip-idempotent-replayed')]).toEqual([answer.text, 'true'])
  }
})

test.each(creates)('a key for live alone gets no first answer about a test, %s', async (_, create) => {
  const key = crypto.randomUUID()
  await turn('test')
  const first = await create(any, key)
  await turn('live')
  expect(is_live(first.body)).toBe(false)
  const answer = await create(liveOnly, key)
  expect(refusal(answer)).toBe('409 idempotency_key_reused')
  expect(answer.text).not.toContain(first.body.id)
  expect((await create(any, key)).text).toBe(first.text)
})

/** Its first capture is refused. */
const capture_refused = '4000009190520000'

test('a refused decision frees the key of whoever asked, and nobody else’s', async () => {
  const place = await service.newAccount()
  const { secret_key } = await newKey(service.operator, place.merchant_id, { mode: 'test_only' })
  const forTests = openClient({ base_url: service.base_url, secret_key })
  const [first, other] = [await hold(place, capture_refused), await hold(place, capture_refused)]
  const key = crypto.randomUUID()
  // Of a decision that a server has under way.
  await service.sql`
    insert into idempotency_keys (merchant_id, audience, key, route, fingerprint, status, answer, created_at)
    values (${place.merchant_id}, 'secret', ${key}, 'POST /v1/x', '', 0, null, ${new Date()})`
  const audiences = async () => {
    const rows = await service.sql<{ audience: string }[]>`
      select audience from idempotency_keys where merchant_id = ${place.merchant_id} and key = ${key}`
    return rows.map(({ audience }) => audience)
  }
  expect(refusal(await forTests.decideHold('capture', first.payment_id, key))).toBe('409 operation_refused')
  expect(await audiences()).toEqual(['secret'])
  expect((await forTests.decideHold('capture', first.payment_id, key)).status).toBe(200)
  expect((await audiences()).sort()).toEqual(['secret', 'test'])
  const server_key = crypto.randomUUID()
  const refused = await place.client.decideHold('capture', other.payment_id, server_key)
  expect(refusal(refused)).toBe('409 operation_refused')
  expect((await place.client.decideHold('capture', other.payment_id, server_key)).status).toBe(200)
})
