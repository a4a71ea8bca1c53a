// What a person does to one endpoint: a new secret with an overlap, a test event, and a replay of all that was given up.

import { createHmac } from 'node:crypto'
import { afterAll, expect, test } from 'vitest'
import { deadLetter } from '../conformance/webhook-delivery-rows.ts'
import { newMember, refusalIn } from '../support/person.ts'
import { delivery_settings, loopback } from '../support/service.ts'
import { useService } from '../support/use-service.ts'
import { openWebhookReceiver } from '../support/webhook-receiver.ts'

const service = await useService({ allowed_networks: loopback })
const receiver = await openWebhookReceiver()
afterAll(() => receiver.close())
const { account, client, sql } = service
const at = `/${account.merchant_id}/webhooks/endpoints`
const [owner, support, viewer] = [
  await newMember(service, { role: 'owner' }),
  await newMember(service, { role: 'support' }),
  await newMember(service, { role: 'viewer' }),
]
const pressed = () => ({ headers: { 'rip-idempotency-key': crypto.randomUUID() } })
const newEndpoint = async () => (await client.createEndpoint({ url: receiver.url })).body

/** The signatures of a request that these secrets make. */
function signaturesBy(secrets: string[], header: string, body: string): string[] {
  const t = /t=(\d+)/.exec(header)?.[1]
  return secrets.map((secret) => `v1=${createHmac('sha256', secret).update(`${t}.${body}`).digest('hex')}`)
}

test('a rotated secret is shown once, and both sign; a repeat of the request rotates nothing', async () => {
  const { id, signing_secret } = await newEndpoint()
  const press = pressed()
  const rotated = await owner.post(`${at}/${id}/rotate`, {}, press)
  expect(rotated.body, rotated.text).toMatchObject({
    endpoint_id: id,
    signing_secret: expect.stringMatching(/^rip_whsec_/),
  })
  expect((await owner.post(`${at}/${id}/rotate`, {}, press)).text).toBe(rotated.text)
  const tried = await owner.post(`${at}/${id}/test`)
  const { headers, body } = receiver.received.at(-1)!
  expect([tried.status, tried.body.succeeded]).toEqual([200, true])
  expect(headers['rip-signature']!.split(',').slice(1)).toEqual(
    signaturesBy([rotated.body.signing_secret, signing_secret], headers['rip-signature']!, body),
  )
  expect((await owner.get(at)).text).not.toContain('whsec')
})

test('a test event says that it is one, and is stored nowhere', async () => {
  const { id } = await newEndpoint()
  const { body } = await owner.post(`${at}/${id}/test`)
  expect(body).toMatchObject({ succeeded: true, response_status_code: 200, failure: null })
  const { event, headers } = receiver.received.at(-1)!
  expect(event).toMatchObject({
    id: body.event_id,
    type: 'endpoint.test',
    merchant_id: account.merchant_id,
    data: { endpoint_id: id, mode: 'test' },
  })
  expect(headers['rip-idempotency-key']).toBe(`evt:${body.event_id}#endpoint.test#${id}`)
  const [stored] = await sql`select count(*)::int as count from events`
  expect(stored).toEqual({ count: 0 })
  receiver.treat(() => 500)
  const refused = await owner.post(`${at}/${id}/test`)
  expect(refused.body).toMatchObject({ succeeded: false, response_status_code: 500 })
  receiver.treat(() => 200)
})

test('all that was given up is replayed in batches, each once', async () => {
  const { id: endpoint_id } = await newEndpoint()
  const before = new Date(Date.now() - 1_000)
  for (let each = 0; each < 51; each++) {
    await deadLetter(service, { endpoint_id, created_at: new Date(before.getTime() - each) })
  }
  await deadLetter(service)
  const path = `${at}/${endpoint_id}/replay`
  const first = await support.post(path)
  expect(first.body, first.text).toMatchObject({ replayed: 50, refused: 0, total: 51 })
  const { until, next_after: after } = first.body
  // The same batch once more, as after a lost answer.
  const again = await support.post(path, { until })
  expect(again.body).toMatchObject({ replayed: 0, already_replayed: 50 })
  const second = await support.post(path, { until, after })
  expect(second.body).toMatchObject({ replayed: 1, refused: 0, total: null, next_after: null })
  const [queued] = await sql`
    select count(*)::int as count, count(distinct replay_of)::int as replayed from webhook_queue
    where endpoint_id = ${endpoint_id} and replay_of is not null`
  expect(queued).toEqual({ count: 51, replayed: 51 })
  expect(refusalIn(await support.post(path, { until: 'soon' }))).toBe('400 invalid_request')
})

test('who may do so', async () => {
  const { id } = await newEndpoint()
  expect(refusalIn(await support.post(`${at}/${id}/rotate`))).toBe('403 permission_denied')
  expect(refusalIn(await support.post(`${at}/${id}/test`))).toBe('403 permission_denied')
  expect(refusalIn(await viewer.post(`${at}/${id}/replay`))).toBe('403 permission_denied')
  const { body } = await support.get(at)
  expect(body.retry_delays_seconds).toEqual(delivery_settings.schedule)
})
