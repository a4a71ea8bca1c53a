// The shop of a scenario and its shoppers. The shop's server is the library; its shoppers come over HTTP, as a page would.

import { randomUUID } from 'node:crypto'
import { testNumber } from '../../src/cards/test-cards.ts'
import type { Permission } from '../../src/http/access.ts'
import { browser } from '../../tests/support/client.ts'
import { newKey, shop as origin, type Service } from '../../tests/support/service.ts'
import { openWebhookReceiver, type WebhookReceiver } from '../../tests/support/webhook-receiver.ts'
import type { Json } from './driver.ts'

export type Shop = {
  secret_key: string
  /** Another key of the same merchant. */
  keyThatMay(...permissions: Permission[]): Promise<string>
  /** Where it receives events. */
  receiver(): Promise<WebhookReceiver>
  close(): Promise<void>
} & Shopper

export type Shopper = {
  /** Pays what has an id and a client secret; returns what the page is told then. */
  pay(session: Json, card?: keyof typeof cards): Promise<Json>
  /** Pays on the page of a Checkout Session. Throws where it has no session to pay by. */
  payCheckout(checkout: Json, card?: keyof typeof cards): Promise<Json>
  /** A payment of an amount that nobody could verify, which is held. Returns the session's id. */
  payUnverified(): Promise<string>
}

export const cards = {
  approved: testNumber('visa'),
  declined: testNumber('visa', { abc: '005' }),
}

export const tea = { sku: 'tea', name: 'Tea', currency: 'GBP', unit_amount: 1250, tax_rate: null, image_url: null }

export async function openShop(service: Service): Promise<Shop> {
  const account = await service.newAccount({ integration: { price_list: [tea] } })
  const receivers: WebhookReceiver[] = []
  return {
    secret_key: account.secret_key,
    async keyThatMay(...permissions) {
      const { secret_key } = await newKey(service.operator, account.merchant_id, { permissions })
      return secret_key
    },
    async receiver() {
      receivers.push(await openWebhookReceiver())
      return receivers.at(-1)!
    },
    async close() {
      for (const receiver of receivers) await receiver.close()
    },
    ...openShopper(service.base_url, account.publishable_key!),
  }
}

function openShopper(base_url: string, publishable_key: string): Shopper {
  async function post(path: string, body: object, headers: Record<string, string>): Promise<Json> {
    const response = await fetch(new URL(path, base_url), {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
    const answer = await response.text()
    if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${answer}`)
    return JSON.parse(answer)
  }

  async function pay({ id, client_secret }: Json, card: keyof typeof cards = 'approved') {
    const at = (verb: string, body: object) =>
      post(`/v1/checkout/sessions/${id}/${verb}`, body, { 'rip-client-secret': client_secret })
    const number = cards[card]
    const { card_reference } = await at('card_references', { number, exp_month: 9, exp_year: 2031, cvc: '123' })
    await at('authenticate', { card_reference, browser })
    return at('confirm', { customer: { email: 'ada@example.com' } })
  }

  return {
    pay,
    async payCheckout({ url }, card) {
      const [address, token] = url.split('#page_secret_')
      const { status, client_secret } = await post(address, { token }, {})
      if (client_secret === null) throw new Error(`the Checkout Session is ${status}`)
      const [id] = client_secret.split('_secret_')
      return pay({ id, client_secret }, card)
    },
    async payUnverified() {
      const headers = { origin, 'rip-idempotency-key': randomUUID() }
      const purchase = { public_key: publishable_key, amount: 4200, currency: 'GBP' }
      const session = await post('/v1/checkout/public/sessions', purchase, headers)
      await pay(session)
      return session.id
    },
  }
}
