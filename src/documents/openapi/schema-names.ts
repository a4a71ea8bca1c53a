// The names of the API's types. A shape has a name if it is a whole request or answer, or if it occurs in several places.

/** `at` is one place of the shape: an operation's id and side, or an earlier type, then members. `[]` is an entry of a list. */
export type SchemaName = { name: string; at: string; note?: string }

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
  { name: 'Payment', at: 'read_a_payment.answer', note: 'The outcome of one confirmed attempt.' },
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
  { name: 'Refund', at: 'read_a_refund.answer', note: 'Money of a payment that is given back.' },
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

const browser: SchemaName[] = [
  {
    name: 'CheckoutConfiguration',
    at: 'read_the_checkout_configuration.answer',
    note: 'The configuration of a checkout.',
  },
  {
    name: 'PaymentMethodList',
    at: 'read_the_payment_methods.answer',
    note: 'The payment methods of an integration.',
  },
  {
    name: 'PaymentMethod',
    at: 'PaymentMethodList.methods[]',
    note: 'A payment method with its brands.',
  },
  {
    name: 'BrowserSessionCreate',
    at: 'create_a_session_from_a_page.request',
    note: 'The body with which a page creates a session.',
  },
  {
    name: 'HostedPageSessionCreate',
    at: 'create_a_session_from_the_hosted_page.request',
    note: 'The body with which the hosted page creates a session.',
  },
  {
    name: 'BrowserCustomerCreate',
    at: 'BrowserSessionCreate.customer',
    note: 'The shopper, as a page sends it.',
  },
  {
    name: 'BrowserSessionCreated',
    at: 'create_a_session_from_a_page.answer',
    note: 'A new session of a page. Only here it has its client_secret.',
  },
  {
    name: 'SessionState',
    at: 'resume_a_session.answer',
    note: 'What a page needs to resume a session.',
  },
  {
    name: 'RecordedResult',
    at: 'SessionState.result',
    note: 'The outcome of a charge, read again. It has no email.',
  },
  {
    name: 'ResultAttempt',
    at: 'RecordedResult.attempt',
    note: 'The attempt that was charged.',
  },
  { name: 'Attempt', at: 'SessionState.attempt', note: 'A try to pay, with its card.' },
  {
    name: 'ThreeDs',
    at: 'SessionState.three_ds',
    note: 'The progress of 3-D Secure for an attempt.',
  },
  { name: 'Links', at: 'SessionState.links', note: 'The merchant’s links below the checkout.' },
  {
    name: 'CardReferenceCreate',
    at: 'exchange_a_card_for_a_one_session_reference.request',
    note: 'A card, as the card fields send it.',
  },
  {
    name: 'CardReference',
    at: 'exchange_a_card_for_a_one_session_reference.answer',
    note: 'A reference to a card, for one session.',
  },
  {
    name: 'AuthenticateRequest',
    at: 'open_an_attempt_and_start_3_d_secure.request',
    note: 'The body that opens an attempt: a card reference, and what banks want to know of the browser.',
  },
  {
    name: 'AuthenticateResult',
    at: 'open_an_attempt_and_start_3_d_secure.answer',
    note: 'The attempt, with the answer or the demand of its bank.',
  },
  {
    name: 'ConfirmRequest',
    at: 'charge_the_authenticated_attempt.request',
    note: 'The body that charges the authenticated attempt.',
  },
  {
    name: 'ConfirmResult',
    at: 'charge_the_authenticated_attempt.answer',
    note: 'The outcome of a charge, for the page.',
  },
]

const compatible: SchemaName[] = [
  {
    name: 'PaymentIntentCreate',
    at: 'create_a_payment_intent.request',
    note: 'The body that creates a session as a payment intent.',
  },
  {
    name: 'PaymentIntent',
    at: 'create_a_payment_intent.answer',
    note: 'A session in the other platform’s words.',
  },
  {
    name: 'CompatibleRefundCreate',
    at: 'refund_a_payment_intent.request',
    note: 'The body that refunds a payment intent.',
  },
  {
    name: 'CompatibleRefund',
    at: 'refund_a_payment_intent.answer',
    note: 'A refund in the other platform’s words.',
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
