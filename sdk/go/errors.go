package ripper

import "net/http"

// Fault is what every error of this package is. Branch on its code, never on its text.
type Fault interface {
	error
	FaultCode() string
}

// APIError: the service refused the request. A refused create has created nothing, unless the status is 500 or above:
// then call again with the same idempotency key.
type APIError struct {
	Code    string
	Message string
	Status  int
	// Quote it to the people who run the service; empty if it is not known.
	RequestID string
	// The JSON path of what is at fault in the request, if anything is.
	Field string
	// The event types that exist, if Code is unknown_event_type.
	Allowed []string
	// How long the answer asks to wait; nil if it does not.
	RetryAfterSeconds *int
	// The key that the request was sent with; empty for a read.
	IdempotencyKey string
	Header         http.Header
}

func (e *APIError) Error() string     { return e.Code + ": " + e.Message }
func (e *APIError) FaultCode() string { return e.Code }

// ConnectionError: no answer came, or only a part of one. The outcome is unknown: call again with the same
// idempotency key, and the service does it once.
type ConnectionError struct {
	// connection_failed, timeout, or aborted where the call's context ended it.
	Code           string
	Message        string
	IdempotencyKey string
	Cause          error
}

func (e *ConnectionError) Error() string     { return e.Message }
func (e *ConnectionError) FaultCode() string { return e.Code }
func (e *ConnectionError) Unwrap() error     { return e.Cause }
func (e *ConnectionError) Timeout() bool     { return e.Code == "timeout" }

// SignatureError: a webhook cannot be trusted.
type SignatureError struct {
	Code    string
	Message string
}

func (e *SignatureError) Error() string     { return e.Code + ": " + e.Message }
func (e *SignatureError) FaultCode() string { return e.Code }

// UsageError: an argument is wrong, and nothing was sent.
type UsageError struct {
	Message string
}

func (e *UsageError) Error() string     { return e.Message }
func (e *UsageError) FaultCode() string { return "wrong_usage" }
