// The rate limits of webhook routes: so many requests of a kind a minute and account, told with every answer.

import { beforeEach, expect, test } from 'vitest'
import { type Answer, openClient, refusal } from '../support/client.ts'
import { type Account, drivenClock, newKey, startService } from '../support/service.ts'
import { useService } from '../support/use-service.ts'

const clock = drivenClock()
const master_key = Buffer.alloc(32, 7)
const service = await useService({ clock, master_key })
let account: Account
beforeEach(async () => {
  // 20 s into a minute that nobody has used.
  const into_ms = clock.now().getTime() % 60_000
  await clock.advance(60_000 - into_ms + 20_000)
  account = await service.newAccount()
})

const url = 'https://shop.example/hooks'
const unknown = '0'.repeat(32)

/** Limit, what remains, and the seconds until the minute ends. */
function standing({ headers }: Answer) {
  const number = (name: string) => {
    const text = headers.get(name)
    return text === null ? null : Number(text)
  }
  const resets_at = number('x-ratelimit-reset')
  const ends_in = resets_at && resets_at - Math.floor(clock.now().getTime() / 1000)
  return [number('x-ratelimit-limit'), number('x-ratelimit-remaining'), ends_in]
}

/** As if so many requests of a kind had been sent in this minute. */
const spend = (kind: string, used: number, of = account) =>
  service.sql`
    insert into webhook_rate_limits (merchant_id, kind, minute, used)
    values (${of.merchant_id}, ${kind}, ${new Date(Math.floor(clock.now().getTime() / 60_000) * 60_000)}, ${used})
    on conflict (merchant_id, kind) do update set minute = excluded.minute, used = excluded.used`

const kinds: [string, number, (client: Account['client']) => Promise<Answer>][] = [
  ['read', 500, (client) => client.listEndpoints()],
  ['read', 500, (client) => client.listDeliveries()],
  ['write', 100, (client) => client.createEndpoint({ url })],
  ['write', 100, (client) => client.deleteEndpoint('whep_x')],
  ['replay', 10, (client) => client.replayDelivery(unknown)],
]

test.each(kinds)('%s: %i a minute', async (kind, limit, send) => {
  expect(standing(await send(account.client))).toEqual([limit, limit - 1, 40])
  await spend(kind, limit - 2)
  expect(standing(await send(account.client))).toEqual([limit, 1, 40])
  const last = await send(account.client)
  expect([last.status === 429, standing(last)]).toEqual([false, [limit, 0, 40]])
  const over = await send(account.client)
  expect([over.status, over.body]).toEqual([
    429,
    { error: 'rate_limit_exceeded', message: expect.stringContaining('40 seconds') },
  ])
  expect(standing(over)).toEqual([limit, 0, 40])
  expect(over.headers.get('retry-after')).toBe('40')
})

test('the 101st create is refused, and the next minute takes it', async () => {
  const { client } = account
  const { body: kept } = await client.createEndpoint({ url })
  for (let count = 2; count <= 100; count++) {
    // Refused ones and deletes count as well.
    const answer = await (count % 2 ? client.createEndpoint({}) : client.deleteEndpoint('whep_x'))
    expect(standing(answer)[1]).toBe(100 - count)
  }
  const over = await client.createEndpoint({ url })
  expect(refusal(over)).toBe('429 rate_limit_exceeded')
  expect(refusal(await client.deleteEndpoint(kept.id))).toBe('429 rate_limit_exceeded')
  expect((await client.listEndpoints()).body.endpoints).toHaveLength(1)
  expect((await service.newAccount()).client).toBeDefined()
  await clock.advance(39_999)
  expect((await client.createEndpoint({ url })).headers.get('retry-after')).toBe('1')
  await clock.advance(1)
  const next = await client.createEndpoint({ url })
  expect([next.status, standing(next)]).toEqual([201, [100, 99, 60]])
})

test('another account, another kind and checkout routes are not touched; another key of the account is', async () => {
  await spend('write', 100)
  const { client } = account
  expect((await client.createEndpoint({ url })).status).toBe(429)
  expect((await service.account.client.createEndpoint({ url })).status).toBe(201)
  expect((await client.listEndpoints()).status).toBe(200)
  const read = await client.readSession('cs_x')
  expect([refusal(read), standing(read)]).toEqual(['404 resource_not_found', [null, null, null]])
  const { secret_key } = await newKey(service.operator, account.merchant_id)
  const second = openClient({ base_url: service.base_url, secret_key })
  expect((await second.createEndpoint({ url })).status).toBe(429)
})

test('over the limit nothing else is judged: neither key, body nor id, and no replay is given', async () => {
  const { client } = account
  const first = await client.createEndpoint({ url }, 'kept')
  await spend('write', 100)
  await spend('replay', 10)
  const answers = [
    await client.createEndpoint({ url }, 'kept'),
    await client.createEndpoint({ url: 'x', y: 1 }, ''),
    await client.deleteEndpoint('%00'),
    await client.replayDelivery('x'),
  ]
  expect(new Set(answers.map(refusal))).toEqual(new Set(['429 rate_limit_exceeded']))
  await clock.advance(60_000)
  expect((await client.createEndpoint({ url }, 'kept')).text).toBe(first.text)
})

test('every refusal after the key names the limit', async () => {
  const { client } = account
  const answers = [
    await client.createEndpoint({}),
    await client.createEndpoint({ url }, ''),
    await client.deleteEndpoint('whep_x'),
    await client.deleteEndpoint('%00'),
  ]
  expect(answers.map((answer) => standing(answer)[1])).toEqual([99, 98, 97, 96])
  expect(standing(await client.replayDelivery(unknown))).toEqual([10, 9, 40])
  expect(standing(await client.listDeliveries('limit=0'))).toEqual([500, 499, 40])
})

test('a key that is refused counts for nothing', async () => {
  const without = await newKey(service.operator, account.merchant_id, { permissions: [] })
  const client = openClient({ base_url: service.base_url, secret_key: without.secret_key })
  expect(standing(await client.createEndpoint({ url }))).toEqual([null, null, null])
  expect(standing(await account.client.createEndpoint({ url }))[1]).toBe(99)
})

test('a hundred at once are counted one by one', async () => {
  await spend('read', 450)
  const answers = await Promise.all(Array.from({ length: 100 }, () => account.client.listEndpoints()))
  const statuses = answers.map(({ status }) => status)
  expect(statuses.filter((status) => status === 200)).toHaveLength(50)
  expect(statuses.filter((status) => status === 429)).toHaveLength(50)
})

test('processes share a limit, and one whose clock is ahead does not let the others begin anew', async () => {
  const ahead = drivenClock()
  await ahead.advance(clock.now().getTime() - ahead.now().getTime() + 45_000)
  const other = await startService({ clock: ahead, master_key, database: service.database })
  const there = openClient({ base_url: other.base_url, secret_key: account.secret_key })
  await spend('write', 98)
  expect(standing(await account.client.deleteEndpoint('whep_x'))[1]).toBe(1)
  // There the next minute has begun, and from now on it is the minute of both.
  expect((await there.deleteEndpoint('whep_x')).headers.get('x-ratelimit-remaining')).toBe('99')
  expect(standing(await account.client.deleteEndpoint('whep_x'))).toEqual([100, 98, 100])
  await other.close()
})

test('a clock that was set back is no reason to wait for years', async () => {
  await service.sql`
    insert into webhook_rate_limits (merchant_id, kind, minute, used)
    values (${account.merchant_id}, 'write', '2035-01-01T00:00:00Z', 100)`
  expect(standing(await account.client.deleteEndpoint('whep_x'))).toEqual([100, 99, 40])
})
