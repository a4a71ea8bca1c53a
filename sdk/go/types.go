// Made from the service's schemas by `npm run docs`.

package ripper

import "time"

// ItemCreate: A line of a basket, as it is sent.
type ItemCreate struct {
	Kind string `json:"kind,omitzero"`
	// a line needs a sku or a name
	Sku string `json:"sku,omitzero"`
	// required where the line has a unit_amount
	Name     string `json:"name,omitzero"`
	Quantity int64  `json:"quantity"`
	// tax inclusive; times quantity at most 99999999999
	UnitAmount *int64 `json:"unit_amount,omitzero"`
	// at most quantity times unit_amount
	TaxAmount *int64 `json:"tax_amount,omitzero"`
	// in basis points
	TaxRate *int64 `json:"tax_rate,omitzero"`
	Type    string `json:"type,omitzero"`
}

// CustomerCreate: The shopper, as sent.
type CustomerCreate struct {
	Email     string            `json:"email,omitzero"`
	Name      string            `json:"name,omitzero"`
	AccountID string            `json:"account_id,omitzero"`
	Metadata  map[string]string `json:"metadata,omitzero"`
}

// Item: A line of a basket.
type Item struct {
	Kind       string `json:"kind"`
	Sku        string `json:"sku"`
	Name       string `json:"name"`
	Quantity   int64  `json:"quantity"`
	UnitAmount *int64 `json:"unit_amount"`
	TaxAmount  *int64 `json:"tax_amount"`
	TaxRate    *int64 `json:"tax_rate"`
	Type       string `json:"type"`
}

// Customer: The shopper.
type Customer struct {
	Email          string            `json:"email"`
	Name           string            `json:"name"`
	AccountCreated time.Time         `json:"account_created"`
	AccountID      string            `json:"account_id"`
	Metadata       map[string]string `json:"metadata"`
}

// Card: A card as it is shown: its brand and last four digits.
type Card struct {
	Brand string `json:"brand"`
	Last4 string `json:"last4"`
}

// Decline: Why nothing was taken.
type Decline struct {
	Code     string `json:"code"`
	Category string `json:"category"`
	Reason   string `json:"reason"`
}

// HoldOperationRefusal: Part of Hold.
type HoldOperationRefusal struct {
	Kind        string    `json:"kind"`
	Sequence    int64     `json:"sequence"`
	Reason      string    `json:"reason"`
	DeclineCode string    `json:"decline_code"`
	At          time.Time `json:"at"`
}

// Hold: Why a payment waits for a decision, until when, and what was decided.
type Hold struct {
	Status           string                `json:"status"`
	Reason           string                `json:"reason"`
	Detail           string                `json:"detail"`
	Deadline         time.Time             `json:"deadline"`
	DecidedBy        string                `json:"decided_by"`
	DecidedAt        time.Time             `json:"decided_at"`
	OperationRefusal *HoldOperationRefusal `json:"operation_refusal"`
}

// CheckoutSessionCreate: The body that creates a checkout session.
type CheckoutSessionCreate struct {
	// in minor units
	Amount int64 `json:"amount"`
	// ISO 4217, in any case
	Currency                  string            `json:"currency"`
	Items                     []ItemCreate      `json:"items,omitzero"`
	Customer                  *CustomerCreate   `json:"customer,omitzero"`
	Metadata                  map[string]string `json:"metadata,omitzero"`
	StatementDescriptorSuffix string            `json:"statement_descriptor_suffix,omitzero"`
	OrderReference            string            `json:"order_reference,omitzero"`
	// https, on one of the default integration's allowed origins
	ConfirmationURL string `json:"confirmation_url,omitzero"`
}

// CheckoutSessionCreated: A new session. Only here it has its client_secret.
type CheckoutSessionCreated struct {
	ID               string    `json:"id"`
	ClientSecret     string    `json:"client_secret"`
	Status           string    `json:"status"`
	Mode             string    `json:"mode"`
	Amount           int64     `json:"amount"`
	Currency         string    `json:"currency"`
	PublicKey        string    `json:"public_key"`
	ConfigURL        string    `json:"config_url"`
	CreatedAt        time.Time `json:"created_at"`
	ExpiresAt        time.Time `json:"expires_at"`
	ExpiresInSeconds int64     `json:"expires_in_seconds"`
}

// CheckoutSession: A session and its state.
type CheckoutSession struct {
	ID                       string            `json:"id"`
	Status                   string            `json:"status"`
	Mode                     string            `json:"mode"`
	Amount                   int64             `json:"amount"`
	Currency                 string            `json:"currency"`
	Items                    []Item            `json:"items"`
	BasketTotal              *int64            `json:"basket_total"`
	TaxTotal                 *int64            `json:"tax_total"`
	Customer                 *Customer         `json:"customer"`
	Metadata                 map[string]string `json:"metadata"`
	AttemptCount             int64             `json:"attempt_count"`
	LastDecline              *Decline          `json:"last_decline"`
	PaymentID                string            `json:"payment_id"`
	Settlement               string            `json:"settlement"`
	CreatedAt                time.Time         `json:"created_at"`
	ExpiresAt                time.Time         `json:"expires_at"`
	ExpiresInSeconds         int64             `json:"expires_in_seconds"`
	Integration              string            `json:"integration"`
	MintedBy                 string            `json:"minted_by"`
	AmountVerified           bool              `json:"amount_verified"`
	AmountVerificationSource string            `json:"amount_verification_source"`
	AmountVerificationDetail string            `json:"amount_verification_detail"`
	Hold                     *Hold             `json:"hold"`
}

// ListedCheckoutSession: A session in a list: as it is read, without items and metadata.
type ListedCheckoutSession struct {
	ID                       string    `json:"id"`
	Status                   string    `json:"status"`
	Mode                     string    `json:"mode"`
	Amount                   int64     `json:"amount"`
	Currency                 string    `json:"currency"`
	BasketTotal              *int64    `json:"basket_total"`
	TaxTotal                 *int64    `json:"tax_total"`
	Customer                 *Customer `json:"customer"`
	AttemptCount             int64     `json:"attempt_count"`
	LastDecline              *Decline  `json:"last_decline"`
	PaymentID                string    `json:"payment_id"`
	Settlement               string    `json:"settlement"`
	CreatedAt                time.Time `json:"created_at"`
	ExpiresAt                time.Time `json:"expires_at"`
	ExpiresInSeconds         int64     `json:"expires_in_seconds"`
	Integration              string    `json:"integration"`
	MintedBy                 string    `json:"minted_by"`
	AmountVerified           bool      `json:"amount_verified"`
	AmountVerificationSource string    `json:"amount_verification_source"`
	AmountVerificationDetail string    `json:"amount_verification_detail"`
	Hold                     *Hold     `json:"hold"`
	OrderReference           string    `json:"order_reference"`
}

// CheckoutSessionQuery: Which sessions are listed; all without any.
type CheckoutSessionQuery struct {
	Limit int64 `json:"limit,omitzero"`
	// next_cursor of the page before, with the same filters
	After string `json:"after,omitzero"`
	Mode  string `json:"mode,omitzero"`
	// at that time or later
	CreatedFrom time.Time `json:"created_from,omitzero"`
	// before that time
	CreatedBefore  time.Time `json:"created_before,omitzero"`
	Status         string    `json:"status,omitzero"`
	OrderReference string    `json:"order_reference,omitzero"`
}

// PaymentAuthentication: Part of Payment.
type PaymentAuthentication struct {
	Outcome          string `json:"outcome"`
	LiabilityShifted bool   `json:"liability_shifted"`
	ECI              string `json:"eci"`
}

// Payment: The outcome of one confirmed attempt.
type Payment struct {
	ID                string `json:"id"`
	CheckoutSessionID string `json:"checkout_session_id"`
	Status            string `json:"status"`
	Amount            int64  `json:"amount"`
	// what was taken, where that is less than `amount`, which was authorised; else absent
	CapturedAmount        *int64                 `json:"captured_amount,omitzero"`
	Currency              string                 `json:"currency"`
	Mode                  string                 `json:"mode"`
	Decline               *Decline               `json:"decline"`
	Authentication        *PaymentAuthentication `json:"authentication,omitzero"`
	AcquirerTransactionID string                 `json:"acquirer_transaction_id"`
	CreatedAt             time.Time              `json:"created_at"`
	ExecutedAt            time.Time              `json:"executed_at"`
	AmountVerified        bool                   `json:"amount_verified"`
	CaptureState          string                 `json:"capture_state"`
	Items                 []Item                 `json:"items"`
	BasketTotal           *int64                 `json:"basket_total"`
	TaxTotal              *int64                 `json:"tax_total"`
	Customer              *Customer              `json:"customer"`
	// as sent when the session was created
	Metadata       map[string]string `json:"metadata"`
	OrderReference string            `json:"order_reference"`
	// captured payments with this order_reference, this one included: 2 or more are almost always a double payment; null without a reference
	OrderReferenceCapturedPayments *int64 `json:"order_reference_captured_payments"`
	// what was refunded, pending refunds included; absent where nothing was
	RefundedAmount *int64 `json:"refunded_amount,omitzero"`
	// what of `refunded_amount` is not given back yet; absent where no refund is pending
	PendingRefundAmount *int64 `json:"pending_refund_amount,omitzero"`
	// what was to be refunded, failed, and was not given back since; a refund that was tried again counts once; absent where none
	FailedRefundAmount *int64 `json:"failed_refund_amount,omitzero"`
	// what its acquirer paid out for it, by the reports that were read; absent where none has it
	Payouts []PaidOut `json:"payouts,omitzero"`
}

// ListedPayment: A payment in a list: as it is read, without items, with its card.
type ListedPayment struct {
	ID                string `json:"id"`
	CheckoutSessionID string `json:"checkout_session_id"`
	Status            string `json:"status"`
	Amount            int64  `json:"amount"`
	// what was taken, where that is less than `amount`, which was authorised; else absent
	CapturedAmount        *int64                 `json:"captured_amount,omitzero"`
	Currency              string                 `json:"currency"`
	Mode                  string                 `json:"mode"`
	Decline               *Decline               `json:"decline"`
	Authentication        *PaymentAuthentication `json:"authentication,omitzero"`
	AcquirerTransactionID string                 `json:"acquirer_transaction_id"`
	CreatedAt             time.Time              `json:"created_at"`
	ExecutedAt            time.Time              `json:"executed_at"`
	AmountVerified        bool                   `json:"amount_verified"`
	CaptureState          string                 `json:"capture_state"`
	BasketTotal           *int64                 `json:"basket_total"`
	TaxTotal              *int64                 `json:"tax_total"`
	Customer              *Customer              `json:"customer"`
	// as sent when the session was created
	Metadata       map[string]string `json:"metadata"`
	OrderReference string            `json:"order_reference"`
	// among the newest 50 of the order reference
	OrderReferenceCapturedPayments *int64 `json:"order_reference_captured_payments"`
	// what was refunded, pending refunds included; absent where nothing was
	RefundedAmount *int64 `json:"refunded_amount,omitzero"`
	// what of `refunded_amount` is not given back yet; absent where no refund is pending
	PendingRefundAmount *int64 `json:"pending_refund_amount,omitzero"`
	// what was to be refunded, failed, and was not given back since; a refund that was tried again counts once; absent where none
	FailedRefundAmount *int64 `json:"failed_refund_amount,omitzero"`
	// what its acquirer paid out for it, by the reports that were read; absent where none has it
	Payouts []PaidOut `json:"payouts,omitzero"`
	Card    *Card     `json:"card"`
}

// PaymentQuery: Which payments are listed; all without any.
type PaymentQuery struct {
	Limit int64 `json:"limit,omitzero"`
	// next_cursor of the page before, with the same filters
	After string `json:"after,omitzero"`
	Mode  string `json:"mode,omitzero"`
	// at that time or later
	CreatedFrom time.Time `json:"created_from,omitzero"`
	// before that time
	CreatedBefore time.Time `json:"created_before,omitzero"`
	Status        string    `json:"status,omitzero"`
	// without regard to case
	CustomerEmail  string `json:"customer_email,omitzero"`
	CardLast4      string `json:"card_last4,omitzero"`
	OrderReference string `json:"order_reference,omitzero"`
	// in minor units
	Amount int64 `json:"amount,omitzero"`
	// ISO 4217, in any case
	Currency    string `json:"currency,omitzero"`
	DeclineCode string `json:"decline_code,omitzero"`
	// whether something of it was refunded
	Refunded *bool `json:"refunded,omitzero"`
}

// EventQuery: Which events are listed; all without any.
type EventQuery struct {
	Limit int64 `json:"limit,omitzero"`
	// next_cursor of the page before, with the same filters
	After string `json:"after,omitzero"`
	Mode  string `json:"mode,omitzero"`
	// at that time or later
	CreatedFrom time.Time `json:"created_from,omitzero"`
	// before that time
	CreatedBefore time.Time `json:"created_before,omitzero"`
	Type          string    `json:"type,omitzero"`
	// its events and those of its refunds and disputes
	PaymentID string `json:"payment_id,omitzero"`
}

// HeldPayment: A payment that is or was held, with its hold.
type HeldPayment struct {
	ID                string `json:"id"`
	CheckoutSessionID string `json:"checkout_session_id"`
	Status            string `json:"status"`
	Amount            int64  `json:"amount"`
	// what was taken, where that is less than `amount`, which was authorised; else absent
	CapturedAmount        *int64                 `json:"captured_amount,omitzero"`
	Currency              string                 `json:"currency"`
	Mode                  string                 `json:"mode"`
	Decline               *Decline               `json:"decline"`
	Authentication        *PaymentAuthentication `json:"authentication,omitzero"`
	AcquirerTransactionID string                 `json:"acquirer_transaction_id"`
	CreatedAt             time.Time              `json:"created_at"`
	ExecutedAt            time.Time              `json:"executed_at"`
	AmountVerified        bool                   `json:"amount_verified"`
	CaptureState          string                 `json:"capture_state"`
	Items                 []Item                 `json:"items"`
	BasketTotal           *int64                 `json:"basket_total"`
	TaxTotal              *int64                 `json:"tax_total"`
	Customer              *Customer              `json:"customer"`
	// as sent when the session was created
	Metadata       map[string]string `json:"metadata"`
	OrderReference string            `json:"order_reference"`
	// captured payments with this order_reference, this one included: 2 or more are almost always a double payment; null without a reference
	OrderReferenceCapturedPayments *int64 `json:"order_reference_captured_payments"`
	// what was refunded, pending refunds included; absent where nothing was
	RefundedAmount *int64 `json:"refunded_amount,omitzero"`
	// what of `refunded_amount` is not given back yet; absent where no refund is pending
	PendingRefundAmount *int64 `json:"pending_refund_amount,omitzero"`
	// what was to be refunded, failed, and was not given back since; a refund that was tried again counts once; absent where none
	FailedRefundAmount *int64 `json:"failed_refund_amount,omitzero"`
	// what its acquirer paid out for it, by the reports that were read; absent where none has it
	Payouts    []PaidOut `json:"payouts,omitzero"`
	Hold       Hold      `json:"hold"`
	Settlement string    `json:"settlement"`
}

// RefundFailure: Why a refund failed.
type RefundFailure struct {
	Code   string `json:"code"`
	Reason string `json:"reason"`
}

// RefundCreate: The body that refunds a captured payment.
type RefundCreate struct {
	// in minor units; all that is left by default
	Amount int64 `json:"amount,omitzero"`
	// your own words, which come back
	Reason string `json:"reason,omitzero"`
	// true to refund although a dispute of the payment is open or lost
	AcceptDispute *bool `json:"accept_dispute,omitzero"`
}

// Refund: Money of a payment that is given back.
type Refund struct {
	ID        string `json:"id"`
	PaymentID string `json:"payment_id"`
	// in minor units
	Amount    int64          `json:"amount"`
	Currency  string         `json:"currency"`
	Mode      string         `json:"mode"`
	Status    string         `json:"status"`
	Reason    string         `json:"reason"`
	Failure   *RefundFailure `json:"failure"`
	CreatedAt time.Time      `json:"created_at"`
	SettledAt time.Time      `json:"settled_at"`
}

// RefundList: All refunds of a payment, newest first.
type RefundList struct {
	Refunds []Refund `json:"refunds"`
}

// Dispute: Money of a payment that the shopper’s bank wants back.
type Dispute struct {
	ID        string `json:"id"`
	PaymentID string `json:"payment_id"`
	Status    string `json:"status"`
	// the acquirer’s words
	Reason string `json:"reason"`
	// in minor units; may be less than the payment
	Amount   int64  `json:"amount"`
	Currency string `json:"currency"`
	Mode     string `json:"mode"`
	// until when you may respond, where the acquirer says it
	RespondBy time.Time `json:"respond_by"`
	OpenedAt  time.Time `json:"opened_at"`
	ClosedAt  time.Time `json:"closed_at"`
	// where you respond, at the acquirer
	VendorURL string `json:"vendor_url"`
}

// DisputeQuery: Which disputes are listed; all without any.
type DisputeQuery struct {
	Limit int64 `json:"limit,omitzero"`
	// next_cursor of the page before, with the same filters
	After string `json:"after,omitzero"`
	Mode  string `json:"mode,omitzero"`
	// opened at that time or later
	CreatedFrom time.Time `json:"created_from,omitzero"`
	// opened before that time
	CreatedBefore time.Time `json:"created_before,omitzero"`
	Status        string    `json:"status,omitzero"`
	PaymentID     string    `json:"payment_id,omitzero"`
}

// PaymentLinkCreate: The body that makes a payment link.
type PaymentLinkCreate struct {
	// in minor units
	Amount int64 `json:"amount"`
	// ISO 4217, in any case
	Currency       string       `json:"currency"`
	Items          []ItemCreate `json:"items,omitzero"`
	OrderReference string       `json:"order_reference,omitzero"`
	// what is paid for; the page shows it
	Description string `json:"description,omitzero"`
	// within five years; never where it is left out
	ExpiresAt time.Time `json:"expires_at,omitzero"`
	// any number where it is left out
	MaxPayments int64 `json:"max_payments,omitzero"`
}

// PaymentLink: An address by which shoppers pay one amount.
type PaymentLink struct {
	ID string `json:"id"`
	// the address of its page
	URL    string `json:"url"`
	Status string `json:"status"`
	Mode   string `json:"mode"`
	// in minor units
	Amount         int64  `json:"amount"`
	Currency       string `json:"currency"`
	Items          []Item `json:"items"`
	OrderReference string `json:"order_reference"`
	Description    string `json:"description"`
	// null for any number
	MaxPayments *int64 `json:"max_payments"`
	// payments that are captured, held or being charged
	PaymentsCount int64     `json:"payments_count"`
	CreatedAt     time.Time `json:"created_at"`
	ExpiresAt     time.Time `json:"expires_at"`
}

// PaymentLinkQuery: Which payment links are listed; all without any.
type PaymentLinkQuery struct {
	Limit int64 `json:"limit,omitzero"`
	// next_cursor of the page before, with the same filters
	After string `json:"after,omitzero"`
	Mode  string `json:"mode,omitzero"`
	// at that time or later
	CreatedFrom time.Time `json:"created_from,omitzero"`
	// before that time
	CreatedBefore time.Time `json:"created_before,omitzero"`
	Status        string    `json:"status,omitzero"`
}

// PaidOut: What of a payment, or of a refund or dispute of it, was paid out. Amounts are in minor units.
type PaidOut struct {
	PayoutID string `json:"payout_id"`
	Kind     string `json:"kind"`
	// of a refund negative
	Gross int64 `json:"gross"`
	Fee   int64 `json:"fee"`
	// gross less fee
	Net int64 `json:"net"`
	// the payout's
	Currency string `json:"currency"`
	// units of the payout's currency for one of the payment's; absent where they are the same
	ExchangeRate *float64 `json:"exchange_rate,omitzero"`
	PaidOn       string   `json:"paid_on"`
}

// Payout: What an acquirer paid out at once, by its report. Amounts are in minor units.
type Payout struct {
	ID string `json:"id"`
	// its label
	Connection string `json:"connection"`
	VendorID   string `json:"vendor_id"`
	Currency   string `json:"currency"`
	Gross      int64  `json:"gross"`
	Fee        int64  `json:"fee"`
	// gross less fee: what the bank got
	Net    int64  `json:"net"`
	PaidOn string `json:"paid_on"`
	Lines  int64  `json:"lines"`
	// lines that do not fit, and one where the sum is not what the vendor says it paid
	Findings int64 `json:"findings"`
}

// PayoutQuery: Which payouts are listed; all without any.
type PayoutQuery struct {
	Limit int64 `json:"limit,omitzero"`
	// next_cursor of the page before, with the same filters
	After string `json:"after,omitzero"`
	Mode  string `json:"mode,omitzero"`
	// at that time or later
	CreatedFrom time.Time `json:"created_from,omitzero"`
	// before that time
	CreatedBefore time.Time `json:"created_before,omitzero"`
}

// WebhookEndpointCreate: The body that registers a webhook endpoint.
type WebhookEndpointCreate struct {
	// absolute, https, not a private or local address
	URL string `json:"url"`
	// the events of payments to send, in the words of its format; all of them if it is left out or empty
	EventFilter []string `json:"event_filter,omitzero"`
	// in whose words it is told; ripper by default
	EventFormat string `json:"event_format,omitzero"`
	// what its events carry; only with event_format stripe. Some libraries take no other than their own
	APIVersion string `json:"api_version,omitzero"`
	// whether deliveries also have the headers of Standard Webhooks
	StandardWebhooks *bool `json:"standard_webhooks,omitzero"`
	// events beyond those of payments; none where it is left out or empty
	ExtensionEvents []string `json:"extension_events,omitzero"`
}

// WebhookEndpoint: Where events are posted to.
type WebhookEndpoint struct {
	ID          string   `json:"id"`
	URL         string   `json:"url"`
	EventFilter []string `json:"event_filter"`
	// only where it is stripe
	EventFormat string `json:"event_format,omitzero"`
	// of its events; only where event_format is stripe
	APIVersion string `json:"api_version,omitzero"`
	// only where its deliveries have those headers
	StandardWebhooks *int64 `json:"standard_webhooks,omitzero"`
	// only where it was sent
	ExtensionEvents []string `json:"extension_events,omitzero"`
	// only where it gets the events of one mode alone
	Mode      string    `json:"mode,omitzero"`
	Status    string    `json:"status"`
	CreatedAt time.Time `json:"created_at"`
}

// WebhookEndpointCreated: A new endpoint. Only here it has its signing_secret.
type WebhookEndpointCreated struct {
	ID          string   `json:"id"`
	URL         string   `json:"url"`
	EventFilter []string `json:"event_filter"`
	// only where it is stripe
	EventFormat string `json:"event_format,omitzero"`
	// of its events; only where event_format is stripe
	APIVersion string `json:"api_version,omitzero"`
	// only where its deliveries have those headers
	StandardWebhooks *int64 `json:"standard_webhooks,omitzero"`
	// only where it was sent
	ExtensionEvents []string `json:"extension_events,omitzero"`
	// only where it gets the events of one mode alone
	Mode          string    `json:"mode,omitzero"`
	Status        string    `json:"status"`
	CreatedAt     time.Time `json:"created_at"`
	SigningSecret string    `json:"signing_secret"`
	// only with standard_webhooks
	StandardSigningSecret string `json:"standard_signing_secret,omitzero"`
}

// WebhookEndpointList: All active endpoints.
type WebhookEndpointList struct {
	Endpoints []WebhookEndpoint `json:"endpoints"`
}

// WebhookDelivery: One attempt to deliver an event.
type WebhookDelivery struct {
	DeliveryID         string    `json:"delivery_id"`
	ReplayOf           string    `json:"replay_of"`
	MerchantID         string    `json:"merchant_id"`
	EventID            string    `json:"event_id"`
	EventType          string    `json:"event_type"`
	AttemptNumber      int64     `json:"attempt_number"`
	Status             string    `json:"status"`
	OccurredAt         time.Time `json:"occurred_at"`
	EndpointURL        string    `json:"endpoint_url"`
	ResponseStatusCode *int64    `json:"response_status_code"`
	ResponseBody       string    `json:"response_body"`
	NextRetryAt        time.Time `json:"next_retry_at"`
	Replayable         bool      `json:"replayable"`
	ReplayExpiresAt    time.Time `json:"replay_expires_at"`
}

// WebhookDeliveryQuery: Which attempts are listed; all without any.
type WebhookDeliveryQuery struct {
	Limit int64 `json:"limit,omitzero"`
	// next_cursor of the page before, with the same filters
	After  string `json:"after,omitzero"`
	Status string `json:"status,omitzero"`
	// as rows spell it, such as webhook.payment.captured
	EventType string `json:"event_type,omitzero"`
}

// WebhookReplay: A replay: a new delivery of a dead-lettered event.
type WebhookReplay struct {
	DeliveryID string `json:"delivery_id"`
	ReplayOf   string `json:"replay_of"`
}

// WebhookEventData: Part of WebhookEvent.
type WebhookEventData struct {
	PaymentID         string `json:"payment_id"`
	CheckoutSessionID string `json:"checkout_session_id,omitzero"`
	// in minor units
	Amount         int64             `json:"amount"`
	Currency       string            `json:"currency"`
	Mode           string            `json:"mode"`
	Metadata       map[string]string `json:"metadata,omitzero"`
	AmountVerified *bool             `json:"amount_verified,omitzero"`
	Items          []Item            `json:"items,omitzero"`
	BasketTotal    *int64            `json:"basket_total,omitzero"`
	TaxTotal       *int64            `json:"tax_total,omitzero"`
	Customer       *Customer         `json:"customer,omitzero"`
	OrderReference string            `json:"order_reference,omitzero"`
	// what was taken, where that is less than `amount`, which was authorised; else null
	CapturedAmount *int64   `json:"captured_amount,omitzero"`
	Status         string   `json:"status"`
	CaptureState   string   `json:"capture_state,omitzero"`
	Decline        *Decline `json:"decline,omitzero"`
	// null but for one that was held (sequence 2)
	Hold      *Hold          `json:"hold,omitzero"`
	ID        string         `json:"id,omitzero"`
	Reason    string         `json:"reason,omitzero"`
	Failure   *RefundFailure `json:"failure,omitzero"`
	CreatedAt time.Time      `json:"created_at,omitzero"`
	SettledAt time.Time      `json:"settled_at,omitzero"`
	// until when you may respond, where the acquirer says it
	RespondBy time.Time `json:"respond_by,omitzero"`
	OpenedAt  time.Time `json:"opened_at,omitzero"`
	ClosedAt  time.Time `json:"closed_at,omitzero"`
	// where you respond, at the acquirer
	VendorURL string `json:"vendor_url,omitzero"`
}

// WebhookEvent: The event of a webhook. Tell events apart by `type`. It has the members of all of them.
type WebhookEvent struct {
	// the same for every delivery of the event
	ID         string    `json:"id"`
	Type       string    `json:"type"`
	Created    time.Time `json:"created"`
	APIVersion string    `json:"api_version"`
	MerchantID string    `json:"merchant_id"`
	// 1 for the outcome, 2 for the decision on a hold
	Sequence int64            `json:"sequence"`
	Data     WebhookEventData `json:"data"`
}
