// The client: every route that a merchant's server calls, as a method.

import type {
  CheckoutSession,
  CheckoutSessionCreate,
  CheckoutSessionCreated,
  CheckoutSessionQuery,
  Dispute,
  DisputeQuery,
  EventQuery,
  HeldPayment,
  ListedCheckoutSession,
  ListedPayment,
  Payment,
  PaymentLink,
  PaymentLinkCreate,
  PaymentLinkQuery,
  PaymentQuery,
  Payout,
  PayoutQuery,
  Refund,
  RefundCreate,
  RefundList,
  WebhookDelivery,
  WebhookDeliveryQuery,
  WebhookEndpointCreate,
  WebhookEndpointCreated,
  WebhookEndpointList,
  WebhookEvent,
  WebhookReplay,
} from './api-types.ts'
import { UsageError } from './errors.ts'
import { openPages, type Page, type Pages } from './pages.ts'
import { type CallOptions, openSender, type Send, type WriteOptions } from './send.ts'
import { type RipperOptions, validateId } from './settings.ts'

export type CheckoutSessions = {
  /** Creates a session. Give its `client_secret` to the shopper's browser. */
  create(body: CheckoutSessionCreate, options?: WriteOptions): Promise<CheckoutSessionCreated>
  retrieve(session_id: string, options?: CallOptions): Promise<CheckoutSession>
  /** Newest first. A page may have fewer rows than `limit`, even none, and still more behind it: `for await` goes over all. */
  list(query?: CheckoutSessionQuery, options?: CallOptions): Pages<ListedCheckoutSession>
  /** Ends an unpaid session at once, as if its time were over: nobody can pay it any more. */
  expire(session_id: string, options?: WriteOptions): Promise<CheckoutSession>
}

export type Payments = {
  retrieve(payment_id: string, options?: CallOptions): Promise<Payment>
  /** Newest first. A page may have fewer rows than `limit`, even none, and still more behind it: `for await` goes over all. */
  list(query?: PaymentQuery, options?: CallOptions): Pages<ListedPayment>
  /**
   * Takes the money of a held payment, or the `amount` of it that is named; the rest is released. If the answer has a `settlement`,
   * the outcome is not known yet.
   */
  capture(payment_id: string, options?: WriteOptions & { amount?: number }): Promise<HeldPayment>
  /** Releases a held payment: nothing is taken. Here, too, a `settlement` says that the outcome is not known yet. */
  void(payment_id: string, options?: WriteOptions): Promise<HeldPayment>
  /** Marks a held payment as being looked at by a person. It still waits for a decision. */
  escalate(payment_id: string, options?: WriteOptions): Promise<HeldPayment>
}

export type Refunds = {
  /** Refunds a captured payment; all that is left where the body names no amount. A `pending` refund is settled later. */
  create(payment_id: string, body?: RefundCreate, options?: WriteOptions): Promise<Refund>
  retrieve(refund_id: string, options?: CallOptions): Promise<Refund>
  /** All refunds of a payment, newest first. */
  list(payment_id: string, options?: CallOptions): Promise<RefundList>
}

export type PaymentLinks = {
  /** Makes an address by which shoppers pay one amount: the answer's `url`. */
  create(body: PaymentLinkCreate, options?: WriteOptions): Promise<PaymentLink>
  retrieve(payment_link_id: string, options?: CallOptions): Promise<PaymentLink>
  /** Newest first. A page may have fewer rows than `limit`, even none, and still more behind it: `for await` goes over all. */
  list(query?: PaymentLinkQuery, options?: CallOptions): Pages<PaymentLink>
  /** Withdraws a link for good: nobody can begin to pay by it any more. */
  disable(payment_link_id: string, options?: WriteOptions): Promise<PaymentLink>
}

export type Disputes = {
  retrieve(dispute_id: string, options?: CallOptions): Promise<Dispute>
  /** Newest first. A page may have fewer rows than `limit`, even none, and still more behind it: `for await` goes over all. */
  list(query?: DisputeQuery, options?: CallOptions): Pages<Dispute>
}

export type Payouts = {
  /** What acquirers paid out, by the reports that were read: those read last first. */
  list(query?: PayoutQuery, options?: CallOptions): Pages<Payout>
}

export type Events = {
  /** Events as receivers get them, newest first, whether or not an endpoint was told. */
  list(query?: EventQuery, options?: CallOptions): Pages<WebhookEvent>
}

export type WebhookEndpoints = {
  /** Keep the answer's `signing_secret`: it is never shown again. */
  create(body: WebhookEndpointCreate, options?: WriteOptions): Promise<WebhookEndpointCreated>
  list(options?: CallOptions): Promise<WebhookEndpointList>
  delete(endpoint_id: string, options?: WriteOptions): Promise<void>
}

export type WebhookDeliveries = {
  /** One row for each attempt, newest first. `limit` is the size of a page; `for await` goes over all pages. */
  list(query?: WebhookDeliveryQuery, options?: CallOptions): Pages<WebhookDelivery>
  /** Sends a dead-lettered delivery again, as a new delivery. */
  replay(delivery_id: string, options?: WriteOptions): Promise<WebhookReplay>
}

/**
 * Calls throw ApiError, ConnectionError or TimeoutError, AbortError if their signal ends them, and UsageError before anything is
 * sent. The constructor throws UsageError, too. The key cannot be read from a client, an answer or an error.
 */
export class Ripper {
  readonly checkout: { readonly sessions: CheckoutSessions }
  readonly payments: Payments
  readonly refunds: Refunds
  readonly payment_links: PaymentLinks
  readonly disputes: Disputes
  readonly payouts: Payouts
  readonly events: Events
  readonly webhooks: {
    readonly endpoints: WebhookEndpoints
    readonly deliveries: WebhookDeliveries
  }

  /** The key may be undefined for the compiler only, because variables of the environment may be. */
  constructor(secret_key: string | undefined, options: RipperOptions) {
    const send = openSender(secret_key, options)
    this.checkout = { sessions: sessions(send) }
    this.payments = payments(send)
    this.refunds = refunds(send)
    this.payment_links = paymentLinks(send)
    this.disputes = disputes(send)
    this.payouts = { list: pagesAt(send, '/v1/payouts') }
    this.events = { list: pagesAt(send, '/v1/events') }
    this.webhooks = { endpoints: endpoints(send), deliveries: deliveries(send) }
  }
}

function sessions(send: Send): CheckoutSessions {
  const path = '/v1/checkout/sessions'
  const at = (id: string) => `${path}/${validateId('session', id)}`
  return {
    create: async (body, options) => send({ method: 'POST', path, body: judgeBody(body) }, options),
    retrieve: async (id, options) => send({ method: 'GET', path: at(id) }, options),
    list: pagesAt(send, path),
    expire: async (id, options) => send({ method: 'POST', path: `${at(id)}/expire` }, options),
  }
}

function payments(send: Send): Payments {
  const path = (id: string) => `/v1/payments/${validateId('payment', id)}`
  const decision =
    (verb: string): Payments['void'] =>
    async (id, options) =>
      send({ method: 'POST', path: `${path(id)}/hold/${verb}` }, options)
  return {
    retrieve: async (id, options) => send({ method: 'GET', path: path(id) }, options),
    list: pagesAt(send, '/v1/payments'),
    // Options that are no object are refused where they are sent.
    capture: async (id, options) => {
      if (!options || options.amount === undefined) return decision('capture')(id, options)
      const { amount, ...rest } = options
      return send({ method: 'POST', path: `${path(id)}/hold/capture`, body: { amount } }, rest)
    },
    void: decision('void'),
    escalate: decision('escalate'),
  }
}

function refunds(send: Send): Refunds {
  const path = (id: string) => `/v1/payments/${validateId('payment', id)}/refunds`
  return {
    create: async (id, body = {}, options) => send({ method: 'POST', path: path(id), body: judgeBody(body) }, options),
    retrieve: async (id, options) => send({ method: 'GET', path: `/v1/refunds/${validateId('refund', id)}` }, options),
    list: async (id, options) => send({ method: 'GET', path: path(id) }, options),
  }
}

function paymentLinks(send: Send): PaymentLinks {
  const path = '/v1/payment_links'
  const at = (id: string) => `${path}/${validateId('payment_link', id)}`
  return {
    create: async (body, options) => send({ method: 'POST', path, body: judgeBody(body) }, options),
    retrieve: async (id, options) => send({ method: 'GET', path: at(id) }, options),
    list: pagesAt(send, path),
    disable: async (id, options) => send({ method: 'POST', path: `${at(id)}/disable` }, options),
  }
}

function disputes(send: Send): Disputes {
  const path = '/v1/disputes'
  return {
    retrieve: async (id, options) => send({ method: 'GET', path: `${path}/${validateId('dispute', id)}` }, options),
    list: pagesAt(send, path),
  }
}

function endpoints(send: Send): WebhookEndpoints {
  const path = '/v1/webhooks/endpoints'
  return {
    create: async (body, options) => send({ method: 'POST', path, body: judgeBody(body) }, options),
    list: async (options) => send({ method: 'GET', path }, options),
    delete: async (id, options) => send({ method: 'DELETE', path: `${path}/${validateId('endpoint', id)}` }, options),
  }
}

function deliveries(send: Send): WebhookDeliveries {
  const path = '/v1/webhooks/deliveries'
  return {
    list: pagesAt(send, path),
    replay: async (id, options) =>
      send({ method: 'POST', path: `${path}/${validateId('delivery', id)}/replay` }, options),
  }
}

/** The list at a path. The caller's own query may begin with a page in the middle. */
function pagesAt<Query extends object, Row>(send: Send, path: string) {
  return (query?: Query, options?: CallOptions): Pages<Row> =>
    openPages((after) => {
      // What is no query at all is left as it is, to be refused as such.
      const asked = after === undefined ? query : { ...query, after }
      return send<Page<Row>>({ method: 'GET', path, query: asked }, options)
    })
}

function judgeBody<Body extends object>(body: Body): Body {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body
  throw new UsageError('The body must be an object.')
}
