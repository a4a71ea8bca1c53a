"""The API's bodies, answers and events as types. Made from the service's schemas by `npm run docs`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypedDict, Union

if TYPE_CHECKING:
    from typing_extensions import NotRequired

#: ISO 8601 with an offset, such as 2026-09-01T12:00:00.0000000+00:00.
Timestamp = str


#: Every code with which the service may refuse a merchant’s server. /docs of the service says when.
ErrorCode = Literal[
    "unauthorized",
    "unknown_principal",
    "key_revoked",
    "key_expired",
    "key_ip_blocked",
    "key_origin_blocked",
    "public_key_missing",
    "permission_denied",
    "key_permission_denied",
    "idempotency_key_missing",
    "invalid_idempotency_key",
    "idempotency_key_in_use",
    "idempotency_key_reused",
    "merchant_not_active",
    "resource_not_found",
    "card_data_rejected",
    "metadata_too_large",
    "invalid_request",
    "invalid_url",
    "unknown_event_type",
    "invalid_status",
    "invalid_pagination",
    "key_live_only",
    "acquiring_profile_incomplete",
    "rate_limit_exceeded",
    "session_completed",
    "session_processing",
    "hold_already_decided",
    "operation_refused",
    "payment_not_refundable",
    "payment_disputed",
    "refund_exceeds_captured",
    "delivery_not_found",
    "delivery_not_dead_lettered",
    "endpoint_not_found",
    "replay_chain_broken",
    "replay_window_expired",
    "replay_in_progress",
    "store_unavailable",
    "idempotency_store_unavailable",
    "internal_error",
]


#: The events of payments that merchants get: a closed list.
EventType = Literal[
    "payment.captured",
    "payment.held",
    "payment.voided",
    "payment.declined",
    "payment.failed",
]


#: Events that only endpoints get that name them in `extension_events`.
ExtensionEventType = Literal[
    "refund.succeeded",
    "refund.failed",
    "dispute.opened",
    "dispute.closed",
]


#: The events of an endpoint with `event_format: "stripe"`.
CompatibleEventType = Literal[
    "charge.dispute.closed",
    "charge.dispute.created",
    "charge.refunded",
    "checkout.session.async_payment_failed",
    "checkout.session.async_payment_succeeded",
    "checkout.session.completed",
    "checkout.session.expired",
    "payment_intent.amount_capturable_updated",
    "payment_intent.canceled",
    "payment_intent.payment_failed",
    "payment_intent.succeeded",
    "refund.failed",
]


class ItemCreate(TypedDict):
    """A line of a basket, as it is sent."""

    kind: NotRequired[Literal["product", "shipping", "discount", "fee"] | None]
    # a line needs a sku or a name
    sku: NotRequired[str | None]
    # required where the line has a unit_amount
    name: NotRequired[str | None]
    quantity: int
    # tax inclusive; times quantity at most 99999999999
    unit_amount: NotRequired[int | None]
    # at most quantity times unit_amount
    tax_amount: NotRequired[int | None]
    # in basis points
    tax_rate: NotRequired[int | None]
    type: NotRequired[str | None]


class CustomerCreate(TypedDict):
    """The shopper, as sent."""

    email: NotRequired[str | None]
    name: NotRequired[str | None]
    account_id: NotRequired[str | None]
    metadata: NotRequired[dict[str, str] | None]


class Item(TypedDict):
    """A line of a basket."""

    kind: Literal["product", "shipping", "discount", "fee"]
    sku: str | None
    name: str | None
    quantity: int
    unit_amount: int | None
    tax_amount: int | None
    tax_rate: int | None
    type: str | None


class Customer(TypedDict):
    """The shopper."""

    email: str | None
    name: str | None
    account_created: Timestamp | None
    account_id: str | None
    metadata: dict[str, str] | None


class Card(TypedDict):
    """A card as it is shown: its brand and last four digits."""

    brand: str
    last4: str


class Decline(TypedDict):
    """Why nothing was taken."""

    code: str
    category: str | None
    reason: str | None


class HoldOperationRefusal(TypedDict):
    """Part of Hold."""

    kind: str
    sequence: int
    reason: str
    decline_code: str | None
    at: Timestamp


class Hold(TypedDict):
    """Why a payment waits for a decision, until when, and what was decided."""

    status: Literal["pending_review", "escalated", "captured", "voided"]
    reason: Literal["no_price_list", "mismatch", "manual_capture"]
    detail: str | None
    deadline: Timestamp
    decided_by: str | None
    decided_at: Timestamp | None
    operation_refusal: HoldOperationRefusal | None


class CheckoutSessionCreate(TypedDict):
    """The body that creates a checkout session."""

    # in minor units
    amount: int
    # ISO 4217, in any case
    currency: str
    items: NotRequired[list[ItemCreate] | None]
    customer: NotRequired[CustomerCreate | None]
    metadata: NotRequired[dict[str, str] | None]
    statement_descriptor_suffix: NotRequired[str | None]
    order_reference: NotRequired[str | None]
    # https, on one of the default integration's allowed origins
    confirmation_url: NotRequired[str | None]


class CheckoutSessionCreated(TypedDict):
    """A new session. Only here it has its client_secret."""

    id: str
    client_secret: str
    status: str
    mode: Literal["test", "live"]
    amount: int
    currency: str
    public_key: str
    config_url: str
    created_at: Timestamp
    expires_at: Timestamp
    expires_in_seconds: int


class CheckoutSession(TypedDict):
    """A session and its state."""

    id: str
    status: Literal["requires_payment", "processing", "succeeded", "declined", "expired"]
    mode: Literal["test", "live"]
    amount: int
    currency: str
    items: list[Item] | None
    basket_total: int | None
    tax_total: int | None
    customer: Customer | None
    metadata: dict[str, str]
    attempt_count: int
    last_decline: Decline | None
    payment_id: str | None
    settlement: Literal["awaiting_reconciliation"] | None
    created_at: Timestamp
    expires_at: Timestamp
    expires_in_seconds: int
    integration: str | None
    minted_by: Literal["server", "client"] | None
    amount_verified: bool
    amount_verification_source: str
    amount_verification_detail: str | None
    hold: Hold | None


class ListedCheckoutSession(TypedDict):
    """A session in a list: as it is read, without items and metadata."""

    id: str
    status: Literal["requires_payment", "processing", "succeeded", "declined", "expired"]
    mode: Literal["test", "live"]
    amount: int
    currency: str
    basket_total: int | None
    tax_total: int | None
    customer: Customer | None
    attempt_count: int
    last_decline: Decline | None
    payment_id: str | None
    settlement: Literal["awaiting_reconciliation"] | None
    created_at: Timestamp
    expires_at: Timestamp
    expires_in_seconds: int
    integration: str | None
    minted_by: Literal["server", "client"] | None
    amount_verified: bool
    amount_verification_source: str
    amount_verification_detail: str | None
    hold: Hold | None
    order_reference: str | None


class CheckoutSessionQuery(TypedDict):
    """Which sessions are listed; all without any."""

    limit: NotRequired[int]
    # next_cursor of the page before, with the same filters
    after: NotRequired[str]
    mode: NotRequired[Literal["test", "live"]]
    # at that time or later
    created_from: NotRequired[Timestamp]
    # before that time
    created_before: NotRequired[Timestamp]
    status: NotRequired[Literal[
        "requires_payment",
        "processing",
        "succeeded",
        "declined",
        "expired",
    ]]
    order_reference: NotRequired[str]


class PaymentAuthentication(TypedDict):
    """Part of Payment."""

    outcome: Literal["Authenticated", "Attempted", "Failed"]
    liability_shifted: bool
    eci: str | None


class Payment(TypedDict):
    """The outcome of one confirmed attempt."""

    id: str
    checkout_session_id: str | None
    status: Literal["captured", "held", "voided", "pending", "declined", "failed"]
    amount: int
    # what was taken, where that is less than `amount`, which was authorised; else absent
    captured_amount: NotRequired[int]
    currency: str | None
    mode: Literal["test", "live"]
    decline: Decline | None
    authentication: NotRequired[PaymentAuthentication]
    acquirer_transaction_id: str | None
    created_at: Timestamp
    executed_at: Timestamp | None
    amount_verified: bool
    capture_state: Literal["captured", "authorised", "voided"] | None
    items: list[Item] | None
    basket_total: int | None
    tax_total: int | None
    customer: Customer | None
    # as sent when the session was created
    metadata: dict[str, str]
    order_reference: str | None
    # captured payments with this order_reference, this one included: 2 or more are almost always a double payment; null without a reference
    order_reference_captured_payments: int | None
    # what was refunded, pending refunds included; absent where nothing was
    refunded_amount: NotRequired[int]
    # what of `refunded_amount` is not given back yet; absent where no refund is pending
    pending_refund_amount: NotRequired[int]
    # what was to be refunded, failed, and was not given back since; a refund that was tried again counts once; absent where none
    failed_refund_amount: NotRequired[int]
    # what its acquirer paid out for it, by the reports that were read; absent where none has it
    payouts: NotRequired[list[PaidOut]]


class ListedPayment(TypedDict):
    """A payment in a list: as it is read, without items, with its card."""

    id: str
    checkout_session_id: str | None
    status: Literal["captured", "held", "voided", "pending", "declined", "failed"]
    amount: int
    # what was taken, where that is less than `amount`, which was authorised; else absent
    captured_amount: NotRequired[int]
    currency: str | None
    mode: Literal["test", "live"]
    decline: Decline | None
    authentication: NotRequired[PaymentAuthentication]
    acquirer_transaction_id: str | None
    created_at: Timestamp
    executed_at: Timestamp | None
    amount_verified: bool
    capture_state: Literal["captured", "authorised", "voided"] | None
    basket_total: int | None
    tax_total: int | None
    customer: Customer | None
    # as sent when the session was created
    metadata: dict[str, str]
    order_reference: str | None
    # among the newest 50 of the order reference
    order_reference_captured_payments: int | None
    # what was refunded, pending refunds included; absent where nothing was
    refunded_amount: NotRequired[int]
    # what of `refunded_amount` is not given back yet; absent where no refund is pending
    pending_refund_amount: NotRequired[int]
    # what was to be refunded, failed, and was not given back since; a refund that was tried again counts once; absent where none
    failed_refund_amount: NotRequired[int]
    # what its acquirer paid out for it, by the reports that were read; absent where none has it
    payouts: NotRequired[list[PaidOut]]
    card: Card | None


class PaymentQuery(TypedDict):
    """Which payments are listed; all without any."""

    limit: NotRequired[int]
    # next_cursor of the page before, with the same filters
    after: NotRequired[str]
    mode: NotRequired[Literal["test", "live"]]
    # at that time or later
    created_from: NotRequired[Timestamp]
    # before that time
    created_before: NotRequired[Timestamp]
    status: NotRequired[Literal["captured", "held", "voided", "pending", "declined", "failed"]]
    # without regard to case
    customer_email: NotRequired[str]
    card_last4: NotRequired[str]
    order_reference: NotRequired[str]
    # in minor units
    amount: NotRequired[int]
    # ISO 4217, in any case
    currency: NotRequired[str]
    decline_code: NotRequired[str]
    # whether something of it was refunded
    refunded: NotRequired[bool]


class EventQuery(TypedDict):
    """Which events are listed; all without any."""

    limit: NotRequired[int]
    # next_cursor of the page before, with the same filters
    after: NotRequired[str]
    mode: NotRequired[Literal["test", "live"]]
    # at that time or later
    created_from: NotRequired[Timestamp]
    # before that time
    created_before: NotRequired[Timestamp]
    type: NotRequired[Literal[
        "payment.captured",
        "payment.held",
        "payment.voided",
        "payment.declined",
        "payment.failed",
        "refund.succeeded",
        "refund.failed",
        "dispute.opened",
        "dispute.closed",
    ]]
    # its events and those of its refunds and disputes
    payment_id: NotRequired[str]


class HeldPayment(TypedDict):
    """A payment that is or was held, with its hold."""

    id: str
    checkout_session_id: str | None
    status: Literal["captured", "held", "voided", "pending", "declined", "failed"]
    amount: int
    # what was taken, where that is less than `amount`, which was authorised; else absent
    captured_amount: NotRequired[int]
    currency: str | None
    mode: Literal["test", "live"]
    decline: Decline | None
    authentication: NotRequired[PaymentAuthentication]
    acquirer_transaction_id: str | None
    created_at: Timestamp
    executed_at: Timestamp | None
    amount_verified: bool
    capture_state: Literal["captured", "authorised", "voided"] | None
    items: list[Item] | None
    basket_total: int | None
    tax_total: int | None
    customer: Customer | None
    # as sent when the session was created
    metadata: dict[str, str]
    order_reference: str | None
    # captured payments with this order_reference, this one included: 2 or more are almost always a double payment; null without a reference
    order_reference_captured_payments: int | None
    # what was refunded, pending refunds included; absent where nothing was
    refunded_amount: NotRequired[int]
    # what of `refunded_amount` is not given back yet; absent where no refund is pending
    pending_refund_amount: NotRequired[int]
    # what was to be refunded, failed, and was not given back since; a refund that was tried again counts once; absent where none
    failed_refund_amount: NotRequired[int]
    # what its acquirer paid out for it, by the reports that were read; absent where none has it
    payouts: NotRequired[list[PaidOut]]
    hold: Hold
    settlement: Literal["awaiting_reconciliation"] | None


class RefundFailure(TypedDict):
    """Why a refund failed."""

    code: str
    reason: str


class RefundCreate(TypedDict):
    """The body that refunds a captured payment."""

    # in minor units; all that is left by default
    amount: NotRequired[int]
    # your own words, which come back
    reason: NotRequired[str | None]
    # true to refund although a dispute of the payment is open or lost
    accept_dispute: NotRequired[bool]


class Refund(TypedDict):
    """Money of a payment that is given back."""

    id: str
    payment_id: str
    # in minor units
    amount: int
    currency: str
    mode: Literal["test", "live"]
    status: Literal["pending", "succeeded", "failed"]
    reason: str | None
    failure: RefundFailure | None
    created_at: Timestamp
    settled_at: Timestamp | None


class RefundList(TypedDict):
    """All refunds of a payment, newest first."""

    refunds: list[Refund]


class Dispute(TypedDict):
    """Money of a payment that the shopper’s bank wants back."""

    id: str
    payment_id: str
    status: Literal["needs_response", "under_review", "won", "lost", "closed"]
    # the acquirer’s words
    reason: str | None
    # in minor units; may be less than the payment
    amount: int
    currency: str
    mode: Literal["test", "live"]
    # until when you may respond, where the acquirer says it
    respond_by: Timestamp | None
    opened_at: Timestamp
    closed_at: Timestamp | None
    # where you respond, at the acquirer
    vendor_url: str | None


class DisputeQuery(TypedDict):
    """Which disputes are listed; all without any."""

    limit: NotRequired[int]
    # next_cursor of the page before, with the same filters
    after: NotRequired[str]
    mode: NotRequired[Literal["test", "live"]]
    # opened at that time or later
    created_from: NotRequired[Timestamp]
    # opened before that time
    created_before: NotRequired[Timestamp]
    status: NotRequired[Literal["needs_response", "under_review", "won", "lost", "closed"]]
    payment_id: NotRequired[str]


class PaymentLinkCreate(TypedDict):
    """The body that makes a payment link."""

    # in minor units
    amount: int
    # ISO 4217, in any case
    currency: str
    items: NotRequired[list[ItemCreate] | None]
    order_reference: NotRequired[str | None]
    # what is paid for; the page shows it
    description: NotRequired[str | None]
    # within five years; never where it is left out
    expires_at: NotRequired[Timestamp | None]
    # any number where it is left out
    max_payments: NotRequired[int | None]


class PaymentLink(TypedDict):
    """An address by which shoppers pay one amount."""

    id: str
    # the address of its page
    url: str
    status: Literal["active", "completed", "expired", "disabled"]
    mode: Literal["test", "live"]
    # in minor units
    amount: int
    currency: str
    items: list[Item] | None
    order_reference: str | None
    description: str | None
    # null for any number
    max_payments: int | None
    # payments that are captured, held or being charged
    payments_count: int
    created_at: Timestamp
    expires_at: Timestamp | None


class PaymentLinkQuery(TypedDict):
    """Which payment links are listed; all without any."""

    limit: NotRequired[int]
    # next_cursor of the page before, with the same filters
    after: NotRequired[str]
    mode: NotRequired[Literal["test", "live"]]
    # at that time or later
    created_from: NotRequired[Timestamp]
    # before that time
    created_before: NotRequired[Timestamp]
    status: NotRequired[Literal["active", "completed", "expired", "disabled"]]


class PaidOut(TypedDict):
    """What of a payment, or of a refund or dispute of it, was paid out. Amounts are in minor units."""

    payout_id: str
    kind: Literal["payment", "refund", "dispute", "fee"]
    # of a refund negative
    gross: int
    fee: int
    # gross less fee
    net: int
    # the payout's
    currency: str
    # units of the payout's currency for one of the payment's; absent where they are the same
    exchange_rate: NotRequired[float]
    paid_on: str | None


class Payout(TypedDict):
    """What an acquirer paid out at once, by its report. Amounts are in minor units."""

    id: str
    # its label
    connection: str
    vendor_id: str
    currency: str
    gross: int
    fee: int
    # gross less fee: what the bank got
    net: int
    paid_on: str | None
    lines: int
    # lines that do not fit, and one where the sum is not what the vendor says it paid
    findings: int


class PayoutQuery(TypedDict):
    """Which payouts are listed; all without any."""

    limit: NotRequired[int]
    # next_cursor of the page before, with the same filters
    after: NotRequired[str]
    mode: NotRequired[Literal["test", "live"]]
    # at that time or later
    created_from: NotRequired[Timestamp]
    # before that time
    created_before: NotRequired[Timestamp]


class WebhookEndpointCreate(TypedDict):
    """The body that registers a webhook endpoint."""

    # absolute, https, not a private or local address
    url: str
    # the events of payments to send, in the words of its format; all of them if it is left out or empty
    event_filter: NotRequired[list[EventType | CompatibleEventType] | None]
    # in whose words it is told; ripper by default
    event_format: NotRequired[Literal["ripper", "stripe"] | None]
    # what its events carry; only with event_format stripe. Some libraries take no other than their own
    api_version: NotRequired[str | None]
    # whether deliveries also have the headers of Standard Webhooks
    standard_webhooks: NotRequired[bool | None]
    # events beyond those of payments; none where it is left out or empty
    extension_events: NotRequired[list[ExtensionEventType] | None]


class WebhookEndpoint(TypedDict):
    """Where events are posted to."""

    id: str
    url: str
    event_filter: list[EventType | CompatibleEventType]
    # only where it is stripe
    event_format: NotRequired[Literal["ripper", "stripe"]]
    # of its events; only where event_format is stripe
    api_version: NotRequired[str]
    # only where its deliveries have those headers
    standard_webhooks: NotRequired[Literal[true]]
    # only where it was sent
    extension_events: NotRequired[list[ExtensionEventType]]
    # only where it gets the events of one mode alone
    mode: NotRequired[Literal["test", "live"]]
    status: Literal["active", "disabled"]
    created_at: Timestamp


class WebhookEndpointCreated(TypedDict):
    """A new endpoint. Only here it has its signing_secret."""

    id: str
    url: str
    event_filter: list[EventType | CompatibleEventType]
    # only where it is stripe
    event_format: NotRequired[Literal["ripper", "stripe"]]
    # of its events; only where event_format is stripe
    api_version: NotRequired[str]
    # only where its deliveries have those headers
    standard_webhooks: NotRequired[Literal[true]]
    # only where it was sent
    extension_events: NotRequired[list[ExtensionEventType]]
    # only where it gets the events of one mode alone
    mode: NotRequired[Literal["test", "live"]]
    status: Literal["active", "disabled"]
    created_at: Timestamp
    signing_secret: str
    # only with standard_webhooks
    standard_signing_secret: NotRequired[str]


class WebhookEndpointList(TypedDict):
    """All active endpoints."""

    endpoints: list[WebhookEndpoint]


class WebhookDelivery(TypedDict):
    """One attempt to deliver an event."""

    delivery_id: str
    replay_of: str | None
    merchant_id: str
    event_id: str
    event_type: str
    attempt_number: int
    status: Literal["succeeded", "failed", "dead_lettered", "pending"]
    occurred_at: Timestamp
    endpoint_url: str | None
    response_status_code: int | None
    response_body: str | None
    next_retry_at: Timestamp | None
    replayable: bool
    replay_expires_at: Timestamp | None


class WebhookDeliveryQuery(TypedDict):
    """Which attempts are listed; all without any."""

    limit: NotRequired[int]
    # next_cursor of the page before, with the same filters
    after: NotRequired[str]
    status: NotRequired[Literal["succeeded", "failed", "dead_lettered", "pending"]]
    # as rows spell it, such as webhook.payment.captured
    event_type: NotRequired[str]


class WebhookReplay(TypedDict):
    """A replay: a new delivery of a dead-lettered event."""

    delivery_id: str
    replay_of: str


class PaymentCapturedEventData(TypedDict):
    """Part of PaymentCapturedEvent."""

    payment_id: str
    checkout_session_id: str
    # in minor units
    amount: int
    currency: str
    mode: Literal["test", "live"]
    metadata: dict[str, str]
    amount_verified: bool
    items: list[Item] | None
    basket_total: int | None
    tax_total: int | None
    customer: Customer
    order_reference: str | None
    # what was taken, where that is less than `amount`, which was authorised; else null
    captured_amount: int | None
    status: Literal["captured"]
    capture_state: Literal["captured"]
    decline: None
    # null but for one that was held (sequence 2)
    hold: Hold | None


class PaymentCapturedEvent(TypedDict):
    """Money was taken, at once or after a hold."""

    # the same for every delivery of the event
    id: str
    type: Literal["payment.captured"]
    created: Timestamp
    api_version: Literal["2026-09-01"]
    merchant_id: str
    # 1 for the outcome, 2 for the decision on a hold
    sequence: Literal[1, 2]
    data: PaymentCapturedEventData


class PaymentHeldEventData(TypedDict):
    """Part of PaymentHeldEvent."""

    payment_id: str
    checkout_session_id: str
    # in minor units
    amount: int
    currency: str
    mode: Literal["test", "live"]
    metadata: dict[str, str]
    amount_verified: bool
    items: list[Item] | None
    basket_total: int | None
    tax_total: int | None
    customer: Customer
    order_reference: str | None
    captured_amount: None
    status: Literal["held"]
    capture_state: Literal["authorised"]
    decline: None
    hold: Hold


class PaymentHeldEvent(TypedDict):
    """The amount is reserved and waits for a decision: release no goods."""

    # the same for every delivery of the event
    id: str
    type: Literal["payment.held"]
    created: Timestamp
    api_version: Literal["2026-09-01"]
    merchant_id: str
    # 1 for the outcome, 2 for the decision on a hold
    sequence: Literal[1]
    data: PaymentHeldEventData


class PaymentVoidedEventData(TypedDict):
    """Part of PaymentVoidedEvent."""

    payment_id: str
    checkout_session_id: str
    # in minor units
    amount: int
    currency: str
    mode: Literal["test", "live"]
    metadata: dict[str, str]
    amount_verified: bool
    items: list[Item] | None
    basket_total: int | None
    tax_total: int | None
    customer: Customer
    order_reference: str | None
    captured_amount: None
    status: Literal["voided"]
    capture_state: Literal["voided"]
    decline: None
    hold: Hold


class PaymentVoidedEvent(TypedDict):
    """A held payment was released; nothing was taken."""

    # the same for every delivery of the event
    id: str
    type: Literal["payment.voided"]
    created: Timestamp
    api_version: Literal["2026-09-01"]
    merchant_id: str
    # 1 for the outcome, 2 for the decision on a hold
    sequence: Literal[2]
    data: PaymentVoidedEventData


class PaymentDeclinedEventData(TypedDict):
    """Part of PaymentDeclinedEvent."""

    payment_id: str
    checkout_session_id: str
    # in minor units
    amount: int
    currency: str
    mode: Literal["test", "live"]
    metadata: dict[str, str]
    amount_verified: bool
    items: list[Item] | None
    basket_total: int | None
    tax_total: int | None
    customer: Customer
    order_reference: str | None
    status: Literal["declined"]
    captured_amount: None
    capture_state: None
    decline: Decline
    hold: None


class PaymentDeclinedEvent(TypedDict):
    """The card was refused; nothing was taken."""

    # the same for every delivery of the event
    id: str
    type: Literal["payment.declined"]
    created: Timestamp
    api_version: Literal["2026-09-01"]
    merchant_id: str
    # 1 for the outcome, 2 for the decision on a hold
    sequence: Literal[1]
    data: PaymentDeclinedEventData


class PaymentFailedEventData(TypedDict):
    """Part of PaymentFailedEvent."""

    payment_id: str
    checkout_session_id: str
    # in minor units
    amount: int
    currency: str
    mode: Literal["test", "live"]
    metadata: dict[str, str]
    amount_verified: bool
    items: list[Item] | None
    basket_total: int | None
    tax_total: int | None
    customer: Customer
    order_reference: str | None
    status: Literal["failed"]
    captured_amount: None
    capture_state: None
    decline: Decline
    hold: None


class PaymentFailedEvent(TypedDict):
    """An error, not a decline; nothing was taken."""

    # the same for every delivery of the event
    id: str
    type: Literal["payment.failed"]
    created: Timestamp
    api_version: Literal["2026-09-01"]
    merchant_id: str
    # 1 for the outcome, 2 for the decision on a hold
    sequence: Literal[1]
    data: PaymentFailedEventData


class RefundSucceededEventData(TypedDict):
    """Part of RefundSucceededEvent."""

    id: str
    payment_id: str
    # in minor units
    amount: int
    currency: str
    mode: Literal["test", "live"]
    status: Literal["succeeded"]
    reason: str | None
    failure: None
    created_at: Timestamp
    settled_at: Timestamp
    checkout_session_id: str


class RefundSucceededEvent(TypedDict):
    """Money was given back. Only for endpoints that name it in extension_events."""

    # the same for every delivery of the event
    id: str
    type: Literal["refund.succeeded"]
    created: Timestamp
    api_version: Literal["2026-09-01"]
    merchant_id: str
    # 1 for the outcome, 2 for a failure after success
    sequence: Literal[1]
    data: RefundSucceededEventData


class RefundFailedEventData(TypedDict):
    """Part of RefundFailedEvent."""

    id: str
    payment_id: str
    # in minor units
    amount: int
    currency: str
    mode: Literal["test", "live"]
    status: Literal["failed"]
    reason: str | None
    failure: RefundFailure
    created_at: Timestamp
    settled_at: Timestamp
    checkout_session_id: str


class RefundFailedEvent(TypedDict):
    """A refund failed, perhaps days after it had succeeded. Only for endpoints that name it in extension_events."""

    # the same for every delivery of the event
    id: str
    type: Literal["refund.failed"]
    created: Timestamp
    api_version: Literal["2026-09-01"]
    merchant_id: str
    # 1 for the outcome, 2 for a failure after success
    sequence: Literal[1, 2]
    data: RefundFailedEventData


class DisputeOpenedEventData(TypedDict):
    """Part of DisputeOpenedEvent."""

    id: str
    payment_id: str
    status: Literal["needs_response", "under_review"]
    # the acquirer’s words
    reason: str | None
    # in minor units; may be less than the payment
    amount: int
    currency: str
    mode: Literal["test", "live"]
    # until when you may respond, where the acquirer says it
    respond_by: Timestamp | None
    opened_at: Timestamp
    closed_at: None
    # where you respond, at the acquirer
    vendor_url: str | None


class DisputeOpenedEvent(TypedDict):
    """The shopper’s bank wants money back. Only for endpoints that name it in extension_events."""

    # the same for every delivery of the event
    id: str
    type: Literal["dispute.opened"]
    created: Timestamp
    api_version: Literal["2026-09-01"]
    merchant_id: str
    # counts the events of the dispute
    sequence: int
    data: DisputeOpenedEventData


class DisputeClosedEventData(TypedDict):
    """Part of DisputeClosedEvent."""

    id: str
    payment_id: str
    status: Literal["won", "lost", "closed"]
    # the acquirer’s words
    reason: str | None
    # in minor units; may be less than the payment
    amount: int
    currency: str
    mode: Literal["test", "live"]
    # until when you may respond, where the acquirer says it
    respond_by: Timestamp | None
    opened_at: Timestamp
    closed_at: Timestamp
    # where you respond, at the acquirer
    vendor_url: str | None


class DisputeClosedEvent(TypedDict):
    """A dispute is won, lost or closed; a second chargeback closes it anew. Only for endpoints that name it in extension_events."""

    # the same for every delivery of the event
    id: str
    type: Literal["dispute.closed"]
    created: Timestamp
    api_version: Literal["2026-09-01"]
    merchant_id: str
    # counts the events of the dispute
    sequence: int
    data: DisputeClosedEventData


#: The event of a webhook. Tell events apart by `type`.
WebhookEvent = Union[
    PaymentCapturedEvent,
    PaymentHeldEvent,
    PaymentVoidedEvent,
    PaymentDeclinedEvent,
    PaymentFailedEvent,
    RefundSucceededEvent,
    RefundFailedEvent,
    DisputeOpenedEvent,
    DisputeClosedEvent,
]
