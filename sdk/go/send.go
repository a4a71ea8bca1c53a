package ripper

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	mathrand "math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const answerMaxBytes = 8 << 20
const retryAfterMaxSeconds = 60

// It alone holds the key.
type sender struct {
	secretKey string
	baseURL   string
	defaults  settings
}

type call struct {
	method string
	path   string
	query  any
	body   any
}

// Sends a call, and sends it again under the same key while that may help. Nil for reply where no body is due.
func (s *sender) send(ctx context.Context, call call, reply any, options []Option) error {
	settings, err := s.defaults.with(options)
	if err != nil {
		return err
	}
	request, err := s.requestOf(call, settings)
	if err != nil {
		return err
	}
	for tries := 1; ; tries++ {
		err := s.attempt(ctx, request, reply, settings)
		if err == nil {
			return nil
		}
		wait, again := delayBeforeRetry(err, tries, settings.retries, mathrand.Float64(), settings.idempotencyKey == nil)
		if !again {
			return err
		}
		if err := settings.sleep(ctx, wait); err != nil {
			return request.aborted(err)
		}
	}
}

type request struct {
	method string
	url    string
	path   string
	header http.Header
	body   []byte
	key    string
}

func (s *sender) requestOf(call call, settings settings) (*request, error) {
	header := http.Header{}
	header.Set("Accept", "application/json")
	header.Set("User-Agent", "ripper-checkout/go")
	header.Set("X-Service-Api-Key", s.secretKey)
	key := ""
	if call.method != http.MethodGet {
		if settings.idempotencyKey != nil {
			key = *settings.idempotencyKey
		} else {
			key = newKey()
		}
		header.Set("Rip-Idempotency-Key", key)
	}
	var body []byte
	if call.body != nil {
		written, err := json.Marshal(call.body)
		if err != nil {
			return nil, &UsageError{"The body cannot be written as JSON."}
		}
		body = written
		header.Set("Content-Type", "application/json")
	}
	query, err := queryText(call.query)
	if err != nil {
		return nil, err
	}
	return &request{call.method, s.baseURL + call.path + query, call.path, header, body, key}, nil
}

// One try.
func (s *sender) attempt(ctx context.Context, request *request, reply any, settings settings) error {
	limited, cancel := context.WithTimeout(ctx, settings.timeout)
	defer cancel()
	sent, err := http.NewRequestWithContext(limited, request.method, request.url, bytes.NewReader(request.body))
	if err != nil {
		return &UsageError{"The request cannot be made."}
	}
	sent.Header = request.header
	client := *settings.http
	// Following a redirect would send the key to wherever it leads.
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	response, err := client.Do(sent)
	if err != nil {
		return request.failed(ctx, err, settings)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, answerMaxBytes+1))
	if err != nil {
		return request.failed(ctx, err, settings)
	}
	isSuccess := response.StatusCode >= 200 && response.StatusCode < 300
	if isSuccess && bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) && len(text) <= answerMaxBytes {
		if !json.Valid(text) {
			return request.failed(ctx, errors.New("its body ends too early"), settings)
		}
		if reply == nil || json.Unmarshal(text, reply) == nil {
			return nil
		}
	}
	if response.StatusCode == http.StatusNoContent && reply == nil {
		return nil
	}
	return apiError(response, text, request.key)
}

func (r *request) failed(ctx context.Context, cause error, settings settings) error {
	if ctx.Err() != nil {
		return r.aborted(ctx.Err())
	}
	words := fmt.Sprintf("No complete answer came to %s %s", r.method, r.path)
	if errors.Is(cause, context.DeadlineExceeded) {
		return &ConnectionError{"timeout", fmt.Sprintf("%s within %s. %s", words, settings.timeout, r.advice()), r.key, cause}
	}
	var inner *url.Error
	if errors.As(cause, &inner) {
		cause = inner.Err
	}
	return &ConnectionError{"connection_failed", fmt.Sprintf("%s (%s). %s", words, cause, r.advice()), r.key, cause}
}

func (r *request) aborted(cause error) error {
	return &ConnectionError{"aborted", "The call's context ended it. " + r.advice(), r.key, cause}
}

// Nobody knows whether a write was done.
func (r *request) advice() string {
	if r.key == "" {
		return "It was a read: it can be sent again."
	}
	return "Its outcome is unknown. Send it again with the same idempotency key, which this error carries: the service does it once."
}

// The wait before the next try, and whether there is one. Every call is safe to repeat: reads change nothing, and
// writes carry a key. So only the error decides.
func delayBeforeRetry(err error, tries, retries int, chance float64, keyIsOwn bool) (time.Duration, bool) {
	if tries > retries || !isPassing(err, tries > 1 && keyIsOwn) {
		return 0, false
	}
	backoff := math.Min(0.5*math.Pow(2, float64(tries-1)), 8)
	// From half of the backoff to all of it, so that clients that failed together do not come back together.
	wait := backoff * (0.5 + chance/2)
	var refusal *APIError
	if errors.As(err, &refusal) && refusal.RetryAfterSeconds != nil {
		if *refusal.RetryAfterSeconds > retryAfterMaxSeconds {
			return 0, false
		}
		wait = math.Max(wait, float64(*refusal.RetryAfterSeconds))
	}
	return time.Duration(wait * float64(time.Second)), true
}

// idempotency_key_reused ends by itself only if this very call sent the key before: its first request still runs.
func isPassing(err error, sentBefore bool) bool {
	var lost *ConnectionError
	if errors.As(err, &lost) {
		return lost.Code != "aborted"
	}
	var refusal *APIError
	if !errors.As(err, &refusal) || refusal.Code == "response_too_large" {
		return false
	}
	if refusal.Code == "idempotency_key_reused" {
		return sentBefore
	}
	switch refusal.Status {
	case 429, 500, 502, 503, 504:
		return true
	}
	return refusal.Code == "idempotency_key_in_use"
}

func apiError(response *http.Response, text []byte, key string) error {
	body := map[string]json.RawMessage{}
	_ = json.Unmarshal(text, &body)
	textOf := func(name string) string {
		value := ""
		_ = json.Unmarshal(body[name], &value)
		return value
	}
	var allowed []string
	_ = json.Unmarshal(body["allowed"], &allowed)
	code, message := refusal(response.StatusCode, text, textOf)
	return &APIError{
		Code:              code,
		Message:           message,
		Status:            response.StatusCode,
		RequestID:         firstOf(response.Header.Get("Rip-Request-Id"), textOf("request_id")),
		Field:             response.Header.Get("Rip-Error-Field"),
		Allowed:           allowed,
		RetryAfterSeconds: retryAfter(response.Header.Get("Retry-After")),
		IdempotencyKey:    key,
		Header:            response.Header,
	}
}

func refusal(status int, text []byte, textOf func(string) string) (code, message string) {
	if len(text) > answerMaxBytes {
		return "response_too_large", fmt.Sprintf("The answer (status %d) is too large.", status)
	}
	if status >= 400 {
		if code := firstOf(textOf("error"), textOf("code")); code != "" {
			return code, firstOf(textOf("message"), "The service refused: "+code+".")
		}
		if status == http.StatusTooManyRequests {
			words := strings.TrimSpace(string(text))
			return "rate_limit_exceeded", firstOf(words[:min(len(words), 200)], "Too many requests.")
		}
	}
	if status >= 300 && status < 400 {
		return "unexpected_response", "The answer is a redirect. It was not followed, because the key would go with it. Make baseURL the address that it leads to."
	}
	return "unexpected_response", fmt.Sprintf("The answer (status %d) does not come from this API. Is baseURL right? Is a proxy in between?", status)
}

func firstOf(texts ...string) string {
	for _, each := range texts {
		if each != "" {
			return each
		}
	}
	return ""
}

func retryAfter(header string) *int {
	seconds, err := strconv.Atoi(strings.TrimSpace(header))
	if err != nil {
		at, err := http.ParseTime(header)
		if err != nil {
			return nil
		}
		seconds = int(math.Ceil(time.Until(at).Seconds()))
	}
	seconds = max(0, seconds)
	return &seconds
}

// The members of a query, of which those that are empty are left out.
func queryText(query any) (string, error) {
	if query == nil {
		return "", nil
	}
	text, err := json.Marshal(query)
	members := map[string]any{}
	reader := json.NewDecoder(bytes.NewReader(text))
	reader.UseNumber()
	if err != nil || reader.Decode(&members) != nil {
		return "", &UsageError{"The query cannot be written."}
	}
	values := url.Values{}
	for name, value := range members {
		values.Set(name, fmt.Sprint(value))
	}
	if len(values) == 0 {
		return "", nil
	}
	return "?" + values.Encode(), nil
}

func newKey() string {
	bytes := make([]byte, 16)
	_, _ = rand.Read(bytes)
	bytes[6] = bytes[6]&0x0f | 0x40
	bytes[8] = bytes[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", bytes[:4], bytes[4:6], bytes[6:8], bytes[8:10], bytes[10:])
}

func pause(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
