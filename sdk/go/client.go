// Package ripper is a client of Ripper Checkout for a merchant's server, and verifies its webhooks.
package ripper

import (
	"context"
	"iter"
	"net/http"
	"time"
)

// Client has every route that a merchant's server calls, as a method. Its calls return APIError, ConnectionError, and
// UsageError before anything is sent. It may be used by many goroutines.
type Client struct {
	Checkout     Checkout
	Payments     Payments
	Refunds      Refunds
	PaymentLinks PaymentLinks
	Disputes Disputes
	Payouts Payouts
	Events       Events
	Webhooks     Webhooks
}

type Checkout struct{ Sessions CheckoutSessions }
type CheckoutSessions struct{ *sender }
type Payments struct{ *sender }
type Refunds struct{ *sender }
type PaymentLinks struct{ *sender }
type Disputes struct{ *sender }
type Payouts struct{ *sender }
type Events struct{ *sender }
type Webhooks struct {
	Endpoints  WebhookEndpoints
	Deliveries WebhookDeliveries
}
type WebhookEndpoints struct{ *sender }
type WebhookDeliveries struct{ *sender }

// New makes a client. baseURL is the service's address, such as https://pay.example.com, without /v1. The options are
// for every call, where a call's own do not say otherwise.
func New(secretKey, baseURL string, options ...Option) (*Client, error) {
	if err := judgeSecretKey(secretKey); err != nil {
		return nil, err
	}
	address, err := judgeBaseURL(baseURL)
	if err != nil {
		return nil, err
	}
	defaults, err := settings{timeout: 30 * time.Second, retries: 2, http: &http.Client{}, sleep: pause}.with(options)
	if err != nil {
		return nil, err
	}
	if defaults.idempotencyKey != nil {
		return nil, &UsageError{"IdempotencyKey belongs to one call."}
	}
	s := &sender{secretKey, address, defaults}
	return &Client{
		Checkout{CheckoutSessions{s}},
		Payments{s},
		Refunds{s},
		PaymentLinks{s},
		Disputes{s},
		Payouts{s},
		Events{s},
		Webhooks{WebhookEndpoints{s}, WebhookDeliveries{s}},
	}, nil
}

// Create creates a session. Give its ClientSecret to the shopper's browser.
func (c CheckoutSessions) Create(ctx context.Context, body CheckoutSessionCreate, options ...Option) (*CheckoutSessionCreated, error) {
	return post[CheckoutSessionCreated](ctx, c.sender, sessionsPath, body, options)
}

func (c CheckoutSessions) Retrieve(ctx context.Context, sessionID string, options ...Option) (*CheckoutSession, error) {
	return get[CheckoutSession](ctx, c.sender, sessionsPath+"/", "cs", sessionID, "", options)
}

// Expire ends an unpaid session at once, as if its time were over.
func (c CheckoutSessions) Expire(ctx context.Context, sessionID string, options ...Option) (*CheckoutSession, error) {
	if err := judgeID("cs", sessionID); err != nil {
		return nil, err
	}
	return post[CheckoutSession](ctx, c.sender, sessionsPath+"/"+sessionID+"/expire", nil, options)
}

// List returns a page, newest first. It may have fewer rows than Limit, even none, and still more behind it.
func (c CheckoutSessions) List(ctx context.Context, query CheckoutSessionQuery, options ...Option) (*Page[ListedCheckoutSession], error) {
	return list[ListedCheckoutSession](ctx, c.sender, sessionsPath, query, options)
}

// All goes over every row of every page, asked for when the loop gets there.
func (c CheckoutSessions) All(ctx context.Context, query CheckoutSessionQuery, options ...Option) iter.Seq2[ListedCheckoutSession, error] {
	return rows(query.After, func(after string) (*Page[ListedCheckoutSession], error) {
		query.After = after
		return c.List(ctx, query, options...)
	})
}

func (p Payments) Retrieve(ctx context.Context, paymentID string, options ...Option) (*Payment, error) {
	return get[Payment](ctx, p.sender, paymentsPath+"/", "pay", paymentID, "", options)
}

// List returns a page, newest first. It may have fewer rows than Limit, even none, and still more behind it.
func (p Payments) List(ctx context.Context, query PaymentQuery, options ...Option) (*Page[ListedPayment], error) {
	return list[ListedPayment](ctx, p.sender, paymentsPath, query, options)
}

// All goes over every row of every page, asked for when the loop gets there.
func (p Payments) All(ctx context.Context, query PaymentQuery, options ...Option) iter.Seq2[ListedPayment, error] {
	return rows(query.After, func(after string) (*Page[ListedPayment], error) {
		query.After = after
		return p.List(ctx, query, options...)
	})
}

// Capture takes the money of a held payment. If the answer has a Settlement, the outcome is not known yet.
func (p Payments) Capture(ctx context.Context, paymentID string, options ...Option) (*HeldPayment, error) {
	return p.decide(ctx, "capture", paymentID, options)
}

// CapturePart takes that amount, in minor units, of a held payment. The rest is released.
func (p Payments) CapturePart(ctx context.Context, paymentID string, amount int64, options ...Option) (*HeldPayment, error) {
	if err := judgeID("pay", paymentID); err != nil {
		return nil, err
	}
	body := map[string]int64{"amount": amount}
	return post[HeldPayment](ctx, p.sender, paymentsPath+"/"+paymentID+"/hold/capture", body, options)
}

// Void releases a held payment: nothing is taken.
func (p Payments) Void(ctx context.Context, paymentID string, options ...Option) (*HeldPayment, error) {
	return p.decide(ctx, "void", paymentID, options)
}

// Escalate marks a held payment as being looked at by a person. It still waits for a decision.
func (p Payments) Escalate(ctx context.Context, paymentID string, options ...Option) (*HeldPayment, error) {
	return p.decide(ctx, "escalate", paymentID, options)
}

func (p Payments) decide(ctx context.Context, verb, paymentID string, options []Option) (*HeldPayment, error) {
	if err := judgeID("pay", paymentID); err != nil {
		return nil, err
	}
	return post[HeldPayment](ctx, p.sender, paymentsPath+"/"+paymentID+"/hold/"+verb, nil, options)
}

// Create refunds a captured payment; all that is left where the body names no amount.
func (r Refunds) Create(ctx context.Context, paymentID string, body RefundCreate, options ...Option) (*Refund, error) {
	if err := judgeID("pay", paymentID); err != nil {
		return nil, err
	}
	return post[Refund](ctx, r.sender, paymentsPath+"/"+paymentID+"/refunds", body, options)
}

func (r Refunds) Retrieve(ctx context.Context, refundID string, options ...Option) (*Refund, error) {
	return get[Refund](ctx, r.sender, "/v1/refunds/", "ref", refundID, "", options)
}

// List returns all refunds of a payment, newest first.
func (r Refunds) List(ctx context.Context, paymentID string, options ...Option) (*RefundList, error) {
	return get[RefundList](ctx, r.sender, paymentsPath+"/", "pay", paymentID, "/refunds", options)
}

// Create makes an address by which shoppers pay one amount: the answer's URL.
func (l PaymentLinks) Create(ctx context.Context, body PaymentLinkCreate, options ...Option) (*PaymentLink, error) {
	return post[PaymentLink](ctx, l.sender, linksPath, body, options)
}

func (l PaymentLinks) Retrieve(ctx context.Context, linkID string, options ...Option) (*PaymentLink, error) {
	return get[PaymentLink](ctx, l.sender, linksPath+"/", "plink", linkID, "", options)
}

// List returns a page, newest first. It may have fewer rows than Limit, even none, and still more behind it.
func (l PaymentLinks) List(ctx context.Context, query PaymentLinkQuery, options ...Option) (*Page[PaymentLink], error) {
	return list[PaymentLink](ctx, l.sender, linksPath, query, options)
}

// All goes over every row of every page, asked for when the loop gets there.
func (l PaymentLinks) All(ctx context.Context, query PaymentLinkQuery, options ...Option) iter.Seq2[PaymentLink, error] {
	return rows(query.After, func(after string) (*Page[PaymentLink], error) {
		query.After = after
		return l.List(ctx, query, options...)
	})
}

// Disable withdraws a link for good: nobody can begin to pay by it any more.
func (l PaymentLinks) Disable(ctx context.Context, linkID string, options ...Option) (*PaymentLink, error) {
	if err := judgeID("plink", linkID); err != nil {
		return nil, err
	}
	return post[PaymentLink](ctx, l.sender, linksPath+"/"+linkID+"/disable", nil, options)
}

func (d Disputes) Retrieve(ctx context.Context, disputeID string, options ...Option) (*Dispute, error) {
	return get[Dispute](ctx, d.sender, "/v1/disputes/", "dsp", disputeID, "", options)
}

// List returns disputes, newest first.
func (d Disputes) List(ctx context.Context, query DisputeQuery, options ...Option) (*Page[Dispute], error) {
	return list[Dispute](ctx, d.sender, "/v1/disputes", query, options)
}

// All goes over every row of every page, asked for when the loop gets there.
func (d Disputes) All(ctx context.Context, query DisputeQuery, options ...Option) iter.Seq2[Dispute, error] {
	return rows(query.After, func(after string) (*Page[Dispute], error) {
		query.After = after
		return d.List(ctx, query, options...)
	})
}

// List returns what acquirers paid out, by the reports that were read: those read last first.
func (p Payouts) List(ctx context.Context, query PayoutQuery, options ...Option) (*Page[Payout], error) {
	return list[Payout](ctx, p.sender, "/v1/payouts", query, options)
}

// All goes over every row of every page, asked for when the loop gets there.
func (p Payouts) All(ctx context.Context, query PayoutQuery, options ...Option) iter.Seq2[Payout, error] {
	return rows(query.After, func(after string) (*Page[Payout], error) {
		query.After = after
		return p.List(ctx, query, options...)
	})
}

// List returns events as receivers get them, newest first, whether or not an endpoint was told.
func (e Events) List(ctx context.Context, query EventQuery, options ...Option) (*Page[WebhookEvent], error) {
	return list[WebhookEvent](ctx, e.sender, "/v1/events", query, options)
}

// All goes over every row of every page, asked for when the loop gets there.
func (e Events) All(ctx context.Context, query EventQuery, options ...Option) iter.Seq2[WebhookEvent, error] {
	return rows(query.After, func(after string) (*Page[WebhookEvent], error) {
		query.After = after
		return e.List(ctx, query, options...)
	})
}

// Create registers an endpoint. Keep the answer's SigningSecret: it is never shown again.
func (w WebhookEndpoints) Create(ctx context.Context, body WebhookEndpointCreate, options ...Option) (*WebhookEndpointCreated, error) {
	return post[WebhookEndpointCreated](ctx, w.sender, endpointsPath, body, options)
}

func (w WebhookEndpoints) List(ctx context.Context, options ...Option) (*WebhookEndpointList, error) {
	return reply[WebhookEndpointList](ctx, w.sender, call{method: http.MethodGet, path: endpointsPath}, options)
}

func (w WebhookEndpoints) Delete(ctx context.Context, endpointID string, options ...Option) error {
	if err := judgeID("whep", endpointID); err != nil {
		return err
	}
	return w.send(ctx, call{method: http.MethodDelete, path: endpointsPath + "/" + endpointID}, nil, options)
}

// List returns a page with a row for each attempt, newest first.
func (w WebhookDeliveries) List(ctx context.Context, query WebhookDeliveryQuery, options ...Option) (*Page[WebhookDelivery], error) {
	return list[WebhookDelivery](ctx, w.sender, deliveriesPath, query, options)
}

// All goes over every row of every page, asked for when the loop gets there.
func (w WebhookDeliveries) All(ctx context.Context, query WebhookDeliveryQuery, options ...Option) iter.Seq2[WebhookDelivery, error] {
	return rows(query.After, func(after string) (*Page[WebhookDelivery], error) {
		query.After = after
		return w.List(ctx, query, options...)
	})
}

// Replay sends a dead-lettered delivery again, as a new delivery.
func (w WebhookDeliveries) Replay(ctx context.Context, deliveryID string, options ...Option) (*WebhookReplay, error) {
	if err := judgeID("delivery", deliveryID); err != nil {
		return nil, err
	}
	return post[WebhookReplay](ctx, w.sender, deliveriesPath+"/"+deliveryID+"/replay", nil, options)
}

const (
	sessionsPath   = "/v1/checkout/sessions"
	paymentsPath   = "/v1/payments"
	linksPath      = "/v1/payment_links"
	endpointsPath  = "/v1/webhooks/endpoints"
	deliveriesPath = "/v1/webhooks/deliveries"
)

// Page is a part of a list.
type Page[Row any] struct {
	Data       []Row  `json:"data"`
	HasMore    bool   `json:"has_more"`
	NextCursor string `json:"next_cursor"`
}

func rows[Row any](after string, read func(after string) (*Page[Row], error)) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		for cursor := after; ; {
			page, err := read(cursor)
			if err != nil {
				var none Row
				yield(none, err)
				return
			}
			for _, row := range page.Data {
				if !yield(row, nil) {
					return
				}
			}
			if !page.HasMore || page.NextCursor == "" {
				return
			}
			cursor = page.NextCursor
		}
	}
}

func post[Reply any](ctx context.Context, s *sender, path string, body any, options []Option) (*Reply, error) {
	return reply[Reply](ctx, s, call{method: http.MethodPost, path: path, body: body}, options)
}

func list[Row any](ctx context.Context, s *sender, path string, query any, options []Option) (*Page[Row], error) {
	return reply[Page[Row]](ctx, s, call{method: http.MethodGet, path: path, query: query}, options)
}

func get[Reply any](ctx context.Context, s *sender, before, kind, id, after string, options []Option) (*Reply, error) {
	if err := judgeID(kind, id); err != nil {
		return nil, err
	}
	return reply[Reply](ctx, s, call{method: http.MethodGet, path: before + id + after}, options)
}

func reply[Reply any](ctx context.Context, s *sender, call call, options []Option) (*Reply, error) {
	answer := new(Reply)
	if err := s.send(ctx, call, answer, options); err != nil {
		return nil, err
	}
	return answer, nil
}
