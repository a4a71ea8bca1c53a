// The product's own programs, killed and stopped while an event is on its way, and a receiver that is dead for a while.

import { createHmac } from 'node:crypto'
import { chmodSync, mkdtempSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { open, type ServiceResources } from '../../src/service/resources.ts'
import { type Client, type Json, openClient } from '../support/client.ts'
import { type Staying, serve, work } from '../support/programs.ts'
import { until } from '../support/service.ts'
import { removeData } from '../support/setup-database.ts'
import { openWebhookReceiver, type ReceivedEvent, type WebhookReceiver } from '../support/webhook-receiver.ts'

const data_dir = mkdtempSync(`${tmpdir()}/ripper-tests-${process.pid}-`)
const env = {
  RIPPER_DATA_DIR: data_dir,
  RIPPER_PORT: '0',
  RIPPER_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
  RIPPER_WEBHOOK_RETRY_SCHEDULE: '0,0',
}
/** An hour later every lease has ended. */
const later = { RIPPER_CLOCK_OFFSET_SECONDS: '3600' }

let opened: ServiceResources
let receiver: WebhookReceiver
const running = new Set<Staying>()
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

beforeAll(async () => {
  // As root, the server's user has to come through.
  chmodSync(data_dir, 0o711)
  // Keeps the database for when no program runs.
  opened = await open(readConfig({ ...env, RIPPER_LOG_LEVEL: 'silent' }))
})
afterEach(async () => {
  for (const program of running) await program.stop('SIGKILL')
  running.clear()
  await receiver.close()
})
afterAll(async () => {
  await opened.database.close()
  removeData(data_dir)
})

/** The service, with an endpoint at the receiver for its demo merchant. */
async function startShop(): Promise<{ shop: Staying; client: Client; signing_secret: string }> {
  const shop = await run(serve({ env }))
  const client = clientOf(shop)
  const { endpoints } = (await client.listEndpoints()).body
  for (const { id } of endpoints) await client.deleteEndpoint(id)
  const { status, body } = await client.createEndpoint({ url: receiver.url })
  expect(status).toBe(201)
  return { shop, client, signing_secret: body.signing_secret }
}

async function run(starting: Promise<Staying>): Promise<Staying> {
  const program = await starting
  running.add(program)
  return program
}

function clientOf({ said }: Staying): Client {
  return openClient({ base_url: said.base_url!, secret_key: said.secret_key! })
}

/** Checks a signature by nothing but the documentation. Returns when it was made. */
function signedAt({ headers, body }: ReceivedEvent, secret: string): number {
  const { t, v1 } = Object.fromEntries(headers['rip-signature']!.split(',').map((part) => part.split('=')))
  expect(v1).toBe(createHmac('sha256', secret).update(`${t}.${body}`).digest('hex'))
  return Number(t)
}

const now = () => Math.floor(Date.now() / 1000)

/** The attempts of a payment's event as the merchant sees them, oldest first. */
async function attemptsOf(client: Client, { payment_id }: Json): Promise<Json[]> {
  const { data } = (await client.listDeliveries('limit=100')).body
  return data.filter(({ event_id }: Json) => event_id.includes(payment_id)).toReversed()
}

const goOn = { serve, 'a worker alone': work }

test.each(Object.entries(goOn))('killed as soon as confirm has answered, the event arrives: %s', async (_, start) => {
  receiver = await openWebhookReceiver(() => undefined)
  const { shop, client, signing_secret } = await startShop()
  const { status, body: paid } = await client.pay()
  expect((await shop.stop('SIGKILL')).status).toBe(128)
  expect(status).toBe(200)

  const answered: ReceivedEvent[] = []
  receiver.treat((received) => {
    answered.push(received)
    return 200
  })
  const next = await run(start({ env: { ...env, ...later } }))
  const [told] = await until(
    async () => answered,
    ({ length }) => length > 0,
  )
  expect(told!.event.data.payment_id).toBe(paid.payment_id)
  expect(Math.abs(signedAt(told!, signing_secret) - now())).toBeLessThan(60)
  expect((await next.stop()).status).toBe(0)
})

test('killed while an attempt is under way, it is made again, and the lost one has its row', async () => {
  receiver = await openWebhookReceiver(() => undefined)
  const { shop, client, signing_secret } = await startShop()
  const { body: paid } = await client.pay()
  await receiver.has(1)
  await shop.stop('SIGKILL')

  receiver.treat(() => 200)
  const next = await run(serve({ env: { ...env, ...later } }))
  const [first, second] = await receiver.has(2)
  for (const told of [first!, second!]) signedAt(told, signing_secret)
  expect(second!.body).toBe(first!.body)
  expect(second!.headers['rip-idempotency-key']).toBe(first!.headers['rip-idempotency-key'])
  const attempts = await until(
    () => attemptsOf(clientOf(next), paid),
    (rows) => rows.length === 2,
  )
  expect(attempts).toMatchObject([
    { attempt_number: 1, status: 'failed', response_status_code: null, response_body: null },
    { attempt_number: 2, status: 'succeeded', response_status_code: 200, next_retry_at: null },
  ])
})

test('asked to stop while an attempt is under way, it waits, writes how that ended, and sends nothing twice', async () => {
  const { promise: reached, resolve: reach } = Promise.withResolvers<ServerResponse>()
  receiver = await openWebhookReceiver((_received, response) => void reach(response))
  const { shop, client } = await startShop()
  const { body: paid } = await client.pay()
  const response = await reached
  const end = shop.stop()
  await until(
    () => fetch(`${client.base_url}/healthz`).catch(() => null),
    (answer) => answer === null,
  )
  response.writeHead(200).end()
  expect(await end).toMatchObject({ status: 0, stderr: '' })

  receiver.treat(() => 200)
  const next = clientOf(await run(serve({ env: { ...env, ...later } })))
  expect(await attemptsOf(next, paid)).toMatchObject([
    { attempt_number: 1, status: 'succeeded', response_status_code: 200 },
  ])
  const { body: paid_later } = await next.pay()
  const told = await receiver.has(2)
  expect(told.map(({ event }) => event.data.payment_id)).toEqual([paid.payment_id, paid_later.payment_id])
})

test('given up at a dead receiver, an event arrives by replay once that is back', async () => {
  receiver = await openWebhookReceiver((_received, response) => {
    response.writeHead(500).end('out of order', () => void receiver.close())
    return undefined
  })
  const { client, signing_secret } = await startShop()
  const { body: paid } = await client.pay()
  const attempts = await until(
    () => attemptsOf(client, paid),
    (rows) => rows.length === 3,
  )
  expect(attempts).toMatchObject([
    { status: 'failed', response_status_code: 500, response_body: 'out of order' },
    { status: 'failed', response_status_code: null, response_body: null },
    {
      status: 'dead_lettered',
      response_status_code: null,
      replayable: true,
      next_retry_at: null,
    },
  ])
  const [refused] = receiver.received

  receiver = await openWebhookReceiver(() => 200, receiver.port)
  const asked_at = now()
  const { status, body } = await client.replayDelivery(attempts[2].delivery_id)
  expect([status, body.replay_of]).toEqual([202, attempts[2].delivery_id])
  const [told] = await receiver.has(1)
  expect(told!.body).toBe(refused!.body)
  expect(told!.headers['rip-idempotency-key']).toBe(refused!.headers['rip-idempotency-key'])
  expect(told!.headers['rip-idempotency-key']).toBe(attempts[0].event_id)
  expect(signedAt(refused!, signing_secret)).toBeLessThanOrEqual(asked_at)
  expect(signedAt(told!, signing_secret)).toBeGreaterThanOrEqual(asked_at)
  const [, , , replayed] = await until(
    () => attemptsOf(client, paid),
    (rows) => rows[3]?.status === 'succeeded',
  )
  expect(replayed).toMatchObject({ replay_of: attempts[2].delivery_id, attempt_number: 1 })
})
