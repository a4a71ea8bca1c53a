package ripper

import (
	"context"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"
)

// Option sets something for a client, or for one call of it.
type Option func(*settings)

type settings struct {
	timeout        time.Duration
	retries        int
	idempotencyKey *string
	http           *http.Client
	sleep          func(context.Context, time.Duration) error
}

// Timeout is for each try, including the body of its answer; 30 seconds by default.
func Timeout(timeout time.Duration) Option { return func(s *settings) { s.timeout = timeout } }

// Retries is how often a call is tried again; 2 by default, 0 for never.
func Retries(retries int) Option { return func(s *settings) { s.retries = retries } }

// IdempotencyKey is for calls that change something. The service recognises a repetition by it, for 30 days. If you
// give none, each call makes its own, which covers only the tries of that call.
func IdempotencyKey(key string) Option { return func(s *settings) { s.idempotencyKey = &key } }

// HTTPClient is used instead of one of the package's own. Redirects are never followed.
func HTTPClient(client *http.Client) Option { return func(s *settings) { s.http = client } }

// Sleep is for tests: it waits between two tries, instead of a timer.
func Sleep(sleep func(context.Context, time.Duration) error) Option {
	return func(s *settings) { s.sleep = sleep }
}

// Int64 makes a number that may be absent.
func Int64(value int64) *int64 { return &value }

func (s settings) with(options []Option) (settings, error) {
	for _, option := range options {
		option(&s)
	}
	switch {
	case s.timeout <= 0:
		return s, &UsageError{"Timeout must be above 0."}
	case s.retries < 0 || s.retries > 10:
		return s, &UsageError{"Retries must be from 0 to 10."}
	case s.idempotencyKey != nil && !isKey(*s.idempotencyKey):
		return s, &UsageError{"IdempotencyKey must be 1 to 255 printable ASCII characters, without white space around them."}
	case s.http == nil || s.sleep == nil:
		return s, &UsageError{"HTTPClient and Sleep must not be nil."}
	}
	return s, nil
}

var keyShape = regexp.MustCompile(`^[ -~]{1,255}$`)

func isKey(key string) bool { return keyShape.MatchString(key) && strings.TrimSpace(key) == key }

var secretKeyShape = regexp.MustCompile(`^rip_sk_[0-9A-Za-z]+$`)

// The error does not quote the key.
func judgeSecretKey(key string) error {
	switch {
	case key == "":
		return &UsageError{"There is no secret key. Is its environment variable set?"}
	case strings.TrimSpace(key) != key:
		return &UsageError{"The secret key has white space around it, perhaps a line break."}
	case strings.HasPrefix(key, "rip_pk_"):
		return &UsageError{"This is a publishable key. A server needs the secret key: rip_sk_…."}
	case !secretKeyShape.MatchString(key):
		return &UsageError{"The secret key must be rip_sk_ followed by letters and digits."}
	}
	return nil
}

// The address without the slash at its end. The error does not quote it.
func judgeBaseURL(text string) (string, error) {
	const example = "such as https://pay.example.com"
	if text == "" {
		return "", &UsageError{"baseURL is required: where your Ripper Checkout is, " + example + "."}
	}
	address, err := url.Parse(text)
	if err != nil || address.Host == "" || (address.Scheme != "http" && address.Scheme != "https") {
		return "", &UsageError{"baseURL must be an absolute http or https address, " + example + "."}
	}
	if address.User != nil || address.RawQuery != "" || address.Fragment != "" {
		return "", &UsageError{"baseURL must have no user information, query or fragment."}
	}
	path := strings.TrimRight(address.Path, "/")
	if strings.HasSuffix(path, "/v1") {
		return "", &UsageError{"baseURL must not end with /v1, which is added."}
	}
	return address.Scheme + "://" + address.Host + path, nil
}

var idShape = regexp.MustCompile(`^([a-z]+)_[0-9A-Za-z]+$`)
var deliveryShape = regexp.MustCompile(`^[0-9a-f]{32}$`)

// An id for a path, which must never contain a client secret.
func judgeID(kind, id string) error {
	if kind == "delivery" {
		if deliveryShape.MatchString(id) {
			return nil
		}
		return &UsageError{"The argument must be a delivery id."}
	}
	if shape := idShape.FindStringSubmatch(id); shape != nil && shape[1] == kind {
		return nil
	}
	hint := ""
	if strings.Contains(id, "_secret_") {
		hint = " This is a client secret. It must never be part of an address."
	}
	return &UsageError{"The argument must be an id, " + kind + "_…." + hint}
}
