// From a payment to its receiver: what arrives, how it can be verified, and what is written of it.

import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rotateSecret } from '../../src/webhooks/endpoints/rotate-secret.ts'
import { type Json, purchase } from '../support/client.ts'
import { type Account, type Service, startService, until } from '../support/service.ts'
import { operatorOf } from '../support/webhook-events.ts'
import { openWebhookReceiver, type ReceivedEvent, type WebhookReceiver } from '../support/webhook-receiver.ts'

let service: Service
const receivers: WebhookReceiver[] = []
beforeAll(async () => {
  service = await startService({ deliver: { schedule: [0, 0] } })
})
afterAll(async () => {
  await service.close()
  for (const receiver of receivers) await receiver.close()
})

type Shop = { account: Account; receiver: WebhookReceiver; endpoint: Json }

/** A merchant with one endpoint, which is told of these events. */
async function openShop(event_filter: string[] = []): Promise<Shop> {
  const account = await service.newAccount()
  const receiver = await openWebhookReceiver()
  receivers.push(receiver)
  const { body: endpoint } = await account.client.createEndpoint({
    url: receiver.url,
    event_filter,
  })
  return { account, receiver, endpoint }
}

/** The rows of an account, newest first, once they are so many and none waits. */
async function rowsOf({ client }: Account, count: number): Promise<Json[]> {
  const { body } = await until(
    () => client.listDeliveries(),
    ({ body }) => body.data.length === count && !['pending', 'failed'].includes(body.data[0]?.status),
  )
  return body.data
}

function signaturesOf({ headers }: ReceivedEvent): { t: string; v1: string[] } {
  const parts = headers['rip-signature']!.split(',').map((part) => part.split('='))
  const [t] = parts.filter(([name]) => name === 't').map(([, value]) => value!)
  return { t: t!, v1: parts.filter(([name]) => name === 'v1').map(([, value]) => value!) }
}

function signed({ body }: ReceivedEvent, t: string, secret: string): string {
  return createHmac('sha256', secret).update(`${t}.${body}`).digest('hex')
}

const declining = '4000000000009995'

test('a payment reaches its receiver, signed over the very bytes', async () => {
  const { account, receiver, endpoint } = await openShop()
  const { body: paid } = await account.client.pay()
  const [told] = await receiver.has(1)
  expect(told!.event).toMatchObject({
    id: expect.stringMatching(/^evt_[0-9a-f]{24}$/),
    type: 'payment.captured',
    merchant_id: account.merchant_id,
    sequence: 1,
    api_version: '2026-09-01',
    data: { payment_id: paid.payment_id, amount: purchase.amount, status: 'captured', hold: null },
  })
  const { t, v1 } = signaturesOf(told!)
  expect(v1).toEqual([signed(told!, t, endpoint.signing_secret)])
  expect(Math.abs(Number(t) - Date.now() / 1000)).toBeLessThan(60)
  const event_id = `evt:${paid.payment_id}#payment.captured#${endpoint.id}`
  expect(told!.headers).toMatchObject({
    'rip-idempotency-key': event_id,
    'content-type': 'application/json; charset=utf-8',
    'accept-encoding': 'identity',
  })
  const [row] = await rowsOf(account, 1)
  expect(row).toEqual({
    delivery_id: expect.stringMatching(/^[0-9a-f]{32}$/),
    replay_of: null,
    merchant_id: account.merchant_id,
    event_id,
    event_type: 'webhook.payment.captured',
    attempt_number: 1,
    status: 'succeeded',
    occurred_at: expect.any(String),
    endpoint_url: receiver.url,
    response_status_code: 200,
    response_body: '',
    next_retry_at: null,
    replayable: false,
    replay_expires_at: null,
  })
})

test('the code in the guide verifies it, and refuses another body, secret or time', async () => {
  const guide = readFileSync(new URL('../../docs/webhooks.md', import.meta.url), 'utf8')
  const code = /<!-- receiver -->\n```js\n([\s\S]*?)```/.exec(guide)![1]!
  const { verified } = await import(`data:text/javascript,${encodeURIComponent(code)}`)
  const { account, receiver, endpoint } = await openShop()
  await account.client.pay()
  const [told] = await receiver.has(1)
  const header = told!.headers['rip-signature']!
  const secret = endpoint.signing_secret
  expect(verified(told!.body, header, secret)).toEqual(told!.event)
  const other = header.replace(/t=(\d+)/, (_, t) => `t=${Number(t) - 301}`)
  expect(() => verified(`${told!.body} `, header, secret)).toThrow('wrong signature')
  expect(() => verified(told!.body, header, `${secret}0`)).toThrow('wrong signature')
  expect(() => verified(told!.body, other, secret)).toThrow('too old')
  expect(() => verified(told!.body, 'rubbish', secret)).toThrow('too old')
})

test('it is tried again with the same key, id and bytes until the receiver says 2xx', async () => {
  const { account, receiver } = await openShop()
  const answers = [500, 302]
  receiver.treat((_, response) => {
    const status = answers.shift()
    if (status === undefined) return 204
    response.writeHead(status, { location: '/elsewhere' }).end(`no ${'é'.repeat(2_000)}`)
    return undefined
  })
  await account.client.pay()
  const all = await receiver.has(3)
  const same = (pick: (one: ReceivedEvent) => unknown) => new Set(all.map(pick)).size
  expect(all.map(({ path }) => path)).toEqual(['/hooks', '/hooks', '/hooks'])
  expect(same(({ body }) => body)).toBe(1)
  expect(same(({ headers }) => headers['rip-idempotency-key'])).toBe(1)
  const rows = await rowsOf(account, 3)
  expect(rows.map((row) => [row.attempt_number, row.status, row.response_status_code])).toEqual([
    [3, 'succeeded', 204],
    [2, 'failed', 302],
    [1, 'failed', 500],
  ])
  expect(new Set(rows.map(({ delivery_id }) => delivery_id)).size).toBe(1)
  expect(rows[2].response_body).toBe(`no ${'é'.repeat(1_021)}`)
  expect(rows[2].next_retry_at).not.toBeNull()
})

test('given up after the last attempt, it arrives by a replay, once the receiver is back', async () => {
  const { account, receiver, endpoint } = await openShop()
  const { client } = account
  receiver.treat(() => 503)
  await client.pay()
  const [newest] = await rowsOf(account, 3)
  expect(newest).toMatchObject({ status: 'dead_lettered', next_retry_at: null, replayable: true })
  receiver.treat(() => 200)
  const { status, body } = await client.replayDelivery(newest.delivery_id)
  expect([status, body.replay_of]).toEqual([202, newest.delivery_id])
  const all = await receiver.has(4)
  const [first, last] = [all[0]!, all[3]!]
  expect(last.body).toBe(first.body)
  expect(last.headers['rip-idempotency-key']).toBe(first.headers['rip-idempotency-key'])
  const { t, v1 } = signaturesOf(last)
  expect(v1).toEqual([signed(last, t, endpoint.signing_secret)])
  const rows = await rowsOf(account, 4)
  expect(rows[0]).toMatchObject({
    delivery_id: body.delivery_id,
    replay_of: newest.delivery_id,
    attempt_number: 1,
    status: 'succeeded',
  })
  // The row of the accepted replay went when its first attempt had ended.
  expect(rows.filter(({ attempt_number }) => attempt_number === 0)).toEqual([])
  const again = await client.replayDelivery(body.delivery_id)
  expect([again.status, again.body.error]).toEqual([409, 'delivery_not_dead_lettered'])
})

test('each endpoint gets what its filter names', async () => {
  const { account, receiver } = await openShop(['payment.declined', 'payment.held'])
  const everything = await openWebhookReceiver()
  receivers.push(everything)
  await account.client.createEndpoint({ url: everything.url })
  await account.client.pay()
  await account.client.pay(declining)
  const types = (all: ReceivedEvent[]) => all.map(({ event }) => event.type).sort()
  expect(types(await everything.has(2))).toEqual(['payment.captured', 'payment.declined'])
  expect(types(await receiver.has(1))).toEqual(['payment.declined'])
  const [one] = receiver.received
  const other = everything.received.find(({ event }) => event.type === 'payment.declined')!
  expect(one!.headers['rip-idempotency-key']).not.toBe(other.headers['rip-idempotency-key'])
})

test('while a secret is rotated both sign', async () => {
  const { account, receiver, endpoint } = await openShop()
  const { context } = service
  const rotated = await rotateSecret(context, endpoint.id, operatorOf(context), new Date())
  await account.client.pay()
  const [told] = await receiver.has(1)
  const { t, v1 } = signaturesOf(told!)
  const secrets = [rotated.signing_secret, endpoint.signing_secret]
  expect(v1).toEqual(secrets.map((secret) => signed(told!, t, secret)))
  // Its time is over.
  await service.sql`update webhook_endpoints set previous_secret_until = ${new Date()}
    where endpoint_id = ${endpoint.id}`
  await account.client.pay()
  const later = (await receiver.has(2))[1]!
  expect(signaturesOf(later).v1).toEqual([signed(later, signaturesOf(later).t, rotated.signing_secret)])
})

test('a deleted endpoint gets nothing more, and an attempt under way there still gets its answer written', async () => {
  const { account, receiver, endpoint } = await openShop()
  const { client } = account
  let answer = () => {}
  receiver.treat((_, response) => {
    answer = () => response.writeHead(500).end('too late')
    return undefined
  })
  await client.pay()
  await receiver.has(1)
  expect((await client.deleteEndpoint(endpoint.id)).status).toBe(204)
  const [cut] = await rowsOf(account, 1)
  expect(cut).toMatchObject({ status: 'dead_lettered', response_status_code: null })
  answer()
  const { body } = await until(
    () => client.listDeliveries(),
    ({ body }) => body.data[0].response_status_code !== null,
  )
  expect(body.data).toHaveLength(1)
  expect(body.data[0]).toMatchObject({
    status: 'dead_lettered',
    response_status_code: 500,
    response_body: 'too late',
    next_retry_at: null,
    replayable: false,
  })
  await client.pay()
  const replayed = await client.replayDelivery(cut.delivery_id)
  expect([replayed.status, replayed.body.error]).toEqual([404, 'endpoint_not_found'])
  expect(receiver.received).toHaveLength(1)
  const queued = await service.sql`select 1 from webhook_queue
    where merchant_id = ${account.merchant_id}`
  expect(queued).toHaveLength(0)
})

test('an attempt has one line in the log, without secrets, path, body or answer', async () => {
  const { account, receiver, endpoint } = await openShop()
  receiver.treat((_, response) => {
    response.writeHead(200).end('words of the receiver')
    return undefined
  })
  const { body: paid } = await account.client.pay()
  await rowsOf(account, 1)
  const lines = service.log.filter(
    ({ message, fields }) => message === 'webhook attempt' && JSON.stringify(fields).includes(endpoint.id),
  )
  expect(lines).toHaveLength(1)
  expect(lines[0]!.fields).toMatchObject({
    event_id: `evt:${paid.payment_id}#payment.captured#${endpoint.id}`,
    merchant_id: account.merchant_id,
    attempt_number: 1,
    to: `http://127.0.0.1:${receiver.port}`,
    status: 'succeeded',
    response_status_code: 200,
    duration_ms: expect.any(Number),
  })
  const log = JSON.stringify(service.log)
  for (const secret of [endpoint.signing_secret, 'words of the receiver', '/hooks']) {
    expect(log).not.toContain(secret)
  }
})
