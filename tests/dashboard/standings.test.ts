// Where a person looks for an event: what was delivered, what waits and what was given up are three lists, of which each event of an
// endpoint is on one, once.

import { afterAll, expect, test } from 'vitest'
import { purchase } from '../support/client.ts'
import { newMember } from '../support/person.ts'
import { loopback, until } from '../support/service.ts'
import { useService } from '../support/use-service.ts'
import { openWebhookReceiver } from '../support/webhook-receiver.ts'

const hour = 3_600
const service = await useService({ allowed_networks: loopback, deliver: { schedule: [hour] } })
const receiver = await openWebhookReceiver()
afterAll(() => receiver.close())
const { account, client, sql } = service
const at = `/${account.merchant_id}/webhooks`
const person = await newMember(service, { role: 'support' })
await client.createEndpoint({ url: receiver.url })

type Row = { event_id: string; delivery_id: string; status: string; attempt_number: number; occurred_at: string }
type Page = { data: Row[]; has_more: boolean; next_cursor: string | null }

const lists = { delivered: 'status=succeeded', waiting: 'standing=waiting', given_up: 'standing=given_up' }
type List = keyof typeof lists

/** The whole list, in pages that are shorter than it. */
async function rowsOf(list: List): Promise<Row[]> {
  const rows: Row[] = []
  for (let after = ''; ; ) {
    const { status, body } = await person.get(`${at}/deliveries?limit=2&${lists[list]}${after}`)
    expect(status).toBe(200)
    const { data, has_more, next_cursor } = body as Page
    rows.push(...data)
    if (!has_more) return rows
    after = `&after=${encodeURIComponent(next_cursor!)}`
  }
}

/** Without asking the service more often than it lets anybody. */
const settled = (count: number) =>
  until(
    () => sql`select 1 from webhook_deliveries`,
    (rows) => rows.length >= count,
  )
const attempted = (count: number) =>
  until(
    () => sql`select 1 from webhook_attempts where status <> 'pending'`,
    (rows) => rows.length >= count,
  )

const newest = async () => {
  const [row] = (await person.get(`${at}/deliveries?limit=1`)).body.data as Row[]
  return row!.delivery_id
}
const pay = async (order_reference: string) => {
  const { body } = await client.pay(undefined, { ...purchase, order_reference })
  return body.payment_id as string
}
const sendNow = (delivery_id: string) => person.post(`${at}/deliveries/${delivery_id}/send`)
const replay = async (delivery_id: string) => {
  expect((await person.post(`${at}/deliveries/${delivery_id}/replay`)).status).toBe(202)
}
let attempts = 0
let deliveries = 0

async function payAndTry(order_reference: string, answer: number): Promise<string> {
  receiver.treat(() => answer)
  const payment_id = await pay(order_reference)
  await attempted(++attempts)
  return payment_id
}

/** The last attempt of a delivery. */
async function settle(delivery_id: string, answer: number): Promise<void> {
  receiver.treat(() => answer)
  await sendNow(delivery_id)
  await attempted(++attempts)
  await settled(++deliveries)
}

/** A replay whose one or two attempts end with this answer. */
async function replayAndSettle(delivery_id: string, answer: number): Promise<void> {
  receiver.treat(() => answer)
  await replay(delivery_id)
  await attempted(++attempts)
  if (answer === 200) await settled(++deliveries)
  else await settle(await newest(), answer)
}

async function payAndGiveUp(order_reference: string): Promise<[payment_id: string, delivery_id: string]> {
  const payment_id = await payAndTry(order_reference, 500)
  const delivery_id = await newest()
  await settle(delivery_id, 500)
  return [payment_id, delivery_id]
}

test('each event of an endpoint is on one of the lists, once, and one that was never tried waits', async () => {
  const places: Record<string, List> = {}
  places[await payAndTry('at once', 200)] = 'delivered'
  await settled(++deliveries)
  places[await payAndTry('second attempt', 500)] = 'delivered'
  await settle(await newest(), 200)
  const [given_up] = await payAndGiveUp('given up')
  places[given_up] = 'given_up'
  const [replayed, its_delivery] = await payAndGiveUp('replayed')
  await replayAndSettle(its_delivery, 200)
  places[replayed] = 'delivered'
  const [in_vain, lost] = await payAndGiveUp('replayed in vain')
  await replayAndSettle(lost, 500)
  places[in_vain] = 'given_up'
  const [again, lost_too] = await payAndGiveUp('replay waits')
  places[await payAndTry('between', 200)] = 'delivered'
  await settled(++deliveries)
  // The receiver wants to rest: what comes now waits, most of it without an attempt.
  receiver.treat((_, response) => {
    response.writeHead(503, { 'retry-after': '600' }).end()
    return undefined
  })
  places[await pay('to be tried again')] = 'waiting'
  await attempted(++attempts)
  await replay(lost_too)
  places[again] = 'waiting'
  const untried = [await pay('never tried'), await pay('never tried either'), await pay('nor this one')]
  for (const payment_id of untried) places[payment_id] = 'waiting'

  const seen: [payment_id: string, List][] = []
  for (const list of Object.keys(lists) as List[]) {
    for (const { event_id } of await rowsOf(list)) seen.push([/^evt:(\w+)#/.exec(event_id)![1]!, list])
  }
  expect(seen.toSorted()).toEqual(Object.entries(places).toSorted())

  const [row] = await rowsOf('waiting')
  expect(row).toMatchObject({
    status: 'pending',
    attempt_number: 0,
    event_type: 'webhook.payment.captured',
    about: { payment_id: untried[2], order_reference: 'nor this one' },
    waiting: { held_until: null },
  })
  // The endpoint counts the same ones.
  const [{ standing }] = (await person.get(`${at}/endpoints`)).body.endpoints
  const waiting = Object.values(places).filter((place) => place === 'waiting')
  expect(standing.first_attempts + standing.retries).toBe(waiting.length)
}, 60_000)
