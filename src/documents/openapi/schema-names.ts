// The names of the API's types. A shape has a name if it is a whole request or answer, or if it occurs in several places.

import { browserNames as browser, compatibleNames as compatible, type SchemaName } from './other-schema-names.ts'

const bodies: SchemaName[] = [
  {
    name: 'CheckoutSessionCreate',
    at: 'create_a_checkout_session.request',
    note: 'The body that creates a checkout session.',
  },
  {
    name: 'CheckoutSessionCreated',
    at: 'create_a_checkout_session.answer',
    note: 'A new session. Only here it has its client_secret.',
  },
  {
    name: 'CheckoutSession',
    at: 'read_a_checkout_session.answer',
    note: 'A session and its state.',
  },
  {
    name: 'ListedCheckoutSession',
    at: 'list_checkout_sessions.answer.data[]',
    note: 'A session in a list: as it is read, without items and metadata.',
  },
  {
    name: 'CheckoutSessionPage',
    at: 'list_checkout_sessions.answer',
    note: 'A page of sessions, newest first.',
  },
  { name: 'Payment', at: 'read_a_payment.answer', note: 'The outcome of one confirmed attempt.' },
  {
    name: 'ListedPayment',
    at: 'list_payments.answer.data[]',
    note: 'A payment in a list: as it is read, without items, with its card.',
  },
  {
    name: 'PaymentPage',
    at: 'list_payments.answer',
    note: 'A page of payments, newest first.',
  },
  {
    name: 'EventPage',
    at: 'list_events.answer',
    note: 'A page of events, newest first, each as receivers get it.',
  },
  {
    name: 'HeldPayment',
    at: 'capture_a_held_payment.answer',
    note: 'A payment that is or was held, with its hold.',
  },
  {
    name: 'RefundCreate',
    at: 'refund_a_captured_payment.request',
    note: 'The body that refunds a captured payment.',
  },
  {
    name: 'Refund',
    at: 'refund_a_captured_payment.answer',
    note: 'Money of a payment that is given back.',
  },
  {
    name: 'RefundList',
    at: 'list_the_refunds_of_a_payment.answer',
    note: 'All refunds of a payment, newest first.',
  },
  {
    name: 'WebhookEndpointCreate',
    at: 'register_a_webhook_endpoint.request',
    note: 'The body that registers a webhook endpoint.',
  },
  {
    name: 'WebhookEndpoint',
    at: 'list_webhook_endpoints.answer.endpoints[]',
    note: 'Where events are posted to.',
  },
  {
    name: 'WebhookEndpointCreated',
    at: 'register_a_webhook_endpoint.answer',
    note: 'A new endpoint. Only here it has its signing_secret.',
  },
  {
    name: 'WebhookEndpointList',
    at: 'list_webhook_endpoints.answer',
    note: 'All active endpoints.',
  },
  {
    name: 'WebhookDelivery',
    at: 'list_webhook_deliveries.answer.data[]',
    note: 'One attempt to deliver an event.',
  },
  {
    name: 'WebhookDeliveryPage',
    at: 'list_webhook_deliveries.answer',
    note: 'A page of attempts, newest first.',
  },
  {
    name: 'WebhookReplay',
    at: 'replay_a_dead_lettered_delivery.answer',
    note: 'A replay: a new delivery of a dead-lettered event.',
  },
]

const parts: SchemaName[] = [
  {
    name: 'ItemCreate',
    at: 'CheckoutSessionCreate.items[]',
    note: 'A line of a basket, as it is sent.',
  },
  { name: 'CustomerCreate', at: 'CheckoutSessionCreate.customer', note: 'The shopper, as sent.' },
  { name: 'Item', at: 'CheckoutSession.items[]', note: 'A line of a basket.' },
  { name: 'Customer', at: 'CheckoutSession.customer', note: 'The shopper.' },
  { name: 'Decline', at: 'CheckoutSession.last_decline', note: 'Why nothing was taken.' },
  {
    name: 'Hold',
    at: 'CheckoutSession.hold',
    note: 'Why a payment waits for a decision, until when, and what was decided.',
  },
  {
    name: 'HoldOperationRefusal',
    at: 'Hold.operation_refusal',
    note: 'Why the acquirer refused the last capture or void of a hold.',
  },
  {
    name: 'Card',
    at: 'ListedPayment.card',
    note: 'A card as it is shown: its brand and last four digits.',
  },
  {
    name: 'Authentication',
    at: 'Payment.authentication',
    note: 'What 3-D Secure found of the cardholder.',
  },
]

const refunds: SchemaName[] = [
  {
    name: 'RefundFailure',
    at: 'Refund.failure',
    note: 'Why a refund failed.',
  },
]

/** What is said of them is what their events are described by. */
const events: SchemaName[] = [
  { name: 'PaymentCapturedEvent', at: 'payment_captured.event' },
  { name: 'PaymentHeldEvent', at: 'payment_held.event' },
  { name: 'PaymentVoidedEvent', at: 'payment_voided.event' },
  { name: 'PaymentDeclinedEvent', at: 'payment_declined.event' },
  { name: 'PaymentFailedEvent', at: 'payment_failed.event' },
  { name: 'RefundSucceededEvent', at: 'refund_succeeded.event' },
  { name: 'RefundFailedEvent', at: 'refund_failed.event' },
]

const streams: SchemaName[] = [
  {
    name: 'EventStreamMessage',
    at: 'listen_to_events.answer',
    note: 'A message of the event stream.',
  },
  {
    name: 'RequestStreamMessage',
    at: 'listen_to_requests.answer',
    note: 'A message of the stream of requests.',
  },
  {
    name: 'StreamReady',
    at: 'listen_to_events.answer|ready',
    note: 'The first message: the stream begins here.',
  },
  {
    name: 'StreamRefused',
    at: 'listen_to_events.answer|refused',
    note: 'The last message, sent when the caller may not listen any more.',
  },
]

/** In the order of the reference. */
export const schemaNames: readonly SchemaName[] = [
  ...bodies,
  ...parts,
  ...refunds,
  ...events,
  ...streams,
  ...browser,
  ...compatible,
]
