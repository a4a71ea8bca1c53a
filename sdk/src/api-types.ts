// The API's bodies, replies and events as types. Made from the service's schemas by `npm run docs`.

/** ISO 8601 with an offset, such as `2026-09-01T12:00:00.0000000+00:00`. */
export type Timestamp = string

/** Every code with which the service may refuse a merchant’s server. /docs of the service says when. */
export type ErrorCode =
  | 'unauthorized'
  | 'unknown_principal'
  | 'key_revoked'
  | 'key_expired'
  | 'key_ip_blocked'
  | 'key_origin_blocked'
  | 'public_key_missing'
  | 'permission_denied'
  | 'key_permission_denied'
  | 'idempotency_key_missing'
  | 'invalid_idempotency_key'
  | 'idempotency_key_in_use'
  | 'idempotency_key_reused'
  | 'merchant_not_active'
  | 'resource_not_found'
  | 'card_data_rejected'
  | 'metadata_too_large'
  | 'invalid_request'
  | 'invalid_url'
  | 'unknown_event_type'
  | 'invalid_status'
  | 'invalid_pagination'
  | 'key_live_only'
  | 'acquiring_profile_incomplete'
  | 'rate_limit_exceeded'
  | 'session_completed'
  | 'session_processing'
  | 'hold_already_decided'
  | 'operation_refused'
  | 'payment_not_refundable'
  | 'payment_disputed'
  | 'refund_exceeds_captured'
  | 'delivery_not_found'
  | 'delivery_not_dead_lettered'
  | 'endpoint_not_found'
  | 'replay_chain_broken'
  | 'replay_window_expired'
  | 'replay_in_progress'
  | 'store_unavailable'
  | 'idempotency_store_unavailable'
  | 'internal_error'

/** The events of payments that merchants get: a closed list. */
export type EventType = 'payment.captured' | 'payment.held' | 'payment.voided' | 'payment.declined' | 'payment.failed'

/** Events that only endpoints get that name them in `extension_events`. */
export type ExtensionEventType = 'refund.succeeded' | 'refund.failed' | 'dispute.opened' | 'dispute.closed'

/** The events of an endpoint with `event_format: "stripe"`. */
export type CompatibleEventType =
  | 'charge.dispute.closed'
  | 'charge.dispute.created'
  | 'charge.refunded'
  | 'checkout.session.async_payment_failed'
  | 'checkout.session.async_payment_succeeded'
  | 'checkout.session.completed'
  | 'checkout.session.expired'
  | 'payment_intent.amount_capturable_updated'
  | 'payment_intent.canceled'
  | 'payment_intent.payment_failed'
  | 'payment_intent.succeeded'
  | 'refund.failed'

/** A line of a basket, as it is sent. */
export type ItemCreate = {
  kind?: 'product' | 'shipping' | 'discount' | 'fee' | null
  /** a line needs a sku or a name */
  sku?: string | null
  /** required where the line has a unit_amount */
  name?: string | null
  quantity: number
  /** tax inclusive; times quantity at most 99999999999 */
  unit_amount?: number | null
  /** at most quantity times unit_amount */
  tax_amount?: number | null
  /** in basis points */
  tax_rate?: number | null
  type?: string | null
}

/** The shopper, as sent. */
export type CustomerCreate = {
  email?: string | null
  name?: string | null
  account_id?: string | null
  metadata?: Record<string, string> | null
}

/** A line of a basket. */
export type Item = {
  kind: 'product' | 'shipping' | 'discount' | 'fee'
  sku: string | null
  name: string | null
  quantity: number
  unit_amount: number | null
  tax_amount: number | null
  tax_rate: number | null
  type: string | null
}

/** The shopper. */
export type Customer = {
  email: string | null
  name: string | null
  account_created: Timestamp | null
  account_id: string | null
  metadata: Record<string, string> | null
}

/** A card as it is shown: its brand and last four digits. */
export type Card = {
  brand: string
  last4: string
}

/** Why nothing was taken. */
export type Decline = {
  code: string
  category: string | null
  reason: string | null
}

/** Why a payment waits for a decision, until when, and what was decided. */
export type Hold = {
  status: 'pending_review' | 'escalated' | 'captured' | 'voided'
  reason: 'no_price_list' | 'mismatch' | 'manual_capture'
  detail: string | null
  deadline: Timestamp
  decided_by: string | null
  decided_at: Timestamp | null
  operation_refusal: {
    kind: string
    sequence: number
    reason: string
    decline_code: string | null
    at: Timestamp
  } | null
}

/** The body that creates a checkout session. */
export type CheckoutSessionCreate = {
  /** in minor units */
  amount: number
  /** ISO 4217, in any case */
  currency: string
  items?: ItemCreate[] | null
  customer?: CustomerCreate | null
  metadata?: Record<string, string> | null
  statement_descriptor_suffix?: string | null
  order_reference?: string | null
  /** https, on one of the default integration's allowed origins */
  confirmation_url?: string | null
}

/** A new session. Only here it has its client_secret. */
export type CheckoutSessionCreated = {
  id: string
  client_secret: string
  status: string
  mode: 'test' | 'live'
  amount: number
  currency: string
  public_key: string
  config_url: string
  created_at: Timestamp
  expires_at: Timestamp
  expires_in_seconds: number
}

/** A session and its state. */
export type CheckoutSession = {
  id: string
  status: 'requires_payment' | 'processing' | 'succeeded' | 'declined' | 'expired'
  mode: 'test' | 'live'
  amount: number
  currency: string
  items: Item[] | null
  basket_total: number | null
  tax_total: number | null
  customer: Customer | null
  metadata: Record<string, string>
  attempt_count: number
  last_decline: Decline | null
  payment_id: string | null
  settlement: 'awaiting_reconciliation' | null
  created_at: Timestamp
  expires_at: Timestamp
  expires_in_seconds: number
  integration: string | null
  minted_by: 'server' | 'client' | null
  amount_verified: boolean
  amount_verification_source: string
  amount_verification_detail: string | null
  hold: Hold | null
}

/** A session in a list: as it is read, without items and metadata. */
export type ListedCheckoutSession = {
  id: string
  status: 'requires_payment' | 'processing' | 'succeeded' | 'declined' | 'expired'
  mode: 'test' | 'live'
  amount: number
  currency: string
  basket_total: number | null
  tax_total: number | null
  customer: Customer | null
  attempt_count: number
  last_decline: Decline | null
  payment_id: string | null
  settlement: 'awaiting_reconciliation' | null
  created_at: Timestamp
  expires_at: Timestamp
  expires_in_seconds: number
  integration: string | null
  minted_by: 'server' | 'client' | null
  amount_verified: boolean
  amount_verification_source: string
  amount_verification_detail: string | null
  hold: Hold | null
  order_reference: string | null
}

/** A page of sessions, newest first. */
export type CheckoutSessionPage = {
  data: ListedCheckoutSession[]
  has_more: boolean
  next_cursor: string | null
}

/** Which sessions are listed; all without any. */
export type CheckoutSessionQuery = {
  limit?: number
  /** next_cursor of the page before, with the same filters */
  after?: string
  mode?: 'test' | 'live'
  /** at that time or later */
  created_from?: Timestamp
  /** before that time */
  created_before?: Timestamp
  status?: 'requires_payment' | 'processing' | 'succeeded' | 'declined' | 'expired'
  order_reference?: string
}

/** The outcome of one confirmed attempt. */
export type Payment = {
  id: string
  checkout_session_id: string | null
  status: 'captured' | 'held' | 'voided' | 'pending' | 'declined' | 'failed'
  amount: number
  /** what was taken, where that is less than `amount`, which was authorised; else absent */
  captured_amount?: number
  currency: string | null
  mode: 'test' | 'live'
  decline: Decline | null
  authentication?: {
    outcome: 'Authenticated' | 'Attempted' | 'Failed'
    liability_shifted: boolean
    eci: string | null
  }
  acquirer_transaction_id: string | null
  created_at: Timestamp
  executed_at: Timestamp | null
  amount_verified: boolean
  capture_state: 'captured' | 'authorised' | 'voided' | null
  items: Item[] | null
  basket_total: number | null
  tax_total: number | null
  customer: Customer | null
  /** as sent when the session was created */
  metadata: Record<string, string>
  order_reference: string | null
  /** captured payments with this order_reference, this one included: 2 or more are almost always a double payment; null without a reference */
  order_reference_captured_payments: number | null
  /** what was refunded, pending refunds included; absent where nothing was */
  refunded_amount?: number
  /** what of `refunded_amount` is not given back yet; absent where no refund is pending */
  pending_refund_amount?: number
  /** what was to be refunded, failed, and was not given back since; a refund that was tried again counts once; absent where none */
  failed_refund_amount?: number
  /** what its acquirer paid out for it, by the reports that were read; absent where none has it */
  payouts?: PaidOut[]
}

/** A payment in a list: as it is read, without items, with its card. */
export type ListedPayment = {
  id: string
  checkout_session_id: string | null
  status: 'captured' | 'held' | 'voided' | 'pending' | 'declined' | 'failed'
  amount: number
  /** what was taken, where that is less than `amount`, which was authorised; else absent */
  captured_amount?: number
  currency: string | null
  mode: 'test' | 'live'
  decline: Decline | null
  authentication?: {
    outcome: 'Authenticated' | 'Attempted' | 'Failed'
    liability_shifted: boolean
    eci: string | null
  }
  acquirer_transaction_id: string | null
  created_at: Timestamp
  executed_at: Timestamp | null
  amount_verified: boolean
  capture_state: 'captured' | 'authorised' | 'voided' | null
  basket_total: number | null
  tax_total: number | null
  customer: Customer | null
  /** as sent when the session was created */
  metadata: Record<string, string>
  order_reference: string | null
  /** among the newest 50 of the order reference */
  order_reference_captured_payments: number | null
  /** what was refunded, pending refunds included; absent where nothing was */
  refunded_amount?: number
  /** what of `refunded_amount` is not given back yet; absent where no refund is pending */
  pending_refund_amount?: number
  /** what was to be refunded, failed, and was not given back since; a refund that was tried again counts once; absent where none */
  failed_refund_amount?: number
  /** what its acquirer paid out for it, by the reports that were read; absent where none has it */
  payouts?: PaidOut[]
  card: Card | null
}

/** A page of payments, newest first. */
export type PaymentPage = {
  data: ListedPayment[]
  has_more: boolean
  next_cursor: string | null
}

/** Which payments are listed; all without any. */
export type PaymentQuery = {
  limit?: number
  /** next_cursor of the page before, with the same filters */
  after?: string
  mode?: 'test' | 'live'
  /** at that time or later */
  created_from?: Timestamp
  /** before that time */
  created_before?: Timestamp
  status?: 'captured' | 'held' | 'voided' | 'pending' | 'declined' | 'failed'
  /** without regard to case */
  customer_email?: string
  card_last4?: string
  order_reference?: string
  /** in minor units */
  amount?: number
  /** ISO 4217, in any case */
  currency?: string
  decline_code?: string
  /** whether something of it was refunded */
  refunded?: boolean
}

/** Which events are listed; all without any. */
export type EventQuery = {
  limit?: number
  /** next_cursor of the page before, with the same filters */
  after?: string
  mode?: 'test' | 'live'
  /** at that time or later */
  created_from?: Timestamp
  /** before that time */
  created_before?: Timestamp
  type?:
    | 'payment.captured'
    | 'payment.held'
    | 'payment.voided'
    | 'payment.declined'
    | 'payment.failed'
    | 'refund.succeeded'
    | 'refund.failed'
    | 'dispute.opened'
    | 'dispute.closed'
  /** its events and those of its refunds and disputes */
  payment_id?: string
}

/** A payment that is or was held, with its hold. */
export type HeldPayment = {
  id: string
  checkout_session_id: string | null
  status: 'captured' | 'held' | 'voided' | 'pending' | 'declined' | 'failed'
  amount: number
  /** what was taken, where that is less than `amount`, which was authorised; else absent */
  captured_amount?: number
  currency: string | null
  mode: 'test' | 'live'
  decline: Decline | null
  authentication?: {
    outcome: 'Authenticated' | 'Attempted' | 'Failed'
    liability_shifted: boolean
    eci: string | null
  }
  acquirer_transaction_id: string | null
  created_at: Timestamp
  executed_at: Timestamp | null
  amount_verified: boolean
  capture_state: 'captured' | 'authorised' | 'voided' | null
  items: Item[] | null
  basket_total: number | null
  tax_total: number | null
  customer: Customer | null
  /** as sent when the session was created */
  metadata: Record<string, string>
  order_reference: string | null
  /** captured payments with this order_reference, this one included: 2 or more are almost always a double payment; null without a reference */
  order_reference_captured_payments: number | null
  /** what was refunded, pending refunds included; absent where nothing was */
  refunded_amount?: number
  /** what of `refunded_amount` is not given back yet; absent where no refund is pending */
  pending_refund_amount?: number
  /** what was to be refunded, failed, and was not given back since; a refund that was tried again counts once; absent where none */
  failed_refund_amount?: number
  /** what its acquirer paid out for it, by the reports that were read; absent where none has it */
  payouts?: PaidOut[]
  hold: Hold
  settlement: 'awaiting_reconciliation' | null
}

/** Why a refund failed. */
export type RefundFailure = {
  code: string
  reason: string
}

/** The body that refunds a captured payment. */
export type RefundCreate = {
  /** in minor units; all that is left by default */
  amount?: number
  /** your own words, which come back */
  reason?: string | null
  /** true to refund although a dispute of the payment is open or lost */
  accept_dispute?: boolean
}

/** Money of a payment that is given back. */
export type Refund = {
  id: string
  payment_id: string
  /** in minor units */
  amount: number
  currency: string
  mode: 'test' | 'live'
  status: 'pending' | 'succeeded' | 'failed'
  reason: string | null
  failure: RefundFailure | null
  created_at: Timestamp
  settled_at: Timestamp | null
}

/** All refunds of a payment, newest first. */
export type RefundList = {
  refunds: Refund[]
}

/** Money of a payment that the shopper’s bank wants back. */
export type Dispute = {
  id: string
  payment_id: string
  status: 'needs_response' | 'under_review' | 'won' | 'lost' | 'closed'
  /** the acquirer’s words */
  reason: string | null
  /** in minor units; may be less than the payment */
  amount: number
  currency: string
  mode: 'test' | 'live'
  /** until when you may respond, where the acquirer says it */
  respond_by: Timestamp | null
  opened_at: Timestamp
  closed_at: Timestamp | null
  /** where you respond, at the acquirer */
  vendor_url: string | null
}

/** A page of disputes, the newest first. */
export type DisputePage = {
  data: Dispute[]
  has_more: boolean
  next_cursor: string | null
}

/** Which disputes are listed; all without any. */
export type DisputeQuery = {
  limit?: number
  /** next_cursor of the page before, with the same filters */
  after?: string
  mode?: 'test' | 'live'
  /** opened at that time or later */
  created_from?: Timestamp
  /** opened before that time */
  created_before?: Timestamp
  status?: 'needs_response' | 'under_review' | 'won' | 'lost' | 'closed'
  payment_id?: string
}

/** The body that makes a payment link. */
export type PaymentLinkCreate = {
  /** in minor units */
  amount: number
  /** ISO 4217, in any case */
  currency: string
  items?: ItemCreate[] | null
  order_reference?: string | null
  /** what is paid for; the page shows it */
  description?: string | null
  /** within five years; never where it is left out */
  expires_at?: Timestamp | null
  /** any number where it is left out */
  max_payments?: number | null
}

/** An address by which shoppers pay one amount. */
export type PaymentLink = {
  id: string
  /** the address of its page */
  url: string
  status: 'active' | 'completed' | 'expired' | 'disabled'
  mode: 'test' | 'live'
  /** in minor units */
  amount: number
  currency: string
  items: Item[] | null
  order_reference: string | null
  description: string | null
  /** null for any number */
  max_payments: number | null
  /** payments that are captured, held or being charged */
  payments_count: number
  created_at: Timestamp
  expires_at: Timestamp | null
}

/** A page of payment links, newest first. */
export type PaymentLinkPage = {
  data: PaymentLink[]
  has_more: boolean
  next_cursor: string | null
}

/** Which payment links are listed; all without any. */
export type PaymentLinkQuery = {
  limit?: number
  /** next_cursor of the page before, with the same filters */
  after?: string
  mode?: 'test' | 'live'
  /** at that time or later */
  created_from?: Timestamp
  /** before that time */
  created_before?: Timestamp
  status?: 'active' | 'completed' | 'expired' | 'disabled'
}

/** What of a payment, or of a refund or dispute of it, was paid out. Amounts are in minor units. */
export type PaidOut = {
  payout_id: string
  kind: 'payment' | 'refund' | 'dispute' | 'fee'
  /** of a refund negative */
  gross: number
  fee: number
  /** gross less fee */
  net: number
  /** the payout's */
  currency: string
  /** units of the payout's currency for one of the payment's; absent where they are the same */
  exchange_rate?: number
  paid_on: string | null
}

/** What an acquirer paid out at once, by its report. Amounts are in minor units. */
export type Payout = {
  id: string
  /** its label */
  connection: string
  vendor_id: string
  currency: string
  gross: number
  fee: number
  /** gross less fee: what the bank got */
  net: number
  paid_on: string | null
  lines: number
  /** lines that do not fit, and one where the sum is not what the vendor says it paid */
  findings: number
}

/** A page of payouts, those that were read last first. */
export type PayoutPage = {
  data: Payout[]
  has_more: boolean
  next_cursor: string | null
}

/** Which payouts are listed; all without any. */
export type PayoutQuery = {
  limit?: number
  /** next_cursor of the page before, with the same filters */
  after?: string
  mode?: 'test' | 'live'
  /** at that time or later */
  created_from?: Timestamp
  /** before that time */
  created_before?: Timestamp
}

/** The body that registers a webhook endpoint. */
export type WebhookEndpointCreate = {
  /** absolute, https, not a private or local address */
  url: string
  /** the events of payments to send, in the words of its format; all of them if it is left out or empty */
  event_filter?: (EventType | CompatibleEventType)[] | null
  /** in whose words it is told; ripper by default */
  event_format?: 'ripper' | 'stripe' | null
  /** what its events carry; only with event_format stripe. Some libraries take no other than their own */
  api_version?: string | null
  /** whether deliveries also have the headers of Standard Webhooks */
  standard_webhooks?: boolean | null
  /** events beyond those of payments; none where it is left out or empty */
  extension_events?: ExtensionEventType[] | null
}

/** Where events are posted to. */
export type WebhookEndpoint = {
  id: string
  url: string
  event_filter: (EventType | CompatibleEventType)[]
  /** only where it is stripe */
  event_format?: 'ripper' | 'stripe'
  /** of its events; only where event_format is stripe */
  api_version?: string
  /** only where its deliveries have those headers */
  standard_webhooks?: true
  /** only where it was sent */
  extension_events?: ExtensionEventType[]
  /** only where it gets the events of one mode alone */
  mode?: 'test' | 'live'
  status: 'active' | 'disabled'
  created_at: Timestamp
}

/** A new endpoint. Only here it has its signing_secret. */
export type WebhookEndpointCreated = {
  id: string
  url: string
  event_filter: (EventType | CompatibleEventType)[]
  /** only where it is stripe */
  event_format?: 'ripper' | 'stripe'
  /** of its events; only where event_format is stripe */
  api_version?: string
  /** only where its deliveries have those headers */
  standard_webhooks?: true
  /** only where it was sent */
  extension_events?: ExtensionEventType[]
  /** only where it gets the events of one mode alone */
  mode?: 'test' | 'live'
  status: 'active' | 'disabled'
  created_at: Timestamp
  signing_secret: string
  /** only with standard_webhooks */
  standard_signing_secret?: string
}

/** All active endpoints. */
export type WebhookEndpointList = {
  endpoints: WebhookEndpoint[]
}

/** One attempt to deliver an event. */
export type WebhookDelivery = {
  delivery_id: string
  replay_of: string | null
  merchant_id: string
  event_id: string
  event_type: string
  attempt_number: number
  status: 'succeeded' | 'failed' | 'dead_lettered' | 'pending'
  occurred_at: Timestamp
  endpoint_url: string | null
  response_status_code: number | null
  response_body: string | null
  next_retry_at: Timestamp | null
  replayable: boolean
  replay_expires_at: Timestamp | null
}

/** A page of attempts, newest first. */
export type WebhookDeliveryPage = {
  data: WebhookDelivery[]
  has_more: boolean
  next_cursor: string | null
}

/** Which attempts are listed; all without any. */
export type WebhookDeliveryQuery = {
  limit?: number
  /** next_cursor of the page before, with the same filters */
  after?: string
  status?: 'succeeded' | 'failed' | 'dead_lettered' | 'pending'
  /** as rows spell it, such as webhook.payment.captured */
  event_type?: string
}

/** A replay: a new delivery of a dead-lettered event. */
export type WebhookReplay = {
  delivery_id: string
  replay_of: string
}

/** Money was taken, at once or after a hold. */
export type PaymentCapturedEvent = {
  /** the same for every delivery of the event */
  id: string
  type: 'payment.captured'
  created: Timestamp
  api_version: '2026-09-01'
  merchant_id: string
  /** 1 for the outcome, 2 for the decision on a hold */
  sequence: 1 | 2
  data: {
    payment_id: string
    checkout_session_id: string
    /** in minor units */
    amount: number
    currency: string
    mode: 'test' | 'live'
    metadata: Record<string, string>
    amount_verified: boolean
    items: Item[] | null
    basket_total: number | null
    tax_total: number | null
    customer: Customer
    order_reference: string | null
    /** what was taken, where that is less than `amount`, which was authorised; else null */
    captured_amount: number | null
    status: 'captured'
    capture_state: 'captured'
    decline: null
    /** null but for one that was held (sequence 2) */
    hold: Hold | null
  }
}

/** The amount is reserved and waits for a decision: release no goods. */
export type PaymentHeldEvent = {
  /** the same for every delivery of the event */
  id: string
  type: 'payment.held'
  created: Timestamp
  api_version: '2026-09-01'
  merchant_id: string
  /** 1 for the outcome, 2 for the decision on a hold */
  sequence: 1
  data: {
    payment_id: string
    checkout_session_id: string
    /** in minor units */
    amount: number
    currency: string
    mode: 'test' | 'live'
    metadata: Record<string, string>
    amount_verified: boolean
    items: Item[] | null
    basket_total: number | null
    tax_total: number | null
    customer: Customer
    order_reference: string | null
    captured_amount: null
    status: 'held'
    capture_state: 'authorised'
    decline: null
    hold: Hold
  }
}

/** A held payment was released; nothing was taken. */
export type PaymentVoidedEvent = {
  /** the same for every delivery of the event */
  id: string
  type: 'payment.voided'
  created: Timestamp
  api_version: '2026-09-01'
  merchant_id: string
  /** 1 for the outcome, 2 for the decision on a hold */
  sequence: 2
  data: {
    payment_id: string
    checkout_session_id: string
    /** in minor units */
    amount: number
    currency: string
    mode: 'test' | 'live'
    metadata: Record<string, string>
    amount_verified: boolean
    items: Item[] | null
    basket_total: number | null
    tax_total: number | null
    customer: Customer
    order_reference: string | null
    captured_amount: null
    status: 'voided'
    capture_state: 'voided'
    decline: null
    hold: Hold
  }
}

/** The card was refused; nothing was taken. */
export type PaymentDeclinedEvent = {
  /** the same for every delivery of the event */
  id: string
  type: 'payment.declined'
  created: Timestamp
  api_version: '2026-09-01'
  merchant_id: string
  /** 1 for the outcome, 2 for the decision on a hold */
  sequence: 1
  data: {
    payment_id: string
    checkout_session_id: string
    /** in minor units */
    amount: number
    currency: string
    mode: 'test' | 'live'
    metadata: Record<string, string>
    amount_verified: boolean
    items: Item[] | null
    basket_total: number | null
    tax_total: number | null
    customer: Customer
    order_reference: string | null
    status: 'declined'
    captured_amount: null
    capture_state: null
    decline: Decline
    hold: null
  }
}

/** An error, not a decline; nothing was taken. */
export type PaymentFailedEvent = {
  /** the same for every delivery of the event */
  id: string
  type: 'payment.failed'
  created: Timestamp
  api_version: '2026-09-01'
  merchant_id: string
  /** 1 for the outcome, 2 for the decision on a hold */
  sequence: 1
  data: {
    payment_id: string
    checkout_session_id: string
    /** in minor units */
    amount: number
    currency: string
    mode: 'test' | 'live'
    metadata: Record<string, string>
    amount_verified: boolean
    items: Item[] | null
    basket_total: number | null
    tax_total: number | null
    customer: Customer
    order_reference: string | null
    status: 'failed'
    captured_amount: null
    capture_state: null
    decline: Decline
    hold: null
  }
}

/** Money was given back. Only for endpoints that name it in extension_events. */
export type RefundSucceededEvent = {
  /** the same for every delivery of the event */
  id: string
  type: 'refund.succeeded'
  created: Timestamp
  api_version: '2026-09-01'
  merchant_id: string
  /** 1 for the outcome, 2 for a failure after success */
  sequence: 1
  data: {
    id: string
    payment_id: string
    /** in minor units */
    amount: number
    currency: string
    mode: 'test' | 'live'
    status: 'succeeded'
    reason: string | null
    failure: null
    created_at: Timestamp
    settled_at: Timestamp
    checkout_session_id: string
  }
}

/** A refund failed, perhaps days after it had succeeded. Only for endpoints that name it in extension_events. */
export type RefundFailedEvent = {
  /** the same for every delivery of the event */
  id: string
  type: 'refund.failed'
  created: Timestamp
  api_version: '2026-09-01'
  merchant_id: string
  /** 1 for the outcome, 2 for a failure after success */
  sequence: 1 | 2
  data: {
    id: string
    payment_id: string
    /** in minor units */
    amount: number
    currency: string
    mode: 'test' | 'live'
    status: 'failed'
    reason: string | null
    failure: RefundFailure
    created_at: Timestamp
    settled_at: Timestamp
    checkout_session_id: string
  }
}

/** The shopper’s bank wants money back. Only for endpoints that name it in extension_events. */
export type DisputeOpenedEvent = {
  /** the same for every delivery of the event */
  id: string
  type: 'dispute.opened'
  created: Timestamp
  api_version: '2026-09-01'
  merchant_id: string
  /** counts the events of the dispute */
  sequence: number
  data: {
    id: string
    payment_id: string
    status: 'needs_response' | 'under_review'
    /** the acquirer’s words */
    reason: string | null
    /** in minor units; may be less than the payment */
    amount: number
    currency: string
    mode: 'test' | 'live'
    /** until when you may respond, where the acquirer says it */
    respond_by: Timestamp | null
    opened_at: Timestamp
    closed_at: null
    /** where you respond, at the acquirer */
    vendor_url: string | null
  }
}

/** A dispute is won, lost or closed; a second chargeback closes it anew. Only for endpoints that name it in extension_events. */
export type DisputeClosedEvent = {
  /** the same for every delivery of the event */
  id: string
  type: 'dispute.closed'
  created: Timestamp
  api_version: '2026-09-01'
  merchant_id: string
  /** counts the events of the dispute */
  sequence: number
  data: {
    id: string
    payment_id: string
    status: 'won' | 'lost' | 'closed'
    /** the acquirer’s words */
    reason: string | null
    /** in minor units; may be less than the payment */
    amount: number
    currency: string
    mode: 'test' | 'live'
    /** until when you may respond, where the acquirer says it */
    respond_by: Timestamp | null
    opened_at: Timestamp
    closed_at: Timestamp
    /** where you respond, at the acquirer */
    vendor_url: string | null
  }
}

/** The event of a webhook. Tell events apart by `type`. */
export type WebhookEvent =
  | PaymentCapturedEvent
  | PaymentHeldEvent
  | PaymentVoidedEvent
  | PaymentDeclinedEvent
  | PaymentFailedEvent
  | RefundSucceededEvent
  | RefundFailedEvent
  | DisputeOpenedEvent
  | DisputeClosedEvent
