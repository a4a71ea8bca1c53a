// The names of the types that pages and the other platform's clients use, and what a name says.

/** `at` is one place of the shape: an operation's id and side, or an earlier type, then members. `[]` is an entry of a list. */
export type SchemaName = { name: string; at: string; note?: string }

export const browserNames: SchemaName[] = [
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

export const compatibleNames: SchemaName[] = [
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
