// What the dashboard shows of deliveries beyond the API: what each is about, why none arrived, what became of a replay, and its body.

import { afterAll, expect, test } from 'vitest'
import { purchase } from '../support/client.ts'
import { newMember, refusalIn } from '../support/person.ts'
import { loopback, until } from '../support/service.ts'
import { useService } from '../support/use-service.ts'
import { openWebhookReceiver } from '../support/webhook-receiver.ts'

const service = await useService({ allowed_networks: loopback, deliver: { schedule: [] } })
const receiver = await openWebhookReceiver()
afterAll(() => receiver.close())
const { account, client } = service
const at = `/${account.merchant_id}/webhooks`
const owner = await newMember(service, { role: 'owner' })
const endpoint = (await client.createEndpoint({ url: receiver.url })).body
const order = { ...purchase, order_reference: 'W-1' }

const rows = async () => (await owner.get(`${at}/deliveries`)).body.data
/** By the endpoint, by the overview, and by the list that the overview leads to. */
const givenUp = async () => [
  (await owner.get(`${at}/endpoints`)).body.endpoints[0].given_up,
  (await owner.get(`/${account.merchant_id}/overview?mode=test&zone=UTC`)).body.waits.given_up,
  (await owner.get(`${at}/deliveries?standing=given_up`)).body.data.length,
]
/** Waits until so many deliveries have ended, replays among them, without asking the service more often than it lets anybody. */
const awaitEnds = (count: number) =>
  until(
    () => service.sql`select from webhook_deliveries where settled_at is not null`,
    (ended) => ended.length >= count,
  )

test('a delivery says its payment and order, and its body is what was sent', async () => {
  const { body: paid } = await client.pay(undefined, order)
  await awaitEnds(1)
  const [row] = await rows()
  expect(row).toMatchObject({
    failure: null,
    replay: null,
    about: { payment_id: paid.payment_id, order_reference: 'W-1', amount: 4200, currency: 'GBP' },
  })
  const { body } = await owner.get(`${at}/deliveries/${row.delivery_id}`)
  expect(body).toMatchObject({ body: receiver.received.at(-1)!.body, is_cut: false })
  const foreign = await owner.get(`${at}/deliveries/${'0'.repeat(32)}`)
  expect(refusalIn(foreign)).toBe('404 delivery_not_found')
})

test('what was given up counts as such until its replay has succeeded, and the row says so', async () => {
  receiver.treat(() => 500)
  await client.pay(undefined, order)
  await awaitEnds(2)
  expect(await givenUp()).toEqual([1, 1, 1])
  const [lost] = await rows()
  expect(lost).toMatchObject({ replay: null, replayable: true })
  const replay = () => owner.post(`${at}/deliveries/${lost.delivery_id}/replay`)
  const outcomeOf = async () =>
    (await rows()).find(
      (row: { delivery_id: string; status: string }) =>
        row.delivery_id === lost.delivery_id && row.status === 'dead_lettered',
    ).replay
  await replay()
  await awaitEnds(3)
  expect(await outcomeOf()).toMatchObject({ status: 'dead_lettered' })
  expect(await givenUp()).toEqual([1, 1, 1])
  receiver.treat(() => 200)
  await replay()
  await awaitEnds(4)
  expect(await outcomeOf()).toEqual({ status: 'succeeded', response_status_code: 200 })
  expect(await givenUp()).toEqual([0, 0, 0])
})

test('an endpoint that redirects says where to', async () => {
  receiver.treat((_, response) => {
    response.writeHead(308, { location: '/moved?token=secret' }).end()
    return undefined
  })
  await client.pay(undefined, order)
  await awaitEnds(5)
  const [row] = await rows()
  const target = new URL('/moved', endpoint.url).href
  expect([row.response_status_code, row.failure]).toEqual([308, `redirect ${target}`])
  const { body } = await client.listDeliveries()
  expect(body.data[0]).not.toHaveProperty('failure')
  receiver.treat(() => 200)
})

test('a body is for those who may read of shoppers', async () => {
  const [row] = await rows()
  const support = await newMember(service, { role: 'support' })
  const developer = await newMember(service, { role: 'developer' })
  const path = `${at}/deliveries/${row.delivery_id}`
  expect((await support.get(path)).status).toBe(200)
  const in_test_mode = await developer.get(path)
  expect(in_test_mode.status).toBe(200)
  await service.sql`
    update events set body = replace(body, '"mode":"test"', '"mode":"live"') where body like '%W-1%'`
  expect((await support.get(path)).status).toBe(200)
  expect(refusalIn(await developer.get(path))).toBe('403 permission_denied')
})

test('the timeline of a payment offers a replay only where there can be one', async () => {
  receiver.treat(() => 500)
  const { body: paid } = await client.pay(undefined, order)
  await awaitEnds(6)
  const life = `/${account.merchant_id}/payments/${paid.payment_id}/timeline`
  const offered = async () => {
    const [event] = (await owner.get(life)).body.events
    return event.deliveries.map(({ replayable }: { replayable: boolean }) => replayable)
  }
  expect(await offered()).toEqual([true])
  await service.sql`update webhook_deliveries set root_created_at = root_created_at - interval '31 days'`
  expect(await offered()).toEqual([false])
  await service.sql`update webhook_deliveries set root_created_at = root_created_at + interval '31 days'`
  expect(await offered()).toEqual([true])
  expect((await client.deleteEndpoint(endpoint.id)).status).toBe(204)
  expect(await offered()).toEqual([false])
})

test("a refund's delivery says the order of its payment", async () => {
  receiver.treat(() => 200)
  await client.createEndpoint({ url: receiver.url, extension_events: ['refund.succeeded'] })
  const { body: paid } = await client.pay(undefined, { ...order, order_reference: 'W-2' })
  await client.refund(paid.payment_id, { amount: 1000 })
  await until(
    () => service.sql`select from webhook_attempts where event_type = 'refund.succeeded'`,
    (attempts) => attempts.length === 1,
  )
  const [row] = (await owner.get(`${at}/deliveries?event_type=webhook.refund.succeeded`)).body.data
  expect(row.about).toEqual({
    payment_id: paid.payment_id,
    order_reference: 'W-2',
    amount: 1000,
    currency: 'GBP',
  })
})

test('of an endpoint in the words of Stripe the body is what was sent, of an event about a session as well', async () => {
  const other = await openWebhookReceiver()
  const { body: told } = await client.createEndpoint({ url: other.url, event_format: 'stripe' })
  const fraud = '4100000000000019'
  const { body: paid } = await client.pay(fraud, order)
  const came = await other.has(2).finally(() => other.close())
  const own = async () => {
    const all = (await rows()) as { endpoint_url: string; event_type: string; delivery_id: string; about: object }[]
    return all.filter(({ endpoint_url }) => endpoint_url === told.url)
  }
  const deliveries = await until(own, ({ length }) => length === 2)
  const about = { payment_id: paid.payment_id, order_reference: 'W-1', amount: 4200, currency: 'GBP' }
  expect(deliveries.map((row) => [row.event_type, row.about]).toSorted()).toEqual([
    ['webhook.payment.declined', about],
    ['webhook.payment_intent.canceled', about],
  ])
  const bodies = await Promise.all(
    deliveries.map(async ({ delivery_id }) => (await owner.get(`${at}/deliveries/${delivery_id}`)).body.body),
  )
  expect(bodies.toSorted()).toEqual(came.map(({ body }) => body).toSorted())
})
