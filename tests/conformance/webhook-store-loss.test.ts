// Webhook routes while the database goes away: nothing is done twice, and the same key may be sent again.

import { afterAll, beforeAll, expect, inject } from 'vitest'
import { type BehindProxy, startBehindProxy } from '../support/behind-proxy.ts'
import { type Answer, bytes, refusal } from '../support/client.ts'
import { lockWaits } from '../support/lock-waits.ts'
import { onOneServer } from '../support/one-server.ts'
import { drivenClock, until } from '../support/service.ts'
import { deadLetter } from './webhook-delivery-rows.ts'

let database: BehindProxy['database']
let proxy: BehindProxy['proxy']
let service: BehindProxy['service']
let client: BehindProxy['client']
let close: BehindProxy['close'] | undefined
beforeAll(async () => {
  if (inject('database').nodes.length > 0) return
  const stage = await startBehindProxy({ clock: drivenClock(), lock_limit: 'none' })
  ;({ database, proxy, service, client, close } = stage)
})
afterAll(() => close?.())

const url = 'https://shop.example/hooks'
const unavailable = {
  error: 'idempotency_store_unavailable',
  message: expect.stringContaining('same idempotency key'),
}

onOneServer('the answer of a create is lost after its COMMIT: one endpoint', async () => {
  proxy.loseNextAnswer('lost create')
  const first = await client.createEndpoint({ url }, 'lost create')
  expect(first.status).toBe(201)
  expect(proxy.lost()).toBe(1)
  expect((await client.createEndpoint({ url }, 'lost create')).text).toBe(first.text)
  expect((await client.listEndpoints()).body.endpoints).toHaveLength(1)
})

onOneServer('the backend of a delete is ended while it waits: deleted nevertheless, and once', async () => {
  const { body } = await client.createEndpoint({ url })
  const admin = await database.open()
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const { promise: locked, resolve: lock } = Promise.withResolvers<void>()
  const holding = admin.sql.begin(async (tx) => {
    await tx`select 1 from webhook_endpoints where endpoint_id = ${body.id} for update`
    lock()
    await released
  })
  await locked
  const deleting = client.deleteEndpoint(body.id, 'ended delete')
  const [waiting] = await until(
    () => lockWaits(admin.sql),
    (rows) => rows.length === 1,
  )
  await admin.sql`select pg_terminate_backend(${waiting!.pid})`
  release()
  await holding
  const first = await deleting
  const again = await client.deleteEndpoint(body.id, 'ended delete')
  expect([first.status, again.status]).toEqual([204, 204])
  expect(again.headers.get('rip-idempotent-replayed')).toBe('true')
  expect(refusal(await client.deleteEndpoint(body.id))).toBe('404 endpoint_not_found')
  await admin.close()
})

onOneServer('the answer of a replay is lost after its COMMIT: one replay', async () => {
  const { delivery_id } = await deadLetter(service)
  proxy.loseNextAnswer('lost replay')
  const first = await client.replayDelivery(delivery_id, 'lost replay')
  expect(first.status).toBe(202)
  expect(bytes(await client.replayDelivery(delivery_id, 'lost replay'))).toBe(bytes(first))
  const replays = await service.sql`select 1 from webhook_queue where replay_of = ${delivery_id}`
  expect(replays).toHaveLength(1)
})

onOneServer('it stops and comes back', async () => {
  const { delivery_id } = await deadLetter(service)
  const { body: made } = await client.createEndpoint({ url })
  proxy.stop()
  const keyed: [string, (key: string) => Promise<Answer>][] = [
    ['create', (key) => client.createEndpoint({ url }, key)],
    ['delete', (key) => client.deleteEndpoint(made.id, key)],
    ['replay', (key) => client.replayDelivery(delivery_id, key)],
  ]
  for (const [name, send] of keyed) {
    const answer = await send(`stopped ${name}`)
    expect([name, answer.status, answer.body]).toEqual([name, 503, unavailable])
    expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
  }
  const plain: [Answer, object][] = [
    [await client.createEndpoint({ url }), { message: expect.any(String), allowed: null }],
    [await client.listEndpoints(), { message: expect.any(String), allowed: null }],
    [await client.listDeliveries(), { message: expect.any(String) }],
    [await client.replayDelivery(delivery_id), {}],
  ]
  for (const [answer, more] of plain) {
    expect([answer.status, answer.body]).toEqual([503, { error: 'store_unavailable', ...more }])
    expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
  }
  expect(plain[0]![0].body.message).toContain('See whether the request was done')
  expect(plain[1]![0].body.message).toBe('The database could not be reached. Send the request again.')
  const withKey = await client.create(undefined, 'stopped')
  expect(withKey.body.message).toContain('same idempotency key')
  proxy.start()
  for (const [name, send] of keyed) {
    const answer = await send(`stopped ${name}`)
    expect([name, answer.status < 300]).toEqual([name, true])
    expect(answer.headers.get('rip-idempotent-replayed')).toBe('false')
  }
})
