// "Send now" at the dashboard: a waiting delivery goes out at once, in spite of its schedule and of its endpoint's pause.

import { afterAll, expect, test } from 'vitest'
import { newMember, refusalIn } from '../support/person.ts'
import { loopback, until } from '../support/service.ts'
import { useService } from '../support/use-service.ts'
import { openWebhookReceiver } from '../support/webhook-receiver.ts'

const hour = 3_600
const service = await useService({ allowed_networks: loopback, deliver: { schedule: [hour, hour] } })
const receiver = await openWebhookReceiver()
afterAll(() => receiver.close())
const { account, client, sql } = service
const { merchant_id } = account
const at = `/${merchant_id}/webhooks`
const [support, viewer] = [await newMember(service, { role: 'support' }), await newMember(service, { role: 'viewer' })]
const { body: endpoint } = await client.createEndpoint({ url: receiver.url })
const rows = async () => (await support.get(`${at}/deliveries`)).body.data
const health = async () => (await support.get(`${at}/endpoints`)).body.endpoints[0]
const failed = () => until(rows, ([row]) => row?.status === 'failed')

test('one that failed is sent again now, and the list says what comes next', async () => {
  receiver.treat(() => 500)
  await client.pay()
  const [row] = await failed()
  const left_ms = new Date(row.waiting.next_attempt_at).getTime() - Date.now()
  expect([row.waiting.held_until, Math.round(left_ms / (hour * 1_000) - 0.1)]).toEqual([null, 1])
  const waiting = async () => (await support.get(`${at}/deliveries?standing=waiting`)).body.data
  expect(await waiting()).toMatchObject([{ delivery_id: row.delivery_id, succeeded_later: false }])
  // It waits since it was made, and not since it is due.
  expect(Date.parse((await health()).standing.oldest_at)).toBeLessThanOrEqual(Date.parse(row.occurred_at))
  receiver.treat(() => 200)
  expect(refusalIn(await viewer.post(`${at}/deliveries/${row.delivery_id}/send`))).toBe('403 permission_denied')
  const answer = await support.post(`${at}/deliveries/${row.delivery_id}/send`)
  expect([answer.status, answer.body]).toEqual([202, { delivery_id: row.delivery_id, is_due: true }])
  await receiver.has(2)
  const [newest, before] = await until(rows, ([{ status }]) => status === 'succeeded')
  expect(newest).toMatchObject({ delivery_id: row.delivery_id, attempt_number: 2, waiting: null })
  // It was tried since: nothing is next of that row.
  expect(before).toMatchObject({
    delivery_id: row.delivery_id,
    attempt_number: 1,
    waiting: null,
    succeeded_later: true,
  })
  expect([await waiting(), (await health()).standing.oldest_at]).toEqual([[], null])
  const again = await support.post(`${at}/deliveries/${row.delivery_id}/send`)
  expect([again.status, again.body.is_due]).toEqual([202, false])
  const lines = await sql`select actor, subject, detail from journal where change = 'delivery.expedited'`
  expect(lines).toEqual([
    {
      actor: `user ${support.user_id}`,
      subject: row.delivery_id,
      detail: { endpoint_id: endpoint.id, payment_id: row.about.payment_id },
    },
  ])
})

test('a pause says why and until when, and when the last attempt was; what waits behind it is sent now, and ends it', async () => {
  receiver.treat(() => 500)
  for (let n = 0; n < 5; n++) await client.pay()
  const { standing: paused } = await until(health, ({ standing }) => standing.breaker?.open_until)
  const { open_until } = paused.breaker
  const { last_attempt } = paused
  expect(last_attempt).toMatchObject({ response_status_code: 500, failure: null })
  expect((await rows()).map(({ occurred_at }: { occurred_at: string }) => occurred_at)).toContain(
    last_attempt.occurred_at,
  )
  const { body: paid } = await client.pay()
  const timeline = async () => (await support.get(`/${merchant_id}/payments/${paid.payment_id}/timeline`)).body
  const [event] = (await timeline()).events
  const [waiting] = event.deliveries
  // Nobody is told of an attempt in the past.
  expect(waiting).toMatchObject({
    status: 'pending',
    attempts: [],
    next_attempt_at: open_until,
    held_until: open_until,
  })
  expect((await health()).standing.next_delivery_id).toBe(waiting.delivery_id)
  const [listed] = await rows()
  expect(listed.waiting.held_until).toBe(open_until)
  receiver.treat(() => 200)
  expect((await support.post(`${at}/deliveries/${waiting.delivery_id}/send`)).body.is_due).toBe(true)
  await until(timeline, ({ events }) => events[0].deliveries[0].status === 'succeeded')
  await until(health, ({ standing }) => standing.breaker.open_until === null)
  await until(health, ({ standing }) => standing.last_attempt.response_status_code === 200)
}, 60_000)

test('what the receiver wants to rest from is sent now all the same', async () => {
  receiver.treat((_, response) => {
    response.writeHead(503, { 'retry-after': '600' }).end()
    return undefined
  })
  await client.pay()
  const [row] = await until(rows, ([newest]) => newest?.response_status_code === 503)
  receiver.treat(() => 200)
  expect((await support.post(`${at}/deliveries/${row.delivery_id}/send`)).body.is_due).toBe(true)
  await until(rows, ([newest]) => newest.delivery_id === row.delivery_id && newest.status === 'succeeded')
})
