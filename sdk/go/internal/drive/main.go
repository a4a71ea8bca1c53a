// Does what the lines of its input say, for the table in sdk/vectors.json, and writes a line for each.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"os"
	"time"

	ripper "ripper-checkout"
)

type request struct {
	Verify *struct {
		Body      string
		Headers   json.RawMessage
		Secrets   []string
		Now       int64
		Tolerance int64
	}
	Send *send
}

type send struct {
	BaseURL        string            `json:"base_url"`
	SecretKey      string            `json:"secret_key"`
	RetriesMax     int               `json:"retries_max"`
	TimeoutMs      int64             `json:"timeout_ms"`
	Call           string            `json:"call"`
	Args           []json.RawMessage `json:"args"`
	IdempotencyKey *string           `json:"idempotency_key"`
	Amount         *int64            `json:"amount"`
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	out := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var asked request
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			panic(err)
		}
		waits := []float64{}
		value, err := answer(asked, &waits)
		told := map[string]any{"value": value, "waits": waits}
		if err != nil {
			told = map[string]any{"error": fault(err), "waits": waits}
		}
		if err := out.Encode(told); err != nil {
			panic(err)
		}
	}
}

func answer(asked request, waits *[]float64) (any, error) {
	if asked.Send != nil {
		return asked.Send.do(waits)
	}
	v := asked.Verify
	header := http.Header{}
	var value string
	if json.Unmarshal(v.Headers, &value) == nil {
		header.Set("Rip-Signature", value)
	} else {
		several := map[string]string{}
		if err := json.Unmarshal(v.Headers, &several); err != nil {
			panic(err)
		}
		for name, value := range several {
			header[name] = []string{value}
		}
	}
	now := func() time.Time { return time.Unix(v.Now, 0) }
	verifier := ripper.Verifier{Secrets: v.Secrets, Tolerance: time.Duration(v.Tolerance) * time.Second, Now: now}
	return verifier.Verify([]byte(v.Body), header)
}

func (s *send) do(waits *[]float64) (any, error) {
	sleep := func(_ context.Context, wait time.Duration) error {
		*waits = append(*waits, float64(wait)/float64(time.Millisecond))
		return nil
	}
	client, err := ripper.New(s.SecretKey, s.BaseURL, ripper.Retries(s.RetriesMax),
		ripper.Timeout(time.Duration(s.TimeoutMs)*time.Millisecond), ripper.Sleep(sleep))
	if err != nil {
		return nil, err
	}
	var options []ripper.Option
	if s.IdempotencyKey != nil {
		options = append(options, ripper.IdempotencyKey(*s.IdempotencyKey))
	}
	ctx := context.Background()
	switch s.Call {
	case "checkout.sessions.create":
		return client.Checkout.Sessions.Create(ctx, arg[ripper.CheckoutSessionCreate](s, 0), options...)
	case "checkout.sessions.retrieve":
		return client.Checkout.Sessions.Retrieve(ctx, arg[string](s, 0), options...)
	case "checkout.sessions.expire":
		return client.Checkout.Sessions.Expire(ctx, arg[string](s, 0), options...)
	case "checkout.sessions.list":
		return all(client.Checkout.Sessions.All(ctx, arg[ripper.CheckoutSessionQuery](s, 0), options...))
	case "payments.retrieve":
		return client.Payments.Retrieve(ctx, arg[string](s, 0), options...)
	case "payments.list":
		return all(client.Payments.All(ctx, arg[ripper.PaymentQuery](s, 0), options...))
	case "payments.capture":
		if s.Amount != nil {
			return client.Payments.CapturePart(ctx, arg[string](s, 0), *s.Amount, options...)
		}
		return client.Payments.Capture(ctx, arg[string](s, 0), options...)
	case "payments.void":
		return client.Payments.Void(ctx, arg[string](s, 0), options...)
	case "payments.escalate":
		return client.Payments.Escalate(ctx, arg[string](s, 0), options...)
	case "refunds.create":
		return client.Refunds.Create(ctx, arg[string](s, 0), arg[ripper.RefundCreate](s, 1), options...)
	case "refunds.retrieve":
		return client.Refunds.Retrieve(ctx, arg[string](s, 0), options...)
	case "refunds.list":
		return client.Refunds.List(ctx, arg[string](s, 0), options...)
	case "payment_links.create":
		return client.PaymentLinks.Create(ctx, arg[ripper.PaymentLinkCreate](s, 0), options...)
	case "payment_links.retrieve":
		return client.PaymentLinks.Retrieve(ctx, arg[string](s, 0), options...)
	case "payment_links.list":
		return all(client.PaymentLinks.All(ctx, arg[ripper.PaymentLinkQuery](s, 0), options...))
	case "payment_links.disable":
		return client.PaymentLinks.Disable(ctx, arg[string](s, 0), options...)
	case "disputes.retrieve":
		return client.Disputes.Retrieve(ctx, arg[string](s, 0), options...)
	case "disputes.list":
		return all(client.Disputes.All(ctx, arg[ripper.DisputeQuery](s, 0), options...))
	case "payouts.list":
		return all(client.Payouts.All(ctx, arg[ripper.PayoutQuery](s, 0), options...))
	case "events.list":
		return all(client.Events.All(ctx, arg[ripper.EventQuery](s, 0), options...))
	case "webhooks.endpoints.create":
		return client.Webhooks.Endpoints.Create(ctx, arg[ripper.WebhookEndpointCreate](s, 0), options...)
	case "webhooks.endpoints.list":
		return client.Webhooks.Endpoints.List(ctx, options...)
	case "webhooks.endpoints.delete":
		return nil, client.Webhooks.Endpoints.Delete(ctx, arg[string](s, 0), options...)
	case "webhooks.deliveries.list":
		return all(client.Webhooks.Deliveries.All(ctx, arg[ripper.WebhookDeliveryQuery](s, 0), options...))
	case "webhooks.deliveries.replay":
		return client.Webhooks.Deliveries.Replay(ctx, arg[string](s, 0), options...)
	}
	panic("there is no " + s.Call)
}

func arg[Value any](s *send, index int) Value {
	var value Value
	if err := json.Unmarshal(s.Args[index], &value); err != nil {
		panic(err)
	}
	return value
}

func all[Row any](rows iter.Seq2[Row, error]) (any, error) {
	every := []Row{}
	for row, err := range rows {
		if err != nil {
			return nil, err
		}
		every = append(every, row)
	}
	return every, nil
}

func fault(err error) map[string]any {
	var known ripper.Fault
	if !errors.As(err, &known) {
		panic(err)
	}
	told := map[string]any{"code": known.FaultCode(), "text": fmt.Sprintf("%v %+v", err, err)}
	switch e := known.(type) {
	case *ripper.APIError:
		told["kind"], told["status"], told["message"] = "ApiError", e.Status, e.Message
		told["request_id"], told["field"] = absent(e.RequestID), absent(e.Field)
		told["allowed"], told["retry_after_seconds"] = e.Allowed, e.RetryAfterSeconds
		told["idempotency_key"] = absent(e.IdempotencyKey)
	case *ripper.ConnectionError:
		told["kind"], told["idempotency_key"] = "ConnectionError", absent(e.IdempotencyKey)
		if e.Timeout() {
			told["kind"] = "TimeoutError"
		}
	case *ripper.SignatureError:
		told["kind"] = "SignatureError"
	case *ripper.UsageError:
		told["kind"] = "UsageError"
	}
	return told
}

func absent(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
