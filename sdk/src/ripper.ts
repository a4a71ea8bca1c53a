// The client: every route that a merchant's server calls, as a method.

import type {
  CheckoutSession,
  CheckoutSessionCreate,
  CheckoutSessionCreated,
  HeldPayment,
  Payment,
  WebhookDelivery,
  WebhookDeliveryQuery,
  WebhookEndpointCreate,
  WebhookEndpointCreated,
  WebhookEndpointList,
  WebhookReplay,
} from './api-types.ts'
import { UsageError } from './errors.ts'
import { openPages, type Pages } from './pages.ts'
import { type CallOptions, openSender, type Send, type WriteOptions } from './send.ts'
import { judgeId, type RipperOptions } from './settings.ts'

export type CheckoutSessions = {
  /** Creates a session; hand its `client_secret` to the shopper's browser. */
  create(body: CheckoutSessionCreate, options?: WriteOptions): Promise<CheckoutSessionCreated>
  retrieve(sessionId: string, options?: CallOptions): Promise<CheckoutSession>
}

export type Payments = {
  retrieve(paymentId: string, options?: CallOptions): Promise<Payment>
  /** Takes the money of a held payment. Where `settlement` is set in the answer, the outcome is not known yet. */
  capture(paymentId: string, options?: WriteOptions): Promise<HeldPayment>
  /** Releases a held payment; nothing is taken. */
  void(paymentId: string, options?: WriteOptions): Promise<HeldPayment>
  /** Marks that a person is looking at a held payment, which goes on waiting. */
  escalate(paymentId: string, options?: WriteOptions): Promise<HeldPayment>
}

export type WebhookEndpoints = {
  /** Keep the answer's `signing_secret`: it is never shown again. */
  create(body: WebhookEndpointCreate, options?: WriteOptions): Promise<WebhookEndpointCreated>
  list(options?: CallOptions): Promise<WebhookEndpointList>
  delete(endpointId: string, options?: WriteOptions): Promise<void>
}

export type WebhookDeliveries = {
  /** One row an attempt, newest first. `limit` is the size of a page; `for await` goes over all of them. */
  list(query?: WebhookDeliveryQuery, options?: CallOptions): Pages<WebhookDelivery>
  /** Sends again what was given up on, as a delivery of its own. */
  replay(deliveryId: string, options?: WriteOptions): Promise<WebhookReplay>
}

/**
 * Calls throw ApiError, ConnectionError or TimeoutError, AbortError where their signal ends them, and UsageError before
 * anything is sent. So does the constructor.
 * The key can be read out of nothing that this makes.
 */
export class Ripper {
  readonly checkout: { readonly sessions: CheckoutSessions }
  readonly payments: Payments
  readonly webhooks: {
    readonly endpoints: WebhookEndpoints
    readonly deliveries: WebhookDeliveries
  }

  /** The key may be undefined for the compiler's sake: so is what stands in the environment. */
  constructor(secretKey: string | undefined, options: RipperOptions) {
    const send = openSender(secretKey, options)
    this.checkout = { sessions: sessions(send) }
    this.payments = payments(send)
    this.webhooks = { endpoints: endpoints(send), deliveries: deliveries(send) }
  }
}

function sessions(send: Send): CheckoutSessions {
  const path = '/v1/checkout/sessions'
  return {
    create: async (body, options) => send({ method: 'POST', path, body: judgeBody(body) }, options),
    retrieve: async (id, options) =>
      send({ method: 'GET', path: `${path}/${judgeId('session', id)}` }, options),
  }
}

function payments(send: Send): Payments {
  const path = (id: string) => `/v1/payments/${judgeId('payment', id)}`
  const decision =
    (verb: string): Payments['capture'] =>
    async (id, options) =>
      send({ method: 'POST', path: `${path(id)}/hold/${verb}` }, options)
  return {
    retrieve: async (id, options) => send({ method: 'GET', path: path(id) }, options),
    capture: decision('capture'),
    void: decision('void'),
    escalate: decision('escalate'),
  }
}

function endpoints(send: Send): WebhookEndpoints {
  const path = '/v1/webhooks/endpoints'
  return {
    create: async (body, options) => send({ method: 'POST', path, body: judgeBody(body) }, options),
    list: async (options) => send({ method: 'GET', path }, options),
    delete: async (id, options) =>
      send({ method: 'DELETE', path: `${path}/${judgeId('endpoint', id)}` }, options),
  }
}

function deliveries(send: Send): WebhookDeliveries {
  const path = '/v1/webhooks/deliveries'
  return {
    list: (query = {}, options) =>
      openPages((after) =>
        // The first page as it was asked for, which may be one in the middle.
        send(
          { method: 'GET', path, query: after === undefined ? query : { ...query, after } },
          options,
        ),
      ),
    replay: async (id, options) =>
      send({ method: 'POST', path: `${path}/${judgeId('delivery', id)}/replay` }, options),
  }
}

function judgeBody<Body extends object>(body: Body): Body {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body
  throw new UsageError('It takes an object: the body that is sent.')
}
