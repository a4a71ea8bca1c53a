// Webhook endpoints, the events that they get, and what the library makes of each.

import { createHmac } from 'node:crypto'
import { until } from '../../../tests/support/service.ts'
import type { ReceivedEvent, WebhookReceiver } from '../../../tests/support/webhook-receiver.ts'
import type { Json } from '../driver.ts'
import type { Part, Scenario } from '../play.ts'
import { order } from './checkout.ts'
import { intentPaid, purchase } from './purchase.ts'

export const events: Scenario[] = [
  {
    name: 'an endpoint is made, changed and deleted',
    async act({ shop, library, gives, raises }) {
      const { url } = await shop.receiver()
      const { api_version } = library
      const params = { url, enabled_events: ['payment_intent.succeeded'], api_version, description: 'Orders' }
      const { id } = await gives(
        'webhook_endpoints.create',
        { params: { ...params, metadata: { of: 'tea' } } },
        {
          ...params,
          object: 'webhook_endpoint',
          secret: /./,
          status: 'enabled',
          livemode: false,
          metadata: { of: 'tea' },
        },
      )
      await gives('webhook_endpoints.retrieve', { id }, { ...params, id, secret: null })
      const types = ['payment_intent.succeeded', 'charge.refunded']
      const change = { enabled_events: types, description: 'Sales' }
      await gives('webhook_endpoints.update', { id, params: change }, { id, ...change })
      await gives('webhook_endpoints.update', { id, params: { disabled: true } }, { status: 'disabled' })
      await gives('webhook_endpoints.update', { id, params: { disabled: false } }, { status: 'enabled' })
      await gives('webhook_endpoints.list', {}, [{ id, description: 'Sales' }])
      await gives('webhook_endpoints.delete', { id }, { id, deleted: true })
      await raises('webhook_endpoints.retrieve', { id }, 'InvalidRequest', { status: 404, code: 'resource_missing' })
      const unknown = { url, enabled_events: ['customer.created'] }
      const refusal = { status: 400, param: /^enabled_events/, message: /customer\.created/ }
      await raises('webhook_endpoints.create', { params: unknown }, 'InvalidRequest', refusal)
    },
  },
  {
    name: 'an event of a checkout session is believed when it is signed now, and never otherwise',
    async act(part) {
      const { shop, gives, raises } = part
      const { receiver, secret } = await openEndpoint(part, ['checkout.session.completed'])
      const session = await gives('checkout.sessions.create', { params: order }, {})
      await shop.payCheckout(session)
      const [{ body, headers }] = (await receiver.has(1)) as [ReceivedEvent]
      const event = {
        object: 'event',
        type: 'checkout.session.completed',
        livemode: false,
        created: /^\d{10}$/,
        api_version: part.library.api_version,
        data: { object: { object: 'checkout.session', id: session.id, payment_status: 'paid', status: 'complete' } },
      }
      const signature = headers['stripe-signature']
      const believe = (params: object) => gives('webhooks.construct_event', { params }, event)
      await believe({ payload: body, signature, secret })
      const now = Math.floor(Date.now() / 1000)
      await believe({ payload: body, signature: signed(body, secret, now), secret })

      const doubted = [
        { payload: body, signature: signed(body, secret, now - 3_600), secret },
        { payload: body.replace('4200', '4201'), signature, secret },
        { payload: body, signature, secret: `${secret}0` },
        { payload: body, signature: `t=${now},v1=${'0'.repeat(64)}`, secret },
      ]
      for (const params of doubted) await raises('webhooks.construct_event', { params }, 'SignatureVerification', {})
    },
  },
  {
    name: 'each thing that happens is told with its object',
    async act(part) {
      const { shop, gives } = part
      const { receiver, secret } = await openEndpoint(part, ['*'])
      const told = async (type: string, object: Json) => {
        const { body, headers } = await arrival(receiver, type)
        const params = { payload: body, signature: headers['stripe-signature'], secret }
        const event = await gives('webhooks.construct_event', { params }, { type, data: { object } })
        await gives('events.retrieve', { id: event.id }, { id: event.id, type, data: { object } })
        await gives('events.list', { params: { type, limit: 1 } }, [{ id: event.id }])
      }
      const id = await intentPaid(part)
      await told('payment_intent.succeeded', { object: 'payment_intent', id, status: 'succeeded', amount: 4200 })
      await gives('refunds.create', { params: { payment_intent: id, amount: 200 } }, {})
      await told('charge.refunded', { object: 'charge', payment_intent: id, amount_refunded: 200 })

      const other = await gives('payment_intents.create', { params: purchase }, {})
      await shop.pay(other, 'declined')
      const last_payment_error = { type: 'card_error', code: 'card_declined' }
      await told('payment_intent.payment_failed', { object: 'payment_intent', id: other.id, last_payment_error })
      await gives('payment_intents.cancel', { id: other.id }, {})
      await told('payment_intent.canceled', { object: 'payment_intent', id: other.id, status: 'canceled' })

      const held = await shop.payUnverified()
      const status = 'requires_capture'
      const waiting = { object: 'payment_intent', id: held, status, amount_capturable: 4200 }
      await told('payment_intent.amount_capturable_updated', waiting)

      const session = await gives('checkout.sessions.create', { params: order }, {})
      await gives('checkout.sessions.expire', { id: session.id }, {})
      await told('checkout.session.expired', { object: 'checkout.session', id: session.id, status: 'expired' })
    },
  },
  {
    name: 'events are listed, page after page',
    async act(part) {
      for (let count = 0; count < 5; count += 1) await intentPaid(part)
      const types = ['payment_intent.succeeded']
      const all = await part.gives('events.list', { params: { types, limit: 2 } }, { length: 5 })
      if (new Set(all.map(({ id }: Json) => id)).size !== 5) throw new Error('events.list: one came twice')
      await part.gives('events.list', { params: { type: 'charge.refunded' } }, { length: 0 })
    },
  },
]

/** An endpoint of this library's version: only such an event has its objects in every language. */
async function openEndpoint({ shop, library, gives }: Part, enabled_events: string[]) {
  const receiver = await shop.receiver()
  const params = { url: receiver.url, enabled_events, api_version: library.api_version }
  const { secret } = await gives('webhook_endpoints.create', { params }, { secret: /./ })
  return { receiver, secret: secret as string }
}

async function arrival({ received }: WebhookReceiver, type: string): Promise<ReceivedEvent> {
  const ofType = async () => received.find(({ event }) => event.type === type)
  const one = await until(ofType, (one) => one !== undefined).catch(() => undefined)
  if (!one) throw new Error(`${type} never came`)
  return one
}

function signed(body: string, secret: string, at: number): string {
  return `t=${at},v1=${createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')}`
}
