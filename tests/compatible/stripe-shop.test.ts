// A shop's server, written for the other platform with Express and its official client: all that changes is the host, the keys,
// and the name of a header.

import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import Stripe from 'stripe'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Json, runChallenge } from '../support/client.ts'
import { type Service, startService, until } from '../support/service.ts'

type Order = {
  id: string
  amount: number
  status: 'open' | 'paid' | 'failed'
  paid_by: string | null
}

type Settings = { secret_key: string; webhook_secret: string; host: string; port: number }

/** The shop. Nothing in it knows of Ripper but its settings and `rip-signature`. */
function openShop(settings: Settings) {
  const { secret_key, host, port } = settings
  const stripe = new Stripe(secret_key, { host, port, protocol: 'http' })
  const orders = new Map<string, Order>()
  const app = express()

  app.post('/webhook', express.raw({ type: 'application/json' }), (req: Json, res: Json) => {
    let event: Json
    try {
      const signature = req.headers['rip-signature']
      event = stripe.webhooks.constructEvent(req.body, signature, settings.webhook_secret)
    } catch {
      return res.status(400).end()
    }
    const { metadata, payment_id } = event.data
    const order = orders.get(metadata.order_id)
    if (order && event.type === 'payment.captured') {
      Object.assign(order, { status: 'paid', paid_by: payment_id })
    } else if (order && order.status === 'open') order.status = 'failed'
    return res.status(204).end()
  })

  app.post('/buy', express.json(), async (req: Json, res: Json) => {
    const order: Order = { id: `A-${orders.size + 1}`, amount: 4200, status: 'open', paid_by: null }
    orders.set(order.id, order)
    const intent = await stripe.paymentIntents.create(
      {
        amount: order.amount,
        currency: 'gbp',
        receipt_email: req.body.email,
        description: 'Tea',
        metadata: { order_id: order.id },
      },
      { idempotencyKey: order.id },
    )
    res.json({ order_id: order.id, intent_id: intent.id, client_secret: intent.client_secret })
  })

  app.get('/orders/:id', (req: Json, res: Json) => res.json(orders.get(req.params.id)))
  return app
}

let service: Service
let shop: Server
let shop_url: string
let stripe: Stripe
beforeAll(async () => {
  service = await startService({ deliver: { schedule: [0, 0] } })
  const { account, base_url } = service
  const { hostname, port } = new URL(base_url)
  const host = { host: hostname, port: Number(port) }
  const settings = { ...host, secret_key: account.secret_key, webhook_secret: '' }
  const app = openShop(settings)
  shop = await new Promise((resolve) => {
    const server = app.listen(0, '127.0.0.1', () => resolve(server))
  })
  shop_url = `http://127.0.0.1:${(shop.address() as AddressInfo).port}`
  // Only an address that is known can be registered, and only that gives the secret.
  const { body } = await account.client.createEndpoint({ url: `${shop_url}/webhook` })
  settings.webhook_secret = body.signing_secret
  stripe = new Stripe(account.secret_key, { ...host, protocol: 'http' })
})
afterAll(async () => {
  await service.close()
  await new Promise((closed) => shop.close(closed))
})

const buy = async (): Promise<Json> => {
  const answer = await fetch(`${shop_url}/buy`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'ada@example.com' }),
  })
  return answer.json()
}
const orderOf = async (id: string): Promise<Json> => (await fetch(`${shop_url}/orders/${id}`)).json()

test('a shopper buys, pays with a check by the bank, and the shop gets the webhook', async () => {
  const { client } = service
  const { order_id, intent_id, client_secret } = await buy()
  const session = { id: intent_id, client_secret }
  expect(await orderOf(order_id)).toMatchObject({ status: 'open' })
  const { body } = await client.present(session, '4000000000003220')
  await runChallenge(body.three_ds.challenge.url)
  const { body: result } = await until(
    () => client.confirm(session),
    ({ status }) => status === 200,
  )
  expect(result.status).toBe('captured')
  const order = await until(
    () => orderOf(order_id),
    ({ status }) => status !== 'open',
  )
  expect(order).toMatchObject({ status: 'paid', paid_by: result.payment_id })
  const intent = await stripe.paymentIntents.retrieve(intent_id)
  expect(intent).toMatchObject({
    status: 'succeeded',
    amount: 4200,
    receipt_email: 'ada@example.com',
    metadata: { order_id, description: 'Tea' },
  })
})

test('a card is declined, and the shop gets that webhook', async () => {
  const { client } = service
  const { order_id, intent_id, client_secret } = await buy()
  await client.present({ id: intent_id, client_secret }, '4000000000000002')
  await client.confirm({ id: intent_id, client_secret })
  const order = await until(
    () => orderOf(order_id),
    ({ status }) => status !== 'open',
  )
  expect(order).toMatchObject({ status: 'failed', paid_by: null })
  const intent = await stripe.paymentIntents.retrieve(intent_id)
  expect(intent.last_payment_error).toMatchObject({ code: 'card_declined', decline_code: 'generic_decline' })
})

test('a forged delivery is refused', async () => {
  const { order_id } = await buy()
  const forged = { type: 'payment.captured', data: { payment_id: 'pay_x', metadata: { order_id } } }
  const { status } = await fetch(`${shop_url}/webhook`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'rip-signature': `t=${Math.floor(Date.now() / 1000)},v1=${'0'.repeat(64)}`,
    },
    body: JSON.stringify(forged),
  })
  expect(status).toBe(400)
  expect(await orderOf(order_id)).toMatchObject({ status: 'open' })
})
