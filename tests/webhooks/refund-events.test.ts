// The events of refunds: only for endpoints that ask for them, each with a key of its own, in the queue as all others.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Json, refusal } from '../support/client.ts'
import { runJob } from '../support/holding.ts'
import { type Account, type Service, startService, until } from '../support/service.ts'
import { openWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts'

let service: Service
const receivers: WebhookReceiver[] = []
beforeAll(async () => {
  service = await startService({ deliver: { schedule: [0] } })
})
afterAll(async () => {
  await service.close()
  for (const receiver of receivers) await receiver.close()
})

async function openShop(asked: object, account?: Account) {
  const shop = account ?? (await service.newAccount())
  const receiver = await openWebhookReceiver()
  receivers.push(receiver)
  const created = await shop.client.createEndpoint({ url: receiver.url, ...asked })
  return { account: shop, receiver, endpoint: created.body as Json }
}

const both = ['refund.succeeded', 'refund.failed']
const every = [...both, 'dispute.opened', 'dispute.closed']

test('each refund of a payment is told with its own key, behind the payment', async () => {
  const { account, receiver, endpoint } = await openShop({ extension_events: both })
  const { payment_id, session_id } = (await account.client.pay()).body
  const first = (await account.client.refund(payment_id, { amount: 1000 })).body
  const second = (await account.client.refund(payment_id, { amount: 1013 })).body
  const told = await receiver.has(3)
  expect(told.map(({ event }) => [event.type, event.sequence])).toEqual([
    ['payment.captured', 1],
    ...[
      ['refund.succeeded', 1],
      ['refund.failed', 1],
    ],
  ])
  const { event, headers } = told[1]!
  expect(event).toEqual({
    id: expect.stringMatching(/^evt_[0-9a-f]{24}$/),
    type: 'refund.succeeded',
    api_version: '2026-09-01',
    sequence: 1,
    created: first.settled_at,
    merchant_id: account.merchant_id,
    data: { ...first, checkout_session_id: session_id },
  })
  expect(told[2]!.event.data).toEqual({ ...second, checkout_session_id: session_id })
  const keys = told.map(({ headers }) => headers['rip-idempotency-key'])
  expect(headers['rip-idempotency-key']).toBe(`evt:${first.id}#refund.succeeded#${endpoint.id}`)
  expect(keys[2]).toBe(`evt:${second.id}#refund.failed#${endpoint.id}`)
  const { body } = await until(
    () => account.client.listDeliveries('event_type=webhook.refund.succeeded'),
    ({ body }) => body.data.length === 1,
  )
  expect(body.data[0]).toMatchObject({ event_id: keys[1], status: 'succeeded' })
})

describe('an endpoint', () => {
  test.each<[string, object, string[]]>([
    ['that wants all events of payments', {}, ['payment.captured']],
    ['that asks for successes', { extension_events: ['refund.succeeded'] }, ['payment.captured', 'refund.succeeded']],
    [
      'that asks for refunds and no captures',
      { event_filter: ['payment.held'], extension_events: both },
      ['refund.succeeded', 'refund.failed'],
    ],
  ])('%s', async (_, asked, expected) => {
    const { account, receiver } = await openShop(asked)
    const { payment_id } = (await account.client.pay()).body
    await account.client.refund(payment_id, { amount: 1000 })
    await account.client.refund(payment_id, { amount: 1013 })
    const told = await receiver.has(expected.length)
    expect(told.map(({ event }) => event.type)).toEqual(expected)
    // Nothing else waits to be told.
    await until(
      () => service.sql`select 1 from webhook_queue where merchant_id = ${account.merchant_id}`,
      (queued) => queued.length === 0,
    )
    expect(receiver.received).toHaveLength(expected.length)
  })

  test('shows what it asked for only where it asked', async () => {
    const { client } = await service.newAccount()
    const url = 'https://shop.example/hooks'
    const plain = await client.createEndpoint({ url })
    expect(plain.body).not.toHaveProperty('extension_events')
    const none = await client.createEndpoint({ url, extension_events: [] })
    expect(none.body.extension_events).toEqual([])
    const asked = await client.createEndpoint({ url, extension_events: [...both, both[0]] })
    expect(asked.body).toMatchObject({ event_filter: [], extension_events: both })
    const { endpoints } = (await client.listEndpoints()).body
    const shown = endpoints.map((each: Json) => 'extension_events' in each)
    expect(shown).toEqual([false, true, true])
  })

  test.each<[object, string, string[]]>([
    [{ extension_events: ['payment.captured'] }, 'extension_events[0]', every],
    [{ extension_events: ['refund.created'] }, 'extension_events[0]', every],
    [
      { event_filter: ['refund.failed'] },
      'event_filter[0] is an extension event: name it in extension_events.',
      ['captured', 'held', 'voided', 'declined', 'failed'].map((each) => `payment.${each}`),
    ],
  ])('%j is refused', async (asked, words, allowed) => {
    const url = 'https://shop.example/hooks'
    const answer = await service.client.createEndpoint({ url, ...asked })
    expect(refusal(answer)).toBe('400 unknown_event_type')
    expect(answer.body).toMatchObject({ message: expect.stringContaining(words), allowed })
  })
})

test('a delivery that was given up is replayed, under the same key and with the same body', async () => {
  const { account, receiver } = await openShop({ event_filter: ['payment.held'], extension_events: both })
  receiver.treat(() => 500)
  const { payment_id } = (await account.client.pay()).body
  await account.client.refund(payment_id, { amount: 1000 })
  await account.client.refund(payment_id, { amount: 500 })
  const { body } = await until(
    () => account.client.listDeliveries('status=dead_lettered'),
    ({ body }) => body.data.length === 2,
  )
  receiver.treat(() => 200)
  const before = receiver.received.length
  const [dead] = body.data
  expect((await account.client.replayDelivery(dead.delivery_id)).status).toBe(202)
  const all = await receiver.has(before + 1)
  const replayed = all.at(-1)!
  expect(replayed.headers['rip-idempotency-key']).toBe(dead.event_id)
  const original = all.find(({ headers }) => headers['rip-idempotency-key'] === dead.event_id)
  expect(replayed.body).toBe(original!.body)
})

test('a failure after success comes second, and the stream tells each once to who names them', async () => {
  const { account, receiver } = await openShop({ extension_events: both })
  const { payment_id } = (await account.client.pay()).body
  const { body: refund } = await account.client.refund(payment_id, { amount: 1017 })
  await service.sql`
    update simulator.ledger l set known_at = requested_at from refunds r
    where l.reference = r.operation_id and r.refund_id = ${refund.id}`
  await service.sql`
    update acquirer_operations o set next_check_at = sent_at from refunds r
    where o.operation_id = r.operation_id and r.refund_id = ${refund.id}`
  await runJob(service, 'reconcile')
  await account.client.refund(payment_id, { amount: 1000 })
  const types = (await receiver.has(3)).map(({ event }) => event.type)
  expect(types).toEqual(['payment.captured', 'refund.succeeded', 'refund.succeeded'])
  const stream = async (query: string) => {
    const stopped = new AbortController()
    const from = '0'.repeat(24)
    const url = `${service.base_url}/v1/events/stream?after=${from}${query}`
    const { signal } = stopped
    const answer = await fetch(url, { headers: account.client.withKey, signal })
    let text = ''
    const decoder = new TextDecoder()
    for await (const part of answer.body!) {
      text += decoder.decode(part, { stream: true })
      if ((text.match(/^event: (payment|refund)/gm) ?? []).length >= (query ? 2 : 1)) break
    }
    stopped.abort()
    return [...text.matchAll(/^event: ((?:payment|refund)\.\w+)/gm)].map(([, type]) => type)
  }
  expect(await stream('')).toEqual(['payment.captured'])
  expect(await stream('&events=refund.succeeded,refund.failed')).toEqual([...['refund.succeeded', 'refund.succeeded']])
})
